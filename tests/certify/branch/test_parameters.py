"""Widths of a shape: the table of the decision page, and shapes that do not fit."""

from dataclasses import replace

import pytest

from equiproof.certify.branch import Parameters, Sizes, WidthError, network_parameters
from equiproof.circuits.branch_layout import shape_parameters
from equiproof.circuits.branch_parameters import FormWidths
from equiproof.circuits.layer_widths import bias_widths
from equiproof.circuits.shape import branch_shape
from tests.support import LOANS, RATES


def sizes(plain, hidden, logits=1, input_bits=18, radius_bits=29):
    """Return sizes with one sensitive column."""
    weight_bits = (16,) * (len(hidden) + 1)
    bias_bits = bias_widths(plain + 1, input_bits, (*hidden, logits), weight_bits)
    return Sizes(plain, 1, tuple(hidden), logits, weight_bits, input_bits, bias_bits, radius_bits)


@pytest.mark.parametrize(
    ("plain", "hidden", "rounding", "split"),
    [
        (20, (8, 2), (0, 0), (50, 24)),
        (20, (100, 50), (0, 0), (54, 24)),
        (16, (150, 100, 50), (31, 2, 0), (52, 52, 24)),
        (13, (64, 32, 16, 8, 4), (30, 29, 27, 0, 0), (52, 52, 52, 51, 24)),
        (13, (5,) * 9, (27,) * 6 + (26, 0, 0), (52,) * 7 + (51, 24)),
    ],
)
def test_the_widths_of_known_shapes(plain, hidden, rounding, split):
    """What docs/adr/0008 says of leaves: rounding and splits; where kc = 0 they have no radius."""
    parameters = Parameters.of(sizes(plain, hidden))
    form = parameters.form(len(hidden) + 1)
    assert parameters.rounding[-1] == rounding
    assert form.split_bits == split
    assert (form.radius_bits, form.remainder_radius_bits) == (0, 0)
    assert all(row[-1] == 0 for row in parameters.rounding)


def test_a_hand_computed_shape():
    """One column, one neuron, one logit, in widths small enough for a sheet of paper."""
    small = Sizes(1, 1, (1,), 1, weight_bits=(2, 2), input_bits=3, bias_bits=(4, 5), radius_bits=2)
    # |z_1| <= 2 * 2 * 4 + 8 = 24, |logit| <= 1 * 2 * 24 + 16 = 64.
    assert small.value_limits == (24, 64)
    parameters = Parameters.of(small, fraction_bits=1)
    assert parameters.bound_bits == (7,)
    assert parameters.offset_bits == (8,)
    # r^2 >= R2 |c|^2 with R2 <= 3 and |c| <= 2: at most 12, so r <= 4.
    assert parameters.first_radius_bits == 3
    # lambda <= M w = 4 takes 3 bits; c <= 2^(1 + 3 + 1) * 2 = 64, which is squared with its centre.
    assert parameters.form(2) == FormWidths((3,), 0, 0)
    # With ranges a cut may take off all of c, and c may grow by as much: c takes 7 bits, the cut a sign more.
    assert Parameters.of(replace(small, ranges=True), fraction_bits=1).form(2) == FormWidths((3,), 0, 0, 8)
    # In units of 4, r^2 is up to 3 * 16^2 = 768 of 10 bits, and rho^2 up to 3 * 2^2 = 12 of 4.
    assert replace(parameters, coefficient_rounding=(2,)).form(2) == FormWidths((3,), 6, 3)


def test_more_kept_bits_round_less():
    """The bits that are kept decide k, one for one, down to what the field holds."""
    deep = sizes(13, (64, 32, 16, 8, 4))
    assert Parameters.of(deep, kept_bits=40).rounding[-1] == (30, 29, 28, 11, 0)
    assert Parameters.of(deep, kept_bits=48).rounding[-1][3] == 3


def test_coefficients_of_features_are_rounded_where_nothing_else_fits():
    """With many kept bits the squares of the last coefficients outgrow the field: kc takes what is too much."""
    parameters = Parameters.of(sizes(13, (64, 32, 16, 8, 4)), kept_bits=90)
    assert parameters.coefficient_rounding[-1] > 0
    form = parameters.form(6)
    assert 2 * form.radius_bits <= 250
    assert form.remainder_radius_bits > 0


def test_a_shape_that_does_not_fit_is_refused():
    """One line names the layer and the width."""
    with pytest.raises(WidthError, match=r"layer \d+: .* take \d+ bits"):
        Parameters.of(sizes(13, (5,) * 14))


@pytest.mark.parametrize(
    "wrong",
    [{"rounding": ((0,),)}, {"rounding": ((0,), (0, 1))}, {"rounding": ((0,), (-1, 0))}, {"coefficient_rounding": (0,)},
     {"fraction_bits": 0}],
)  # fmt: skip
def test_tables_that_do_not_fit_the_sizes_are_refused(wrong):
    """A rounding at the top layer, negative ones, and tables of other lengths raise ValueError."""
    parameters = Parameters.of(sizes(20, (8, 2)))
    with pytest.raises(ValueError, match=r"want|at least"):
        replace(parameters, **wrong)


@pytest.mark.parametrize(("spec", "hidden"), [(LOANS, (4, 2)), (RATES, (3,))])
def test_a_spec_and_hidden_layers_fix_the_parameters(spec, hidden):
    """The widths of spec and layers go in as they are; what is rounded, and how finely, is nobody's choice."""
    parameters = network_parameters(spec, hidden)
    shape_sizes = parameters.sizes
    assert (shape_sizes.plain, shape_sizes.sensitive) == (spec.plain_columns, spec.sensitive_columns)
    assert (shape_sizes.hidden, shape_sizes.logits) == (hidden, spec.logits)
    assert (shape_sizes.input_bits, shape_sizes.weight_bits) == (spec.input_bits, (16,) * (len(shape_sizes.hidden) + 1))
    assert (shape_sizes.bias_bits, shape_sizes.radius_bits) == (
        spec.bias_widths(hidden),
        spec.max_radius_squared.bit_length(),
    )
    assert parameters == Parameters.of(shape_sizes) == shape_parameters(branch_shape(spec, hidden, 8))
