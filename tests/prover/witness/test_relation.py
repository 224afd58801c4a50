"""The witness fills the wires out of evidence: crossed facets, neighbors and padding follow from the set alone."""

import hashlib
from dataclasses import replace

import pytest

from equiproof.certify.traversal.evidence import Evidence, Region
from equiproof.certify.traversal.evidence_check import check
from equiproof.circuits.field import ORDER
from equiproof.circuits.layout import MAGIC, WitnessError, encode, layout
from equiproof.circuits.statement import Statement
from equiproof.prover.witness.relation import Secrets, fill, generate

STATEMENT = Statement(1, 2, 3, 4, 1, 6, 7)


@pytest.fixture(scope="module")
def crossing(loans):
    """Evidence that crosses facets of both layers, with the secrets around it."""
    for row, found in loans.applicants(seed=2):
        if hasattr(found, "needed") and found.needed == 6:
            query = loans.spec.encode(row)
            return found.evidence(found.radius_squared), Secrets.of(loans.opening, query, 9)
    raise AssertionError("applicants never end")


@pytest.fixture(scope="module")
def wires(loans, crossing):
    """The wires of that evidence."""
    evidence, secrets = crossing
    return fill(loans.shape, STATEMENT, secrets, evidence)


def test_every_wire_is_filled(loans, wires):
    """The wires have the names and lengths of the layout."""
    assert {name: len(values) for name, values in wires.items()} == dict(layout(loans.shape))


def test_secrets_stand_where_they_are_named(loans, wires, crossing):
    """Weights run row by row, and each secret stands under its own name."""
    evidence, secrets = crossing
    layers = loans.opening.network.layers
    assert wires["weights.1"][:4] == list(layers[0].weights[0])
    assert wires["biases.3"] == list(layers[2].biases)
    assert wires["query"] == list(secrets.query)
    assert wires["table"] == [-1024, 1024]
    assert (wires["model_blinding"], wires["query_blinding"]) == ([loans.opening.blinding], [9])
    assert wires["spec_digest"] == [STATEMENT.spec_digest]
    assert wires["context_digest"] == [STATEMENT.context_digest]
    assert wires["radius_squared"] == [evidence.radius_squared]


def test_rows_are_the_evidence_and_repeat_its_last_region(loans, wires, crossing):
    """Rows are the regions in order; those past them repeat the last, with nothing that marks them as padding."""
    evidence, _ = crossing
    last = evidence.regions[-1]
    regions = [*evidence.regions, *[last] * (loans.shape.capacity - len(evidence.regions))]
    assert wires["slice"] == [region.slice for region in regions[2:]]
    bits = [wires["pattern"][4 * row : 4 * row + 4] for row in range(8)]
    assert bits == [[region.pattern >> i & 1 for i in range(4)] for region in regions]
    assert wires["crossed_deeper"][-2:] == wires["crossed_deeper"][-4:-2] == wires["crossed_deeper"][2 * 5 : 2 * 6]


def test_facets_are_crossed_exactly_where_the_neighbor_is_there(loans, wires, crossing):
    """A facet is crossed where the region across it is in the set, and then the neighbor's row holds that region."""
    evidence, _ = crossing
    regions = [*evidence.regions, *[evidence.regions[-1]] * 2]
    assert 1 in wires["crossed_first"]
    assert 1 in wires["crossed_deeper"]
    for row, region in enumerate(regions):
        first = wires["crossed_first"][2 * region.slice : 2 * region.slice + 2]
        crossed = first + wires["crossed_deeper"][2 * row : 2 * row + 2]
        for neuron, bit in enumerate(crossed):
            target = regions[wires["neighbor"][4 * row + neuron]]
            assert target == (region.across(neuron) if bit else region)


def test_a_facet_that_is_crossed_in_one_region_only_is_not_crossed(loans, crossing):
    """A first-layer facet counts as crossed only where every region of the slice has its neighbor."""
    evidence, secrets = crossing
    centre = evidence.regions[0]
    extra = replace(evidence, regions=(*evidence.regions[:2], centre.across(0), centre.across(3)))
    crossed = fill(loans.shape, STATEMENT, secrets, extra)["crossed_first"]
    assert crossed == [0, 0, 0, 0]


