"""The checker of evidence about ensembles: honest evidence passes, and each change of it is refused by its rule."""

import random
from dataclasses import replace
from functools import cache

import pytest

from equiproof.certify.additive import AdditiveModel
from equiproof.certify.ensemble import EnsembleModel, NodeTable
from equiproof.certify.errors import EvidenceError
from equiproof.certify.trees.ensemble_check import RULES, check
from equiproof.certify.trees.ensemble_search import EnsembleSearch, ensemble_search
from equiproof.certify.trees.scale import ensemble_scale
from tests.certify.trees.ensembles import drawn

TABLE = ((0,), (1,))


def found(seed):
    """A case with evidence: model, query and search, None for an unfair or a trivial one."""
    rng = random.Random(seed)
    model = drawn(rng, plain=2, predicates=8, trees=4, depth=3, jumps=0.3)
    query = [rng.randint(-3, 3) for _ in range(2)]
    result = ensemble_search(model, query, TABLE, max_radius_squared=100, max_leaves=32)
    return (model, query, result) if isinstance(result, EnsembleSearch) and result.radius_squared else None


@cache
def cases():
    """All of the seeds; made for the first test, and not where tests are only collected."""
    return [case for seed in range(300) if (case := found(seed)) is not None]


def refused(case, rule, **changes):
    """Check evidence with some fields changed: it is refused by this rule."""
    model, query, result = case
    with pytest.raises(EvidenceError) as error:
        check(replace(result.evidence, **changes), ensemble_scale(model), model, query, TABLE)
    assert error.value.rule == rule, str(error.value)


def changed(evidence, number, **fields):
    """Return the leaves with one of them changed."""
    leaves = list(evidence.leaves)
    leaves[number] = replace(leaves[number], **fields)
    return tuple(leaves)


def some(wanted):
    """Return cases with the number of a leaf that is as wanted."""
    chosen = [
        (case, number)
        for case in cases()
        for number, leaf in enumerate(case[2].evidence.leaves)
        if wanted(case[2].evidence, leaf)
    ]
    assert len(chosen) >= 3
    return chosen[:25]


def test_there_is_honest_evidence_with_everything_in_it():
    """Many leaves, charges, multipliers, leaves by distance, leaves of one slice and of both."""
    assert len(cases()) > 60
    some(lambda _, leaf: any(leaf.charges))
    some(lambda _, leaf: leaf.multiplier > 0)
    some(lambda _, leaf: not leaf.used)
    some(lambda _, leaf: len(leaf.slices) == 1)
    some(lambda _, leaf: len(leaf.slices) == 2)


def test_a_larger_radius_is_refused():
    """One more than exact: a slot is missing, or a leaf does not close."""
    for case in cases():
        if case[2].complete and case[2].upper is not None:
            with pytest.raises(EvidenceError):
                check(
                    replace(case[2].evidence, radius_squared=case[2].radius_squared + 1),
                    ensemble_scale(case[0]), case[0], case[1], TABLE,
                )  # fmt: skip


def test_the_other_label_is_refused():
    """Nothing closes."""
    for case in cases()[:40]:
        refused(case, "R-T-CLOSE", label=1 - case[2].label, leaves=tuple(
            replace(leaf, charges=(0,) * len(leaf.charges)) for leaf in case[2].evidence.leaves
        ))  # fmt: skip


def test_leaves_missing_twice_or_of_a_slice_fewer_are_refused():
    """Coverage is by slice."""
    for case in cases()[:40]:
        leaves = case[2].evidence.leaves
        refused(case, "R-T-COVER", leaves=leaves[1:])
        refused(case, "R-T-COVER", leaves=(*leaves, leaves[0]))
        refused(case, "R-T-COVER", leaves=changed(case[2].evidence, 0, slices=leaves[0].slices[1:]))
        refused(case, "R-T-COVER", leaves=changed(case[2].evidence, 0, slices=(2,)))
        refused(case, "R-T-COVER", leaves=changed(case[2].evidence, 0, slices=leaves[0].slices * 2))


