"""Standard shapes of scores: which models fit, and that other lenders get the very same shape."""

import pytest

from equiproof.circuits.shape import fits_additive
from equiproof.circuits.spec import SpecError
from equiproof.circuits.standard import CATALOGUE as NETWORKS
from equiproof.circuits.standard_scores import CATALOGUE, StandardScore, smallest
from equiproof.verifier.documents import check_shape
from tests.circuits.test_standard import OTHER
from tests.support import KEPT, LOANS, RATES, changed

SMALL = StandardScore(16, (64, 8), 40)
TREES = StandardScore(16, (64, 8), 40, (10, 80), 60)


def test_the_catalogue_is_small_distinct_and_named_by_its_sizes():
    """Names differ from each other and from those of networks, and specs are padded to the same columns."""
    names = [one.name for one in CATALOGUE]
    assert len(set(names) | {one.name for one in NETWORKS}) == len(CATALOGUE) + len(NETWORKS)
    assert names == ["16p64", "32p256", "64p1024", "32p192t100x800", "32p384t200x1600", "64p768t300x12000"]
    assert {one.columns for one in CATALOGUE} <= {one.columns for one in NETWORKS}


@pytest.mark.parametrize("standard", CATALOGUE, ids=lambda shape: shape.name)
def test_two_lenders_have_the_same_shape(standard):
    """Other features, widths and names make one shape document, which documents may hold."""
    first, second = (standard.shape(spec, 8) for spec in (LOANS, OTHER))
    assert first.document == second.document
    check_shape(first, "key.json")
    for spec in (LOANS, OTHER):
        assert fits_additive(first, standard.spec(spec), standard.predicates, standard.nodes)
        assert not fits_additive(first, spec, standard.predicates, standard.nodes)
    assert (first.slot_count, first.row_count) == (standard.slots, standard.rows)


def test_room_is_named_beside_the_shape():
    """Slots and rows are the shape's own unless others are named; ranges make another relation."""
    assert TREES.shape(LOANS, 8, slots=9, rows=7).rows == 7
    assert TREES.shape(LOANS, 8, slots=9).slots == 9
    assert SMALL.shape(KEPT, 8).scheme == "additive-ranges"
    assert SMALL.shape(SMALL.spec(LOANS), 8) == SMALL.shape(LOANS, 8)


@pytest.mark.parametrize(
    ("shape", "spec", "sizes", "said"),
    [
        (SMALL, LOANS, (65, 0), "65 thresholds of non-sensitive and 0 of sensitive features, the shape has room"),
        (SMALL, LOANS, (64, 9), "9 of sensitive features"),
        (SMALL, LOANS, (3, 0, 2, 5), "the shape is of additive models"),
        (TREES, LOANS, (3, 0), "the shape is of ensembles of trees"),
        (TREES, LOANS, (64, 0, 2, 5), "the shape has room for 63 and 8"),
        (TREES, LOANS, (9, 0, 11, 80), "has 11 trees with 69 splits beside their first ones"),
        (TREES, LOANS, (9, 0, 2, 73), "71 splits beside their first ones, the shape has room for 10 and 70"),
        (TREES, LOANS, (9, 0, 2, 9, 1, 2), "no standard shape has sets of the values of categories"),
        (SMALL, RATES, (9, 0), "the spec has input_fraction_bits 8, standard shapes 10"),
        (SMALL, changed(LOANS, input_bits=25), (9, 0), "the spec has input_bits 25"),
        (SMALL, SMALL.spec(LOANS), (9, 0), "the spec is padded already"),
        (StandardScore(2, (9, 0), 4), LOANS, (9, 0), "the features have 3 columns besides the sensitive"),
    ],
)  # fmt: skip
def test_a_model_that_does_not_fit_is_told_why(shape, spec, sizes, said):
    """Every reason against a shape is one line."""
    assert said in shape.misfit(spec, sizes)


def test_what_just_fits_does():
    """Sizes equal to the shape's, but for the predicate that splits of the padding need."""
    assert SMALL.misfit(LOANS, (64, 8)) == ""
    assert TREES.misfit(LOANS, (63, 8, 10, 80)) == TREES.misfit(LOANS, (63, 8, 2, 72)) == ""
    with pytest.raises(SpecError, match="standard shape 16p64: the spec is padded already"):
        SMALL.spec(SMALL.spec(LOANS))


def test_the_smallest_shape_is_the_cheapest_that_fits():
    """Of its own kind; where there is none, the reason is that of the largest."""
    assert smallest(LOANS, (64, 1)) == CATALOGUE[0]
    assert smallest(LOANS, (65, 1)).name == "32p256"
    assert smallest(LOANS, (145, 1, 100, 695)).name == "32p192t100x800"
    assert "1025 thresholds" in smallest(LOANS, (1025, 1))
    assert "room for 300 and 11700" in smallest(LOANS, (9, 1, 301, 400))
    assert "no standard shape has sets" in smallest(LOANS, (9, 1, 3, 4, 1, 2))
