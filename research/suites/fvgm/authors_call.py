"""Calls of the authors' program: what it is given, and what is made of its answers.

It is no dependency: version 0.0.5 was tried, which needs Python 3.8 and packages of its time. EQUIPROOF_JUSTICIA names
that Python.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from bench.harness import BenchError
from equiproof.audits.fvgm.pipeline import Rows
from research.suites.fvgm import authors_run

PYTHON = "EQUIPROOF_JUSTICIA"


def python() -> str:
    """Return the Python that has the package; raises BenchError where the variable is not set."""
    if not (found := os.environ.get(PYTHON)):
        raise BenchError(f"{PYTHON}: not set; name a Python 3.8 that has the package justicia 0.0.5")
    return found


def call(
    program: str, rows: Rows, model: Mapping[str, Any], kinds: Iterable[str], seconds: float
) -> dict[str, dict[str, Any] | None]:
    """Return what the program finds of a model, in arrays as :mod:`.authors_run` reads it, under each assumption."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.npz"
        write(path, rows, model)
        return {kind: run(program, path, kind, seconds) for kind in kinds}


def write(path: Path, rows: Rows, model: Mapping[str, Any]) -> None:
    """Write a model as the program reads it: sensitive columns g0_0, g0_1, ..., all others x0, x1, ...

    It tells sensitive columns by the beginning of their names.
    """
    names = [f"x{column}" for column in range(rows.X.shape[1])]
    for group, feature in enumerate(rows.sensitive):
        block = rows.blocks[feature]
        for place, column in enumerate(block):
            names[column] = f"g{group}_{place}" if len(block) > 1 else f"g{group}"
    sensitive = [f"g{group}" for group in range(len(rows.sensitive))]
    np.savez(path, columns=rows.X, names=names, sensitive=sensitive, **model)


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
    if not found["ended"]:
        return None
    least, largest = found["shares"]
    return {
        "impact": round(least / largest, 4) if largest else 1.0,
        "parity": round(largest - least, 4),
        "edges": found["edges"],
        "cpu_s": round(found["cpu_s"], 1),
    }


def pair(found: Mapping[str, float]) -> str:
    """Write disparate impact and parity."""
    return f"{found['impact']:.3f}, {found['parity']:.3f}"


def shown(theirs: Mapping[str, Any] | None) -> str:
    """Write an answer with its CPU time, a dash where there was none."""
    return "-" if theirs is None else f"{pair(theirs)} ({theirs['cpu_s']:g} s)"
