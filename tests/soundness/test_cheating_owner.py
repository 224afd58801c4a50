"""What a cheating owner tries against the circuit: each test names the lie, and the real prover refuses it.

Every lie comes with the statement digest that fits its wires (see cheating_owner.py), so that the named rule alone
stands in its way.
"""

from dataclasses import replace

import pytest

from equiproof.certify.errors import EvidenceError
from equiproof.certify.network import Layer, QuantisedNetwork
from equiproof.certify.polytope import slices
from equiproof.certify.traversal.evidence import Evidence, Region
from equiproof.certify.traversal.evidence_check import check, distance
from equiproof.circuits.field import ORDER
from equiproof.circuits.layout import layout
from equiproof.circuits.statement import Statement
from equiproof.ffi.errors import MalformedInputError, RefusedError, UnsatisfiedError
from tests.soundness.cheating_owner import holds, implied

WEIGHT_BITS, INPUT_BITS = 16, 18
TABLE = ((-1024,), (1024,))
HERE = (0, 1024, 0)
ALL_ON = 0b1111


def refused(liar, wires, digest=None):
    """Hold the real prover to refusing these wires."""
    with pytest.raises(UnsatisfiedError):
        liar.prove(wires, digest)


def tiny_network(first, second, top, biases=((0, 0), (0, 0), (0,))):
    """Return a network of the loans shape."""
    layers = zip((first, second, (top,)), biases, strict=True)
    return QuantisedNetwork(tuple(Layer(tuple(weights), bias) for weights, bias in layers), 10, (0, 0, 0))


def flat(logit):
    """Return the network that ignores its input and always gives this logit."""
    return tiny_network(((0, 0, 0, 0),) * 2, ((0, 0),) * 2, (0, 0), ((0, 0), (0, 0), (logit,)))


def centres(label, radius_squared, pattern=ALL_ON):
    """Return evidence of two centres that cross nothing."""
    return Evidence(label, radius_squared, (Region(0, pattern), Region(1, pattern)))


# -- the control: without a lie the same way leads to a proof


def test_the_honest_wires_open_the_certificates_statement(loans, liar, proven, honest):
    """Without a lie, the wires open the honest statement and the prover proves it."""
    assert implied(liar.shape, honest) == proven.certificate.to_statement()
    holds(loans.key.verifying, implied(liar.shape, honest).digest(liar.shape), liar.prove(honest))


def test_the_honest_evidence_crosses_facets_of_both_layers(honest):
    """The starting point of the lies is rich enough: facets of both layers are crossed, and rows are padded."""
    assert 1 in honest["crossed_first"]
    assert 1 in honest["crossed_deeper"]


def test_a_flat_network_is_certified_where_it_decides(liar):
    """A network that ignores its input and decides is certified at any radius: the statement is true."""
    for logit, label in ((1, 1), (-1, 0)):
        liar.prove(liar.wires(flat(logit), HERE, TABLE, centres(label, 1 << 28)))


# -- the statement is bound to the wires


@pytest.mark.parametrize("part", [part for part in Statement.__dataclass_fields__ if part != "shown"])
def test_no_part_of_the_statement_is_unbound(loans, liar, proven, honest, part):
    """A proof holds for no statement that differs in one part, and the prover makes none from the same wires."""
    statement = proven.certificate.to_statement()
    for lie in (getattr(statement, part) + 1, 0 if getattr(statement, part) else 1, ORDER - 1):
        other = replace(statement, **{part: lie}).digest(liar.shape)
        with pytest.raises(RefusedError):
            holds(loans.key.verifying, other, proven.certificate.proof_bytes)
        refused(liar, honest, other)


