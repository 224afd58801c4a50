"""One case measured: from data and training to verified certificates of random applicants."""

from __future__ import annotations

import math
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.harness import BenchError, Progress, machine, median, nothing, spread
from bench.paper.cases import Case, Variant
from bench.paper.proofs import Row, prove_all
from bench.paper.walk import Walk, walk
from bench.sample import sample_test_rows
from equiproof.certify.data import load
from equiproof.certify.data.dataset import Dataset
from equiproof.certify.models.network import TrainingReport
from equiproof.certify.models.quantise import quantise
from equiproof.certify.models.training import train
from equiproof.circuits.spec import Spec
from equiproof.prover.opening import Opening, commit

DEFAULT_POINTS = 100
DEFAULT_SEED = 1
_TIMES = ("certify_s", "witness_s", "prove_s", "online_s")


@dataclass(frozen=True)
class Question:
    """What to measure: a case's variant on `points` random test rows.

    `capacity` is the key's, the case's own by default; `wider` also proves the points beyond it at their full
    radius, under larger keys.
    """

    case: Case
    variant: Variant = "fair"
    points: int = DEFAULT_POINTS
    seed: int = DEFAULT_SEED
    capacity: int | None = None
    wider: bool = True

    @property
    def key_capacity(self) -> int:
        """The capacity of the key."""
        return self.case.capacity if self.capacity is None else self.capacity


def measure(question: Question, data_dir: Path | None, progress: Progress = nothing) -> dict[str, Any]:
    """Measure a case; return one flat object of medians, and lists of every point's figures under names in `_all`.

    Times are seconds of the clock unless the name says ms; every median comes with `_q1`, `_q3` and `_max`. Figures
    of walk and proof are over the points with a certificate. Raises BenchError for more points than test rows and for a
    capacity without room for the slices, DataError where the data set is missing.
    """
    made = prepare(question, data_dir, progress)
    opening, report, rows = made.opening, made.report, made.rows
    walks = [walk_around(opening, row) for row in rows]
    fair = [(row, found) for row, found in zip(rows, walks, strict=True) if found is not None]
    flat = {
        "suite": "paper",
        "case": question.case.name,
        "variant": question.variant,
        **_sizes(question, opening),
        "weight_decay": question.case.decay(question.variant),
        "accuracy": round(report.accuracy[1], 4),
        "flip_share": round(report.flip_share, 4),
        "train_s": round(made.train_s, 3),
        "commit_s": round(made.commit_s, 4),
        "fair_points": len(fair),
        "unfair_points": len(rows) - len(fair),
    }
    proven = _proven(question, opening, fair)
    return flat | _walked(opening.spec, [found for _, found in fair]) | proven | machine()


@dataclass(frozen=True)
class Prepared:
    """A case's committed model, and the sampled applicants: their row numbers and plain features."""

    opening: Opening
    report: TrainingReport
    numbers: Sequence[int]
    rows: Sequence[Row]
    train_s: float
    commit_s: float


def prepare(question: Question, data_dir: Path | None, progress: Progress = nothing) -> Prepared:
    """Load, draw the applicants, train and commit; raises as :func:`measure`."""
    data = load(question.case.dataset, data_dir, sensitive=question.case.sensitive)
    numbers = _sample(question, data)
    names = [feature.name for feature in data.spec.plain_features]
    begun = time.perf_counter()
    network, report = train(data, question.case.hidden, decay=question.case.decay(question.variant), progress=progress)
    trained = time.perf_counter()
    opening = commit(quantise(network, data.spec), data.spec)
    committed = time.perf_counter()
    rows = [{name: data.rows[number][name] for name in names} for number in numbers]
    return Prepared(opening, report, numbers, rows, trained - begun, committed - trained)


def _sample(question: Question, data: Dataset) -> list[int]:
    """Choose test rows at random."""
    numbers = sample_test_rows(data, question.points, question.seed)
    capacity, slices = question.key_capacity, len(data.spec.domain_table)
    if capacity < slices or capacity & (capacity - 1):
        raise BenchError(f"--capacity {capacity}: want a power of two with room for {slices} slices")
    return numbers


