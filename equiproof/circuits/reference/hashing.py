"""Packing over the field, and lists of elements under Poseidon2.

The hash is that of circuits/poseidon2.py, in plain integers modulo the order. In galois one hash takes as long as all
gadgets of a tiny network, so a test compares the two instead.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from equiproof.circuits.commitment import PACK_BITS, tag
from equiproof.circuits.poseidon2 import hash_elements
from equiproof.circuits.reference.field import GF, Elements, Wires, elements
from equiproof.circuits.segments import Segment


def packed(segments: Iterable[Segment], wires: Wires) -> list[Elements]:
    """Pack the integers of segments into elements of 248 bits each; wires that may hold any element are left out."""
    packs: list[Elements] = []
    used = PACK_BITS
    for segment in segments:
        for wire, interval in zip(wires[segment.name], segment.intervals, strict=True):
            if interval is None:
                continue
            if used + interval.bits > PACK_BITS:
                packs.append(GF(0))
                used = 0
            packs[-1] += (wire - elements([interval.low])[0]) * GF(1 << used)
            used += interval.bits
    return packs


def hashed(text: str, parts: Sequence[int | Elements]) -> Elements:
    """Hash a domain tag, the version of digests and the parts."""
    return GF(hash_elements([tag(text), 2, *(int(part) for part in parts)]))
