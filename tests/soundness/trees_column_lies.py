"""Lies about an ensemble of several sensitive columns and many slices, without an empty row or a phantom."""

from __future__ import annotations

from functools import cache

from equiproof.certify.additive import AdditiveModel
from equiproof.certify.ensemble import EnsembleModel
from equiproof.certify.trees.ensemble_evidence import EnsembleEvidence, EnsembleLeaf
from equiproof.certify.trees.ensemble_search import EnsembleSearch, ensemble_search
from equiproof.certify.trees.rows import live_rows
from equiproof.circuits.shape import ensemble_shape
from equiproof.prover.witness.relation import Secrets
from tests.certify.trees.ensembles import table_of
from tests.soundness.additive_column_lies import SPEC
from tests.soundness.additive_told import Told
from tests.soundness.cheating_owner import Wires
from tests.soundness.trees_lies import lie
from tests.soundness.trees_told import filled_under

PREDICATES = ((0, -30, 0), (1, 12, 6), (3, 60, -3), (4, 0, -4), (5, -1000, 3), (5, 1000, 0))
"""Of six slices: whether the first sensitive column is passed, and how many thresholds of the second one."""

TREES = [
    (0, (3, 4, -7), (4, 2, 9)),
    (1, (5, 5, -4), (0, -3, (3, 2, -2))),
    (2, (4, -1, 3), (5, 2, -6)),
]

QUERY = (0, 5, -7, 20)
CAPACITY = 8
SIGNS, ROWS, SLICES = 6, 10, 6
"""By leaf: three slots and three sensitive predicates; every node is a row."""


def _model(bias: int = 14) -> EnsembleModel:
    columns, thresholds, jumps = zip(*PREDICATES, strict=True)
    additive = AdditiveModel(columns, thresholds, jumps, bias, 4, 2, SPEC.input_fraction_bits)
    return EnsembleModel(additive, table_of(TREES))


@cache
def searched() -> EnsembleSearch:
    """Return the search up to the exact radius."""
    found = ensemble_search(_model(), QUERY, SPEC.domain_table, max_radius_squared=100_000, max_leaves=CAPACITY)
    assert isinstance(found, EnsembleSearch)
    return found


def several() -> Told:
    """Return evidence of the exact radius: every predicate is a slot, and every node a row."""
    evidence = searched().evidence
    assert (len(evidence.slots), searched().rows, evidence.size) == (SIGNS - 3, ROWS, 4)
    return _filled(_model(), evidence)


def several_at_the_query() -> Told:
    """Return evidence of the radius 0 that closes whatever trees are worth, in one leaf of all slices."""
    model = _model(4000)
    rows = len(live_rows(model, QUERY, ()))
    leaf = EnsembleLeaf((), (0, 0, 0), tuple(range(SLICES)), 0, True, (0,) * rows)
    return _filled(model, EnsembleEvidence(1, 0, (), (leaf,)))


def _filled(model: EnsembleModel, evidence: EnsembleEvidence) -> Told:
    shape = ensemble_shape(SPEC, model.predicates, model.nodes.sizes, SIGNS - 3, ROWS, CAPACITY)
    return filled_under(shape, Secrets(model, 7, QUERY, 9, SPEC.domain_table, SPEC.box), evidence)


WHOLE = 3
"""The leaf that leaves every slot free: it serves all slices on which the last column passes one threshold at most."""


@lie("R-T-ORDER", several_at_the_query)
def sensitive_predicates_of_an_ensemble_that_descend(wires: Wires) -> None:
    """Two predicates of the second sensitive column stand in the other order."""
    for name in ("thresholds", "jumps"):
        wires[name][4], wires[name][5] = wires[name][5], wires[name][4]
    sides = wires["side_of_slice"]
    for at in range(1, 18, 3):
        sides[at], sides[at + 1] = sides[at + 1], sides[at]


@lie("R-T-SIDE", several)
def a_slice_of_an_ensemble_at_its_other_column(wires: Wires) -> None:
    """A predicate of the first sensitive column is compared with the last slice's value of the second one."""
    wires["sensitive_at"][15] = wires["table"][11]


@lie("R-T-SIDE", several_at_the_query)
def a_slice_of_an_ensemble_above_what_it_is_below(wires: Wires) -> None:
    """The first slice counts as above the larger threshold of the second column."""
    wires["side_of_slice"][2] = 0


@lie("R-T-RESOLVE", several, stage="rows")
def a_node_of_another_sensitive_predicate(wires: Wires) -> None:
    """A node follows the other threshold of its column."""
    wires["node_slot"][wires["node_slot"].index(5)] = 6


@lie("R-T-RESOLVE", several, stage="references")
def a_sensitive_node_that_is_said_to_be_dead(wires: Wires) -> None:
    """A node of a sensitive column stands for its low child on every slice."""
    node = wires["node_slot"].index(5)
    wires["node_slot"][node], wires["node_live"][node] = 0, 0


@lie("R-T-LEAF", several, stage="values")
def a_sensitive_row_on_the_other_side(wires: Wires) -> None:
    """A leaf fixes the last threshold of the second column, and a row goes to the other child."""
    at = WHOLE * ROWS + wires["row_slot"].index(6)
    wires["way"][at] = 1 - wires["way"][at]


@lie("R-T-CHAIN", several)
def a_sensitive_crossing_left_out(wires: Wires) -> None:
    """What passing a free sensitive threshold costs the label does not count."""
    at = next(j for j in range(WHOLE * SIGNS + 3, (WHOLE + 1) * SIGNS) if wires["taken"][j] and not wires["signs"][j])
    wires["taken"][at], wires["level"][at] = 0, 0


@lie("R-T-CHARGE", several, stage="levels")
def charges_on_a_sensitive_slot(wires: Wires) -> None:
    """What rows of a slot charge is moved to a sensitive predicate."""
    at = WHOLE * SIGNS
    wires["charged"][at + 4], wires["charged"][at] = wires["charged"][at], 0


@lie("R-T-COVER", several)
def a_slice_served_by_the_signs_of_others(wires: Wires) -> None:
    """A slice is served by the leaf of the slices that do not pass what it passes, and by no other."""
    for leaf in range(WHOLE):
        wires["serves"][leaf * SLICES + 2] = 0
    wires["serves"][WHOLE * SLICES + 2] = 1


@lie("R-T-COVER", several)
def the_last_slice_of_an_ensemble_left_out(wires: Wires) -> None:
    """No leaf serves the last slice."""
    for leaf in range(WHOLE):
        wires["serves"][leaf * SLICES + 5] = 0


@lie("R-T-COVER", several)
def one_of_six_slices_twice_for_another(wires: Wires) -> None:
    """A copy of a leaf serves the first slice again, and none the second one."""
    for name, length in (
        *((name, SIGNS) for name in ("signs", "taken", "level", "charged")),
        *((name, ROWS) for name in ("free", "way", "charge", "stay", "cross")),
        *((name, 1) for name in ("leaf_live", "used", "multiplier")),
    ):
        at = WHOLE * length
        wires[name][at + length : at + 2 * length] = wires[name][at : at + length]
    wires["serves"][WHOLE * SLICES + 1], wires["serves"][(WHOLE + 1) * SLICES] = 0, 1


@lie("R-T-CLOSE", several)
def a_larger_radius_of_several_columns(wires: Wires) -> None:
    """One more than the exact one."""
    wires["radius_squared"] = [wires["radius_squared"][0] + 1]
