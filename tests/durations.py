"""A plugin of pytest that measures the processor time of tests and set-ups, and keeps it in a table: `make durations`.

Processor time (of the process that runs tests, its threads and its children) says the same on a busy machine as on an
idle one; a clock does not. What a browser or a server does counts where it does it, and not where it ends. A run of
some folders replaces what the table says of their files.
"""

from __future__ import annotations

import datetime as dt
import json
import os
import platform
from collections import defaultdict
from collections.abc import Generator, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).resolve().parent
DATA = FOLDER / "durations.json"
NAMED = 0.2
"""Seconds from which on a test or set-up is kept by its name; the others of a file are one sum."""
LISTED = 40
OTHERS = "others"
"""The name of that sum, and of what set-ups take beside fixtures."""

HEAD = """# What the tests cost

Written by `make durations`, which runs `make test`'s tests of Python; `make durations TESTS=tests/cli` measures some
files or folders anew. Edits are lost. Seconds are of processor time, of all threads and children: they say the same on
a busy machine as on an idle one. A set-up that several files share is counted where it was asked for first; starting
and collecting are not counted, and neither is what was kept from an earlier run (`make clean` removes it).
"""

Entries = dict[str, list[Any]]
"""By name of a test or set-up: how many times it ran, and its seconds in all."""


def processor_seconds() -> float:
    """Return the processor time of this process and of its children, those that still run only on Linux."""
    spent = os.times()
    return spent.user + spent.system + spent.children_user + spent.children_system + _of_children("self")


def _of_children(process: str) -> float:
    """Return the processor time of a process's children that have not ended, and of theirs."""
    seconds = 0.0
    for children in Path(f"/proc/{process}/task").glob("*/children"):
        # Threads and processes may end while they are looked at.
        with suppress(OSError):
            for child in children.read_text().split():
                # Behind the name, which may hold anything, from the state on: its own ticks, and those it waited for.
                fields = Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()
                seconds += sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK") + _of_children(child)
    return seconds


class Meter:
    """Measures in the process that runs tests; what it measured travels to the controller with the reports."""

    def __init__(self) -> None:
        self.fixtures: list[tuple[str, float]] = []
        self.inside = 0.0
        self.begun = 0.0

    def pytest_collection_finish(self) -> None:
        """Begin."""
        self.begun = processor_seconds()

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: Any) -> Iterator[None]:
        """Measure a set-up, without those that it asks for while it runs."""
        outer, self.inside, begun = self.inside, 0.0, processor_seconds()
        try:
            return (yield)
        finally:
            spent = processor_seconds() - begun
            self.fixtures.append((f"{fixturedef.baseid or 'tests'}::{fixturedef.argname}", spent - self.inside))
            self.inside = outer + spent

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self) -> Generator[None, Any, Any]:
        """Give a report the time since the last one."""
        report = yield
        now = processor_seconds()
        report.processor, report.fixtures = now - self.begun, self.fixtures
        self.begun, self.fixtures = now, []
        return report


class Table:
    """What the reports of one run say of tests and set-ups, file by file."""

    def __init__(self) -> None:
        self.files: dict[str, dict[str, Entries]] = defaultdict(
            lambda: {part: defaultdict(lambda: [0, 0.0]) for part in ("tests", "set-ups")}
        )

    def add(self, report: Any) -> None:
        """Take a report over: every set-up counts as one, and the rest of the time is the test's or its set-up's."""
        path, _, test = report.nodeid.partition("::")
        file = self.files[path]
        for name, seconds in report.fixtures:
            _count(file["set-ups"][name], seconds)
        # Below 0 where a child ended for whom nobody waited: its time was counted before.
        rest = max(0.0, report.processor - sum(seconds for _, seconds in report.fixtures))
        if report.when == "call":
            _count(file["tests"][test.partition("[")[0]], rest)
        else:
            _count(file["set-ups"][OTHERS], rest)

    def kept(self, day: str) -> dict[str, Any]:
        """Return the table as it is written, with the day on which it was measured."""
        return {
            path: {
                "date": day,
                "cases": sum(cases for cases, _ in file["tests"].values()),
                "tests": _named(file["tests"]),
                "set-ups": _named(file["set-ups"]),
            }
            for path, file in self.files.items()
        }


def _count(entry: list[Any], seconds: float) -> None:
    """Add one more run to an entry."""
    entry[0] += 1
    entry[1] += seconds


def _named(entries: Entries) -> Entries:
    """Return the entries that cost much, and the sum of all others."""
    large = {name: [times, round(s, 1)] for name, (times, s) in entries.items() if s >= NAMED and name != OTHERS}
    small = [entry for name, entry in entries.items() if name not in large]
    rest = [sum(times for times, _ in small), round(sum(seconds for _, seconds in small), 1)]
    return dict(sorted(large.items())) | {OTHERS: rest}