@pytest.mark.parametrize(
    "name",
    [
        *("weights.1", "biases.1", "weights.2", "biases.2", "weights.3", "biases.3", "model_blinding", "spec_digest"),
        *("table", "query", "query_blinding", "label", "radius_squared", "context_digest"),
    ],
)
def test_no_wire_behind_the_statement_is_unbound(liar, proven, honest, name):
    """Changing any one wire that the statement commits to breaks the statement's own digest."""
    digest = proven.certificate.to_statement().digest(liar.shape)
    for place in range(len(honest[name])):
        lied = dict(honest) | {name: [value + (index == place) for index, value in enumerate(honest[name])]}
        refused(liar, lied, digest)


def test_statement_of_another_digest_is_never_proven(liar, honest):
    """Digests that belong to nothing, zero among them, are not proven."""
    for digest in (0, 1, ORDER - 1):
        refused(liar, honest, digest)


# -- R-RANGE: every number keeps its width


@pytest.mark.parametrize("radius", [-1, -5, -(1 << 28), ORDER - (1 << 40)])
def test_negative_radius_is_refused(liar, honest, radius):
    """A negative squared radius would satisfy every comparison, and has no proof."""
    honest["radius_squared"] = [radius]
    refused(liar, honest)


def test_radius_that_wraps_around_the_field_is_refused(liar):
    """E = |c|^-2 modulo the order makes E |c|^2 equal to 1 where every form has one norm: it has no proof."""
    network = tiny_network(((3, 0, 0, 0), (0, 0, 0, 0)), ((1, 0), (0, 0)), (1, 0), ((5000, 1), (1, 1), (1,)))
    evidence = centres(1, 0)
    liar.prove(liar.wires(network, HERE, TABLE, evidence))
    wires = liar.wires(network, HERE, TABLE, evidence)
    for square in (1, 4, 10_000):
        wires["radius_squared"] = [square * pow(9, -1, ORDER) % ORDER]
        refused(liar, wires)


def test_radius_above_its_width_is_refused(liar):
    """A squared radius of more bits than the shape's has no proof, true as it may be."""
    for radius, fits in (((1 << 29) - 1, True), (1 << 29, False), (1 << 60, False)):
        wires = liar.wires(flat(1), HERE, TABLE, centres(1, radius))
        if fits:
            liar.prove(wires)
        else:
            refused(liar, wires)


@pytest.mark.parametrize("lie", [1 << WEIGHT_BITS, -(1 << WEIGHT_BITS), 1 << (WEIGHT_BITS - 1), ORDER >> 1])
def test_weights_beyond_their_width_are_refused(liar, lie):
    """A weight that does not fit 16 signed bits has no proof."""
    wires = liar.wires(flat(1), HERE, TABLE, centres(1, 0))
    for name in ("weights.1", "weights.2", "weights.3"):
        refused(liar, wires | {name: [lie, *wires[name][1:]]})


@pytest.mark.parametrize(("name", "width"), [("weights.1", WEIGHT_BITS), ("query", INPUT_BITS), ("table", INPUT_BITS)])
def test_overflow_into_a_neighbor_opens_no_commitment(liar, name, width):
    """Numbers that spill over into the next one give the same commitment, and are refused for their width."""
    wires = liar.wires(flat(1), HERE, TABLE, centres(1, 0))
    lied = wires | {name: [wires[name][0] + (1 << width), wires[name][1] - 1, *wires[name][2:]]}
    assert implied(liar.shape, lied) == implied(liar.shape, wires)
    liar.prove(wires)
    refused(liar, lied)


@pytest.mark.parametrize("number", [1, 2, 3])
def test_biases_beyond_their_width_are_refused(liar, number):
    """A bias that does not fit its layer's width has no proof."""
    width = liar.shape.architecture.bias_bits[number - 1]
    wires = liar.wires(flat(1), HERE, TABLE, centres(1, 0))
    for lie in (1 << (width - 1), -(1 << (width - 1)) - 1):
        refused(liar, wires | {f"biases.{number}": [lie, *wires[f"biases.{number}"][1:]]})


