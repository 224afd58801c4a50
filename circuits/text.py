"""Text of a sender's choice, made fit for one line of an error."""

from __future__ import annotations

LONGEST = 1000


def plain(text: str) -> str:
    """Return text as one line of bounded length that writes no more on a terminal than it says."""
    line = " ".join(text.split())
    return "".join(sign if sign.isprintable() else ascii(sign)[1:-1] for sign in line[:LONGEST])[:LONGEST]
