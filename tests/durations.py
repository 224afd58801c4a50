"""A plugin of pytest that measures the processor time of tests and set-ups, and keeps it in a table: `make durations`.

Processor time (of the test's process, its threads and the children it has waited for) says the same on a busy machine
as on an idle one, which a clock does not. A run of some folders replaces what the table says of their files.
"""

from __future__ import annotations

import datetime as dt
import json
import os
import platform
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).resolve().parent
KEPT, PAGE = FOLDER / "durations.json", FOLDER / "durations.md"
NAMED = 0.2
"""Seconds from which a test or set-up is kept by name; all others of a file are one sum."""
LISTED = 40
OTHERS = "others"


def processor_seconds() -> float:
    """Return the processor time of this process and of the children it has waited for."""
    spent = os.times()
    return spent.user + spent.system + spent.children_user + spent.children_system


class Meter:
    """Measures in the process that runs tests, and adds what it measured to its reports, which go to the controller."""

    def __init__(self) -> None:
        self.fixtures: list[tuple[str, float]] = []
        self.inside = 0.0
        self.begun = processor_seconds()

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: Any) -> Iterator[None]:
        """Measure a set-up without those that it asks for while it runs."""
        outer, self.inside, begun = self.inside, 0.0, processor_seconds()
        try:
            return (yield)
        finally:
            spent = processor_seconds() - begun
            where = fixturedef.baseid or "tests"
            self.fixtures.append((f"{where}::{fixturedef.argname}", spent - self.inside))
            self.inside = outer + spent

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self) -> Iterator[None]:
        """Give a report the time since the last one."""
        report = yield
        now = processor_seconds()
        report.processor = now - self.begun
        report.fixtures, self.fixtures, self.begun = self.fixtures, [], now
        return report


class Table:
    """What the reports of one run say, file by file."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.files: dict[str, dict[str, Any]] = {}

    def add(self, report: Any) -> None:
        """Take a report over."""
        path, _, test = report.nodeid.partition("::")
        file = self.files.setdefault(
            path, {"clock": 0.0, "tests": defaultdict(lambda: [0, 0.0]), "set-ups": defaultdict(lambda: [0, 0.0])}
        )
        file["clock"] += report.duration
        for name, seconds in report.fixtures:
            _count(file["set-ups"][name], seconds)
        rest = report.processor - sum(seconds for _, seconds in report.fixtures)
        if report.when == "call":
            _count(file["tests"][test.partition("[")[0]], rest)
        else:
            _count(file["set-ups"][OTHERS], rest)

    def kept(self, today: str) -> dict[str, Any]:
        """Return the table of this run: what takes less than NAMED seconds is one sum a file."""
        return {
            path: {
                "date": today,
                "clock": round(file["clock"], 1),
                "cases": sum(cases for cases, _ in file["tests"].values()),
                "tests": _named(file["tests"]),
                "set-ups": _named(file["set-ups"]),
            }
            for path, file in self.files.items()
        }


def _count(entry: list[Any], seconds: float) -> None:
    """Add one more case to an entry."""
    entry[0] += 1
    entry[1] += seconds


def _named(entries: dict[str, list[Any]]) -> dict[str, list[Any]]:
    """Return times and seconds of what costs much, and of the others together."""
    large = {name: [n, round(s, 1)] for name, (n, s) in entries.items() if s >= NAMED and name != OTHERS}
    small = [entry for name, entry in entries.items() if name not in large]
    return dict(sorted(large.items())) | {OTHERS: [sum(n for n, _ in small), round(sum(s for _, s in small), 1)]}


def merged(old: dict[str, Any], new: dict[str, Any], root: Path) -> dict[str, Any]:
    """Return the old table with the files of a new run, and without files that are gone."""
    return {path: file for path, file in sorted((old | new).items()) if (root / path).exists()}


def folder_of(path: str) -> str:
    """Return the folder that a file's seconds are counted in: the one below tests, and the next one of certify."""
    parts = Path(path).parts
    return "/".join(parts[:3] if parts[1:2] == ("certify",) and len(parts) > 3 else parts[:2])


