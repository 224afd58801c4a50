"""Exports say who hands a certificate out: other programs read them, and the certificate inside is verified."""

import base64
import hashlib
import json

import pytest
from google.protobuf.json_format import Parse
from in_toto_attestation.v1 import statement_pb2
from in_toto_attestation.v1.statement import Statement
from joserfc import jwt
from joserfc.jwk import OKPKey
from securesystemslib.dsse import Envelope
from securesystemslib.exceptions import VerificationError as OtherVerificationError
from securesystemslib.signer import SSlibKey

from equiproof.verifier import (
    CertificateFormatError,
    ForQuery,
    MinRadius,
    PolicyError,
    ProofError,
    TrustStore,
    Verifier,
    parse_certificate,
    policy_of,
)
from equiproof.verifier.documents import load_commitment
from equiproof.verifier.errors import ExportError, ExportReason
from equiproof.verifier.export_forms import PREDICATE_TYPE, Export
from equiproof.verifier.exports import make_export, parse_export, verify_export, without_data
from equiproof.verifier.identity import Identity, base64url, from_base64url
from equiproof.verifier.link import LINK_FILE, load_link
from equiproof.verifier.notes import NoteError, parse_note
from tests.support import ROOT, changed
from tests.verifier.exported import (
    BANK,
    CERTIFICATE,
    CREDENTIAL,
    ENVELOPE,
    EXPORTS,
    FORMS,
    HEADER,
    IDENTITY,
    MALLORY,
    NAME,
    PIN,
    QUERY,
    STATEMENT,
    TOKEN,
    VERIFIER,
    envelope,
    token,
)
from tests.web import web

JOSE = """
import { compactVerify, importJWK, jwtVerify } from "jose";
const [token, jwk, other] = process.argv.slice(1);
const key = await importJWK(JSON.parse(jwk), "EdDSA");
const { payload, protectedHeader } = await jwtVerify(token, key, { algorithms: ["EdDSA"], typ: "vc+jwt" });
const refused = await compactVerify(token, await importJWK(JSON.parse(other), "EdDSA")).catch((error) => error.code);
console.log(JSON.stringify({ payload, protectedHeader, refused }));
"""
"""A program that reads a token with the library jose."""

DID_JWT = """
import { verifyJWT } from "did-jwt";
import { Resolver } from "did-resolver";
const [token, other] = process.argv.slice(1);
const jwk = async (did) => ({
  didResolutionMetadata: {}, didDocumentMetadata: {},
  didDocument: { id: did, verificationMethod: [{
    id: `${did}#0`, type: "JsonWebKey2020", controller: did,
    publicKeyJwk: JSON.parse(Buffer.from(did.slice("did:jwk:".length), "base64url")),
  }] },
});
const read = (one) => verifyJWT(one, { resolver: new Resolver({ jwk }) });
const { verified, issuer, payload } = await read(token);
const refused = await read(other).catch((error) => error.message);
console.log(JSON.stringify({ verified, issuer, payload, refused }));
"""
"""A program that reads a token with the library did-jwt, which takes the issuer from `iss`."""


def jwk(signer):
    """Return a public key as JOSE libraries take it."""
    return {"kty": "OKP", "crv": "Ed25519", "x": base64url(signer.verifier.public)}


@pytest.mark.parametrize("form", FORMS)
def test_the_certificate_inside_is_verified(form):
    """Under the pinned key the certificate is verified as always, under the policy too."""
    assert verify_export(EXPORTS[form], PIN, VERIFIER, ForQuery(QUERY)).identity == NAME
    with pytest.raises(PolicyError):
        verify_export(EXPORTS[form], PIN, VERIFIER, policy_of(min_radius="100"))


KEPT = ROOT / "tests" / "golden" / "loans-kept"
KEPT_CERTIFICATE = parse_certificate((KEPT / "certificate.json").read_bytes(), "certificate.json")
KEPT_NAME = json.loads((KEPT.parent / "published.json").read_bytes())["loans-kept"]["identity"]
LINK = load_link(KEPT / LINK_FILE)


