"""Lies about an additive model that reads no sensitive column, on a box with two open categories.

The score is 1 at the worst person of the honest boxes: nothing is to spare.
"""

from __future__ import annotations

from equiproof.certify.people import Box
from equiproof.certify.trees.box import worst
from equiproof.circuits.categories import choices_of
from equiproof.circuits.spec import Feature
from tests.prover.additive_case import additive_model
from tests.soundness.box_told import Told, filled, lie
from tests.soundness.cheating_owner import Wires
from tests.support import HOUSING, INCOME, SEX, spec_of

JOB = Feature("job", "categorical", "one-hot", False, domain=("clerk", "miner", "nurse"))
SPEC = spec_of(INCOME, HOUSING, JOB, SEX)
CHOICES = choices_of(SPEC)
LOW, HIGH = CHOICES[0].low, CHOICES[0].high
PREDICATES = ((0, -10, -25), (0, 20, 60), (1, 10, 35), (2, 10, -45), (3, 10, 20), (4, 10, -30), (5, 10, -70))
"""Of the income, both values of the home, and three jobs."""

INCOMES = (-20, 30)


def case(high: tuple[int, ...], low: tuple[int, ...] = (LOW,) * 5, label: int = 1) -> Told:
    """Return the honest witness of a box with such ends of the columns of home and job."""
    sign = 2 * label - 1
    box = Box((INCOMES[0], *low), (INCOMES[1], *high), CHOICES)
    predicates = [(column, threshold, sign * jump) for column, threshold, jump in PREDICATES]
    left = worst(additive_model(SPEC, predicates, 0), box, SPEC.domain_table, label).margin
    return filled(SPEC, additive_model(SPEC, predicates, sign * (1 - left)), box, label)


def no_nurse() -> Told:
    """Return the witness of a box that leaves out the job that harms most, the last one."""
    return case((HIGH, HIGH, HIGH, HIGH, LOW))


def owners() -> Told:
    """Return that of owners of any job."""
    return case((HIGH, LOW, HIGH, HIGH, HIGH))


def clerks() -> Told:
    """Return that of clerks with any home: the second category is settled."""
    clerk = (HIGH, LOW, LOW)
    return case((HIGH, HIGH, *clerk), (LOW, LOW, *clerk))


def refused() -> Told:
    """Return that of the other label."""
    return case((HIGH,) * 5, label=0)


TRUTHS = {"two_homes": (no_nurse, owners, clerks, refused)}


@lie("R-X-GAIN", no_nurse)
def the_leasts_of_two_categories_exchanged(wires: Wires) -> None:
    """Each category adds what the other one does: the job more than its worst value."""
    wires["least"].reverse()


@lie("R-X-GAIN", no_nurse)
def a_first_category_that_adds_nothing(wires: Wires) -> None:
    """Whoever rents is said to lose nothing by it."""
    wires["least"][0] = 0


@lie("R-X-GAIN", no_nurse)
def a_second_category_that_adds_nothing(wires: Wires) -> None:
    """A miner is said to lose nothing by the job."""
    wires["least"][1] = 0


@lie("R-X-CLOSE", no_nurse)
def a_tie_without_sensitive_thresholds(wires: Wires) -> None:
    """The worst person has a score of 0, and no slice makes it another."""
    wires["bias"][0] -= 1


@lie("R-X-CLOSE", refused)
def a_tie_of_the_other_label_without_sensitive_thresholds(wires: Wires) -> None:
    """The same below 0."""
    wires["bias"][0] += 1
