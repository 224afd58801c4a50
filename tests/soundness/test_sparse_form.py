"""The form of the circuits that PLONK proves accepts what the other form accepts, and refuses the same lies."""

from __future__ import annotations

import random

import pytest

from tests.circuits import test_branch_perturbation as branch
from tests.circuits import test_perturbation as walk
from tests.circuits.tiny_cases import circuit_accepts, digest_of, free_checkers
from tests.circuits.tiny_cases import filled as walked
from tests.soundness.branch_case import tell
from tests.soundness.composed import BROKEN, FALSE, TRUTHS

SPARSE = "plonk-bn254"


@pytest.fixture(scope="module", autouse=True)
def compiled():
    """Free the circuits that were compiled."""
    yield
    free_checkers()


@pytest.mark.parametrize("name", TRUTHS)
def test_truths_are_accepted(name):
    """What the lies begin with has a witness in the sparse form."""
    truth = TRUTHS[name]()
    assert circuit_accepts(truth.shape, digest_of(truth.shape, truth.wires), truth.wires, SPARSE)


@pytest.mark.parametrize("lie", [*FALSE, *BROKEN], ids=lambda lie: lie.__name__)
def test_lies_have_no_witness(lie):
    """False statements of scheme `branch` are refused, and evidence that breaks a rule."""
    claim = tell(lie)
    assert not circuit_accepts(claim.shape, claim.public, claim.wires, SPARSE)


def agree(shape, wires):
    """Hold both forms to one verdict on wires, under the digest that goes with them, and return it."""
    digest = digest_of(shape, wires)
    quadratic = circuit_accepts(shape, digest, wires)
    assert circuit_accepts(shape, digest, wires, SPARSE) == quadratic
    return quadratic


@pytest.mark.parametrize("tries", [40, pytest.param(1000, marks=pytest.mark.slow)])
def test_both_forms_accept_the_same_wires(tries):
    """Of random changes of one wire, both forms refuse the same, in either scheme; some are accepted."""
    rng, counts = random.Random(tries), {True: 0, False: 0}
    tree, path = branch.filled(1), walked(1)
    for _ in range(tries):
        for of in (tree, path):
            counts[agree(of.shape, branch.changed(rng, of.wires))] += 1
    assert min(counts.values()) > tries / 40


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 4])
def test_both_forms_agree_on_every_wire(seed):
    """Every private wire of a walk, changed alone to each of its neighbors in value or meaning."""
    of = walked(seed)
    for _, _, lied in walk.changes(of.shape, of.wires):
        agree(of.shape, lied)
