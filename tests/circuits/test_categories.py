"""Categories of whose values nodes ask sets: what of them follows from a spec, how many columns and bits they make."""

import pytest

from equiproof.circuits.categories import Category, categories_of, choices_of, counts_of, with_sets
from equiproof.circuits.encodings.missing import Missing
from equiproof.circuits.shape import (
    additive_architecture,
    box_shape,
    ensemble_shape,
    fits_additive,
    follows,
    follows_box,
)
from tests.support import GENDER, HOUSING, INCOME, SAVINGS, SEX, changed, spec_of

HOME = changed(HOUSING, domain=("own", "rent", "free"))
PURPOSE = changed(HOUSING, name="purpose", domain=("car", "home"), mean="0.5", scale="0.25")
SPEC = spec_of(INCOME, HOME, SAVINGS, PURPOSE, GENDER)
"""Two categories with one column a value, from columns 1 and 5 on; one of ranks and a sensitive one."""

SETS = {1: 2, 5: 1}
SIZES = (12, 2), (5, 20)


def test_categories_follow_from_the_spec():
    """Neither numbers, nor ranks, nor sensitive categories are there; columns have their mean and scale."""
    assert list(categories_of(SPEC)) == [Category(1, 3, 0, 1024, 1), Category(5, 2, -2048, 2048, 1)]
    assert [one.apart for one in categories_of(SPEC)] == [2 * 1024**2, 2 * 4096**2]
    lacking = spec_of(INCOME, changed(HOME, missing=Missing()), SAVINGS, PURPOSE, GENDER)
    assert list(categories_of(lacking)) == list(categories_of(SPEC))


def test_counts_are_of_categories_of_the_spec():
    """Categories keep the order of the spec; columns of no category, and those without a set, are left out."""
    home, purpose = with_sets(SPEC, {5: 1, 1: 2})
    assert (home.first, home.sets, purpose.first, purpose.sets) == (1, 2, 5, 1)
    assert counts_of((home, purpose)) == SETS
    assert with_sets(SPEC, {0: 1, 2: 1, 4: 1, 7: 1, 1: 0, 5: -1}) == ()


@pytest.mark.parametrize("lacks", [False, True])
def test_sets_are_columns_and_bits(lacks):
    """A column for each set, a bit for each value, and one more where values can be missing."""
    spec = spec_of(changed(INCOME, missing=Missing()), HOME, SAVINGS, PURPOSE, GENDER) if lacks else SPEC
    own = additive_architecture(spec, *SIZES, SETS)
    assert (own.columns, own.members) == (7 + 3, 2 * (3 + lacks) + 2 + lacks)
    bare = additive_architecture(spec, *SIZES)
    assert (bare.columns, bare.members, bare.asked) == (7, 0, ())


@pytest.mark.parametrize(
    ("query", "place"),
    [
        ((0, 1024, 0, 0), 0), ((0, 0, 0, 1024), 2), ((0, 7, 7, 7), 3), ((0, 0, 0, 0), None),
        ((0, 1024, 1024, 1024), None),
        ((0, 1024, 1024, 0), None), ((0, 1024, 7, 0), None), ((0, 1024, 7, 7), None), ((0, 7, 7, 0), None),
    ],
)  # fmt: skip
def test_a_query_has_one_value_or_lacks_it(query, place):
    """Two values, none, and a value beside others are no place."""
    assert next(iter(categories_of(SPEC))).held(query) == place


def test_a_shape_fits_models_with_as_many_sets():
    """Categories are part of name and digest, and are built again from the spec."""
    room = (8, 16, 16)
    shape = ensemble_shape(SPEC, *SIZES, *room, SETS)
    assert "-c3-" in shape.name
    assert fits_additive(shape, SPEC, *SIZES, SETS)
    assert follows(shape, SPEC)
    for other in (None, {}, {1: 2}, {1: 1, 5: 2}, {1: 2, 5: 1, 4: 1}):
        another = ensemble_shape(SPEC, *SIZES, *room, other)
        assert fits_additive(shape, SPEC, *SIZES, other) is (another == shape)
        assert (another.digest == shape.digest, another.name == shape.name) == (another == shape,) * 2
    home, purpose = shape.architecture.asked
    for categories in (
        (purpose, home),
        (home, home, purpose),
        (changed(home, low=1), purpose),
        (changed(home, first=0),),
    ):
        assert not follows(changed(shape, architecture=changed(shape.architecture, categories=categories)), SPEC)


def test_a_category_that_fits_for_nobody_is_left_out():
    """Nobody's query has it, and no shape of a key follows from it."""
    spec = spec_of(INCOME, changed(HOUSING, scale="0.000001"), SEX)
    assert choices_of(spec) == ()
    wider = box_shape(spec_of(INCOME, HOUSING, SEX), (2, 1))
    assert not follows_box(wider, spec)
    assert follows_box(box_shape(spec, (2, 1)), spec)
