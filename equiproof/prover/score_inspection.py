"""What is known of a score before anything long is started: :mod:`.inspection` does the same for networks.

A score is an additive model or an ensemble. The key of an additive model has two limits: V slots, the thresholds that
are closer to an applicant than the radius, and K leaves; that of an ensemble also A rows, the splits that ask them.
Costs and radii are therefore those of rooms (V, A, K).
"""

from __future__ import annotations

import dataclasses
import math
import time
from collections.abc import Callable, Iterable, Sequence
from statistics import median_low

from equiproof.certify import documents
from equiproof.certify.capacity import Searches
from equiproof.certify.countdown import Clock, Countdown
from equiproof.certify.documents import Document, radius_text
from equiproof.certify.ensemble import EnsembleModel, ScoredModel
from equiproof.certify.models.fidelity import Fidelity
from equiproof.certify.pareto import ScoreParetoFront, score_pareto_front
from equiproof.certify.traversal.search import Counterexample
from equiproof.certify.trees.monotone import monotone_features
from equiproof.certify.trees.problem import problem_of
from equiproof.certify.trees.scored import Room
from equiproof.circuits.link_shape import link_shape
from equiproof.circuits.schemes import DEFAULT_CAPACITY, DEFAULT_ROWS, DEFAULT_SLOTS, DEFAULT_TREE_SLOTS
from equiproof.circuits.shape import Shape, additive_architecture, additive_shape, ensemble_shape, visiting_shape
from equiproof.circuits.spec import Spec
from equiproof.ffi.errors import MalformedInputError
from equiproof.prover.catalogue import cost_document, offer_score
from equiproof.prover.estimate import Estimate, TooLargeError, counting_seconds, estimate, estimate_link
from equiproof.prover.forms import forms_document
from equiproof.prover.inspection import spec_document
from equiproof.prover.scored_opening import set_counts

Progress = Callable[[int, int], None]

_SLOTS = (20, 40, 80)
"""The slots that are compared where none are asked for, as far as a model has so many thresholds."""

_ROOMS = ((40, 144), (80, 288), (120, 480))
"""The same of an ensemble, with the rows that go with the slots: half and more of the applicants of 100 trees fit."""

_LEAST_ENSEMBLE_LEAVES = 4
"""The least leaves that are compared for an ensemble: fewer make no smaller key that is worth having."""

_COUNTING_SHARE = 0.25
"""The share of the seconds for counting constraints, which goes first."""


def rooms_of(
    model: ScoredModel, slots: int | None = None, rows: int | None = None, largest: int | None = None
) -> list[Room]:
    """Return the rooms to compare: K in powers of two up to `largest`, for V = `slots` and A = `rows` or several."""
    most = largest or DEFAULT_CAPACITY
    least = min(most, _LEAST_ENSEMBLE_LEAVES) if isinstance(model, EnsembleModel) else 1
    powers = [1 << power for power in range(most.bit_length()) if 1 << power >= least] or [1 << most.bit_length() - 1]
    return [Room(*pair, power) for pair in _pairs(model, slots, rows) for power in powers]


def _pairs(model: ScoredModel, slots: int | None, rows: int | None) -> list[tuple[int, int | None]]:
    """Return V and A of the rooms to compare, ascending; A is None for an additive model."""
    most = max(1, model.predicates[0])
    if not isinstance(model, EnsembleModel):
        return [(step, None) for step in ([slots] if slots is not None else sorted({min(one, most) for one in _SLOTS}))]
    nodes = model.nodes.sizes[1]
    steps = {
        (min(step, most) if slots is None else slots, min(room, nodes) if rows is None else rows)
        for step, room in _ROOMS
    }
    return sorted(steps)


