"""The two forms of an export: an in-toto statement in a DSSE envelope, and a W3C Verifiable Credential as a JWT.

Written and read strictly over what stands in both: a certificate, the name that it is given, and the key of the signer.
Nothing is verified here. One key signs both forms, and notes. No signature can serve for another kind: a note's text
ends with a line break, an envelope's message begins with "DSSEv1 " and ends with a brace, and a token's holds no blank.
"""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

import msgspec

from equiproof.circuits.canonical import DocumentError, canonical_bytes, parse
from equiproof.circuits.kinds import kind_of, mistaken_for
from equiproof.verifier.certificate import Certificate, parse_certificate
from equiproof.verifier.entries import is_digits
from equiproof.verifier.errors import CertificateFormatError, Reason
from equiproof.verifier.identity import Identity, base64url, from_base64url

Form = Literal["dsse", "vc"]

PAYLOAD_TYPE = "application/vnd.in-toto+json"
PREDICATE_TYPE = "urn:equiproof:certificate:v1"
"""What the predicate of a statement is: documented in docs/exports.md. A name, not an address."""

STATEMENT_DIGEST = "equiproofStatement"
"""The name of the statement digest among the digests of a statement's subject."""

_SUBJECT = "urn:equiproof:statement:"
_CONTEXT = (
    "https://www.w3.org/ns/credentials/v2",
    {
        "EquiproofCertificate": PREDICATE_TYPE,
        "certificate": {"@id": f"{PREDICATE_TYPE}#certificate", "@type": "@json"},
    },
)
_LINK_TERM = {"link": f"{PREDICATE_TYPE}#link"}
"""One term more, in a credential of a certificate that needs a link."""

_TYPES = ("VerifiableCredential", "EquiproofCertificate")

T = TypeVar("T")


@dataclass(frozen=True)
class Export:
    """What an export holds: a certificate, the name that it gives it (its statement digest), and who it is from.

    `link` is the SHA-256 of the file of the link that a certificate of a kept key needs, in hexadecimal; None for any
    other.
    """

    form: Form
    certificate: Certificate
    name: str
    signer: Identity
    link: str | None = None

    @property
    def own_link(self) -> dict[str, str]:
        """The link's field, which an export without one does not have."""
        return {} if self.link is None else {"link": self.link}

    def message(self) -> bytes:
        """Return the bytes that are signed."""
        payload = canonical_bytes(_statement(self) if self.form == "dsse" else _credential(self))
        if self.form == "dsse":
            return _authenticated(payload)
        return f"{base64url(canonical_bytes(_header(self.signer)))}.{base64url(payload)}".encode()

    def file(self, signature: bytes) -> bytes:
        """Return the bytes of the file with a signature."""
        if self.form == "vc":
            return self.message() + b"." + base64url(signature).encode()
        envelope = {
            "payload": base64.b64encode(canonical_bytes(_statement(self))).decode(),
            "payloadType": PAYLOAD_TYPE,
            "signatures": [{"keyid": self.signer.fingerprint, "sig": base64.b64encode(signature).decode()}],
        }
        return canonical_bytes(envelope)


def _authenticated(payload: bytes) -> bytes:
    """Return DSSE's pre-authentication encoding of a payload."""
    return f"DSSEv1 {len(PAYLOAD_TYPE)} {PAYLOAD_TYPE} {len(payload)} ".encode() + payload


def _statement(export: Export) -> dict[str, Any]:
    """Return the in-toto statement."""
    data = export.certificate.to_bytes()
    digests = {"sha256": hashlib.sha256(data).hexdigest(), STATEMENT_DIGEST: export.name}
    return {
        "_type": "https://in-toto.io/Statement/v1",
        "subject": [{"name": "certificate.json", "digest": digests}],
        "predicateType": PREDICATE_TYPE,
        "predicate": {"certificate": export.certificate, "issuer": export.signer.did, **export.own_link},
    }


def _header(signer: Identity) -> dict[str, str]:
    """Return the header of the token."""
    return {"alg": "EdDSA", "cty": "vc", "kid": f"{signer.did}#0", "typ": "vc+jwt"}


def _credential(export: Export) -> dict[str, Any]:
    """Return the credential."""
    return {
        "@context": _CONTEXT if export.link is None else (_CONTEXT[0], _CONTEXT[1] | _LINK_TERM),
        "type": _TYPES,
        "issuer": export.signer.did,
        "iss": export.signer.did,  # once more, for readers of tokens that know no credentials
        "credentialSubject": {"id": _SUBJECT + export.name, "certificate": export.certificate, **export.own_link},
    }


