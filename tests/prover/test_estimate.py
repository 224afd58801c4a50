"""The cost of a proof is known before it starts: counts are exact, and hopeless shapes are not even compiled."""

import pytest

from equiproof.certify.branch import WidthError
from equiproof.circuits.schemes import NETWORK_SCHEMES
from equiproof.circuits.shape import branch_shape, shape_of, traversal_shape
from equiproof.ffi import backend
from equiproof.ffi.errors import MalformedInputError
from equiproof.prover.estimate import MAX_PRODUCTS, TooLargeError, estimate, products, wires
from tests.support import LOANS, RATES, changed


def test_constraints_are_those_of_the_key(loans):
    """The count is the very number that set-up writes into the key."""
    assert estimate(loans.shape).constraints == loans.key.document.constraints


@pytest.mark.parametrize("scheme", NETWORK_SCHEMES)
def test_costs_grow_with_the_capacity(scheme):
    """Twice the regions or leaves cost more of everything."""
    small, large = (estimate(shape_of(scheme, LOANS, (4, 2), capacity)) for capacity in (32, 64))
    for name in ("constraints", "setup_seconds", "prove_seconds", "prove_megabytes", "key_megabytes"):
        assert getattr(small, name) < getattr(large, name)


@pytest.mark.parametrize("spec", [LOANS, RATES], ids=["one logit", "three logits"])
@pytest.mark.parametrize("hidden", [(1,), (3,), (4, 2), (2, 4), (3, 3, 2), (12, 8)])
def test_products_are_fewer_than_constraints(spec, hidden):
    """The formula counts products that every compiled shape has: it never keeps a cheap shape from compiling."""
    for capacity in (8, 16):
        shape = traversal_shape(spec, hidden, capacity)
        assert products(shape) < backend.describe(shape.document).constraints


@pytest.mark.slow
def test_products_grow_like_the_constraints():
    """From one capacity to the next, the formula grows by at least a third of what the constraints grow by."""
    shapes = [traversal_shape(LOANS, (12, 8), capacity) for capacity in (64, 128)]
    counted = [backend.describe(shape.document).constraints for shape in shapes]
    assert 3 * (products(shapes[1]) - products(shapes[0])) > counted[1] - counted[0]


def test_products_by_hand():
    """The formula on the smallest case: two neurons, one logit, one region."""
    # n_x = 3 and n_s = 1, S = 2, K = 1: three products of rows over 3 columns; 2 values over 3 + 2 columns; the
    # margin's three coefficients. A region masks 2 values and one pair of bits, sums 2 products for the margin's value
    # and 3 for its norm.
    shape = changed(traversal_shape(LOANS, (2,), 2), capacity=1)
    assert products(shape) == 3 * 3 + 2 * 5 + 3 + (2 + 1 + 2 + 3)


def test_what_nobody_would_prove_is_not_compiled():
    """A shape of too many products is refused by the formula, in one line with the count."""
    shape = traversal_shape(LOANS, (100, 50), 2)
    with pytest.raises(TooLargeError, match=rf"more than {products(shape):,} constraints: 150 neurons") as caught:
        estimate(shape)
    assert products(shape) > MAX_PRODUCTS
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("spec", [LOANS, RATES], ids=["one logit", "three logits"])
@pytest.mark.parametrize("hidden", [(1,), (4, 2), (3, 3, 2), pytest.param((24, 16), marks=pytest.mark.slow)])
def test_wires_of_scheme_branch_are_fewer_than_constraints(spec, hidden):
    """Every private wire takes a constraint at least, and most take several, twelve at most where leaves are many."""
    for capacity in (64, 128):
        shape = branch_shape(spec, hidden, capacity)
        assert wires(shape) < backend.describe(shape.document).constraints < 12 * wires(shape)


def test_wide_layers_are_no_hindrance_to_scheme_branch():
    """A network that has no circuit of scheme traversal has one of scheme branch, and its count is exact."""
    shape = branch_shape(LOANS, (48, 48), 4)
    assert estimate(shape).constraints > 50_000
    with pytest.raises(TooLargeError):
        estimate(traversal_shape(LOANS, (48, 48), 4))


@pytest.mark.parametrize(("hidden", "capacity"), [((4096, 4096), 4), ((64, 64), 1 << 20), ((100, 50), 2048)])
def test_what_nobody_would_prove_by_leaves_is_not_compiled(hidden, capacity):
    """Too many weights, or leaves, are refused by their number, in one line, and without a list of them."""
    shape = branch_shape(LOANS, hidden, capacity)
    with pytest.raises(TooLargeError, match=rf"more than {wires(shape):,} constraints: .* for scheme branch"):
        estimate(shape)


def test_digits_that_a_deep_network_lacks_are_named():
    """Where no rounding fits the field, the estimate says so instead of compiling."""
    with pytest.raises(WidthError, match=r"layer \d+: .* take \d+ bits"):
        estimate(branch_shape(LOANS, (2,) * 40, 4))


def test_values_that_outgrow_the_field_are_named():
    """A shape whose squares pass 250 bits is refused by the library, naming the layer and the width."""
    with pytest.raises(MalformedInputError, match=r"layer \d+.*: values of up to \d+ bits, the limit is 250"):
        estimate(traversal_shape(LOANS, (2,) * 7, 2))


def test_widths_are_of_every_layer():
    """The widths name inputs, weights and each layer; those of squares grow from layer to layer."""
    widths = dict(estimate(traversal_shape(LOANS, (4, 2), 2)).widths)
    assert widths["query"] == LOANS.input_bits
    assert widths["weights.1"] == 16
    assert all(f"biases.{layer}" in widths for layer in (1, 2, 3))
    assert widths["layer 3, distance to a decision hyperplane"] > widths["layer 2, distance to a facet"]
    assert max(widths.values()) <= 250
