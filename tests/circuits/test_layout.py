"""The prover and the library name the same wires in the same order."""

import random
import re

import pytest

from equiproof.circuits.branch_parameters import WidthError
from equiproof.circuits.layer_widths import bias_widths
from equiproof.circuits.layout import layout
from equiproof.circuits.link_shape import link_shape
from equiproof.circuits.schemes import NETWORK_SCHEMES
from equiproof.circuits.shape import (
    FORMAT,
    VERSION,
    Architecture,
    Shape,
    branch_shape,
    gain_shape,
    kept_shape,
    least_capacity,
    shape_of,
    traversal_shape,
)
from equiproof.ffi import backend
from equiproof.ffi.errors import MalformedInputError
from tests.circuits.score_cases import ADDITIVE, ENSEMBLES
from tests.support import GENDER, HOUSING, INCOME, LOANS, RATES, SAVINGS, SEX, changed, spec_of

SPECS = (
    LOANS,
    RATES,
    spec_of(INCOME, SEX, bits=(1, 4)),
    spec_of(INCOME, SAVINGS, HOUSING, GENDER, labels=("a", "b"), logits=2),
    spec_of(INCOME, changed(SEX, domain=("a", "b", "c", "d", "e"))),
)


def random_shape(scheme, seed):
    """Return a small random shape of a scheme, its least capacity included."""
    rng = random.Random(seed)
    spec = rng.choice(SPECS)
    hidden = tuple(rng.randint(1, 4) for _ in range(rng.randint(1, 3)))
    return shape_of(scheme, spec, hidden, least_capacity(scheme, len(spec.domain_table)) << rng.randint(0, 2))


@pytest.mark.sampled(20)
@pytest.mark.parametrize("scheme", NETWORK_SCHEMES)
@pytest.mark.parametrize("seed", range(24))
def test_layout_is_the_librarys(scheme, seed):
    """Names, order and lengths of the private wires are those that the library reads."""
    shape = random_shape(scheme, seed)
    assert backend.describe(shape.document).layout == layout(shape)


@pytest.mark.sampled(8)
@pytest.mark.parametrize("seed", range(24))
def test_layout_of_gains_is_the_librarys(seed):
    """So are those of relation `gain`, whose bounds are of the network and whose leaves are of two copies of it."""
    rng = random.Random(seed)
    hidden = tuple(rng.randint(1, 4) for _ in range(rng.randint(1, 3)))
    shape = gain_shape(rng.choice(SPECS), hidden, 2 << rng.randint(0, 2))
    assert backend.describe(shape.document).layout == layout(shape)


@pytest.mark.sampled(8)
@pytest.mark.parametrize("seed", range(24))
def test_layouts_of_kept_models_are_the_librarys(seed):
    """So are those of a kept model's certificates, of each scheme and of gains, and of its link."""
    rng = random.Random(seed)
    shape = random_shape(rng.choice(NETWORK_SCHEMES), seed)
    gains = gain_shape(rng.choice(SPECS), shape.architecture.hidden, 4)
    for one in (kept_shape(shape), kept_shape(gains), link_shape(shape)):
        assert backend.describe(one.document).layout == layout(one)


def test_layouts_of_kept_scores_are_the_librarys():
    """And those of additive models and of ensembles, with ranges, missing values and sets."""
    for shape in {truth().shape for truth in (*ADDITIVE, *ENSEMBLES)}:
        for one in (kept_shape(shape), link_shape(shape)):
            assert backend.describe(one.document).layout == layout(one)


def wide_shape(seed, scheme="branch"):
    """Return a shape of `branch` or `gain`, with ranges or without, of any depth and widths, beyond those of specs."""
    rng = random.Random(seed)
    hidden = tuple(rng.randint(1, 3) for _ in range(rng.randint(1, 8)))
    plain, sensitive, logits, input_bits = rng.randint(1, 3), rng.randint(1, 2), rng.randint(1, 3), rng.randint(2, 64)
    weight_bits = tuple(rng.randint(12, 48) for _ in range(len(hidden) + 1))
    architecture = Architecture(
        plain=plain,
        sensitive=sensitive,
        hidden=hidden,
        logits=logits,
        weight_bits=weight_bits,
        bias_bits=bias_widths(plain + sensitive, input_bits, (*hidden, logits), weight_bits),
    )
    return Shape(
        format=FORMAT,
        version=VERSION,
        scheme=scheme,
        architecture=architecture,
        slices=2 if scheme == "gain" else rng.randint(2, 5),
        input_bits=input_bits,
        input_fraction_bits=1,
        radius_bits=rng.randint(1, 64),
        capacity=8,
    )


