"""Sub-circuits: the same wires and widths in both languages, documents read strictly, and real proofs of each."""

import random

import pytest

from equiproof.circuits.commitment import PackError
from equiproof.circuits.field import ORDER, to_bytes
from equiproof.circuits.layout import encode
from equiproof.circuits.shape import (
    additive_shape,
    branch_shape,
    ensemble_shape,
    gain_shape,
    least_capacity,
    shape_of,
    traversal_shape,
)
from equiproof.circuits.subcircuit import GADGETS, SubCircuit, SubCircuitError, gadget_scheme, gadgets_of, subcircuit
from equiproof.circuits.widths import Interval, form_widths, signed, unsigned
from equiproof.ffi import backend
from equiproof.ffi.errors import MalformedInputError, RefusedError, UnsatisfiedError
from tests.circuits.branch_cases import having
from tests.circuits.test_layout import SPECS
from tests.circuits.tiny_cases import filled
from tests.pins import assert_pinned
from tests.support import LOANS, changed

SMALL = {"traversal": 15, "branch": 1, "trees": 5, None: 15}
"""By scheme: the seed of a case whose circuits are small."""

SHAPE = traversal_shape(LOANS, (2, 2), 8)
BRANCH, SHALLOW = branch_shape(LOANS, (2, 2), 8), branch_shape(LOANS, (2,), 8)


def random_shape(seed):
    """Return a random shape of up to three layers and nine neurons, with other widths of inputs, weights and radii."""
    rng = random.Random(seed)
    spec, scheme = rng.choice(SPECS), ("traversal", "branch")[seed % 2]
    hidden = tuple(rng.randint(1, 3) for _ in range(rng.randint(1, 3)))
    least = least_capacity(scheme, len(spec.domain_table))
    shape = shape_of(scheme, spec, hidden, least << rng.randint(0, 1))
    architecture = changed(shape.architecture, weight_bits=tuple(rng.randint(2, 16) for _ in range(len(hidden) + 1)))
    return changed(shape, architecture=architecture, radius_bits=rng.randint(1, 29))


def random_score(seed):
    """Return a random shape of an additive model or an ensemble, with other widths of inputs and radii."""
    rng = random.Random(seed)
    spec = changed(rng.choice(SPECS), logits=1, use_ranges=bool(seed % 3))
    predicates, capacity = (rng.randint(1, 9), rng.randint(0, 3)), 1 << rng.randint(0, 3)
    slots = rng.randint(1, predicates[0])
    if seed % 2:
        nodes = rng.randint(1, 12)
        shape = ensemble_shape(spec, predicates, (rng.randint(1, nodes), nodes), slots, rng.randint(1, nodes), capacity)
    else:
        shape = additive_shape(spec, predicates, slots, capacity)
    return changed(shape, radius_bits=rng.randint(4, 29))


@pytest.mark.sampled(12)
@pytest.mark.parametrize("seed", range(32))
def test_wires_and_widths_are_the_librarys(seed):
    """Names and lengths of wires, and the widest integers of the instance's, are those that the library compiles."""
    compare_with_the_library(random_shape(seed))


@pytest.mark.sampled(6)
@pytest.mark.parametrize("seed", range(12))
def test_wires_and_widths_of_scores_are_the_librarys(seed):
    """So are those of additive models and ensembles."""
    compare_with_the_library(random_score(seed))


def compare_with_the_library(shape):
    """Compare every gadget of a shape with what the library says of it."""
    for gadget in gadgets_of(shape):
        circuit = subcircuit(gadget, shape)
        found = backend.describe(circuit.document)
        assert found.layout == tuple((segment.name, len(segment.intervals)) for segment in circuit.segments)
        widths = dict(found.widths)
        for segment in circuit.instance:
            checked = [interval.magnitude_bits for interval in segment.intervals if interval is not None]
            assert not checked or widths[segment.name] == max(checked), (gadget, segment.name)