@pytest.mark.parametrize("name", ["query", "table"])
@pytest.mark.parametrize("lie", [1 << (INPUT_BITS - 1), -(1 << (INPUT_BITS - 1)) - 1, ORDER >> 1])
def test_inputs_beyond_their_width_are_refused(liar, name, lie):
    """A query's number or a table's entry that does not fit the input width has no proof."""
    wires = liar.wires(flat(1), HERE, TABLE, centres(1, 0))
    refused(liar, wires | {name: [lie, *wires[name][1:]]})


@pytest.mark.parametrize("label", [2, -1, ORDER >> 1])
def test_label_that_is_no_bit_is_refused(liar, label):
    """With one logit the label is 0 or 1 and nothing else."""
    wires = liar.wires(flat(1), HERE, TABLE, centres(1, 0))
    refused(liar, wires | {"label": [label]})


# -- R-INFERENCE: the decision at every slice's centre


@pytest.mark.parametrize("label", [0, 1])
@pytest.mark.parametrize("pattern", [0, ALL_ON])
def test_all_zero_network_is_certified_for_no_label(liar, label, pattern):
    """A network of zeros decides nothing: neither label has a proof, not even at radius 0."""
    for radius in (0, 1_000_000):
        refused(liar, liar.wires(flat(0), HERE, TABLE, centres(label, radius, pattern)))


def test_all_zero_network_with_zero_inputs_is_certified_for_no_label(liar):
    """Weights, inputs, table and radius all zero still decide nothing."""
    for label in (0, 1):
        refused(liar, liar.wires(flat(0), (0, 0, 0), ((0,), (0,)), centres(label, 0)))


@pytest.mark.parametrize("label", [0, 1])
def test_tie_is_certified_for_no_label(liar, label):
    """A logit of exactly 0 at one slice's centre decides nothing there."""
    network = tiny_network(((0, 0, 0, 1), (0, 0, 0, 0)), ((1, 0), (0, 0)), (1, 0), ((1024, 0), (0, 0), (0,)))
    assert [network.logits((*HERE, *row)) for row in TABLE] == [(0,), (2048,)]
    refused(liar, liar.wires(network, HERE, TABLE, centres(label, 0)))


def test_swapped_label_is_refused(liar, honest):
    """The other label than the decided one has no proof."""
    honest["label"] = [1 - honest["label"][0]]
    refused(liar, honest)
    honest["radius_squared"] = [0]
    refused(liar, honest)


def test_unfair_query_is_certified_for_neither_label(loans, liar):
    """Where the decision follows the sensitive value, no label has a proof, not even at radius 0."""
    row, found = loans.unfair(4)
    network, query = loans.opening.network, loans.spec.encode(row)
    patterns = [network.pattern((*query, *values)) for values in loans.spec.domain_table]
    for label in found.labels:
        evidence = Evidence(label, 0, tuple(Region(*pair) for pair in enumerate(patterns)))
        refused(liar, liar.wires(network, query, loans.spec.domain_table, evidence))


def test_pattern_of_another_point_is_refused_at_a_centre(liar, honest):
    """Row s < S holds the pattern of slice s's own centre and no other."""
    for row in (0, 1):
        for neuron in range(4):
            lied = dict(honest)
            lied["pattern"] = list(honest["pattern"])
            lied["pattern"][4 * row + neuron] ^= 1
            refused(liar, lied)


def test_a_neuron_at_zero_is_active(liar):
    """At a pre-activation of exactly 0 there is one pattern, active: the other one is refused at a centre."""
    network = flat(1)
    liar.prove(liar.wires(network, HERE, TABLE, centres(1, 0, ALL_ON)))
    for pattern in (0b1110, 0b1101, 0b1011, 0b0111):
        refused(liar, liar.wires(network, HERE, TABLE, centres(1, 0, pattern)))


def rates_flat(logits):
    """Return the network of the rates shape that always gives these logits."""
    layers = (Layer(((0,) * 5,) * 2, (0, 0)), Layer(((0, 0),) * 3, logits))
    return QuantisedNetwork(layers, 8, (0, 0))


