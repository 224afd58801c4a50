"""A sub-circuit's key is no certificate's key: not by its files, and not by what its proofs can say."""

import base64
import hashlib
import shutil

import pytest

from equiproof.circuits.canonical import canonical_bytes
from equiproof.circuits.shape import branch_shape
from equiproof.circuits.subcircuit import GADGETS, gadget_scheme, subcircuit
from equiproof.ffi import backend
from equiproof.ffi.errors import UnsatisfiedError
from equiproof.prover import StoredKey, gadget_proofs, subcircuits
from equiproof.prover.evidence import find_evidence
from equiproof.prover.witness.subcircuit import BranchPlaces, TraversalPlaces
from equiproof.verifier import BoxVerifier, CertificateFormatError, ProofError, TrustStore, UntrustedKeyError, Verifier
from equiproof.verifier.certificate import KeyReference
from equiproof.verifier.documents import KEY_FILE, VERIFYING_FILE
from tests import boxes
from tests.circuits.box_cases import ON_BOXES, honest
from tests.ensemble_small import ensemble
from tests.score_places import score_places
from tests.support import LOANS, changed, no_policy, trusting

NO_POLICY = no_policy()


@pytest.fixture(scope="module")
def searched(loans, proven):
    """What was searched for the honest certificate, stated anew."""
    return TraversalPlaces.of(loans.opening, loans.shape, loans.spec.encode(proven.query.features), proven.evidence)


@pytest.fixture(scope="module")
def branched(loans, proven):
    """A tree for the same applicant, under a shape of scheme `branch`."""
    shape, integers = (
        branch_shape(loans.spec, loans.shape.architecture.hidden, 8),
        loans.spec.encode(proven.query.features),
    )
    found = find_evidence(loans.opening, shape, integers, None, None)
    return BranchPlaces.of(loans.opening, shape, integers, found.evidence)


@pytest.fixture(scope="module")
def parted():
    """Leaves of an ensemble for an applicant."""
    return score_places(ensemble(), LOANS)


@pytest.fixture(scope="module")
def branch_key(branched, tmp_path_factory):
    """The key of a leaf's sub-circuit."""
    return subcircuits.find_or_make(tmp_path_factory.mktemp("circuits"), subcircuit("leaf", branched.shape))[0]


@pytest.fixture(scope="module")
def box_key(tmp_path_factory):
    """The key of the digest's gadget of a shape of boxes."""
    circuit = subcircuit("digest", boxes.key().document.shape)
    return subcircuits.find_or_make(tmp_path_factory.mktemp("circuits"), circuit)[0]


@pytest.fixture(scope="module")
def digest_key(loans, tmp_path_factory):
    """The key of the statement digest's gadget, of the certificate's very shape."""
    return subcircuits.find_or_make(tmp_path_factory.mktemp("circuits"), subcircuit("digest", loans.shape))[0]


@pytest.mark.parametrize("key", ["digest_key", "branch_key", "box_key"])
def test_a_folder_of_sub_circuits_holds_no_trusted_key(request, key):
    """A trust store does not take a sub-circuit's key folder for a key."""
    digest_key = request.getfixturevalue(key)
    with pytest.raises(CertificateFormatError, match="holds no key"):
        TrustStore.open(digest_key.folder.parent)


@pytest.mark.parametrize("key", ["digest_key", "branch_key", "box_key"])
def test_a_renamed_sub_circuit_key_is_refused(request, key, tmp_path):
    """A sub-circuit's metadata under the name of a key's is refused."""
    digest_key = request.getfixturevalue(key)
    shutil.copytree(digest_key.folder, tmp_path / "key")
    (tmp_path / "key" / subcircuits.KEY_FILE).rename(tmp_path / "key" / KEY_FILE)
    with pytest.raises(CertificateFormatError, match=r"key\.json: "):
        TrustStore.open(tmp_path)


def test_a_sub_circuit_key_beside_a_key_is_not_trusted(digest_key, loans, proven, tmp_path):
    """A certificate that names a sub-circuit's key is refused, where its folder lies among the trusted ones too."""
    shutil.copytree(loans.key.folder, tmp_path / "key")
    shutil.copytree(digest_key.folder, tmp_path / "other")
    reference = KeyReference(digest_key.document.fingerprint, "single-party")
    with pytest.raises(UntrustedKeyError, match="not among the 1 trusted keys"):
        Verifier(loans.commitment, TrustStore.open(tmp_path)).verify(
            changed(proven.certificate, key=reference), NO_POLICY
        )


