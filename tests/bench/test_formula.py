"""The formula of the constraints is exact: compiled circuits say so, gadget by gadget."""

import dataclasses

import pytest

from bench import growth
from bench.formula import by_gadget, constraints, region, widest
from bench.seeded import spec_of
from circuits.shape import traversal_shape
from ffi import backend
from prover.estimate import products
from tests.support import LOANS, RATES, changed

SEEDED = [
    (18, 2, (1,), 2),
    (18, 2, (3,), 64),
    (5, 3, (2, 5), 16),
    (7, 8, (6, 3), 8),
    (40, 53, (4, 2), 64),
    (18, 2, (1, 1, 1), 16),
    (9, 7, (3, 4, 2), 32),
    (18, 2, (12, 8), 2),
]
"""(n_x, S, hidden layers, K), none of them a point of the growth's axes."""

LONG = [(25, (25,)), (18, (26, 2)), (298, (4, 2)), (299, (4, 2)), (310, (2,))]
"""(n_x, hidden layers) where sums grow to 300 terms."""


def assert_exact(shape):
    """Compare the formula with the compiled circuit."""
    description = backend.describe(shape.document)
    assert by_gadget(shape) == dict(description.parts)
    assert constraints(shape) == description.constraints
    assert widest(shape) == max(bits for _, bits in description.widths)


@pytest.mark.parametrize(("plain", "slices", "hidden", "capacity"), SEEDED)
def test_the_formula_is_exact(plain, slices, hidden, capacity):
    """Every gadget takes what the formula says, for few and many slices, one to three layers."""
    measured = {sizes for axis in growth.axes() for sizes in axis.points}
    assert growth.Sizes(plain, slices, hidden, capacity) not in measured
    assert_exact(traversal_shape(spec_of(plain, slices), hidden, capacity))


@pytest.mark.parametrize("spec", [LOANS, RATES], ids=["one logit", "three logits"])
@pytest.mark.parametrize("hidden", [(2,), (3, 3), (2, 2, 2)])
def test_the_formula_knows_several_logits_and_sensitive_columns(spec, hidden):
    """One-hot labels and sensitive groups are counted as they compile."""
    assert_exact(traversal_shape(spec, hidden, 8))


@pytest.mark.parametrize(("plain", "hidden"), LONG)
def test_the_formula_knows_long_sums(plain, hidden):
    """Sums of 300 terms and more take wires of their own."""
    assert_exact(traversal_shape(spec_of(plain, 2), hidden, 4))


def test_a_region_is_what_the_capacity_multiplies():
    """One more region takes as many products more, in gadget polytope, as a region has."""
    shape = traversal_shape(spec_of(18, 2), (5, 3), 64)
    small, large = (by_gadget(changed(shape, capacity=capacity))["polytope"] for capacity in (64, 65))
    assert large - small == region(shape)


def test_the_formula_reaches_where_nothing_compiles():
    """A shape that would take hours to compile is counted, above the products that it certainly needs."""
    shape = traversal_shape(spec_of(18, 2), (64, 64), 8192)
    assert products(shape) < constraints(shape) < 1.1 * products(shape)


def test_sizes_make_their_shape():
    """The sizes of a point are those of its shape."""
    for axis in growth.axes():
        for sizes in axis.points:
            shape = sizes.shape
            found = (shape.architecture.plain, shape.slices, shape.architecture.hidden, shape.capacity)
            assert found == dataclasses.astuple(sizes)