def kept_verifier(link=LINK):
    """Return what verifies the published certificate of a kept key beside a link."""
    return Verifier(load_commitment(KEPT / "commitment.json"), TrustStore.open(KEPT / "keys"), link=link)


@pytest.mark.parametrize("form", FORMS)
def test_an_export_names_the_link_by_its_digest(form):
    """The link at hand must be the one that is named; without one the certificate is refused, as any of a kept key."""
    export = make_export(form, KEPT_CERTIFICATE, KEPT_NAME, BANK, LINK)
    assert parse_export(export, "it").export.link == hashlib.sha256((KEPT / LINK_FILE).read_bytes()).hexdigest()
    assert verify_export(export, PIN, kept_verifier(), MinRadius("0")).identity == KEPT_NAME
    with pytest.raises(ProofError, match="link"):
        verify_export(export, PIN, kept_verifier(None), MinRadius("0"))
    with pytest.raises(ExportError, match="by another digest") as caught:
        verify_export(export, PIN, kept_verifier(changed(LINK, shown=f"{7:064x}")), MinRadius("0"))
    assert caught.value.reason == ExportReason.NAME_DIFFERS


@pytest.mark.parametrize("form", FORMS)
def test_a_link_is_named_where_one_is_needed_and_nowhere_else(form):
    """Both ways, and a digest that is none, are malformed."""
    for certificate, name, link in ((KEPT_CERTIFICATE, KEPT_NAME, None), (CERTIFICATE, NAME, LINK)):
        with pytest.raises(CertificateFormatError, match="field link"):
            parse_export(make_export(form, certificate, name, BANK, link), "it")
    export = Export(form, KEPT_CERTIFICATE, KEPT_NAME, IDENTITY, "AB" * 32)
    with pytest.raises(CertificateFormatError, match="64 hexadecimal digits"):
        parse_export(export.file(BANK.signature(export.message())), "it")


@pytest.mark.parametrize("form", FORMS)
def test_an_export_is_read_as_it_was_made(form):
    """Form, certificate, name and key come back, and the file is made again from them."""
    signed = parse_export(EXPORTS[form], "export")
    assert signed.export == Export(form, CERTIFICATE, NAME, IDENTITY)
    assert signed.export.file(signed.signature) == EXPORTS[form]
    assert signed.require(PIN) == CERTIFICATE


def test_the_tests_own_writer_makes_the_same_files():
    """What hostile tests change is an honest export before they change it."""
    assert (envelope(), token()) == (EXPORTS["dsse"], EXPORTS["vc"])


def test_securesystemslib_verifies_the_envelope():
    """The envelope verifies there under the bank's key, and not under another one."""
    read = Envelope.from_dict(json.loads(EXPORTS["dsse"]))
    keys = [SSlibKey(PIN, "ed25519", "ed25519", {"public": one.verifier.public.hex()}) for one in (BANK, MALLORY)]
    assert set(read.verify(keys[:1], 1)) == {PIN}
    with pytest.raises(OtherVerificationError):
        read.verify(keys[1:], 1)


def test_in_toto_reads_the_statement():
    """The statement is a valid one, about the certificate by the digests of its file and of its statement."""
    read = Parse(base64.b64decode(ENVELOPE["payload"]), statement_pb2.Statement())
    Statement.copy_from_pb(read).validate()
    (subject,) = read.subject
    assert (read.predicate_type, subject.name) == (PREDICATE_TYPE, "certificate.json")
    assert dict(subject.digest) == {
        "sha256": hashlib.sha256(CERTIFICATE.to_bytes()).hexdigest(), "equiproofStatement": NAME,
    }  # fmt: skip
    assert STATEMENT["predicate"]["certificate"] == json.loads(CERTIFICATE.to_bytes())


