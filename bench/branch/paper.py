"""The paper's six models under keys of 64 leaves: radii and costs of certificates."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from bench.branch.points import (
    MAX_LEAVES,
    Branched,
    Known,
    Task,
    branched,
    radii,
    searches,
    walked_exactly,
    with_quartiles,
)
from bench.branch.proofs import prove_all, summary
from bench.harness import BenchError, spread, within
from bench.harness import table as markdown
from bench.paper.cases import PAPER, Case
from bench.paper.measure import Question as Sample
from bench.paper.measure import prepare
from bench.paper.walk import MAX_REGIONS
from bench.parts import BaseQuestion, Options, Plan, side_by_side
from equiproof.certify.traversal.search import Search, search
from equiproof.circuits.shape import branch_shape

WANTED = 0.95
"""The target share of fair points certified to their exact radius."""

LIMITS = {"constraints": 32_000, "prove_s": 0.5, "check_ms": 5.0, "proof_bytes": 200}


@dataclass(frozen=True)
class Question(BaseQuestion):
    """Fair variants of the paper's models, under keys of `capacity` leaves."""

    points: int = 100
    seconds: float = 20.0
    capacity: int = 64
    cases: tuple[Case, ...] = PAPER


@dataclass(frozen=True)
class Point:
    """A fair applicant: the result with the key's leaves, the known interval of R2, and the radii of the walk.

    `walk` is the squared radius of scheme `traversal` with as many regions as the key has leaves, `full` the walk's
    own largest. `needed` is the number of leaves that reach R2 if the key's do not, None if no search reached it.
    """

    found: Branched
    known: Known
    exact_s: float
    walk: int
    full: int
    needed: int | None


def plan(data_dir: Path | None, options: Options, question: Question | None = None) -> Plan:
    """Return a part for every model. Measuring raises as `bench.paper.measure.measure`."""
    asked = options.of(question or Question())
    parts = {case.name: partial(_measured, case, asked, data_dir) for case in asked.cases}
    return Plan(asked.as_data("cases"), parts)


def around(task: Task) -> Point | None:
    """Search around one applicant by every method; None if the applicant is treated unfairly."""
    spec = task.spec
    found, exact = branched(task), walked_exactly(task)
    walk = search(
        task.network,
        task.query,
        spec.domain_table,
        max_radius_squared=spec.max_radius_squared,
        max_regions=MAX_REGIONS,
    )
    if found is None or exact is None or not isinstance(walk, Search):
        if found is None and exact is None and not isinstance(walk, Search):
            return None
        raise BenchError("the searches disagree whether an applicant is fair")
    known = found.known.both(exact[0])
    needed: int | None = None
    if not known.reached(found.radius_squared):
        more = branched(task, MAX_LEAVES)
        if more is not None and known.both(more.known).reached(more.radius_squared):
            needed = more.leaves
    return Point(found, known, exact[1], walk.radius_for(task.capacity), walk.radius_squared, needed)


def _measured(case: Case, question: Question, data_dir: Path | None) -> dict[str, Any]:
    """Train a model, search around its applicants in parallel, then prove all evidence."""
    made = prepare(Sample(case, "fair", question.points, question.seed, question.capacity), data_dir)
    opening, spec = made.opening, made.opening.spec
    queries = [spec.encode(row) for row in made.rows]
    tasks = [Task(opening.network, spec, query, question.capacity, question.seconds) for query in queries]
    points = side_by_side(around, tasks, question.jobs)
    fair = [(query, point) for query, point in zip(queries, points, strict=True) if point is not None]
    shape = branch_shape(spec, opening.network.hidden, question.capacity)
    with tempfile.TemporaryDirectory() as folder:
        proven = prove_all(opening, shape, [(query, point.found.evidence) for query, point in fair], Path(folder))
    return {
        "title": case.title,
        "hidden": list(case.hidden),
        "plain_columns": spec.plain_columns,
        "slices": shape.slices,
        "unfair_points": len(points) - len(fair),
        **compared([point for _, point in fair]),
        **{
            f"{name}_all": radii(spec, values)
            for name, values in (
                ("radius", [point.found.radius_squared for _, point in fair]),
                ("exact", [point.known.most for _, point in fair]),
                ("walk", [point.walk for _, point in fair]),
            )
        },
        **summary(proven),
    }


