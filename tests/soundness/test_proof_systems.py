"""Two proof systems: one circuit, witness and statement, other keys and proofs, and no way from one to the other."""

import base64
import shutil

import pytest

from equiproof.certify.traversal.search import Search
from equiproof.circuits import field
from equiproof.circuits.canonical import canonical_bytes
from equiproof.circuits.field import ORDER
from equiproof.circuits.proof_systems import PROOF_BYTES
from equiproof.ffi import backend
from equiproof.ffi.errors import MalformedInputError, UnsatisfiedError
from equiproof.prover import KeyStore, KeyStoreError, Prover
from equiproof.prover.keys import GivenPowers, set_up
from equiproof.prover.owner import MARK_FILE
from equiproof.prover.witness.relation import Secrets, generate
from equiproof.verifier import (
    CertificateFormatError,
    KeyIs,
    PolicyError,
    ProofSystemIs,
    SetupIs,
    SignedBy,
    TranscriptIs,
    TrustStore,
    UntrustedKeyError,
    Verifier,
    plonk,
)
from equiproof.verifier.certificate import KeyReference
from equiproof.verifier.curve import G1, add, multiply, neg
from equiproof.verifier.documents import KEY_FILE, PROVING_FILE, PowersReference
from equiproof.verifier.errors import Reason
from equiproof.verifier.trust import TrustedKey
from tests.conftest import CONTEXT, HIDDEN
from tests.kept import kept_keys
from tests.prover.ceremony.parties import ANNA, BEN
from tests.support import LOANS, Setting, changed, key_for, no_policy, trusting
from tests.trapdoor import PLONK_PROOF_PLACES, placed, spell_g1
from tests.two_checks import verdict

PLONK = "plonk-bn254"
VERIFYING_BYTES = 368
REFERENCE = PowersReference("ceremony", "1" * 64, "2" * 64)


@pytest.fixture(scope="module")
def sparse(cramped):
    """The model and shape of `cramped` under a key of PLONK."""
    return Setting(cramped.opening, key_for(kept_keys(), LOANS, HIDDEN, 2, proof_system=PLONK))


@pytest.fixture(scope="module")
def proven(sparse):
    """An honest certificate under that key."""
    row = next(row for row, found in sparse.applicants(seed=1) if isinstance(found, Search) and found.needed == 2)
    with Prover(sparse.opening, sparse.key) as prover:
        return prover.prove(row, CONTEXT)


@pytest.fixture(scope="module")
def sceptic(sparse, cramped):
    """The verifier of the model, who trusts keys of both proof systems."""
    return Verifier(sparse.commitment, trusting(sparse.key, cramped.key))


@pytest.fixture(scope="module")
def witness(sparse, proven):
    """The witness of the honest certificate."""
    secrets = Secrets.of(sparse.opening, LOANS.encode(proven.query.features), int(proven.query.blinding, 16))
    return generate(sparse.shape, proven.certificate.to_statement(), secrets, proven.evidence)


@pytest.fixture(scope="module")
def powers(sparse):
    """The powers that the key was made of, as others would give them: a proving key holds them all."""
    proving = (sparse.key.folder / PROVING_FILE).read_bytes()
    return proving[:8] + sparse.key.verifying[-64:] + proving[VERIFYING_BYTES:]


@pytest.mark.parametrize("checker", ["native", "python"])
def test_a_certificate_under_plonk_verifies(sparse, proven, checker):
    """Both programs verify it, and say which proof system it is; the policy on proof systems sees it."""
    verifier = Verifier(sparse.commitment, trusting(sparse.key), checker)
    verified = verifier.verify(proven.certificate.to_bytes(), ProofSystemIs(PLONK))
    assert verified.document()["proof_system"] == PLONK
    assert any(PLONK in line for line in verified.made)
    assert len(proven.certificate.proof_bytes) == PROOF_BYTES[PLONK]
    with pytest.raises(PolicyError) as caught:
        verifier.verify(proven.certificate, ProofSystemIs("groth16-bn254"))
    assert caught.value.reason == "other-proof-system"


def test_one_witness_serves_both(sparse, cramped, witness):
    """The same bytes satisfy both forms of the circuit, and those of another statement neither; the systems differ."""
    lie = witness[:-1] + bytes([witness[-1] ^ 1])
    for name in PROOF_BYTES:
        backend.check(sparse.shape.document, witness, name)
        with pytest.raises(UnsatisfiedError):
            backend.check(sparse.shape.document, lie, name)
    assert sparse.shape == cramped.shape
    assert sparse.key.document.system_digest != cramped.key.document.system_digest
    assert sparse.key.document.fingerprint != cramped.key.document.fingerprint


