"""A page in a real browser: Chromium, driven through playwright-core by `driver.mjs`; `make browser` brings both."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

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
    missing = lacking()
    if missing is None:
        return
    if os.environ.get("CI") == "true":
        pytest.fail(f"{missing}: `make browser` should have brought it")
    pytest.skip(f"{missing}: `make browser` says how to have it")


class Browser:
    """One browser with one page at a time."""

    def __init__(self) -> None:
        words = ["node", str(DRIVER), str(FOLDER), str(executable())]
        self._process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def __getattr__(self, command: str):
        """Return a command of the driver as a function of its named values."""
        return lambda **words: self._do(command, **words)

    def _do(self, command: str, **words: Any) -> Any:
        """Carry out a command; raises AssertionError with the browser's own words where it fails."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps({"command": command, **words}) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        assert line, "the browser's driver ended"
        answer = json.loads(line)
        assert "error" not in answer, answer["error"]
        return answer["value"]

    def show(self, path: Path, size: tuple[int, int] = DESKTOP, *, anchor: str = "", script: bool = True) -> None:
        """Open a file in a fresh page of a window of this size."""
        self.open(address=path.resolve().as_uri() + anchor, width=size[0], height=size[1], script=script)

    def js(self, code: str) -> Any:
        """Return the value of an expression on the page."""
        return self.eval(code=code)

    def close(self) -> None:
        """End the browser."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        self._process.wait(timeout=30)
