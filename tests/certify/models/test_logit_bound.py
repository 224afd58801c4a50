"""The proven bound of how far rounding moves a logit: never exceeded, and near what happens on small networks."""

from fractions import Fraction

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from equiproof.certify.models.fidelity import agreement
from equiproof.certify.models.logit_bound import logit_bound
from equiproof.certify.models.network import Network
from equiproof.certify.models.quantise import quantise
from equiproof.certify.models.random_rows import random_rows
from equiproof.circuits.spec import Feature
from tests.certify.models.rounding import exact_columns, exact_logits, make_spec, random_network

SIZES = [(3,), (4, 2), (2, 2, 2)]


def corners(spec, count, seed):
    """Return rows whose numbers are at the ends of their ranges."""
    rng = np.random.default_rng(seed)
    rows = random_rows(spec, count, seed)
    for row in rows:
        for feature in spec.plain_features:
            if feature.range is not None:
                row[feature.name] = feature.range[rng.integers(2)]
    return rows


@settings(max_examples=40, deadline=None)
@given(
    hidden=st.sampled_from(SIZES),
    seed=st.integers(0, 10**6),
    bits=st.sampled_from([(2, 12), (6, 16), (10, 18)]),
    widths=st.sampled_from([(8, 8), (8, 16), (16, 8), (24, 20)]),
    logits=st.sampled_from([1, 3]),
)
def test_no_point_of_the_domain_differs_by_more_than_the_bound(hidden, seed, bits, widths, logits):
    """In exact numbers, on random points and on corners of the domain, no logit differs by more than was proven."""
    spec = make_spec(bits, widths, logits, "0" if logits > 1 else "0.37")
    network = random_network(spec, hidden, seed)
    quantised = quantise(network, spec)
    bound = logit_bound(network, quantised, spec)
    for row in (*random_rows(spec, 20, seed), *corners(spec, 20, seed)):
        integers = quantised.logits((*spec.encode(row), *spec.encode_sensitive(row)))
        for integer, exact in zip(integers, exact_logits(network, exact_columns(spec, row)), strict=True):
            committed = Fraction(integer, 1 << quantised.logit_fraction_bits) + Fraction(spec.threshold)
            assert abs(committed - exact) <= bound


def test_the_bound_is_reached_within_a_factor_of_five():
    """On small networks the largest difference of 400 corners is more than a fifth of the bound."""
    for hidden in ((3,), (4, 2)):
        spec = make_spec(weight_bits=(8, 8))
        network = random_network(spec, hidden, 2)
        quantised = quantise(network, spec)
        seen = agreement(network, quantised, spec, corners(spec, 400, 1), "corners").largest_gap
        assert seen <= logit_bound(network, quantised, spec) < 5 * seen


def test_the_bound_of_one_neuron_is_the_sum_of_its_roundings():
    """With weights and biases that are integers already, the half step of a number is all there is, and it is exact."""
    number = Feature("n", "numeric", "scaled", False, range=("0", "4"))
    group = Feature("g", "categorical", "rank", True, domain=("a", "b"))
    spec = make_spec((3, 12), features=(number, group))
    network = Network((np.array([[3.0, 1.0]]), np.array([[2.0]])), (np.array([1.0]), np.array([0.0])))
    assert logit_bound(network, quantise(network, spec), spec) == Fraction(2 * 3, 16)
    # A neuron that is dead in both models adds nothing.
    dead = Network((np.array([[3.0, 1.0]]), np.array([[2.0]])), (np.array([-14.0]), np.array([0.0])))
    assert logit_bound(dead, quantise(dead, spec), spec) == 0


def test_a_number_without_a_range_takes_what_its_bits_hold():
    """The bound covers the largest integers of the width, and grows with the width."""
    number = Feature("n", "numeric", "scaled", False)
    group = Feature("g", "categorical", "rank", True, domain=("a", "b"))
    third = Network((np.array([[1 / 3, 1.0]]), np.array([[1.0]])), (np.zeros(1), np.zeros(1)))
    bounds = []
    for width in (12, 16):
        spec = make_spec((3, width), weight_bits=(8, 8), features=(number, group))
        quantised = quantise(third, spec)
        bounds.append(logit_bound(third, quantised, spec))
        row = {"n": str(2 ** (width - 4) - 1), "g": "a"}
        (integer,) = quantised.logits((*spec.encode(row), *spec.encode_sensitive(row)))
        gap = Fraction(integer, 1 << quantised.logit_fraction_bits) - exact_logits(third, exact_columns(spec, row))[0]
        assert 0 < abs(gap) <= bounds[-1]
    assert bounds[1] > 10 * bounds[0]
