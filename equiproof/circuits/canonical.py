"""JSON documents: one canonical form (RFC 8785), one strict parser, errors with file and field."""

from __future__ import annotations

import stat
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import msgspec
import rfc8785

from equiproof.circuits.exit_codes import MISUSED
from equiproof.circuits.replacement import opened
from equiproof.circuits.tables import say

MAX_DOCUMENT_BYTES = 4 << 20

T = TypeVar("T")


class DocumentError(ValueError):
    """A document that cannot be used: one line that names the file, the field and what is wrong there.

    `reason` is a stable name of what is wrong with the form of a document, for programs; empty for any other fault.
    """

    exit_code: ClassVar[int] = MISUSED

    def __init__(self, message: str, reason: str = "") -> None:
        super().__init__(message)
        self.reason = reason


def read_limited(path: Path, most: int = MAX_DOCUMENT_BYTES) -> bytes:
    """Read a file's bytes; of a file that is too long, one byte more than `most`: by default a document's limit.

    Where a replacement of the file and others was cut short, this is its content before or after all of it.
    """
    with opened(path) as stream:
        return stream.read(most + 1)


def read_regular(path: Path, most: int = MAX_DOCUMENT_BYTES) -> bytes:
    """Read a file of a store; of a file that is too long, one byte more than `most`. Raises OSError.

    A pipe would wait for its writer and a device may never end: both raise DocumentError unopened.
    """
    status = path.stat()
    if not stat.S_ISREG(status.st_mode):
        raise DocumentError(f"{path}: not a regular file", "unreadable")
    with path.open("rb") as stream:
        # Reading sets the requested length aside at once, so no more than the file's length is requested.
        return stream.read(min(most, status.st_size) + 1)


def canonical_bytes(document: Any) -> bytes:
    """Return the RFC 8785 form of a msgspec struct or of plain JSON data.

    Raises DocumentError for a value that has no canonical form (an integer past 2^53, a non-finite number).
    """
    try:
        # As plain JSON data: fields that are unset are left out, and order and spelling are the canonical form's alone.
        return rfc8785.dumps(msgspec.to_builtins(document))
    except rfc8785.CanonicalizationError as error:
        raise DocumentError(f"no canonical JSON form: {error}") from None


def indented(document: Any) -> bytes:
    """Return a document for people to read and edit; its digest is that of the canonical form all the same."""
    return msgspec.json.format(canonical_bytes(document), indent=2) + b"\n"


def digest(domain: str, data: bytes) -> int:
    """Hash bytes to an integer below 2^248, so that it is a field element whatever the field.

    SHA-256 over a domain tag and the data, cut to 31 bytes: 124 bits of collision resistance.
    """
    import hashlib  # with the library of ciphers behind it, which many a command never needs

    return int.from_bytes(hashlib.sha256(domain.encode() + b"\x00" + data).digest()[:31], "big")


def document_digest(domain: str, document: Any) -> int:
    """Hash the canonical form of a document; see :func:`digest`."""
    return digest(domain, canonical_bytes(document))


def parse(data: bytes, kind: type[T], where: str, *, only_canonical: bool = False) -> T:
    """Decode a JSON document into the msgspec struct `kind`; unknown fields and wrong types are refused.

    `where` names the document in errors (a file name). With `only_canonical`, any other spelling of the same
    document is refused too: duplicate keys, spaces, reordered fields, 1.0 for 1. Raises DocumentError.
    """
    if len(data) > MAX_DOCUMENT_BYTES:
        raise DocumentError(say("format.too_long", where=where, bytes=MAX_DOCUMENT_BYTES), "too-long")
    try:
        document = msgspec.json.decode(data, type=kind)
    except msgspec.ValidationError as error:
        from equiproof.circuits.misread import wrong_fields  # for what is refused alone

        raise DocumentError(wrong_fields(where, str(error), kind), "wrong-fields") from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise DocumentError(say("format.not_json", where=where, problem=str(error)), "not-json") from None
    # Written again and compared: what the decoder lets through, such as a repeated key, does not come back.
    if only_canonical and not _is_canonical(document, data):
        raise DocumentError(say("format.not_canonical", where=where), "not-canonical")
    return document


def _is_canonical(document: Any, data: bytes) -> bool:
    """Return whether `data` is the one spelling of a parsed document."""
    try:
        return canonical_bytes(document) == data
    except DocumentError:
        return False