def test_several_logits_decide_strictly(rates, rates_liar):
    """With several logits, only the one that is strictly largest has a proof: no tie, no runner-up."""
    table = rates.spec.domain_table
    for logits, winner in (((2, 1, 1), 0), ((-3, -2, -3), 1), ((2, 2, 1), None), ((0, 0, 0), None), ((1, 2, 2), None)):
        for label in range(3):
            evidence = Evidence(label, 0, tuple(Region(number, 0b11) for number in range(6)))
            wires = rates_liar.wires(rates_flat(logits), (0, 0), table, evidence)
            if label == winner:
                rates_liar.prove(wires)
            else:
                refused(rates_liar, wires)


@pytest.mark.parametrize("bits", [(0, 0, 0), (1, 1, 0), (1, 1, -1), (2, -1, 0), (0, 2, -1), (1, 1, 1)])
def test_label_bits_are_one_hot(rates, rates_liar, bits):
    """With several logits the label has exactly one bit: none, two, or bits that are none are refused."""
    evidence = Evidence(0, 0, tuple(Region(number, 0b11) for number in range(6)))
    wires = rates_liar.wires(rates_flat((5, 1, 1)), (0, 0), rates.spec.domain_table, evidence)
    refused(rates_liar, wires | {"label": list(bits)})


# -- R-ORDER, R-BOUNDARY, R-NEIGHBOR: the set is closed


def test_larger_radius_is_refused(loans, liar, proven, honest):
    """One more than the largest radius that the regions certify has no proof."""
    search = loans.search(proven.query.features)
    assert search.radius_squared == proven.evidence.radius_squared
    for radius in (search.radius_squared + 1, 2 * search.radius_squared, (1 << 29) - 1):
        honest["radius_squared"] = [radius]
        refused(liar, honest)


def test_a_decision_hyperplane_inside_the_radius_is_refused(liar):
    """Where no facet is near but the decision flips, the margin's hyperplane stands in the way."""
    network = tiny_network(
        ((1, 0, 0, 0), (0, 0, 0, 0)), ((1, 0), (0, 0)), (1, 0), ((100_000, 1), (100_000, 1), (-200_000 + 50,))
    )
    assert network.logits((0, 1024, 0, 1024)) == (50,)
    liar.prove(liar.wires(network, HERE, TABLE, centres(1, 50**2)))
    refused(liar, liar.wires(network, HERE, TABLE, centres(1, 50**2 + 1)))


def test_every_region_of_the_set_is_needed(loans, liar, proven, honest):
    """Leaving any one region out breaks the set, unless the checker finds the rest closed too."""
    network, query = loans.opening.network, loans.spec.encode(proven.query.features)
    regions = proven.evidence.regions
    for left_out in range(2, len(regions)):
        evidence = replace(proven.evidence, regions=(*regions[:left_out], *regions[left_out + 1 :]))
        with pytest.raises(EvidenceError):
            check(evidence, network, query, loans.spec.domain_table)
        refused(liar, liar.wires(network, query, loans.spec.domain_table, evidence))


def test_a_crossed_facet_is_paid_for_with_its_neighbor(liar, honest):
    """Claiming every facet crossed, without the regions across, is refused wherever the claims point."""
    honest["crossed_first"] = [1] * 4
    honest["crossed_deeper"] = [1] * 16
    refused(liar, honest)
    for row in range(8):
        honest["neighbor"] = [row] * 32
        refused(liar, honest)


@pytest.mark.parametrize("index", [8, 9, 1 << 20, -1, ORDER >> 1])
def test_neighbors_outside_the_table_are_refused(liar, honest, index):
    """A neighbor's row that does not exist has no proof, crossed or not."""
    for place in (0, 31):
        lied = dict(honest) | {"neighbor": list(honest["neighbor"])}
        lied["neighbor"][place] = index
        refused(liar, lied)


