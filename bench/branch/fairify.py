"""The 25 networks of Fairify: random applicants certified under keys of limited constraints, one of each proven.

Networks, domains and applicants are those of `bench.fairify_networks`. Features are divided by their ranges; layer 1
absorbs the factors.
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from bench.branch.points import Branched, Known, Task, branched, radii, reference, searches, with_quartiles
from bench.branch.proofs import prove_all, summary
from bench.fairify_networks import NETWORKS, draw, folder_in, load
from bench.harness import spread
from bench.harness import table as markdown
from bench.parts import BaseQuestion, Options, Plan, side_by_side
from equiproof.circuits.shape import Shape, branch_shape
from equiproof.ffi import backend
from equiproof.prover.opening import Opening, commit

LEAST = 16
"""The leaves of a key whose network leaves no room for more."""


@dataclass(frozen=True)
class Question(BaseQuestion):
    """Random applicants of each network, under a key of at most so many constraints and `capacity` leaves."""

    points: int = 15
    seconds: float = 10.0
    networks: tuple[str, ...] = tuple(NETWORKS)
    constraints: int = 500_000
    capacity: int = 128


@dataclass(frozen=True)
class Point:
    """A fair applicant: the certified evidence, the known interval of R2, and the seconds that it took."""

    found: Branched
    known: Known
    reference_s: float


def plan(data_dir: Path | None, options: Options, question: Question | None = None) -> Plan:
    """Return a part for every network; measuring raises BenchError where it is missing."""
    asked = options.of(question or Question())
    parts = {name: partial(_measured, data_dir, name, asked) for name in asked.networks}
    return Plan(asked.as_data("networks"), parts)


def around(task: Task) -> Point | None:
    """Search around one applicant; None if the decision depends on the sensitive value there."""
    found = branched(task)
    return None if found is None else Point(found, *reference(task, found))


def fitting(opening: Opening, most: int, constraints: int) -> Shape:
    """Return the shape of the most leaves, `most` or fewer, whose circuit has at most so many constraints.

    Leaves are powers of two. Where not even LEAST fit, the shape has LEAST, or `most` if that is fewer.
    """
    spec, hidden, capacity = opening.spec, opening.network.hidden, most
    while True:
        shape = branch_shape(spec, hidden, capacity)
        if capacity <= LEAST or backend.describe(shape.document).constraints <= constraints:
            return shape
        capacity //= 2


def _measured(data_dir: Path | None, name: str, question: Question) -> dict[str, Any]:
    """Search around a network's applicants in parallel, then prove the first."""
    imported = load(folder_in(data_dir), name)
    opening = commit(imported.quantised, imported.spec)
    spec, shape = opening.spec, fitting(opening, question.capacity, question.constraints)
    rng = random.Random(name)  # noqa: S311 - applicants for a benchmark
    queries = [draw(spec, rng) for _ in range(question.points)]
    tasks = [Task(opening.network, spec, query, shape.capacity, question.seconds) for query in queries]
    points = side_by_side(around, tasks, question.jobs)
    fair = [(query, point) for query, point in zip(queries, points, strict=True) if point is not None]
    with tempfile.TemporaryDirectory() as place:
        proven = prove_all(opening, shape, [(query, point.found.evidence) for query, point in fair[:1]], Path(place))
    return {
        "hidden": list(opening.network.hidden),
        "plain_columns": spec.plain_columns,
        "slices": shape.slices,
        "capacity": shape.capacity,
        "unfair_points": len(points) - len(fair),
        **_compared([point for _, point in fair]),
        "radius_all": radii(spec, [point.found.radius_squared for _, point in fair]),
        "most_all": radii(spec, [point.known.most for _, point in fair]),
        "known_all": [int(point.known.exact) for _, point in fair],
        **summary(proven),
    }


def _compared(points: Sequence[Point]) -> dict[str, Any]:
    """Count and summarize fair points."""
    return {
        "fair_points": len(points),
        "known_points": sum(point.known.exact for point in points),
        "reached_points": sum(point.known.reached(point.found.radius_squared) for point in points),
        **searches([point.found for point in points]),
        **spread("reference_s", [point.reference_s for point in points], 2),
    }


def table(results: Mapping[str, Any]) -> str:
    """Write one line per network."""
    rows = [
        (
            f"{name} {'-'.join(map(str, part['hidden']))}",
            f"{part['fair_points']} of {part['fair_points'] + part['unfair_points']}",
            str(part["capacity"]),
            f"{part['constraints']:,}",
            with_quartiles(part, "leaves", 0),
            _median(part, "radius"),
            _median(part, "most"),
            _share(part),
            f"{part['known_points']}, {part['reached_points']}",
            with_quartiles(part, "certify_s", 2),
            _cell(part, "witness_s", 1),
            _cell(part, "prove_s", 2),
            _cell(part, "check_ms", 1),
            "-" if part["proof_bytes"] is None else str(part["proof_bytes"]),
            f"{part['peak_mb']:,.0f}",
        )
        for name, part in results["parts"].items()
    ]
    head = (
        "net", "fair points", "K", "constraints", "leaves", "eps", "eps* at most", "share",
        "eps* known, reached", "certify s",
        "witness s", "prove s", "check ms", "proof B", "peak MB",
    )  # fmt: skip
    return markdown(head, rows)


def _median(part: Mapping[str, Any], name: str) -> str:
    """Write the median of a list with the least and the largest."""
    values = part[f"{name}_all"]
    found = spread("x", values, 4)["x"]
    return "-" if found is None else f"{found:.3f} ({min(values):.3f} to {max(values):.3f})"


def _share(part: Mapping[str, Any]) -> str:
    """Write the median share of the upper bound that is certified, and the least."""
    shares = [least / most for least, most in zip(part["radius_all"], part["most_all"], strict=True) if most]
    found = spread("x", shares, 4)["x"]
    return "-" if found is None else f"{found:.1%} ({min(shares):.1%})"


def _cell(part: Mapping[str, Any], name: str, digits: int) -> str:
    """Write the one value of one proof."""
    return "-" if part[name] is None else f"{part[name]:.{digits}f}"
