"""What is known of a model before anything long is started, as JSON documents: sizes, bit widths, costs, a sample."""

from __future__ import annotations

import dataclasses
import math
import time
from collections.abc import Callable, Sequence

from equiproof.certify import documents
from equiproof.certify.branch import WidthError
from equiproof.certify.capacity import Sample, capacities, sample_searches
from equiproof.certify.countdown import Clock, Countdown
from equiproof.certify.documents import Document, radius_text
from equiproof.certify.models.fidelity import Fidelity
from equiproof.certify.network import QuantisedNetwork
from equiproof.certify.pareto import pareto_front
from equiproof.certify.traversal.search import Counterexample
from equiproof.circuits import field
from equiproof.circuits.schemes import DEFAULT_CAPACITY, Scheme, counted
from equiproof.circuits.shape import Shape, default_capacity, least_capacity, shape_of
from equiproof.circuits.spec import Spec
from equiproof.ffi.errors import MalformedInputError
from equiproof.prover.catalogue import cost_document, offer
from equiproof.prover.estimate import SECONDS_PER_NEED, Estimate, TooLargeError, estimate, need
from equiproof.prover.forms import forms_document

Progress = Callable[[int, int], None]

_LARGEST_CAPACITY: dict[Scheme, int] = {"traversal": 1 << 12, "branch": 1 << 6}
"""How far a sample is searched: no key has more room in practice, and branch and bound searches for each capacity."""

_EXPLAINED_CAPACITY = 64
_COUNTING_SHARE = 0.25
"""The share of the seconds for counting constraints, which goes first: how long it takes is known beforehand."""

_STEPS = 5
"""Capacities are explained up to 64 by default; where the slices need more, up to the fifth that has room for them."""


def inspect(
    network: QuantisedNetwork,
    spec: Spec,
    queries: Sequence[Sequence[int]],
    *,
    scheme: Scheme,
    max_seconds: float,
    measured: Fidelity,
    progress: Progress | None = None,
    counting: Progress | None = None,
) -> Document:
    """Describe a model, and what each capacity of a scheme costs and gives a sample of queries of n_x integers.

    Capacities go from the first with room for the slices to the one that holds the sample's full radii; `beyond` says
    why there is no larger one. `measured` is written out as `fidelity`, `standard` is the smallest standard shape,
    `kept` is what a kept key takes of the usual capacity, or the largest counted below it, and its links.
    `progress` is called after every query and `counting` before every capacity whose constraints are counted, with
    (done, all). Raises as :func:`equiproof.certify.capacity.sample_searches`.
    """
    least = least_capacity(scheme, len(spec.domain_table))
    largest = max(_LARGEST_CAPACITY[scheme], least)
    sample = sample_searches(
        network, spec, queries, scheme=scheme, largest=largest, max_seconds=max_seconds, progress=progress
    )
    last = _power(max([DEFAULT_CAPACITY, least, *sample.needed]))
    costs, beyond = _costs(
        scheme, spec, network.hidden, capacities(scheme, spec, min(last, largest)), counting=counting
    )
    return {
        "scheme": scheme,
        "model": _model(network),
        "spec": spec_document(spec),
        "fidelity": dataclasses.asdict(measured),
        "widths": _widths(spec, shape_of(scheme, spec, network.hidden, least), costs),
        "sample": _sample(scheme, sample, len(queries)),
        "capacities": [_capacity(spec, cost, sample) for cost in costs],
        "beyond": beyond or None,
        "kept": _kept(scheme, spec, network.hidden, costs),
        "standard": offer(spec, network.hidden, scheme),
    }


def explain(
    network: QuantisedNetwork,
    spec: Spec,
    queries: Sequence[Sequence[int]],
    *,
    scheme: Scheme,
    largest: int | None = None,
    max_seconds: float | None = None,
    progress: Progress | None = None,
    clock: Clock = time.monotonic,
) -> Document:
    """Say what each capacity up to a largest one gives each query of n_x integers, and what its key and proof cost.

    All of it takes `max_seconds` for each query, on this clock. Counting constraints cannot be interrupted: a capacity
    for which it is forecast to take longer than a part of that has no cost, and `beyond` says how many seconds it
    would take. `progress` is called after every query with (done, all). Raises as
    :func:`equiproof.certify.pareto.pareto_front`.
    """
    least = least_capacity(scheme, len(spec.domain_table))
    steps = capacities(scheme, spec, largest or max(_EXPLAINED_CAPACITY, least << (_STEPS - 1)))
    budget = Countdown(None if max_seconds is None else max_seconds * len(queries), clock)
    costs, beyond = _costs(scheme, spec, network.hidden, steps, budget.left(_COUNTING_SHARE), clock)
    rows: list[Document] = []
    for number, query in enumerate(queries, start=1):
        seconds = budget.left(1 / (len(queries) - number + 1))
        front = pareto_front(network, spec, query, scheme, steps, max_seconds=seconds, clock=clock)
        known = (
            documents.counterexample(spec, network, front)
            if isinstance(front, Counterexample)
            else documents.pareto_front(spec, scheme, front)
        )
        rows.append({"row": number, **known})
        if progress is not None:
            progress(number, len(queries))
    return {
        "scheme": scheme,
        "capacities": [cost_document(cost) for cost in costs],
        "beyond": beyond or None,
        "rows": rows,
    }


