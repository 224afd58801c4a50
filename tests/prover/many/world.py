"""A run of a few applicants of the loans model, and what workers made for them."""

from __future__ import annotations

import csv
import itertools
import os
import signal
from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from equiproof.certify.traversal.search import Counterexample
from equiproof.prover.many.applicants import Applicant, read_applicants
from equiproof.prover.many.engines import crew
from equiproof.prover.many.examine import Examiner
from equiproof.prover.many.manifest import MANIFEST_FILE, Header
from equiproof.prover.many.run import Run, plain_files
from equiproof.prover.many.task import Made, Setting, Task, prove_row
from tests.support import Setting as Owned

COLUMNS = ("id", "nonce", "income", "housing")
VERDICTS = ("fair", "unfair", "fair", "fair", "fair")


def table_of(owned: Owned, path: Path) -> Path:
    """Write a table of five applicants, the second of whom the model treats unfairly."""
    fair, unfair = [], []
    for row, found in itertools.islice(owned.applicants(seed=3), 4000):
        (unfair if isinstance(found, Counterexample) else fair).append(row)
        if len(fair) > 3 and unfair:
            break
    rows = [fair[0], unfair[0], *fair[1:4]]
    with path.open("w", newline="") as file:
        write = csv.writer(file)
        write.writerow(COLUMNS)
        for number, row in enumerate(rows, start=1):
            write.writerow((f"2026/{number}", f"nonce-of-applicant-{number}", row["income"], row["housing"]))
    return path


@dataclass(frozen=True)
class Many:
    """A table, a model's opening and its key, as a run takes them."""

    owned: Owned
    table: Path
    opening: Path

    def applicants(self, names: str | None = "id", nonces: str | None = "nonce") -> list[Applicant]:
        """Read the table."""
        return read_applicants(self.table, self.owned.spec, {"policy": "tests"}, names, nonces)

    def setting(self, **changed: object) -> Setting:
        """Return what workers are told."""
        return Setting.of(self.opening, self.owned.key, **changed)

    def header(self, applicants: Sequence[Applicant]) -> Header:
        """Return the header of a run."""
        return Header.of(self.owned.opening, self.owned.key, applicants, {"policy": "tests"})

    def run(self, folder: Path) -> Run:
        """Return a run into a folder."""
        applicants = self.applicants()
        return Run(folder, self.header(applicants), applicants, Examiner(self.owned.opening, self.owned.key))

    def made(self) -> list[Made]:
        """Have every row proven, in this process."""
        with crew("local", self.setting(), 1) as ready:
            return list(ready.engine(Task(one.row, one.features, one.context) for one in self.applicants()))


def told(made: Iterable[Made], asked: list[int] | None = None):
    """Return an engine that gives what was made before; `asked` takes the rows that it was asked for."""
    known = {one.row: one for one in made}

    def engine(tasks: Iterable[Task]) -> Generator[Made, None, None]:
        for task in tasks:
            if asked is not None:
                asked.append(task.row)
            yield known[task.row]

    return engine


def deadly_row(setting: Setting, task: Task) -> Made:
    """Prove a row, but for the fourth: there the process ends as one that takes too much memory does."""
    if task.row == 4:
        os.kill(os.getpid(), signal.SIGKILL)
    return prove_row(setting, task)


def go(run: Run, engine, *, resume: bool = False, files=plain_files) -> dict[int, object]:
    """Have a run done; return the manifest's entries."""
    with run.manifest(resume=resume) as manifest:
        run.go(manifest, engine, files, lambda verdicts, total: None)
        return dict(manifest.entries)


def lines(folder: Path) -> list[bytes]:
    """Return the lines of a folder's manifest."""
    return (folder / MANIFEST_FILE).read_bytes().splitlines()
