"""Untrusted text, made safe for one line of an error message."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, takewhile

from equiproof.circuits.tables import say

LONGEST = 1000
LONGEST_LINE = 380
"""The most characters of a line that refuses something: 400 with the name of the program before it."""

LONGEST_VALUE = 40
"""The most characters of one value in a sentence."""

LONGEST_LIST = 150
"""The most characters of a list in a sentence, without the count of what is left out."""

_CUT = " ... "


def plain(text: str) -> str:
    """Return text as one line of bounded length, with unprintable characters escaped."""
    return _escaped(" ".join(text.split())[:LONGEST])[:LONGEST]


def brief(text: str) -> str:
    """Return text as one line of at most LONGEST_LINE characters: what is too long is cut out of its middle.

    A remedy stands at the beginning of a line or at its end. Words are left out whole, unless one is longer than a
    quarter of the line.
    """
    line = _escaped(" ".join(text.split()))
    if len(line) <= LONGEST_LINE:
        return line
    kept = LONGEST_LINE - len(_CUT)
    head, tail = line[: kept * 2 // 3], line[len(line) - kept + kept * 2 // 3 :]
    most = LONGEST_LINE // 4
    before, after = head.rfind(" ", len(head) - most), tail.find(" ", 0, most)
    return (head if before < 0 else head[:before]) + _CUT + tail[after + 1 :]


def shortened(text: str) -> str:
    """Return text of at most LONGEST_VALUE characters: what is too long has ... in its middle."""
    if len(text) <= LONGEST_VALUE:
        return text
    return f"{text[:24]}...{text[-(LONGEST_VALUE - 27) :]}"


def ends(parts: Sequence[str], most: int) -> list[str]:
    """Return parts of a list: of more than `most`, the first ones, how many are left out, and the last."""
    if len(parts) <= most:
        return list(parts)
    return [*parts[: most - 1], say("word.left_out", count=len(parts) - most), parts[-1]]


def several(parts: Sequence[str], most: int | None = None, room: int = LONGEST_LIST) -> str:
    """Return parts in a row as a sentence lists them, cut as :func:`ends` cuts: `most` of them, in `room` characters.

    Parts are written as the sentence needs them; for names, :func:`.names.listed` does so.
    """
    most = len(parts) if most is None else most
    if len(parts) <= most and sum(map(len, parts)) + 2 * len(parts) <= room:
        return ", ".join(parts)
    space = room - len(parts[-1])
    reached = accumulate(len(part) + 2 for part in parts[:-2][: most - 1])
    kept = sum(1 for _ in takewhile(lambda end: end <= space, reached))
    return ", ".join(ends(parts, kept + 1))


def _escaped(line: str) -> str:
    """Return a line with unprintable characters escaped."""
    return "".join(sign if sign.isprintable() else ascii(sign)[1:-1] for sign in line)