def test_a_certificates_key_is_no_sub_circuits(loans, digest_key, tmp_path):
    """A certificate's metadata under the name of a sub-circuit's is refused."""
    shutil.copytree(loans.key.folder, tmp_path / "key")
    (tmp_path / "key" / KEY_FILE).rename(tmp_path / "key" / subcircuits.KEY_FILE)
    with pytest.raises(CertificateFormatError, match=r"circuit\.json: "):
        subcircuits.find(tmp_path, digest_key.document.fingerprint)


@pytest.mark.parametrize("gadget", ["digest", "leaf"])
def test_a_mislabelled_sub_circuit_key_proves_no_statement(request, loans, proven, tmp_path, gadget):
    """Even where somebody trusts a sub-circuit's verifying key as a certificate's, its proofs hold for no statement."""
    key = request.getfixturevalue({"digest": "digest_key", "leaf": "branch_key"}[gadget])
    searched = request.getfixturevalue({"digest": "searched", "leaf": "branched"}[gadget])
    verifying = (key.folder / VERIFYING_FILE).read_bytes()
    document = changed(loans.key.document, verifying_key=hashlib.sha256(verifying).hexdigest())
    (tmp_path / KEY_FILE).write_bytes(canonical_bytes(document))
    (tmp_path / VERIFYING_FILE).write_bytes(verifying)
    mislabelled = StoredKey(tmp_path, document)
    proof = subcircuits.prove(key, searched.values(key.document.circuit, 0, blinding=7))
    lie = changed(
        proven.certificate, key=KeyReference(mislabelled.document.fingerprint, "single-party"), proof=proof.proof
    )
    assert len(base64.b64decode(proof.proof)) == len(proven.certificate.proof_bytes)
    with pytest.raises(ProofError, match="does not hold"):
        Verifier(loans.commitment, trusting(mislabelled)).verify(lie, NO_POLICY)


def test_a_mislabelled_sub_circuit_key_proves_no_statement_about_a_box(box_key, tmp_path):
    """Nor does one of the digest's gadget, of the very shape of a key of boxes."""
    verifying = (box_key.folder / VERIFYING_FILE).read_bytes()
    document = changed(boxes.key().document, verifying_key=hashlib.sha256(verifying).hexdigest())
    (tmp_path / KEY_FILE).write_bytes(canonical_bytes(document))
    (tmp_path / VERIFYING_FILE).write_bytes(verifying)
    mislabelled = StoredKey(tmp_path, document)
    opening, shape = boxes.opening(), box_key.document.circuit.shape
    places = gadget_proofs.search_box(opening, shape, boxes.ENDS, "granted")
    proof = subcircuits.prove(box_key, places.values(box_key.document.circuit, 0, blinding=7))
    reference = KeyReference(mislabelled.document.fingerprint, "single-party")
    lie = changed(boxes.granted().certificate, key=reference, proof=proof.proof)
    with pytest.raises(ProofError, match="does not hold"):
        BoxVerifier(boxes.commitment(), trusting(mislabelled)).verify(lie, NO_POLICY)


@pytest.mark.parametrize("gadget", GADGETS)
def test_no_sub_circuit_accepts_a_statement_digest(searched, branched, parted, gadget):
    """No gadget's honest wires satisfy its circuit under the digest of the statement that they belong to."""
    searched = {"branch": branched, "trees": parted}.get(gadget_scheme(gadget), searched)
    if gadget in ON_BOXES:
        searched = honest(gadget, 0)
    circuit = subcircuit(gadget, searched.shape)
    wires = (searched.alone if gadget in ON_BOXES else searched.values)(circuit, 0, blinding=7)
    with backend.Checker(circuit.document) as checker:
        checker.check(circuit.witness(wires))
        with pytest.raises(UnsatisfiedError):
            checker.check(circuit.witness(wires, searched.statement.digest(searched.shape)))