@pytest.mark.parametrize(
    "scheme",
    ["branch", *(pytest.param(relation, marks=pytest.mark.slow) for relation in ("branch-ranges", "gain"))],
)
def test_roundings_and_refusals_are_the_librarys(scheme):
    """What is rounded for one is for the other; shapes that the field does not hold have no circuit in either."""
    rounded = refused = 0
    for shape in (wide_shape(seed, scheme) for seed in range(40)):
        try:
            wires = layout(shape)
        except WidthError:
            refused += 1
            with pytest.raises(MalformedInputError, match=r"take \d+ bits|bias_bits is \d+"):
                backend.describe(shape.document)
        else:
            rounded += any(name.startswith("coarse") for name, _ in wires)
            assert backend.describe(shape.document).layout == wires
    assert rounded > 5
    assert refused > 5


def test_wires_are_as_many_as_the_evidence_needs():
    """Lengths follow from the sizes: 13 weights and biases, and per region a slice, bits and neighbors."""
    lengths = dict(layout(traversal_shape(LOANS, (2, 2), 8)))
    assert lengths == {
        "weights.1": 2 * 4,
        "biases.1": 2,
        "weights.2": 2 * 2,
        "biases.2": 2,
        "weights.3": 2,
        "biases.3": 1,
        "model_blinding": 1,
        "spec_digest": 1,
        "table": 2,
        "query": 3,
        "query_blinding": 1,
        "label": 1,
        "radius_squared": 1,
        "context_digest": 1,
        "slice": 8 - 2,
        "pattern": 8 * 4,
        "crossed_first": 2 * 2,
        "crossed_deeper": 8 * 2,
        "neighbor": 8 * 4,
    }


@pytest.mark.parametrize("capacity", [0, 1, 3, 12, 1 << 17])
def test_capacities_without_a_circuit_are_refused(capacity):
    """A capacity below the slices, above the limit or no power of two is refused by name."""
    with pytest.raises(MalformedInputError, match="shape: capacity"):
        backend.describe(traversal_shape(LOANS, (2,), capacity).document)


@pytest.mark.parametrize("scheme", NETWORK_SCHEMES)
def test_the_least_capacity_has_a_circuit_and_half_of_it_has_none(scheme):
    """A key needs room for every slice's centre; one of scheme `branch` for every slice's leaf and one split."""
    for spec in SPECS:
        least = least_capacity(scheme, len(spec.domain_table))
        assert backend.describe(shape_of(scheme, spec, (1,), least).document).constraints
        with pytest.raises(MalformedInputError, match="shape: capacity"):
            backend.describe(shape_of(scheme, spec, (1,), least // 2).document)


def test_a_gain_needs_room_for_two_leaves_and_two_rows():
    """Both copies share one tree, and there is a split; a gain compares two rows and no other number of them."""
    shape = gain_shape(RATES, (2,), 2)
    assert backend.describe(shape.document).constraints
    with pytest.raises(MalformedInputError, match="shape: capacity is 1, want 2"):
        backend.describe(changed(shape, capacity=1).document)
    for slices in (1, 3):
        with pytest.raises(MalformedInputError, match=f"shape: slices is {slices}, want 2"):
            backend.describe(changed(shape, slices=slices, capacity=4).document)


def test_a_deep_network_has_a_circuit_of_scheme_branch():
    """Where squares of coefficients outgrow the field they are rounded, and the segments of what is left are there."""
    shape = branch_shape(LOANS, (2,) * 7, 4)
    names = [name for name, _ in layout(shape)]
    assert {"rest.7.1", "kappa.7.1", "floor.8.1", "kappa.8.1"} <= set(names)
    assert backend.describe(shape.document).layout == layout(shape)


DEEP = traversal_shape(LOANS, (2,) * 7, 2)


def test_shapes_that_outgrow_the_field_are_refused():
    """A network so deep that squares could pass 2^250 has no circuit; the refusal states the width."""
    with pytest.raises(MalformedInputError, match=r"values of up to \d+ bits, the limit is 250"):
        backend.describe(DEEP.document)


def test_the_refusal_of_a_deep_shape_is_one_line_that_names_the_layer():
    """Where a shape outgrows the field, one line names the layer and the width."""
    with pytest.raises(MalformedInputError) as caught:
        backend.describe(DEEP.document)
    assert re.fullmatch(r"shape: .*layer \d+.*: values of up to \d+ bits, the limit is 250", str(caught.value))


def test_the_same_shape_compiles_to_the_same_system():
    """Compiling a shape again gives the same digest, so that anyone can compare a key's."""
    document = traversal_shape(RATES, (2, 1), 8).document
    assert backend.describe(document) == backend.describe(document)
