"""Gadgets of boxes from an opening: what is decided on a box satisfies each of them, at every place."""

from dataclasses import replace

import pytest

from equiproof.circuits.canonical import canonical_bytes
from equiproof.circuits.shape import box_shape, ensemble_box_shape, network_box_shape
from equiproof.circuits.subcircuit import gadgets_of, subcircuit
from equiproof.ffi import backend
from equiproof.ffi.errors import UnsatisfiedError
from equiproof.prover import Opening, gadget_proofs, subcircuits
from equiproof.prover.box import NotDecidedError, RoomError
from equiproof.verifier.errors import ProofError
from tests import boxes
from tests.boxes import ENDS
from tests.prover.test_box import NARROW, NETWORK, PEOPLE, SPEC, TREES, network_opening
from tests.soundness import box_values_lies

TREE_ENDS = {"income": (29600, 30400), "housing": ("own",)}


def additive():
    """Return an opening of an additive model, its shape, a box and how many places a leaf's gadget has."""
    opening = boxes.opening()
    return opening, box_shape(SPEC, opening.model.predicates), ENDS


def ensemble():
    """Return the same of an ensemble."""
    model = replace(NARROW, additive=replace(NARROW.additive, bias=40))
    return (
        Opening.of(model, TREES, 11),
        ensemble_box_shape(TREES, model.predicates, model.nodes.sizes, 5, 12, 2),
        TREE_ENDS,
    )


def open_ensemble():
    """Return the same of an ensemble, on a box that leaves two categories open."""
    opening = Opening.of(box_values_lies.of_bias(16), box_values_lies.SPEC, 11)
    ends = {"income": TREE_ENDS["income"], "housing": ("own", "rent", "free"), "job": ("clerk", "farmer")}
    return opening, box_values_lies.shape(), ends


def network():
    """Return the same of a network."""
    return network_opening(3), network_box_shape(SPEC, NETWORK, 8), PEOPLE


@pytest.mark.parametrize("case", [additive, ensemble, open_ensemble, network])
def test_what_is_decided_on_a_box_satisfies_every_gadget(case):
    """Of every slice and leaf; the instance file opens the digest."""
    opening, shape, ends = case()
    places = gadget_proofs.search_box(opening, shape, ends, "granted")
    for gadget in gadgets_of(shape):
        circuit = subcircuit(gadget, shape)
        with backend.Checker(circuit.document) as checker:
            for place in range(places.count(circuit)):
                wires = places.values(circuit, place, blinding=7)
                opened = subcircuits.parse_instance(canonical_bytes(subcircuits.instance(circuit, wires)), "i.json")
                checker.check(circuit.witness(wires, opened.digest("i.json")))
                with pytest.raises(UnsatisfiedError):
                    checker.check(circuit.witness(wires, places.statement.digest(shape)))


def test_places_are_slices_and_leaves():
    """A gadget of a slice, or of a network's leaf, says which slice it is about; others are about the whole box."""
    opening, shape, ends = network()
    places = gadget_proofs.search_box(opening, shape, ends, "granted")
    falls, leaf, tree = (subcircuit(name, shape) for name in ("falls", "leaf", "tree"))
    assert [places.slice_of(falls, place) for place in range(places.count(falls))] == [0, 1]
    assert {places.slice_of(leaf, place) for place in range(places.count(leaf))} == {0, 1}
    assert (places.count(tree), places.slice_of(tree, 0), places.is_of_all(tree)) == (1, None, True)
    opening, shape, ends = ensemble()
    places = gadget_proofs.search_box(opening, shape, ends, "granted")
    chain, cover = (subcircuit(name, shape) for name in ("chain", "cover"))
    assert (places.count(chain), places.count(cover)) == (len(places.secrets.leaves.leaves), 1)
    assert (places.slice_of(chain, 0), places.is_of_all(chain)) == (None, False)
    opening, shape, ends = open_ensemble()
    places = gadget_proofs.search_box(opening, shape, ends, "granted")
    gains = [places.values(subcircuit("chain", shape), place, blinding=7)["gain"] for place in range(2)]
    assert gains[0] != gains[1]
    assert gains[0] + gains[1] == places.wires["gain"][: 2 * len(gains[0])]


def test_a_box_that_is_decided_otherwise_has_no_gadgets():
    """Nor has one for which there is no room; either is said in one line."""
    opening, shape, ends = additive()
    with pytest.raises(NotDecidedError, match=r"^box: make it smaller: "):
        gadget_proofs.search_box(opening, shape, ends, "declined")
    opening, _, ends = ensemble()
    small = ensemble_box_shape(TREES, NARROW.predicates, NARROW.nodes.sizes, 1, 12, 1)
    with pytest.raises(RoomError, match=r"^box: give a larger --capacity, --slots or --rows, or a smaller box"):
        gadget_proofs.search_box(opening, small, ends, "granted")


def test_a_proof_about_a_box_is_of_its_own_shape(tmp_path):
    """A gadget of a box is proven and verified; under the key of the same gadget of a ball it is refused."""
    opening, shape, ends = additive()
    places = gadget_proofs.search_box(opening, shape, ends, "granted")
    proof, values, document = gadget_proofs.prove(tmp_path, SPEC, subcircuit("levels", shape), places, 0)
    assert document["rules"].keys() == {"R-T-SLICES", "R-X-SIDE", "R-X-LEVEL", "R-X-CLOSE"}
    assert (document["region"], document["slice"]) == (None, None)
    assert "least" in values.values
    key = subcircuits.find(tmp_path, proof.key)
    subcircuits.verify(proof, key)
    other, _ = subcircuits.find_or_make(tmp_path, subcircuit("people", shape))
    with pytest.raises(ProofError, match="another sub-circuit"):
        subcircuits.verify(proof, other)
