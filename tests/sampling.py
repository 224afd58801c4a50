"""A plugin of pytest: of a test's many cases, `@pytest.mark.sampled(N)` leaves N to every run and all to releases.

Which N is drawn by the day of the last commit: another day, other cases, and one commit always has the same ones. Cases
that were not drawn get the mark `release`, so only `make test-release` runs them, or who names them. Where an argument
tells kinds apart, `@pytest.mark.sampled(N, each="kind")` runs every kind every day: at least N cases, among them one of
each value of the argument, or of each of several arguments, `each="kind method"`.

With `--turns N` costly tests have turns as well: a case of a test that takes long by tests/durations.json runs on one
day of N, and gets the mark `slow` on the others. So do, all on the same day, the tests that ask for a set-up of their
file that takes long. Files that `--whole FILE` names have no turns, and no test that was never measured has.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import re
import subprocess
from collections import defaultdict
from collections.abc import Container, Hashable, Iterable, Sequence
from pathlib import Path

import pytest

from tests.durations import DATA, OTHERS

VARIABLE = "EQUIPROOF_SAMPLE"
FIRST_DAY = "2026-01-01"
"""The day of a source archive, which has no commits."""
ROOT = Path(__file__).resolve().parents[1]
COSTLY = 0.2
"""Seconds of processor time, of all cases together, from which on a test has turns."""
COSTLY_SET_UP = 0.5
"""Seconds, of one time, from which on a set-up gives the tests that ask for it turns."""


def day(root: Path = ROOT) -> str:
    """Return what the cases are drawn by: EQUIPROOF_SAMPLE, or the day of the last commit."""
    if chosen := os.environ.get(VARIABLE):
        return chosen
    if not (root / ".git").exists():
        return FIRST_DAY
    asked = ["git", "log", "-1", "--date=format-local:%Y-%m-%d", "--format=%cd"]
    done = subprocess.run(
        asked, cwd=root, env=os.environ | {"TZ": "UTC"}, capture_output=True, text=True, check=False, timeout=60
    )
    stated = done.stdout.strip()
    return stated if re.fullmatch(r"\d{4}-\d\d-\d\d", stated) else FIRST_DAY


def drawn(test: str, cases: int, size: int, seed: str) -> set[int]:
    """Return the numbers of the cases that a run of this seed has: `size` of them, or all where there are no more."""
    return set(random.Random(f"{seed} {test}").sample(range(cases), min(size, cases)))


def drawn_of_each(test: str, values: Sequence[Iterable[Hashable]], size: int, seed: str) -> set[int]:
    """Return the numbers of cases among which every value is that some case has, and `size` of them at least."""
    order = random.Random(f"{seed} {test}").sample(range(len(values)), len(values))
    chosen: set[int] = set()
    covered: set[Hashable] = set()
    for number in order:
        if not covered.issuperset(values[number]):
            chosen.add(number)
            covered.update(values[number])
    others = [number for number in order if number not in chosen]
    return chosen.union(others[: max(0, size - len(chosen))])


def size_of(test: str, mark: pytest.Mark) -> int:
    """Return how many cases of a test a mark leaves to every run."""
    match mark.args:
        case (int(size),) if size >= 1 and mark.kwargs.keys() <= {"each"}:
            return size
    raise pytest.UsageError(f"Write sampled(N), N a number from 1 on: {test} has sampled{mark.args}")


def values_of(item: pytest.Item, arguments: str) -> list[tuple[str, int]]:
    """Return what tells a case's values of some arguments apart: cases of one value have one object."""
    given = item.callspec.params  # type: ignore[attr-defined]  # of a function with parameters
    return [(name, id(given[name])) for name in arguments.split()]


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare what says that costly tests have turns."""
    group = parser.getgroup("samples")
    group.addoption("--turns", type=int, default=1, metavar="N", help="run costly tests on one day of N")
    group.addoption("--whole", action="append", default=[], metavar="FILE", help="a file without turns")


def turn(test: str, turns: int, seed: str) -> int:
    """Return which of so many days, counted from 0, a day is for a test: its turn comes on day 0.

    go-gnark/internal/turns does the same with tests in Go.
    """
    return int.from_bytes(hashlib.sha256(f"{seed} {test}".encode()).digest()[:8], "big") % turns


def without_turn(items: Iterable[pytest.Item], costly: Container[tuple[str, str]], turns: int, seed: str) -> None:
    """Mark the cases that another day runs: of costly tests, and all that ask for a costly set-up of their own file.

    Both are named by their file, and tests of one set-up run on the same day.
    """
    for item in items:
        file, _, test = item.nodeid.partition("::")
        made = (f"{file}::{name}" for name in item.fixturenames if (file, f"{file}::{name}") in costly)  # type: ignore[attr-defined]
        drawn_by = next(made, item.nodeid if (file, test.partition("[")[0]) in costly else None)
        if drawn_by and turn(drawn_by, turns, seed):
            item.add_marker("slow")


def costly(whole: Container[str]) -> set[tuple[str, str]]:
    """Return the tests and set-ups that cost much by the table of durations, by file and name; none of some files.

    A set-up that several files share is none: its cost is not that of the file that asked first.
    """
    files = json.loads(DATA.read_text(encoding="utf-8"))
    found = set()
    for path, file in files.items():
        if path not in whole:
            found |= {(path, test) for test, (_, s) in file["tests"].items() if s >= COSTLY and test != OTHERS}
            own = ((name, s / times) for name, (times, s) in file["set-ups"].items() if name.startswith(f"{path}::"))
            found |= {(path, name) for name, each in own if each >= COSTLY_SET_UP}
    return found


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark what was not drawn, before -m chooses by marks."""
    if (turns := config.getoption("turns")) > 1:
        without_turn(items, costly(config.getoption("whole")), turns, day())
    tests: defaultdict[tuple[str, int, str], list[pytest.Item]] = defaultdict(list)
    for item in items:
        if mark := item.get_closest_marker("sampled"):
            test = item.nodeid.partition("[")[0]
            tests[test, size_of(test, mark), mark.kwargs.get("each", "")].append(item)
    seed = day()
    for (test, size, each), cases in tests.items():
        chosen = (
            drawn_of_each(test, [values_of(case, each) for case in cases], size, seed)
            if each
            else drawn(test, len(cases), size, seed)
        )
        for number, case in enumerate(cases):
            if number not in chosen:
                case.add_marker("release")


def pytest_report_header() -> str:
    """Say how the same cases are drawn again."""
    return f"samples: {VARIABLE}={day()}"


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, exitstatus: int) -> None:
    """Repeat it where something failed: the header may be far above, or missing (-q)."""
    if exitstatus == pytest.ExitCode.TESTS_FAILED:
        terminalreporter.write_line(f"The samples of this run are those of {VARIABLE}={day()}")


def blocks(many: int, count: int) -> list[range]:
    """Split range(many) into ranges, one for each case of a test that takes seeds."""
    return [range(many * number // count, many * (number + 1) // count) for number in range(count)]