class _Signature(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    keyid: str
    sig: str


class _Envelope(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="camel"):
    payload: str
    payload_type: Literal["application/vnd.in-toto+json"]
    signatures: tuple[_Signature]


class _Subject(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: str
    digest: dict[str, str]


class _Predicate(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    certificate: Certificate
    issuer: str
    link: str | None = None


class _Statement(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="camel"):
    subject: tuple[_Subject]
    predicate_type: Literal["urn:equiproof:certificate:v1"]
    predicate: _Predicate
    kind: Literal["https://in-toto.io/Statement/v1"] = msgspec.field(name="_type")


class _Header(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    alg: Literal["EdDSA"]
    cty: Literal["vc"]
    kid: str
    typ: Literal["vc+jwt"]


class _CredentialSubject(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    id: str
    certificate: Certificate
    link: str | None = None


class _Credential(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="camel"):
    type: tuple[Literal["VerifiableCredential"], Literal["EquiproofCertificate"]]
    issuer: str
    iss: str
    credential_subject: _CredentialSubject
    context: tuple[str, dict[str, Any]] = msgspec.field(name="@context")


def read_envelope(data: bytes, where: str) -> tuple[Export, bytes]:
    """Return what a DSSE envelope holds, and its signature; raises CertificateFormatError naming the field."""
    if other := mistaken_for(kind_of(data), "a signed export"):
        raise CertificateFormatError(f"{where}: {other}", Reason.OTHER_FORMAT)
    envelope = _read(data, _Envelope, where)
    inside = f"{where}: payload"
    statement = _read(_from_base64(envelope.payload, inside), _Statement, inside)
    export = Export(
        "dsse",
        _checked(statement.predicate.certificate, f"{inside}: certificate"),
        statement.subject[0].digest.get(STATEMENT_DIGEST, ""),
        Identity.parse(statement.predicate.issuer, f"{inside}: field predicate.issuer"),
        statement.predicate.link,
    )
    _check_link(export, inside)
    return export, _from_base64(envelope.signatures[0].sig, f"{where}: field signatures")


def read_token(data: bytes, where: str) -> tuple[Export, bytes]:
    """Return what a token holds, and its signature; raises CertificateFormatError naming the field."""
    parts = data.decode("ascii", "replace").split(".")
    if len(parts) != 3:
        raise CertificateFormatError(f"{where}: neither a DSSE envelope nor a token of three parts", Reason.NOT_JSON)
    _read(from_base64url(parts[0], f"{where}: header"), _Header, f"{where}: header")
    inside = f"{where}: payload"
    credential = _read(from_base64url(parts[1], inside), _Credential, inside)
    subject = credential.credential_subject
    export = Export(
        "vc",
        _checked(subject.certificate, f"{inside}: certificate"),
        subject.id.removeprefix(_SUBJECT),
        Identity.parse(credential.issuer, f"{inside}: field issuer"),
        subject.link,
    )
    _check_link(export, inside)
    return export, from_base64url(parts[2], f"{where}: signature")


def _checked(certificate: Certificate, where: str) -> Certificate:
    """Return a certificate that meets all that its file must; raises CertificateFormatError."""
    try:
        return parse_certificate(canonical_bytes(certificate), where)
    except DocumentError as error:
        raise CertificateFormatError(f"{where}: {error}", Reason.OUT_OF_RANGE) from None


def _check_link(export: Export, where: str) -> None:
    """Raise CertificateFormatError unless a link is named exactly where the certificate needs one."""
    named = export.link
    if (named is not None) != (export.certificate.statement.shown is not msgspec.UNSET):
        raise CertificateFormatError(
            f"{where}: field link: want the digest of a link for a certificate of a kept key, and for no other",
            Reason.WRONG_FIELDS,
        )
    if named is not None and not is_digits(named):
        raise CertificateFormatError(f"{where}: field link: want 64 hexadecimal digits", Reason.WRONG_FIELDS)


def _read(data: bytes, kind: type[T], where: str) -> T:
    """Decode JSON; raises CertificateFormatError naming the field."""
    try:
        return parse(data, kind, where)
    except DocumentError as error:
        raise CertificateFormatError(str(error), error.reason) from None


def _from_base64(text: str, where: str) -> bytes:
    """Read base64 as DSSE writes it; its one spelling is compared with the whole file."""
    try:
        return base64.b64decode(text, validate=True)
    except ValueError:
        raise CertificateFormatError(f"{where}: not base64", Reason.NOT_BASE64) from None
