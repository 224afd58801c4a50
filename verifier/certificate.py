"""The certificate file: strict parser and canonical writer. Trust nothing in it before `verify` recomputed it."""

from __future__ import annotations

import base64
import re

import msgspec

from equiproof.circuits import field
from equiproof.circuits.canonical import canonical_bytes
from equiproof.circuits.proof_systems import PROOF_BYTES, ProofSystem
from equiproof.circuits.spec import Spec
from equiproof.circuits.statement import Statement
from equiproof.verifier.documents import (
    Document,
    QueryDocument,
    SetupKind,
    Tools,
    check_query,
    element,
    parse_document,
)
from equiproof.verifier.errors import CertificateFormatError, Reason
from equiproof.verifier.reading import Reading

CERTIFICATE = ("equiproof-certificate", 2)

_BASE64 = re.compile("(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?")


class StatementFields(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A statement as it is written: field elements as 64 hexadecimal digits."""

    model_commitment: str
    spec_digest: str
    domain_digest: str
    query_commitment: str
    context_digest: str
    label: int
    radius_squared: int


class KeyReference(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The key that the proof was made under, and how that key was made."""

    fingerprint: str
    setup: SetupKind


class Certificate(Document, frozen=True, forbid_unknown_fields=True):
    """A certificate; `reading` is the statement in words, `query` the applicant's data where the owner disclosed it."""

    statement: StatementFields
    reading: Reading
    key: KeyReference
    proof_system: ProofSystem
    proof: str
    tools: Tools
    query: QueryDocument | None

    @property
    def proof_bytes(self) -> bytes:
        """The proof, as long as every one of its proof system."""
        return base64_bytes(self.proof)

    def to_statement(self) -> Statement:
        """Return the statement's parts as field elements; raises CertificateFormatError for invalid ones."""
        fields = self.statement
        return Statement(
            model_commitment=element(fields.model_commitment, "field statement.model_commitment"),
            spec_digest=element(fields.spec_digest, "field statement.spec_digest"),
            domain_digest=element(fields.domain_digest, "field statement.domain_digest"),
            query_commitment=element(fields.query_commitment, "field statement.query_commitment"),
            context_digest=element(fields.context_digest, "field statement.context_digest"),
            label=fields.label,
            radius_squared=fields.radius_squared,
        )

    def to_bytes(self) -> bytes:
        """Return the file's bytes, canonical JSON."""
        return canonical_bytes(self)


def parse_certificate(data: bytes, where: str) -> Certificate:
    """Read a certificate file; raises CertificateFormatError naming `where` and the field."""
    certificate = parse_document(data, Certificate, CERTIFICATE, where, only_canonical=True)
    fields = certificate.statement
    if not 0 <= fields.label < 1 << 14 or not 0 <= fields.radius_squared < 1 << 53:
        raise CertificateFormatError(
            f"{where}: field statement: label or radius_squared is out of range", Reason.OUT_OF_RANGE
        )
    try:
        certificate.to_statement()
        length = len(certificate.proof_bytes)
    except CertificateFormatError as error:
        raise CertificateFormatError(f"{where}: {error}", error.reason) from None
    if certificate.query is not None:
        check_query(certificate.query, f"{where}: field query")
    if length != (want := PROOF_BYTES[certificate.proof_system]):
        raise CertificateFormatError(f"{where}: field proof: {length} bytes, want {want}", Reason.WRONG_LENGTH)
    return certificate


def make_certificate(
    statement: Statement,
    spec: Spec,
    key: KeyReference,
    proof_system: ProofSystem,
    proof: bytes,
    tools: dict[str, str],
    query: QueryDocument | None,
) -> Certificate:
    """Return the certificate of a proven statement; `query` discloses the applicant's data."""
    return Certificate(
        format=CERTIFICATE[0],
        version=CERTIFICATE[1],
        statement=StatementFields(
            model_commitment=field.to_hex(statement.model_commitment),
            spec_digest=field.to_hex(statement.spec_digest),
            domain_digest=field.to_hex(statement.domain_digest),
            query_commitment=field.to_hex(statement.query_commitment),
            context_digest=field.to_hex(statement.context_digest),
            label=statement.label,
            radius_squared=statement.radius_squared,
        ),
        reading=Reading.of(spec, statement.label, statement.radius_squared),
        key=key,
        proof_system=proof_system,
        proof=base64.b64encode(proof).decode(),
        tools=tools,
        query=query,
    )


def base64_bytes(text: str) -> bytes:
    """Decode a proof's base64 in its one canonical spelling; raises CertificateFormatError."""
    # Which padding the decoder refuses by itself differs between releases of Python.
    if not _BASE64.fullmatch(text):
        raise CertificateFormatError("field proof: not base64", Reason.NOT_BASE64)
    data = base64.b64decode(text)
    if base64.b64encode(data).decode() != text:
        raise CertificateFormatError("field proof: not canonical base64", Reason.NOT_CANONICAL)
    return data