def compared(points: Sequence[Point]) -> dict[str, Any]:
    """Count the points that reach R2, the leaves that the others need, and the points where the walk is farther."""
    rest = [point for point in points if not point.known.reached(point.found.radius_squared)]
    return {
        "fair_points": len(points),
        "known_points": sum(point.known.exact for point in points),
        "reached_points": len(points) - len(rest),
        "needed_leaves": sorted(point.needed for point in rest if point.needed is not None),
        "unreached_points": sum(point.needed is None for point in rest),
        "below_walk_points": sum(point.found.radius_squared < max(point.walk, point.full) for point in points),
        **searches([point.found for point in points]),
        **spread("exact_s", [point.exact_s for point in points], 3),
    }


def reach(results: Mapping[str, Any]) -> str:
    """Write who reaches the exact radius, and the radius of the walk."""
    rows = []
    for part in results["parts"].values():
        share = part["reached_points"] / part["fair_points"] if part["fair_points"] else 0.0
        rest = [str(leaves) for leaves in part["needed_leaves"]]
        rest += [f"{part['unreached_points']} in no time"] if part["unreached_points"] else []
        rows.append(
            (
                part["title"],
                f"{part['fair_points']} of {part['fair_points'] + part['unfair_points']}",
                str(part["known_points"]),
                f"{part['reached_points']}{'' if share >= WANTED else f' (fewer than {WANTED:.0%})'}",
                ", ".join(rest) or "-",
                with_quartiles(part, "leaves", 0),
                str(part["below_walk_points"]),
                f"{_median_ratio(part, 'radius', 'walk')}",
                f"{_median_ratio(part, 'radius', 'exact')}",
            )
        )
    capacity = results["question"]["capacity"]
    head = (
        "model", "fair points", "exact radius known", f"reached with {capacity} leaves", "leaves that the rest need",
        "leaves", "walk farther", f"radius / walk with {capacity} regions", "radius / exact",
    )  # fmt: skip
    return markdown(head, rows)


def _median_ratio(part: Mapping[str, Any], name: str, other: str) -> str:
    """Write the median ratio of two radii with its quartiles, over the points where the second is not 0."""
    pairs = zip(part[f"{name}_all"], part[f"{other}_all"], strict=True)
    ratios = spread("x", [one / two for one, two in pairs if two], 2)
    return "-" if ratios["x"] is None else f"{ratios['x']:.2f} ({ratios['x_q1']:.2f} to {ratios['x_q3']:.2f})"


def costs(results: Mapping[str, Any]) -> str:
    """Write the costs of certificates; a figure beyond its limit is marked."""
    rows = [
        (
            part["title"],
            _within(f"{part['constraints']:,}", part, "constraints"),
            with_quartiles(part, "certify_s", 3),
            with_quartiles(part, "exact_s", 3),
            f"{part['setup_s']:.1f}",
            with_quartiles(part, "witness_s", 3),
            _within(with_quartiles(part, "prove_s", 3), part, "prove_s"),
            _within(f"{part['check_ms']:.1f} ({part['check_ms_max']:.1f})", part, "check_ms"),
            _within(str(part["proof_bytes"]), part, "proof_bytes"),
            f"{part['peak_mb']:.0f}",
        )
        for part in results["parts"].values()
        if part["proofs"]
    ]
    head = (
        "model", "constraints", "certify s", "exact GeoCert s", "set-up s", "witness s", "prove s", "check ms",
        "proof B", "peak MB",
    )  # fmt: skip
    return markdown(head, rows)


def _within(text: str, part: Mapping[str, Any], name: str) -> str:
    """Return a figure's text, with its limit where it is exceeded."""
    return within(text, part[name], LIMITS[name])


def plot(results: Mapping[str, Any], path: Path) -> None:
    """Draw every point's radius against the walk's and against the exact one, a panel per model, into an SVG file."""
    from bench.drawing import figure

    with figure(path, 2, 3) as panels:
        for axes, part in zip(panels.flat, results["parts"].values(), strict=False):
            most = max((*part["exact_all"], *part["radius_all"]), default=1.0) or 1.0
            axes.plot([0, most], [0, most], color="0.7", linewidth=0.8)
            axes.plot(part["exact_all"], part["walk_all"], "x", color="tab:orange", markersize=4, label="traversal")
            axes.plot(part["exact_all"], part["radius_all"], ".", color="tab:blue", markersize=4, label="branch")
            axes.set(xlabel="exact radius", ylabel="certified radius", title=part["title"])
        panels[0][0].legend(fontsize=8)