@pytest.mark.parametrize("gadget", GADGETS)
def test_relation_gain_has_no_circuits_of_gadgets(gadget):
    """Its statement has parts that the circuit of a digest does not know: both languages refuse all of them."""
    shape = gain_shape(LOANS, (2, 2), 8)
    assert gadgets_of(shape) == ()
    with pytest.raises(SubCircuitError, match="relation gain is proven as a whole"):
        subcircuit(gadget, shape)
    document = SubCircuit("equiproof-circuit", 2, gadget, shape).document
    with pytest.raises(MalformedInputError, match="relation gain has no circuits of single gadgets"):
        backend.describe(document)


def test_form_widths_of_a_hand_computed_shape():
    """One input of 3 bits, one sensitive, one neuron, 2-bit weights: every width is the one computed by hand."""
    small = changed(SHAPE.architecture, plain=1, hidden=(1,), weight_bits=(2, 2), bias_bits=(5, 6))
    neuron, margin = form_widths(changed(SHAPE, input_bits=3, architecture=small))
    # Products of -2 .. 1 and -4 .. 3 are -6 .. 8; two of them and a bias of -16 .. 15 are -28 .. 31. The square is 4.
    assert (neuron.value, neuron.norm_squared) == (signed(6), unsigned(3))
    # The margin's weight is -2 .. 2, its bias -32 .. 32: -94 .. 94. The squared norm is 4 times 4.
    assert (margin.value, margin.norm_squared) == (signed(8), unsigned(5))
    # The square of -128 is 2^14; a radius of 2 bits times 31 is less.
    assert margin.excess(2) == signed(16)


def test_intervals_say_what_they_hold():
    """An interval of whole signed bits is described by its bits, any other by its ends."""
    assert str(signed(16)) == "16 signed bits"
    assert str(Interval(0, 5)) == "0 to 5"
    assert (signed(16).bits, unsigned(16).bits, Interval(0, 5).bits, Interval(3, 3).bits) == (16, 16, 3, 0)


def test_every_sub_circuit_has_the_same_digest_for_ever():
    """The instance digests of a fixed case are pinned: changing one needs a new version."""
    digests = {}
    for gadget in GADGETS:
        of = having(gadget, 7)
        circuit = subcircuit(gadget, of.shape)
        digests[gadget] = f"{circuit.digest(of.alone(circuit, 0)):064x}"
    assert_pinned("subcircuits", digests)


@pytest.mark.sampled(7)
@pytest.mark.parametrize("gadget", GADGETS)
def test_every_sub_circuit_is_set_up_proven_and_verified_alone(gadget):
    """Keys of its own prove a gadget's honest wires; the proof holds for their digest and for no other."""
    of = having(gadget, SMALL[gadget_scheme(gadget)])
    circuit = subcircuit(gadget, of.shape)
    wires = of.alone(circuit, 0)
    digest = circuit.digest(wires)
    keys = backend.setup(circuit.document)
    with backend.ProvingKey(circuit.document, keys.proving) as prover:
        proof = prover.prove(circuit.witness(wires))
        with pytest.raises(UnsatisfiedError):
            prover.prove(circuit.witness(wires, digest ^ 1))
        other = subcircuit(gadget, changed(of.shape, capacity=2 * of.shape.capacity))
        with pytest.raises(MalformedInputError, match=r"^witness: "):
            prover.prove(encode(other, digest, [wires[segment.name] for segment in circuit.segments]))
    with backend.VerifyingKey(keys.verifying) as verifier:
        verifier.verify(to_bytes(digest), proof)
        for other_digest in (digest ^ 1, circuit.digest({**wires, "blinding": [100]}), of.statement.digest(of.shape)):
            with pytest.raises(RefusedError):
                verifier.verify(to_bytes(other_digest), proof)


def test_a_blinding_hides_the_instance():
    """The same values have another digest under another blinding."""
    for gadget in GADGETS:
        of = having(gadget, 7)
        circuit = subcircuit(gadget, of.shape)
        assert circuit.digest(of.alone(circuit, 0, blinding=1)) != circuit.digest(of.alone(circuit, 0, blinding=2))


