"""Files of an archive that begins with a list of them: what may be there, and that it is what the list says."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import msgspec

from equiproof.circuits.tables import say
from equiproof.circuits.text import plain
from equiproof.verifier.archive import File
from equiproof.verifier.errors import CertificateFormatError, Reason

Kind_co = TypeVar("Kind_co", bound=str, covariant=True)
"""The names of what an archive may hold."""


class Reference(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One file of a list: what it is, its name, and the SHA-256 of its content in hexadecimal."""

    role: str
    name: str
    sha256: str


@dataclass(frozen=True)
class Part(Generic[Kind_co]):
    """One of the files that an archive may hold; `field` is its name in the class of the archive."""

    role: Kind_co
    name: str
    most: int
    required: bool = False

    @property
    def field(self) -> str:
        """The attribute that holds this part."""
        return self.role.replace("-", "_")


def check_files(parts: Sequence[Part[str]], files: Sequence[File], where: str, what: str) -> None:
    """Refuse unknown, doubled and missing files, and another order; `what` is the archive in words."""
    names = [name for name, _ in files]
    part_names = {part.name for part in parts}
    if unknown_names := [name for name in names if name not in part_names]:
        raise _wrong(say("listed.unknown_file", where=where, file=repr(plain(unknown_names[0])[:40]), what=what))
    if missing_names := [part.name for part in parts if part.required and part.name not in names]:
        raise _wrong(say("listed.file_missing", where=where, file=missing_names[0]))
    if names != [part.name for part in parts if part.name in names]:
        raise _wrong(say("listed.file_misplaced", where=where))


def check_listed(
    parts: Sequence[Part[str]], listed: Sequence[Reference], files: Sequence[File], where: str, what: str
) -> None:
    """Refuse a list of other files, roles or digests than those of the files, and files that are too long."""
    known = {part.name: part for part in parts}
    if [(one.role, one.name) for one in listed] != [(known[name].role, name) for name, _ in files]:
        raise _wrong(say("listed.files_differ", where=where, what=what))
    for at, (one, (name, content)) in enumerate(zip(listed, files, strict=True)):
        if one.sha256 != digest(content):
            raise CertificateFormatError(
                say("listed.digest_differs", where=where, index=at, file=name, what=what), Reason.FILE_DIFFERS
            )
    archive = where.rpartition(": ")[0]
    for name, content in files:
        if len(content) > (most := known[name].most):
            raise CertificateFormatError(
                say("listed.file_too_long", where=archive, file=name, bytes=most), Reason.TOO_LONG
            )


def digest(content: bytes) -> str:
    """Return the SHA-256 of a file in hexadecimal."""
    return hashlib.sha256(content).hexdigest()


def _wrong(message: str) -> CertificateFormatError:
    return CertificateFormatError(message, Reason.WRONG_FILES)
