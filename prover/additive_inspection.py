"""What is known of an additive model before anything long is started: :mod:`.inspection` does the same for networks.

A key has two limits: V slots, the thresholds that are closer to an applicant than the radius, and K leaves. Costs and
radii are therefore those of rooms (V, K).
"""

from __future__ import annotations

import dataclasses
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median_low

from equiproof.certify import documents
from equiproof.certify.additive import AdditiveModel
from equiproof.certify.countdown import Clock, Countdown
from equiproof.certify.documents import Document, radius_text
from equiproof.certify.models.fidelity import Fidelity
from equiproof.certify.trade import AdditiveTrade, Room, additive_trade
from equiproof.certify.traversal.search import Counterexample
from equiproof.circuits.schemes import DEFAULT_CAPACITY
from equiproof.circuits.shape import additive_architecture, additive_shape
from equiproof.circuits.spec import Spec
from equiproof.ffi.errors import MalformedInputError
from equiproof.prover.catalogue import cost_document
from equiproof.prover.estimate import SECONDS_PER_NEED, Estimate, TooLargeError, estimate, need
from equiproof.prover.inspection import spec_document

Progress = Callable[[int, int], None]

_SLOTS = (20, 40, 80)
"""The slots that are compared where none are asked for, as far as a model has so many thresholds."""

_COUNTING = 0.25
"""The share of the seconds for counting constraints, which goes first."""


def rooms_of(model: AdditiveModel, slots: int | None = None, largest: int | None = None) -> list[Room]:
    """Return the rooms (V, K) to compare: K in powers of two up to `largest`, for V = `slots` or several V."""
    most = max(1, model.predicates[0])
    steps = [slots] if slots is not None else sorted({min(step, most) for step in _SLOTS})
    powers = range((largest or DEFAULT_CAPACITY).bit_length())
    return [(step, 1 << power) for step in steps for power in powers]


def explain_additive(
    model: AdditiveModel,
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
    costs, beyond = _costs(model, spec, rooms, budget.left(_COUNTING), clock)
    rows: list[Document] = []
    for number, query in enumerate(queries, start=1):
        seconds = budget.left(1 / (len(queries) - number + 1))
        found = additive_trade(model, spec, query, rooms, max_seconds=seconds, clock=clock)
        known = (
            documents.counterexample(spec, model, found)
            if isinstance(found, Counterexample)
            else documents.trade(spec, "trees", found) | {"needed": _needed(found)}
        )
        rows.append({"row": number, **known})
        if progress is not None:
            progress(number, len(queries))
    return {"scheme": "trees", "capacities": [_cost(room, cost) for room, cost in costs], "beyond": beyond or None} | {
        "rows": rows
    }


def inspect_additive(
    model: AdditiveModel,
    spec: Spec,
    queries: Sequence[Sequence[int]],
    *,
    max_seconds: float,
    measured: Fidelity,
    progress: Progress | None = None,
) -> Document:
    """Describe an additive model, and what each room (V, K) costs and gives a sample of queries of n_x integers.

    `measured` is written out as `fidelity`. There is no `standard` shape for additive models.
    """
    rooms = rooms_of(model)
    sample = _searched(model, spec, queries, rooms, max_seconds, progress)
    costs, beyond = _costs(model, spec, rooms)
    architecture = additive_architecture(spec, model.predicates)
    return {
        "scheme": "trees",
        "model": {
            "inputs": model.inputs,
            "predicates": model.predicates,
            "columns": len(set(model.columns)),
            "logits": 1,
            "value_fraction_bits": model.value_fraction_bits,
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
        "standard": None,
    }


@dataclass(frozen=True)
class _Sample:
    """The searches of a sample of applicants; `unfair` and `undecided` count those without a label."""

    fair: tuple[AdditiveTrade, ...]
    unfair: int
    undecided: int

    def document(self, applicants: int) -> Document:
        """Return how the sample was decided, and the slots and leaves that full radii need."""
        full = [found for found in self.fair if found.complete]
        return {
            "applicants": applicants,
            "fair": len(self.fair),
            "unfair": self.unfair,
            "undecided": self.undecided,
            "unfinished": 0,
            "full_radius": len(full),
            "leaves": _spread([found.leaves for found in full]),
            "slots": _spread([found.slots for found in full]),
        }

    def room(self, spec: Spec, room: Room) -> Document:
        """Return how many get their full radius in a room, and the median radius there."""
        radii = [found.radius_in(room) for found in self.fair]
        full = sum(one.complete and radius == one.radius_squared for one, radius in zip(self.fair, radii, strict=True))
        return {"full_radius": full, "median_radius": radius_text(spec, median_low(radii)) if radii else None}


def _searched(
    model: AdditiveModel,
    spec: Spec,
    queries: Sequence[Sequence[int]],
    rooms: Sequence[Room],
    max_seconds: float,
    progress: Progress | None,
) -> _Sample:
    """Search around each query, each within `max_seconds`."""
    fair: list[AdditiveTrade] = []
    kinds = {"flip": 0, "tie": 0}
    for done, query in enumerate(queries, start=1):
        found = additive_trade(model, spec, query, rooms, max_seconds=max_seconds)
        if isinstance(found, Counterexample):
            kinds[found.kind] += 1
        else:
            fair.append(found)
        if progress is not None:
            progress(done, len(queries))
    return _Sample(tuple(fair), kinds["flip"], kinds["tie"])


def _spread(counts: Sequence[int]) -> Document | None:
    """Return the middle and the largest of some counts, None of none."""
    return {"median": sorted(counts)[len(counts) // 2], "largest": max(counts)} if counts else None


def _needed(found: AdditiveTrade) -> Document:
    """Return the slots and leaves of the full radius, as far as it is known."""
    return {"slots": found.slots, "leaves": found.leaves, "complete": found.complete}


def _costs(
    model: AdditiveModel,
    spec: Spec,
    rooms: Sequence[Room],
    max_seconds: float | None = None,
    clock: Clock = time.monotonic,
) -> tuple[list[tuple[Room, Estimate]], str]:
    """Estimate rooms, except those without a circuit, and say why the first of these has none, or ""."""
    budget, beyond = Countdown(max_seconds, clock), ""
    costs: list[tuple[Room, Estimate]] = []
    for slots, capacity in rooms:
        try:
            shape = additive_shape(spec, model.predicates, slots, capacity)
            seconds, left = SECONDS_PER_NEED["trees"] * need(shape), budget.left()
            if left is not None and seconds > left:
                raise TooLargeError(
                    f"counting the constraints of V = {slots}, K = {capacity} takes about {math.ceil(seconds)} s, more "
                    "than the part of --max-seconds that is for it"
                )
            costs.append(((slots, capacity), estimate(shape)))
        except (TooLargeError, MalformedInputError) as error:
            beyond = beyond or str(error)
    return costs, beyond


def _cost(room: Room, cost: Estimate) -> Document:
    """Return the cost of a room."""
    return {"slots": room[0]} | cost_document(cost)
