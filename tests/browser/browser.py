"""A page in a real browser: Chromium, driven through playwright-core by `driver.mjs`; `make browser` brings both."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from tests import node
from tests.support import ROOT

FOLDER = ROOT / ".venv" / "browser"
DRIVER = Path(__file__).with_name("driver.mjs")
PHONE, DESKTOP = (360, 740), (1280, 900)


def lacking() -> str | None:
    """Return the first thing that is not there, None when all is."""
    if executable() is None:
        return "no Chromium"
    if shutil.which("node") is None:
        return "no node"
    return None if (FOLDER / "node_modules" / "playwright-core").is_dir() else "no playwright-core"


def executable() -> str | None:
    """Return the browser's program."""
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


def refuse_or_skip() -> None:
    """Skip where there is no browser; in CI, where there must be one, fail."""
    node.refuse_or_skip(lacking(), "browser")


class Browser:
    """One browser with one page at a time."""

    def __init__(self) -> None:
        self._driver = node.Driver(DRIVER, FOLDER, executable())

    def __getattr__(self, command: str):
        """Return a command of the driver as a function of its named values."""
        return lambda **words: self._do(command, **words)

    def _do(self, command: str, **words: Any) -> Any:
        """Carry out a command; raises AssertionError with the browser's own words where it fails."""
        answer = self._driver.ask(command, **words)
        assert "error" not in answer, answer["error"]
        return answer["value"]

    def show(self, path: Path, size: tuple[int, int] = DESKTOP, *, anchor: str = "", **options: Any) -> None:
        """Open a file in a fresh page of a window of this size; `options` are those of the driver."""
        self.open(address=path.resolve().as_uri() + anchor, width=size[0], height=size[1], **options)

    def js(self, code: str) -> Any:
        """Return the value of an expression on the page."""
        return self.eval(code=code)

    def close(self) -> None:
        """End the browser."""
        self._driver.close()
