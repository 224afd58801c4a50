"""Larger networks, trained here: certificates of test applicants, and their costs with few and with many leaves."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from bench.branch.points import Branched, Known, Task, branched, radii, reference, searches, with_quartiles
from bench.branch.proofs import prove_all, summary
from bench.harness import spread, within
from bench.harness import table as markdown
from bench.parts import BaseQuestion, Options, Plan, side_by_side
from bench.sample import sample_test_rows
from equiproof.certify.data import load
from equiproof.certify.data.dataset import Dataset
from equiproof.certify.models.quantise import quantise
from equiproof.certify.models.training import DEFAULTS, Settings, train
from equiproof.circuits.shape import branch_shape
from equiproof.prover.opening import Opening, commit

LIMITS: Mapping[tuple[str, int], Mapping[str, float]] = {
    ("100,50", 8): {"prove_s": 6.0, "peak_mb": 3000.0},
    ("100,50", 32): {"prove_s": 12.0, "peak_mb": 3000.0},
    ("64,64", 8): {"prove_s": 3.0},
}
"""Limits of proving, by hidden layers and leaves."""

NEAR = 0.9
"""The target share of the exact radius."""


@dataclass(frozen=True)
class Question(BaseQuestion):
    """Networks on data sets, and random test applicants of each.

    Certificates are searched with every capacity, and `proofs` of them proven with each. The first search has
    `seconds`, and so has each search that follows where it does not reach the exact radius.
    """

    points: int = 10
    seconds: float = 60.0
    datasets: tuple[str, ...] = ("german", "adult")
    hidden: tuple[tuple[int, ...], ...] = ((16, 8), (32, 16), (64, 64), (100, 50))
    capacities: tuple[int, ...] = (8, 32)
    decay: float = 0.005
    proofs: int = 3
    settings: Settings = DEFAULTS


@dataclass(frozen=True)
class Point:
    """A fair applicant: the result for each capacity, the known interval of R2, and the seconds that it took."""

    found: tuple[Branched, ...]
    known: Known
    reference_s: float


def plan(data_dir: Path | None, options: Options, question: Question | None = None) -> Plan:
    """Return a part for every network; measuring raises DataError where a data set is missing."""
    asked = options.of(question or Question())
    parts = {
        f"{name}-{'-'.join(map(str, hidden))}": partial(_measured, name, hidden, asked, data_dir)
        for name in asked.datasets
        for hidden in asked.hidden
    }
    return Plan(asked.as_data("settings"), parts)


def around(tasks: Sequence[Task]) -> Point | None:
    """Search with the capacity of each task, then for the exact radius; None for an unfair applicant."""
    found = [one for one in map(branched, tasks) if one is not None]
    if not found:
        return None
    known, seconds = reference(tasks[-1], found[-1])
    return Point(tuple(found), known, seconds)


def _measured(name: str, hidden: tuple[int, ...], question: Question, data_dir: Path | None) -> dict[str, Any]:
    """Train a network, search around its applicants in parallel, then prove some with each capacity."""
    data = load(name, data_dir)
    opening, accuracy = _trained(data, hidden, question)
    queries = _sample(data, question)
    tasks = [
        [Task(opening.network, data.spec, query, capacity, question.seconds) for capacity in question.capacities]
        for query in queries
    ]
    points = side_by_side(around, tasks, question.jobs)
    fair = [(query, point) for query, point in zip(queries, points, strict=True) if point is not None]
    spec = data.spec
    return {
        "dataset": name,
        "hidden": list(hidden),
        "plain_columns": spec.plain_columns,
        "slices": len(spec.domain_table),
        "accuracy": round(accuracy, 4),
        "unfair_points": len(points) - len(fair),
        "fair_points": len(fair),
        "known_points": sum(point.known.exact for _, point in fair),
        "known_all": [int(point.known.exact) for _, point in fair],
        "most_all": radii(spec, [point.known.most for _, point in fair]),
        **spread("reference_s", [point.reference_s for _, point in fair], 2),
        "capacities": [
            _with_capacity(opening, capacity, [(query, point.found[number], point.known) for query, point in fair],
                           question.proofs)
            for number, capacity in enumerate(question.capacities)
        ],
    }  # fmt: skip


def _trained(data: Dataset, hidden: tuple[int, ...], question: Question) -> tuple[Opening, float]:
    """Train and commit; return the opening and the test accuracy."""
    network, report = train(data, hidden, decay=question.decay, settings=question.settings)
    return commit(quantise(network, data.spec), data.spec), report.accuracy[1]


def _sample(data: Dataset, question: Question) -> list[tuple[int, ...]]:
    """Draw test rows."""
    return [data.spec.encode(data.rows[number]) for number in sample_test_rows(data, question.points, question.seed)]


def _with_capacity(
    opening: Opening, capacity: int, fair: Sequence[tuple[tuple[int, ...], Branched, Known]], proofs: int
) -> dict[str, Any]:
    """Return the radii certified with a capacity, and the costs of proving them."""
    spec, found = opening.spec, [one for _, one, _ in fair]
    shape = branch_shape(spec, opening.network.hidden, capacity)
    with tempfile.TemporaryDirectory() as folder:
        asked = [(query, one.evidence) for query, one, _ in fair[:proofs]]
        proven = summary(prove_all(opening, shape, asked, Path(folder)))
    return {
        "capacity": capacity,
        "radius_all": radii(spec, [one.radius_squared for one in found]),
        "reached_points": sum(known.reached(one.radius_squared) for _, one, known in fair),
        "without_radius_points": sum(one.radius_squared == 0 for one in found),
        **searches(found),
        **proven,
    }


def shares(part: Mapping[str, Any], of: Mapping[str, Any]) -> tuple[list[float], list[float]]:
    """Return the shares of the exact radius, and those of its upper bound where it is unknown."""
    known: list[float] = []
    bounded: list[float] = []
    for radius, most, exact in zip(of["radius_all"], part["most_all"], part["known_all"], strict=True):
        if most:
            (known if exact else bounded).append(radius / most)
    return known, bounded


def reach(results: Mapping[str, Any]) -> str:
    """Write who gets a certificate, and its share of the exact radius."""
    rows = []
    for part in results["parts"].values():
        for of in part["capacities"]:
            known, bounded = shares(part, of)
            rows.append(
                (
                    title(part),
                    str(of["capacity"]),
                    f"{part['fair_points']} of {part['fair_points'] + part['unfair_points']}",
                    str(of["without_radius_points"]),
                    _share_text(known),
                    str(sum(share < NEAR for share in known)),
                    _share_text(bounded),
                    f"{of['reached_points']} of {part['known_points']}",
                    with_quartiles(of, "leaves", 0),
                    with_quartiles(of, "certify_s", 2),
                )
            )
    head = (
        "network", "K", "fair points", "radius 0", "share of the exact radius", f"below {NEAR:.0%}",
        "share of its upper bound, where not known", "exact", "leaves", "certify s",
    )  # fmt: skip
    return markdown(head, rows)


def _share_text(values: Sequence[float]) -> str:
    """Write how many shares there are, their median and the least."""
    found = spread("x", values, 3)["x"]
    return "-" if found is None else f"{len(values)}: {found:.1%} (least {min(values):.1%})"


def costs(results: Mapping[str, Any]) -> str:
    """Write the costs of proving with few and with many leaves; a figure beyond its limit is marked."""
    rows = []
    for part in results["parts"].values():
        for of in part["capacities"]:
            limits = LIMITS.get((",".join(map(str, part["hidden"])), of["capacity"]), {})
            cells = {
                name: within(text, of[name], limits.get(name, math.inf))
                for name, text in (("prove_s", with_quartiles(of, "prove_s", 2)), ("peak_mb", f"{of['peak_mb']:,.0f}"))
            }
            rows.append(
                (
                    title(part),
                    str(of["capacity"]),
                    f"{of['constraints']:,}",
                    f"{of['setup_s']:.0f}",
                    f"{of['key_mb']:.0f}",
                    with_quartiles(of, "witness_s", 2),
                    cells["prove_s"],
                    with_quartiles(of, "check_ms", 1),
                    str(of["proof_bytes"]),
                    cells["peak_mb"],
                )
            )
    head = (
        "network", "K", "constraints", "set-up s", "key MB", "witness s", "prove s", "check ms", "proof B", "peak MB",
    )  # fmt: skip
    return markdown(head, rows)


def title(part: Mapping[str, Any]) -> str:
    """Return data set and hidden layers."""
    return f"{part['dataset'].capitalize()} ({','.join(map(str, part['hidden']))})"
