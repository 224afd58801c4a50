"""Witnesses about an ensemble that state what is false: circuit and reference refuse each, and accept honest ones."""

import pytest

from equiproof.circuits.rules import ENSEMBLE_RULES, TREES_RULES
from tests.circuits.tiny_cases import verdict
from tests.soundness.trees_lies import LIES, told
from tests.soundness.trees_told import (
    CAPACITY,
    NARROW,
    SLOTS,
    STAGES,
    again,
    ample,
    filled,
    honest,
    searched,
)
from tests.vectors.generate import trees

TRUTHS = [truth for truths in trees.TRUTHS.values() for truth in truths]


def test_the_files_are_made_of_these_lies():
    """`python -m tests.vectors.generate.trees` writes what the Go tests read, and each lie is in one file."""
    found = {path.name: path.read_bytes() for path in trees.FOLDER.iterdir()}
    assert found == trees.files(), "python -m tests.vectors.generate.trees"
    assert sum(data.count(b'"rule"') for data in found.values()) == len(LIES)


def test_honest_witnesses_have_everything_in_them():
    """Charges, multipliers, leaves of one slice and by distance, dead roots, fixed and free rows, and room to spare."""
    found = searched(100_000)
    assert found.complete
    assert found.upper is not None
    assert 3 <= found.leaves < CAPACITY
    wires = honest().wires
    assert {0, 1} <= set(wires["node_live"])
    assert any(wires["multiplier"])
    assert {(1, 0), (1, 1)} <= set(zip(wires["leaf_live"], wires["used"], strict=True))
    wires, rows = ample().wires, len(honest().wires["row_id"])
    assert wires["charged"][0] != 0 != wires["charged"][SLOTS]
    seen = set(zip(wires["free"][: 2 * rows], wires["way"][: 2 * rows], strict=True))
    assert seen == {(1, 0), (1, 1), (0, 0), (0, 1)}
    assert wires["row_slot"][-1] == 0


@pytest.mark.parametrize("truth", TRUTHS)
@pytest.mark.parametrize("stage", STAGES)
def test_filling_anew_changes_nothing_of_honest_witnesses(truth, stage):
    """What lies are filled with is what the prover fills: both were written on their own."""
    of = truth()
    again(of, stage)
    assert of.wires == truth().wires


@pytest.mark.parametrize("truth", [*TRUTHS, lambda: filled(NARROW, searched(200).evidence)])
def test_honest_witnesses_satisfy_circuit_and_reference(truth):
    """What breaks no rule has a proof."""
    of = truth()
    assert verdict(of.shape, of.public, of.wires) is None


@pytest.mark.parametrize("name", LIES)
def test_lies_break_their_rule(name):
    """The circuit refuses a lie, and the reference over the field by the rule that the lie is listed under."""
    of = told(name)
    assert verdict(of.shape, of.public, of.wires) == of.rule


def test_every_rule_is_broken():
    """Each rule of both pages has a lie, but for the worst slice, which ensembles do not have; lies name no other."""
    assert {rule for rule, *_ in LIES.values()} == (
        set(TREES_RULES) | set(ENSEMBLE_RULES) | {"R-RANGE", "R-B-RANGES"}
    ) - {"R-T-SLICES"}
