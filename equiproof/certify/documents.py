"""What searches found as JSON documents, and squared integers of the grid as text in a spec's units.

`equiproof certify`, `prove`, `circuit prove` and `inspect` print these fields with `--json`, and every other front end
shows the same ones. Squared distances and points are exact rationals "n/d" in grid units, as text; logits as integers
are text too, because they outgrow JSON numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

from equiproof.certify.additive import AdditiveModel
from equiproof.certify.branch import BranchSearch
from equiproof.certify.ensemble import EnsembleModel
from equiproof.certify.errors import CapacityError, ExhaustedError, SearchBudgetError
from equiproof.certify.network import QuantisedNetwork
from equiproof.certify.pareto import ParetoFront
from equiproof.certify.traversal.exact import BoundaryPoint, ExactSearch
from equiproof.certify.traversal.flip import Flip
from equiproof.certify.traversal.search import Counterexample, Search
from equiproof.certify.trees.scored import ScoreSearch, rows_of
from equiproof.circuits.assignments import sensitive_values
from equiproof.circuits.schemes import Scheme, counted
from equiproof.circuits.spec import Spec
from equiproof.circuits.units import at_least, cut, kept_to, length, radius_of_any

Document = dict[str, Any]


def radius_text(spec: Spec, radius_squared: int) -> str:
    """Write a squared radius in the spec's units: the radius that holds for real-valued neighbors, as it is stated.

    A search that is certain of no radius yet counts below 0, which is written as 0.
    """
    stated = f"{cut(radius_of_any(spec, max(0, radius_squared))):.6f}"
    return f"at least {stated}" if at_least(spec, radius_squared) else stated


def distance_text(spec: Spec, squared: int | Fraction, *, up: bool) -> str:
    """Write the root of a squared distance in the spec's units with six decimals, rounded down or up."""
    return f"{length(spec, squared, up=up):.6f}"


def ranges(spec: Spec) -> dict[str, str] | None:
    """Return in words the values of each feature that neighbors are kept to; None where a spec restricts nobody."""
    return {feature.name: kept_to(spec, feature) for feature in spec.plain_features} if spec.use_ranges else None


@contextmanager
def in_spec_units(spec: Spec) -> Iterator[None]:
    """Turn a budget or a capacity that ends the block into ExhaustedError, which says it in the spec's units."""
    try:
        yield
    except SearchBudgetError as error:
        raise ExhaustedError(
            f"the search ended at its budget after {error.regions} regions; "
            f"radius {radius_text(spec, error.radius_squared)} is certain so far, nothing is known beyond it"
        ) from None
    except CapacityError as error:
        raise ExhaustedError(
            f"{error.needed} {error.words} are needed and there is room for {error.capacity}; {error.room} would do"
        ) from None


def counterexample(
    spec: Spec, network: QuantisedNetwork | AdditiveModel | EnsembleModel, counterexample: Counterexample
) -> Document:
    """Return a counterexample: each slice with its sensitive values, decision (None for a tie) and logits."""
    cases = zip(counterexample.slices, counterexample.labels, counterexample.logits, strict=True)
    return {
        "verdict": "unfair" if counterexample.kind == "flip" else "undecided",
        "cases": [
            {
                "sensitive": sensitive_values(spec, number),
                "label": None if label is None else spec.labels[label],
                "logits": [logit / (1 << network.logit_fraction_bits) for logit in logits],
                "integer_logits": [str(logit) for logit in logits],
            }
            for number, label, logits in cases
        ],
    }


def capacities(spec: Spec, search: Search) -> list[Document]:
    """Return, for each capacity that a search decided, the radius that fits it."""
    return [
        {"capacity": capacity, "radius_squared": radius, "radius": radius_text(spec, radius)}
        for capacity, radius in search.capacities()
    ]


def traversal_search(spec: Spec, search: Search, flip: Flip | None, exact: ExactSearch | None) -> Document:
    """Return what scheme traversal found for one applicant; without an exact search, `exact` is left out.

    The distance of a flip is an upper bound, so it is rounded up.
    """
    document: Document = {
        "verdict": "fair",
        "scheme": "traversal",
        "label": spec.labels[search.label],
        "radius": radius_text(spec, search.radius_squared),
        "radius_squared": search.radius_squared,
        "regions": search.needed,
        "slices": search.slice_count,
        "capacities": capacities(spec, search),
        "flip": None
        if flip is None
        else {
            "distance": distance_text(spec, flip.distance_squared, up=True),
            "sensitive": sensitive_values(spec, flip.slice),
        },
    }
    return document if exact is None else document | {"exact": exact_search(spec, exact)}


