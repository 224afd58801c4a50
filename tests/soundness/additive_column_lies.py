"""Lies about an additive model of several sensitive columns and many slices, without room for phantoms."""

from __future__ import annotations

from tests.prover.additive_case import Case, additive_model
from tests.soundness.additive_told import Told, filled, lie
from tests.soundness.cheating_owner import Wires
from tests.support import AGE, HOUSING, INCOME, SAVINGS, SEX, spec_of

SPEC = spec_of(INCOME, SAVINGS, HOUSING, SEX, AGE, name="two")
"""Four plain columns; the sensitive ones are two, of two and of three values: six slices."""

PREDICATES = (
    (0, -30, 40), (0, 12, -60), (1, 5, -10), (3, 60, -20), (4, 0, -5), (5, -1000, 7), (5, 1000, -9),
)  # fmt: skip
"""Around (0, 5, -7, 20), which is at the threshold of column 1. The worst slice is the last one, with -7."""

CASE = Case(additive_model(SPEC, PREDICATES, 40), SPEC, (0, 5, -7, 20))
EXACT = CASE.exact()
SLOTS, CAPACITY = 4, 8
LAST = 5 * 3
"""The first wire of the last slice's sensitive predicates."""


def full() -> Told:
    """Return evidence of the exact radius, in which every slot is live."""
    assert EXACT == 12**2 + 40**2
    return filled(CASE.evidence(EXACT), CASE, SLOTS, CAPACITY)


def at_the_query() -> Told:
    """Return evidence of the radius 0, where every predicate is dead."""
    return filled(CASE.evidence(0), CASE, SLOTS, CAPACITY)


@lie("R-T-ORDER", full)
def sensitive_predicates_that_descend(wires: Wires) -> None:
    """Two predicates of the second sensitive column stand in the other order."""
    for name in ("thresholds", "jumps"):
        wires[name][5], wires[name][6] = wires[name][6], wires[name][5]
    for at in range(1, 18, 3):
        sides = wires["side_of_slice"]
        sides[at], sides[at + 1] = sides[at + 1], sides[at]


@lie("R-T-SIDE", at_the_query)
def a_value_of_another_column_of_the_query(wires: Wires) -> None:
    """A predicate of column 0 is compared with the query's value of column 1."""
    wires["at"][0] = wires["query"][1]


@lie("R-T-SIDE", at_the_query)
def above_the_threshold_that_it_is_at(wires: Wires) -> None:
    """The query counts as above a threshold that it is equal to."""
    wires["side"][2] = 0


@lie("R-T-SIDE", full)
def a_slice_at_its_other_column(wires: Wires) -> None:
    """A predicate of the first sensitive column is compared with the slice's value of the second one."""
    wires["sensitive_at"][LAST] = wires["table"][11]


@lie("R-T-SIDE", full)
def a_slice_at_the_one_before(wires: Wires) -> None:
    """The last slice is compared with the value of the slice before."""
    wires["sensitive_at"][LAST + 2], wires["side_of_slice"][LAST + 2] = wires["table"][9], 1


@lie("R-T-SIDE", full)
def a_slice_at_the_query(wires: Wires) -> None:
    """A sensitive predicate is compared with a value of the query."""
    wires["sensitive_at"][LAST] = wires["query"][3]


@lie("R-T-SIDE", full)
def a_slice_below_a_threshold_that_it_is_above(wires: Wires) -> None:
    """The jump that the last slice passes does not count."""
    wires["side_of_slice"][LAST] = 1


@lie("R-T-SLICES", full)
def the_last_slice_left_out(wires: Wires) -> None:
    """The label gains on every slice what it gains on all but the last one."""
    wires["worst"] = [-5]


@lie("R-T-SLICES", full)
def a_slice_with_the_other_label(wires: Wires) -> None:
    """What the worst slice adds is counted for the other label."""
    wires["worst"] = [7]


@lie("R-T-CAPACITY", at_the_query)
def a_full_house_and_one_more(wires: Wires) -> None:
    """A predicate is live, and no slot is."""
    wires["dead"][3] = 0


@lie("R-T-COVER", full)
def a_leaf_of_the_farthest_cells_left_out(wires: Wires) -> None:
    """The last live leaf is not live."""
    wires["leaf_live"][sum(wires["leaf_live"]) - 1] = 0