@pytest.mark.filterwarnings("ignore:EdDSA is deprecated")
def test_joserfc_reads_the_credential():
    """The token verifies there, with the header that W3C's "Securing Verifiable Credentials using JOSE" wants."""
    read = jwt.decode(TOKEN, OKPKey.import_key(jwk(BANK)), algorithms=["EdDSA"])
    assert (read.header["typ"], read.header["cty"], read.header["alg"]) == ("vc+jwt", "vc", "EdDSA")
    assert read.header["kid"] == f"{IDENTITY.did}#0"
    assert read.claims["@context"][0] == "https://www.w3.org/ns/credentials/v2"
    assert read.claims["type"][0] == "VerifiableCredential"
    assert read.claims["issuer"] == IDENTITY.did
    assert read.claims["credentialSubject"] == {
        "id": f"urn:equiproof:statement:{NAME}", "certificate": json.loads(CERTIFICATE.to_bytes()),
    }  # fmt: skip
    with pytest.raises(Exception, match="bad_signature"):
        jwt.decode(TOKEN, OKPKey.import_key(jwk(MALLORY)), algorithms=["EdDSA"])


def test_jose_reads_the_credential():
    """The token verifies in Node, and not under another key."""
    web.refuse_or_skip()
    words = (TOKEN, json.dumps(jwk(BANK)), json.dumps(jwk(MALLORY)))
    read = json.loads(web.run("node", "--input-type=module", "-e", JOSE, *words))
    assert read == {
        "payload": CREDENTIAL, "protectedHeader": HEADER, "refused": "ERR_JWS_SIGNATURE_VERIFICATION_FAILED",
    }  # fmt: skip


def test_did_jwt_reads_the_credential():
    """The token verifies in Node by its issuer's identifier alone, and not with another's signature."""
    web.refuse_or_skip()
    other = token(signer=MALLORY).decode()
    read = json.loads(web.run("node", "--input-type=module", "-e", DID_JWT, TOKEN, other))
    assert read.pop("refused").startswith("invalid_signature")
    assert read == {"verified": True, "issuer": IDENTITY.did, "payload": CREDENTIAL}


@pytest.mark.parametrize("form", FORMS)
def test_data_are_left_out_or_kept(form):
    """Without the applicant's data it is the same statement; with them, they are in the file and checked."""
    disclosed = changed(CERTIFICATE, query=QUERY)
    assert without_data(disclosed) == CERTIFICATE
    data = make_export(form, disclosed, NAME, BANK)
    assert parse_export(data, "export").require(PIN).query == QUERY
    assert any("the certificate itself" in line for line in verify_export(data, PIN, VERIFIER, POLICY).made)


def test_signatures_serve_one_purpose():
    """What is signed for one purpose has the form of no other: neither a note, nor an envelope, nor a token."""
    messages = {form: Export(form, CERTIFICATE, NAME, IDENTITY).message() for form in FORMS}
    assert messages["dsse"].startswith(b"DSSEv1 ")
    assert messages["dsse"].endswith(b"}")
    assert not set(messages["vc"]) & set(b" \n{")
    for message in messages.values():
        with pytest.raises(NoteError, match="ends with a line break"):
            BANK.sign(message.decode())
    with pytest.raises(NoteError):
        parse_note(EXPORTS["vc"])


def test_identities_are_compared_by_key_not_by_name():
    """Two keys of one name are two identities."""
    assert BANK.name == MALLORY.name
    assert Identity(MALLORY.verifier.public).fingerprint != PIN
    assert from_base64url(base64url(BANK.verifier.public), "x") == IDENTITY.public


POLICY = policy_of()


def test_readers_of_linked_data_take_the_certificate_as_it_stands():
    """By the credential's context it is a JSON literal: names in it get no other meaning, and none is left out."""
    _, payload, _ = make_export("vc", CERTIFICATE, NAME, BANK).decode().split(".")
    assert json.loads(from_base64url(payload, "x"))["@context"] == [
        "https://www.w3.org/ns/credentials/v2",
        {
            "EquiproofCertificate": PREDICATE_TYPE,
            "certificate": {"@id": f"{PREDICATE_TYPE}#certificate", "@type": "@json"},
        },
    ]
