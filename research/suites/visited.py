"""Ensembles that resolve only the nodes that a ball reaches: how many these are, and what such a circuit would take.

A circuit that opens its model resolves every node. One that takes the model's words from a link, one a node, resolves
those on the way of the ball alone (docs/relation-visited.md). Nodes are counted around real applicants; the constraints
of that circuit are estimated from those of the other one, which are exact, as they were before there was one.
"""

from __future__ import annotations

import importlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from bench.harness import BenchError, apart, median
from bench.harness import table as markdown
from bench.parts import BaseQuestion, Options, Plan
from bench.sample import shuffled
from equiproof.certify.data import load
from equiproof.certify.data.dataset import Dataset, encode_rows
from equiproof.certify.ensemble import Child, EnsembleModel
from equiproof.certify.models.ensembles.ensemble import Ensemble
from equiproof.certify.models.ensembles.imported import ImportedScore, bound_score
from equiproof.certify.models.ensembles.reading import read_ensemble
from equiproof.certify.models.ensembles.training import between_columns
from equiproof.certify.models.importing.bind import column_names
from equiproof.certify.traversal.search import Counterexample
from equiproof.certify.trees.problem import Problem, problem_of
from equiproof.certify.trees.rows import children_of
from equiproof.circuits.shape import Shape, ensemble_shape
from equiproof.circuits.spec import Spec
from equiproof.ffi import search as native
from equiproof.prover.estimate import Estimate, estimate
from equiproof.prover.evidence import find_evidence
from equiproof.prover.opening import Opening
from equiproof.prover.scored_opening import set_counts
from research.suites.lenders import LARGE_ROOM, import_published, published_rows
from research.suites.target_models import MODELS, Room, committed
from research.suites.targets import nine_of_ten

Results = Mapping[str, Any]

RADII = (0.2, 0.4, 0.8)
"""The radii of the counted balls, in units of the spec's columns: standard deviations, or those of public data."""

BOXES = 20_000
"""The boxes of each search; seconds would give other counts on other machines."""

PER_NODE = 2
"""A word of the model: its row in the polynomial of the link, and its entry in the table of nodes."""

PER_VISITED = 16
"""A node that the evidence names: its word looked up and unpacked, its predicate looked up, and one child passed on."""

LOOKUPS = 13
"""What every node of today's circuit adds to part `predicates`, where the arguments of the lookups are counted."""

SHOWN = 432 + 216 + 1
"""The digest of what the link shows, its place in the statement, and the mask of the first commitment."""

PAIRS_DEAD = 3_500
"""So many dead nodes of a ball leave the target of the boosting machine with pairs within reach."""

TARGETS = {"300x6": 0.38, "ebm-pairs": 0.22}
"""The largest share of today's constraints that was asked for."""

OWN = ("100x3", "100x4", "300x6", "ebm-pairs")
"""The models of suite `targets` that are counted on Adult."""

PUBLISHED = (
    ("adult", 200, 5),
    ("adult", 500, 6),
    ("churn", 500, 6),
    ("german_credit", 800, 6),
    ("pimadiabetes", 500, 6),
)
"""The public models that are counted: data set, trees and depth; the least, and the largest one of each data set."""

DEFAULTS = "lightgbm"
"""LightGBM with its defaults: 100 trees of 31 leaves."""


@dataclass(frozen=True)
class Question(BaseQuestion):
    """The first fair ones of random test applicants."""

    points: int = 20
    seconds: float = 0.0
    jobs: int = 1


class Visit(NamedTuple):
    """How many nodes the roots lead to without crossing a dead threshold: live ones, and dead ones on the way."""

    live: int
    dead: int


def plan(data_dir: Path | None, options: Options, question: Question | None = None) -> Plan:
    """Return a part for every model. Raises BenchError for several processes."""
    options.one_by_one("visited", "searches")
    asked = options.of(question or Question())
    parts: dict[str, Any] = {
        f"adult-{name}": partial(apart, of_adult, name, asked, data_dir) for name in (*OWN, DEFAULTS)
    }
    for dataset, trees, depth in PUBLISHED:
        parts[f"public-{dataset}-{trees}x{depth}"] = partial(apart, of_public, dataset, trees, depth, asked, data_dir)
    return Plan(asked.as_data("seconds"), parts)


def visit(model: EnsembleModel, query: Sequence[int], slots: Collection[int]) -> Visit:
    """Count the nodes that a ball around n_x integers reaches; `slots` are the places of its live predicates."""
    live = frozenset(slots)
    plain = model.predicates[0]
    ahead = list(range(model.nodes.roots))
    lively = dead = 0
    while ahead:
        node = ahead.pop()
        place = model.nodes.predicates[node]
        if place in live or place >= plain:
            lively += 1
            reached: Sequence[Child] = model.nodes.children[node]
        else:
            dead += 1
            reached = children_of(model, node, query)[:1]
        ahead += [child.number for child in reached if child.is_node]
    return Visit(lively, dead)


