"""One applicant of a run: search, check of the evidence and the other requested numbers, as a frozen result."""

from __future__ import annotations

import time
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from equiproof.certify import branch
from equiproof.certify.additive import AdditiveModel
from equiproof.certify.ensemble import EnsembleModel, ScoredModel
from equiproof.certify.errors import CapacityError, SearchBudgetError
from equiproof.certify.many.point import Assignment, Interval, Limits, NearFlip, PointResult, SliceDecision
from equiproof.certify.network import QuantisedNetwork
from equiproof.certify.traversal.evidence_check import check
from equiproof.certify.traversal.exact import ExactSearch, interval_under
from equiproof.certify.traversal.flip import Flip, nearest_flip
from equiproof.certify.traversal.search import Counterexample, Search, search
from equiproof.certify.trees.scored import Room, evidence_in, rows_of
from equiproof.certify.trees.scored import search_under as score_search_under
from equiproof.certify.trees.search import GridFlip
from equiproof.circuits.spec import Spec
from equiproof.circuits.units import cut, length, radius_of_any


def certify_point(
    network: QuantisedNetwork | AdditiveModel | EnsembleModel,
    spec: Spec,
    query: Sequence[int],
    limits: Limits,
    *,
    row: int = 1,
) -> PointResult:
    """Return the result for a query of n_x integers; the arguments determine everything but the seconds.

    With a budget of time it depends on the machine as well. Raises CapacityError where there are more slices than the
    budget has regions or leaves of a network, EvidenceError where the check refuses a search's evidence (the search is
    then wrong, and nothing is reported), WidthError where scheme branch cannot hold the network's numbers.
    """
    began = time.perf_counter()
    if isinstance(network, AdditiveModel | EnsembleModel):
        fields = _score(network, spec, query, limits)
    else:
        fields = (_branch if limits.scheme == "branch" else _traversal)(network, spec, query, limits)
    return PointResult(row=row, seconds=round(time.perf_counter() - began, 6), **fields)


def _traversal(network: QuantisedNetwork, spec: Spec, query: Sequence[int], limits: Limits) -> dict[str, Any]:
    """Return the result of scheme traversal."""
    outcome = _search_outcome(network, spec, query, limits)
    if isinstance(outcome, Counterexample):
        return _of_counterexample(spec, outcome)
    if isinstance(outcome, SearchBudgetError):
        fields: dict[str, Any] = {"verdict": "undecided", "reason": "seconds"}
        fields |= {"label": _label_at(network, spec, query)} | _radius(spec, max(0, outcome.radius_squared))
        fields["regions"] = outcome.regions
    else:
        fields = _of_search(network, spec, query, outcome, limits)
    if limits.exact:
        fields["exact"] = _interval(network, spec, query, limits)
    return fields


def _branch(network: QuantisedNetwork, spec: Spec, query: Sequence[int], limits: Limits) -> dict[str, Any]:
    """Return the result of scheme branch, its evidence checked in plaintext."""
    parameters = branch.network_parameters(spec, network.hidden)
    try:
        search = branch.search_under(network, spec, query, max_leaves=limits.max_leaves, max_seconds=limits.max_seconds)
    except branch.PrecisionError:
        return {"verdict": "undecided", "reason": "digits", "label": _label_at(network, spec, query)}
    if isinstance(search, Counterexample):
        return _of_counterexample(spec, search)
    branch.check(search.evidence, parameters, network, query, spec.domain_table, spec.box)
    fields: dict[str, Any] = {"verdict": "fair", "reason": search.ended, "label": spec.labels[search.label]}
    fields |= _radius(spec, search.evidence.radius_squared) | {"capped": search.capped}
    fields |= {"leaves": search.leaves, "programs": search.programs}
    lower = Fraction(search.evidence.radius_squared)
    fields["exact"] = _between(spec, lower, search.upper, complete=search.complete, capped=search.capped)
    if limits.capacity is not None:
        fits = search.evidence_within(limits.capacity)
        branch.check(fits, parameters, network, query, spec.domain_table, spec.box)
        fields |= _at_capacity(spec, fits.radius_squared)
    return fields


def _score(model: ScoredModel, spec: Spec, query: Sequence[int], limits: Limits) -> dict[str, Any]:
    """Return the result of scheme trees; the searches check all evidence that they return."""
    try:
        search = score_search_under(model, spec, query, max_leaves=limits.max_leaves, max_seconds=limits.max_seconds)
    except CapacityError as error:
        return _without_room(model, spec, query, error)
    except SearchBudgetError:
        return {"verdict": "undecided", "reason": "work", "label": _label_at(model, spec, query)}
    if isinstance(search, Counterexample):
        return _of_counterexample(spec, search)
    fields: dict[str, Any] = {"verdict": "fair", "reason": search.ended, "label": spec.labels[search.label]}
    fields |= _radius(spec, search.radius_squared) | {"capped": search.capped}
    fields |= {"leaves": search.leaves, "slots": len(search.evidence.slots), "rows": rows_of(search)}
    lower = Fraction(search.radius_squared)
    fields["exact"] = _between(spec, lower, search.upper, complete=search.complete, capped=search.capped)
    if search.flip is not None:
        fields["flip"] = _near_flip(spec, search.flip)
    if limits.capacity is not None:
        room = Room(limits.slots, limits.rows, limits.capacity)
        try:
            fields |= _at_capacity(spec, evidence_in(search, room).radius_squared)
        except CapacityError as error:
            return _without_room(model, spec, query, error)
    return fields


