"""`equiproof demo`: the whole path on one data set, with the commands it runs printed."""

from __future__ import annotations


def demo() -> None:
    """Show."""