def costliest_first(items: list[Any], files: dict[str, Any]) -> None:
    """Sort tests by what their files cost, in place: whichever worker comes last has little left to do.

    Files of equal cost, and the tests of each file, stay in their order. A file that was never measured comes first.
    """
    costs = {
        path: sum(s for part in ("tests", "set-ups") for _, s in file[part].values()) for path, file in files.items()
    }
    items.sort(key=lambda item: -costs.get(item.nodeid.partition("::")[0], float("inf")))


def merged(old: dict[str, Any], new: dict[str, Any], root: Path) -> dict[str, Any]:
    """Return the old table with the files of a new run, and without files that are gone."""
    return {path: file for path, file in sorted((old | new).items()) if (root / path).exists()}


def folder_of(path: str) -> str:
    """Return the folder that a file is counted in: the one below `tests`, and the second one below `tests/certify`."""
    parts = Path(path).parts
    return "/".join(parts[:3] if parts[1] == "certify" and len(parts) > 3 else parts[:2])


def _by_folder(files: dict[str, Any]) -> Iterator[str]:
    """Yield the rows of the table of folders, the most expensive first, and their sum."""
    folders: dict[str, list[float]] = defaultdict(lambda: [0, 0.0, 0.0])
    for path, file in files.items():
        row = folders[folder_of(path)]
        row[0] += file["cases"]
        for column, part in ((1, "tests"), (2, "set-ups")):
            row[column] += sum(seconds for _, seconds in file[part].values())
    ranked = sorted(folders.items(), key=lambda item: -sum(item[1][1:]))
    total = [sum(column) for column in zip(*folders.values(), strict=True)]
    for name, (cases, tests, fixtures) in [*ranked, ("all", total)]:
        yield f"| {name} | {cases} | {tests:.0f} | {fixtures:.0f} | {tests + fixtures:.0f} |"


def _slowest(files: dict[str, Any], part: str) -> Iterator[str]:
    """Yield the rows of the most expensive tests or set-ups; fixtures of several files are one."""
    entries: Entries = defaultdict(lambda: [0, 0.0])
    for path, file in files.items():
        for name, (times, seconds) in file[part].items():
            # A fixture's name says where it is defined, a test's name does not.
            entry = entries[name if "::" in name else f"{path}::{name}"]
            entry[0] += times
            entry[1] += seconds
    ranked = sorted(entries.items(), key=lambda item: (-item[1][1], item[0]))
    named = [(name, times, seconds) for name, (times, seconds) in ranked if not name.endswith(f"::{OTHERS}")]
    for name, times, seconds in named[:LISTED]:
        yield f"| {name} | {times} | {seconds:.1f} |"


def page(files: dict[str, Any], machine: str) -> str:
    """Return the page that shows a table of at least one file."""
    days = sorted({file["date"] for file in files.values()})
    when = days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}"
    lines = [HEAD, f"Measured {when}, last on {machine}.", "", "## By folder", ""]
    lines += ["| folder | tests | seconds of tests | of set-ups | together |", "|---|---:|---:|---:|---:|"]
    lines += _by_folder(files)
    for part, what in (("tests", "test"), ("set-ups", "set-up")):
        lines += ["", f"## The {LISTED} most expensive {part}", "", f"| {what} | times | seconds |", "|---|---:|---:|"]
        lines += _slowest(files, part)
    return "\n".join(lines) + "\n"


def machine_name() -> str:
    """Return the processor's name and how many of its cores there are."""
    information = Path("/proc/cpuinfo")
    lines = information.read_text().splitlines() if information.exists() else []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return f"{models[0] if models else platform.machine()}, {os.cpu_count()} cores"


class Writer:
    """Takes the reports of all workers, and writes the table into a folder when the run ends."""

    def __init__(self, root: Path, folder: Path) -> None:
        self.root, self.folder, self.table = root, folder, Table()

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Take a report over; one about a worker that died has no time."""
        if hasattr(report, "processor"):
            self.table.add(report)

    def pytest_sessionfinish(self) -> None:
        """Write what was measured."""
        data, shown = self.folder / DATA.name, self.folder / "durations.md"
        old = json.loads(data.read_text()) if data.exists() else {}
        files = merged(old, self.table.kept(dt.datetime.now(dt.UTC).date().isoformat()), self.root)
        if files:
            self.folder.mkdir(parents=True, exist_ok=True)
            text = json.dumps(files, indent=1, sort_keys=True)
            data.write_text(f"{text}\n")
            # Of the table as it is read again: sums in another order may be rounded otherwise.
            shown.write_text(page(json.loads(text), machine_name()))


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that names another folder for the table."""
    parser.addoption("--durations-folder", default=str(FOLDER), help="where durations.json and durations.md are")


def pytest_configure(config: pytest.Config) -> None:
    """Measure where tests run, and write where reports come together: in one process, or in workers and in another."""
    worker = hasattr(config, "workerinput")
    if worker or not config.getoption("numprocesses", None):
        config.pluginmanager.register(Meter(), "durations-meter")
    if not worker:
        writer = Writer(config.rootpath, Path(config.getoption("durations_folder")))
        config.pluginmanager.register(writer, "durations-writer")