def test_every_neighbor_is_the_region_across_its_own_facet(liar, honest):
    """A neighbor that points at any region but the one across its facet is refused, another slice's included."""
    slices = [0, 1, *honest["slice"]]
    keys = [(slices[row], *honest["pattern"][4 * row : 4 * row + 4]) for row in range(8)]
    other_slice = 0
    for place in range(32):
        right = keys[honest["neighbor"][place]]
        for row in range(8):
            if keys[row] != right:
                other_slice += keys[row][1:] == right[1:]
                lied = dict(honest) | {"neighbor": list(honest["neighbor"])}
                lied["neighbor"][place] = row
                refused(liar, lied)
    assert other_slice, "the set has the same pattern on two slices"


@pytest.mark.parametrize("name", ["crossed_first", "crossed_deeper"])
@pytest.mark.parametrize("lie", [2, -1, 3, ORDER >> 1])
def test_crossed_marks_are_bits(liar, honest, name, lie):
    """A mark of 2 would turn the comparison around: a mark that is no bit has no proof."""
    for place in range(len(honest[name])):
        refused(liar, dict(honest) | {name: [*honest[name][:place], lie, *honest[name][place + 1 :]]})


def without_crossing(wires, row, neuron):
    """Return wires that deny the crossing of a facet in one row, or in all rows of a slice where layer 1 shares it."""
    numbers = [0, 1, *wires["slice"]]
    lied = dict(wires) | {name: list(wires[name]) for name in ("crossed_first", "crossed_deeper", "neighbor")}
    if neuron >= 2:
        lied["crossed_deeper"][2 * row + neuron - 2] = 0
        lied["neighbor"][4 * row + neuron] = row
        return lied
    lied["crossed_first"][2 * numbers[row] + neuron] = 0
    for other, number in enumerate(numbers):
        if number == numbers[row]:
            lied["neighbor"][4 * other + neuron] = other
    return lied


def test_an_uncrossed_facet_inside_the_radius_is_refused(loans, liar, proven, honest):
    """Denying a crossing is refused wherever the facet is nearer than the radius."""
    query, sliced = loans.spec.encode(proven.query.features), slices(loans.opening.network, TABLE)
    near = []
    for row, region in enumerate(proven.evidence.regions):
        for neuron, form in enumerate(sliced[region.slice].hidden_forms(region.pattern)):
            if distance(form, query, proven.evidence.radius_squared) < 0:
                near.append(neuron)
                refused(liar, without_crossing(honest, row, neuron))
    assert {neuron < 2 for neuron in near} == {True, False}, "facets of both layers are near"


@pytest.mark.parametrize("row", [0, 1, 2, 7])
def test_pattern_bits_are_bits(liar, honest, row):
    """Bits of 2 and -1 that add up to the same key are refused."""
    for low in range(3):
        bits = honest["pattern"][4 * row : 4 * row + 4]
        for carry in (1, -1):
            lied = dict(honest) | {"pattern": list(honest["pattern"])}
            lied["pattern"][4 * row + low] = bits[low] + 2 * carry
            lied["pattern"][4 * row + low + 1] = bits[low + 1] - carry
            refused(liar, lied)


# -- rows, slices, padding


def test_padding_is_checked_like_any_row(loans, liar, proven, honest):
    """A padding row that would break the set is refused, though nothing refers to it."""
    network, query = loans.opening.network, loans.spec.encode(proven.query.features)
    evidence = proven.evidence
    tried = 0
    for number in range(2):
        for pattern in range(16):
            more = replace(evidence, regions=(*evidence.regions, Region(number, pattern)))
            try:
                check(more, network, query, loans.spec.domain_table)
            except EvidenceError:
                tried += 1
                refused(liar, liar.wires(network, query, loans.spec.domain_table, more))
                lied = dict(honest) | {"slice": [*honest["slice"][:-1], number], "pattern": list(honest["pattern"])}
                lied["pattern"][-4:] = [pattern >> i & 1 for i in range(4)]
                refused(liar, lied)
    assert tried


