"""One applicant of a run: search, doubt, and what else the limits ask for, as a frozen result."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from certify.errors import SearchBudgetError
from certify.evidence import check
from certify.exact import ExactBudgetError, ExactSearch, exact_search
from certify.flip import nearest_flip
from certify.network import QuantisedNetwork
from certify.results import Assignment, Case, Interval, Limits, NearFlip, PointResult
from certify.search import Counterexample, Search, search
from circuits.spec import Spec
from circuits.units import cut, length, radius_of_any


def certify_point(
    network: QuantisedNetwork, spec: Spec, query: Sequence[int], limits: Limits, *, row: int = 1
) -> PointResult:
    """Return what is known of a query of n_x integers; all but the seconds is determined by the arguments.

    Only a budget of time makes it depend on the machine. Raises CapacityError where the slices outnumber the budget of
    regions, EvidenceError where a search's evidence does not hold: then the search is wrong, and nothing is reported.
    """
    began = time.perf_counter()
    found = _found(network, spec, query, limits)
    if isinstance(found, Counterexample):
        known = _of_counterexample(spec, found)
    elif isinstance(found, SearchBudgetError):
        known = {"verdict": "undecided", "reason": "seconds", "label": _label_at(network, spec, query)}
        known |= _radius(spec, max(0, found.radius_squared)) | {"regions": found.regions}
    else:
        known = _of_search(network, spec, query, found, limits)
    if limits.exact and not isinstance(found, Counterexample):
        known["exact"] = _interval(network, spec, query, limits)
    return PointResult(row=row, seconds=round(time.perf_counter() - began, 6), **known)


def _found(
    network: QuantisedNetwork, spec: Spec, query: Sequence[int], limits: Limits
) -> Search | Counterexample | SearchBudgetError:
    """Search within the limits; a budget of time that ended first is a result here."""
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
    network: QuantisedNetwork, spec: Spec, query: Sequence[int], found: Search, limits: Limits
) -> dict[str, Any]:
    """Return what a search says, its evidence checked in the clear."""
    check(found.evidence(found.radius_squared), network, query, spec.domain_table)
    known: dict[str, Any] = {"verdict": "fair"} if found.complete else {"verdict": "undecided", "reason": "regions"}
    known |= _radius(spec, found.radius_squared) | {"label": spec.labels[found.label], "capped": found.capped}
    known["regions"] = found.regions_for(found.radius_squared) if found.complete else len(found.regions)
    if limits.capacity is not None:
        fits = found.radius_for(limits.capacity)
        known |= {"radius_squared_at_capacity": fits, "radius_at_capacity": cut(radius_of_any(spec, fits))}
    flip = nearest_flip(network, query, spec.domain_table, found)
    if flip is not None:
        known["flip"] = NearFlip(
            distance=length(spec, flip.distance_squared, up=True),
            distance_squared=flip.distance_squared,
            sensitive=_assignment(spec, flip.slice),
            label=None if flip.label is None else spec.labels[flip.label],
        )
    return known


def _of_counterexample(spec: Spec, found: Counterexample) -> dict[str, Any]:
    """Return a flip or a tie at the query itself."""
    cases = tuple(
        Case(number, _assignment(spec, number), None if label is None else spec.labels[label], tuple(map(str, logits)))
        for number, label, logits in zip(found.slices, found.labels, found.logits, strict=True)
    )
    if found.kind == "tie":
        return {"verdict": "undecided", "reason": "tie", "cases": cases}
    return {"verdict": "unfair", "cases": cases}


def _interval(network: QuantisedNetwork, spec: Spec, query: Sequence[int], limits: Limits) -> Interval:
    """Return where the boundary is, as narrow as the limits allow."""
    try:
        found = exact_search(
            network,
            query,
            spec.domain_table,
            max_radius_squared=spec.max_radius_squared,
            max_regions=limits.max_regions,
            max_seconds=limits.max_seconds,
        )
    except ExactBudgetError as error:
        found = error.found
    if not isinstance(found, ExactSearch):
        raise TypeError("this query has no label")
    return Interval(
        lower=length(spec, found.lower),
        upper=None if found.upper is None else length(spec, found.upper, up=True),
        lower_squared=str(found.lower),
        upper_squared=None if found.upper is None else str(found.upper),
        complete=found.complete,
        capped=found.capped,
    )


def _radius(spec: Spec, squared: int) -> dict[str, Any]:
    """Return a squared radius in its three forms."""
    radius, grid = cut(radius_of_any(spec, squared)), length(spec, squared)
    return {"radius": radius, "radius_grid": grid, "radius_squared": squared}


def _label_at(network: QuantisedNetwork, spec: Spec, query: Sequence[int]) -> str | None:
    """Return the decision of a query that has one, read off its first slice."""
    label = network.decide((*query, *spec.domain_table[0]))
    return None if label is None else spec.labels[label]


def _assignment(spec: Spec, number: int) -> Assignment:
    """Return the sensitive values of a slice by name."""
    names = (feature.name for feature in spec.sensitive_features)
    return tuple(zip(names, spec.domain_values[number], strict=True))
