"""The statement's digest binds every part of it, and the shape."""

from dataclasses import fields, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from equiproof.circuits.commitment import PackError
from equiproof.circuits.field import ORDER, to_hex
from equiproof.circuits.poseidon2 import hash_elements
from equiproof.circuits.shape import branch_shape, gain_shape, holds_gain, kept_shape, traversal_shape
from equiproof.circuits.statement import GainStatement, Statement, context_digest, start
from tests.pins import assert_pinned
from tests.support import LOANS

SHAPE = traversal_shape(LOANS, (2, 2), 8)
KEPT_SHAPE = kept_shape(SHAPE)
PARTS = (1, 2, 3, 4, 1, 6, 7)
STATEMENT = Statement(*PARTS)
KEPT = Statement(*PARTS, shown=8)
OWN_PARTS = [field.name for field in fields(Statement) if field.name != "shown"]


@pytest.mark.parametrize("part", OWN_PARTS)
def test_every_part_enters_the_digest(part):
    """Changing any one part changes the digest."""
    assert replace(STATEMENT, **{part: 99}).digest(SHAPE) != STATEMENT.digest(SHAPE)


@pytest.mark.parametrize("part", [*OWN_PARTS, "shown"])
def test_every_part_enters_the_digest_of_a_kept_model(part):
    """Of a kept model, what is shown of it does, too."""
    assert replace(KEPT, **{part: 99}).digest(KEPT_SHAPE) != KEPT.digest(KEPT_SHAPE)


def test_what_is_shown_is_the_last_element():
    """It stands behind all other parts, of a gain behind its two."""
    assert KEPT.digest(KEPT_SHAPE) == hash_elements([*PARTS, 8], start(KEPT_SHAPE))
    gain, kept = replace(GAIN, shown=8), kept_shape(GAIN_SHAPE)
    assert gain.digest(kept) == hash_elements([*PARTS, ORDER - 8, 9, 8], start(kept))


def test_a_model_is_shown_exactly_where_it_is_kept():
    """A digest is refused that lacks what a kept model shows, or that has it for any other model."""
    for statement, shape in ((STATEMENT, KEPT_SHAPE), (KEPT, SHAPE), (GAIN, kept_shape(GAIN_SHAPE))):
        with pytest.raises(PackError, match=r"shows its model|no link shows"):
            statement.digest(shape)
    with pytest.raises(PackError, match="shows its model"):
        replace(GAIN, shown=8).digest(GAIN_SHAPE)


GAIN_SHAPE = gain_shape(LOANS, (2, 2), 8)
GAIN = GainStatement(*PARTS, least_gain=-8, logit_fraction_bits=9)


@pytest.mark.parametrize("part", [*OWN_PARTS, "least_gain", "logit_fraction_bits"])
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