def test_a_lie_has_no_proof(sparse, witness):
    """The prover refuses a witness that breaks a rule, as the other one does."""
    with sparse.key.load() as loaded, pytest.raises(UnsatisfiedError):
        loaded.prove(witness[:-1] + bytes([witness[-1] ^ 1]))


def test_a_certificate_cannot_name_another_proof_system(sceptic, proven, cramped):
    """What the certificate calls the proof system is compared with its key; the proof's length goes with the name."""
    other = changed(proven.certificate, proof_system="groth16-bn254", proof=base64.b64encode(bytes(196)).decode())
    with pytest.raises(UntrustedKeyError) as caught:
        sceptic.verify(other, no_policy())
    assert caught.value.reason == Reason.PROOF_SYSTEM_DIFFERS
    with pytest.raises(CertificateFormatError) as wrong:
        sceptic.verify(changed(proven.certificate, proof_system="groth16-bn254").to_bytes(), no_policy())
    assert wrong.value.reason == Reason.WRONG_LENGTH
    # A proof under the name of a key of the other proof system, and of the same circuit.
    moved = changed(
        proven.certificate, key=changed(proven.certificate.key, fingerprint=cramped.key.document.fingerprint)
    )
    with pytest.raises(UntrustedKeyError) as caught:
        sceptic.verify(moved, no_policy())
    assert caught.value.reason == Reason.PROOF_SYSTEM_DIFFERS


def test_two_openings_cannot_make_up_for_each_other(sparse, proven, powers, monkeypatch):
    """Wrong openings that cancel out under a known factor pass where it is drawn, and under no other: it is random."""
    key = plonk._read_key(sparse.key.verifying)
    proof, digest = proven.certificate.proof_bytes, proven.certificate.to_statement().digest(sparse.shape)
    values = plonk.read_parts(proof, plonk._PROOF, "proof")
    names = [part[0].removeprefix("value ") for part in plonk._PROOF if not isinstance(part, int)]
    read = dict(zip(names, values, strict=True))
    zeta = plonk._challenges(key, digest, read).zeta
    x, y = (int.from_bytes(powers[72 + 64 + at : 72 + 64 + at + 32], "big") for at in (0, 32))
    tau = (type(G1[0])(x), type(G1[0])(y), type(G1[0]).one())

    def gap(point: int):
        return add(multiply(G1, point % ORDER), neg(tau))

    factor = 41
    first = add(read["W"], neg(multiply(gap(zeta * key.generator), factor)))
    second = add(read["W'"], gap(zeta))
    lie = placed(placed(proof, PLONK_PROOF_PLACES["W"], spell_g1(first)), PLONK_PROOF_PLACES["W'"], spell_g1(second))
    words = (sparse.key.verifying, field.to_bytes(digest), lie, PLONK)
    assert verdict("native", *words) == ("refused", Reason.PAIRINGS_DIFFER)
    for drawn, said in ((factor - 1, ("accepted", "")), (factor, ("refused", Reason.PAIRINGS_DIFFER))):
        monkeypatch.setattr(plonk.secrets, "randbelow", lambda limit, drawn=drawn: drawn)
        assert verdict("python", *words) == said


def test_keys_of_given_powers_are_universal(sparse, powers, tmp_path):
    """They are the same keys, whoever made the powers, of another kind of set-up, which names where they come from."""
    key = KeyStore(tmp_path).setup(sparse.shape, proof_system=PLONK, powers=GivenPowers(powers, REFERENCE))
    assert key.document.setup == "universal"
    assert key.document.verifying_key == sparse.key.document.verifying_key
    assert key.document.fingerprint != sparse.key.document.fingerprint
    assert TrustedKey.read(key.folder).document.powers == REFERENCE


@pytest.fixture(scope="module")
def universal(sparse, proven):
    """The key as a universal one, and the honest certificate under it: the keys are the same, byte for byte."""
    document = changed(sparse.key.document, setup="universal", powers=REFERENCE)
    certificate = changed(proven.certificate, key=KeyReference(document.fingerprint, "universal"))
    return document, certificate


def judged(sparse, document, certificate, policy, checker="native", signatures=b""):
    """Verify a certificate under a key that somebody trusts."""
    store = TrustStore([TrustedKey(document, sparse.key.verifying, signatures)])
    return Verifier(sparse.commitment, store, checker).verify(certificate.to_bytes(), policy)


@pytest.mark.parametrize("checker", ["native", "python"])
def test_a_universal_key_is_trusted_by_its_transcript(sparse, universal, checker):
    """Both programs verify; it is said that a universal set-up made the key, and whom nobody could watch."""
    document, certificate = universal
    found = judged(sparse, document, certificate, TranscriptIs(document.transcript), checker)
    assert f"the key is the one that the universal set-up {document.transcript[:16]}... made" in found.made
    assert any("set-up: universal" in line for line in found.made)
    assert "that one contributor to the powers of tau of the key forgot the secret" in found.not_made
    assert not any("a single party" in line for line in found.not_made)
    imported = changed(document, powers=changed(REFERENCE, origin="imported"))
    moved = changed(certificate, key=KeyReference(imported.fingerprint, "universal"))
    left = judged(sparse, imported, moved, TranscriptIs(imported.transcript)).not_made
    assert f"that anybody contributed to the imported powers of tau (SHA-256 {REFERENCE.source})" in left


