"""What verification returns, and that it takes nothing from the certificate that it can recompute."""

import pytest

from equiproof.circuits.field import to_hex
from equiproof.circuits.shape import traversal_shape
from equiproof.ffi import backend
from equiproof.ffi.errors import BackendError
from equiproof.verifier import (
    AllOf,
    ForContext,
    ForQuery,
    MinRadius,
    Pins,
    ProofError,
    TrustStore,
    Verifier,
    parse_certificate,
)
from equiproof.verifier.documents import load_commitment, parse_key
from equiproof.verifier.reading import Reading
from equiproof.verifier.trust import TrustedKey
from tests.conftest import CONTEXT
from tests.support import LOANS, ROOT, changed, no_policy, trusting

SECRETS = ("weights", "biases", "pattern", "blinding", "slice", "neighbor")


def test_a_verified_certificate_tells_what_holds(loans, sceptic, proven):
    """The result carries statement, trusted spec, trusted key and the words, all of them the verifier's own."""
    verified = sceptic.verify(proven.certificate.to_bytes(), AllOf(ForQuery(proven.query), MinRadius("0.01")))
    assert verified.statement == proven.certificate.to_statement()
    assert verified.spec == LOANS
    assert verified.key == loans.key.document
    statement = verified.statement
    assert verified.reading == Reading.of(LOANS, statement.label, statement.radius_squared)


def test_parsed_and_written_certificates_verify_alike(sceptic, proven):
    """A certificate verifies as bytes and as what was read from them."""
    data = proven.certificate.to_bytes()
    policy = ForContext(CONTEXT)
    assert sceptic.verify(data, policy) == sceptic.verify(parse_certificate(data, "c"), policy)


@pytest.mark.parametrize("wrap", [bytearray, memoryview, bytes.decode, lambda data: None])
def test_other_types_are_no_certificates(sceptic, proven, wrap):
    """What is neither bytes nor a parsed certificate is refused as the wrong type, in one line."""
    with pytest.raises(TypeError, match=r"^certificate: want its bytes or a parsed Certificate, not "):
        sceptic.verify(wrap(proven.certificate.to_bytes()), ForContext(CONTEXT))


def test_identity_is_the_statement_digest(sceptic, proven):
    """A certificate's name is its statement digest under the trusted key's shape."""
    verified = sceptic.verify(proven.certificate, no_policy())
    shape = traversal_shape(LOANS, (2, 2), 8)
    assert verified.identity == to_hex(proven.certificate.to_statement().digest(shape))


def test_certificates_hold_no_secret(proven):
    """Nothing of the network, the regions or the applicant stands in a certificate that discloses nothing."""
    text = proven.certificate.to_bytes().decode()
    assert not [word for word in SECRETS if word in text]
    assert str(proven.query.features["income"]) not in text


def test_certificates_do_not_tell_how_many_regions_there_were(loans, owner, proven):
    """Certificates of few and of many regions have the same length but for the radius and its words."""
    lengths = set()
    for row, found in loans.applicants(seed=30):
        if getattr(found, "label", None) == proven.certificate.statement.label:
            certificate = owner.prove(row, CONTEXT).certificate
            lengths.add((len(certificate.proof), certificate.key.fingerprint))
            if len(lengths) == 1 and len(found.regions) > 4:
                break
    assert lengths == {(264, proven.certificate.key.fingerprint)}


def test_a_missing_library_is_no_refusal(loans, proven, monkeypatch):
    """Where the library was asked for and is missing, that is neither a malformed nor a refused certificate."""

    def missing():
        raise BackendError("the native library is not built")

    monkeypatch.setattr(backend, "_library", missing)
    with pytest.raises(BackendError, match="not built"):
        Verifier(loans.commitment, trusting(loans.key), "native").verify(proven.certificate, no_policy())


