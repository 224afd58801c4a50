"""The Go tests of the copy: which there are, how long each takes, and which mutants it reaches."""

from __future__ import annotations

import os
import pickle
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from research.mutations.build import WORK, Mutant, digest, prepare

COUNTING = re.compile(
    r"ConstraintCounts|^TestCost$|^TestParts(Count|Have)|^TestDescriptionsHaveParts$|^TestRandomShapesPassTheLint$"
)
"""Tests of these names count: a mutant that only changes how many constraints there are has not been noticed."""

SLOW = 1.0
"""After how many seconds a test is run by its parts, so that a mutant meets those alone that reach it."""

PATIENT = 1800
"""After how many seconds a test without a mutant is thought endless."""

PART = re.compile(r"^    --- PASS: (\S+) \(([\d.]+)s\)$", re.MULTILINE)
"""How a test prints the name of a part and its seconds."""

SYSTEMS = "equiproof/internal/same"
"""The package of the copy whose one test writes digests of the constraint systems of a shape."""


@dataclass(frozen=True)
class Test:
    """A Go test or one of its parts: package and program, seconds without a mutant, and the mutants that it reaches."""

    package: str
    name: str
    program: Path
    seconds: float
    reaches: frozenset[int]


@dataclass(frozen=True)
class Suite:
    """All tests that a mutant may fail, and by shape the one that writes constraint systems, with what it writes."""

    tests: list[Test]
    systems: list[tuple[Test, str]]

    def same(self, mutant: int) -> bool:
        """Whether the constraint systems of every shape that reaches a mutant are, byte for byte, those without it."""
        reaching = [number for number, (test, _) in enumerate(self.systems) if mutant in test.reaches]
        return bool(reaching) and all(
            written(self.systems[number][0], number, EQUIPROOF_MUTANT=str(mutant)) == self.systems[number][1]
            for number in sorted(reaching, key=lambda number: self.systems[number][0].seconds)
        )


def execute(
    package: str, program: Path, name: str, limit: float, *options: str, **environment: str
) -> tuple[int | None, str]:
    """Run one test or a part of it; returns its exit status, None where the time is over, and what it printed."""
    folder = WORK / "go-gnark" / package.partition("/")[2]
    pattern = "/".join(f"^{re.escape(part)}$" for part in name.split("/"))
    words = [str(program), "-test.run", pattern, "-test.failfast", *options]
    settings = {**os.environ, "GOMAXPROCS": "1", **environment}
    try:
        done = subprocess.run(
            words,
            cwd=folder,
            env=settings,
            timeout=limit,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return None, "the time is over"
    return done.returncode, done.stdout.decode(errors="replace")


def written(test: Test, shape: int | str, **environment: str) -> str:
    """Return the constraint systems of a shape, or how many shapes there are; nothing where the test fails."""
    with tempfile.NamedTemporaryFile() as file:
        limit, numbered = 20 + 5 * test.seconds, {"EQUIPROOF_SHAPE": str(shape), "EQUIPROOF_SYSTEMS": file.name}
        execute(test.package, test.program, test.name, limit, **numbered, **environment)
        return Path(file.name).read_text(encoding="utf-8")


def measured(package: str, program: Path, name: str, **environment: str) -> tuple[Test, str]:
    """Run a test without a mutant, which must pass; returns it with what it printed."""
    found = within(PATIENT, package, program, name, **environment)
    if found is None:
        sys.exit(f"mutations: {package}: {name} does not end without a mutant")
    return found


def within(limit: float, package: str, program: Path, name: str, **environment: str) -> tuple[Test, str] | None:
    """Run a test without a mutant, which must pass where it ends; returns it with what it printed, or None."""
    shape = environment.get("EQUIPROOF_SHAPE", "")
    reached = WORK / "reached" / f"{package.replace('/', '.')}.{name.replace('/', '.')}{shape}"
    reached.parent.mkdir(exist_ok=True)
    reached.unlink(missing_ok=True)
    start = time.monotonic()
    status, output = execute(package, program, name, limit, "-test.v", EQUIPROOF_REACHED=str(reached), **environment)
    seconds = time.monotonic() - start
    if status is None:
        return None
    if status != 0:
        sys.exit(f"mutations: {package}: {name} fails without a mutant: {output.strip()[-600:]}")
    numbers = reached.read_text(encoding="ascii").split() if reached.exists() else []
    return Test(package, name, program, seconds, frozenset(map(int, numbers))), output


def parts(test: Test, output: str) -> list[Test]:
    """Return a test, and the parts of a slow one where the work is theirs, for mutants that they meet in less time."""
    seconds = {name: float(took) for name, took in PART.findall(output)}
    total = sum(seconds.values())
    if test.seconds < SLOW or total < 0.8 * test.seconds or max(seconds.values()) > total / 2:
        return [test]
    return shared(test, [measured(test.package, test.program, name)[0] for name in seconds])


def shared(test: Test, found: list[Test]) -> list[Test]:
    """Leave to the parts of a test those mutants whose parts together take less time than the test."""
    cost: Counter[int] = Counter()
    for part in found:
        cost.update(dict.fromkeys(part.reaches, round(1000 * part.seconds)))
    cheap = {mutant for mutant, milliseconds in cost.items() if milliseconds < 1000 * test.seconds}
    parts = [replace(part, reaches=part.reaches & cheap) for part in found]
    return [replace(test, reaches=test.reaches - cheap), *parts]


def named(programs: dict[str, Path]) -> list[tuple[str, Path, str]]:
    """List every test that does not only count: package, program and name."""
    names = []
    for package, program in programs.items():
        if program.exists():
            listed = subprocess.run([program, "-test.list", "^Test"], capture_output=True, text=True, check=True).stdout
            names += [(package, program, name) for name in listed.split() if not COUNTING.search(name)]
    return names


def suite(programs: dict[str, Path], workers: int) -> Suite:
    """Measure every test that does not only count."""
    with ThreadPoolExecutor(workers) as pool:
        found = list(pool.map(lambda one: measured(*one), named(programs)))
        reaching = [(test, output) for test, output in found if test.reaches and test.package != SYSTEMS]
        split = list(pool.map(lambda one: parts(*one), reaching))
    tests = [part for whole in split for part in whole if part.reaches]
    return Suite(tests, systems(next(test for test, _ in found if test.package == SYSTEMS)))


def systems(of: Test) -> list[tuple[Test, str]]:
    """Measure the test that writes constraint systems for each shape, with what it writes without a mutant."""
    found = []
    for shape in range(int(written(of, ""))):
        with tempfile.NamedTemporaryFile() as file:
            settings = {"EQUIPROOF_SHAPE": str(shape), "EQUIPROOF_SYSTEMS": file.name}
            test, _ = measured(of.package, of.program, of.name, **settings)
            found.append((test, Path(file.name).read_text(encoding="utf-8")))
    return found


def ready(resume: bool, workers: int) -> tuple[list[Mutant], Suite]:
    """Return the mutants and the tests; where a run is resumed, those of the copy that is there."""
    kept, now = WORK / "suite.pickle", digest()
    if resume and kept.exists():
        made, mutants, tests = pickle.loads(kept.read_bytes())  # noqa: S301 -- written here
        if made == now:
            return mutants, tests
    mutants, programs = prepare()
    tests = suite(programs, workers)
    kept.write_bytes(pickle.dumps((now, mutants, tests)))
    return mutants, tests
