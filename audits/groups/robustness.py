"""Robustness: whose decision holds for everybody closer than a stated distance, their own sensitive values kept.

Distance is that of certificates: Euclidean over the non-sensitive columns, in the spec's units, from the person's
rounded values; where the spec keeps neighbors to ranges, only those inside count. Nothing is sampled around a person:
branch and bound in integers (:mod:`certify.branch`) proves that no other decision is closer, or comes upon one, which
is replayed in fractions; where its budget ends first, the person is undecided.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

from audits.context import AuditContext
from audits.errors import AuditError, NotApplicableError
from audits.intervals import share_between
from audits.report import Estimate, Verdict
from audits.witness import Witness
from certify import branch
from certify.network import QuantisedNetwork
from certify.search import Counterexample
from circuits.schemes import MAX_LEAVES
from circuits.spec import Spec
from circuits.units import length

SECONDS = 2.0
"""The budget of a person where nothing else is said."""

_STEPS = (4, 8, 16, 32)
"""How far behind a boundary the other decision is looked for: these parts of two of the way to it."""


@dataclass(frozen=True)
class Robustness:
    """What is known of one person: a verdict on the distance, and bounds of how far the nearest other decision is.

    `row` counts from 0. Bounds are in the spec's units, rounded outward, `lower` never beyond the distance that was
    asked for. `witness` shows the person and somebody closer than it who is decided otherwise, or not at all.
    """

    row: int
    verdict: Verdict
    lower: float | None = None
    upper: float | None = None
    reason: str | None = None
    witness: Witness | None = None
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

    `X` are raw rows with the sensitive features, `max_seconds` is the budget of one person. The undecided are counted
    either way. Raises AuditError for rows and a distance that do not fit, NotApplicableError for a network that branch
    and bound cannot hold.
    """
    context = AuditContext(
        network=network, spec=spec, commitment="", rows=X, sensitive_features=tuple(sensitive_features)
    )
    found = [robust(context, row, distance, max_seconds) for row in range(len(X))]
    return shares(context, found, distance)


def robust(context: AuditContext, row: int, distance: float, max_seconds: float | None) -> Robustness:
    """Return whether the decision of a row, numbered from 0, holds closer than a distance; raises as `robustness`."""
    begun = time.perf_counter()
    spec, query, number = context.spec, context.queries[row], context.slices[row]
    wanted = squared_distance(spec, distance)
    try:
        parameters = branch.parameters_of(spec, context.network.hidden)
        found = branch.branch_search(
            context.network,
            query,
            (spec.domain_table[number],),
            max_radius_squared=math.ceil(wanted),
            max_leaves=MAX_LEAVES,
            parameters=parameters,
            max_seconds=max_seconds,
            box=spec.box,
        )
    except branch.PrecisionError:
        return Robustness(row, "undecided", reason=_ended("digits", max_seconds), seconds=_since(begun))
    except branch.WidthError as error:
        raise NotApplicableError(f"robustness: {error}") from None
    if isinstance(found, Counterexample):
        return Robustness(row, "undecided", reason="a tie", seconds=_since(begun))
    table = (spec.domain_table[number],)
    branch.check(found.evidence, parameters, context.network, query, table, spec.box)
    lower = _outward(length(spec, min(Fraction(found.evidence.radius_squared), wanted)), up=False)
    upper = None if found.upper is None else _outward(length(spec, found.upper, up=True), up=True)
    if found.evidence.radius_squared >= wanted:
        return Robustness(row, "fair", lower, None if upper is None else max(lower, upper), seconds=_since(begun))
    if found.upper is not None and found.witness is not None and found.upper < wanted:
        witness = _witness(context, row, found.witness.point, wanted)
        return Robustness(row, "unfair", lower, upper, witness=witness, seconds=_since(begun))
    # Complete without either answer: the boundary is between the distance and the next integer.
    reason = _ended(found.ended or "digits", max_seconds)
    return Robustness(row, "undecided", lower, upper, reason, seconds=_since(begun))


def shares(context: AuditContext, found: Sequence[Robustness], distance: float) -> tuple[Estimate, ...]:
    """Return the share of the robust among some rows, over all and by their own group."""
    measure = f"robust within {distance:g}"
    groups = {one.row: context.groups[one.row] for one in found}
    order = sorted(found, key=lambda one: context.slices[one.row])
    kinds = dict.fromkeys(groups[one.row] for one in order)
    chosen = [((), list(found))] + [(kind, [one for one in found if groups[one.row] == kind]) for kind in kinds]
    return tuple(
        share_between(
            measure,
            sum(one.verdict == "fair" for one in some),
            sum(one.verdict != "unfair" for one in some),
            len(some),
            group=group,
        )
        for group, some in chosen
    )


def squared_distance(spec: Spec, distance: float) -> Fraction:
    """Return the square of a distance in grid units; raises AuditError for one that none can have."""
    squared = Fraction(str(distance)) ** 2 * spec.scale_unit**2 if math.isfinite(distance) else Fraction(0)
    if distance <= 0 or not 0 < squared <= spec.max_radius_squared:
        most = math.isqrt(spec.max_radius_squared) // spec.scale_unit
        raise AuditError(f"distance: {distance:g} is not above 0 and at most {most}, in the spec's units")
    return squared


def _ended(what: str, max_seconds: float | None) -> str:
    """Say what ended a search, with its budget."""
    told = {"leaves": f"{MAX_LEAVES} leaves", "seconds": f"{max_seconds:g} seconds" if max_seconds else "no time"}
    return told.get(what, "the integers of a proof have too few digits")


def _witness(context: AuditContext, row: int, boundary: Sequence[Fraction], wanted: Fraction) -> Witness:
    """Show a row beside somebody closer than wanted who is decided otherwise, or who stands on the boundary.

    Raises AuditError where the model does not confirm it: then the search is wrong, and nothing is reported.
    """
    query, number = context.queries[row], context.slices[row]
    own = context.case(query, number)
    low, high = context.spec.box or (query, query)
    for step in (*_STEPS, None):
        factor = 1 + (Fraction(1, 1 << step) if step else Fraction(0))
        point = [x + (place - x) * factor for x, place in zip(query, boundary, strict=True)]
        squared = sum(((place - x) ** 2 for x, place in zip(query, point, strict=True)), Fraction(0))
        if context.spec.box and not all(a <= x <= b for a, x, b in zip(low, point, high, strict=True)):
            continue
        other = context.case(point, number)
        if squared < wanted and other.label != own.label and (other.label is not None or step is None):
            away = length(context.spec, squared, up=True)
            return Witness(f"somebody {away} away, of the same sensitive values, is not decided alike", (own, other))
    raise AuditError(f"row {row + 1}: the model does not confirm the nearest other decision")


def _outward(value: Decimal, *, up: bool) -> float:
    """Return the nearest float that is not inside the bound."""
    near = float(value)
    if up:
        return near if Decimal(near) >= value else math.nextafter(near, math.inf)
    return near if Decimal(near) <= value else math.nextafter(near, -math.inf)


def _since(begun: float) -> float:
    """Return the seconds since then."""
    return round(time.perf_counter() - begun, 6)
