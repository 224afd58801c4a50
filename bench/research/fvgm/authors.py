"""The authors' own program, the package justicia, beside ours: the same linear models, rows and columns.

It is no dependency: version 0.0.5 was tried, which needs Python 3.8 and packages of its time. EQUIPROOF_JUSTICIA names
that Python. For linear models its three assumptions are the network of the paper, features independent given the group,
and features independent of the group; they are solved by the paper's programme. Its encoding as stochastic SAT, for
trees and rules, calls a solver that no package has.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from bench.harness import BenchError
from bench.harness import table as markdown
from bench.parts import BaseQuestion, Options, Plan
from bench.research.fvgm import authors_run, beside
from bench.research.fvgm.populations import population
from equiproof.audits.fvgm.pipeline import Rows
from equiproof.audits.fvgm.scaling import Scores

PYTHON = "EQUIPROOF_JUSTICIA"

SETS: Mapping[str, tuple[str, ...]] = {
    "titanic": ("Sex",),
    "ricci": ("Race",),
    "german": ("sex",),
    "compas": ("sex",),
    "adult": ("race", "sex"),
}
"""The paper's data sets, with sensitive categories whose groups all have 20 rows."""

KINDS = tuple(authors_run.ENCODINGS)


@dataclass(frozen=True)
class Question(BaseQuestion):
    """Every row of each data set; `seconds` of CPU time limit each call of the program, as many as in the paper."""

    points: int = 1
    seconds: float = 900.0
    jobs: int = 1


def plan(data_dir: Path | None, options: Options, question: Question | None = None) -> Plan:
    """Return a part for every data set. Raises BenchError for several processes, since calls are timed."""
    options.one_by_one("fvgm-authors", "calls")
    asked = options.of(question or Question())
    parts = {name: partial(measured, name, asked.seconds, data_dir) for name in SETS}
    return Plan(asked.as_data(), parts)


def python() -> str:
    """Return the Python that has the package; raises BenchError where the variable is not set."""
    if not (found := os.environ.get(PYTHON)):
        raise BenchError(f"{PYTHON}: not set; name a Python 3.8 that has the package justicia 0.0.5")
    return found


def measured(name: str, seconds: float, data_dir: Path | None) -> dict[str, Any]:
    """Fit a logistic regression, and verify it under each assumption by both programs."""
    program = python()
    whole = population(name, SETS[name], data_dir)
    rows, scores = beside.fitted_model(whole)
    ours = beside.assumptions(name, rows, scores)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.npz"
        write(path, rows, scores)
        theirs = {kind: run(program, path, kind, seconds) for kind in KINDS}
    return {"dataset": name, "columns": rows.X.shape[1], **ours, "theirs": theirs}


def write(path: Path, rows: Rows, scores: Scores) -> None:
    """Write a model as the program reads it: sensitive columns g0_0, g0_1, ..., all others x0, x1, ...

    It tells sensitive columns by the beginning of their names.
    """
    names = [f"x{column}" for column in range(rows.X.shape[1])]
    for group, feature in enumerate(rows.sensitive):
        block = rows.blocks[feature]
        for place, column in enumerate(block):
            names[column] = f"g{group}_{place}" if len(block) > 1 else f"g{group}"
    sensitive = [f"g{group}" for group in range(len(rows.sensitive))]
    np.savez(path, columns=rows.X, names=names, weights=scores.weights, bias=[scores.bias], sensitive=sensitive)


def run(program: str, path: Path, kind: str, seconds: float) -> dict[str, Any] | None:
    """Return what the program finds under one assumption, None if it does not end in time; raises BenchError."""
    command = [program, authors_run.__file__, str(path), kind, str(max(1, round(seconds)))]
    try:
        done = subprocess.run(command, capture_output=True, text=True, cwd=path.parent, check=False)
    except OSError as error:
        raise BenchError(f"{PYTHON} {program}: {error.strerror}") from None
    if done.returncode == -signal.SIGXCPU:
        return None
    if done.returncode:
        reason = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise BenchError(f"{PYTHON} {program}: justicia fails on {path.name}, {kind}: {reason}")
    found = json.loads(done.stdout.splitlines()[-1])
    least, largest = found["shares"]
    return {
        "impact": round(least / largest, 4) if largest else 1.0,
        "parity": round(largest - least, 4),
        "edges": found["edges"],
        "cpu_s": round(found["cpu_s"], 1),
    }


def table(results: Mapping[str, Any]) -> str:
    """Write disparate impact and parity of every data set by both programs under each assumption."""
    rows = []
    for part in results["parts"].values():
        cells = []
        for kind in KINDS:
            ours, theirs = part["assumptions"][kind], part["theirs"][kind]
            cells += [_pair(ours), "-" if theirs is None else f"{_pair(theirs)} ({theirs['cpu_s']:g} s)"]
        groups = f"{' x '.join(part['sensitive'])} ({part['groups']})"
        rows.append((part["dataset"], groups, str(part["columns"]), _pair(part["counted"]), *cells))
    head = ["data set", "sensitive (groups)", "columns", "DI, SP: rows' own shares"]
    for kind in ("network", "independent within groups", "independent of the group"):
        head += [f"{kind}: ours", "theirs (CPU)"]
    return markdown(head, rows)


def _pair(found: Mapping[str, float]) -> str:
    """Write disparate impact and parity."""
    return f"{found['impact']:.3f}, {found['parity']:.3f}"
