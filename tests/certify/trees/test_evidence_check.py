"""The integer checker of additive evidence refuses every lie, and names the rule."""

from dataclasses import replace

import pytest

from equiproof.certify.additive import AdditiveModel
from equiproof.certify.errors import EvidenceError
from equiproof.certify.trees.evidence import AdditiveEvidence, AdditiveLeaf
from equiproof.certify.trees.evidence_check import RULES, check
from equiproof.certify.trees.scale import scale_of
from equiproof.certify.trees.search import additive_search
from tests.certify.trees.tiny import Case, nearest_wrong, scorecard, tiny

# Two columns: x0 at 0 with thresholds -3, 2, 5, and x1 at 0 with 3; crossing 2 and 3 together is wrong.
MODEL = AdditiveModel((0, 0, 0, 1, 2), (-3, 2, 5, 3, 0), (1, -4, 2, -4, 1), 6, 2, 1, 4)
CASE = Case(MODEL, (0, 0), ((0,), (1,)), None)
SCALE = scale_of(MODEL)


def search(case=CASE, **options):
    """Search around a case."""
    options = {"max_radius_squared": 1 << 12, "max_leaves": 100, "box": case.box} | options
    return additive_search(case.model, case.query, case.table, **options)


def refused(rule, evidence, case=CASE):
    """Check that evidence is refused by a rule."""
    with pytest.raises(EvidenceError) as caught:
        check(evidence, scale_of(case.model), case.model, case.query, case.table, case.box)
    assert caught.value.rule == rule


@pytest.fixture
def evidence():
    """Evidence of the exact radius."""
    found = search()
    assert found.complete
    assert found.radius_squared == nearest_wrong(CASE, found.label)
    assert found.leaves > 1
    return found.evidence


def changed(evidence, number, **fields):
    """Return evidence with another leaf in the place of one."""
    leaves = list(evidence.leaves)
    leaves[number] = replace(leaves[number], **fields)
    return replace(evidence, leaves=tuple(leaves))


def test_widths_are_checked(evidence):
    """Label, radius, signs, multipliers and use are bits and integers of their widths."""
    wide = 1 << SCALE.multiplier_bits
    signs = evidence.leaves[0].signs
    for lie in (
        replace(evidence, label=2),
        replace(evidence, label=True),
        replace(evidence, radius_squared=-1),
        replace(evidence, radius_squared=1 << SCALE.radius_bits),
        changed(evidence, 0, multiplier=-1),
        changed(evidence, 0, multiplier=wide),
        changed(evidence, 0, used=-1),
        changed(evidence, 0, signs=(2, *signs[1:])),
        changed(evidence, 0, signs=signs[1:]),
    ):
        refused("R-T-RANGE", lie)


def test_slots_are_plain_predicates_in_order(evidence):
    """A slot twice, out of order, of a sensitive column or of no predicate is refused."""
    slots = evidence.slots
    for lie in ((slots[0], *slots[:-1]), slots[::-1], (*slots[:-1], 4), (*slots[:-1], -1)):
        refused("R-T-SLOT", replace(evidence, slots=lie))


def test_a_threshold_inside_the_ball_has_a_slot(evidence):
    """Without a slot, the signs that it had are nobody's, and its crossing would be forgotten."""
    leaves = tuple(replace(leaf, signs=leaf.signs[1:]) for leaf in evidence.leaves)
    refused("R-T-DEAD", replace(evidence, slots=evidence.slots[1:], leaves=leaves))
    forgotten = AdditiveEvidence(1, 10, (), (AdditiveLeaf((), 0, used=True),))
    refused("R-T-DEAD", forgotten)


def test_every_cell_is_in_one_leaf(evidence):
    """A leaf that is missing or there twice, an inverted box, and no leaf at all."""
    refused("R-T-COVER", replace(evidence, leaves=evidence.leaves[1:]))
    refused("R-T-COVER", replace(evidence, leaves=(*evidence.leaves, evidence.leaves[0])))
    refused("R-T-COVER", replace(evidence, leaves=()))
    inverted = [1 if MODEL.thresholds[place] == 2 else 0 for place in evidence.slots]
    inverted[0] = 1  # not above -3, and above 2
    refused("R-T-COVER", changed(evidence, 0, signs=tuple(inverted)))


def test_no_larger_radius_is_proven(evidence):
    """One more than the exact radius, a leaf out of reach that is not, and a multiplier that proves nothing."""
    refused("R-T-CLOSE", replace(evidence, radius_squared=evidence.radius_squared + 1))
    number = next(number for number, leaf in enumerate(evidence.leaves) if leaf.used)
    refused("R-T-CLOSE", changed(evidence, number, used=False))
    refused("R-T-CLOSE", changed(evidence, number, multiplier=1 << (SCALE.multiplier_bits - 1)))
    refused("R-T-CLOSE", replace(evidence, label=0))


def test_the_querys_own_cell_needs_the_score():
    """At radius 0, distance 0 closes nothing."""
    refused("R-T-CLOSE", AdditiveEvidence(0, 0, (), (AdditiveLeaf((), 0, used=False),)))


def test_a_query_outside_its_ranges_is_refused(evidence):
    """Neighbors inside ranges are those of a query inside them."""
    refused("R-B-RANGES", evidence, replace(CASE, box=((1, 0), (9, 9))))


def test_every_rule_is_named_by_its_functions():
    """Each function states its rule first."""
    for rule, functions in RULES.items():
        assert all(function.__doc__.startswith(f"{rule}:") for function in functions)


@pytest.mark.parametrize("seed", range(3))
def test_another_sign_in_any_leaf_is_refused(seed):
    """In evidence of a model of real size, no sign of any leaf can be another one."""
    case = scorecard(seed)
    found = search(case, max_radius_squared=1 << 28)
    for number, leaf in enumerate(found.evidence.leaves):
        for slot, sign in enumerate(leaf.signs):
            for other in {-1, 0, 1} - {sign}:
                signs = (*leaf.signs[:slot], other, *leaf.signs[slot + 1 :])
                refused("R-T-COVER", changed(found.evidence, number, signs=signs), case)


def test_arguments_that_do_not_fit_are_the_callers_mistake(evidence):
    """Lengths of query, table and box."""
    for query, table, box in (((0,), CASE.table, None), ((0, 0), (), None), ((0, 0), CASE.table, ((0,), (0,)))):
        with pytest.raises(ValueError, match=r"lengths|both ends"):
            check(evidence, SCALE, MODEL, query, table, box)


def test_evidence_is_of_its_query_and_ranges():
    """Evidence in ranges proves nothing without them, where a wrong cell lies outside the ranges only."""
    met = 0
    for seed in range(300):
        case = tiny(seed, ranges=True)
        found, free = search(case, max_radius_squared=64), replace(case, box=None)
        if hasattr(found, "evidence") and found.radius_squared > nearest_wrong(free, found.label):
            met += 1
            with pytest.raises(EvidenceError):
                check(found.evidence, scale_of(case.model), case.model, case.query, case.table)
    assert met
