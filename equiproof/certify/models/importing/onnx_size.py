"""How much an ONNX file holds, counted on its bytes: a parsed message takes far more memory than its bytes."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from onnx import ModelProto

from equiproof.certify.limits import MAX_FIELDS, MAX_LISTED, MAX_PACKED_BYTES
from equiproof.certify.models.importing.errors import ModelImportError

_VARINT = 0
_EIGHT_BYTES = 1
_BYTES = 2
_FOUR_BYTES = 5
"""The wire types of protobuf; groups, which are two more, do not occur in ONNX files."""

_MAX_VARINT_BYTES = 10


def refuse_large_graph(data: bytes) -> None:
    """Raise ModelImportError for bytes with more fields than are read, before anything parses them.

    An empty message takes two bytes in a file and dozens in memory, a number of a list eight. Only the outline is read:
    fields and their lengths, and the messages among them.
    """
    fields = listed = packed = 0
    waiting = [(0, len(data), ModelProto.DESCRIPTOR)]
    while waiting:
        place, end, kind = waiting.pop()
        members = _fields(kind)
        while place < end:
            if (run := _alike(data, place, end)) is not None:
                place, numbers = run
                listed += numbers
                length, tag = 0, _VARINT
            else:
                tag, place = _varint(data, place)
                length, place = _extent(data, place, tag & 7)
                fields += tag & 7 == _BYTES
                listed += tag & 7 != _BYTES
            message, integers = members.get(tag >> 3, (None, False))
            if tag & 7 == _BYTES and message is not None:
                waiting.append((place, place + length, message))
            elif tag & 7 == _BYTES and integers:
                packed += length
            place += length
            if place > end:
                raise ModelImportError("not an ONNX file")
            if fields > MAX_FIELDS or listed > MAX_LISTED or packed > MAX_PACKED_BYTES:
                raise ModelImportError(
                    f"more than {MAX_FIELDS} fields, {MAX_LISTED} numbers or {MAX_PACKED_BYTES >> 20} MiB of integers"
                )


def _alike(data: bytes, place: int, end: int) -> tuple[int, int] | None:
    """Return the end of numbers that stand one behind the other under one tag, and how many; None where none do.

    A list that is not packed has a tag before each number: forests have a million of them.
    """
    tag = data[place]
    if tag >= 128 or tag & 7 not in _NUMBERS:
        return None
    found = _run_of(tag).match(data, place, end)
    if found is None:
        return None
    length = found.end() - place
    if tag & 7 == _FOUR_BYTES:
        return found.end(), length // 5
    # A tag of one byte and the last byte of a number are below 128, and no others are.
    return found.end(), (length - len(found[0].translate(None, _BELOW))) // 2


_NUMBERS = (_VARINT, _FOUR_BYTES)
_BELOW = bytes(range(128))


@cache
def _run_of(tag: int) -> re.Pattern[bytes]:
    """Return the pattern of numbers under a tag of one byte."""
    number = b"[\\x80-\\xff]{0,%d}[\\x00-\\x7f]" % (_MAX_VARINT_BYTES - 1) if tag & 7 == _VARINT else b".{4}"
    return re.compile(b"(?:%b%b)++" % (re.escape(bytes([tag])), number), re.DOTALL)


def _extent(data: bytes, place: int, wire: int) -> tuple[int, int]:
    """Return how long a value is, and where it begins; a number of variable length is behind its end already."""
    if wire == _BYTES:
        return _varint(data, place)
    if wire == _VARINT:
        return 0, _varint(data, place)[1]
    if wire in (_EIGHT_BYTES, _FOUR_BYTES):
        return 8 if wire == _EIGHT_BYTES else 4, place
    raise ModelImportError("not an ONNX file")


def _varint(data: bytes, place: int) -> tuple[int, int]:
    """Read a number of variable length; return it and the place behind it."""
    if place < len(data) and data[place] < 128:  # most are of one byte
        return data[place], place + 1
    value = 0
    for index, byte in enumerate(data[place : place + _MAX_VARINT_BYTES]):
        value |= (byte & 127) << (7 * index)
        if byte < 128:
            return value, place + index + 1
    raise ModelImportError("not an ONNX file")


@cache
def _fields(kind: Any) -> dict[int, tuple[Any, bool]]:
    """Return for each field of a kind of message its own kind, if it is a message, and whether it lists integers."""
    return {
        number: (field.message_type, field.cpp_type not in (field.CPPTYPE_FLOAT, field.CPPTYPE_DOUBLE))
        for number, field in kind.fields_by_number.items()
        if field.cpp_type != field.CPPTYPE_STRING
    }
