"""R-RANGE: every private number is an integer of its width, every bit is 0 or 1, and one label is chosen."""

from __future__ import annotations

from collections.abc import Iterable

from equiproof.circuits.field import ORDER
from equiproof.circuits.reference.field import GF, RuleError, Wires, residues
from equiproof.circuits.segments import Segment
from equiproof.circuits.widths import Interval


def ranges(segments: Iterable[Segment], wires: Wires) -> None:
    """Refuse a wire whose element is not the residue of an integer in its interval, and labels that are not one-hot."""
    hold_widths("R-RANGE", segments, wires)
    if len(wires.get("label", ())) > 1 and wires["label"].sum() != GF(1):
        raise RuleError("R-RANGE", "label", "not exactly one class is chosen")


def hold_widths(rule: str, segments: Iterable[Segment], wires: Wires) -> None:
    """Refuse a wire whose element is not the residue of an integer in its interval."""
    for segment in segments:
        values = residues(wires[segment.name])
        for number, (residue, interval) in enumerate(zip(values, segment.intervals, strict=True)):
            if interval is not None and not _holds(interval, residue):
                raise RuleError(rule, f"{segment.name} {number}", f"{residue} is not in {interval}")


def _holds(interval: Interval, residue: int) -> bool:
    """Tell whether a residue is that of an integer of an interval: near the lower end, modulo the order."""
    return (residue - interval.low) % ORDER <= interval.high - interval.low
