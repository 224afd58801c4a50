"""How much an ONNX file holds, counted on its bytes: a parsed message takes far more memory than its bytes."""

from __future__ import annotations

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
            tag, place = _varint(data, place)
            length, place = _extent(data, place, tag & 7)
            message, integers = members.get(tag >> 3, (None, False))
            fields += tag & 7 == _BYTES
            listed += tag & 7 != _BYTES
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
