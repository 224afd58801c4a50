"""Keys for the models that most lenders use, beside the targets that were set for them before they were built.

A key has room for K leaves, V slots and A rows together. How many applicants get their exact radius with it, or 0.9 of
it, is counted with the product's own search; proofs are of these applicants, by the product's prover.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from math import ceil, sqrt
from pathlib import Path
from typing import Any

from bench.branch.proofs import Found, prove_all, summary
from bench.harness import BenchError, apart, spread
from bench.parts import BaseQuestion, Options, Plan
from bench.sample import shuffled
from equiproof.certify.additive import AdditiveModel
from equiproof.certify.branch.budget import Meter
from equiproof.certify.data import load
from equiproof.certify.ensemble import EnsembleModel
from equiproof.certify.traversal.search import Counterexample
from equiproof.certify.trees.ensemble_search import EnsembleSearch
from equiproof.certify.trees.nearest import nearest
from equiproof.certify.trees.oriented import orient
from equiproof.certify.trees.problem import problem_of
from equiproof.certify.trees.search import AdditiveSearch, search_under
from equiproof.circuits.shape import Shape, additive_shape, ensemble_shape
from equiproof.circuits.spec import Spec
from equiproof.ffi import search as native
from equiproof.prover.estimate import TooLargeError, estimate
from equiproof.prover.evidence import find_evidence
from equiproof.prover.opening import Opening
from research.suites.target_models import MODELS, Model, Room, committed

Searched = AdditiveSearch | EnsembleSearch

STEP = 8
"""The slots of a key that is made for what its model needs are a multiple of this."""


@dataclass(frozen=True)
class Question(BaseQuestion):
    """The first fair ones of random test applicants; `seconds` limits each search, `proofs` of them are proven.

    Keys of more than `largest` constraints are made for the last data set only; of others, constraints are counted.
    """

    points: int = 20
    seconds: float = 10.0
    jobs: int = 1
    proofs: int = 3
    datasets: tuple[str, ...] = ("german", "adult")
    largest: int = 250_000


@dataclass(frozen=True)
class Reach:
    """A model's key and what its applicants get: plain data, and the evidence that is proven."""

    opening: Opening
    shape: Shape
    figures: dict[str, Any]
    found: tuple[Found, ...]


def plan(data_dir: Path | None, options: Options, question: Question | None = None) -> Plan:
    """Return a part for every model and data set. Raises BenchError for several processes: proofs are timed."""
    options.one_by_one("targets", "searches and proofs")
    asked = options.of(question or Question())
    parts = {
        f"{dataset}-{model.name}": partial(measured, dataset, model, asked, data_dir)
        for model in MODELS
        for dataset in asked.datasets
    }
    return Plan(asked.as_data(), parts)


def measured(dataset: str, model: Model, question: Question, data_dir: Path | None) -> dict[str, Any]:
    """Search around a model's applicants, then prove some; searches and proofs have processes of their own."""
    reach = apart(reached, dataset, model, question, data_dir)
    figures = {"dataset": dataset, "model": model.name} | reach.figures
    constraints = figures["constraints"]
    if constraints is None or (constraints > question.largest and dataset != question.datasets[-1]):
        return figures
    with tempfile.TemporaryDirectory() as folder:
        made = prove_all(reach.opening, reach.shape, reach.found, Path(folder))
    return figures | summary(made) | spread("prove_cpu_s", [one["prove_cpu_s"] for one in made["proofs"]], 3)


def reached(dataset: str, model: Model, question: Question, data_dir: Path | None) -> Reach:
    """Train a model, choose its key, and search around its applicants; raises BenchError where none is fair."""
    data = load(dataset, data_dir)
    own = committed(model, data)
    opening = Opening.of(own, data.spec, blinding=1)
    fair = _fair(opening, (data.spec.encode(data.rows[number]) for number in shuffled(list(data.test), question.seed)))
    queries = list(islice(fair, question.points))
    if not queries:
        raise BenchError(f"{dataset}-{model.name}: the sensitive columns change the decision of every test applicant")
    exact = [exact_seconds(opening, query, question.seconds) for query in queries]
    room = _room(opening, model.room, queries, question.seconds)
    shape = shape_of(opening, room)
    begun = time.perf_counter()
    found = [_searched(opening, shape, query, question.seconds) for query in queries]
    seconds = (time.perf_counter() - begun) / len(queries)
    return Reach(
        opening,
        shape,
        {
            "room": list(room),
            "predicates": list(own.predicates),
            "nodes": list(own.nodes.sizes) if isinstance(own, EnsembleModel) else [0, 0],
            **_counted(shape),
            "points": len(queries),
            "certify_s": round(seconds, 3),
            "exact_s_all": [round(one, 4) for one in exact],
            **_figures(found, data.spec),
        },
        tuple((query, one.evidence) for query, one in zip(queries[: question.proofs], found, strict=False)),
    )


