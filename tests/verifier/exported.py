"""Exports of a published certificate, and the tools with which tests make false ones."""

import base64
import json

from equiproof.verifier import TrustStore, Verifier, parse_certificate, parse_query
from equiproof.verifier.documents import load_commitment
from equiproof.verifier.export_forms import PAYLOAD_TYPE
from equiproof.verifier.exports import make_export
from equiproof.verifier.identity import Identity, base64url, from_base64url
from equiproof.verifier.notes import Signer
from tests.support import ROOT

LOANS = ROOT / "tests" / "golden" / "loans"
CERTIFICATE = parse_certificate((LOANS / "certificate.json").read_bytes(), "certificate.json")
OTHER = parse_certificate((LOANS.parent / "rates" / "certificate.json").read_bytes(), "certificate.json")
QUERY = parse_query((LOANS / "query.json").read_bytes(), "query.json")
VERIFIER = Verifier(load_commitment(LOANS / "commitment.json"), TrustStore.open(LOANS / "keys"))
NAME = json.loads((LOANS.parent / "published.json").read_bytes())["loans"]["identity"]

BANK, MALLORY = Signer("bank", bytes(range(32))), Signer("bank", bytes(32))
IDENTITY = Identity(BANK.verifier.public)
PIN = IDENTITY.fingerprint
FORMS = ("dsse", "vc")
EXPORTS = {form: make_export(form, CERTIFICATE, NAME, BANK) for form in FORMS}
ENVELOPE, TOKEN = json.loads(EXPORTS["dsse"]), EXPORTS["vc"].decode()
HEADER, CREDENTIAL = (json.loads(from_base64url(part, "x")) for part in TOKEN.split(".")[:2])
STATEMENT = json.loads(base64.b64decode(ENVELOPE["payload"]))


def spelled(document) -> bytes:
    """Write JSON in the one order and spacing; bytes are taken as they are."""
    if isinstance(document, bytes):
        return document
    return json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def authenticated(payload: bytes, kind: str = PAYLOAD_TYPE) -> bytes:
    """Return what a DSSE signature is over."""
    return b"DSSEv1 %d %s %d %s" % (len(kind), kind.encode(), len(payload), payload)


def envelope(statement=STATEMENT, signer=BANK, **fields) -> bytes:
    """Return an envelope that `signer` has truly signed, with some fields of the envelope replaced."""
    payload = spelled(statement)
    signature = signer.signature(authenticated(payload, fields.get("payloadType", PAYLOAD_TYPE)))
    honest = {
        "payload": base64.b64encode(payload).decode(),
        "payloadType": PAYLOAD_TYPE,
        "signatures": [{"keyid": PIN, "sig": base64.b64encode(signature).decode()}],
    }
    return spelled(honest | fields)


def token(header=HEADER, credential=CREDENTIAL, signer=BANK) -> bytes:
    """Return a token that `signer` has truly signed."""
    message = f"{base64url(spelled(header))}.{base64url(spelled(credential))}"
    return f"{message}.{base64url(signer.signature(message.encode()))}".encode()


def within(document, path, value):
    """Return a copy of a document with one place replaced; None takes it out."""
    copy = json.loads(json.dumps(document))
    *folders, last = path
    place = copy
    for name in folders:
        place = place[name]
    if value is None:
        del place[last]
    else:
        place[last] = value
    return copy
