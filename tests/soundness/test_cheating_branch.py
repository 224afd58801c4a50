"""Lies of scheme `branch` and of relation `gain` in the composed circuits have no witness."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.circuits.tiny_cases import altered, circuit_accepts, digest_of, free_checkers
from tests.soundness.branch_case import (
    IDENTITY,
    NOTHING,
    UNIT,
    case_of,
    ends_of,
    evidence_of,
    layer_of,
    lie_of,
    margin_of,
    tell,
    tree_of,
)
from tests.soundness.branch_lies import FALLS, OVER, by_lines
from tests.soundness.composed import BROKEN, FALSE, OTHER_TRUTHS, TRUTHS

CERTAIN = (
    *(truth() for truth in (*TRUTHS.values(), *OTHER_TRUTHS)),
    by_lines(FALLS, (NOTHING, IDENTITY, NOTHING), reach=0),
)
"""What the lies differ from: the same networks and evidence at radii that are true, and one of 0."""


@pytest.fixture(scope="module", autouse=True)
def compiled():
    """Free the circuits that were compiled."""
    yield
    free_checkers()


@pytest.mark.parametrize("truth", CERTAIN, ids=lambda truth: f"{truth.shape.name} {truth.wires['radius_squared'][0]}")
def test_truths_are_accepted(truth):
    """What the lies begin with is evidence: at a radius that is true it has a witness, at 0 too."""
    assert not truth.is_false
    assert circuit_accepts(truth.shape, digest_of(truth.shape, truth.wires), truth.wires)


@pytest.mark.parametrize("lie", FALSE, ids=lambda lie: lie.__name__)
def test_lies_are_refused(lie):
    """A false statement has no witness, as near to one as these are."""
    claim = tell(lie)
    assert claim.is_false
    assert not circuit_accepts(claim.shape, claim.public, claim.wires)


@pytest.mark.parametrize("lie", BROKEN, ids=lambda lie: lie.__name__)
def test_broken_rules_are_refused(lie):
    """Nor have statements that are true, or of no numbers that there are."""
    claim = tell(lie)
    assert not circuit_accepts(claim.shape, claim.public, claim.wires)


@pytest.mark.parametrize("label", [0, 1])
def test_a_tie_has_no_label(label):
    """A margin of 0 proves neither label, not even at radius 0."""
    case = case_of((((0, 0, 0),), (0,)))
    bounds = layer_of(ends_of(0), (NOTHING, IDENTITY, NOTHING))
    for margin in (margin_of(multiplier, (OVER, (0, 0, 0))) for multiplier in (0, 1, UNIT)):
        found = replace(evidence_of((bounds,), *tree_of(margin), reach=0), label=label)
        claim = lie_of(case, found)
        assert not circuit_accepts(claim.shape, digest_of(claim.shape, claim.wires), claim.wires)


@pytest.mark.parametrize("name", ["kappa.3.1", "floor.3.1", "coefficients.3.1", "constant.3.1", "coarse.3.0"])
def test_no_claim_of_a_rounded_form_can_be_changed_alone(name):
    """What rounding leaves is neither below 0 nor as large as what is rounded by."""
    truth = TRUTHS["rounded"]()
    for number, value in enumerate(truth.wires[name]):
        for step in (1, -1):
            wires = altered(truth.wires, name, number, value + step)
            assert not circuit_accepts(truth.shape, digest_of(truth.shape, wires), wires)
