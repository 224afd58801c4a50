"""Lies about an additive model whose query lacks a value: what is missing, what is stated, and what nobody crosses."""

from __future__ import annotations

from dataclasses import replace

from equiproof.certify.trees.evidence import AdditiveEvidence, AdditiveLeaf
from tests.prover.additive_case import Case, additive_model
from tests.soundness.additive_lies import PREDICATES
from tests.soundness.additive_told import HALF, Told, filled, lie
from tests.soundness.cheating_owner import Wires
from tests.support import LACKING

ABSENT = LACKING.absent
CASE = Case(replace(additive_model(LACKING, PREDICATES, 40), absent=ABSENT), LACKING, (0, ABSENT, ABSENT))
"""Around an income of 0 whose owner does not say how they live: both thresholds of column 1 are passed by nobody."""

SLOTS, CAPACITY = 6, 8


def lacking() -> Told:
    """Return evidence of the exact radius, which thresholds of column 0 alone decide."""
    return filled(CASE.evidence(CASE.exact()), CASE, SLOTS, CAPACITY)


def lacking_at_the_query() -> Told:
    """Return evidence of the radius 0, where every predicate is dead."""
    return filled(CASE.evidence(0), CASE, SLOTS, CAPACITY)


@lie("R-T-MISSING", lacking_at_the_query)
def a_stated_value_that_is_absent(wires: Wires) -> None:
    """The income counts as missing, so that no threshold of it is near."""
    wires["absent"][0] = 1
    wires["away"][:4] = [1] * 4
    wires["radius_squared"] = [10_000]


@lie("R-T-MISSING", lacking_at_the_query)
def a_value_that_is_almost_absent(wires: Wires) -> None:
    """One less than the largest integer counts as missing."""
    wires["query"][1] -= 1
    wires["at"][4] = wires["at"][5] = wires["query"][1]


@lie("R-T-MISSING", lacking_at_the_query)
def a_missing_value_that_is_stated(wires: Wires) -> None:
    """The largest integer counts as a value."""
    wires["absent"][1] = wires["away"][4] = wires["away"][5] = 0


@lie("R-T-MISSING", lacking_at_the_query)
def half_absent(wires: Wires) -> None:
    """A value that is half missing."""
    wires["absent"][0] = HALF


@lie("R-T-MISSING", lacking_at_the_query)
def a_predicate_away_from_a_stated_value(wires: Wires) -> None:
    """A threshold of the income is dead inside the ball, as if the income were missing."""
    wires["away"][1], wires["radius_squared"] = 1, [101]


@lie("R-T-MISSING", lacking_at_the_query)
def a_predicate_of_another_absence(wires: Wires) -> None:
    """A predicate of a missing value counts as one of a stated value."""
    wires["away"][4] = 0


@lie("R-T-MISSING", lacking_at_the_query)
def a_missing_value_with_a_slot(wires: Wires) -> None:
    """A predicate of a missing value is live, in a leaf that stays and crosses it."""
    leaf = AdditiveLeaf((0,), 1 << 20, used=True)
    wires.update(filled(AdditiveEvidence(CASE.evidence(0).label, 0, (5,), (leaf,)), CASE, SLOTS, CAPACITY).wires)
