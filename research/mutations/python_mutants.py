"""Mutants of the Python verifier: which tests run what is changed, and which of them fails."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import coverage

from research.mutations.build import FOLDER, ROOT, run
from research.mutations.contexts import FIXTURE
from research.mutations.python_changes import applied, mutants
from research.mutations.sample import Mutant
from research.mutations.trial import NOTICED, SURVIVES, UNREACHED, Outcome, measured, outcome_of

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

CIRCUITS = ("encodings/*", "reach", "spec", "statement", "units")
TESTS = ("tests/verifier", "tests/circuits")
LEFT_OUT = ("perturbation", "reference")
"""Files of tests that judge circuits, which take long."""

MOST = 120.0
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
    """Each test's seconds, and which tests run each line: by file and line, those that run on import left out."""

    folder: Path
    seconds: dict[str, float]
    reached: dict[str, dict[int, set[str]]]

    def population(self) -> list[Mutant]:
        """List the mutants of the sources as they are."""
        return [one for file in files() for one in mutants(file, (ROOT / file).read_text(encoding="utf-8"))]

    def of(self, mutant: Mutant) -> list[str]:
        """Return the tests that run a mutant, in the order in which they are tried.

        What runs on import is run by all tests of the file, or by all tests where nothing else of the file runs. Tests
        of one file stand together; the file that is named after the source comes first, then those that take less
        time, until MOST is over.
        """
        lines = self.reached.get(mutant.file, {})
        first, last = mutant.lines
        chosen = set().union(*(lines.get(line, set()) for line in range(first, last + 1)))
        if "" in chosen:
            chosen = set().union(*lines.values()) & self.seconds.keys() or set(self.seconds)
        chosen &= self.seconds.keys()
        time: dict[str, float] = {}
        for test in chosen:
            time[_module(test)] = time.get(_module(test), 0) + self.seconds[test]
        own = f"test_{mutant.file.rpartition('/')[2]}"
        ordered = sorted(
            chosen, key=lambda test: (not _module(test).endswith(own), time[_module(test)], _module(test), test)
        )
        before = [0.0, *accumulate(self.seconds[test] for test in ordered)]
        return [test for test, spent in zip(ordered, before, strict=False) if spent < MOST]

    def judge(self, mutant: Mutant) -> Outcome:
        """Change the file of the copy, run its tests, and change it back."""
        tests = self.of(mutant)
        if not tests:
            return Outcome(UNREACHED)
        path, source = self.folder / mutant.file, (ROOT / mutant.file).read_text(encoding="utf-8")
        path.write_text(applied(mutant, source), encoding="utf-8")
        try:
            return outcome_of(self.folder, tests, self.limit(tests))
        finally:
            path.write_text(source, encoding="utf-8")

    def limit(self, tests: Iterable[str]) -> float:
        """Return how many seconds tests may take: a busy machine makes them slow, not endless."""
        return 120 + 20 * sum(self.seconds[test] for test in tests)


def _module(test: str) -> str:
    return test.partition("::")[0]


def ready() -> Suite:
    """Make the copy and measure the tests in it.

    A test that fails there is left out, and so is one that reads the text of a source: it judges how that is written.
    """
    folder, kept = measured("python", _measured)
    reached = {
        file: {int(line): set(tests) for line, tests in lines.items()} for file, lines in kept["reached"].items()
    }
    return Suite(folder, kept["seconds"], reached)


def _measured(folder: Path) -> dict[str, Any]:
    # Compiled files that are checked by digest: by date and size, one might be taken for that of a mutant.
    run(folder, sys.executable, "-m", "compileall", "-q", "--invalidation-mode", "checked-hash", "equiproof")
    data, listed = FOLDER / "python.coverage", FOLDER / "tests.json"
    settings = FOLDER / "coverage.ini"
    settings.write_text(f"[run]\ndata_file = {data}\nsource = equiproof\ncore = ctrace\n", encoding="utf-8")
    measure = ("-m", "coverage", "run", f"--rcfile={settings}")
    paths = os.pathsep.join([str(folder), str(ROOT)])
    tests = modules()
    environment = {"EQUIPROOF_TESTS": str(listed), "PYTHONPATH": paths}
    done = outcome_of(folder, tests, 3600, measure, ("-p", "research.mutations.contexts"), environment)
    print(f"mutations: without a mutant: {done.output.strip().splitlines()[-1]}", file=sys.stderr)
    noted = json.loads(listed.read_text(encoding="utf-8"))
    ran = noted["tests"]
    users: dict[str, set[str]] = {}
    for name, test in ran.items():
        for fixture in test["fixtures"]:
            users.setdefault(FIXTURE + fixture, set()).add(name)
    left = _failing(done).union(*(users.get(name, {name}) for name in noted["readers"]))
    for name in sorted(left):
        print(f"mutations: left out, since it fails without a mutant or reads sources: {name}", file=sys.stderr)
    lines = coverage.CoverageData(str(data))
    lines.read()
    reached: dict[str, dict[int, list[str]]] = {}
    for file in files():
        contexts = lines.contexts_by_lineno(str(folder / file))
        reached[file] = {
            line: sorted(set().union(*(users.get(name, {name}) for name in names)) - left)
            for line, names in contexts.items()
        }
    seconds = {name: test["seconds"] for name, test in ran.items() if name not in left}
    _failing(outcome_of(folder, seconds, 3600, options=("--collect-only",)))
    return {"seconds": seconds, "reached": reached, "left out": sorted(left)}


def _failing(done: Outcome) -> set[str]:
    """Return the tests that failed; the program ends where none ran."""
    if done.how not in (SURVIVES, NOTICED):
        sys.exit(f"mutations: the tests do not run without a mutant: {done.how}: {done.output[-600:]}")
    return set(done.failed)
