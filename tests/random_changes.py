"""Random changes of a real proof, its digest and its key, which both checks of a proof system must judge alike."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from equiproof.circuits.field import ORDER
from equiproof.circuits.proof_systems import ProofSystem
from equiproof.ffi.errors import MalformedInputError
from equiproof.verifier.parts import Part, read_parts
from tests.trapdoor import INFINITY_G1, INFINITY_G2
from tests.two_checks import agreed, verdict
from tests.vectors.vector import proof_base

Places = Mapping[str, tuple[int, int]]


def mutated(rng: random.Random, data: bytes, places: Places) -> bytes:
    """Return data with one bit, byte, flag, point or value changed; `places` are (offset, width)."""
    changed = bytearray(data)
    kind = rng.randrange(6)
    at, width = rng.choice(list(places.values()))
    if kind == 0:
        changed[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    elif kind == 1:
        changed[rng.randrange(len(data))] = rng.choice((0, 0x40, 0x7F, 0x80, 0xBF, 0xC0, 0xFF))
    elif kind == 2:
        changed[at] ^= rng.choice((0x40, 0x80, 0xC0))
    elif kind == 3:
        changed[at : at + width] = {32: INFINITY_G1, 64: INFINITY_G2, 8: bytes(8)}[width]
    elif kind == 4:
        changed[at : at + width] = rng.randrange(min(ORDER, 1 << (8 * width))).to_bytes(width, "big")
    else:
        other, size = rng.choice([place for place in places.values() if place[1] == width])
        changed[at : at + width] = data[other : other + size]
    return bytes(changed)


@dataclass(frozen=True)
class Published:
    """A key, a statement digest and a proof of a real set-up, with the places of their points and values."""

    base: str
    system: ProofSystem
    key_places: Places
    proof_places: Places
    parts: Sequence[Part]

    def judged(self, seed: int, proofs: int, keys: int) -> dict[str, int]:
        """Compare both checks on changes of proof, digest and key, and count the verdicts."""
        rng = random.Random(seed)
        key, digest, proof = self._bytes()
        counts = {"accepted": 0, "refused": 0, "malformed": 0}
        for number in range(proofs):
            if number % 10:
                counts[agreed(key, digest, mutated(rng, proof, self.proof_places), self.system)] += 1
            else:
                counts[agreed(key, mutated(rng, digest, {"digest": (0, 32)}), proof, self.system)] += 1
        for _ in range(keys):
            counts[agreed(mutated(rng, key, self.key_places), digest, proof, self.system)] += 1
        return counts

    def read(self, seed: int, times: int) -> dict[bool, int]:
        """Compare which changed proofs both checks call malformed, and count them; whether others hold is not asked."""
        rng = random.Random(seed)
        key, digest, proof = self._bytes()
        found = {True: 0, False: 0}
        for _ in range(times):
            lie = mutated(rng, proof, self.proof_places)
            try:
                read_parts(lie, tuple(self.parts), "proof")
                malformed = False
            except MalformedInputError:
                malformed = True
            assert (verdict("native", key, digest, lie, self.system)[0] == "malformed") == malformed, lie.hex()
            found[malformed] += 1
        return found

    def _bytes(self) -> tuple[bytes, bytes, bytes]:
        base = proof_base(self.base)
        return bytes.fromhex(base["key"]), bytes.fromhex(base["digest"]), bytes.fromhex(base["proof"])
