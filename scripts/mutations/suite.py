"""The Go tests of the copy: which there are, how long each takes, and which mutants it reaches."""

from __future__ import annotations

import os
import pickle
import re
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from scripts.mutations.build import WORK, Mutant, digest, prepare

COUNTING = re.compile(
    r"ConstraintCounts|^TestCost$|^TestParts(Count|Have)|^TestDescriptionsHaveParts$|^TestRandomShapesPassTheLint$"
)
"""Tests of these names count: a mutant that only changes how many constraints there are has not been noticed."""

SYSTEMS = "equiproof/internal/same"
"""The package of the copy whose one test writes digests of the constraint systems of many shapes."""


@dataclass(frozen=True)
class Test:
    """A Go test function: its package and program, its seconds without a mutant, and the mutants that it reaches."""

    package: str
    name: str
    program: Path
    seconds: float
    reaches: frozenset[int]


@dataclass(frozen=True)
class Suite:
    """All tests that a mutant may fail, the one that writes constraint systems, and what it writes without a mutant."""

    tests: list[Test]
    systems: Test
    unchanged: str

    def same(self, mutant: int) -> bool:
        """Whether all those constraint systems are, byte for byte, what they are without a mutant that they reach."""
        return mutant in self.systems.reaches and written(self.systems, EQUIPROOF_MUTANT=str(mutant)) == self.unchanged


def execute(package: str, program: Path, name: str, limit: float, **environment: str) -> tuple[int | None, str]:
    """Run one test; returns its exit status, None where the time is over, and what it printed."""
    folder = WORK / "go-gnark" / package.partition("/")[2]
    words = [str(program), "-test.run", f"^{name}$", "-test.failfast"]
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


def written(test: Test, **environment: str) -> str:
    """Return the constraint systems that the test writes; nothing where it fails."""
    with tempfile.NamedTemporaryFile() as file:
        limit = 20 + 5 * test.seconds
        execute(test.package, test.program, test.name, limit, EQUIPROOF_SYSTEMS=file.name, **environment)
        return Path(file.name).read_text(encoding="utf-8")


def measured(package: str, program: Path, name: str) -> Test:
    """Run a test without a mutant; it must pass."""
    reached = WORK / "reached" / f"{package.replace('/', '.')}.{name}"
    reached.parent.mkdir(exist_ok=True)
    start = time.monotonic()
    status, output = execute(package, program, name, 1800, EQUIPROOF_REACHED=str(reached))
    seconds = time.monotonic() - start
    if status != 0:
        sys.exit(f"mutations: {package}: {name} fails without a mutant: {output.strip()[-600:]}")
    numbers = reached.read_text(encoding="ascii").split() if reached.exists() else []
    return Test(package, name, program, seconds, frozenset(map(int, numbers)))


def suite(programs: dict[str, Path], workers: int) -> Suite:
    """Measure every test that does not only count."""
    names = []
    for package, program in programs.items():
        if program.exists():
            listed = subprocess.run([program, "-test.list", "^Test"], capture_output=True, text=True, check=True).stdout
            names += [(package, program, name) for name in listed.split() if not COUNTING.search(name)]
    with ThreadPoolExecutor(workers) as pool:
        found = list(pool.map(lambda one: measured(*one), names))
    systems = next(test for test in found if test.package == SYSTEMS)
    tests = [test for test in found if test.reaches and test is not systems]
    return Suite(tests, systems, written(systems))


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
