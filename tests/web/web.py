"""The TypeScript package in one Node process: `driver.mjs` runs what was built; `make web` brings what builds it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.support import ROOT

PACKAGE = ROOT / "web" / "verifier"
HERE = Path(__file__).parent
BUNDLE = "equiproof-verifier.min.js"
INSTALLED = PACKAGE / "node_modules" / ".installed"


def lacking() -> str | None:
    """Return the first thing that is not there, None when all is."""
    for program in ("node", "npm"):
        if shutil.which(program) is None:
            return f"no {program}"
    return None if INSTALLED.is_file() else "no packages in web/verifier/node_modules"


def refuse_or_skip() -> None:
    """Skip where the package cannot be built; in CI, where it must be, fail."""
    missing = lacking()
    if missing is None:
        return
    if os.environ.get("CI") == "true":
        pytest.fail(f"{missing}: `make web` should have brought it")
    pytest.skip(f"{missing}: `make web` says how to have it")


def run(*words: object, folder: Path = PACKAGE) -> str:
    """Run a program in a folder and return its output; what it says is in the error where it fails."""
    done = subprocess.run([*map(str, words)], cwd=folder, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


def built(folder: Path) -> Path:
    """Build the package into a folder, and beside it what tests see of its inside; return the bundle's file."""
    run("node", "build.mjs", folder)
    options = ("--bundle", "--format=esm", "--platform=node", f"--outfile={folder / 'inside.mjs'}")
    run(PACKAGE / "node_modules" / ".bin" / "esbuild", HERE / "inside.ts", *options, "--log-level=error")
    return folder / BUNDLE


class Verifier:
    """The package in a process of its own."""

    def __init__(self, bundle: Path) -> None:
        words = ["node", str(HERE / "driver.mjs"), str(bundle), str(bundle.with_name("inside.mjs"))]
        self._process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, command: str, **words: Any) -> dict[str, Any]:
        """Return the answer to a command: its `value`, or the `exception` with `reason` and `message`."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps({"command": command, **words}) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        assert line, "the driver ended"
        return json.loads(line)

    def call(self, name: str, *words: Any) -> Any:
        """Return what a function of `inside.ts` returns."""
        answer = self.ask("call", name=name, words=words)
        assert "value" in answer, answer
        return answer["value"]

    def close(self) -> None:
        """End the process."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        self._process.wait(timeout=30)
