import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from equiproof.certify.decisions import integer_logits
from equiproof.certify.models.network import Network
from equiproof.certify.models.quantise import MAX_FRACTION_BITS, quantise
from equiproof.certify.models.rounding import round_half_up
from equiproof.certify.network import NetworkError
from equiproof.circuits.spec import FORMAT, VERSION, Feature, Spec, checked

WEIGHTS = st.floats(-100, 100, allow_subnormal=False)


def make_spec(plain=2, logits=1, threshold="0", fraction_bits=10):
    """Return the spec of `plain` numbers and one sensitive group."""
    numbers = [Feature(f"n{index}", "numeric", "scaled", sensitive=False) for index in range(plain)]
    group = Feature("g", "categorical", "rank", sensitive=True, domain=("a", "b"))
    labels = tuple(f"label {index}" for index in range(max(logits, 2)))
    return checked(Spec(FORMAT, VERSION, "t", fraction_bits, 18, False, (*numbers, group), labels, logits, threshold))


@st.composite
def networks(draw, plain=2):
    """Draw float networks of one or two small hidden layers with one to three logits."""
    hidden = draw(st.sampled_from([(1,), (3,), (2, 2)]))
    sizes = (plain + 1, *hidden, draw(st.integers(1, 3)))
    layers = [(draw(arrays((outputs, inputs))), draw(arrays((outputs,)))) for inputs, outputs in pairwise(sizes)]
    return Network(tuple(weight for weight, _ in layers), tuple(bias for _, bias in layers))


def arrays(shape):
    """Draw float arrays of one shape."""
    count = math.prod(shape)
    return st.lists(WEIGHTS, min_size=count, max_size=count).map(lambda values: np.array(values).reshape(shape))


def linear(weight, bias):
    """Return a network of one neuron: logit = relu(weight (n0 + g)) + bias."""
    return Network((np.full((1, 2), weight), np.ones((1, 1))), (np.zeros(1), np.array([bias])))


@given(numerator=st.integers(-(10**6), 10**6), denominator=st.sampled_from([1, 2, 3, 4, 7, 1 << 20]))
def test_rounding_is_half_up(numerator, denominator):
    """The nearest integer, and of two equally near ones the upper, below zero as above."""
    value = Fraction(numerator, denominator)
    rounded = round_half_up(value)
    assert -Fraction(1, 2) <= value - rounded < Fraction(1, 2)


@settings(max_examples=60, deadline=None)
@given(network=networks())
def test_each_layer_has_the_finest_scale_whose_weights_fit(network):
    """Weights fit 16 signed bits; one bit finer, a weight or a bias would not, or the scale is at its limit."""
    spec = make_spec(logits=network.logit_count)
    quantised = quantise(network, spec)
    widths = spec.bias_widths(network.hidden)
    below = spec.input_fraction_bits
    for layer, scale, floats, biases, width in zip(
        quantised.layers, quantised.weight_fraction_bits, network.weights, network.biases, widths, strict=True
    ):
        exact = [Fraction(value) for value in floats.flatten().tolist()]
        assert [weight for row in layer.weights for weight in row] == [round_half_up(v * 2**scale) for v in exact]
        at_scale = [Fraction(value) * 2 ** (below + scale) for value in biases.tolist()]
        assert list(layer.biases) == [round_half_up(value) for value in at_scale]
        fits = all(-(1 << 15) <= round_half_up(v * 2 ** (scale + 1)) < 1 << 15 for v in exact)
        fits &= all(-(1 << width - 1) <= round_half_up(v * 2) < 1 << width - 1 for v in at_scale)
        assert scale == MAX_FRACTION_BITS or not fits
        below += scale


@settings(max_examples=60, deadline=None)
@given(network=networks(), point=st.lists(st.floats(-4, 4), min_size=3, max_size=3))
def test_integer_logits_stay_within_the_sum_of_the_roundings(network, point):
    """Half a step per input, weight and bias, carried through the layers, bounds the gap to the float logits."""
    spec = make_spec(logits=network.logit_count)
    quantised = quantise(network, spec)
    inputs = [round_half_up(Fraction(value) * spec.scale_unit) for value in point]
    below, values = spec.input_fraction_bits, [Fraction(value) for value in point]
    errors = [Fraction(1, 2 << below)] * 3
    for index, (weight, bias) in enumerate(zip(network.weights, network.biases, strict=True)):
        step = Fraction(1, 2 << quantised.weight_fraction_bits[index])
        below += quantised.weight_fraction_bits[index]
        rows = [[Fraction(w) for w in row] for row in weight.tolist()]
        values = [max(value, Fraction(0)) for value in values] if index else values
        errors = [
            sum((abs(w) + step) * e + step * abs(v) for w, e, v in zip(row, errors, values, strict=True))
            + Fraction(1, 2 << below)
            for row in rows
        ]
        values = [
            sum(w * v for w, v in zip(row, values, strict=True)) + Fraction(b)
            for row, b in zip(rows, bias.tolist(), strict=True)
        ]
    for integer, exact, error in zip(quantised.logits(inputs), values, errors, strict=True):
        assert abs(Fraction(integer, 1 << quantised.logit_fraction_bits) - exact) <= error


