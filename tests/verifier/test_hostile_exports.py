"""Hostile exports: what the pinned key did not sign is refused, and so is all that has another form, signed or not."""

import base64
import hashlib
import hmac
import json

import pytest

from equiproof.verifier import CertificateFormatError, ProofError, UntrustedKeyError, policy_of
from equiproof.verifier.errors import ExportError, ExportReason
from equiproof.verifier.exports import make_export, parse_export, verify_export
from equiproof.verifier.identity import Identity, base64url
from tests.support import changed
from tests.verifier.exported import (
    BANK,
    CERTIFICATE,
    CREDENTIAL,
    ENVELOPE,
    EXPORTS,
    FORMS,
    HEADER,
    LOANS,
    MALLORY,
    NAME,
    OTHER,
    PIN,
    STATEMENT,
    TOKEN,
    VERIFIER,
    authenticated,
    envelope,
    spelled,
    token,
    within,
)

POLICY = policy_of()
MINE = Identity(MALLORY.verifier.public)
KID = {"kid": f"{MINE.did}#0"}
FIRST, SECOND, SIGNATURE = TOKEN.split(".")
RAW = base64.b64decode(ENVELOPE["signatures"][0]["sig"])


def doubled(document, name):
    """Write a document with one name twice, the honest value last."""
    text = spelled(document)
    return text.replace(b'"%s":' % name, b'"%s":"x","%s":' % (name, name), 1)


def signed_by_hash():
    """Return a token whose "signature" is an HMAC under the public key, as for a verifier that believes the header."""
    message = f"{base64url(spelled(HEADER | {'alg': 'HS256'}))}.{SECOND}".encode()
    return message + b"." + base64url(hmac.new(BANK.verifier.public, message, hashlib.sha256).digest()).encode()


def with_signature(form, signature):
    """Return the honest export with another signature."""
    if form == "vc":
        return f"{FIRST}.{SECOND}.{base64url(signature)}".encode()
    return spelled(within(ENVELOPE, ("signatures", 0, "sig"), base64.b64encode(signature).decode()))


