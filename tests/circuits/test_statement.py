"""The statement's digest binds every part of it, and the shape."""

from dataclasses import astuple, fields, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from equiproof.circuits.commitment import PackError
from equiproof.circuits.field import ORDER, to_hex
from equiproof.circuits.shape import branch_shape, gain_shape, holds_gain, traversal_shape
from equiproof.circuits.statement import GainStatement, Statement, context_digest
from tests.pins import assert_pinned
from tests.support import LOANS

SHAPE = traversal_shape(LOANS, (2, 2), 8)
STATEMENT = Statement(1, 2, 3, 4, 1, 6, 7)


@pytest.mark.parametrize("part", [field.name for field in fields(Statement)])
def test_every_part_enters_the_digest(part):
    """Changing any one part changes the digest."""
    assert replace(STATEMENT, **{part: 99}).digest(SHAPE) != STATEMENT.digest(SHAPE)


GAIN_SHAPE = gain_shape(LOANS, (2, 2), 8)
GAIN = GainStatement(*astuple(STATEMENT), least_gain=-8, logit_fraction_bits=9)


@pytest.mark.parametrize("part", [field.name for field in fields(GainStatement)])
def test_every_part_of_a_gain_enters_its_digest(part):
    """The least gain and the unit do, too."""
    assert replace(GAIN, **{part: 99}).digest(GAIN_SHAPE) != GAIN.digest(GAIN_SHAPE)


def test_a_gain_is_no_statement_of_another_relation():
    """The digest of a gain differs from those of its parts under other relations, with and without the gain."""
    branch = branch_shape(LOANS, (2, 2), 8)
    others = {STATEMENT.digest(shape) for shape in (SHAPE, branch, GAIN_SHAPE)}
    others |= {GAIN.digest(shape) for shape in (SHAPE, branch)}
    assert len(others) == 5
    assert GAIN.digest(GAIN_SHAPE) not in others


def test_no_other_gain_has_the_residue_of_one():
    """A gain is an integer of its width: one that the field's order is added to has the same residue, and no digest."""
    half = 1 << (GAIN_SHAPE.sizes.gain_bits - 1)
    for gain in (-half, half - 1):
        assert holds_gain(GAIN_SHAPE, gain)
        assert replace(GAIN, least_gain=gain).digest(GAIN_SHAPE)
    for gain in (-half - 1, half, GAIN.least_gain + ORDER, GAIN.least_gain - ORDER):
        assert not holds_gain(GAIN_SHAPE, gain)
        with pytest.raises(PackError, match=r"the least gain .* does not fit"):
            replace(GAIN, least_gain=gain).digest(GAIN_SHAPE)
    assert replace(GAIN, least_gain=GAIN.least_gain + ORDER).elements() == GAIN.elements()


def test_parts_cannot_change_places():
    """A statement of the same values in other places has another digest."""
    turned = Statement(2, 1, 3, 4, 1, 6, 7)
    assert turned.digest(SHAPE) != STATEMENT.digest(SHAPE)


def test_the_shape_enters_the_digest():
    """The same parts under another shape are another statement."""
    other = traversal_shape(LOANS, (2, 2), 16)
    assert STATEMENT.digest(other) != STATEMENT.digest(SHAPE)


@given(
    context=st.dictionaries(st.text(max_size=3), st.text(max_size=3), max_size=3),
    other=st.dictionaries(st.text(max_size=3), st.text(max_size=3), max_size=3),
)
def test_contexts_are_distinguished(context, other):
    """Two contexts have the same digest exactly where they have the same names and texts, in whatever order."""
    assert context_digest(dict(reversed(context.items()))) == context_digest(context)
    assert (context_digest(context) == context_digest(other)) == (context == other)


def test_digests_are_pinned():
    """Known statements keep their digest: certificates are known by it."""
    assert_pinned(
        "statements",
        {
            "plain": to_hex(STATEMENT.digest(SHAPE)),
            "empty context": to_hex(context_digest({})),
            "context": to_hex(context_digest({"nonce": "4f1c", "date": "2026-01-31"})),
        },
    )
