"""Witnesses about an ensemble that state what is false: the real circuit refuses each, and honest ones pass."""

import re
from pathlib import Path

import pytest

from equiproof.circuits.layout import encode, layout
from equiproof.ffi import backend
from equiproof.ffi.errors import UnsatisfiedError
from tests.soundness.trees_lies import CAPACITY, LIES, again, filled, honest, nothing_live, searched, told

PAGE = Path(__file__).resolve().parents[2] / "docs" / "relation-ensembles.md"


def witness(of):
    """Return the bytes of a witness."""
    return encode(of.shape, of.public, [of.wires[name] for name, _ in layout(of.shape)])


def accepted(of):
    """Whether the compiled circuit accepts a witness."""
    try:
        backend.check(of.shape.document, witness(of))
    except UnsatisfiedError:
        return False
    return True


def test_honest_witnesses_have_everything_in_them():
    """Charges, multipliers, leaves of one slice, fixed and free rows, a dead root; and filling anew changes nothing."""
    found = searched(100_000)
    assert found.complete
    assert found.upper is not None
    assert 3 <= found.leaves < CAPACITY
    of = honest()
    assert {0, 1} <= set(of.wires["node_live"])
    assert any(of.wires["charge"])
    assert any(of.wires["multiplier"])
    assert any(
        not free and of.wires["row_slot"][i % len(of.wires["row_id"])] for i, free in enumerate(of.wires["free"])
    )
    before = {name: list(values) for name, values in of.wires.items()}
    again(of)
    assert of.wires == before


@pytest.mark.parametrize("truth", [honest, nothing_live, lambda: filled(500)])
def test_honest_witnesses_are_accepted(truth):
    """What breaks no rule has a proof."""
    assert accepted(truth())


@pytest.mark.parametrize("name", LIES)
def test_lies_are_refused(name):
    """By the real circuit."""
    assert not accepted(told(name))


def test_every_rule_of_the_page_is_broken():
    """Each rule that the page adds has a lie."""
    named = set(re.findall(r"^\| (R-T-[A-Z]+) \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE))
    assert named <= {rule for rule, *_ in LIES.values()}
