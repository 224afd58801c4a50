"""Keys, proofs and opened digests of sub-circuits: made once, read strictly, held to each other."""

import base64
import hashlib
import os
import random
import shutil

import pytest

from equiproof.certify.traversal.search import Counterexample
from equiproof.circuits.canonical import canonical_bytes
from equiproof.circuits.shape import branch_shape
from equiproof.circuits.subcircuit import (
    GADGETS,
    SubCircuitError,
    gadget_scheme,
    gadget_subjects,
    gadgets_of,
    subcircuit,
)
from equiproof.ffi import backend
from equiproof.ffi.errors import UnsatisfiedError
from equiproof.prover import KeyStoreError, Opening, subcircuits
from equiproof.prover.evidence import find_evidence
from equiproof.prover.keys import set_up
from equiproof.prover.witness.subcircuit import BranchPlaces, TraversalPlaces
from equiproof.verifier.documents import PROVING_FILE, VERIFYING_FILE
from equiproof.verifier.errors import CertificateFormatError, ProofError
from tests.additive_small import additive
from tests.ensemble_small import ensemble
from tests.score_places import score_places
from tests.support import KEPT, LOANS, applicant, changed, marked, network


@pytest.fixture(scope="module")
def searched(loans):
    """Evidence of the loans model that crosses facets."""
    for row, found in loans.applicants(seed=2):
        if getattr(found, "needed", 0) == 6:
            return TraversalPlaces.of(
                loans.opening, loans.shape, loans.spec.encode(row), found.evidence(found.radius_squared)
            )
    raise AssertionError("applicants never end")


@pytest.fixture(scope="module")
def order(loans):
    """The order gadget of the loans shape."""
    return subcircuit("order", loans.shape)


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """A folder of sub-circuits' keys."""
    return tmp_path_factory.mktemp("circuits")


@pytest.fixture(scope="module")
def key(store, order):
    """The key of the order gadget."""
    return subcircuits.find_or_make(store, order)[0]


@pytest.fixture(scope="module")
def again(order):
    """What another set-up of the same gadget makes: metadata and files."""
    return set_up(order.document)


@pytest.fixture(scope="module")
def wires(searched, order):
    """Honest wires of the order gadget."""
    return searched.values(order, 0, blinding=7)


@pytest.fixture(scope="module")
def proof(key, wires):
    """Their proof."""
    return subcircuits.prove(key, wires)


@pytest.fixture(scope="module")
def cut():
    """A tree for an applicant of a model with ranges, which cut some of its margins."""
    opening, rng = Opening.of(network(KEPT, (2, 2), seed=7), KEPT, blinding=5), random.Random(1)
    shape = branch_shape(KEPT, (2, 2), 8)
    for _ in range(200):
        integers = KEPT.encode(applicant(KEPT, rng))
        found = find_evidence(opening, shape, integers, None, None)
        if not isinstance(found, Counterexample) and any(cuts(leaf) for leaf in found.evidence.leaves):
            return BranchPlaces.of(opening, shape, integers, found.evidence)
    raise AssertionError("ranges never matter")


def cuts(leaf):
    """Tell whether a range cuts a margin of a leaf."""
    return any(any(margin.cut) for margin in leaf.margins)


OF_BALLS = [name for name in GADGETS if gadget_scheme(name) in (None, "branch") and "ball" in gadget_subjects(name)]


@pytest.mark.parametrize("gadget", OF_BALLS)
def test_every_gadget_of_a_model_with_ranges_holds(cut, gadget):
    """Values that hold the ranges satisfy each gadget of a shape with them, behind the digest of their instance."""
    circuit = subcircuit(gadget, cut.shape)
    assert circuit.shape.scheme == "branch-ranges"
    wires = cut.values(circuit, 0, blinding=7)
    assert wires.get("range_low", [*KEPT.box[0]]) == [*KEPT.box[0]]
    opened = subcircuits.parse_instance(canonical_bytes(subcircuits.instance(circuit, wires)), "instance.json")
    with backend.Checker(circuit.document) as checker:
        checker.check(circuit.witness(wires, opened.digest("instance.json")))


