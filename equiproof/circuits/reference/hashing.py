"""Packing over the field, and lists of elements under Poseidon2, in plain integers modulo the order.

The hash is that of circuits/poseidon2.py. In galois a hash, or packing, takes as long as all gadgets of a tiny network.
A test compares the hash with galois.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

from equiproof.circuits.commitment import PACK_BITS, tag
from equiproof.circuits.field import ORDER
from equiproof.circuits.poseidon2 import hash_elements
from equiproof.circuits.reference.field import GF, Elements, Wires, residues
from equiproof.circuits.segments import Segment


def packed(segments: Iterable[Segment], wires: Wires) -> list[int]:
    """Pack the integers of segments into elements of 248 bits each; wires that may hold any element are left out."""
    packs: list[int] = []
    used = PACK_BITS
    for segment in segments:
        for wire, interval in zip(residues(wires[segment.name]), segment.intervals, strict=True):
            if interval is None:
                continue
            if used + interval.bits > PACK_BITS:
                packs.append(0)
                used = 0
            packs[-1] = (packs[-1] + ((wire - interval.low) << used)) % ORDER
            used += interval.bits
    return packs


def hashed(text: str, parts: Sequence[int | Elements]) -> Elements:
    """Hash a domain tag, the version of digests and the parts."""
    return GF(_hash(text, tuple(int(part) for part in parts)))


@lru_cache(maxsize=256)
def _hash(text: str, parts: tuple[int, ...]) -> int:
    """Hash the tag, the version and the parts; kept, since witnesses that are compared differ in few parts."""
    return hash_elements([tag(text), 2, *parts])
