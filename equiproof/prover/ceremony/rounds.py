"""What the two phases compute, by the native library; its refusals name the file that they are about."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from equiproof.ffi import ceremony as native
from equiproof.prover.ceremony.documents import CeremonyDocument
from equiproof.prover.ceremony.errors import Refusal, TranscriptError, naming
from equiproof.prover.ceremony.powers import Powers

_CHALLENGE_BYTES = 32


class Rounds(Protocol):
    """One phase: `length` bytes a step, how one is made and how it is checked. `previous` is None before the first."""

    @property
    def length(self) -> int:
        """Return the number of gnark's bytes in each step."""

    def contribute(self, previous: bytes | None) -> bytes:
        """Return the next step, with secrets that are drawn and forgotten inside."""

    def verify(self, previous: bytes | None, step: bytes) -> None:
        """Raise RefusedError or MalformedInputError unless `step` follows from `previous`."""


@dataclass(frozen=True)
class PowersRounds:
    """Phase 1 over a domain of 2^power."""

    power: int

    @property
    def length(self) -> int:
        """Return the length of gnark's `Phase1` with compressed points.

        Three proofs of 96 bytes; 8 bytes of length, beta in G2, 2N - 2 powers of tau in G1 and N - 1 in G2, N multiples
        by alpha and N by beta in G1; the challenge behind its length.
        """
        size = 1 << self.power
        return 3 * 96 + 8 + 64 + (2 * size - 2) * 32 + (size - 1) * 64 + 2 * size * 32 + 1 + _CHALLENGE_BYTES

    def contribute(self, previous: bytes | None) -> bytes:
        """Return the next step of phase 1."""
        return native.powers_contribute(self.power, previous)

    def verify(self, previous: bytes | None, step: bytes) -> None:
        """Check a step of phase 1."""
        native.powers_verify(self.power, previous, step)


@dataclass(frozen=True)
class KeyRounds:
    """Phase 2 for a circuit's document, from powers of tau of exactly its domain."""

    document: bytes
    powers: Powers

    @cached_property
    def start(self) -> bytes:
        """The beginning of phase 2, which follows from circuit and powers: nobody can choose it."""
        return native.key_start(self.document, self.powers.power, self.powers.data, self.powers.form)

    @property
    def length(self) -> int:
        """Return the length of the beginning and a challenge, which a beginning has none of."""
        return len(self.start) + _CHALLENGE_BYTES

    def contribute(self, previous: bytes | None) -> bytes:
        """Return the next step of phase 2."""
        return native.key_contribute(self.start if previous is None else previous)

    def verify(self, previous: bytes | None, step: bytes) -> None:
        """Check a step of phase 2."""
        native.key_verify(self.start if previous is None else previous, step)


def require_circuit(ceremony: CeremonyDocument, where: str) -> None:
    """Compile the circuit of a phase 2; raises TranscriptError unless it is the one that the ceremony names."""
    target = ceremony.target
    with naming(where):
        power, _, digest = native.circuit_power(target.shape.document)
    if (power, digest) != (ceremony.power, target.system_digest):
        raise TranscriptError(
            f"{where}: use the version of Equiproof that began it: here its shape has another circuit than it names",
            Refusal.OTHER_CIRCUIT,
        )
