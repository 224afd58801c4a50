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
from equiproof.circuits.units import cut, kept_to, length, radius_of_any

Document = dict[str, Any]


def radius_text(spec: Spec, radius_squared: int) -> str:
    """Write a squared radius in the spec's units: the radius that holds for real-valued neighbors, as it is stated.

    A search that is certain of no radius yet counts below 0, which is written as 0.
    """
    stated = f"{cut(radius_of_any(spec, max(0, radius_squared))):.6f}"
    return f"at least {stated}" if radius_squared == spec.max_radius_squared else stated


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
            f"{error.needed} {error.counted} are needed and there is room for {error.capacity}; {error.room} would do"
        ) from None


def counterexample(
    spec: Spec, network: QuantisedNetwork | AdditiveModel | EnsembleModel, found: Counterexample
) -> Document:
    """Return a counterexample: each slice with its sensitive values, decision (None for a tie) and logits."""
    cases = zip(found.slices, found.labels, found.logits, strict=True)
    return {
        "verdict": "unfair" if found.kind == "flip" else "undecided",
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


def capacities(spec: Spec, found: Search) -> list[Document]:
    """Return, for each capacity that a search decided, the radius that fits it."""
    return [
        {"capacity": capacity, "radius_squared": radius, "radius": radius_text(spec, radius)}
        for capacity, radius in found.capacities()
    ]


def traversal_search(spec: Spec, found: Search, flip: Flip | None, exact: ExactSearch | None) -> Document:
    """Return what scheme traversal found for one applicant; without an exact search, `exact` is left out.

    The distance of a flip is an upper bound, so it is rounded up.
    """
    document: Document = {
        "verdict": "fair",
        "scheme": "traversal",
        "label": spec.labels[found.label],
        "radius": radius_text(spec, found.radius_squared),
        "radius_squared": found.radius_squared,
        "regions": found.needed,
        "slices": found.slice_count,
        "capacities": capacities(spec, found),
        "flip": None
        if flip is None
        else {
            "distance": distance_text(spec, flip.distance_squared, up=True),
            "sensitive": sensitive_values(spec, flip.slice),
        },
    }
    return document if exact is None else document | {"exact": exact_search(spec, exact)}


def exact_search(spec: Spec, found: ExactSearch) -> Document:
    """Return the interval in which the boundary of the decision lies."""
    return {
        **_ends(spec, found.lower, found.upper, found.boundary_point),
        "complete": found.complete,
        "at_least": found.capped,
        "radius_squared": found.radius_squared,
        "regions": found.regions,
        "programs": found.programs,
    }


def branch_search(spec: Spec, found: BranchSearch) -> Document:
    """Return what scheme branch found for one applicant; `capacity` is the least with room for the evidence."""
    return {
        "verdict": "fair",
        "scheme": "branch",
        "label": spec.labels[found.label],
        "radius": radius_text(spec, found.radius_squared),
        "radius_squared": found.radius_squared,
        "ranges": ranges(spec),
        "leaves": found.leaves,
        "slices": found.slice_count,
        "capacity": 1 << (found.leaves - 1).bit_length(),
        "ended": found.ended,
        "exact": {
            **_ends(spec, Fraction(found.radius_squared), found.upper, found.boundary_point),
            "complete": found.complete,
            "at_least": found.capped,
            "programs": found.programs,
        },
    }


def score_search(spec: Spec, found: ScoreSearch) -> Document:
    """Return what scheme trees found for one applicant; `slots` are the thresholds within the radius.

    `rows` are the live nodes of an ensemble, None for an additive model. `capacity` and `slots` are the least K and V
    with room for the evidence. The distance of a flip is rounded up.
    """
    flip = found.flip
    return {
        "verdict": "fair",
        "scheme": "trees",
        "label": spec.labels[found.label],
        "radius": radius_text(spec, found.radius_squared),
        "radius_squared": found.radius_squared,
        "ranges": ranges(spec),
        "leaves": found.leaves,
        "slots": len(found.evidence.slots),
        "rows": rows_of(found),
        "slices": found.slice_count,
        "capacity": 1 << (found.leaves - 1).bit_length(),
        "ended": found.ended,
        "flip": None
        if flip is None
        else {
            "distance": distance_text(spec, flip.distance_squared, up=True),
            "sensitive": sensitive_values(spec, flip.slice),
        },
        "exact": {
            **_ends(spec, Fraction(found.radius_squared), found.upper, found.boundary_point),
            "complete": found.complete,
            "at_least": found.capped,
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