@settings(max_examples=60, deadline=None)
@given(network=networks(), inputs=st.lists(st.integers(-(1 << 17), (1 << 17) - 1), min_size=6, max_size=6))
def test_many_rows_at_once_are_evaluated_exactly(network, inputs):
    """The array form agrees with the committed network's own, past 64 bits too."""
    quantised = quantise(network, make_spec(logits=network.logit_count))
    logits = integer_logits(quantised, np.array(inputs).reshape(2, 3))
    assert [tuple(row) for row in logits.tolist()] == [quantised.logits(inputs[:3]), quantised.logits(inputs[3:])]


@settings(max_examples=100, deadline=None)
@given(
    network=networks().filter(lambda network: network.logit_count == 1),
    threshold=st.decimals(-50, 50, places=3).map(lambda value: f"{value + 0:f}"),
    inputs=st.lists(st.integers(-(1 << 12), 1 << 12), min_size=3, max_size=3),
)
def test_a_threshold_is_folded_exactly(network, threshold, inputs):
    """The folded network says 1 exactly where the unfolded one's logit is above the threshold."""
    plain, folded = quantise(network, make_spec()), quantise(network, make_spec(threshold=threshold))
    # A threshold too large for the finest scale coarsens the last layer, as any such bias: then the logits differ.
    assume(plain.weight_fraction_bits == folded.weight_fraction_bits)
    logit = Fraction(plain.logits(inputs)[0], 1 << plain.logit_fraction_bits)
    assert (folded.decide(inputs) == 1) == (logit > Fraction(threshold))


@pytest.mark.parametrize(
    ("weight", "scale", "integer"),
    [(1.0, 14, 16384), (0.99998, 15, 32767), (-1.0, 15, -32768), (32767.4, 0, 32767), (0.0, 30, 0)],
)
def test_the_limits_of_16_signed_bits_are_used_to_the_last(weight, scale, integer):
    """-32768 fits, 32768 does not, and rounding counts."""
    quantised = quantise(linear(weight, 0.0), make_spec(plain=1))
    assert quantised.weight_fraction_bits[0] == scale
    assert quantised.layers[0].weights == ((integer, integer),)


def test_what_fits_at_no_scale_is_refused_by_layer():
    """A huge weight and a huge bias each give one line with the layer."""
    with pytest.raises(NetworkError, match=r"^layer 1: a weight of 32767\.5 does not fit 16 signed bits$"):
        quantise(linear(32767.5, 0.0), make_spec(plain=1))
    # Sums of layer 1 reach 2 2^15 2^17 = 2^33, doubled by its bias; those of layer 2 2^34 2^15, 50 bits and a sign.
    with pytest.raises(
        NetworkError,
        match=r"^remove the neuron, [^\n]*: a bias of 1e\+30 does not fit the layer's 51 bits",
    ):
        quantise(linear(1.0, 1e30), make_spec(plain=1))


def test_a_large_bias_coarsens_its_layer():
    """A bias that fits only at a coarser scale takes its weights with it."""
    network = Network((np.ones((1, 2)), np.ones((1, 1))), (np.full(1, 1e5), np.zeros(1)))
    quantised = quantise(network, make_spec(plain=1))
    # Layer 1 has 35 bits (2 inputs, 2^15, 2^17, and a sign): 1e5 2^(10 + f) < 2^34 up to f = 7.
    assert quantised.weight_fraction_bits[0] == 7
    assert quantised.layers[0].biases == (100_000 << 17,)


def test_columns_and_logits_must_be_those_of_the_spec():
    """A network for another data set is refused before a number is rounded."""
    with pytest.raises(NetworkError, match="2 columns and the last layer gives 1 logits; the spec has 3 and 1"):
        quantise(linear(1.0, 0.0), make_spec())
