"""Entries about the files of an owner."""

from __future__ import annotations

from equiproof.circuits.kinds import kind_of
from equiproof.verifier.box import BOX, parse_box
from equiproof.verifier.certificate import parse_certificate
from equiproof.verifier.entries import (
    BoxEntry,
    CertificateEntry,
    CommitmentEntry,
    LinkEntry,
    box_entry,
    certificate_entry,
    parse_entry,
)
from equiproof.verifier.errors import CertificateFormatError


def dating_entry(data: bytes, where: str) -> CertificateEntry | BoxEntry:
    """Return the entry by which a log dates a file: of a certificate, or of a box certificate, each of its own kind.

    Raises CertificateFormatError naming `where` for any other file.
    """
    if kind_of(data) == BOX[0]:
        parse_box(data, where)
        return box_entry(data)
    parse_certificate(data, where)
    return certificate_entry(data)


def announces(data: bytes, digest: str) -> bool:
    """Return whether an entry's bytes are a commitment's or a link's, by the digest of its file."""
    try:
        entry = parse_entry(data, "entry")
    except CertificateFormatError:
        return False
    named = {CommitmentEntry: "commitment", LinkEntry: "link"}.get(type(entry))
    return named is not None and getattr(entry, named) == digest
