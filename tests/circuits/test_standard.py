"""Standard shapes: what a padded spec says, which models fit, and that other lenders get the very same shape."""

import msgspec
import pytest

from equiproof.circuits.canonical import canonical_bytes
from equiproof.circuits.commitment import domain_digest, query_commitment
from equiproof.circuits.shape import fits, shape_of
from equiproof.circuits.spec import MAX_FEATURES, Feature, SpecError, checked, parse_spec
from equiproof.circuits.standard import CATALOGUE, StandardShape, agreed, committed_specs, smallest, unpadded
from equiproof.circuits.units import radius_of_any
from equiproof.verifier.reading import Reading
from tests.support import GENDER, HOUSING, INCOME, KEPT, LOANS, RATES, SAVINGS, SEX, changed, spec_of

SMALL = StandardShape(16, (16, 8))
OTHER = spec_of(
    SAVINGS,
    changed(INCOME, name="turnover"),
    Feature("region", "categorical", "rank", True, domain=("north", "south")),
    bits=(10, 20),
    name="shops",
    labels=("no", "yes"),
    weight_bits=(14, 12),
)


def test_the_catalogue_is_small_distinct_and_named_by_its_sizes():
    """At most six shapes of two hidden layers; a name says all of a shape that padding changes."""
    assert len(CATALOGUE) <= 6
    assert len({shape.name for shape in CATALOGUE}) == len(CATALOGUE)
    assert [shape.name for shape in CATALOGUE][:1] == ["16x16-8"]
    assert {shape.columns for shape in CATALOGUE} == {16, 32, 64}
    assert {shape.hidden for shape in CATALOGUE} == {(16, 8), (64, 32), (100, 50)}


@pytest.mark.parametrize("standard", CATALOGUE, ids=lambda shape: shape.name)
def test_two_lenders_have_the_same_shape(standard):
    """Other features, widths and names make the same shape document, so that one key serves both models."""
    first, second = (standard.shape("branch", spec, 8) for spec in (LOANS, OTHER))
    assert first.document == second.document
    assert first.digest == second.digest
    for spec in (LOANS, OTHER):
        assert fits(first, standard.spec(spec), standard.hidden)
        assert not fits(first, spec, standard.hidden)


@pytest.mark.parametrize(
    ("spec", "differs"),
    [
        (spec_of(INCOME, GENDER), "sensitive_columns"),
        (spec_of(INCOME, changed(SEX, domain=("f", "m", "x"))), "slices"),
        (spec_of(INCOME, SEX, logits=2), "logits"),
        (changed(LOANS, use_ranges=True), "scheme"),
    ],
)
def test_what_is_not_padded_must_agree(spec, differs):
    """Sensitive columns, slices, logits and ranges are exact: they are what the shape is said to be for."""
    own, other = (SMALL.shape("branch", one, 8) for one in (LOANS, spec))
    assert own != other
    assert {name for name, value in agreed(own).items() if agreed(other)[name] != value} == {differs}


def test_padding_is_zero_for_everybody():
    """The spec's integers: zeros after the features' columns in queries, and 0 to 0 in the ranges of neighbors."""
    row = {"income": 31000, "savings": "low", "housing": "own"}
    own, padded = KEPT.encode(row), SMALL.spec(KEPT)
    assert padded.encode(row) == own + (0,) * 12
    assert (padded.own_columns, padded.padding, padded.plain_columns) == (4, 12, 16)
    low, high = padded.box
    assert (low[:4], high[:4]) == KEPT.box
    assert set(low[4:] + high[4:]) == {0}
    assert SMALL.spec(LOANS).box is None
    assert domain_digest(padded) != domain_digest(unpadded(padded))
    assert query_commitment(24, 1, padded.encode(row)) != query_commitment(24, 1, own)


