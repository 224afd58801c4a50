"""A shape is one document, the same for every reader, and its widths grow with its sizes."""

import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from equiproof.circuits.canonical import canonical_bytes
from equiproof.circuits.shape import (
    Shape,
    additive_shape,
    architecture_of,
    branch_shape,
    ensemble_shape,
    fits,
    fits_additive,
    follows,
    traversal_shape,
)
from tests.pins import assert_pinned
from tests.support import KEPT, LOANS, RATES, SEX, changed, spec_of

FREE = changed(KEPT, use_ranges=False)
HIDDEN = st.lists(st.integers(1, 40), min_size=1, max_size=5).map(tuple)


@given(hidden=HIDDEN, bits=st.integers(11, 40), first=st.integers(8, 32), other=st.integers(8, 32))
def test_a_bias_is_as_wide_as_its_products(hidden, bits, first, other):
    """A layer's biases hold its largest sum of products, and a bit more holds every pre-activation."""
    spec = changed(LOANS, input_bits=bits, weight_bits=(first, other))
    inputs, largest, weight = 4, 1 << (bits - 1), first
    for outputs, width in zip((*hidden, 1), spec.bias_widths(hidden), strict=True):
        products = inputs * largest * (1 << (weight - 1))
        assert products < 1 << (width - 1) <= 2 * products
        inputs, largest, weight = outputs, 2 * products, other


@given(hidden=HIDDEN, bits=st.integers(11, 39))
def test_widths_are_monotone(hidden, bits):
    """Widths never shrink with depth, with wider inputs, or with wider layers."""
    widths = changed(LOANS, input_bits=bits).bias_widths(hidden)
    assert all(lower < upper for lower, upper in pairwise(widths))
    wider = changed(LOANS, input_bits=bits + 1).bias_widths(hidden)
    assert all(narrow <= wide for narrow, wide in zip(widths, wider, strict=True))
    larger = changed(LOANS, input_bits=bits).bias_widths(tuple(size + 1 for size in hidden))
    assert all(narrow <= wide for narrow, wide in zip(widths, larger, strict=True))


def test_the_document_is_canonical_json_of_all_fields():
    """The document that the library reads is the canonical form, and nothing of a network's shape is left out."""
    shape = traversal_shape(LOANS, (3, 2), 8)
    assert shape.document == canonical_bytes(shape)
    assert set(json.loads(shape.document)) == set(Shape.__struct_fields__) - {
        "slots",
        "rows",
        "one_hot",
        "model",
        "passed",
    }


def test_the_shape_follows_from_spec_sizes_and_capacity():
    """Sizes, widths and slices of a shape are those of the spec."""
    shape = traversal_shape(RATES, (3, 2), 16)
    assert (shape.slices, shape.capacity, shape.input_bits, shape.input_fraction_bits) == (6, 16, 16, 8)
    assert shape.radius_bits == RATES.max_radius_squared.bit_length() == 25
    assert shape.architecture.layers == ((3, 5), (2, 3), (3, 2))
    assert shape.architecture.neurons == 5


@pytest.mark.parametrize(
    "other",
    [
        branch_shape(LOANS, (3, 2), 8),
        branch_shape(changed(LOANS, use_ranges=True), (3, 2), 8),
        traversal_shape(LOANS, (3, 2), 16),
        traversal_shape(LOANS, (2, 3), 8),
        traversal_shape(LOANS, (3, 2, 1), 8),
        traversal_shape(changed(LOANS, input_bits=19), (3, 2), 8),
        traversal_shape(changed(LOANS, input_fraction_bits=9), (3, 2), 8),
        traversal_shape(spec_of(*LOANS.plain_features, changed(SEX, domain=("f", "m", "x"))), (3, 2), 8),
        traversal_shape(RATES, (3, 2), 8),
    ],
    ids=lambda shape: shape.name,
)
def test_every_size_enters_the_digest(other):
    """Shapes that differ in any size have different digests and names."""
    shape = traversal_shape(LOANS, (3, 2), 8)
    assert other.digest != shape.digest
    assert other.name != shape.name


def test_a_shape_fits_a_spec_that_wants_the_same_neighbors():
    """Ranges in the spec and the shape go together; else everything may be the same."""
    kept, free = branch_shape(KEPT, (3, 2), 8), branch_shape(changed(KEPT, use_ranges=False), (3, 2), 8)
    assert changed(kept, scheme="branch") == free
    for shape, spec, expected in ((kept, KEPT, True), (free, KEPT, False), (kept, LOANS, False)):
        assert fits(shape, spec, (3, 2)) is expected
    assert not fits(kept, changed(KEPT, use_ranges=False), (3, 2))
    assert not fits(traversal_shape(LOANS, (3, 2), 8), changed(LOANS, use_ranges=True), (3, 2))
    assert not fits(kept, KEPT, (2, 3))


def test_a_score_s_shape_fits_a_spec_that_wants_the_same_neighbors():
    """So do those of additive models and ensembles, which are not each other's."""
    sizes, room = ((7, 2), (3, 11)), (4, 8, 8)
    kept, free = (ensemble_shape(spec, *sizes, *room) for spec in (KEPT, FREE))
    assert changed(kept, scheme="trees") == free
    for shape, spec, expected in ((kept, KEPT, True), (free, KEPT, False), (kept, FREE, False), (free, FREE, True)):
        assert fits_additive(shape, spec, *sizes) is expected
        assert follows(shape, spec) is expected
        assert not fits_additive(shape, spec, (7, 2))
    assert not fits_additive(kept, KEPT, (7, 2), (3, 12))
    assert not fits_additive(additive_shape(KEPT, (7, 2), 4, 8), KEPT, *sizes)


def test_architectures_do_not_know_capacity():
    """What a commitment binds of a shape is the same for every capacity."""
    small, large = (traversal_shape(LOANS, (3, 2), capacity) for capacity in (4, 64))
    assert small.architecture == large.architecture == architecture_of(LOANS, (3, 2))
    assert small.architecture.digest == large.architecture.digest


def test_digests_are_pinned():
    """Documents and digests of known shapes never change: keys and commitments are bound to them."""
    shapes = {
        "loans": traversal_shape(LOANS, (2, 2), 8),
        "rates": traversal_shape(RATES, (2,), 8),
        "branch": branch_shape(LOANS, (2, 2), 8),
        "branch-ranges": branch_shape(KEPT, (2, 2), 8),
        "additive": additive_shape(FREE, (7, 2), 4, 8),
        "additive-ranges": additive_shape(KEPT, (7, 2), 4, 8),
        "trees": ensemble_shape(FREE, (7, 2), (3, 11), 4, 8, 8),
        "trees-ranges": ensemble_shape(KEPT, (7, 2), (3, 11), 4, 8, 8),
        "trees-sets": ensemble_shape(FREE, (7, 2), (3, 11), 4, 8, 8, {2: 3}),
    }
    assert_pinned(
        "shapes",
        {
            name: {
                "document": shape.document.decode(),
                "digest": f"{shape.digest:064x}",
                "architecture_digest": f"{shape.architecture.digest:064x}",
                "name": shape.name,
            }
            for name, shape in shapes.items()
        },
    )