def explain_score(
    model: ScoredModel,
    spec: Spec,
    queries: Sequence[Sequence[int]],
    rooms: Sequence[Room],
    *,
    max_seconds: float | None = None,
    progress: Progress | None = None,
    clock: Clock = time.monotonic,
) -> Document:
    """Say what each room gives each query of n_x integers, and what its key and proof cost.

    All of it takes `max_seconds` for each query, on this clock; a room whose constraints would take longer to count
    than a part of that has no cost, and `beyond` says so. `progress` is called after every query with (done, all).
    """
    budget = Countdown(None if max_seconds is None else max_seconds * len(queries), clock)
    costs, beyond = _costs(model, spec, rooms, budget.left(_COUNTING_SHARE), clock)
    rows: list[Document] = []
    for number, query in enumerate(queries, start=1):
        seconds = budget.left(1 / (len(queries) - number + 1))
        front = score_pareto_front(model, spec, query, rooms, max_seconds=seconds, clock=clock)
        known = (
            documents.counterexample(spec, model, front)
            if isinstance(front, Counterexample)
            else documents.pareto_front(spec, "trees", front) | {"needed": _needed(front)}
        )
        rows.append({"row": number, **known})
        if progress is not None:
            progress(number, len(queries))
    return {"scheme": "trees", "capacities": [_cost(room, cost) for room, cost in costs], "beyond": beyond or None} | {
        "rows": rows
    }


def inspect_score(
    model: ScoredModel,
    spec: Spec,
    queries: Sequence[Sequence[int]],
    *,
    max_seconds: float,
    measured: Fidelity,
    progress: Progress | None = None,
    counting: Progress | None = None,
) -> Document:
    """Describe a score, and what each room costs and gives a sample of queries of n_x integers.

    `measured` is written out as `fidelity`, `standard` is the smallest standard shape. `kept` is what a kept key takes
    in the usual room, or the largest counted below it, and its links; `visiting` the same of keys whose certificates
    visit nodes, with room for the passed nodes of the sample. `progress` is called after every query and `counting`
    before every room whose constraints are counted, with (done, all).
    """
    rooms = rooms_of(model)
    searched: list[Sequence[int]] = []

    def search(query: Sequence[int]) -> ScoreParetoFront | Counterexample:
        """Search all rooms, and remember the fair ones."""
        front = score_pareto_front(model, spec, query, rooms, max_seconds=max_seconds)
        if not isinstance(front, Counterexample):
            searched.append(query)
        return front

    sample = _Sample.of(queries, search, progress)
    costs, beyond = _costs(model, spec, rooms, counting=counting)
    usual = _usual(model, [room for room, _ in costs])
    architecture = additive_architecture(spec, model.predicates)
    own, table = (model.additive, model.nodes) if isinstance(model, EnsembleModel) else (model, None)
    return {
        "scheme": "trees",
        "model": {
            "inputs": model.inputs,
            "predicates": model.predicates,
            "columns": len(set(own.columns)),
            "trees": None if table is None else table.roots,
            "splits": None if table is None else table.sizes[1],
            "logits": 1,
            "value_fraction_bits": own.value_fraction_bits,
            "monotone": monotone_features(model, spec),
        },
        "spec": spec_document(spec),
        "fidelity": dataclasses.asdict(measured),
        "widths": {
            "input": spec.input_bits,
            "weight": architecture.weight_bits[0],
            "bias": architecture.bias_bits,
            "radius_squared": spec.max_radius_squared.bit_length(),
            "places": dict(costs[0][1].widths) if costs else {},
        },
        "sample": sample.document(len(queries)),
        "capacities": [_cost(room, cost) | sample.room(spec, room) for room, cost in costs],
        "beyond": beyond or None,
        "kept": None if usual is None else _kept(model, spec, usual),
        "visiting": None if usual is None else _visiting(model, spec, usual, zip(searched, sample.fair, strict=True)),
        "standard": offer_score(spec, (*model.predicates, *(() if table is None else table.sizes))),
    }


class _Sample(Searches[ScoreParetoFront]):
    """The searches of a sample around a score."""

    def document(self, applicants: int) -> Document:
        """Return how the sample was decided, and the slots, rows and leaves that full radii need."""
        full = [search for search in self.fair if search.complete]
        return {
            "applicants": applicants,
            "fair": len(self.fair),
            "unfair": self.unfair,
            "undecided": self.undecided,
            "unfinished": self.unfinished,
            "full_radius": len(full),
            "leaves": _spread([search.leaves for search in full]),
            "slots": _spread([search.slots for search in full]),
            "rows": _spread([search.rows for search in full if search.rows is not None]),
        }

    def room(self, spec: Spec, room: Room) -> Document:
        """Return how many get their full radius in a room, and the median radius there."""
        radii = [search.radius_in(room) for search in self.fair]
        full = sum(one.complete and radius == one.radius_squared for one, radius in zip(self.fair, radii, strict=True))
        some = [0 if radius is None else radius for radius in radii]
        return {"full_radius": full, "median_radius": radius_text(spec, median_low(some)) if some else None}