def _model(network: QuantisedNetwork) -> Document:
    """Return the committed network's sizes and scales, without any weight."""
    return {
        "inputs": network.inputs,
        "hidden": network.hidden,
        "neurons": network.neurons,
        "logits": network.logit_count,
        "weights": sum(layer.inputs * layer.outputs for layer in network.layers),
        "weight_fraction_bits": network.weight_fraction_bits,
    }


def spec_document(spec: Spec) -> Document:
    """Return the features and columns of a spec."""
    return {
        "name": spec.name,
        "digest": field.to_hex(spec.digest),
        "features": [feature.name for feature in spec.plain_features],
        "columns": spec.plain_columns,
        "sensitive": {feature.name: feature.domain for feature in spec.sensitive_features},
        "sensitive_columns": spec.sensitive_columns,
        "slices": len(spec.domain_table),
        "labels": spec.labels,
        "threshold": spec.threshold,
        "input_bits": spec.input_bits,
        "input_fraction_bits": spec.input_fraction_bits,
    }


def _widths(spec: Spec, shape: Shape, costs: Sequence[Estimate]) -> Document:
    """Return the bits of what is committed and, where a shape compiles, the widest integer at each of its places."""
    return {
        "input": spec.input_bits,
        "weight": shape.architecture.weight_bits,
        "bias": shape.architecture.bias_bits,
        "radius_squared": shape.radius_bits,
        "places": dict(costs[0].widths) if costs else {},
    }


def _sample(scheme: Scheme, sample: Sample, points: int) -> Document:
    """Return how a sample of applicants was decided, and the regions or leaves that full radii need."""
    sizes = sample.needed
    return {
        "applicants": points,
        "fair": len(sample.fair),
        "unfair": sample.unfair,
        "undecided": sample.undecided,
        "unfinished": sample.unfinished,
        "full_radius": len(sizes),
        counted(scheme): None if not sizes else {"median": sizes[len(sizes) // 2], "largest": sizes[-1]},
    }


def _costs(
    scheme: Scheme,
    spec: Spec,
    hidden: tuple[int, ...],
    capacities: Sequence[int],
    max_seconds: float | None = None,
    clock: Clock = time.monotonic,
    counting: Progress | None = None,
) -> tuple[list[Estimate], str]:
    """Estimate capacities in ascending order up to the first without a circuit, or that would take too long to compile.

    Return also why there is no further one, or "". The forecast is the pace of the slowest so far.
    """
    budget = Countdown(max_seconds, clock)
    pace = SECONDS_PER_NEED[scheme]
    costs: list[Estimate] = []
    for done, capacity in enumerate(capacities):
        if counting is not None:
            counting(done, len(capacities))
        try:
            shape = shape_of(scheme, spec, hidden, capacity)
            size = need(shape)
            seconds_left = budget.left()
            began = clock()
            if seconds_left is not None and pace * size > seconds_left:
                return costs, _too_long(capacity, pace * size)
            costs.append(estimate(shape))
        except (TooLargeError, MalformedInputError, WidthError) as error:
            return costs, str(error)
        # The slowest so far: a forecast that is too low would start what cannot be interrupted.
        pace = max(pace, (clock() - began) / size)
    return costs, ""


def _kept(scheme: Scheme, spec: Spec, hidden: tuple[int, ...], costs: Sequence[Estimate]) -> Document | None:
    """Return what the kept form costs at the usual capacity, or the largest counted below; None for none."""
    usual = default_capacity(scheme, len(spec.domain_table))
    cost = max((one for one in costs if one.capacity <= usual), key=lambda one: one.capacity, default=None)
    return None if cost is None else forms_document(shape_of(scheme, spec, hidden, cost.capacity))


def _too_long(capacity: int, seconds: float) -> str:
    """Say why the constraints of a capacity are not counted."""
    return (
        f"counting the constraints of capacity {capacity} takes about {math.ceil(seconds)} s, more than the part of "
        "--max-seconds that is for it"
    )


def _capacity(spec: Spec, cost: Estimate, sample: Sample) -> Document:
    """Return the cost of a capacity with what it gives the sample."""
    radius = sample.median_radius_squared(cost.capacity)
    return cost_document(cost) | {
        "full_radius": sample.full(cost.capacity),
        "median_radius": None if radius is None else radius_text(spec, radius),
    }


def _power(count: int) -> int:
    """Return the least power of two that is not below a count."""
    return 1 << (count - 1).bit_length()
