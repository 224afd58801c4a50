"""Node for tests: a driver in a process of its own, which answers one line of JSON with another."""

from __future__ import annotations

import json
import os
import subprocess
from threading import Timer
from typing import Any

import pytest

PATIENCE = float(os.environ.get("EQUIPROOF_PATIENCE", "50"))
"""Seconds after which a command that has no answer has failed, which is many times what the slowest takes."""


def refuse_or_skip(missing: str | None, target: str) -> None:
    """Skip where something is missing that a target of make brings; in CI, where it must be there, fail."""
    if missing is None:
        return
    if os.environ.get("CI") == "true":
        pytest.fail(f"{missing}: `make {target}` should have brought it")
    pytest.skip(f"{missing}: `make {target}` says how to have it")


class Driver:
    """A script with its arguments, until it is closed, or leaves a command without an answer for too long."""

    def __init__(self, *words: object) -> None:
        self._process = subprocess.Popen(
            ["node", *map(str, words)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def ask(self, command: str, **words: Any) -> dict[str, Any]:
        """Return the answer to a command."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps({"command": command, **words}) + "\n")
        self._process.stdin.flush()
        late = Timer(PATIENCE, self._process.kill)
        late.start()
        line = self._process.stdout.readline()
        late.cancel()
        assert line, "the driver ended"
        return json.loads(line)

    def close(self) -> None:
        """End the process."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        self._process.wait(timeout=30)