@pytest.mark.parametrize("lie", [2, 3, -1, ORDER >> 1])
def test_slices_that_do_not_exist_are_refused(liar, honest, lie):
    """A row's slice is below S."""
    for place in range(6):
        refused(liar, dict(honest) | {"slice": [*honest["slice"][:place], lie, *honest["slice"][place + 1 :]]})


@pytest.mark.parametrize("shift", [1, 2])
def test_fractional_slices_are_refused(liar, shift):
    """A slice of 1/3 or 2/3 modulo the order finds three entries that stand side by side, of two slices: refused."""
    wires = liar.wires(flat(1), HERE, TABLE, centres(1, 0))
    wires["neighbor"] = [row for row in range(8) for _ in range(4)]
    liar.prove(wires)
    columns = 2 + 1
    for place in range(6):
        lie = shift * pow(columns, -1, ORDER) % ORDER
        refused(liar, wires | {"slice": [*wires["slice"][:place], lie, *wires["slice"][place + 1 :]]})


@pytest.mark.parametrize("lie", [6, 7, 8, -1])
def test_slices_are_below_their_number_where_it_is_no_power_of_two(rates, rates_liar, lie):
    """With six slices, the numbers 6 and 7 fit the same bits and are refused."""
    evidence = Evidence(0, 0, tuple(Region(number, 0b11) for number in range(6)))
    wires = rates_liar.wires(rates_flat((5, 1, 1)), (0, 0), rates.spec.domain_table, evidence)
    rates_liar.prove(wires)
    for place in range(2):
        refused(rates_liar, wires | {"slice": [*wires["slice"][:place], lie, *wires["slice"][place + 1 :]]})


def test_the_table_of_the_statement_is_the_one_that_is_evaluated(loans, liar, proven, honest):
    """Repeating one row of the table, so as to leave a slice out, does not open the true domain digest."""
    digest = proven.certificate.to_statement().digest(liar.shape)
    for table in ([1024, 1024], [-1024, -1024], [1024, -1024], [0, 0]):
        refused(liar, dict(honest) | {"table": table}, digest)


# -- bytes


def test_values_from_the_order_up_are_no_witness(liar, honest):
    """A wire written as value + order is refused as malformed, not reduced."""
    data = liar.witness(honest)
    wires = (len(data) - 6 - 32) // 32
    for wire in (0, 1, 7, wires - 1):
        at = 6 + 32 + 32 * wire
        value = int.from_bytes(data[at : at + 32], "big")
        lied = data[:at] + (value + ORDER).to_bytes(32, "big") + data[at + 32 :]
        with pytest.raises(MalformedInputError, match=f"wire {wire - 1} is not below the field's order"):
            liar.native.prove(lied)


def test_witnesses_of_another_shape_are_no_witness(liar, rates_liar, honest):
    """A witness names its shape, and another shape's key does not read it."""
    data = liar.witness(honest)
    with pytest.raises(MalformedInputError, match="witness"):
        rates_liar.native.prove(data)
    for at in (0, 5, 6, 37):
        with pytest.raises(MalformedInputError, match="made for another shape or format"):
            liar.native.prove(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
    for cut in (data[:-1], data + b"\0", data[:-32], b""):
        with pytest.raises(MalformedInputError, match=r"witness: \d+ bytes, want"):
            liar.native.prove(cut)


def test_no_tolerance_exists(liar):
    """Nothing that a prover chooses is a tolerance: no wire and no part of statement or shape is named like one."""
    names = {name for name, _ in layout(liar.shape)} | set(Statement.__dataclass_fields__)
    names |= set(type(liar.shape).__struct_fields__) | set(type(liar.shape.architecture).__struct_fields__)
    assert not [name for name in names if any(word in name for word in ("tol", "eps", "delta", "slack", "thresh"))]
