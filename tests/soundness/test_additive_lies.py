"""The witnesses about additive models that the Go tests read are those made here; some state what is false."""

import re
from pathlib import Path

import pytest

from equiproof.circuits.layout import encode, layout
from equiproof.circuits.rules import TREES_RULES
from equiproof.ffi import backend
from equiproof.ffi.errors import UnsatisfiedError
from tests.soundness.additive_lies import CASE, EXACT, LIES, filled, honest, nothing_live, one_leaf, told
from tests.vectors.generate import additive

PAGE = Path(__file__).resolve().parents[2] / "docs" / "relation-trees.md"


@pytest.fixture(scope="module")
def key():
    """The proving key of the shape of all lies."""
    document = honest().shape.document
    with backend.ProvingKey(document, backend.setup(document, "groth16-bn254", b"").proving, "groth16-bn254") as loaded:
        yield loaded


def witness(of):
    """Return the bytes of a witness."""
    return encode(of.shape, of.public, [of.wires[name] for name, _ in layout(of.shape)])


def test_the_file_is_made_of_these_lies():
    """`python -m tests.vectors.generate.additive` writes what stands there."""
    assert additive.FILE.read_bytes() == additive.written(), "python -m tests.vectors.generate.additive"


def test_every_rule_of_the_page_is_broken():
    """Every rule that the page has a table line for is broken by a lie."""
    named = set(re.findall(r"^\| (R-T-[A-Z]+) \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE))
    assert named == set(TREES_RULES)
    assert {rule for rule, _, _ in LIES.values()} == named | {"R-RANGE"}


@pytest.mark.parametrize("truth", [honest, nothing_live, one_leaf])
def test_honest_witnesses_are_proven(key, truth):
    """Witnesses that break no rule have a proof."""
    assert len(key.prove(witness(truth()))) == 196


@pytest.mark.parametrize("name", LIES)
def test_lies_have_no_proof(key, name):
    """The proving library has no proof of a lie."""
    with pytest.raises(UnsatisfiedError):
        key.prove(witness(told(name)))


def test_no_evidence_reaches_beyond_the_exact_radius(key):
    """At one more than the exact squared radius no leaf closes the wrong cell, whatever it is closed by."""
    beyond = filled(CASE.evidence(EXACT))
    beyond.wires["radius_squared"] = [EXACT + 1]
    for used in (0, 1):
        for multiplier in (0, 1, 1 << 30):
            beyond.wires["used"] = [used] * len(beyond.wires["used"])
            beyond.wires["multiplier"] = [multiplier] * len(beyond.wires["used"])
            with pytest.raises(UnsatisfiedError):
                key.prove(witness(beyond))
