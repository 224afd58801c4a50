"""Box certificates: each step refuses by its reason, and words promise no more than the statement."""

import base64
import json

import pytest

from equiproof.circuits.canonical import canonical_bytes
from equiproof.circuits.tables import speaking
from equiproof.verifier import (
    AllOf,
    BoxVerifier,
    CertificateFormatError,
    ForContext,
    GainOf,
    KeyIs,
    MinRadius,
    NoRanges,
    PolicyError,
    ProofError,
    TrustStore,
    UntrustedKeyError,
    VerificationError,
    Verifier,
    parse_box,
    parse_opened_box,
)
from equiproof.verifier.facts import ABOUT_BOX, ABOUT_BOX_LABEL
from tests import boxes
from tests.boxes import CONTEXT
from tests.support import LOANS, changed, no_policy, trusting

OTHER = "0" * 63 + "1"


@pytest.fixture(scope="module")
def verifier():
    """The verifier of the honest commitment and key."""
    return BoxVerifier(boxes.commitment(), trusting(boxes.key()))


def edited(**fields):
    """Return the honest certificate with other fields of its statement."""
    document = json.loads(boxes.granted().certificate.to_bytes())
    document["statement"] |= fields
    return canonical_bytes(document)


@pytest.mark.parametrize("checker", ["native", "python"])
def test_what_is_not_given_is_left_open(checker):
    """Without the opened box and the label, a verification says that both are left to the reader."""
    verifier = BoxVerifier(boxes.commitment(), trusting(boxes.key()), checker)
    verified = verifier.verify(boxes.granted().certificate.to_bytes(), no_policy())
    assert verified.not_made[:2] == (ABOUT_BOX, ABOUT_BOX_LABEL)
    assert verified.ends is None
    assert verified.document()["box"] is None
    assert verified.reading.sentence() == (
        "Everybody in the box of this certificate is decided granted by this model, "
        "whatever the listed value of sex is."
    )
    with speaking("de"):
        assert verified.reading.sentence().startswith("Wer in der Box dieses Zertifikats liegt")


def test_a_disclosed_box_is_shown_and_compared(verifier):
    """It is public, and says what the certificate is about; that it is yours, your own file says."""
    certificate = boxes.granted(True).certificate
    verified = verifier.verify(certificate, no_policy())
    assert verified.ends is not None
    assert "it is about the box in the certificate itself" in verified.made
    assert ABOUT_BOX in verified.not_made
    wrong = changed(certificate, box=changed(certificate.box, ends={**certificate.box.ends, "income": (1, 2)}))
    with pytest.raises(ProofError) as refused:
        verifier.verify(wrong, no_policy())
    assert refused.value.reason == "other-box"


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"label": 1 << 14}, "out-of-range"),
        ({"label": -1}, "out-of-range"),
        ({"label": 7}, "unknown-label"),
        ({"label": 0}, "words-differ"),
        ({"model_commitment": OTHER}, "model-differs"),
        ({"spec_digest": OTHER}, "spec-differs"),
        ({"domain_digest": OTHER}, "domain-differs"),
        ({"box_commitment": OTHER}, "pairings-differ"),
        ({"context_digest": OTHER}, "pairings-differ"),
        ({"box_commitment": "f" * 64}, "bad-element"),
        ({"radius_squared": 5}, "wrong-fields"),
        ({"query_commitment": OTHER}, "wrong-fields"),
    ],
)
def test_changed_statements_are_refused_by_their_reason(verifier, fields, reason):
    """Each part is recomputed, or in the digest that the proof is of."""
    with pytest.raises((CertificateFormatError, VerificationError)) as refused:
        verifier.verify(edited(**fields), no_policy())
    assert refused.value.reason == reason


def test_other_boxes_labels_and_contexts_are_refused(verifier):
    """What is given is compared, whatever else the certificate is."""
    proven = boxes.granted()
    other = changed(proven.opened, ends={**proven.opened.ends, "income": (29800, 30500)})
    with pytest.raises(ProofError, match="another box than that in your file"):
        verifier.verify(proven.certificate, no_policy(), opened=other)
    blinded = changed(proven.opened, blinding=OTHER)
    with pytest.raises(ProofError, match="another box"):
        verifier.verify(proven.certificate, no_policy(), opened=blinded)
    with pytest.raises(ProofError, match="says granted, you asked for 'declined'"):
        verifier.verify(proven.certificate, no_policy(), label="declined")
    with pytest.raises(PolicyError):
        verifier.verify(proven.certificate, AllOf(ForContext({**CONTEXT, "date": "2026-12-01"})))
    with pytest.raises(CertificateFormatError, match="leave out 'age'"):
        verifier.verify(proven.certificate, no_policy(), opened=changed(proven.opened, ends={"age": (1, 2)}))


def test_a_proof_of_another_statement_is_refused(verifier):
    """So is one with a changed byte, and one of the wrong length."""
    certificate = boxes.granted().certificate
    data = bytearray(certificate.proof_bytes)
    data[40] ^= 1
    for proof in (bytes(data), certificate.proof_bytes[:-1]):
        with pytest.raises((CertificateFormatError, ProofError)):
            verifier.verify(changed(certificate, proof=base64.b64encode(proof).decode()).to_bytes(), no_policy())


@pytest.mark.parametrize("policy", [MinRadius("0.1"), NoRanges(), GainOf("granted", {"sex": "f"}, {"sex": "m"})])
def test_policies_about_other_things_are_refused(verifier, policy):
    """No radius, no query and no gain is in a box certificate: to require one is a mistake, alone or among others."""
    for one in (policy, AllOf(KeyIs(boxes.key().document.fingerprint), policy)):
        with pytest.raises(TypeError, match="is not about box certificates"):
            verifier.verify(boxes.granted().certificate, one)


def test_keys_that_are_not_trusted_or_not_of_boxes_are_refused():
    """The key is among the trusted ones, of this relation, and of this spec."""
    certificate = boxes.granted().certificate
    with pytest.raises(UntrustedKeyError):
        BoxVerifier(boxes.commitment(), TrustStore([])).verify(certificate, no_policy())
    elsewhere = changed(boxes.commitment(), spec=LOANS)
    with pytest.raises(ProofError) as refused:
        BoxVerifier(elsewhere, trusting(boxes.key())).verify(certificate, no_policy())
    assert refused.value.reason == "spec-differs"


def test_files_of_other_kinds_are_refused_by_name(verifier):
    """A box certificate is no certificate, and an opened box is none either."""
    data = boxes.granted().certificate.to_bytes()
    with pytest.raises(CertificateFormatError, match="this is a box certificate, want a certificate"):
        Verifier(boxes.commitment(), trusting(boxes.key())).verify(data, no_policy())
    with pytest.raises(CertificateFormatError, match="an opened box"):
        parse_box(boxes.data(boxes.granted()), "file")
    with pytest.raises(CertificateFormatError, match="a box certificate"):
        parse_opened_box(data, "file")


def test_an_opened_box_hides_its_values():
    """Its repr, and that of what was proven, show names only."""
    proven = boxes.granted()
    assert "29800" not in repr(proven.opened)
    assert "opened" not in repr(proven)
    assert "income" in repr(proven.opened)