def test_no_sentence_knows_of_padding():
    """Words, features and units are those of the model's own spec; the radius of real values loses nothing."""
    for spec in (KEPT, LOANS):
        padded = StandardShape(64, (16, 8)).spec(spec)
        assert radius_of_any(padded, 10**6) == radius_of_any(spec, 10**6)
        assert Reading.of(padded, 1, 10**6) == Reading.of(spec, 1, 10**6)


def test_specs_without_padding_are_what_they_were():
    """The field is absent where nothing is padded, so digests of older specs stay; absent and null differ."""
    assert b"pad_to" not in canonical_bytes(LOANS)
    assert parse_spec(canonical_bytes(LOANS), "spec") == LOANS
    padded = SMALL.spec(LOANS)
    assert b'"pad_to":16' in canonical_bytes(padded)
    assert parse_spec(canonical_bytes(padded), "spec") == padded
    assert padded.digest != changed(padded, pad_to=17).digest != unpadded(padded).digest


@pytest.mark.parametrize("columns", [-1, 0, 2, 3, MAX_FEATURES + 1, 1 << 60])
def test_a_padding_has_one_meaning_and_an_end(columns):
    """No column cut off, no padding of nothing, and nothing that every verifier would take ages to hash."""
    with pytest.raises(SpecError, match="pad_to must be above the features' 3 columns and at most 4096"):
        checked(changed(LOANS, pad_to=columns))


def test_a_spec_of_exactly_these_columns_needs_no_padding():
    """Sixteen columns fill the shape: its widths change, and no field says that nothing is added."""
    full = spec_of(*(changed(INCOME, name=f"n{i}") for i in range(16)), SEX)
    assert isinstance(SMALL.spec(full).pad_to, msgspec.UnsetType)
    assert SMALL.shape("branch", full, 8) == SMALL.shape("branch", LOANS, 8)


@pytest.mark.parametrize(
    ("spec", "hidden", "said"),
    [
        (LOANS, (17, 8), "hidden layers 17,8 do not fit into 16,8"),
        (LOANS, (4,), "the model has 1 hidden layer(s), the shape 2: depth is not padded"),
        (RATES, (4, 2), "the spec has input_fraction_bits 8, standard shapes 10"),
        (changed(LOANS, input_bits=25), (4, 2), "the spec has input_bits 25, standard shapes at most 24"),
        (changed(LOANS, weight_bits=(16, 20)), (4, 2), "the spec has weight_bits 16,20, standard shapes at most 16,16"),
        (SMALL.spec(LOANS), (4, 2), "the spec is padded already"),
        (
            spec_of(*(changed(INCOME, name=f"n{i}") for i in range(17)), SEX),
            (4, 2),
            "the features have 17 columns besides the sensitive ones, the shape 16",
        ),
    ],
)
def test_a_model_that_does_not_fit_is_told_why(spec, hidden, said):
    """Every reason against a shape is one line."""
    assert SMALL.misfit(spec, hidden) == said


def test_the_smallest_shape_is_the_cheapest_that_fits():
    """It is the first of the catalogue; where there is none, the reason is that of the largest."""
    assert smallest(LOANS, (4, 2)) == CATALOGUE[0]
    assert smallest(LOANS, (17, 2)).name == "32x64-32"
    assert smallest(LOANS, (100, 50)).name == "64x100-50"
    assert smallest(LOANS, (101, 1)) == "hidden layers 101,1 do not fit into 100,50"


def test_the_specs_of_a_model_are_its_own_and_the_padded_ones():
    """A committed spec is known as that of a model whichever shape it was padded to."""
    assert committed_specs(LOANS)[0] == LOANS
    assert len(committed_specs(LOANS)) == 1 + len(CATALOGUE)
    assert committed_specs(RATES) == (RATES,)


def test_one_hot_features_share_the_padding():
    """Columns are counted, not features."""
    spec = spec_of(INCOME, HOUSING, SAVINGS, SEX)
    assert SMALL.spec(spec).padding == 16 - 4
    assert shape_of("branch", SMALL.spec(spec), (16, 8), 8).architecture.plain == 16
