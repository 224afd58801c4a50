"""The opening is the owner's secret file: it opens its commitment, and every damaged one is refused by field."""

import json

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equiproof.certify.network import Layer, NetworkError, QuantisedNetwork
from equiproof.circuits.canonical import canonical_bytes
from equiproof.circuits.field import ORDER
from equiproof.prover import Opening, OpeningError, commit, parse_opening
from equiproof.verifier import parse_commitment
from tests.support import LOANS, RATES, changed, network

OPENING = Opening.of(network(LOANS, (2, 2), 1), LOANS, 7)


def edited(**fields):
    """Return the opening file with some fields replaced."""
    return json.dumps(json.loads(OPENING.secret()) | fields).encode()


def layer_edited(number, **fields):
    """Return the opening file with some fields of one layer replaced."""
    layers = json.loads(OPENING.secret())["layers"]
    layers[number] |= fields
    return edited(layers=layers)


@pytest.mark.parametrize("spec", [LOANS, RATES], ids=lambda spec: spec.name)
@pytest.mark.parametrize("hidden", [(1,), (2, 2), (3, 1, 2)])
def test_an_opening_reads_back(spec, hidden):
    """An opening reads back from its file as the same network, spec, blinding and commitment."""
    opening = commit(network(spec, hidden, 3), spec)
    assert parse_opening(opening.secret(), "opening.json") == opening


def test_large_biases_read_back():
    """Biases past 2^53 are kept exactly."""
    layers = list(OPENING.network.layers)
    layers[2] = Layer(layers[2].weights, ((1 << 69) - 1,))
    opening = commit(QuantisedNetwork(tuple(layers), 10, (10, 10, 10)), LOANS)
    assert parse_opening(opening.secret(), "opening.json").network.layers[2].biases == ((1 << 69) - 1,)


def test_the_public_file_tells_commitment_and_spec_only():
    """The commitment file holds the commitment and the spec, no weight and no blinding."""
    document = json.loads(OPENING.public())
    assert set(document) == {"format", "version", "model_commitment", "spec"}
    assert int(document["model_commitment"], 16) == OPENING.commitment
    assert parse_commitment(OPENING.public(), "commitment.json").spec == LOANS


def test_commitments_are_recomputed_not_read():
    """An opening file states no commitment: what it opens follows from its content."""
    assert "commitment" not in OPENING.secret().decode()
    other = parse_opening(layer_edited(0, biases=["0", "0"]), "opening.json")
    assert other.commitment != OPENING.commitment


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "not valid JSON"),
        (b"[]", "want an object, not a list"),
        (OPENING.public(), "this is a commitment, want an opening"),
        (edited(format="equiproof-query"), "not 'equiproof-opening'"),
        (edited(version=1), "version 1"),
        (edited(note=""), "want no field 'note': it is unknown here"),
        (edited(blinding="0"), "64 lower-case"),
        (edited(blinding=f"{ORDER:064x}"), "order"),
        (edited(blinding=7), "field blinding"),
        (edited(layers=[]), "at least one hidden layer"),
        (edited(layers=json.loads(OPENING.secret())["layers"][:2]), "logits|inputs"),
        (edited(layers=json.loads(OPENING.secret())["layers"][1:]), "inputs"),
        (edited(spec=msgspec.to_builtins(RATES)), "the network has 4 inputs and 1 logits, the spec wants 5 and 3"),
        (edited(spec=msgspec.to_builtins(LOANS) | {"threshold": "x"}), "threshold"),
        (layer_edited(0, weights=[[1, 2, 3, 4]]), "layer 1"),
        (layer_edited(0, weights=[[1, 2, 3, 4], [1, 2, 3]]), "layer 1: rows of different lengths"),
        (layer_edited(0, weights=[[1, 2, 3, 4], [1, 2, 3, 1 << 15]]), "layer 1: a weight does not fit 16"),
        (layer_edited(0, weights=[[1, 2, 3, 4], [1, 2, 3, -(1 << 15) - 1]]), "layer 1: a weight does not fit 16"),
        (layer_edited(0, weights=[[], []]), "layer 1"),
        (layer_edited(0, weights=[[1, 2, 3, 4.5], [1, 2, 3, 4]]), r"field layers\[0\].weights"),
        (layer_edited(0, biases=[1, 2]), r"field layers\[0\].biases"),
        (layer_edited(0, biases=["1", "2.5"]), "layers.biases: '2.5' is not an integer"),
        (layer_edited(0, biases=["1", ""]), "is not an integer"),
        (layer_edited(0, biases=["1", "--2"]), "is not an integer"),
        (layer_edited(0, biases=["1", "٢"]), "is not an integer"),
        (layer_edited(0, biases=["1", "9" * 101]), "is not an integer"),
        (layer_edited(0, biases=["1", "9" * 90]), "does not fit 36 signed bits"),
        (layer_edited(1, weights=[[1, 2, 3], [1, 2, 3]]), "layer 1 has 2 outputs, layer 2 takes 3"),
    ],
    ids=lambda part: part if isinstance(part, str) else "",
)
def test_damaged_openings_are_refused(data, message):
    """A damaged opening raises OpeningError that names the file and what is wrong."""
    with pytest.raises(OpeningError, match=f"^opening.json: .*({message})"):
        parse_opening(data, "opening.json")


