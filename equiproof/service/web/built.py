"""The files of the applicant's page, as `make web` builds them from web/applicant; packages bring them along."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from equiproof.circuits.exit_codes import MISUSED

ASSETS = Path(__file__).with_name("assets")
PAGE = "applicant.html"
FILES = {"applicant.js": "text/javascript", "applicant.css": "text/css"}
"""What the page loads, with the media type of each."""

BUILD_HINT = "the page was not built: `make web` builds it"


class UnbuiltError(ValueError):
    """A page that was not built; one line that says how to build it."""

    exit_code: ClassVar[int] = MISUSED


def refuse_unbuilt() -> None:
    """Raise UnbuiltError unless everything is there that an applicant's link opens."""
    if not all((ASSETS / name).is_file() for name in (PAGE, *FILES)):
        raise UnbuiltError(BUILD_HINT)
