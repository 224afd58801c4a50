"""Go programs for tests, built from the sources as they are, and the one that answers what `driver.go` is asked."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from tests import node
from tests.support import ROOT

HERE = Path(__file__).parent
FLAGS = re.search(r"CGO_ENABLED=0 \$\(GO\) (build .*) -o (\S+)", (ROOT / "Makefile").read_text(encoding="utf-8"))
"""How `make static` builds the binary."""

SETTINGS = {
    "CGO_ENABLED": "0", "GOFLAGS": "-mod=readonly -buildvcs=false", "GOTOOLCHAIN": "local", "GOWORK": "off",
}  # fmt: skip


def go() -> str:
    """Return the go command of the build; skip where there is none."""
    own = ROOT / ".venv" / "toolchain" / "go"
    program = str(own) if own.exists() else shutil.which("go")
    if program is None:
        pytest.skip("no go command: `make build` brings one")
    return program


def run(*words: object, folder: Path | None = None) -> str:
    """Run the go command in the module, without C, and return what it says; an error names what is wrong."""
    done = subprocess.run(
        [go(), *map(str, words)],
        cwd=folder or ROOT / "go-gnark", env=os.environ | SETTINGS,
        capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def binary(path: Path, folder: Path | None = None) -> Path:
    """Build the binary as `make static` does, from the sources in a folder; return its file."""
    assert FLAGS is not None
    run(*shlex.split(FLAGS[1]), "-o", path, "./cmd/equiproof-verify", folder=folder)
    return path


def said(program: Path, *words: object, folder: Path | None = None) -> tuple[int, str, str]:
    """Return exit code and both outputs of the binary, which calls itself by the name of the command."""
    done = subprocess.run(
        [program, *map(str, words)], cwd=folder, capture_output=True, text=True, timeout=60, check=False
    )
    return done.returncode, done.stdout, done.stderr.replace("equiproof-verify: ", "equiproof: ")


class Verifier(node.Driver):
    """The packages of `go-gnark/verify` in a process of its own."""

    def __init__(self, program: Path) -> None:
        self._process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def value(self, command, **words):
        """Return the value of an answer."""
        answer = self.ask(command, **words)
        assert "value" in answer, answer
        return answer["value"]
