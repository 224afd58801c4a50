"""Untrusted text, made safe for one line of an error message."""

from __future__ import annotations

LONGEST = 1000


def plain(text: str) -> str:
    """Return text as one line of bounded length, with unprintable characters escaped."""
    line = " ".join(text.split())
    return "".join(sign if sign.isprintable() else ascii(sign)[1:-1] for sign in line[:LONGEST])[:LONGEST]