SCORES = {
    "additive": lambda: score_places(additive(), LOANS),
    "additive-ranges": lambda: score_places(additive(spec=KEPT), KEPT),
    "trees": lambda: score_places(ensemble(), LOANS),
    "trees-ranges": lambda: score_places(ensemble(spec=KEPT), KEPT),
}


@pytest.mark.parametrize("relation", SCORES)
def test_every_gadget_of_a_score_holds_of_every_leaf(relation):
    """What a search finds about an additive model or an ensemble satisfies each gadget of its shape, leaf by leaf."""
    places = SCORES[relation]()
    assert places.shape.scheme == relation
    for gadget in gadgets_of(places.shape):
        circuit = subcircuit(gadget, places.shape)
        leaves = places.count(circuit)
        assert leaves == len(places.evidence.leaves) > 1
        with backend.Checker(circuit.document) as checker:
            for leaf in range(leaves):
                checker.check(circuit.witness(places.values(circuit, leaf, blinding=7)))
                assert places.slice_of(circuit, leaf) is None


def test_a_gadget_with_ranges_is_proven(store):
    """A leaf of an ensemble inside ranges has a proof that verifies, about values that its instance file opens."""
    places = SCORES["trees-ranges"]()
    circuit = subcircuit("chain", places.shape)
    key, _ = subcircuits.find_or_make(store, circuit)
    wires = places.values(circuit, 1, blinding=7)
    made = subcircuits.prove(key, wires)
    subcircuits.verify(subcircuits.parse_proof(canonical_bytes(made), "proof.json"), key)
    opened = subcircuits.parse_instance(canonical_bytes(subcircuits.instance(circuit, wires)), "instance.json")
    assert f"{opened.digest('instance.json'):064x}" == made.digest
    with pytest.raises(UnsatisfiedError):
        subcircuits.prove(key, {**wires, "base": [wires["base"][0] - (1 << 20)]})


def test_a_key_is_made_once(store, order, key):
    """The second call finds the key that the first one made, and it is found by its fingerprint too."""
    assert subcircuits.find_or_make(store, order) == (key, False)
    assert subcircuits.find(store, key.document.fingerprint) == key
    with pytest.raises(KeyStoreError, match="no sub-circuit's key 0000"):
        subcircuits.find(store, "0" * 64)


def test_a_key_that_another_process_stores_meanwhile_is_used(tmp_path, order, key, again, monkeypatch):
    """A key that appears during the set-up is the one that counts: proofs under it are verified by all."""

    def meanwhile(document):
        shutil.copytree(key.folder, tmp_path / key.folder.name)
        assert document == order.document
        return again

    monkeypatch.setattr(subcircuits, "set_up", meanwhile)
    assert subcircuits.find_or_make(tmp_path, order) == (subcircuits.find(tmp_path, key.document.fingerprint), False)


def test_a_proof_is_about_the_digest_of_its_values(proof, key, wires, order):
    """A proof holds, survives its file, and names the digest that its instance file opens."""
    subcircuits.verify(subcircuits.parse_proof(canonical_bytes(proof), "proof.json"), key)
    opened = subcircuits.parse_instance(canonical_bytes(subcircuits.instance(order, wires)), "instance.json")
    assert f"{opened.digest('instance.json'):064x}" == proof.digest


def test_values_that_break_the_rule_have_no_proof(key, wires):
    """A near facet that is not crossed has no proof."""
    assert 1 in wires["crossed"]
    with pytest.raises(UnsatisfiedError):
        subcircuits.prove(key, {**wires, "crossed": [0] * len(wires["crossed"])})


@pytest.mark.parametrize("field", ["digest", "proof", "key", "circuit"])
def test_a_changed_proof_is_refused(proof, key, loans, field):
    """Another digest, other proof bytes, another key or another gadget than the proof's is refused."""
    other = {
        "digest": f"{int(proof.digest, 16) ^ 1:064x}",
        "proof": base64.b64encode(bytes(196)).decode(),
        "key": "0" * 64,
        "circuit": subcircuit("boundary", loans.shape),
    }[field]
    with pytest.raises((ProofError, CertificateFormatError)):
        subcircuits.verify(changed(proof, **{field: other}), key)


