"""Lies about an ensemble whose query lacks values: which of them it lacks, and where nodes send what is missing."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from equiproof.certify.ensemble import EnsembleModel
from equiproof.certify.trees.ensemble_evidence import EnsembleEvidence, EnsembleLeaf
from equiproof.certify.trees.ensemble_search import EnsembleSearch, ensemble_search
from equiproof.certify.trees.rows import live_rows
from equiproof.circuits.field import ORDER
from equiproof.circuits.shape import Shape, ensemble_shape
from equiproof.prover.witness.relation import Secrets
from tests.soundness.additive_told import Told
from tests.soundness.cheating_owner import Wires
from tests.soundness.trees_lies import lie
from tests.soundness.trees_told import CAPACITY, NARROW, ROWS, SLOTS, again, filled_under
from tests.support import LACKING

ABSENT = LACKING.absent
QUERY = (0, ABSENT, 0)
HIGHS = (0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 1, 0)
"""Where nodes send what is missing: of those that ask column 1, which the query lacks, some go high and some low."""

MODEL = EnsembleModel(replace(NARROW.additive, absent=ABSENT, bias=6), replace(NARROW.nodes, highs=HIGHS))


@cache
def searched(most: int) -> EnsembleSearch:
    """Return the search up to a squared radius."""
    found = ensemble_search(MODEL, QUERY, LACKING.domain_table, max_radius_squared=most, max_leaves=CAPACITY)
    assert isinstance(found, EnsembleSearch)
    return found


def shape() -> Shape:
    """Return the shape of all cases here."""
    return ensemble_shape(LACKING, MODEL.predicates, MODEL.nodes.sizes, SLOTS, ROWS, CAPACITY)


def _filled(most: int) -> Told:
    """Return the wires of evidence."""
    secrets = Secrets(MODEL, 7, QUERY, 9, LACKING.domain_table, LACKING.box)
    return filled_under(shape(), secrets, searched(most).evidence)


def lacking_ensemble() -> Told:
    """Return evidence of the exact radius."""
    return _filled(100_000)


def lacking_ensemble_at_the_query() -> Told:
    """Return evidence of the radius 0, where every plain predicate is dead."""
    return _filled(0)


@lie("R-T-MISSING", lacking_ensemble_at_the_query)
def a_stated_value_of_an_ensemble_that_is_absent(wires: Wires) -> None:
    """The income counts as missing, so that no threshold of it is near."""
    wires["absent"][0] = 1
    wires["away"][:3] = [1] * 3
    again_at(wires)


@lie("R-T-MISSING", lacking_ensemble_at_the_query)
def a_missing_value_of_an_ensemble_that_is_stated(wires: Wires) -> None:
    """The largest integer counts as a value: nodes go high, as if it were one."""
    wires["absent"][1] = wires["away"][3] = wires["away"][4] = 0
    again_at(wires)


@lie("R-T-MISSING", lacking_ensemble_at_the_query)
def a_predicate_of_an_ensemble_away_from_a_stated_value(wires: Wires) -> None:
    """A threshold of the income is dead inside the ball, as if the income were missing."""
    wires["away"][1], wires["radius_squared"] = 1, [401]
    again_at(wires)


@lie("R-T-MISSING", lacking_ensemble_at_the_query)
def a_missing_value_of_an_ensemble_with_a_slot(wires: Wires) -> None:
    """A predicate of a missing value is live, in a leaf that closes whatever trees are worth."""
    ample = replace(MODEL, additive=replace(MODEL.additive, bias=4000))
    leaf = EnsembleLeaf((0,), (0,), (0, 1), 1 << 20, True, (0,) * len(live_rows(ample, QUERY, (4,))))
    secrets = Secrets(ample, 7, QUERY, 9, LACKING.domain_table, LACKING.box)
    wires.update(filled_under(shape(), secrets, EnsembleEvidence(1, 0, (4,), (leaf,))).wires)


@lie("R-T-NODE", lacking_ensemble_at_the_query)
def a_fraction_of_a_side_of_missing_values(wires: Wires) -> None:
    """By a fraction, a node finds another predicate under its own number, which is as dead and on the same side."""
    stated = [place for place, away in enumerate(wires["away"]) if not away]
    node = next(n for n, place in enumerate(wires["node_predicate"]) if place in stated)
    own = wires["node_predicate"][node]
    other = next(place for place in stated if place != own and wires["side"][place] == wires["side"][own])
    wires["node_missing"][node] = (other - own) * pow(len(wires["columns"]), -1, ORDER) % ORDER


@lie("R-T-RESOLVE", lacking_ensemble_at_the_query)
def a_missing_value_on_the_other_side_of_a_node(wires: Wires) -> None:
    """A node sends what is missing where the committed one does not."""
    node = next(n for n, place in enumerate(wires["node_predicate"]) if _lacks(wires, place))
    wires["node_side"][node] = 1 - wires["node_side"][node]
    again_at(wires)


@lie("R-T-RESOLVE", lacking_ensemble_at_the_query)
def a_side_that_is_turned_afterwards(wires: Wires) -> None:
    """The committed side of missing values is the other one, and the tree goes where it went before."""
    node = next(n for n, place in enumerate(wires["node_predicate"]) if _lacks(wires, place))
    wires["node_missing"][node] = 1 - wires["node_missing"][node]


def _lacks(wires: Wires, place: int) -> bool:
    """Return whether the value that a predicate asks for is missing; a sensitive one never is."""
    return wires["away"][place : place + 1] == [1]


def again_at(wires: Wires) -> None:
    """Fill anew what follows from the nodes' sides."""
    again(Told("", shape(), wires), "references")
