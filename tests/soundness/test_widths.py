"""Each layer's weights have the width of that layer and of no other, in the composed circuit of scheme `branch`."""

from dataclasses import replace

import pytest

from tests.circuits.tiny_cases import circuit_accepts, digest_of, free_checkers, verdict
from tests.soundness.branch_case import (
    IDENTITY,
    NOTHING,
    case_of,
    ends_of,
    evidence_of,
    layer_of,
    lie_of,
    margin_of,
    tree_of,
)
from tests.soundness.branch_lies import OVER

NARROW, WIDE = 12, 20


@pytest.fixture(scope="module", autouse=True)
def compiled():
    """Free the circuits that were compiled."""
    yield
    free_checkers()


def filled(weight_bits, first, last):
    """Fill the wires of x = 0 at the radius 0, where a weight of layer 1 and one of the last layer count for nothing.

    The margin is 10 - relu(first x) + last relu(x).
    """
    case = case_of((((-1, 0, last),), (10,)))
    (layer, top), network = case.network.layers, case.network
    layer = replace(layer, weights=((first, 0), *layer.weights[1:]))
    case = replace(case, network=replace(network, layers=(layer, top)))
    bounds = layer_of(ends_of(0), (NOTHING, IDENTITY, NOTHING))
    margin = margin_of(1, (OVER, (1, 0, max(0, -last))))
    return lie_of(case, evidence_of((bounds,), *tree_of(margin), reach=0), weight_bits=weight_bits)


@pytest.mark.parametrize("weight_bits", [(NARROW, WIDE), (WIDE, NARROW)])
def test_a_weight_has_the_width_of_its_layer(weight_bits):
    """The least and the largest number of a layer's width have a witness, the next ones none, in either layer."""
    for place, bits in enumerate(weight_bits):
        limit = 1 << (bits - 1)
        for weight, fits in ((limit - 1, True), (-limit, True), (limit, False), (-limit - 1, False)):
            case = filled(weight_bits, *((weight, 0) if place == 0 else (1, weight)))
            assert circuit_accepts(case.shape, digest_of(case.shape, case.wires), case.wires) == fits, (place, weight)


def test_the_reference_refuses_it_by_the_same_rule():
    """A weight that is wider than its layer's breaks R-RANGE, though another layer has room for it."""
    for weight_bits, first, last in (((NARROW, WIDE), 1 << NARROW, 0), ((WIDE, NARROW), 1, 1 << NARROW)):
        case = filled(weight_bits, first, last)
        assert verdict(case.shape, digest_of(case.shape, case.wires), case.wires) == "R-RANGE"


def test_widths_are_part_of_the_commitment():
    """The same numbers under other widths are another architecture, and so another model."""
    architectures = [filled(bits, 1, 0).shape.architecture for bits in ((NARROW, WIDE), (WIDE, NARROW), (WIDE, WIDE))]
    assert len({one.digest for one in architectures}) == 3