def shape_of(opening: Opening, room: Room) -> Shape:
    """Return the shape of a model's key."""
    own, slots = opening.model, room.slots or 1
    if isinstance(own, EnsembleModel):
        return ensemble_shape(opening.spec, own.predicates, own.nodes.sizes, slots, room.rows, room.leaves)
    return additive_shape(opening.spec, opening.additive.predicates, slots, room.leaves)


def exact_seconds(opening: Opening, query: Sequence[int], seconds: float) -> float:
    """Return the seconds of the search for the exact radius alone; `seconds` where they did not suffice."""
    own, spec = opening.model, opening.spec
    cap = spec.max_radius_squared
    begun = time.perf_counter()
    if isinstance(own, AdditiveModel):
        oriented = orient(own, query, spec.domain_table, max_radius_squared=cap, box=spec.box)
        complete = isinstance(oriented, Counterexample) or nearest(oriented, cap, Meter(seconds)).ended is None
    else:
        problem = problem_of(opening.ensemble, query, spec.domain_table, max_radius_squared=cap, box=spec.box)
        complete = (
            isinstance(problem, Counterexample)
            or native.nearest(problem.text, cap, milliseconds=round(1e3 * seconds)).complete
        )
    return time.perf_counter() - begun if complete else seconds


def _fair(opening: Opening, queries: Iterator[tuple[int, ...]]) -> Iterator[tuple[int, ...]]:
    """Yield the queries with one decision on all slices."""
    own, table = opening.model, opening.spec.domain_table
    if not isinstance(own, AdditiveModel | EnsembleModel):
        raise TypeError("want a model of scheme trees")
    for query in queries:
        decisions = {own.decide((*query, *row)) for row in table}
        if len(decisions) == 1 and None not in decisions:
            yield query


def _searched(opening: Opening, shape: Shape, query: Sequence[int], seconds: float) -> Searched:
    """Search as the prover does under a key."""
    found = find_evidence(opening, shape, query, seconds, None)
    if isinstance(found, Counterexample) or not isinstance(found.search, Searched):
        raise TypeError("want evidence about a fair applicant")
    return found.search


def _room(opening: Opening, room: Room, queries: Sequence[tuple[int, ...]], seconds: float) -> Room:
    """Return a key's room, with no more slots than there are predicates, and no more rows than nodes.

    Where no slots are given, as many as nine of ten exact radii need, a multiple of STEP.
    """
    slots = room.slots
    if slots is None:
        found = [
            search_under(opening.additive, opening.spec, query, max_leaves=room.leaves, max_seconds=seconds)
            for query in queries
        ]
        needs = [one.needed_slots for one in found if isinstance(one, AdditiveSearch)]
        slots = STEP * ceil(max(1, nine_of_ten(needs)) / STEP)
    nodes = opening.sizes[3] if len(opening.sizes) > 2 else 0
    return room._replace(slots=min(slots, opening.sizes[0]), rows=min(room.rows, nodes))


def nine_of_ten(values: Sequence[Any]) -> Any:
    """Return the least of the values that nine of ten do not exceed."""
    return sorted(values)[ceil(0.9 * len(values)) - 1]


def _counted(shape: Shape) -> dict[str, Any]:
    """Count the constraints of a key, and what they are for; None for a key that is too large to be compiled."""
    try:
        found = estimate(shape)
    except TooLargeError as error:
        return {"constraints": None, "too_large": str(error), "gadgets": []}
    gadgets = sorted(found.parts, key=lambda part: -part[1])[:3]
    return {"constraints": found.constraints, "gadgets": [list(part) for part in gadgets]}


def _figures(found: Sequence[Searched], spec: Spec) -> dict[str, Any]:
    """Return by applicant the share of the exact radius that the key proves, why not more, and what all of it needs."""
    return {
        "radius_all": [round(sqrt(one.radius_squared) / spec.scale_unit, 4) for one in found],
        "share_all": [_share(one, spec) for one in found],
        "ended_all": [one.ended or "" for one in found],
        "slots_all": [one.needed_slots for one in found],
        "rows_all": [one.needed_rows if isinstance(one, EnsembleSearch) else 0 for one in found],
    }


def _share(found: Searched, spec: Spec) -> float:
    """Return a radius as a share of the least known distance of a wrong decision; 1 for a complete search alone."""
    if found.complete:
        return 1.0
    whole = float(spec.max_radius_squared if found.upper is None else found.upper)
    return min(0.9999, int(1e4 * sqrt(found.radius_squared / whole)) / 1e4)


def parts_of(results: Mapping[str, Any]) -> Iterator[tuple[Mapping[str, Any], Model]]:
    """Yield the measured parts with their models."""
    by_name = {model.name: model for model in MODELS}
    for part in results["parts"].values():
        yield part, by_name[part["model"]]