MALFORMED = {
    "nothing": b"",
    "a certificate": CERTIFICATE.to_bytes(),
    "a token of two parts": f"{FIRST}.{SECOND}".encode(),
    "a token of four parts": f"{TOKEN}.{SIGNATURE}".encode(),
    "a line break behind the token": TOKEN.encode() + b"\n",
    "a line break behind the envelope": EXPORTS["dsse"] + b"\n",
    "padding": f"{FIRST}=.{SECOND}.{SIGNATURE}".encode(),
    "loose bits": TOKEN[:-1].encode() + (b"B" if TOKEN[-1] in "AQgw" else b"x"),
    "no signature": f"{FIRST}.{SECOND}.".encode(),
    "algorithm none": token(HEADER | {"alg": "none"}),
    "algorithm none without signature": f"{base64url(spelled(HEADER | {'alg': 'none'}))}.{SECOND}.".encode(),
    "algorithm None": token(HEADER | {"alg": "None"}),
    "algorithm ES256": token(HEADER | {"alg": "ES256"}),
    "algorithm HS256": signed_by_hash(),
    "no algorithm": token(within(HEADER, ["alg"], None)),
    "another typ": token(HEADER | {"typ": "JWT"}),
    "typ in capitals": token(HEADER | {"typ": "VC+JWT"}),
    "no typ": token(within(HEADER, ["typ"], None)),
    "another cty": token(HEADER | {"cty": "vp"}),
    "a key in the header": token(HEADER | {"jwk": {"kty": "OKP", "crv": "Ed25519", "x": "AAAA"}}),
    "the address of a key": token(HEADER | {"x5u": "https://example.org"}),
    "a critical extension": token(HEADER | {"crit": ["b64"], "b64": False}),
    "another key's kid": token(HEADER | KID),
    "kid with another number": token(HEADER | {"kid": HEADER["kid"][:-1] + "1"}),
    "a name twice in the header": token(doubled(HEADER, b"alg")),
    "a name twice in the credential": token(credential=doubled(CREDENTIAL, b"issuer")),
    "spaces in the credential": token(credential=json.dumps(CREDENTIAL, sort_keys=True).encode()),
    "one more claim": token(credential=CREDENTIAL | {"nbf": 0}),
    "another context": token(credential=within(CREDENTIAL, ("@context", 1, "certificate"), "urn:x")),
    "another type": token(credential=CREDENTIAL | {"type": ["VerifiableCredential"]}),
    "one more type": token(credential=CREDENTIAL | {"type": [*CREDENTIAL["type"], "Degree"]}),
    "no iss": token(credential=within(CREDENTIAL, ["iss"], None)),
    "another's iss": token(credential=CREDENTIAL | {"iss": MINE.did}),
    "an issuer by address": token(credential=CREDENTIAL | {"issuer": "https://bank.example"}),
    "a subject of another kind": token(credential=within(CREDENTIAL, ("credentialSubject", "id"), f"urn:x:{NAME}")),
    "one more in the subject": token(credential=within(CREDENTIAL, ("credentialSubject", "degree"), "PhD")),
    "a list in the credential": token(credential=[CREDENTIAL]),
    "deep nesting": token(credential=b"[" * 100_000),
    "not UTF-8": token(credential=b'{"\xff":1}'),
    "a certificate of another version": token(
        credential=within(CREDENTIAL, ("credentialSubject", "certificate", "version"), 1)
    ),
    "a label out of range": envelope(within(STATEMENT, ("predicate", "certificate", "statement", "label"), 10**30)),
    "another payload type": envelope(payloadType="application/vnd.in-toto+json; x=y"),
    "no signature in the envelope": envelope(signatures=[]),
    "two signatures": envelope(signatures=ENVELOPE["signatures"] * 2),
    "a second signature of another key": envelope(
        signatures=[
            *ENVELOPE["signatures"],
            {"keyid": MINE.fingerprint, "sig": base64.b64encode(bytes(64)).decode()},
        ]
    ),
    "another key's keyid": envelope(
        signatures=[ENVELOPE["signatures"][0] | {"keyid": MINE.fingerprint}],
    ),
    "a certificate of a key": envelope(signatures=[ENVELOPE["signatures"][0] | {"cert": "x"}]),
    "one more in the envelope": envelope(certificate="x"),
    "a name twice in the envelope": doubled(ENVELOPE, b"payload"),
    "a name twice in the statement": envelope(doubled(STATEMENT, b"predicateType")),
    "spaces in the envelope": json.dumps(ENVELOPE).encode(),
    "the payload in base64url": envelope(payload=base64url(spelled(STATEMENT))),
    "another type of statement": envelope(STATEMENT | {"_type": "https://in-toto.io/Statement/v0.1"}),
    "another predicate": envelope(STATEMENT | {"predicateType": "https://slsa.dev/provenance/v1"}),
    "no subject": envelope(STATEMENT | {"subject": []}),
    "two subjects": envelope(STATEMENT | {"subject": STATEMENT["subject"] * 2}),
    "another file's digest": envelope(within(STATEMENT, ("subject", 0, "digest", "sha256"), "0" * 64)),
    "one more digest": envelope(within(STATEMENT, ("subject", 0, "digest", "md5"), "0" * 32)),
    "no statement digest": envelope(within(STATEMENT, ("subject", 0, "digest", "equiproofStatement"), None)),
    "another name of the subject": envelope(within(STATEMENT, ("subject", 0, "name"), "passport.json")),
    "one more in the predicate": envelope(within(STATEMENT, ("predicate", "score"), "x")),
}
"""Files that are no exports; those that `envelope` and `token` make are truly signed by the pinned key."""


@pytest.mark.parametrize("name", MALFORMED)
def test_another_form_is_malformed(name):
    """There is one form, and a signature of the pinned key does not make another one acceptable."""
    with pytest.raises(CertificateFormatError, match=r"^mail: ") as caught:
        parse_export(MALFORMED[name], "mail")
    assert caught.value.reason


def test_what_is_wrong_in_a_token_names_its_part():
    """A header that no library may believe is refused as one, before anything else of the token is read."""
    for name, place in (
        ("algorithm none", "header: field alg"),
        ("padding", "header: "),
        ("a key in the header", "header: want no field 'jwk': it is unknown here"),
        ("another type", "payload: field type"),
        ("no signature", "signature: "),
    ):
        with pytest.raises(CertificateFormatError) as caught:
            parse_export(MALFORMED[name], "mail")
        assert place in str(caught.value), name


def test_no_more_is_read_than_of_a_document():
    """A file longer than any document is refused unread."""
    with pytest.raises(CertificateFormatError, match=r"want at most [0-9]+ bytes: it is longer"):
        parse_export(b"A" * (4 << 20) + b".A.A", "mail")