def test_names_and_wires_that_there_are_none_of_are_refused():
    """An unknown gadget and missing wires are refused in one line that names them."""
    with pytest.raises(SubCircuitError, match="no circuit is called 'radius'; there are inference, polytope, "):
        subcircuit("radius", SHAPE)
    for gadget, shape in (("tree", SHAPE), ("order", BRANCH), ("bounds", SHALLOW)):
        with pytest.raises(SubCircuitError, match=f"has no circuit {gadget}; it has .*minimum, commitment, digest"):
            subcircuit(gadget, shape)
    of = filled(7)
    circuit = subcircuit("minimum", of.shape)
    wires = of.alone(circuit, 0)
    with pytest.raises(SubCircuitError, match="minimum: want 2 values of radii"):
        circuit.witness({**wires, "radii": [1]})
    with pytest.raises(PackError, match="4096 does not fit 0 to 4095"):
        circuit.witness({**wires, "radii": [4096, 4096]})
    with pytest.raises(PackError, match="does not fit"):
        circuit.digest({**wires, "blinding": [wires["blinding"][0] + ORDER]})


DOCUMENT = subcircuit("minimum", SHAPE).document

HOSTILE = [
    DOCUMENT + b" ",
    DOCUMENT[:-1],
    DOCUMENT.replace(b'"gadget":"minimum"', b'"gadget":"traversal"'),
    DOCUMENT.replace(b'"gadget":"minimum"', b'"gadget":""'),
    DOCUMENT.replace(b'"gadget":"minimum"', b'"gadget":["minimum"]'),
    DOCUMENT.replace(b'"gadget":"minimum"', b'"gadget":"minimum","gadget":"order"'),
    DOCUMENT.replace(b'"gadget":"minimum"', b'"gadget":"minimum","tolerance":1'),
    DOCUMENT[:-2] + b"1}",
    DOCUMENT.replace(b'"version":2}', b'"version":"2"}', 1),
    DOCUMENT.replace(b'"gadget":"minimum"', b'"gadget":"tree"'),
    DOCUMENT.replace(b'"scheme":"traversal"', b'"scheme":"walk"'),
    subcircuit("tree", BRANCH).document.replace(b'"gadget":"tree"', b'"gadget":"order"'),
    subcircuit("tree", SHALLOW).document.replace(b'"gadget":"tree"', b'"gadget":"bounds"'),
    DOCUMENT.replace(b'"capacity":8', b'"capacity":7'),
    DOCUMENT.replace(b'"format":"equiproof-shape"', b'"format":"equiproof-circuit"'),
    DOCUMENT.replace(b'"format":"equiproof-circuit"', b'"format":"equiproof-circuits"'),
    DOCUMENT.replace(b'"format":"equiproof-circuit",', b""),
    b'{"format":"equiproof-circuit","gadget":"minimum","shape":null,"version":2}',
    b'{"format":"equiproof-circuit","gadget":"minimum","version":2}',
]


@pytest.mark.parametrize("document", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_documents_are_malformed(document):
    """A sub-circuit's document in any but its one form, or of no gadget, is refused wherever one is read."""
    assert document != DOCUMENT
    for call in (backend.describe, backend.setup, backend.Checker):
        with pytest.raises(MalformedInputError, match=r"^(circuit|shape): [^\n]+$"):
            call(document)


def test_shapes_whose_squares_outgrow_the_field_are_refused():
    """A gadget alone is refused where its integers could pass 2^250, naming the place."""
    deep = traversal_shape(LOANS, (2,) * 7, 2)
    with pytest.raises(MalformedInputError, match=r"layer \d+.*: values of up to \d+ bits, the limit is 250"):
        backend.describe(subcircuit("boundary", deep).document)
    backend.describe(subcircuit("minimum", deep).document)
    wide = branch_shape(LOANS, (2, 2), 4)
    wide = changed(wide, architecture=changed(wide.architecture, bias_bits=(240, 240, 240)))
    with pytest.raises(MalformedInputError, match=r"^circuit: shape: layer 2: .* take \d+ bits, the field holds 250$"):
        backend.describe(subcircuit("relaxation", wide).document)
