"""A request that gets a page with one sentence for an answer."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from equiproof.circuits.exit_codes import MISUSED


@dataclass
class PageError(Exception):
    """A status, a heading, and what to do; `to` is where to go instead of showing a page."""

    exit_code: ClassVar[int] = MISUSED

    status: int
    heading: str
    text: str
    to: str = ""
    headers: dict[str, str] = field(default_factory=dict)


def missing() -> PageError:
    """Return the answer for what is not there."""
    return PageError(404, "There is no such page", "Look for the application in the list of decisions.")