def page(files: dict[str, Any], machine: str) -> str:
    """Return the page that shows a table."""
    folders: dict[str, list[float]] = defaultdict(lambda: [0, 0.0, 0.0, 0.0])
    slowest, setups = [], defaultdict(lambda: [0, 0.0])
    for path, file in files.items():
        row = folders[folder_of(path)]
        tests, fixtures = (sum(seconds for _, seconds in file[part].values()) for part in ("tests", "set-ups"))
        folders[folder_of(path)] = [
            a + b for a, b in zip(row, (file["cases"], tests, fixtures, file["clock"]), strict=True)
        ]
        slowest += [(s, n, f"{path}::{name}") for name, (n, s) in file["tests"].items() if name != OTHERS]
        for name, (times, seconds) in file["set-ups"].items():
            entry = setups[f"{path}, others" if name == OTHERS else name]
            entry[0] += times
            entry[1] += seconds
    total = [sum(column) for column in zip(*folders.values(), strict=True)] if folders else [0, 0.0, 0.0, 0.0]
    dates = sorted({file["date"] for file in files.values()})
    lines = [
        "# What the tests cost",
        "",
        "Written by `make durations` (`make durations TESTS=tests/cli` measures one folder anew); edits are lost. Seconds",
        "of processor time, children included, which say the same on a busy machine as on an idle one. The tests are",
        "those of `make test`. A set-up that several files share is counted where it was made.",
        "",
        f"Measured {' to '.join([dates[0], dates[-1]][: len(dates)]) if dates else 'never'} on {machine}.",
        "",
        "## By folder",
        "",
        "| folder | tests | seconds of tests | of set-ups | together | by the clock |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    ranked = sorted(folders.items(), key=lambda item: -(item[1][1] + item[1][2]))
    for name, (cases, tests, fixtures, clock) in [*ranked, ("all", total)]:
        lines.append(f"| {name} | {cases} | {tests:.0f} | {fixtures:.0f} | {tests + fixtures:.0f} | {clock:.0f} |")
    lines += ["", f"## The {LISTED} slowest tests", "", "| test | cases | seconds |", "|---|---:|---:|"]
    lines += [
        f"| {name} | {cases} | {seconds:.1f} |" for seconds, cases, name in sorted(slowest, reverse=True)[:LISTED]
    ]
    lines += ["", f"## The {LISTED} slowest set-ups", "", "| set-up | times | seconds |", "|---|---:|---:|"]
    costly = sorted(((seconds, times, name) for name, (times, seconds) in setups.items()), reverse=True)
    lines += [f"| {name} | {times} | {seconds:.1f} |" for seconds, times, name in costly[:LISTED]]
    return "\n".join(lines) + "\n"


def machine_name() -> str:
    """Return the processor's name and how many of its cores there are."""
    information = Path("/proc/cpuinfo")
    names = information.read_text().splitlines() if information.exists() else []
    models = [line.partition(":")[2].strip() for line in names if line.startswith("model name")]
    return f"{models[0] if models else platform.machine()}, {os.cpu_count()} cores"


class Writer:
    """Takes the reports of all workers, and writes the table when the run ends."""

    def __init__(self, root: Path) -> None:
        self.root, self.table = root, Table(root)

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Take a report over."""
        if hasattr(report, "processor"):
            self.table.add(report)

    def pytest_sessionfinish(self) -> None:
        """Write what was measured."""
        today = dt.datetime.now(dt.UTC).date().isoformat()
        old = json.loads(KEPT.read_text()) if KEPT.exists() else {"files": {}}
        files = merged(old["files"], self.table.kept(today), self.root)
        KEPT.write_text(json.dumps({"files": files}, indent=1, sort_keys=True) + "\n")
        PAGE.write_text(page(files, machine_name()))


def pytest_configure(config: pytest.Config) -> None:
    """Measure where tests run, and write where reports come together: one process, or workers and a controller."""
    worker = hasattr(config, "workerinput")
    if worker or not config.getoption("numprocesses", None):
        config.pluginmanager.register(Meter(), "durations-meter")
    if not worker:
        config.pluginmanager.register(Writer(config.rootpath), "durations-writer")