def _without_room(model: ScoredModel, spec: Spec, query: Sequence[int], error: CapacityError) -> dict[str, Any]:
    """Return the result of a query for whose evidence there is no room, with the number that it needs."""
    needed = {"reason": error.counted, error.counted: error.needed}
    return {"verdict": "undecided", "label": _label_at(model, spec, query)} | needed


def _search_outcome(
    network: QuantisedNetwork, spec: Spec, query: Sequence[int], limits: Limits
) -> Search | Counterexample | SearchBudgetError:
    """Search within the limits; return the error of a budget of time that ended first."""
    try:
        return search(
            network,
            query,
            spec.domain_table,
            max_radius_squared=spec.max_radius_squared,
            max_regions=limits.max_regions,
            max_seconds=limits.max_seconds,
        )
    except SearchBudgetError as error:
        return error


def _of_search(
    network: QuantisedNetwork, spec: Spec, query: Sequence[int], search: Search, limits: Limits
) -> dict[str, Any]:
    """Return the result of a search, its evidence checked in plaintext."""
    check(search.evidence(search.radius_squared), network, query, spec.domain_table)
    fields: dict[str, Any] = {"verdict": "fair"} if search.complete else {"verdict": "undecided", "reason": "regions"}
    fields |= _radius(spec, search.radius_squared) | {"label": spec.labels[search.label], "capped": search.capped}
    fields["regions"] = search.regions_for(search.radius_squared) if search.complete else len(search.regions)
    if limits.capacity is not None:
        fields |= _at_capacity(spec, search.radius_for(limits.capacity))
    flip = nearest_flip(network, query, spec.domain_table, search)
    if flip is not None:
        fields["flip"] = _near_flip(spec, flip)
    return fields


def _near_flip(spec: Spec, flip: Flip | GridFlip) -> NearFlip:
    """Return a grid point with another decision in the spec's terms."""
    return NearFlip(
        distance=length(spec, flip.distance_squared, up=True),
        distance_squared=flip.distance_squared,
        sensitive=_assignment(spec, flip.slice),
        label=None if flip.label is None else spec.labels[flip.label],
    )


def _of_counterexample(spec: Spec, counterexample: Counterexample) -> dict[str, Any]:
    """Return a flip or a tie at the query itself."""
    cases = tuple(
        SliceDecision(
            number, _assignment(spec, number), None if label is None else spec.labels[label], tuple(map(str, logits))
        )
        for number, label, logits in zip(
            counterexample.slices, counterexample.labels, counterexample.logits, strict=True
        )
    )
    if counterexample.kind == "tie":
        return {"verdict": "undecided", "reason": "tie", "cases": cases}
    return {"verdict": "unfair", "cases": cases}


def _interval(network: QuantisedNetwork, spec: Spec, query: Sequence[int], limits: Limits) -> Interval:
    """Return the interval of the boundary, as narrow as the limits allow."""
    interval = interval_under(network, spec, query, max_regions=limits.max_regions, max_seconds=limits.max_seconds)
    if not isinstance(interval, ExactSearch):
        raise TypeError("this query has no label")
    return _between(spec, interval.lower, interval.upper, complete=interval.complete, capped=interval.capped)


def _between(spec: Spec, lower: Fraction, upper: Fraction | None, *, complete: bool, capped: bool) -> Interval:
    """Return squared distances in grid units as an interval."""
    return Interval(
        lower=length(spec, lower),
        upper=None if upper is None else length(spec, upper, up=True),
        lower_squared=str(lower),
        upper_squared=None if upper is None else str(upper),
        complete=complete,
        capped=capped,
    )


def _radius(spec: Spec, squared: int) -> dict[str, Any]:
    """Return a squared radius in its three forms."""
    radius = cut(radius_of_any(spec, squared))
    grid = length(spec, squared)
    return {"radius": radius, "radius_grid": grid, "radius_squared": squared}


def _at_capacity(spec: Spec, squared: int) -> dict[str, Any]:
    """Return the squared radius of a capacity in two forms."""
    return {"radius_squared_at_capacity": squared, "radius_at_capacity": cut(radius_of_any(spec, squared))}


def _label_at(network: QuantisedNetwork | ScoredModel, spec: Spec, query: Sequence[int]) -> str | None:
    """Return the decision of a query that has one, as its first slice shows it."""
    label = network.decide((*query, *spec.domain_table[0]))
    return None if label is None else spec.labels[label]


def _assignment(spec: Spec, number: int) -> Assignment:
    """Return the sensitive values of a slice by name."""
    names = (feature.name for feature in spec.sensitive_features)
    return tuple(zip(names, spec.domain_values[number], strict=True))
