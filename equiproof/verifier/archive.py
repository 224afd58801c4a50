"""A list of named files as one byte string: a zip archive of which there is one spelling only.

Nothing is compressed, every entry has the same date, attributes and flags, and there is nothing before, between or
behind entries and directory. Any program that unpacks zip archives reads it (APPNOTE.TXT of PKWARE, 6.3.10).
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from itertools import accumulate

from equiproof.circuits.kinds import is_archive
from equiproof.circuits.tables import say
from equiproof.circuits.text import plain
from equiproof.verifier.errors import CertificateFormatError, Reason

MAX_ARCHIVE_BYTES = 8 << 20
MAX_ENTRIES = 32

_LOCAL_MARK = b"PK\x03\x04"
_CENTRAL_MARK = b"PK\x01\x02"
_END_MARK = b"PK\x05\x06"
_SIZES = struct.Struct("<3L2H")  # checksum, length as stored, length, length of the name, length of extra fields
_SIZES_AT = 14
_VERSION = 20
_MADE_BY_UNIX = 3 << 8
_PRIVATE_MODE = 0o600 << 16
_COMMON_FIELDS = struct.pack("<5H", _VERSION, 0, 0, 0, 1 << 5 | 1)
"""What all entries share: version 2.0, no flags, no compression, midnight, 1980-01-01."""

File = tuple[str, bytes]
"""A name in ASCII and a content."""


def archived(files: Sequence[File]) -> bytes:
    """Return the one archive of these files, in this order."""
    entries = [_header(*file) + file[1] for file in files]
    return b"".join(entries) + _directory(files)


def entries(data: bytes, where: str, what: str = "") -> list[File]:
    """Return the files of an archive, which is `what` in errors, by default a bundle.

    Raises CertificateFormatError for any other bytes than `archived` makes of them. Nothing is unpacked: contents are
    parts of `data`, whatever lengths an entry states.
    """
    if len(data) > MAX_ARCHIVE_BYTES:
        raise CertificateFormatError(say("format.too_long", where=where, bytes=MAX_ARCHIVE_BYTES), Reason.TOO_LONG)
    if not is_archive(data):
        wanted = what or say("word.a_bundle")
        raise CertificateFormatError(say("archive.not_a_zip", where=where, what=wanted), Reason.NOT_A_BUNDLE)
    files: list[File] = []
    at = 0
    while data.startswith(_LOCAL_MARK, at):
        if len(files) == MAX_ENTRIES:
            raise CertificateFormatError(
                say("archive.too_many_files", where=where, most=MAX_ENTRIES), Reason.WRONG_FILES
            )
        files.append(_entry(data, at, where))
        at += len(_header(*files[-1])) + len(files[-1][1])
    # Compared as a whole, so that comments, further records and bytes behind the end are refused with it.
    if data[at:] != _directory(files):
        raise _other(where, say("archive.directory_wrong", position=at))
    return files


def _entry(data: bytes, at: int, where: str) -> File:
    """Return the entry at a place; its header must be the one that goes with its name and its content."""
    start = at + _SIZES_AT + _SIZES.size
    if start > len(data):
        raise _other(where, say("archive.entry_cut_off", position=at))
    _, length, _, name_length, _ = _SIZES.unpack_from(data, at + _SIZES_AT)
    raw = data[start : start + name_length]
    # A slice ends with the data, so a made-up length takes no memory.
    content = data[start + name_length : start + name_length + length]
    try:
        name = raw.decode("ascii")
    except UnicodeDecodeError:
        raise _other(where, say("archive.name_not_ascii", position=start)) from None
    shown = plain(name)[:40]
    if len(content) != length:
        raise _other(where, say("archive.file_length_wrong", file=repr(shown), stated=length, actual=len(content)))
    if not data.startswith(_header(name, content), at):
        raise _other(where, say("archive.file_not_plain", file=repr(shown)))
    return name, content


def _other(where: str, what: str) -> CertificateFormatError:
    """Return the error of an archive that is spelled otherwise."""
    return CertificateFormatError(say("archive.use_as_received", where=where, problem=what), Reason.NOT_CANONICAL)


def _fields(name: str, content: bytes) -> bytes:
    """Return what both headers of an entry state: checksum and lengths; there is no extra field."""
    return _COMMON_FIELDS + _SIZES.pack(zlib.crc32(content), len(content), len(content), len(name), 0)


def _header(name: str, content: bytes) -> bytes:
    """Return what stands before an entry's content."""
    return _LOCAL_MARK + _fields(name, content) + name.encode("ascii")


def _directory(files: Sequence[File]) -> bytes:
    """Return what stands behind all entries: a record of each with its place, and the end."""
    places = [0, *accumulate(len(_header(*file)) + len(file[1]) for file in files)]
    records = b"".join(
        _CENTRAL_MARK
        + struct.pack("<H", _MADE_BY_UNIX | _VERSION)
        + _fields(name, content)
        + struct.pack("<3H2L", 0, 0, 0, _PRIVATE_MODE, place)
        + name.encode("ascii")
        # There is one place more than files: that of the directory itself, which the end record states.
        for (name, content), place in zip(files, places, strict=False)
    )
    return records + _END_MARK + struct.pack("<4H2LH", 0, 0, len(files), len(files), len(records), places[-1], 0)
