"""Make the copy of go-gnark that holds all mutants, and its test programs, once for all mutants."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
SOURCES = ROOT / "go-gnark"
TOOL = ROOT / "research" / "mutants"
FOLDER = ROOT / "build" / "mutations"
WORK = FOLDER / "copy"
TESTED = ("./gadget/...", "./relation", "./subcircuit", "./system")
"""The packages with tests of circuits; the mutants are in all of them but the last."""

BESIDE = ("tests/vectors",)
"""What the tests read beside go-gnark."""


@dataclass(frozen=True)
class Mutant:
    """One generated change, as research/mutants lists it: a line of the source, and what becomes of what."""

    id: int
    file: str
    function: str
    kind: str
    line: int
    place: str
    change: str

    @property
    def key(self) -> tuple[str, ...]:
        """Name the change by what stands there, so that lines may move."""
        return self.file, self.function, self.place, self.change

    def __str__(self) -> str:
        """Show it to a reader."""
        return f"{self.file}:{self.line} {self.kind}: {self.change}"


def go() -> str:
    """Name the go command."""
    return os.environ.get("GO", "go")


def run(folder: Path, *words: str) -> str:
    """Run a command; what it prints is returned, and a failure ends the program with its last lines."""
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"mutations: {' '.join(words[:4])} fails: {(done.stderr or done.stdout).strip()[-600:]}")
    return done.stdout


def digest(tests: bool = True) -> str:
    """Return a digest of everything that outcomes depend on: the sources, the tool and, unless left out, the tests."""
    sha = hashlib.sha256()
    beside = [ROOT / name for name in BESIDE] if tests else []
    for folder in (SOURCES, TOOL, *beside):
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            name = path.relative_to(ROOT).as_posix()
            if tests or not (name.endswith("_test.go") or "/testdata/" in name):
                sha.update(f"{name}\0".encode() + hashlib.sha256(path.read_bytes()).digest())
    return sha.hexdigest()


def rewrite(folder: Path, work: Path, *options: str) -> list[Mutant]:
    """Put all mutants into a copy of go-gnark, and list them."""
    program, listed = work / "rewrite", work / "mutants.json"
    run(TOOL, go(), "build", "-o", str(program), ".")
    run(ROOT, str(program), "-go", go(), "-in", str(folder), "-list", str(listed), *options)
    return [Mutant(**entry) for entry in json.loads(listed.read_text(encoding="utf-8"))]


def mutants() -> list[Mutant]:
    """List the mutants of the sources as they are."""
    with tempfile.TemporaryDirectory() as work:
        return rewrite(SOURCES, Path(work), "-dry")


def prepare() -> tuple[list[Mutant], dict[str, Path]]:
    """Make the copy anew and build the test program of each package; returns the mutants, and programs by package."""
    shutil.rmtree(WORK, ignore_errors=True)
    copy, programs = WORK / "go-gnark", WORK / "programs"
    programs.mkdir(parents=True)
    shutil.copytree(SOURCES, copy)
    for name in BESIDE:
        shutil.copytree(ROOT / name, WORK / name)
    found = rewrite(copy, WORK)
    tested = (*TESTED, "./internal/same")
    run(copy, go(), "test", "-c", "-vet=off", "-o", f"{programs}/", *tested)
    packages = run(copy, go(), "list", *tested).split()
    return found, {name: programs / f"{Path(name).name}.test" for name in packages}
