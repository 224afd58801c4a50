"""Which program checks a proof: the native library where it is built, plain Python otherwise.

Both read the same bytes and come to the same verdict for the same reason. They share no code, so that a fault in one
shows.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from types import TracebackType
from typing import Literal, Protocol, Self, cast, get_args

from equiproof.circuits.proof_systems import ProofSystem
from equiproof.circuits.tables import ENGLISH, english, in_language, spoken
from equiproof.ffi import backend
from equiproof.ffi.backend import Refusal
from equiproof.verifier.errors import Reason

Checker = Literal["native", "python"]
Choice = Literal["auto", "native", "python"]

CHOICES: tuple[str, ...] = get_args(Choice)

_PYTHON_MODULES: dict[ProofSystem, str] = {
    "groth16-bn254": "equiproof.verifier.pairing",
    "plonk-bn254": "equiproof.verifier.plonk",
}
"""The modules of the checks in plain Python; py_ecc is loaded only where it checks."""

_REFUSALS: dict[str, str] = {
    Reason.PAIRINGS_DIFFER: english("proof.pairings_differ"),
    Reason.FIRST_COMMITMENT_DIFFERS: english("proof.first_commitment_differs"),
    Reason.COMMITMENT_NOT_OPENED: english("proof.commitment_unopened"),
    Reason.RELATION_FAILS: english("proof.relation_unsatisfied"),
}
"""Why a proof does not hold, by reason: the native library says it in English only."""


class VerifyingKey(Protocol):
    """A loaded verifying key, of either program."""

    def verify(self, digest: bytes, proof: bytes) -> None:
        """Check a proof; raises RefusedError unless it holds, MalformedInputError for malformed bytes."""

    def verify_many(self, digests: Sequence[bytes], proofs: Sequence[bytes], threads: int = 0) -> list[Refusal | None]:
        """Check many proofs; returns for each None if it holds, or the error that :meth:`verify` raises for it."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None: ...


def known(choice: str) -> Choice:
    """Return a choice after checking it; raises ValueError."""
    if choice not in CHOICES:
        raise ValueError(f"{choice!r} is no program that checks proofs: {', '.join(CHOICES)}")
    return cast(Choice, choice)


def choose(choice: Choice) -> Checker:
    """Return the program for a choice; a program that was named is never replaced by the other."""
    if choice == "auto":
        return "native" if backend.available() else "python"
    return choice


def in_words(refusal: Refusal) -> str:
    """Say why a proof does not hold, in the language that is spoken; in English as the program said it."""
    known_reason = spoken() != ENGLISH and refusal.reason in _REFUSALS
    return in_language(_REFUSALS[refusal.reason]) if known_reason else str(refusal)


def load(checker: Checker, proof_system: ProofSystem, key: bytes) -> VerifyingKey:
    """Load a verifying key of a proof system; raises MalformedInputError for malformed bytes or a degenerate key.

    BackendError means that the native library was requested and is missing.
    """
    if checker == "native":
        return backend.VerifyingKey(key, proof_system)
    return cast(VerifyingKey, import_module(_PYTHON_MODULES[proof_system]).VerifyingKey(key))
