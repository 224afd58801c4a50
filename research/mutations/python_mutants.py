"""Mutants of the Python verifier: which tests run what is changed, and which of them fails."""

from __future__ import annotations

import json
import shutil
import sys
from dataclasses import dataclass
from functools import partial
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import coverage

from research.mutations.build import FOLDER, ROOT, run
from research.mutations.contexts import united, users
from research.mutations.python_changes import applied, mutants
from research.mutations.sample import Mutant
from research.mutations.swapped import RunsOnImportError
from research.mutations.trial import (
    PATIENCE,
    SURVIVES,
    UNREACHED,
    Outcome,
    Served,
    failing,
    measured,
    ordered,
    outcome_of,
)
from research.mutations.typed import FOLDER as TYPED
from research.mutations.typed import MYPY, complaint_of, refuse_complaints

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

CIRCUITS = ("encodings/*", "reach", "spec", "statement", "units")
TESTS = ("tests/verifier", "tests/circuits")
LEFT_OUT = ("perturbation", "reference")
"""Files of tests that judge circuits, which take long."""

DEFINED = "tests/verifier/test_records.py::"
"""Tests that look at all definitions, whichever lines they run."""

MOST = 40.0
"""Seconds of processor time after which no further test of a mutant is begun: what is central is run by thousands."""


def files() -> list[str]:
    """Name the sources that are mutated."""
    places = ["verifier/*", *(f"circuits/{name}" for name in CIRCUITS)]
    paths = [path for place in places for path in (ROOT / "equiproof").glob(f"{place}.py")]
    return sorted(path.relative_to(ROOT).as_posix() for path in paths)


def modules() -> list[str]:
    """Name the files of tests."""
    paths = [path for place in TESTS for path in sorted((ROOT / place).glob("test_*.py"))]
    named = [path.relative_to(ROOT).as_posix() for path in paths]
    return [name for name in named if not any(part in name for part in LEFT_OUT)]


@dataclass(frozen=True)
class Suite:
    """Each test's seconds, and which tests run each line: by file and line; "" stands for what runs on import."""

    folder: Path
    served: Served
    seconds: dict[str, float]
    reached: dict[str, dict[int, set[str]]]

    def population(self) -> list[Mutant]:
        """List the mutants of the sources as they are."""
        return [one for file in files() for one in mutants(file, (ROOT / file).read_text(encoding="utf-8"))]

    def of(self, mutant: Mutant) -> list[str]:
        """Return the tests that run a mutant, in the order in which they are tried.

        What runs on import is run by all tests of the file, or by all tests where nothing else of the file runs, and
        those of all definitions look at it. Tests of one file stand together; no test is begun after MOST.
        """
        lines, chosen = self.reached.get(mutant.file, {}), self.running(mutant)
        if "" in chosen:
            chosen = set().union(*lines.values()) & self.seconds.keys() or set(self.seconds)
            chosen |= {test for test in self.seconds if test.startswith(DEFINED)}
        chosen &= self.seconds.keys()
        inline = ordered(chosen, self.seconds, own=f"test_{mutant.file.rpartition('/')[2]}")
        before = [0.0, *accumulate(self.seconds[test] for test in inline)]
        return [test for test, spent in zip(inline, before, strict=False) if spent < MOST]

    def running(self, mutant: Mutant) -> set[str]:
        """Return the tests that run the lines of a mutant."""
        lines, (first, last) = self.reached.get(mutant.file, {}), mutant.lines
        return set().union(*(lines.get(line, set()) for line in range(first, last + 1)))

    def judge(self, mutant: Mutant) -> Outcome:
        """Change the functions of a process; where that cannot be or may not be enough, the file of the copy."""
        tests = self.of(mutant)
        if not tests:
            return Outcome(UNREACHED)
        path, source = self.folder / mutant.file, (ROOT / mutant.file).read_text(encoding="utf-8")
        changed = applied(mutant, source)
        try:
            limit = PATIENCE + 20 * max(self.seconds[test] for test in tests)
            outcome = self.served.outcome_of(tests, limit, change=(path, source, changed))
            if outcome.how != SURVIVES or "" not in self.running(mutant):
                return outcome
        except RunsOnImportError:
            pass
        path.write_text(changed, encoding="utf-8")
        try:
            return outcome_of(self.folder, tests, PATIENCE + 20 * sum(self.seconds[test] for test in tests))
        finally:
            path.write_text(source, encoding="utf-8")

    def complaint(self, mutant: Mutant) -> str:
        """Return the first error of types that a mutant makes, or nothing."""
        place, changed = self.folder / TYPED, applied(mutant, (ROOT / mutant.file).read_text(encoding="utf-8"))
        if not place.exists():
            shutil.copytree(self.folder / "equiproof", place / "equiproof")
            shutil.copy(self.folder / "pyproject.toml", place)
            refuse_complaints(place, MYPY)
        return complaint_of(place, MYPY, mutant.file, changed.encode())


def ready(tests: Sequence[str] = ()) -> Suite:
    """Make the copy and measure the tests in it: some, as pytest names them, or all.

    A test that fails there is left out, and so is one that reads the text of a source: it judges how that is written.
    """
    tests = tests or modules()
    folder, kept = measured("python", partial(_measured, tests=tests), tests)
    reached = {
        file: {int(line): set(tests) for line, tests in lines.items()} for file, lines in kept["reached"].items()
    }
    return Suite(folder, Served(folder, tests), kept["seconds"], reached)


def _measured(folder: Path, tests: Sequence[str]) -> dict[str, Any]:
    # Compiled files that are checked by digest: by date and size, one might be taken for that of a mutant.
    run(folder, sys.executable, "-m", "compileall", "-q", "--invalidation-mode", "checked-hash", "equiproof")
    data, listed = FOLDER / "python.coverage", FOLDER / "tests.json"
    settings = FOLDER / "coverage.ini"
    settings.write_text(f"[run]\ndata_file = {data}\nsource = equiproof\ncore = ctrace\n", encoding="utf-8")
    measure = ("-m", "coverage", "run", f"--rcfile={settings}")
    environment = {"EQUIPROOF_TESTS": str(listed)}
    done = outcome_of(folder, tests, 3600, measure, ("-p", "research.mutations.contexts"), environment)
    print(f"mutations: without a mutant: {done.output.strip().splitlines()[-1]}", file=sys.stderr)
    noted = json.loads(listed.read_text(encoding="utf-8"))
    using = users(noted)
    left = failing(done) | united(noted["readers"], using)
    for name in sorted(left):
        print(f"mutations: left out, since it fails without a mutant or reads sources: {name}", file=sys.stderr)
    lines = coverage.CoverageData(str(data))
    lines.read()
    reached: dict[str, dict[int, list[str]]] = {}
    for file in files():
        contexts = lines.contexts_by_lineno(str(folder / file))
        reached[file] = {line: sorted(united(names, using) - left) for line, names in contexts.items()}
    seconds = {name: test["seconds"] for name, test in noted["tests"].items() if name not in left}
    return {"seconds": seconds, "reached": reached, "left out": sorted(left)}