def walk_around(opening: Opening, row: Row) -> Walk | None:
    """Walk around one row."""
    spec = opening.spec
    return walk(opening.network, spec.encode(row), spec.domain_table, spec.max_radius_squared)


def _sizes(question: Question, opening: Opening) -> dict[str, Any]:
    """Return the sizes, which need no measurement."""
    spec = opening.spec
    return {
        "points": question.points,
        "seed": question.seed,
        "hidden": "x".join(map(str, opening.network.hidden)),
        "plain_columns": spec.plain_columns,
        "sensitive": "+".join(feature.name for feature in spec.sensitive_features),
        "slices": len(spec.domain_table),
        "capacity": question.key_capacity,
    }


def _walked(spec: Spec, walks: Sequence[Walk]) -> dict[str, Any]:
    """Summarize full radii, in the spec's units, and the walks to them."""
    radii = [math.sqrt(found.radius_squared) / spec.scale_unit for found in walks]
    return {
        **spread("traversals", [found.traversals for found in walks], 1),
        **spread("patterns", [found.patterns for found in walks], 1),
        **spread("radius", radii, 4),
        "radius_all": [round(radius, 4) for radius in radii],
    }


def _proven(question: Question, opening: Opening, fair: Sequence[tuple[Row, Walk]]) -> dict[str, Any]:
    """Prove the fair points under the key, and those beyond it also under wider keys."""
    capacity = question.key_capacity
    over = [(row, found) for row, found in fair if found.patterns > capacity]
    with tempfile.TemporaryDirectory() as folder:
        made = prove_all(opening, capacity, [row for row, _ in fair], Path(folder) / "key")
        kept = [
            math.sqrt(proof["radius_squared"] / found.radius_squared)
            for proof, (_, found) in zip(made["proofs"], fair, strict=True)
            if found.patterns > capacity
        ]
        result = {
            "constraints": made["constraints"],
            "setup_s": round(made["setup_s"], 3),
            "peak_mb": round(made["peak_mb"], 1),
            **_timed(made["proofs"]),
            "full_share": round(1 - len(over) / len(fair), 4) if fair else None,
            "over_points": len(over),
            "over_radius_kept": median(kept, 4),
        }
        return result | (_wider(opening, over, Path(folder)) if question.wider else {})


def _timed(proofs: Sequence[Mapping[str, float]]) -> dict[str, Any]:
    """Summarize times and sizes."""
    result: dict[str, Any] = {}
    for name in _TIMES:
        result |= spread(name, [proof[name] for proof in proofs], 4)
    for name in ("verify_ms", "check_ms"):
        result |= spread(name, [proof[name] for proof in proofs], 2)
    for name, digits in (("prove_s", 4), ("verify_ms", 2)):
        result[f"{name}_all"] = [round(proof[name], digits) for proof in proofs]
    sizes = {name: median([proof[name] for proof in proofs], 0) for name in ("proof_bytes", "certificate_bytes")}
    return result | {name: None if size is None else round(size) for name, size in sizes.items()}


def _wider(opening: Opening, over: Sequence[tuple[Row, Walk]], folder: Path) -> dict[str, Any]:
    """Prove points at their full radius, each under the least capacity with room for it."""
    by_capacity: dict[int, list[Row]] = {}
    for row, found in over:
        by_capacity.setdefault(1 << (found.patterns - 1).bit_length(), []).append(row)
    made = {
        capacity: prove_all(opening, capacity, rows, folder / str(capacity))
        for capacity, rows in sorted(by_capacity.items())
    }
    proofs = [proof for one in made.values() for proof in one["proofs"]]
    return {
        "wider_capacities": " ".join(f"{capacity}:{len(by_capacity[capacity])}" for capacity in made),
        "wider_constraints": max((one["constraints"] for one in made.values()), default=None),
        "wider_setup_s": round(max((one["setup_s"] for one in made.values()), default=0.0), 3) if made else None,
        "wider_peak_mb": round(max((one["peak_mb"] for one in made.values()), default=0.0), 1) if made else None,
        **{f"wider_{key}": value for name in ("prove_s", "online_s") for key, value in
           spread(name, [proof[name] for proof in proofs], 4).items()},
    }  # fmt: skip
