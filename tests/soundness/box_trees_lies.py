"""Lies about an ensemble on a box: what relation `trees-box` has beyond `trees`, and some of the rules of both.

The bias is the least with which the leaves of each honest box close, so that nothing is to spare. What follows from a
change is filled anew, so that nothing but the broken rule refuses it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache

from msgspec import UNSET

from equiproof.certify.ensemble import EnsembleModel
from equiproof.certify.people import Box
from equiproof.certify.sets import Sets
from equiproof.certify.trees.box_leaves import box_leaves
from equiproof.certify.trees.ensemble_evidence import EnsembleEvidence
from equiproof.circuits.categories import categories_of, counts_of
from equiproof.circuits.shape import ensemble_box_shape
from equiproof.circuits.spec import Spec
from equiproof.circuits.statement import BoxStatement
from equiproof.prover.witness.box import Secrets, fill
from tests.soundness.additive_told import HALF
from tests.soundness.box_told import Told
from tests.soundness.cheating_owner import CONTEXT_DIGEST, SPEC_DIGEST, Wires
from tests.soundness.trees_told import NARROW, SPEC, Stage
from tests.soundness.trees_told import again as filled_again
from tests.support import LACKING, changed

SLOTS, ROWS, CAPACITY = 5, 12, 2
AROUND = Box((-40, 10, 0), (30, 20, 12))
"""Two thresholds of column 0, and one of each other column, are inside; one of column 0 and one of column 1 are not."""


def case(model: EnsembleModel, spec: Spec, box: Box, label: int = 1) -> Told:
    """Return the honest witness whose bias is the least that the leaves close with.

    The spec's category counts as columns of numbers here, as those of specs without one do.
    """
    shape = ensemble_box_shape(
        spec, model.predicates, model.nodes.sizes, SLOTS, ROWS, CAPACITY,
        counts_of(one.category for one in model.sets),
    )  # fmt: skip
    shape = changed(shape, one_hot=UNSET)
    sign, room = 2 * label - 1, (CAPACITY, SLOTS, ROWS)

    def found(bias: int) -> tuple[EnsembleModel, EnsembleEvidence | None]:
        own = replace(model, additive=replace(model.additive, bias=sign * bias))
        leaves = box_leaves(own, box, spec.domain_table, label, room)
        return own, leaves if isinstance(leaves, EnsembleEvidence) else None

    bias = next(bias for bias in range(-60, 200) if found(bias)[1] is not None)
    own, leaves = found(bias)
    blank = BoxStatement(0, SPEC_DIGEST, 0, 0, label, CONTEXT_DIGEST)
    secrets = Secrets(own, 7, box, 9, spec.domain_table, leaves)
    return Told("", shape, {name: list(values) for name, values in fill(shape, blank, secrets).items()})


def copied(of: Told) -> Told:
    """Return a witness whose wires are the caller's to change."""
    return replace(of, wires={name: list(values) for name, values in of.wires.items()})


@cache
def _around() -> Told:
    return case(NARROW, SPEC, AROUND)


@cache
def _refused() -> Told:
    return case(NARROW, SPEC, AROUND, 0)


@cache
def _alone() -> Told:
    return case(NARROW, SPEC, Box((0, 0, 0), (0, 0, 0)))


@cache
def _lacking(below: int = 0) -> Told:
    own = replace(NARROW.additive, absent=LACKING.absent)
    highs = tuple(place % 2 for place in range(len(NARROW.nodes.predicates)))
    model = EnsembleModel(own, replace(NARROW.nodes, highs=highs))
    absent = LACKING.absent
    return case(model, LACKING, Box((-40, absent - below, absent), (30, absent, absent)))


@cache
def _in_sets() -> Told:
    (category,) = categories_of(SPEC)
    own = NARROW.additive
    # The predicates of both values become those of two sets, behind the columns of the query; the sensitive one moves.
    moved = {1: 3, 2: 4, 3: 5}
    asked = [
        (moved.get(column, column), 0 if column in (1, 2) else threshold)
        for column, threshold in zip(own.columns, own.thresholds, strict=True)
    ]
    places = {key: place for place, key in enumerate(dict.fromkeys(asked))}
    columns, thresholds = zip(*places, strict=True)
    sets = (Sets(changed(category, sets=2), ((1, 0), (0, 1))),)
    own = replace(own, columns=columns, thresholds=thresholds, jumps=(0,) * len(places), plain=5, sets=sets)
    nodes = replace(NARROW.nodes, predicates=tuple(places[asked[place]] for place in NARROW.nodes.predicates))
    high, low = category.high, category.low
    return case(EnsembleModel(own, nodes), SPEC, Box((-40, high, low), (30, high, low)))


def around() -> Told:
    """Return the witness of the box around the mean."""
    return copied(_around())


def refused() -> Told:
    """Return that of the other label."""
    return copied(_refused())


def alone() -> Told:
    """Return that of one person: nothing is live."""
    return copied(_alone())


def lacking() -> Told:
    """Return that of people who do not state their home."""
    return copied(_lacking())


def in_sets() -> Told:
    """Return that of people of one home, of which sets are asked."""
    return copied(_in_sets())