@pytest.mark.parametrize("form", FORMS)
def test_another_key_is_refused(form):
    """An export that somebody else truly signed is refused: the certificate inside is public."""
    with pytest.raises(ExportError, match="not by the pinned") as caught:
        verify_export(make_export(form, CERTIFICATE, NAME, MALLORY), PIN, VERIFIER, POLICY)
    assert caught.value.reason == ExportReason.IDENTITY_DIFFERS


FORGED = {
    "another's signature in the bank's name (envelope)": envelope(signer=MALLORY),
    "another's signature in the bank's name (token)": token(signer=MALLORY),
    "no signature but zeros": with_signature("vc", bytes(64)),
    "a short signature": with_signature("dsse", RAW[:-1]),
    "a long signature": with_signature("dsse", RAW + b"\0"),
    "the bank's signature of the payload without its type": with_signature("dsse", BANK.signature(spelled(STATEMENT))),
    "the bank's signature of another type": with_signature(
        "dsse", BANK.signature(authenticated(spelled(STATEMENT), "text/plain"))
    ),
    "the token's signature on the envelope": with_signature("dsse", base64.urlsafe_b64decode(SIGNATURE + "==")),
    "the envelope's signature on the token": with_signature("vc", RAW),
    "the bank's signature of a note": with_signature("vc", BANK.signature(f"{FIRST}.{SECOND}\n".encode())),
    "another certificate under the old signature (token)": (
        make_export("vc", OTHER, NAME, BANK).rpartition(b".")[0] + b"." + SIGNATURE.encode()
    ),
    "another certificate under the old signature (envelope)": spelled(
        json.loads(make_export("dsse", OTHER, NAME, BANK)) | {"signatures": ENVELOPE["signatures"]}
    ),
}


@pytest.mark.parametrize("name", FORGED)
def test_a_signature_is_over_this_export(name):
    """Well-formed exports in the bank's name that it did not sign are refused."""
    with pytest.raises(ExportError, match="does not hold") as caught:
        verify_export(FORGED[name], PIN, VERIFIER, POLICY)
    assert caught.value.reason == ExportReason.BAD_SIGNATURE


@pytest.mark.parametrize("form", FORMS)
def test_the_signature_is_no_proof(form):
    """What the pinned key signed is verified all the same: a false proof, another model, another name."""
    false = changed(CERTIFICATE, statement=changed(CERTIFICATE.statement, context_digest="0" * 64))
    with pytest.raises(ProofError):
        verify_export(make_export(form, false, NAME, BANK), PIN, VERIFIER, POLICY)
    with pytest.raises(UntrustedKeyError):
        verify_export(make_export(form, OTHER, NAME, BANK), PIN, VERIFIER, POLICY)
    with pytest.raises(ExportError) as caught:
        verify_export(make_export(form, CERTIFICATE, "0" * 64, BANK), PIN, VERIFIER, POLICY)
    assert caught.value.reason == ExportReason.NAME_DIFFERS


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (CERTIFICATE.to_bytes(), "this is a certificate, want a signed export"),
        ((LOANS / "commitment.json").read_bytes(), "this is a commitment, want a signed export"),
        ((LOANS / "query.json").read_bytes(), "want a signed export"),
    ],
)
def test_other_files_are_called_what_they_are(data, said):
    """A reader who gives the wrong file is told which one it is, and not which fields an envelope has."""
    with pytest.raises(CertificateFormatError, match=said) as caught:
        parse_export(data, "export")
    assert caught.value.reason == "other-format"


@pytest.mark.parametrize("at", range(3))
def test_a_token_is_ascii(at):
    """Whatever bytes stand in its parts, it is refused as a file and no other error comes of it."""
    parts = TOKEN.encode().split(b".")
    parts[at] += b"\xe9"
    with pytest.raises(CertificateFormatError):
        parse_export(b".".join(parts), "export")
    with pytest.raises(CertificateFormatError, match="neither a DSSE envelope nor a token of three parts"):
        parse_export(b"\xff\xfe", "export")


def test_sixteen_digits_of_both_identities_are_shown():
    """Of who signed it and of who was pinned, as many as a reader compares."""
    with pytest.raises(ExportError) as caught:
        parse_export(EXPORTS["vc"], "export").require(MINE.fingerprint)
    assert str(caught.value) == (f"the export is signed by {PIN[:16]}..., not by the pinned {MINE.fingerprint[:16]}...")