@settings(max_examples=200)
@given(data=st.data())
def test_reading_an_opening_raises_nothing_else(data):
    """Whatever bytes change, an opening is read or OpeningError is raised."""
    secret = bytearray(OPENING.secret())
    for _ in range(data.draw(st.integers(1, 3))):
        secret[data.draw(st.integers(0, len(secret) - 1))] = data.draw(st.sampled_from(b'09-".,[]{}eEfn\x00\xff'))
    try:
        parse_opening(bytes(secret), "opening.json")
    except OpeningError:
        return


@pytest.mark.parametrize(
    ("model", "spec", "message"),
    [
        (network(RATES, (2,), 1), LOANS, "5 inputs and 3 logits"),
        (network(LOANS, (2,), 1), RATES, "the spec wants"),
        (network(LOANS, (2,), 1), changed(LOANS, input_fraction_bits=9), "disagree on input_fraction_bits"),
    ],
)
def test_networks_of_another_spec_are_not_committed(model, spec, message):
    """A network whose sizes or scale are not the spec's is not committed under it."""
    with pytest.raises(OpeningError, match=message):
        commit(model, spec)


def test_biases_beyond_their_width_are_not_committed():
    """A bias that outweighs every input is refused when committing."""
    layers = list(OPENING.network.layers)
    layers[0] = Layer(layers[0].weights, (1 << 35, 0))
    with pytest.raises(OpeningError, match="network: 34359738368 does not fit 36 signed bits"):
        commit(QuantisedNetwork(tuple(layers), 10, (10, 10, 10)), LOANS)


def test_weights_beyond_32_bits_are_no_network():
    """There is no quantised network with a wider weight than any spec allows to begin with."""
    layers = list(OPENING.network.layers)
    with pytest.raises(NetworkError, match="layer 1: a weight does not fit 32 signed bits"):
        QuantisedNetwork((Layer(((1 << 31, 0, 0, 0),) * 2, (0, 0)), *layers[1:]), 10, (10, 10, 10))


@pytest.mark.parametrize(("place", "bits"), [(0, 20), (1, 18), (2, 18)])
def test_a_weight_as_wide_as_its_layer_is_committed_and_a_wider_one_refused(place, bits):
    """Layer 1 has a width of its own; the error names the layer and never the weight."""
    spec, layers = changed(LOANS, weight_bits=(20, 18)), list(OPENING.network.layers)
    for weight, fits in (((1 << (bits - 1)) - 1, True), (1 << (bits - 1), False), (-(1 << (bits - 1)) - 1, False)):
        first, *rest = layers[place].weights
        wide = Layer(((weight, *first[1:]), *rest), layers[place].biases)
        network = QuantisedNetwork((*layers[:place], wide, *layers[place + 1 :]), 10, (10, 10, 10))
        if fits:
            assert Opening.of(network, spec, 7).commitment != OPENING.commitment
            continue
        with pytest.raises(OpeningError, match=f"layer {place + 1}: a weight does not fit {bits} signed bits"):
            Opening.of(network, spec, 7)


def test_openings_are_canonical():
    """The opening file is canonical JSON, so that the same opening is the same file."""
    assert canonical_bytes(json.loads(OPENING.secret())) == OPENING.secret()
