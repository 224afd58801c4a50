"""Lies about an additive model whose neighbors are kept to ranges: what is crossed outside them, and what is not."""

from __future__ import annotations

from tests.prover.additive_case import Case, additive_model
from tests.soundness.additive_told import Told, filled, lie
from tests.soundness.cheating_owner import Wires
from tests.support import KEPT

PREDICATES = ((0, -30, 40), (0, 45, -70), (1, 15, -40), (2, -1, 500), (2, 500, -50), (2, 1024, -500), (4, 0, -5))
"""Around (0, 0, 0, 1024). Column 2 goes from 0 to 1024: the nearest of its thresholds and the last are beyond."""

CASE = Case(additive_model(KEPT, PREDICATES, -440), KEPT, (0, 0, 0, 1024))
EXACT = CASE.exact()
SLOTS, CAPACITY = 4, 4


def kept() -> Told:
    """Return evidence of the exact radius, which a neighbor outside the ranges would end at 1."""
    assert EXACT == 45**2 + 15**2
    return filled(CASE.evidence(EXACT), CASE, SLOTS, CAPACITY)


def kept_at_the_query() -> Told:
    """Return evidence of the radius 0, where every predicate is dead."""
    return filled(CASE.evidence(0), CASE, SLOTS, CAPACITY)


@lie("R-T-DEAD", kept_at_the_query)
def dead_inside_ball_and_ranges(wires: Wires) -> None:
    """A predicate is dead under a radius that reaches it, inside the ranges."""
    wires["radius_squared"] = [15**2 + 1]


@lie("R-T-DEAD", kept_at_the_query)
def beyond_a_threshold_above(wires: Wires) -> None:
    """A threshold above the query, inside the ranges, counts as outside."""
    wires["radius_squared"], wires["beyond"][2] = [15**2 + 1], 1


@lie("R-T-DEAD", kept_at_the_query)
def beyond_a_threshold_below(wires: Wires) -> None:
    """A threshold below the query, inside the ranges, counts as outside."""
    wires["radius_squared"], wires["beyond"][0], wires["beyond"][2] = [30**2 + 1], 1, 0
    wires["dead"][2] = 1
    wires["thresholds"][2] = 100


@lie("R-T-DEAD", kept_at_the_query)
def the_end_on_the_other_side(wires: Wires) -> None:
    """The threshold above the query is above its column's least value."""
    wires["radius_squared"], wires["beyond"][2] = [15**2 + 1], 1
    wires["end"][2] = wires["range_low"][1]


@lie("R-T-DEAD", kept_at_the_query)
def the_end_of_another_column(wires: Wires) -> None:
    """The threshold below the query is below the least value of another column."""
    wires["thresholds"][2], wires["radius_squared"], wires["beyond"][0] = 100, [30**2 + 1], 1
    wires["end"][0] = wires["range_low"][2]


@lie("R-T-DEAD", kept_at_the_query)
def beyond_twice(wires: Wires) -> None:
    """What is beyond the ranges counts twice: it has to be inside the ball."""
    wires["radius_squared"], wires["beyond"][3] = [2], 2


@lie("R-B-RANGES", kept_at_the_query)
def a_query_below_its_range(wires: Wires) -> None:
    """The range of column 0 begins above the query."""
    wires["range_low"][0] = wires["end"][0] = 1


@lie("R-B-RANGES", kept_at_the_query)
def a_query_above_its_range(wires: Wires) -> None:
    """The range of column 0 ends below the query."""
    wires["range_high"][0] = wires["end"][1] = -1


@lie("R-RANGE", kept_at_the_query)
def a_range_too_wide(wires: Wires) -> None:
    """The largest value of column 3 does not fit its width."""
    wires["range_high"][3] = 1 << 17


@lie("R-T-CLOSE", kept)
def a_radius_too_large_inside_ranges(wires: Wires) -> None:
    """A radius beyond the exact one inside the ranges, with the same leaves."""
    wires["radius_squared"] = [EXACT + 1]