def test_a_leaf_of_another_slice_is_refused():
    """A sign of a sensitive predicate that the slice does not have."""
    model = EnsembleModel(AdditiveModel((0, 1), (9, 0), (0, 5), 1, 1, 1, 0), NodeTable(1, (1,), ((0, 0),), (0, 2)))
    result = ensemble_search(model, [0], TABLE, max_radius_squared=9, max_leaves=8)
    case = (model, [0], result)
    check(result.evidence, ensemble_scale(model), model, [0], TABLE)
    for sign in (1, -1):
        refused(case, "R-T-COVER", leaves=changed(result.evidence, 0, sensitive=(sign,), slices=(0, 1)))


def test_charges_are_refused_where_they_are_too_large_or_not_free():
    """More than the children differ by; on a row whose slot is fixed."""
    for case, number in some(lambda _, leaf: any(leaf.charges)):
        leaf = case[2].evidence.leaves[number]
        place = next(i for i, gamma in enumerate(leaf.charges) if gamma)
        lie = list(leaf.charges)
        lie[place] += 1 << 12
        refused(case, "R-T-LEAF", leaves=changed(case[2].evidence, number, charges=tuple(lie)))
    for case, number in some(
        lambda evidence, leaf: leaf.charges and all(leaf.signs) and all(leaf.sensitive) and leaf.signs
    ):
        leaf = case[2].evidence.leaves[number]
        refused(case, "R-T-LEAF", leaves=changed(case[2].evidence, number, charges=(1, *leaf.charges[1:])))


def test_widths_are_held():
    """Signs, charges, multipliers, label, radius and use."""
    case = cases()[0]
    evidence, leaf = case[2].evidence, case[2].evidence.leaves[0]
    for fields in (
        {"multiplier": -1}, {"multiplier": 1 << 90}, {"used": 1}, {"sensitive": (2,) * len(leaf.sensitive)},
        {"charges": (-1,) * len(leaf.charges)}, {"charges": (*leaf.charges, 0)}, {"signs": (*leaf.signs, 0)},
        {"charges": (1 << 20,) * len(leaf.charges)},
    ):  # fmt: skip
        refused(case, "R-T-RANGE", leaves=changed(evidence, 0, **fields))
    refused(case, "R-T-RANGE", label=2)
    refused(case, "R-T-RANGE", radius_squared=-1)
    refused(case, "R-T-RANGE", radius_squared=1 << 60)


def test_slots_are_those_of_the_ball():
    """One fewer, one twice, and an unknown one."""
    for case in [case for case in cases() if case[2].evidence.slots][:20]:
        slots = case[2].evidence.slots
        refused(case, "R-T-DEAD", slots=slots[1:])
        refused(case, "R-T-SLOT", slots=(*slots, slots[-1]))
        refused(case, "R-T-SLOT", slots=(*slots, 99))


def test_use_and_multiplier_decide():
    """A leaf by distance that is said to be used, and the other way round; a multiplier changed far enough."""
    for case, number in some(lambda _, leaf: leaf.used and not any(sign == 1 for sign in leaf.signs)):
        refused(case, "R-T-CLOSE", leaves=changed(case[2].evidence, number, used=False))
    for case, number in some(lambda evidence, leaf: leaf.used and evidence.radius_squared and not all(leaf.signs)):
        huge = (1 << ensemble_scale(case[0]).multiplier_bits) - 1
        lie = changed(
            case[2].evidence, number, multiplier=huge, charges=(0,) * len(case[2].evidence.leaves[number].charges)
        )
        refused(case, "R-T-CLOSE", leaves=lie)


def test_every_rule_is_named():
    """The rules of the page, by the functions that check them."""
    assert {"R-T-RANGE", "R-T-SLOT", "R-T-DEAD", "R-T-COVER", "R-T-LEAF", "R-T-CHARGE", "R-T-CLOSE"} <= set(RULES)