@pytest.mark.parametrize(
    ("respelt", "message"),
    [
        (lambda text: "\u00e9" + text[1:], "not base64"),
        (lambda text: text[:-3] + chr(ord(text[-3]) + 1) + "==", "not canonical base64"),
        (lambda text: text[:-1], "not base64"),
    ],
)
def test_a_proof_has_one_spelling(proof, key, respelt, message):
    """A letter outside ASCII, unused bits that are set and missing padding are refused, in a file and in memory."""
    other = changed(proof, proof=respelt(proof.proof))
    with pytest.raises(CertificateFormatError, match=f"^field proof: {message}"):
        subcircuits.verify(other, key)
    with pytest.raises(CertificateFormatError, match=rf"^p\.json: field proof: {message}"):
        subcircuits.parse_proof(canonical_bytes(other), "p.json")


@pytest.mark.parametrize("name", [VERIFYING_FILE, PROVING_FILE])
def test_a_damaged_key_is_refused(tmp_path, key, wires, name):
    """Key files that the metadata does not name are refused, naming the file."""
    damaged = subcircuits.StoredSubKey(shutil.copytree(key.folder, tmp_path / "key"), key.document)
    (damaged.folder / name).write_bytes((damaged.folder / name).read_bytes() + b"\0")
    with pytest.raises(KeyStoreError, match=f"{name}: remove the folder: damaged"):
        subcircuits.prove(damaged, wires)


@pytest.mark.parametrize("make", [os.mkfifo, lambda path: path.symlink_to("/dev/zero"), lambda path: path.mkdir()])
@pytest.mark.parametrize("name", [subcircuits.KEY_FILE, VERIFYING_FILE, PROVING_FILE])
def test_only_regular_files_are_read(tmp_path, key, order, wires, proof, name, make):
    """A pipe, a device behind a link or a folder in a file's place is refused at once, naming it."""
    folder = tmp_path / key.folder.name
    shutil.copytree(key.folder, folder)
    (folder / name).unlink()
    make(folder / name)
    use = {
        subcircuits.KEY_FILE: lambda: subcircuits.find_or_make(tmp_path, order),
        VERIFYING_FILE: lambda: subcircuits.verify(proof, subcircuits.find(tmp_path, key.document.fingerprint)),
        PROVING_FILE: lambda: subcircuits.prove(subcircuits.find(tmp_path, key.document.fingerprint), wires),
    }[name]
    with pytest.raises(KeyStoreError, match=f"{name}: not a regular file"):
        use()


def test_values_that_are_not_the_circuits_open_nothing(order, wires):
    """An instance file with names missing, values missing or values outside their widths is refused in one line."""
    honest = subcircuits.instance(order, wires)
    for values in (
        {name: found for name, found in honest.values.items() if name != "value"},
        {**honest.values, "radius_squared": ()},
        {**honest.values, "radius_squared": ("-1",)},
        {**honest.values, "radius_squared": ("01",)},
        {**honest.values, "radius_squared": ("9" * 200,)},
        {**honest.values, "more": ("1",)},
    ):
        with pytest.raises(CertificateFormatError, match=r"^instance\.json: field values: "):
            changed(honest, values=values).digest("instance.json")


def test_centres_are_the_only_rows_of_inference(searched, loans):
    """The inference gadget is about the centres, the first rows; others are refused by name."""
    circuit = subcircuit("inference", loans.shape)
    searched.values(circuit, 1, blinding=7)
    with pytest.raises(SubCircuitError, match="regions 0 to 1"):
        searched.values(circuit, 2, blinding=7)


def test_a_made_up_proving_key_is_refused_by_name(key, again, wires, tmp_path):
    """Where a proving key of another set-up agrees with its metadata, proving ends in an error that names the file."""
    shutil.copytree(key.folder, tmp_path / "key")
    other = again[1][PROVING_FILE]
    (tmp_path / "key" / PROVING_FILE).write_bytes(other)
    document = changed(key.document, proving_key=hashlib.sha256(other).hexdigest())
    marked(tmp_path / "key", document)
    with pytest.raises(KeyStoreError, match=rf"{PROVING_FILE}: remove the folder, .*: not usable as a key"):
        subcircuits.prove(subcircuits.StoredSubKey(tmp_path / "key", document), wires)
