"""Entries and keys that the tests of the register share."""

from __future__ import annotations

import hashlib

from equiproof.verifier.entries import (
    ENTRY,
    CommitmentEntry,
    DecisionEntry,
    KeyEntry,
    LinkEntry,
    RetireEntry,
    TrailEntry,
)
from equiproof.verifier.notes import Signer

LOG = Signer("log.example/loans", bytes(range(32)))
OTHER_LOG = Signer("log.example/loans", bytes(range(1, 33)))
WITNESS = Signer("witness.example/w1", bytes(range(2, 34)))


def digest(number: int) -> str:
    """Return some digest."""
    return hashlib.sha256(str(number).encode()).hexdigest()


def decision(number: int) -> bytes:
    """Return the entry of a decision."""
    return DecisionEntry(*ENTRY, "decision", digest(number)).data


def decisions(first: int, last: int) -> list[bytes]:
    """Return the entries of decisions."""
    return [decision(number) for number in range(first, last)]


def commitment(owner: str, number: int, day: str = "2026-03-01") -> bytes:
    """Return the entry of a commitment."""
    return CommitmentEntry(*ENTRY, "commitment", owner, digest(number), day).data


def key(owner: str, number: int, transcript: int | None = None) -> bytes:
    """Return the entry of a key."""
    return KeyEntry(*ENTRY, "key", owner, digest(number), None if transcript is None else digest(transcript)).data


def link(owner: str, number: int, commitment: int = 1, key: int = 2) -> bytes:
    """Return the entry of a link of a commitment under a key."""
    return LinkEntry(*ENTRY, "link", owner, digest(number), digest(commitment), digest(key)).data


def retire(owner: str, number: int, what: str = "commitment", successor: int | None = None) -> bytes:
    """Return the entry of what is used no more."""
    after = None if successor is None else digest(successor)
    return RetireEntry(*ENTRY, "retire", owner, what, digest(number), "a new model", after).data


def head(number: int, owner: str = "North Bank") -> bytes:
    """Return the entry of an owner's trail."""
    return TrailEntry(*ENTRY, "trail", owner, digest(number)).data
