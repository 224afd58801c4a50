"""Applicants a minute: many proofs under one key, by one process or two, and by the workers of a Dask cluster.

A run is measured from the first row that is sent to the last line of the manifest, with opening and key loaded before
(`load`): so the figures hold for runs of any length. Workers of the cluster are processes of this machine.
"""

from __future__ import annotations

import csv
import random
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

from bench.harness import Progress, machine, nothing
from bench.harness import table as markdown
from bench.seeded import network_of, spec_of
from equiproof.circuits.shape import Shape, shape_of
from equiproof.prover import KeyStore, Opening
from equiproof.prover.many.applicants import Applicant, read_applicants
from equiproof.prover.many.engines import DASK, LOCAL, crew
from equiproof.prover.many.examine import Examiner
from equiproof.prover.many.manifest import Header
from equiproof.prover.many.run import Run, plain_files
from equiproof.prover.many.task import Setting, Task

PLAIN, VALUES, HIDDEN, CAPACITY = 19, 2, (8, 4), 16
"""The model: non-sensitive columns, sensitive values, hidden layers; and the key's capacity, in leaves."""

APPLICANTS = 60
WAYS: tuple[tuple[str, int], ...] = ((LOCAL, 1), (LOCAL, 2), (DASK, 1), (DASK, 2))


def run(_data_dir: Path | None = None, progress: Progress = nothing, *, applicants: int = APPLICANTS) -> dict[str, Any]:
    """Measure every way with the same applicants."""
    spec = spec_of(PLAIN, VALUES)
    opening = Opening.of(network_of(spec, HIDDEN), spec, blinding=1)
    results = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "opening.json").write_bytes(opening.secret())
        key = KeyStore(folder / "keys", folder / "owner.secret").setup(_shape(opening))
        rows = _applicants(opening, folder / "rows.csv", applicants)
        for number, (engine, count) in enumerate(WAYS, start=1):
            asked = Setting.of(folder / "opening.json", key)
            run_of = Run(folder / str(number), Header.of(opening, key, rows, {}), rows, Examiner(opening, key))
            results.append({"engine": engine, "workers": count, **_measured(run_of, engine, asked, count)})
            progress(number, len(WAYS))
    figures = {"applicants": applicants, "hidden": list(HIDDEN), "plain_columns": PLAIN, "capacity": CAPACITY}
    constraints = key.document.constraints
    return {"suite": "batch-proving", **figures, "constraints": constraints, "results": results, "machine": machine()}


def table(found: Mapping[str, Any]) -> str:
    """Write one line for each way, compared with as many processes of the engine `local`."""
    minutes = {(row["engine"], row["workers"]): row["a_minute"] for row in found["results"]}
    rows = [
        (
            row["engine"].removesuffix("://"),
            str(row["workers"]),
            f"{row['a_minute']:.1f}",
            f"{100 * (minutes[LOCAL, row['workers']] / row['a_minute'] - 1):+.0f} %",
            f"{row['a_minute'] * 60 * 24 * 30:,.0f}",
            f"{row['load_s']:.1f}",
        )
        for row in found["results"]
    ]
    head = ("engine", "workers", "applicants a minute", "time against local", "in 30 days", "load, seconds")
    what = f"{found['applicants']} applicants, {found['constraints']:,} constraints, capacity {found['capacity']}."
    return what + "\n\n" + markdown(head, rows)


def _measured(run_of: Run, engine: str, setting: Setting, count: int) -> dict[str, float]:
    """Run once; the first rows are proven before, so that every worker has loaded the key."""
    begun = time.perf_counter()
    with _address(engine, count) as name, crew(name, setting, count) as ready:
        warm = [Task(0, one.features, one.context) for one in islice(run_of.applicants, count)]
        if engine == DASK:
            list(ready.engine(warm))
        loaded = time.perf_counter()
        with run_of.manifest(resume=False) as manifest:
            run_of.go(manifest, ready.engine, plain_files, _ignored)
        ended = time.perf_counter()
    return {
        "a_minute": round(60 * len(run_of.applicants) / (ended - loaded), 2),
        "run_s": round(ended - loaded, 3),
        "load_s": round(loaded - begun, 3),
    }


@contextmanager
def _address(engine: str, count: int) -> Iterator[str]:
    """Return the name of an engine, of which a cluster runs meanwhile."""
    if engine == LOCAL:
        yield LOCAL
        return
    from distributed import LocalCluster

    with LocalCluster(n_workers=count, threads_per_worker=1, host="127.0.0.1", dashboard_address=None) as cluster:
        yield DASK + cluster.scheduler_address.removeprefix("tcp://")


def _applicants(opening: Opening, path: Path, count: int) -> list[Applicant]:
    """Draw applicants, the same ones every time."""
    rng = random.Random(1)  # noqa: S311 - applicants for a benchmark
    names = [feature.name for feature in opening.spec.plain_features]
    with path.open("w", newline="") as stream:
        write = csv.writer(stream)
        write.writerow(names)
        write.writerows([f"{rng.gauss(0, 1):.3f}" for _ in names] for _ in range(count))
    return read_applicants(path, opening.spec, {})


def _shape(opening: Opening) -> Shape:
    """Return the shape of the key."""
    return shape_of("branch", opening.spec, opening.network.hidden, CAPACITY)


def _ignored(_verdicts: Counter[str], _total: int) -> None:
    """Ignore a report of progress."""
