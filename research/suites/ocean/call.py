"""OCEAN in an environment of its own: made from pinned packages, and asked row by row.

It is no dependency, and needs Python 3.12: EQUIPROOF_PYTHON312 names one, without it `python3.12`.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.harness import BenchError
from research.suites.ocean import rival

PYTHON = "EQUIPROOF_PYTHON312"

PINS = Path(__file__).with_name("packages.txt")
"""Every package of the environment: without its GPU library, and with XGBoost for processors."""

FOLDER = Path(__file__).resolve().parents[3] / "build" / "ocean"


def environment(folder: Path = FOLDER) -> Path:
    """Return the Python of the environment, which is made where it is not there yet; raises BenchError."""
    python, made, pins = folder / "bin" / "python", folder / "made", PINS.read_text(encoding="utf-8")
    if made.is_file() and made.read_text(encoding="utf-8") == pins:
        return python
    own = os.environ.get(PYTHON, "python3.12")
    _done([own, "-m", "venv", "--clear", str(folder)], f"{PYTHON}: name a Python 3.12; {own}")
    # The pins are the whole environment: what they leave out, other packages name and OCEAN does not use.
    _done([str(python), "-m", "pip", "install", "-q", "--no-deps", "-r", str(PINS)], "ocean: packages")
    made.write_text(pins, encoding="utf-8")
    return python


def _done(command: Sequence[str], what: str) -> None:
    """Run a command; raises BenchError with its last line where it fails."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as error:
        raise BenchError(f"{what}: {error.strerror}") from None
    if done.returncode:
        raise BenchError(f"{what}: {_last(done.stderr)}")


def _last(text: str) -> str:
    """Return the last line of what a program said."""
    return (text.strip().splitlines() or ["no message"])[-1]


@dataclass(frozen=True)
class Rival:
    """A running program: `head` is what it said when the model was built."""

    process: subprocess.Popen[str] = field(repr=False)
    errors: Path
    head: Mapping[str, Any]

    def answer(self, row: Sequence[int]) -> Mapping[str, Any]:
        """Return what it finds for the columns of a row; raises BenchError where it ends."""
        return _told(self.process, self.errors, row)


@contextmanager
def running(python: Path, model: bytes, question: Mapping[str, Any], seconds: float) -> Iterator[Rival]:
    """Run OCEAN on a model of XGBoost and a table, as :mod:`.rival` reads them, with a limit for each row."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "model.json").write_bytes(model)
        (folder / "question.json").write_text(json.dumps(question), encoding="utf-8")
        files = [str(folder / "model.json"), str(folder / "question.json"), str(max(1, round(seconds)))]
        with (folder / "errors").open("w", encoding="utf-8") as errors:
            process = subprocess.Popen(
                [str(python), rival.__file__, *files],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True, cwd=folder,
            )  # fmt: skip
            try:
                yield Rival(process, folder / "errors", _told(process, folder / "errors"))
            finally:
                process.kill()
                process.communicate()


def _told(process: subprocess.Popen[str], errors: Path, row: Sequence[int] | None = None) -> Mapping[str, Any]:
    """Return the next line of the program, after a row was given to it; raises BenchError where there is none."""
    if process.stdin is None or process.stdout is None:
        raise TypeError("want a process with pipes")
    try:
        if row is not None:
            process.stdin.write(json.dumps(list(row)) + "\n")
            process.stdin.flush()
        line = process.stdout.readline()
    except BrokenPipeError:
        line = ""
    if not line:
        raise BenchError(f"ocean: {_last(errors.read_text(encoding='utf-8'))}")
    told: Mapping[str, Any] = json.loads(line)
    return told