def _spread(counts: Sequence[int]) -> Document | None:
    """Return the middle and the largest of some counts, None of none."""
    return {"median": sorted(counts)[len(counts) // 2], "largest": max(counts)} if counts else None


def _needed(front: ScoreParetoFront) -> Document:
    """Return the slots, rows and leaves of the full radius, as far as it is known."""
    return {"slots": front.slots, "rows": front.rows, "leaves": front.leaves, "complete": front.complete}


def _costs(
    model: ScoredModel,
    spec: Spec,
    rooms: Sequence[Room],
    max_seconds: float | None = None,
    clock: Clock = time.monotonic,
    counting: Progress | None = None,
) -> tuple[list[tuple[Room, Estimate]], str]:
    """Estimate rooms, except those without a circuit, and say why the first of these has none, or ""."""
    budget = Countdown(max_seconds, clock)
    beyond = ""
    costs: list[tuple[Room, Estimate]] = []
    for done, room in enumerate(rooms):
        if counting is not None:
            counting(done, len(rooms))
        try:
            shape = _shape(model, spec, room)
            seconds = counting_seconds(shape)
            seconds_left = budget.left()
            if seconds_left is not None and seconds > seconds_left:
                raise TooLargeError(
                    f"counting the constraints of {_named(room)} takes about {math.ceil(seconds)} s, more than the "
                    "part of --max-seconds that is for it"
                )
            costs.append((room, estimate(shape)))
        except (TooLargeError, MalformedInputError) as error:
            beyond = beyond or str(error)
    return costs, beyond


def _usual(model: ScoredModel, counted: Sequence[Room]) -> Room | None:
    """Return the usual room, or the largest counted below; None where none is."""
    slots, rows = (DEFAULT_TREE_SLOTS, DEFAULT_ROWS) if isinstance(model, EnsembleModel) else (DEFAULT_SLOTS, 0)
    below = [room for room in counted if (room.slots or 0) <= slots and (room.rows or 0) <= rows]
    return max(below, key=lambda room: (room.slots or 0, room.rows or 0, room.capacity), default=None)


def _kept(model: ScoredModel, spec: Spec, room: Room) -> Document | None:
    """Return what the kept form costs in a room; None for none."""
    found = forms_document(_shape(model, spec, room))
    return None if found is None else {"slots": room.slots, "rows": room.rows} | found


def _visiting(
    model: ScoredModel, spec: Spec, room: Room, fair: Iterable[tuple[Sequence[int], ScoreParetoFront]]
) -> Document | None:
    """Return what certificates cost in a room that visit nodes, with D for the balls that fair queries get there.

    `passed` is how many nodes these balls pass, and `largest` of them is D. None for models without nodes or balls.
    """
    if not isinstance(model, EnsembleModel):
        return None
    counts: list[int] = []
    for query, front in fair:
        if radius := front.radius_in(room):
            problem = problem_of(model, query, spec.domain_table, max_radius_squared=radius)
            counts += [] if isinstance(problem, Counterexample) else [problem.most_passed(radius)]
    passed = _spread(counts)
    if passed is None:
        return None
    # A key has room for one at least, and for no more than there are nodes.
    shape = visiting_shape(_shape(model, spec, room), max(1, passed["largest"]))
    try:
        costs = {"cost": cost_document(estimate(shape)), "link": cost_document(estimate_link(link_shape(shape)))}
    except (TooLargeError, MalformedInputError):
        return None
    return {"passed": passed} | costs


def _shape(model: ScoredModel, spec: Spec, room: Room) -> Shape:
    """Return the shape of a key with a room."""
    slots, rows, capacity = room
    if slots is None:
        raise TypeError("a key has a number of slots")
    if isinstance(model, EnsembleModel) and rows is not None:
        return ensemble_shape(spec, model.predicates, model.nodes.sizes, slots, rows, capacity, set_counts(model))
    return additive_shape(spec, model.predicates, slots, capacity)


def _named(room: Room) -> str:
    """Name a room by its letters."""
    rows = "" if room.rows is None else f"A = {room.rows}, "
    return f"V = {room.slots}, {rows}K = {room.capacity}"


def _cost(room: Room, cost: Estimate) -> Document:
    """Return the cost of a room."""
    return room._asdict() | cost_document(cost)