TRUTHS = {"trees": (around, refused, alone), "missing": (lacking,), "sets": (in_sets,)}
"""The honest witnesses by shape."""

LIES: dict[str, tuple[str, Callable[[], Told], Callable[[Wires], None], Stage | None]] = {}
"""By name: the rule, the honest witness, the change, and the first stage that is filled anew behind it."""


def lie(rule: str, of: Callable[[], Told] = around, stage: Stage | None = None):
    """Register a change of honest wires as a lie that breaks a rule."""

    def register(change: Callable[[Wires], None]) -> Callable[[Wires], None]:
        LIES[change.__name__.replace("_", "-")] = (rule, of, change, stage)
        return change

    return register


def told(name: str) -> Told:
    """Return the witness of a lie."""
    rule, of, change, stage = LIES[name]
    found = replace(of(), rule=rule)
    change(found.wires)
    if stage is not None:
        again(found, stage)
    return found


def again(found: Told, stage: Stage) -> None:
    """Fill a stage and all behind it anew, as for an ensemble whose slots are at no distance."""
    gaps = {"slot_gap2": [0] * SLOTS, "multiplier": [0] * CAPACITY, "at": found.wires["low_at"]}
    shadow = replace(found, wires=found.wires | gaps)
    filled_again(shadow, stage)
    for name in found.wires:
        found.wires[name] = shadow.wires[name]


# -- the box


@lie("R-X-ENDS", alone)
def a_box_of_trees_without_anybody(wires: Wires) -> None:
    """The largest value of a column is below the least one."""
    wires["box_high"][0] = -1
    for place in range(3):
        wires["high_at"][place] = -1


@lie("R-X-ENDS", lacking)
def others_than_those_who_lack_a_value(wires: Wires) -> None:
    """Who states a large value is in the box, and who states none is too."""
    wires |= {name: list(values) for name, values in _lacking(below=1).wires.items()}


@lie("R-T-MISSING", lacking)
def a_missing_home_that_is_stated(wires: Wires) -> None:
    """The largest integer counts as a value."""
    wires["absent"][1] = 0
    for place, column in enumerate(wires["columns"][: len(wires["low_at"])]):
        if column == 1:
            wires["away"][place] = 0


@lie("R-X-CATEGORY", in_sets)
def an_open_home_of_sets(wires: Wires) -> None:
    """Whoever rents is in the box, and in the sets of who owns."""
    wires["box_high"][2] = wires["box_high"][1]


@lie("R-X-SIDE", alone)
def an_end_of_another_column_of_trees(wires: Wires) -> None:
    """A predicate has a least end that is not its column's, on the same side of its threshold."""
    wires["low_at"][0] = 1


@lie("R-X-SIDE", alone)
def a_predicate_that_nobody_is_said_to_pass(wires: Wires) -> None:
    """Both ends count as at most a threshold that they are above of."""
    wires["side_low"][0] = wires["side_high"][0] = 1


@lie("R-X-SIDE", alone)
def a_predicate_that_everybody_is_said_to_pass(wires: Wires) -> None:
    """Both ends count as above a threshold that they are below of."""
    wires["side_low"][2] = wires["side_high"][2] = 0


@lie("R-X-SIDE", alone)
def half_a_side_of_trees(wires: Wires) -> None:
    """Neither above nor below."""
    wires["side_low"][2] = wires["side_high"][2] = HALF


# -- slots, rows and leaves


@lie("R-RANGE")
def a_bias_too_wide(wires: Wires) -> None:
    """It packs into bits that are another's."""
    wires["bias"][0] = 1 << 23


@lie("R-T-ORDER", alone)
def thresholds_of_trees_that_descend(wires: Wires) -> None:
    """Two thresholds of column 0 are exchanged."""
    for name in ("thresholds", "jumps", "side_low", "side_high"):
        wires[name][0], wires[name][1] = wires[name][1], wires[name][0]


@lie("R-T-SLOT", stage="levels")
def a_step_of_ones_choice(wires: Wires) -> None:
    """A slot's step is not that of its predicate."""
    wires["slot_step"][0] += 1


@lie("R-T-RESOLVE", stage="parts")
def a_row_of_another_node(wires: Wires) -> None:
    """A row has the references of another one."""
    wires["stay_reference"][0] = wires["stay_reference"][1]


@lie("R-T-LEAF", stage="values")
def the_larger_child(wires: Wires) -> None:
    """A free row goes the way that is better for the label."""
    at = wires["free"].index(1)
    wires["way"][at] = 1 - wires["way"][at]
    wires["charge"][at] = 0


@lie("R-T-CHARGE", stage="levels")
def a_charge_that_nobody_pays(wires: Wires) -> None:
    """A slot's charges are less than those of its rows."""
    wires["charged"][0] -= 1


@lie("R-T-CHAIN")
def a_level_that_is_higher(wires: Wires) -> None:
    """A level is not the least sum."""
    wires["level"][0] += 1


@lie("R-T-CLOSE")
def a_smaller_bias(wires: Wires) -> None:
    """The leaves do not close."""
    wires["bias"][0] -= 1


@lie("R-T-COVER", stage="ways")
def cells_that_no_leaf_holds(wires: Wires) -> None:
    """Of a slot only one side is proven."""
    wires["signs"][1] = -1