def test_nothing_else_makes_a_universal_key_trusted(sparse, universal):
    """Its name, its kind, its fingerprint and another key's transcript are not enough."""
    document, certificate = universal
    for policy in (no_policy(), SetupIs("universal"), KeyIs(document.fingerprint)):
        with pytest.raises(UntrustedKeyError, match=r"name the digest .*: a universal set-up made the key") as caught:
            judged(sparse, document, certificate, policy)
        assert caught.value.reason == Reason.NO_TRANSCRIPT
    others = (
        changed(document, powers=changed(REFERENCE, digest="0" * 64)),
        changed(document, verifying_key="0" * 64),
        changed(document, proving_key="0" * 64),
        changed(document, system_digest="0" * 64),
    )
    for transcript in (*(other.transcript for other in others), "0" * 64, ""):
        with pytest.raises(PolicyError, match="the key's transcript is"):
            judged(sparse, document, certificate, TranscriptIs(transcript))


def test_signers_vouch_for_a_universal_key(sparse, universal):
    """As for a ceremony's key: so many of those named, about this very key."""
    document, certificate = universal
    keys = tuple(signer.verifier.text for signer in (ANNA, BEN))
    note = ANNA.sign(document.attestation).encode()
    made = judged(sparse, document, certificate, SignedBy(keys, 1), signatures=note).made
    assert "the transcript of the key's universal set-up was checked, as signed by anna" in made
    with pytest.raises(PolicyError, match="1 of the 2 accepted signers"):
        judged(sparse, document, certificate, SignedBy(keys, 2), signatures=note)
    other = ANNA.sign(changed(document, tools={}).attestation).encode()
    with pytest.raises(PolicyError, match="it is about another key"):
        judged(sparse, document, certificate, SignedBy(keys, 1), signatures=other)


@pytest.mark.parametrize("at", [7, 40, 72, 300, -100])
def test_wrong_powers_make_no_key(sparse, powers, at):
    """Powers with one byte changed anywhere are refused in one line."""
    lie = bytearray(powers)
    lie[at] ^= 1
    refuse_powers(sparse.shape, PLONK, bytes(lie))


def test_groth16_takes_no_powers(sparse, powers):
    """Powers alone make no key of it, also where they are right."""
    refuse_powers(sparse.shape, "groth16-bn254", powers)


def refuse_powers(shape, proof_system, given):
    """Hold a set-up to refusing powers in one line."""
    with pytest.raises(KeyStoreError) as caught:
        set_up(shape.document, proof_system, GivenPowers(given, REFERENCE))
    assert "powers" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_keys_of_both_lie_side_by_side(sparse, cramped, tmp_path):
    """Of two keys of one shape the faster is found; the folder of one selects it, and foreign ones are refused."""
    for key in (sparse.key, cramped.key):
        shutil.copytree(key.folder, tmp_path / key.folder.name)
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {cramped.shape.name, f"{cramped.shape.name}-{PLONK}"}
    assert KeyStore(tmp_path).find(LOANS, HIDDEN, 2).document == cramped.key.document
    own = tmp_path / sparse.key.folder.name
    assert KeyStore(own).find(LOANS, HIDDEN, 2).document == sparse.key.document
    (own / MARK_FILE).unlink()
    with pytest.raises(KeyStoreError):
        KeyStore(own).find(LOANS, HIDDEN, 2)
    assert TrustStore.open(tmp_path).find(sparse.key.document.fingerprint).document.proof_system == PLONK


def test_metadata_of_another_proof_system_fits_no_bytes(sparse, tmp_path):
    """A key whose metadata name the other proof system is another key, and its bytes are none of that system."""
    folder = tmp_path / "key"
    shutil.copytree(sparse.key.folder, folder)
    renamed = changed(sparse.key.document, proof_system="groth16-bn254")
    (folder / KEY_FILE).write_bytes(canonical_bytes(renamed))
    assert TrustedKey.read(folder).document.fingerprint != sparse.key.document.fingerprint
    with pytest.raises(MalformedInputError):
        backend.ProvingKey(sparse.shape.document, (folder / PROVING_FILE).read_bytes(), "groth16-bn254")
    for name in ("plonk", "", "groth16-bn254\0", "x" * 1000):
        with pytest.raises(MalformedInputError, match="unknown proof system"):
            backend.VerifyingKey(sparse.key.verifying, name)
