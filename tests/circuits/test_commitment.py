"""Commitments bind every integer, hide behind a blinding, and outlive a change of key."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from equiproof.circuits.commitment import (
    PACK_BITS,
    VERSION,
    PackError,
    domain_digest,
    model_commitment,
    pack,
    query_commitment,
    tag,
)
from equiproof.circuits.field import ORDER, to_hex
from equiproof.circuits.poseidon2 import hash_elements
from equiproof.circuits.shape import architecture_of, traversal_shape
from equiproof.prover import Opening, commit
from tests.pins import assert_pinned
from tests.support import AGE, INCOME, KEPT, LOANS, RATES, SEX, changed, network, spec_of

WIDTHS = st.lists(st.integers(2, 100), min_size=1, max_size=40)


@st.composite
def widths_and_values(draw):
    """Draw widths, values that fit them, and the same values with some changed."""
    widths = draw(WIDTHS)
    inside = [st.integers(-(1 << (width - 1)), (1 << (width - 1)) - 1) for width in widths]
    values = draw(st.tuples(*inside))
    where = draw(st.integers(0, len(widths) - 1))
    return widths, values, (*values[:where], draw(inside[where]), *values[where + 1 :])


def unpack(packed, widths):
    """Read packed integers back."""
    values, used = [], PACK_BITS
    elements = iter(packed)
    element = 0
    for width in widths:
        if used + width > PACK_BITS:
            element, used = next(elements), 0
        values.append((element >> used & (1 << width) - 1) - (1 << (width - 1)))
        used += width
    assert not list(elements)
    return tuple(values)


@given(drawn=widths_and_values())
def test_packing_reads_back(drawn):
    """Packed integers can be read back, so no two lists of the same widths pack alike."""
    widths, values, others = drawn
    packed = pack(zip(values, widths, strict=True))
    assert unpack(packed, widths) == values
    assert all(0 <= element < 1 << PACK_BITS for element in packed)
    assert (pack(zip(others, widths, strict=True)) == packed) == (others == values)


@given(width=st.integers(2, 100), above=st.booleans(), beyond=st.integers(0, 1 << 110))
def test_packing_refuses_what_does_not_fit(width, above, beyond):
    """An integer outside its width is refused instead of spilling into its neighbor."""
    value = (1 << (width - 1)) + beyond if above else -(1 << (width - 1)) - 1 - beyond
    with pytest.raises(PackError, match=f"does not fit {width} signed bits"):
        pack([(0, width), (value, width)])


def layers_of(quantised):
    """Return the layers as commitments take them."""
    return [(layer.weights, layer.biases) for layer in quantised.layers]


def all_integers(quantised):
    """Return (layer, row or None for biases, column) of every weight and bias."""
    for number, layer in enumerate(quantised.layers):
        for row, weights in enumerate(layer.weights):
            yield from ((number, row, column) for column in range(len(weights)))
        yield from ((number, None, column) for column in range(len(layer.biases)))


def bumped(layers, number, row, column):
    """Return layers with one integer larger by one."""
    weights, biases = ([list(line) for line in layers[number][0]], list(layers[number][1]))
    line = biases if row is None else weights[row]
    line[column] += 1
    return [(weights, biases) if index == number else layer for index, layer in enumerate(layers)]


def test_every_weight_and_bias_enters_the_commitment():
    """Changing any one integer of the network changes the commitment."""
    quantised = network(LOANS, (2, 2), 3)
    architecture = architecture_of(LOANS, (2, 2))
    found = {model_commitment(architecture, LOANS.digest, 7, layers_of(quantised))}
    for place in all_integers(quantised):
        found.add(model_commitment(architecture, LOANS.digest, 7, bumped(layers_of(quantised), *place)))
    assert len(found) == 1 + 19


def test_spec_architecture_and_blinding_enter_the_commitment():
    """Another spec, other widths or another blinding give another commitment."""
    layers = layers_of(network(LOANS, (2, 2), 3))
    architecture = architecture_of(LOANS, (2, 2))
    wider = changed(architecture, weight_bits=(16, 17, 16))
    commitments = {
        model_commitment(architecture, LOANS.digest, 7, layers),
        model_commitment(architecture, changed(LOANS, name="other").digest, 7, layers),
        model_commitment(architecture, LOANS.digest, 8, layers),
        model_commitment(wider, LOANS.digest, 7, layers),
    }
    assert len(commitments) == 4


def test_commitments_are_blinded_anew_each_time():
    """Committing twice to the same network gives two commitments, which tell nothing of each other."""
    quantised = network(LOANS, (2,), 3)
    assert commit(quantised, LOANS).commitment != commit(quantised, LOANS).commitment


def test_the_commitment_depends_on_no_capacity():
    """One commitment serves keys of every capacity: nothing of a shape but its architecture enters."""
    opening = Opening.of(network(LOANS, (2, 2), 3), LOANS, 7)
    for capacity in (2, 8, 1024):
        shape = traversal_shape(LOANS, (2, 2), capacity)
        layers = layers_of(opening.network)
        assert model_commitment(shape.architecture, LOANS.digest, 7, layers) == opening.commitment


def test_query_commitments_bind_query_blinding_and_width():
    """Another number, order, blinding or width gives another query commitment."""
    base = query_commitment(18, 9, (1, 2, 3))
    others = [
        query_commitment(18, 9, (1, 2, 4)),
        query_commitment(18, 9, (3, 2, 1)),
        query_commitment(18, 9, (1, 2)),
        query_commitment(18, 9, (1, 2, 3, 0)),
        query_commitment(18, 10, (1, 2, 3)),
        query_commitment(19, 9, (1, 2, 3)),
    ]
    assert len({base, *others}) == 7


def test_domain_digests_bind_table_and_scale():
    """Another row, order, fraction or width of the domain table gives another digest; names do not enter."""
    base = domain_digest(LOANS)
    assert domain_digest(changed(LOANS, name="other")) == base
    others = [
        spec_of(*LOANS.plain_features, changed(SEX, scale="0.25")),
        spec_of(*LOANS.plain_features, changed(SEX, domain=("f", "m", "x"))),
        spec_of(*LOANS.plain_features, changed(SEX, mean="0")),
        spec_of(INCOME, SEX),
        changed(LOANS, input_bits=19),
        changed(LOANS, input_fraction_bits=9),
        spec_of(*LOANS.plain_features, AGE),
    ]
    assert len({base, *map(domain_digest, others)}) == 8


def test_ranges_enter_the_domain_digest():
    """A spec with ranges has another digest than the same one without, and one for every end of a range."""
    specs = [KEPT, changed(KEPT, use_ranges=False)]
    for ends in (("10", "60000"), ("0", "59990"), None):
        income = changed(KEPT.features[0], range=ends)
        specs.append(changed(KEPT, features=(income, *KEPT.features[1:])))
    assert len(set(map(domain_digest, specs))) == len(specs)
    without = [changed(spec, use_ranges=False) for spec in specs]
    assert len(set(map(domain_digest, without))) == 1


def test_the_domain_digest_with_ranges_is_that_of_its_list():
    """Table, least and largest integers in one packing, behind a tag of its own."""
    low, high = KEPT.box
    integers = [value for row in (*KEPT.domain_table, low, high) for value in row]
    packed = pack((value, 18) for value in integers)
    head = [tag("equiproof.domain.ranges"), VERSION, 4, 1, 2, 10, 18, len(packed)]
    assert domain_digest(KEPT) == hash_elements(head + packed)


@given(text=st.text(st.characters(min_codepoint=1, max_codepoint=127), min_size=1, max_size=31))
def test_tags_are_their_bytes(text):
    """A domain tag is its ASCII bytes as one number below the order."""
    assert tag(text).to_bytes(len(text), "big") == text.encode() if tag(text) < ORDER else len(text) == 31


def test_digests_start_with_tag_version_and_length():
    """The query commitment is the hash of tag, version, n_x, width, length and blinding, then the packed integers."""
    packed = pack((value, 18) for value in range(20))
    assert len(packed) == 2
    head = [int.from_bytes(b"equiproof.query", "big"), VERSION, 20, 18, 2, 5]
    assert query_commitment(18, 5, range(20)) == hash_elements(head + packed)


def test_queries_of_different_lengths_have_different_commitments():
    """A last column of the least integer packs to nothing: without n_x both queries would have one commitment."""
    least = -(1 << 17)
    assert pack((value, 18) for value in (7, least)) == pack([(7, 18)])
    assert query_commitment(18, 5, (7, least)) != query_commitment(18, 5, (7,))


def test_digests_are_pinned():
    """Commitments and digests of known models and queries never change: published ones must stay open."""
    rng = random.Random(0)
    found = {}
    for spec, hidden in ((LOANS, (2, 2)), (RATES, (2,)), (RATES, (5, 4)), (KEPT, (2, 2))):
        opening = Opening.of(network(spec, hidden, 1), spec, 5)
        query = [rng.randrange(-(1 << 12), 1 << 12) for _ in range(spec.plain_columns)]
        found[f"{spec.name} {hidden}"] = {
            "spec_digest": to_hex(spec.digest),
            "domain_digest": to_hex(domain_digest(spec)),
            "model_commitment": to_hex(opening.commitment),
            "query": query,
            "query_commitment": to_hex(query_commitment(spec.input_bits, 6, query)),
        }
    assert_pinned("commitments", found)
