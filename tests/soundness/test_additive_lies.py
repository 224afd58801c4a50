"""The witnesses about additive models that the Go tests read are those made here; some state what is false."""

import re
from pathlib import Path

import pytest

from equiproof.circuits.rules import TREES_RULES
from tests.circuits.tiny_cases import verdict
from tests.soundness import additive_column_lies, additive_lies, additive_range_lies
from tests.soundness.additive_lies import honest
from tests.soundness.additive_told import LIES, again, filled, told
from tests.vectors.generate import additive

PAGE = Path(__file__).resolve().parents[2] / "docs" / "relation-trees.md"
TRUTHS = [truth for truths in additive.TRUTHS.values() for truth in truths]


def test_the_files_are_made_of_these_lies():
    """`python -m tests.vectors.generate.additive` writes what stands there, and each lie is in one file."""
    found = {path.name: path.read_bytes() for path in additive.FOLDER.iterdir()}
    assert found == additive.files(), "python -m tests.vectors.generate.additive"
    assert sum(data.count(b'"rule"') for data in found.values()) == len(LIES)


def test_every_rule_of_the_page_is_broken():
    """Every rule that the page has a table line for is broken by a lie; of sets, ensembles alone ask."""
    named = set(re.findall(r"^\| (R-T-[A-Z]+) \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE))
    assert named == set(TREES_RULES) - {"R-T-SETS"}
    assert {rule for rule, *_ in LIES.values()} == named | {"R-RANGE", "R-B-RANGES"}


@pytest.mark.parametrize("truth", TRUTHS)
def test_honest_witnesses_satisfy_circuit_and_reference(truth):
    """What breaks no rule has a proof."""
    of = truth()
    assert verdict(of.shape, of.public, of.wires) is None


@pytest.mark.parametrize("name", LIES)
def test_lies_break_their_rule(name):
    """The circuit refuses a lie, and the reference over the field by the rule that the lie is listed under."""
    of = told(name)
    assert verdict(of.shape, of.public, of.wires) == of.rule


@pytest.mark.parametrize("module", [additive_lies, additive_range_lies, additive_column_lies])
def test_no_evidence_reaches_beyond_the_exact_radius(module):
    """At one more than the exact squared radius no leaf closes the wrong cell, whatever it is closed by."""
    case, room = module.CASE, (module.SLOTS, module.CAPACITY)
    for used in (0, 1):
        for multiplier in (0, 1, 1 << 30):
            beyond = filled(case.evidence(module.EXACT), case, *room)
            beyond.wires["radius_squared"] = [module.EXACT + 1]
            beyond.wires["used"] = [used] * room[1]
            beyond.wires["multiplier"] = [multiplier] * room[1]
            again(beyond)
            assert verdict(beyond.shape, beyond.public, beyond.wires) is not None


def test_statements_of_other_wires_are_refused():
    """R-STATEMENT: the digest of another statement does not go with the wires."""
    of = honest()
    assert verdict(of.shape, of.public + 1, of.wires) == "R-STATEMENT"
