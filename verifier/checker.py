"""Which program checks a proof: the native library where it is there, plain Python where it is not.

Both read the same bytes and come to the same verdict; they share no code, so that a fault of one shows.
"""

from __future__ import annotations

from types import TracebackType
from typing import Literal, Protocol, Self, cast, get_args

from ffi import backend

Checker = Literal["native", "python"]
Choice = Literal["auto", "native", "python"]

CHOICES: tuple[str, ...] = get_args(Choice)


class ProofVerifier(Protocol):
    """A loaded verifying key, of either program."""

    def verify(self, digest: bytes, proof: bytes) -> None:
        """Return if the proof holds; raises RefusedError, or MalformedInputError for bytes that are no proof."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None: ...


def known(choice: str) -> Choice:
    """Return a choice that is one; raises ValueError."""
    if choice not in CHOICES:
        raise ValueError(f"{choice!r} is no program that checks proofs: {', '.join(CHOICES)}")
    return cast(Choice, choice)


def choose(choice: Choice) -> Checker:
    """Return the program that `choice` stands for here and now; one that was named is never replaced by the other."""
    if choice == "auto":
        return "native" if backend.available() else "python"
    return choice


def load(checker: Checker, key: bytes) -> ProofVerifier:
    """Load a verifying key; raises MalformedInputError for one that is none or degenerate.

    BackendError says that the native library was asked for and is missing.
    """
    if checker == "native":
        return backend.Verifier(key)
    from verifier import pairing  # py_ecc is loaded only where it checks

    return pairing.Verifier(key)
