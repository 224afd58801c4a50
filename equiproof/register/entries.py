"""Entries about the files of an owner."""

from __future__ import annotations

from equiproof.verifier.entries import CommitmentEntry, parse_entry
from equiproof.verifier.errors import CertificateFormatError


def announces(data: bytes, digest: str) -> bool:
    """Return whether an entry's bytes are a commitment's, by the digest of its file."""
    try:
        entry = parse_entry(data, "entry")
    except CertificateFormatError:
        return False
    return isinstance(entry, CommitmentEntry) and entry.commitment == digest