def of_adult(name: str, question: Question, data_dir: Path | None) -> dict[str, Any]:
    """Train a model on Adult and count."""
    data = load("adult", data_dir)
    by_name = {model.name: model for model in MODELS}
    own = with_defaults(data) if name == DEFAULTS else committed(by_name[name], data)
    if not isinstance(own, EnsembleModel):
        raise BenchError(f"adult-{name}: every tree of the model reads one column")
    queries = (data.spec.encode(data.rows[number]) for number in shuffled(list(data.test), question.seed))
    room = LARGE_ROOM if name == DEFAULTS else by_name[name].room
    return {"model": name} | counted(own, data.spec, queries, room, question)


def with_defaults(data: Dataset) -> Any:
    """Train LightGBM as it comes on the columns as they are committed, so that its cuts are between them."""
    try:
        lightgbm: Any = importlib.import_module("lightgbm")
    except ImportError:
        raise BenchError("LightGBM is missing") from None
    spec, train = data.spec, np.asarray(data.train)
    inputs = encode_rows(spec, data.rows) / spec.scale_unit
    machine = lightgbm.LGBMClassifier(random_state=0, n_jobs=1, verbose=-1)
    machine.fit(inputs[train], data.label_array()[train], feature_name=list(column_names(spec)))
    read = read_ensemble(machine)
    if not isinstance(read, Ensemble):
        raise TypeError("want the trees of a booster")
    return bound_score(between_columns(read, spec), spec, units="spec", rows=data.rows).model


def of_public(dataset: str, trees: int, depth: int, question: Question, data_dir: Path | None) -> dict[str, Any]:
    """Import a public model and count; `skipped` is the reason where the models are missing."""
    head = {"model": f"{dataset}-{trees}x{depth}"}
    try:
        path, table = published_rows(dataset, trees, depth, data_dir)
    except BenchError as missing:
        return head | {"skipped": str(missing)}
    bound = import_published(dataset, path, table).bound
    if not isinstance(bound, ImportedScore) or not isinstance(bound.model, EnsembleModel):
        raise BenchError(f"{path}: not a model of trees")
    queries = (bound.spec.encode(table[row]) for row in shuffled(list(range(len(table))), question.seed))
    return head | counted(bound.model, bound.spec, queries, LARGE_ROOM, question)


def counted(
    model: EnsembleModel, spec: Spec, queries: Iterator[Sequence[int]], room: Room, question: Question
) -> dict[str, Any]:
    """Count around the first fair queries: the nodes of each ball, and the constraints of a key.

    Balls are those of RADII, the one that the key proves (`certified`), and the largest one that nothing wrong is in as
    far as the search went (`exact`).
    """
    shape = shape_of(model, spec, model.nodes.sizes, room)
    opening = Opening.of(model, spec, blinding=1)
    cap = spec.max_radius_squared
    balls: dict[str, list[Visit]] = {name: [] for name in (*map(str, RADII), "certified", "exact")}
    complete = 0
    for query, problem in islice(_fair(model, spec, queries), question.points):
        found = find_evidence(opening, shape, query, None, None)
        if isinstance(found, Counterexample):
            raise TypeError("want a fair applicant")
        farthest = native.nearest(problem.text, cap, nodes=BOXES)
        complete += farthest.complete
        squares = [min(int((radius * spec.scale_unit) ** 2), cap) for radius in RADII]
        squares += [found.evidence.radius_squared, farthest.lower2]
        for name, squared in zip(balls, squares, strict=True):
            balls[name].append(visit(model, problem.query, problem.slots(squared)))
    if not balls["exact"]:
        raise BenchError("the sensitive columns change the decision of every applicant")
    return {
        "trees": model.nodes.sizes[0],
        "nodes": model.nodes.sizes[1],
        "predicates": list(model.predicates),
        "slices": len(spec.domain_table),
        "room": [shape.capacity, shape.slot_count, shape.row_count],
        "points": len(balls["exact"]),
        "complete": complete,
        "today": estimate(shape).constraints,
        "others": other_constraints(model, spec, room),
        "balls": {
            name: {
                "live": _three([one.live for one in visits]),
                "dead": _three([one.dead for one in visits]),
                "visited": _three([one.live + one.dead for one in visits]),
            }
            for name, visits in balls.items()
        },
    }


def _fair(
    model: EnsembleModel, spec: Spec, queries: Iterator[Sequence[int]]
) -> Iterator[tuple[Sequence[int], Problem]]:
    """Yield the queries with one decision on all slices, and the model around each."""
    for query in queries:
        seen, cap = model.additive.seen(query), spec.max_radius_squared
        problem = problem_of(model, seen, spec.domain_table, max_radius_squared=cap, box=spec.box)
        if isinstance(problem, Problem):
            yield query, problem


