"""Untrusted text, made safe for one line of an error message."""

from __future__ import annotations

LONGEST = 1000
LONGEST_LINE = 380
"""The most characters of a line that refuses something: 400 with the name of the program before it."""

LONGEST_VALUE = 40
"""The most characters of one value in a sentence."""

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


def _escaped(line: str) -> str:
    """Return a line with unprintable characters escaped."""
    return "".join(sign if sign.isprintable() else ascii(sign)[1:-1] for sign in line)
