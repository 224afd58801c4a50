"""Label flips of the published networks beside Fairify's verdicts, a part per row of its table V.

Each row is a network with one protected feature. The question is that of Fairify: do two applicants who differ in this
feature alone get another label? It is asked of the network as published, in exact fractions, and of the integers that
`equiproof import --domains` commits to. Every witness was judged again in exact numbers.
"""

from __future__ import annotations

import csv
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from bench.fairify_networks import LABELS, domains_in, folder_in
from bench.harness import BenchError
from bench.harness import table as markdown
from bench.parts import BaseQuestion, Options
from bench.parts import Plan as Parts
from equiproof.audits.hyfair.branch import Budget
from equiproof.audits.hyfair.clusters import Judge
from equiproof.audits.hyfair.forward import Forward
from equiproof.audits.hyfair.grid import grid_of
from equiproof.audits.hyfair.hybrid import Limits, settle
from equiproof.audits.hyfair.margin import margin_of
from equiproof.certify.models.importing import bound_network, read_model
from equiproof.certify.models.importing.domains import read_domain
from research.suites.hyfair.networks import DOMAINS, open_network

TABLE = "fairify_table_v.csv"

_VERDICTS = {"SAT": "unfair", "UNSAT": "fair", "UNK": "unknown"}


@dataclass(frozen=True)
class Question(BaseQuestion):
    """`points` applicants are drawn first; the solver and branch and bound then have `seconds` each."""

    points: int = 20_000
    seconds: float = 10.0
    jobs: int = 1


def plan(data_dir: Path | None, options: Options, question: Question | None = None) -> Parts:
    """Return a part for every row of Fairify's table. Raises BenchError for several processes."""
    options.one_by_one("hyfair-fairify", "searches")
    asked = options.of(question or Question())
    folder = folder_in(data_dir)
    parts = {
        f"{row['model'][:2]}-{row['model'][2:]} by {row['protected']}": partial(measured, folder.parent, row, asked)
        for row in _rows(folder)
    }
    return Parts(asked.as_data(), parts)


def measured(data_dir: Path, row: Mapping[str, str], question: Question) -> dict[str, Any]:
    """Return Fairify's verdict and ours on one row: of the published network and of the committed integers."""
    name, protected = f"{row['model'][:2]}-{row['model'][2:]}", row["protected"]
    published = open_network(data_dir, name, {protected: None})
    return {
        "fairify": {"verdict": _VERDICTS[row["fairify"]], "seconds": float(row["avg_s_total"])},
        "groups": len(published.grid.table),
        "published": _settled(published.judge, question),
        "committed": _settled(committed(folder_in(data_dir), name, protected), question),
    }


def _rows(folder: Path) -> Iterator[Mapping[str, str]]:
    """Return the rows of Fairify's table V; raises BenchError where it is missing."""
    path = folder / TABLE
    if not path.is_file():
        raise BenchError(f"{path}: want table V of the Fairify paper here (--data-dir)")
    yield from csv.DictReader(path.read_text().splitlines())


def committed(folder: Path, name: str, protected: str) -> Judge:
    """Return the judge of the integers that an import commits to, on the declared domain."""
    path = domains_in(folder)
    spec, domain = read_domain(path.read_bytes(), str(path), DOMAINS[name[:2]], labels=LABELS, sensitive=(protected,))
    imported = bound_network(read_model(folder / f"{name}.npz"), spec, columns=domain.order, units="raw", widen=True)
    return Judge(Forward(margin_of(imported.quantised), grid_of(imported.spec)))


def _settled(judge: Judge, question: Question) -> dict[str, Any]:
    """Return the verdict on label flips, what settled it, and its seconds of the clock."""
    grid, rng = judge.forward.grid, np.random.default_rng(question.seed)
    limits = Limits(question.points, question.seconds, Budget(1_000_000, question.seconds), time.perf_counter)
    found = settle(judge, "flipped", grid.whole, limits, rng)
    if found.counterexample is not None and not judge.has("flipped", found.counterexample):
        raise BenchError("a witness of a label flip does not replay")
    pair = None if found.counterexample is None else grid.row(found.counterexample)
    return {"verdict": found.verdict, "by": found.by, "seconds": found.seconds, "applicant": pair}


def table(results: Mapping[str, Any]) -> str:
    """Write both verdicts of every row."""
    head = ("network, protected", "values", "Fairify", "its seconds", "as published", "seconds", "committed", "seconds")
    rows = []
    for name, part in results["parts"].items():
        own = [part[kind] for kind in ("published", "committed")]
        rows.append(
            (
                name,
                str(part["groups"]),
                part["fairify"]["verdict"],
                f"{part['fairify']['seconds']:.1f}",
                *(cell for one in own for cell in (f"{one['verdict']} ({one['by']})", f"{one['seconds']:.3f}")),
            )
        )
    return markdown(head, rows)
