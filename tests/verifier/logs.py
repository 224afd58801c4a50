"""A log in memory, with witnesses, for tests and vectors: every signature is that of a fixed key."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from equiproof.verifier.checkpoint import Checkpoint, cosign
from equiproof.verifier.merkle import leaf_hash, root_of
from equiproof.verifier.notes import Signer
from equiproof.verifier.tlog_proof import TlogProof

LOG = Signer("register.example/log", b"log of all the tests, 32 bytes..")
ANNA, BEN, CARL = (Signer(f"{name}.example", name.encode().ljust(32, b".")) for name in ("anna", "ben", "carl"))
NOON = 1_772_625_600
"""2026-03-04T12:00:00Z, when witnesses cosign."""


def path_of(leaves: Sequence[bytes], index: int) -> tuple[bytes, ...]:
    """Return the path from a leaf to the root, by the definition (RFC 9162, 2.1.3.1)."""
    if len(leaves) < 2:
        return ()
    half = 1 << (len(leaves) - 1).bit_length() - 1
    if index < half:
        return (*path_of(leaves[:half], index), root_of(leaves[half:]))
    return (*path_of(leaves[half:], index - half), root_of(leaves[:half]))


@dataclass
class Log:
    """Entries of a log that signs with its key."""

    entries: list[bytes] = field(default_factory=list)
    signer: Signer = LOG

    @property
    def leaves(self) -> list[bytes]:
        """The hashes of the entries."""
        return [leaf_hash(entry) for entry in self.entries]

    def checkpoint(self) -> Checkpoint:
        """Return the state of the log."""
        return Checkpoint(self.signer.name, len(self.entries), root_of(self.leaves))

    def signed(self, cosigners: Sequence[tuple[Signer, int]] = ()) -> bytes:
        """Return the signed checkpoint with cosignatures at their times."""
        at = self.checkpoint()
        return (self.signer.sign(at.text) + "".join(cosign(signer, at, time) for signer, time in cosigners)).encode()

    def proof(self, index: int, cosigners: Sequence[tuple[Signer, int]] = ()) -> TlogProof:
        """Return the log proof of an entry."""
        return TlogProof(index, path_of(self.leaves, index), self.signed(cosigners), self.entries[index])