def exact_search(spec: Spec, search: ExactSearch) -> Document:
    """Return the interval in which the boundary of the decision lies."""
    return {
        **_ends(spec, search.lower, search.upper, search.boundary_point),
        "complete": search.complete,
        "at_least": search.capped,
        "radius_squared": search.radius_squared,
        "regions": search.regions,
        "programs": search.programs,
    }


def branch_search(spec: Spec, search: BranchSearch) -> Document:
    """Return what scheme branch found for one applicant; `capacity` is the least with room for the evidence."""
    return {
        "verdict": "fair",
        "scheme": "branch",
        "label": spec.labels[search.label],
        "radius": radius_text(spec, search.radius_squared),
        "radius_squared": search.radius_squared,
        "ranges": ranges(spec),
        "leaves": search.leaves,
        "slices": search.slice_count,
        "capacity": 1 << (search.leaves - 1).bit_length(),
        "ended": search.ended,
        "exact": {
            **_ends(spec, Fraction(search.radius_squared), search.upper, search.boundary_point),
            "complete": search.complete,
            "at_least": search.capped,
            "programs": search.programs,
        },
    }


def score_search(spec: Spec, search: ScoreSearch) -> Document:
    """Return what scheme trees found for one applicant; `slots` are the thresholds within the radius.

    `rows` are the live nodes of an ensemble, None for an additive model. `capacity` and `slots` are the least K and V
    with room for the evidence. The distance of a flip is rounded up.
    """
    flip = search.flip
    return {
        "verdict": "fair",
        "scheme": "trees",
        "label": spec.labels[search.label],
        "radius": radius_text(spec, search.radius_squared),
        "radius_squared": search.radius_squared,
        "ranges": ranges(spec),
        "leaves": search.leaves,
        "slots": len(search.evidence.slots),
        "rows": rows_of(search),
        "slices": search.slice_count,
        "capacity": 1 << (search.leaves - 1).bit_length(),
        "ended": search.ended,
        "flip": None
        if flip is None
        else {
            "distance": distance_text(spec, flip.distance_squared, up=True),
            "sensitive": sensitive_values(spec, flip.slice),
        },
        "exact": {
            **_ends(spec, Fraction(search.radius_squared), search.upper, search.boundary_point),
            "complete": search.complete,
            "at_least": search.capped,
        },
    }


def pareto_front(spec: Spec, scheme: Scheme, front: ParetoFront) -> Document:
    """Return the radius that each capacity gives one applicant, with scheme trees that of each room."""
    return {
        "verdict": "fair",
        "label": spec.labels[front.label],
        "upper": _upper(spec, front.upper),
        "complete": front.complete,
        "capacities": [
            ({"capacity": point.capacity} if point.room is None else point.room._asdict())
            | {
                "radius": radius_text(spec, point.radius_squared),
                "radius_squared": point.radius_squared,
                counted(scheme): point.size,
                "share": None if (share := front.share(point)) is None else round(share, 6),
            }
            for point in front.points
        ],
    }


def _ends(spec: Spec, lower: Fraction, upper: Fraction | None, nearest: BoundaryPoint | None) -> Document:
    """Return the squared ends of an interval, and the point on the boundary whose distance is the upper end."""
    return {
        "lower": {"radius": distance_text(spec, lower, up=False), "squared": str(lower)},
        "upper": _upper(spec, upper),
        "witness": None
        if nearest is None
        else {
            "sensitive": sensitive_values(spec, nearest.slice),
            "point": [str(value) for value in nearest.point],
        },
    }


def _upper(spec: Spec, squared: Fraction | None) -> Document | None:
    """Return the squared distance of a point that is decided otherwise, rounded up; None where none is known."""
    return None if squared is None else {"radius": distance_text(spec, squared, up=True), "squared": str(squared)}
