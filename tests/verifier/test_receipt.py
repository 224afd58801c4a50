"""A receipt is about one certificate: model, data, context and decision."""

import hashlib

import msgspec
import pytest

from equiproof.circuits.canonical import canonical_bytes
from equiproof.verifier.certificate import parse_certificate
from equiproof.verifier.entries import parse_entry
from equiproof.verifier.errors import CertificateFormatError, PolicyError
from equiproof.verifier.receipt import RECEIPT, Receipt, parse_receipt
from tests.support import ROOT

CERTIFICATE = parse_certificate((ROOT / "tests" / "golden" / "loans" / "certificate.json").read_bytes(), "certificate")
STATED = CERTIFICATE.statement
OWN = Receipt(
    *RECEIPT,
    model_commitment=STATED.model_commitment,
    query_commitment=STATED.query_commitment,
    context_digest=STATED.context_digest,
    label=STATED.label,
    time="2026-03-04T10:00:00Z",
    salt="5a" * 32,
)


def test_a_receipt_is_read_as_it_is_written():
    """Its digest is that of its bytes, its entry holds the digest alone, and its salt is not shown."""
    data = canonical_bytes(OWN)
    assert parse_receipt(data, "receipt") == OWN
    assert OWN.digest == hashlib.sha256(data).hexdigest()
    assert parse_entry(OWN.entry().data, "entry").receipt == OWN.digest
    assert "5a5a" not in repr(OWN)


def test_the_certificate_of_a_receipt_is_its_own():
    """A certificate with all four values is about the receipt, whatever its salt and time."""
    OWN.refuse_other(CERTIFICATE.to_statement())


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("model_commitment", "0" * 63 + "1", "another model"),
        ("query_commitment", "0" * 63 + "1", "other data"),
        ("context_digest", "0" * 63 + "1", "another context"),
        ("label", 1 - STATED.label, "another decision"),
        ("label", None, "a person decides"),
    ],
)
def test_any_other_certificate_is_refused(name, value, said):
    """Each value counts."""
    other = msgspec.structs.replace(OWN, **{name: value})
    with pytest.raises(PolicyError, match=said) as refused:
        other.refuse_other(CERTIFICATE.to_statement())
    assert refused.value.reason == "other-receipt"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("format", "equiproof-query"), ("version", 2), ("model_commitment", "f" * 64), ("query_commitment", "0"),
        ("context_digest", None), ("label", -1), ("label", 1 << 14), ("label", True), ("label", "0"),
        ("time", "2026-03-04"), ("time", "2026-03-04T10:00:00+00:00"), ("time", "2026-03-04T24:00:00Z"),
        ("time", "2026-03-04T10:00:60Z"), ("time", "2026-02-29T10:00:00Z"), ("salt", "5A" * 32),
        ("salt", ""), ("more", 1),
    ],
)  # fmt: skip
def test_nothing_else_is_a_receipt(name, value):
    """Every field has one form."""
    changed = {key: getattr(OWN, key) for key in Receipt.__struct_fields__} | {name: value}
    with pytest.raises(CertificateFormatError):
        parse_receipt(canonical_bytes(changed), "receipt")


def test_a_receipt_has_one_spelling():
    """Bytes behind it and blanks in it would have another digest."""
    data = canonical_bytes(OWN)
    for other in (data + b"\n", data.replace(b",", b", "), b"", b"{}"):
        with pytest.raises(CertificateFormatError):
            parse_receipt(other, "receipt")
