"""Lies about an ensemble whose neighbors are kept to ranges: what is crossed outside them, and what is not."""

from __future__ import annotations

from functools import cache

from equiproof.certify.trees.ensemble_search import EnsembleSearch, ensemble_search
from equiproof.circuits.shape import ensemble_shape
from equiproof.circuits.spec import Box
from equiproof.prover.witness.relation import Secrets
from tests.certify.trees.ensembles import ensemble
from tests.soundness import additive_range_lies as additive
from tests.soundness.additive_told import Told
from tests.soundness.cheating_owner import Wires
from tests.soundness.trees_lies import lie
from tests.soundness.trees_told import filled_under
from tests.support import KEPT

QUERY = additive.CASE.query
PREDICATES = tuple((column, threshold, jump // 10) for column, threshold, jump in additive.PREDICATES)
"""Around (-5, 2000, 0, 1024): of column 2, from 0 to 1024, the thresholds -1 and 1024 are beyond the ranges."""

TREES = [
    (3, (0, 4, -90), (1, (2, 9, -8), (4, -6, -60))),
    (5, (2, (1, 3, -9), -7), (6, 90, -90)),
    (6, (0, 2, -3), (1, (2, 5, -9), (5, -8, 7))),
]
"""The first two begin with a node that is dead inside the ranges alone; the third asks the sensitive predicate."""

MODEL = ensemble(KEPT, PREDICATES, TREES, -24)
SLOTS, ROWS, CAPACITY = 4, 12, 4
SHAPE = ensemble_shape(KEPT, MODEL.predicates, MODEL.nodes.sizes, SLOTS, ROWS, CAPACITY)

NARROW: Box = (KEPT.box[0], (KEPT.box[1][0], 2010, *KEPT.box[1][2:])) if KEPT.box else ((), ())
"""Ranges of which column 1 ends before its threshold, which is then crossed by nobody."""


@cache
def searched(most: int, box: Box | None = KEPT.box) -> EnsembleSearch:
    """Return the search inside a box up to a squared radius."""
    found = ensemble_search(
        MODEL, QUERY, KEPT.domain_table, max_radius_squared=most, max_leaves=CAPACITY, max_slots=SLOTS, box=box
    )
    assert isinstance(found, EnsembleSearch)
    return found


def _filled(most: int, box: Box | None) -> Told:
    """Return the wires of evidence inside a box."""
    secrets = Secrets(MODEL, 7, QUERY, 9, KEPT.domain_table, box)
    return filled_under(SHAPE, secrets, searched(most, box).evidence)


def kept() -> Told:
    """Return evidence of the exact radius, which a neighbor outside the ranges would end at 1."""
    found = searched(100_000)
    assert (found.radius_squared, found.complete, found.leaves) == (30**2 + 15**2, True, 3)
    assert searched(100_000, None).radius_squared == 1
    return _filled(100_000, KEPT.box)


def kept_at_the_query() -> Told:
    """Return evidence of the radius 0, where every predicate is dead."""
    return _filled(0, KEPT.box)


def kept_narrowly() -> Told:
    """Return evidence of a larger radius, inside narrower ranges than the spec's."""
    assert searched(100_000, NARROW).radius_squared == 45**2
    return _filled(100_000, NARROW)


for change in (
    additive.dead_inside_ball_and_ranges,
    additive.beyond_a_threshold_above,
    additive.beyond_a_threshold_below,
    additive.the_end_on_the_other_side,
    additive.the_end_of_another_column,
    additive.beyond_twice,
):
    lie("R-T-DEAD", kept_at_the_query)(change)
for change in (additive.a_query_below_its_range, additive.a_query_above_its_range):
    lie("R-B-RANGES", kept_at_the_query)(change)
lie("R-RANGE", kept_at_the_query)(additive.a_range_too_wide)


@lie("R-T-CLOSE", kept)
def a_radius_too_large_for_an_ensemble_inside_ranges(wires: Wires) -> None:
    """One more than the exact one inside the ranges, with the same leaves."""
    wires["radius_squared"] = [wires["radius_squared"][0] + 1]


@lie("R-T-DEAD", kept_narrowly)
def evidence_of_narrower_ranges(wires: Wires) -> None:
    """The ranges are the spec's, and each predicate looks at an end of the narrower ones."""
    wires["range_high"] = [*kept().wires["range_high"]]


@lie("R-T-DEAD", kept_narrowly)
def rows_of_narrower_ranges(wires: Wires) -> None:
    """The ranges and their ends are the spec's: what is crossed inside them is dead, with all nodes that ask it."""
    wires["range_high"], wires["end"] = [*kept().wires["range_high"]], [*kept().wires["end"]]