def test_several_logits_have_one_label_bit_each(rates):
    """With several logits the label is one-hot; with one it is the bit itself."""
    row, evidence = rates.fair(3)
    secrets = Secrets.of(rates.opening, rates.spec.encode(row), 9)
    wires = fill(rates.shape, STATEMENT, secrets, evidence)
    assert wires["label"] == [int(index == evidence.label) for index in range(3)]


def test_bytes_are_magic_shape_digest_and_wires(loans, crossing, wires):
    """The bytes are the magic, the shape's SHA-256, the statement digest, and 32 bytes per wire modulo the order."""
    evidence, secrets = crossing
    data = generate(loans.shape, STATEMENT, secrets, evidence)
    assert data.startswith(MAGIC + hashlib.sha256(loans.shape.document).digest())
    body = data[len(MAGIC) + 32 :]
    numbers = [int.from_bytes(body[at : at + 32], "big") for at in range(0, len(body), 32)]
    flat = [value % ORDER for name, _ in layout(loans.shape) for value in wires[name]]
    assert numbers == [STATEMENT.digest(loans.shape), *flat]
    assert encode(loans.shape, 0, [[-1]]).endswith((ORDER - 1).to_bytes(32, "big"))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"query": (1, 2)}, "query: 2 values for 3 wires"),
        ({"table": ((1,), (2,), (3,))}, "table: 3 values for 2 wires"),
        ({"table": ((1, 1), (2, 2))}, "table: 4 values for 2 wires"),
    ],
)
def test_secrets_of_another_shape_are_refused(loans, crossing, change, message):
    """Secrets that do not fit the shape are refused, naming the wires and the shape."""
    evidence, secrets = crossing
    with pytest.raises(WitnessError, match=f"{message} of shape traversal-3"):
        generate(loans.shape, STATEMENT, replace(secrets, **change), evidence)


def test_networks_of_another_shape_are_refused(loans, rates, crossing):
    """A network of other sizes is refused, naming the layer."""
    evidence, secrets = crossing
    with pytest.raises(WitnessError, match=r"weights.1: 10 values for 8 wires"):
        generate(loans.shape, STATEMENT, replace(secrets, model=rates.opening.network), evidence)


def test_sets_that_do_not_fit_are_refused(loans, cramped, crossing):
    """More regions than rows, fewer than slices, or centres out of order are refused."""
    evidence, secrets = crossing
    with pytest.raises(WitnessError, match="pattern: 6 regions do not fit"):
        generate(cramped.shape, STATEMENT, secrets, evidence)
    with pytest.raises(WitnessError, match="pattern: 1 regions do not fit"):
        generate(loans.shape, STATEMENT, secrets, replace(evidence, regions=evidence.regions[:1]))
    turned = (evidence.regions[1], evidence.regions[0], *evidence.regions[2:])
    with pytest.raises(WitnessError, match="slice: the first regions are not those of the slices' centres"):
        generate(loans.shape, STATEMENT, secrets, replace(evidence, regions=turned))


@pytest.mark.parametrize("number", [-1, 2, 99])
def test_slices_outside_the_table_are_refused(loans, crossing, number):
    """A region of a slice that does not exist is refused."""
    evidence, secrets = crossing
    regions = (*evidence.regions[:2], Region(number, 0))
    with pytest.raises(WitnessError, match="slice"):
        generate(loans.shape, STATEMENT, secrets, replace(evidence, regions=regions))


def test_patterns_of_more_bits_than_neurons_are_refused(loans, crossing):
    """A pattern with more bits than the network has neurons is refused."""
    evidence, secrets = crossing
    first = evidence.regions[0]
    regions = (Region(0, first.pattern | 1 << 4), *evidence.regions[1:])
    with pytest.raises(WitnessError, match="pattern"):
        generate(loans.shape, STATEMENT, secrets, replace(evidence, regions=regions))


def test_the_evidence_is_what_the_checker_accepts(loans, crossing):
    """The evidence that these tests fill wires with is good evidence."""
    evidence, secrets = crossing
    assert isinstance(evidence, Evidence)
    check(evidence, secrets.network, secrets.query, secrets.table)
