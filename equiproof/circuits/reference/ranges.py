"""R-RANGE: every private number is an integer of its width, every bit is 0 or 1, and one label is chosen."""

from __future__ import annotations

from collections.abc import Iterable

from equiproof.circuits.field import ORDER
from equiproof.circuits.reference.field import GF, RuleError, Wires
from equiproof.circuits.segments import Segment
from equiproof.circuits.widths import Interval


def ranges(segments: Iterable[Segment], wires: Wires) -> None:
    """Refuse a wire whose element is not the residue of an integer in its interval, and labels that are not one-hot."""
    for segment in segments:
        for number, interval in enumerate(segment.intervals):
            if interval is not None:
                _within(f"{segment.name} {number}", int(wires[segment.name][number]), interval)
    if len(wires.get("label", ())) > 1 and wires["label"].sum() != GF(1):
        raise RuleError("R-RANGE", "label", "not exactly one class is chosen")


def _within(where: str, residue: int, interval: Interval) -> None:
    # The distance from the lower end, modulo the order: small exactly for the residues of the interval's integers.
    if (residue - interval.low) % ORDER > interval.high - interval.low:
        raise RuleError("R-RANGE", where, f"{residue} is not in {interval}")
