"""Files whose parts are all of fixed length: points, field elements and counts, each in its one form."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from equiproof.circuits import field
from equiproof.circuits.tables import say
from equiproof.ffi.errors import MalformedInputError
from equiproof.verifier.curve import read_g1, read_g2
from equiproof.verifier.errors import Reason

Read: TypeAlias = Callable[[bytes, str], Any]

Part: TypeAlias = int | tuple[str, Read]
"""A value by name with what reads it, or a count that is always the same."""

COUNT_BYTES = 4


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
    length = sum(COUNT_BYTES if isinstance(part, int) else _WIDTH[part[1]] for part in parts)
    if len(data) != length:
        raise MalformedInputError(f"{what}: {len(data)} bytes, want {length}", Reason.WRONG_LENGTH)
    values = []
    at = 0
    for part in parts:
        if isinstance(part, int):
            if data[at : at + COUNT_BYTES] != part.to_bytes(COUNT_BYTES, "big"):
                raise MalformedInputError(
                    say("key.count_wrong", what=what, position=at, required=part), Reason.WRONG_COUNT
                )
            at += COUNT_BYTES
        else:
            name, read = part
            values.append(read(data[at : at + _WIDTH[read]], f"{what}: {name}"))
            at += _WIDTH[read]
    return values
