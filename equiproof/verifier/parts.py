"""Files whose parts are all of fixed length: points, field elements and counts, each in its one form."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from equiproof.circuits import field
from equiproof.circuits.tables import say
from equiproof.ffi.errors import MalformedInputError
from equiproof.verifier.curve import read_g1, read_g2
from equiproof.verifier.errors import Reason

Read: TypeAlias = Callable[[bytes, str], Any]

COUNT_BYTES = 4
INDEX_BYTES = 8


@dataclass(frozen=True)
class Index:
    """A number of 8 bytes that is always the same."""

    value: int


Part: TypeAlias = int | Index | tuple[str, Read]
"""A value by name with what reads it, or a number that is always the same: a count of 4 bytes, or an index."""


def read_element(data: bytes, name: str) -> int:
    """Read 32 bytes as a field element; raises MalformedInputError naming the value."""
    value = int.from_bytes(data, "big")
    if len(data) != field.BYTES or value >= field.ORDER:
        raise MalformedInputError(say("value.named_not_below_order", name=name), Reason.BAD_ELEMENT)
    return value


_WIDTH: dict[Read, int] = {read_g1: 32, read_g2: 64, read_element: field.BYTES}


def read_parts(data: bytes, parts: Sequence[Part], what: str) -> list[Any]:
    """Return the values of a file; its length and the counts inside it are fixed.

    Raises MalformedInputError naming the file and its first wrong part.
    """
    length = sum(_WIDTH[part[1]] if isinstance(part, tuple) else len(_number(part)) for part in parts)
    if len(data) != length:
        raise MalformedInputError(f"{what}: {len(data)} bytes, want {length}", Reason.WRONG_LENGTH)
    values = []
    at = 0
    for part in parts:
        if isinstance(part, tuple):
            name, read = part
            values.append(read(data[at : at + _WIDTH[read]], f"{what}: {name}"))
            at += _WIDTH[read]
        else:
            number = _number(part)
            if data[at : at + len(number)] != number:
                required = part if isinstance(part, int) else part.value
                raise MalformedInputError(
                    say("key.count_wrong", what=what, position=at, required=required), Reason.WRONG_COUNT
                )
            at += len(number)
    return values


def _number(part: int | Index) -> bytes:
    """Return the bytes of a number that is always the same."""
    if isinstance(part, int):
        return part.to_bytes(COUNT_BYTES, "big")
    return part.value.to_bytes(INDEX_BYTES, "big")