def test_verifiers_are_reusable(loans, proven):
    """One verifier judges many certificates, and the same one twice alike."""
    verifier = Verifier(loans.commitment, trusting(loans.key))
    assert verifier.verify(proven.certificate, no_policy()) == verifier.verify(proven.certificate, no_policy())


def test_the_document_has_the_fields_that_the_page_on_output_names(loans, sceptic, proven):
    """Whoever reads `--json` reads these names, with what the call returns."""
    verified = sceptic.verify(proven.certificate, ForQuery(proven.query))
    document = verified.document(proven.query)
    assert list(document) == [
        *("verdict", "certificate", "statement", "label", "radius", "radius_grid", "radius_squared", "features"),
        *("intervals", "ranges", "model_commitment", "key_fingerprint", "pinned", "setup", "proof_system"),
        *("checks_made", "checks_not_made", "checker"),
    ]
    assert document["certificate"] == verified.identity
    assert (document["checks_made"], document["checks_not_made"]) == (list(verified.made), list(verified.not_made))
    assert document["intervals"].keys() == proven.query.features.keys()
    assert document["model_commitment"] == loans.commitment.model_commitment
    assert verified.document()["intervals"] is None


@pytest.mark.parametrize("pinned", [True, False])
def test_what_was_verified_is_a_document(pinned):
    """Programs read these names; the kind of set-up is the key's own word where the key is not pinned."""
    home = ROOT / "tests" / "golden" / "loans"
    commitment, keys = load_commitment(home / "commitment.json"), TrustStore.open(home / "keys")
    found = Verifier(commitment, keys, pins=Pins(pinned, pinned)).verify(
        (home / "certificate.json").read_bytes(), no_policy()
    )
    document = found.document()
    assert list(document) == [
        "verdict", "certificate", "statement", "label", "radius", "radius_grid", "radius_squared", "features",
        "intervals", "ranges", "model_commitment", "key_fingerprint", "pinned", "setup", "proof_system", "checks_made",
        "checks_not_made", "checker",
    ]  # fmt: skip
    assert document["pinned"] == {"commitment": pinned, "key": pinned}
    assert document["setup"] == ("single-party" if pinned else None)
    assert document["statement"] == found.reading.sentence()
    assert (document["intervals"], document["ranges"]) == (None, None)


@pytest.mark.parametrize("name", ["loans", "logarithms"])
def test_whom_a_certificate_covers_is_among_the_checks(name):
    """All joint values of the sensitive features, and where the spec keeps neighbors to its ranges, no others."""
    home = ROOT / "tests" / "golden" / name
    commitment = load_commitment(home / "commitment.json")
    one = Verifier(commitment, TrustStore.open(home / "keys")).before_proof(
        (home / "certificate.json").read_bytes(), no_policy()
    )
    assert any("it covers all 2 joint values of" in line for line in one.made)
    assert any("neighbors inside the spec's ranges, and no others" in line for line in one.made) == (
        commitment.spec.use_ranges
    )


def test_eighty_characters_of_a_shape_are_shown():
    """A key of another spec's shape is refused, by the beginning of a name that says it."""
    home = ROOT / "tests" / "golden" / "loans"
    key = parse_key((home / "keys" / "key" / "key.json").read_bytes(), "key")
    shape = changed(
        key.shape,
        architecture=changed(key.shape.architecture, plain=9, hidden=(1,) * 64, bias_bits=(20,) * 65),
    )
    other = TrustedKey.of(
        changed(key, shape=shape), (home / "keys" / "key" / "verifying.key").read_bytes(), b"", "verifying.key", "key"
    )
    certificate = parse_certificate((home / "certificate.json").read_bytes(), "certificate")
    stated = changed(certificate, key=changed(certificate.key, fingerprint=other.document.fingerprint))
    with pytest.raises(ProofError) as refused:
        Verifier(load_commitment(home / "commitment.json"), TrustStore([other])).before_proof(stated, no_policy())
    assert len(shape.name) > 80
    assert str(refused.value) == f"the key's shape {shape.name[:80]} does not fit this spec"
