"""Robustness: whether a decision holds for everyone closer than a given distance with the same sensitive values.

Distance is that of certificates: Euclidean over the non-sensitive columns, in the spec's units, from the person's
rounded values; if the spec restricts neighbors to ranges, only those inside count. Nothing is sampled: branch and bound
in integers (:mod:`equiproof.certify.branch`; of scores, :mod:`equiproof.certify.trees`) proves that no different
decision is closer, or finds one, which is replayed in fractions. If its budget ends first, the person is undecided.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

from equiproof.audits.context import AuditContext
from equiproof.audits.counterexample import Counterexample
from equiproof.audits.errors import AuditError, NotApplicableError
from equiproof.audits.intervals import share_between
from equiproof.audits.records import Estimate
from equiproof.certify import branch
from equiproof.certify.ensemble import ScoredModel
from equiproof.certify.many.point import Verdict
from equiproof.certify.network import QuantisedNetwork
from equiproof.certify.traversal.search import Counterexample as DecidedBySensitive
from equiproof.certify.trees.scored import score_search
from equiproof.circuits.schemes import MAX_LEAVES
from equiproof.circuits.spec import Spec
from equiproof.circuits.units import length

SECONDS = 2.0
"""The default time limit per person, in seconds."""

_STEPS = (4, 8, 16, 32)
"""The steps beyond the boundary, as parts of the way to it, at which the different decision is sought."""


@dataclass(frozen=True)
class Robustness:
    """The robustness of one person: a verdict, and bounds of the distance to the nearest different decision.

    `row` counts from 0. Bounds are in the spec's units, rounded outward; `lower` is at most the requested distance.
    `counterexample` shows the person and somebody closer than that with a different decision or a tie.
    """

    row: int
    verdict: Verdict
    lower: float | None = None
    upper: float | None = None
    reason: str | None = None
    counterexample: Counterexample | None = None
    seconds: float = 0.0


def robustness(
    network: QuantisedNetwork,
    spec: Spec,
    X: Sequence[Mapping[str, Any]],
    *,
    distance: float,
    sensitive_features: Sequence[str] = (),
    max_seconds: float | None = SECONDS,
) -> tuple[Estimate, ...]:
    """Return the share of people whose decision holds closer than `distance`, over all and by their own group.

    `X` are raw rows with the sensitive features, `max_seconds` is the budget of one person. Intervals cover both
    outcomes of undecided people. Raises AuditError for rows and a distance that do not fit, NotApplicableError for a
    network that is too large for branch and bound.
    """
    context = AuditContext(
        network=network, spec=spec, commitment="", rows=X, sensitive_features=tuple(sensitive_features)
    )
    people = [robust(context, row, distance, max_seconds) for row in range(len(X))]
    return shares(context, people, distance)


def robust(context: AuditContext, row: int, distance: float, max_seconds: float | None) -> Robustness:
    """Return whether the decision of a row, numbered from 0, holds closer than a distance; raises as `robustness`."""
    start = time.perf_counter()
    spec = context.spec
    query = context.queries[row]
    number = context.slices[row]
    target = squared_distance(spec, distance)
    if context.score is not None:
        return _score(context, context.score, row, target, max_seconds)
    try:
        parameters = branch.network_parameters(spec, context.network.hidden)
        search = branch.branch_search(
            context.network,
            query,
            (spec.domain_table[number],),
            max_radius_squared=math.ceil(target),
            max_leaves=MAX_LEAVES,
            parameters=parameters,
            max_seconds=max_seconds,
            box=spec.box,
        )
    except branch.PrecisionError:
        return Robustness(row, "undecided", reason=_ended("digits", max_seconds), seconds=_since(start))
    except branch.WidthError as error:
        raise NotApplicableError(f"robustness: {error}") from None
    if isinstance(search, DecidedBySensitive):
        return Robustness(row, "undecided", reason="a tie", seconds=_since(start))
    table = (spec.domain_table[number],)
    branch.check(search.evidence, parameters, context.network, query, table, spec.box)
    # Searches know integers of squared radius alone: they go up to the next one, and what is beyond the distance is
    # cut.
    lower = _outward(length(spec, min(Fraction(search.evidence.radius_squared), target)), up=False)
    upper = None if search.upper is None else _outward(length(spec, search.upper, up=True), up=True)
    if search.evidence.radius_squared >= target:
        return Robustness(row, "fair", lower, None if upper is None else max(lower, upper), seconds=_since(start))
    if search.upper is not None and search.boundary_point is not None and search.upper < target:
        counterexample = _counterexample(context, row, search.boundary_point.point, target)
        return Robustness(row, "unfair", lower, upper, counterexample=counterexample, seconds=_since(start))
    # Complete without an answer: the boundary lies between the distance and the next integer.
    reason = _ended(search.ended or "digits", max_seconds)
    return Robustness(row, "undecided", lower, upper, reason, seconds=_since(start))


def _score(
    context: AuditContext, model: ScoredModel, row: int, target: Fraction, max_seconds: float | None
) -> Robustness:
    """Return the robustness of a row by the search of its kind of score, which checks its evidence itself."""
    start = time.perf_counter()
    spec = context.spec
    search = score_search(
        model,
        context.queries[row],
        (spec.domain_table[context.slices[row]],),
        max_radius_squared=math.ceil(target),
        max_leaves=MAX_LEAVES,
        max_seconds=max_seconds,
        box=spec.box,
    )
    if isinstance(search, DecidedBySensitive):
        return Robustness(row, "undecided", reason="a tie", seconds=_since(start))
    lower = _outward(length(spec, min(Fraction(search.radius_squared), target)), up=False)
    upper = None if search.upper is None else _outward(length(spec, search.upper, up=True), up=True)
    if search.radius_squared >= target:
        return Robustness(row, "fair", lower, None if upper is None else max(lower, upper), seconds=_since(start))
    if (
        search.upper is not None
        and search.boundary_point is not None
        and search.flip is not None
        and search.upper < target
    ):
        counterexample = _across(context, row, search.boundary_point.point, search.flip.point, target)
        return Robustness(row, "unfair", lower, upper, counterexample=counterexample, seconds=_since(start))
    reason = _ended(search.ended or ("values" if search.capped else "digits"), max_seconds)
    return Robustness(row, "undecided", lower, upper, reason, seconds=_since(start))


def shares(context: AuditContext, people: Sequence[Robustness], distance: float) -> tuple[Estimate, ...]:
    """Return the share of the robust among some rows, over all and by their own group."""
    measure = f"robust within {distance:g}"
    groups = {one.row: context.groups[one.row] for one in people}
    order = sorted(people, key=lambda one: context.slices[one.row])
    kinds = dict.fromkeys(groups[one.row] for one in order)
    selections = [((), list(people))] + [(kind, [one for one in people if groups[one.row] == kind]) for kind in kinds]
    return tuple(
        share_between(
            measure,
            sum(one.verdict == "fair" for one in some),
            sum(one.verdict != "unfair" for one in some),
            len(some),
            group=group,
        )
        for group, some in selections
    )


def squared_distance(spec: Spec, distance: float) -> Fraction:
    """Return the square of a distance in grid units; raises AuditError for one out of range."""
    squared = Fraction(str(distance)) ** 2 * spec.scale_unit**2 if math.isfinite(distance) else Fraction(0)
    if distance <= 0 or not 0 < squared <= spec.max_radius_squared:
        most = math.isqrt(spec.max_radius_squared) // spec.scale_unit
        raise AuditError(f"distance: {distance:g} is not between 0 and {most}, in the spec's units")
    return squared


def _ended(what: str, max_seconds: float | None) -> str:
    """Return what ended a search, with its budget, in words."""
    limits = {
        "leaves": f"{MAX_LEAVES} leaves",
        "seconds": f"{max_seconds:g} seconds" if max_seconds else "no time",
        "work": "the budget of work",
        "digits": "the integers of a proof have too few digits",
        "values": "another value of a category, which begins nearer",
    }
    return limits[what]


def _counterexample(context: AuditContext, row: int, boundary: Sequence[Fraction], target: Fraction) -> Counterexample:
    """Return a row with somebody closer than `target` who is decided differently or lies on the boundary.

    Raises AuditError if the model does not confirm it: then the search is wrong, and nothing is reported.
    """
    query = context.queries[row]
    number = context.slices[row]
    own = context.decided_input(query, number)
    low, high = context.spec.box or (query, query)
    for step in (*_STEPS, None):
        factor = 1 + (Fraction(1, 1 << step) if step else Fraction(0))
        point = [x + (place - x) * factor for x, place in zip(query, boundary, strict=True)]
        squared = sum(((place - x) ** 2 for x, place in zip(query, point, strict=True)), Fraction(0))
        if context.spec.box and not all(a <= x <= b for a, x, b in zip(low, point, high, strict=True)):
            continue
        other = context.decided_input(point, number)
        # Beyond the boundary a tie proves little; on the boundary itself it is what the search found.
        if squared < target and other.label != own.label and (other.label is not None or step is None):
            away = length(context.spec, squared, up=True)
            return Counterexample(
                f"somebody {away} away with the same sensitive values is decided differently", (own, other)
            )
    raise AuditError(f"row {row + 1}: the model does not confirm the different decision that the search found")


def _across(
    context: AuditContext, row: int, boundary: Sequence[Fraction], flip: Sequence[int], target: Fraction
) -> Counterexample:
    """Return a row with somebody closer than `target` who is just across thresholds; raises as `_counterexample`.

    The boundary's point lies on the thresholds that are crossed, the flip at most one grid unit beyond.
    """
    query = context.queries[row]
    number = context.slices[row]
    own = context.decided_input(query, number)
    for step in (0, *_STEPS):
        point = [end + (beyond - end) / (1 << step) for end, beyond in zip(boundary, flip, strict=True)]
        squared = sum(((place - x) ** 2 for x, place in zip(query, point, strict=True)), Fraction(0))
        other = context.decided_input(point, number)
        if squared < target and other.label != own.label:
            away = length(context.spec, squared, up=True)
            what = "without a decision" if other.label is None else "decided differently"
            return Counterexample(f"somebody {away} away with the same sensitive values is {what}", (own, other))
    raise AuditError(f"row {row + 1}: the model does not confirm the different decision that the search found")


def _outward(value: Decimal, *, up: bool) -> float:
    """Return the nearest float that is not inside the bound."""
    near = float(value)
    if up:
        return near if Decimal(near) >= value else math.nextafter(near, math.inf)
    return near if Decimal(near) <= value else math.nextafter(near, -math.inf)


def _since(begun: float) -> float:
    """Return the seconds since a moment of the clock."""
    return round(time.perf_counter() - begun, 6)
