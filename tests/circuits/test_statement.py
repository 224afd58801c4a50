"""The statement's digest binds every part of it, and the shape."""

from dataclasses import fields, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from equiproof.circuits.field import to_hex
from equiproof.circuits.shape import traversal_shape
from equiproof.circuits.statement import Statement, context_digest
from tests.pins import assert_pinned
from tests.support import LOANS

SHAPE = traversal_shape(LOANS, (2, 2), 8)
STATEMENT = Statement(1, 2, 3, 4, 1, 6, 7)


@pytest.mark.parametrize("part", [field.name for field in fields(Statement)])
def test_every_part_enters_the_digest(part):
    """Changing any one part changes the digest."""
    assert replace(STATEMENT, **{part: 99}).digest(SHAPE) != STATEMENT.digest(SHAPE)


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