def _three(values: Sequence[int]) -> list[int]:
    """Return the median, rounded down, what nine of ten do not exceed, and the largest."""
    return [int(median(values, 1) or 0), nine_of_ten(values), max(values)]


def shape_of(model: EnsembleModel, spec: Spec, nodes: tuple[int, int], room: Room) -> Shape:
    """Return the shape of a key with this room, or as much of it as the model can use."""
    slots, rows = min(room.slots or 1, model.predicates[0]), min(room.rows, nodes[1])
    return ensemble_shape(spec, model.predicates, nodes, slots, rows, room.leaves, set_counts(model))


def other_constraints(model: EnsembleModel, spec: Spec, room: Room) -> int:
    """Return what the circuit of a key takes today beside opening the model and resolving its nodes.

    It is counted of a model with as few nodes as the rows and trees allow: gnark chooses how range checks are made by
    how many there are, and a circuit that resolves few nodes has few.
    """
    trees, nodes = model.nodes.sizes
    few = min(nodes, max(trees, room.rows))
    return without_nodes(estimate(shape_of(model, spec, (trees, few), room)), few)


def without_nodes(found: Estimate, nodes: int) -> int:
    """Return the constraints of a circuit without its opening of the model and without its nodes."""
    parts = dict(found.parts)
    return found.constraints - parts["commitment"] - parts["nodes"] - LOOKUPS * nodes


def resolving(part: Mapping[str, Any], dead: int) -> int:
    """Estimate the constraints of a circuit that resolves a key's rows and so many dead nodes, at most all nodes."""
    nodes: int = part["nodes"]
    others: int = part["others"]
    words: int = 3 * sum(part["predicates"]) + 1
    visited: int = min(nodes, part["room"][2] + dead)
    return others + words + PER_NODE * nodes + PER_VISITED * visited + SHOWN


def _measured(results: Results) -> Iterator[Mapping[str, Any]]:
    return (part for part in results["parts"].values() if "skipped" not in part)


def nodes_table(results: Results) -> str:
    """Write a line for each model and ball: live and dead nodes, and both together, median / nine of ten / largest."""
    lines = [
        (
            part["model"] if name == str(RADII[0]) else "",
            f"{part['nodes']:,}" if name == str(RADII[0]) else "",
            name,
            *(" / ".join(f"{number:,}" for number in ball[kind]) for kind in ("live", "dead", "visited")),
        )
        for part in _measured(results)
        for name, ball in part["balls"].items()
    ]
    return markdown(("model", "nodes", "ball", "live", "dead on the way", "visited"), lines)


def most_dead(part: Mapping[str, Any], place: int) -> int:
    """Return the most dead nodes over a model's balls: of their medians (0), nine of ten (1) or the largest (2)."""
    numbers: list[int] = [ball["dead"][place] for ball in part["balls"].values()]
    return max(numbers)


def costs_table(results: Results) -> str:
    """Write one line per model: today's constraints, and what resolving the visited nodes alone would take."""
    lines = []
    for part in _measured(results):
        middle, most = most_dead(part, 0), most_dead(part, 2)
        target = TARGETS.get(part["model"])
        lines.append(
            (
                part["model"],
                f"{part['trees']:,}, {part['nodes']:,}",
                ", ".join(f"{number:,}" for number in part["room"]),
                f"{part['today']:,}",
                f"{middle:,} / {most:,}",
                f"{resolving(part, middle):,} / {resolving(part, most):,}",
                f"{resolving(part, middle) / part['today']:.2f} / {resolving(part, most) / part['today']:.2f}",
                "" if target is None else f"{target:.2f}",
            )
        )
    head = (
        "model", "trees, nodes", "K, V, A", "today", "dead nodes, median / largest", "visited nodes only", "ratio",
        "target",
    )  # fmt: skip
    return markdown(head, lines)


def finding(results: Results) -> str:
    """Say whether the median ball of the boosting machine with pairs passes few dead nodes; list what was skipped."""
    lines = []
    for part in _measured(results):
        if part["model"] == "ebm-pairs":
            dead = {name: ball["dead"][0] for name, ball in part["balls"].items()}
            many = "at most" if max(dead.values()) <= PAIRS_DEAD else "more than"
            listed = ", ".join(f"{number:,} ({name})" for name, number in dead.items())
            ratio = resolving(part, most_dead(part, 0)) / part["today"]
            lines.append(
                f"The median ball of the boosting machine with pairs passes {many} {PAIRS_DEAD:,} dead nodes: "
                f"{listed}. With room for the most of these its circuit would have {ratio:.2f} of today's constraints."
            )
    skipped = [part["model"] for part in results["parts"].values() if "skipped" in part]
    if skipped:
        lines.append(f"Skipped, as the files are missing: {', '.join(skipped)}.")
    return "\n\n".join(lines)
