"""The certificate file: strict parser and canonical writer. Trust nothing in it before `verify` recomputed it."""

from __future__ import annotations

import base64
import re
from typing import Protocol

import msgspec

from equiproof.circuits import field
from equiproof.circuits.canonical import canonical_bytes
from equiproof.circuits.proof_systems import DEFAULT_PROOF_SYSTEM, KEPT_PROOF_BYTES, PROOF_BYTES, ProofSystem
from equiproof.circuits.spec import Spec
from equiproof.circuits.statement import Stated, Statement
from equiproof.circuits.tables import say
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


class StatementFields(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A statement as it is written: field elements as 64 hexadecimal digits.

    `shown` is there under a kept key, and nowhere else: what the owner's link shows of the model.
    """

    model_commitment: str
    spec_digest: str
    domain_digest: str
    query_commitment: str
    context_digest: str
    label: int
    radius_squared: int
    shown: str | msgspec.UnsetType = msgspec.UNSET

    def elements(self) -> dict[str, int]:
        """Return the parts that are field elements, by name; raises CertificateFormatError for invalid ones."""
        names = _ELEMENTS if self.shown is msgspec.UNSET else (*_ELEMENTS, "shown")
        return {name: element(getattr(self, name), f"field statement.{name}") for name in names}

    @property
    def in_range(self) -> bool:
        """Whether label and R2 are numbers that a statement of some spec can have."""
        # Up to 2^53 JSON readers keep integers exactly; the largest R2 of any spec is 2^52.
        return 0 <= self.label < 1 << 14 and 0 <= self.radius_squared < 1 << 53


_ELEMENTS = ("model_commitment", "spec_digest", "domain_digest", "query_commitment", "context_digest")
"""The parts of every statement that are field elements."""


def in_hex(statement: Statement) -> dict[str, str]:
    """Return the parts of a statement that are field elements as it is written."""
    names = _ELEMENTS if statement.shown is None else (*_ELEMENTS, "shown")
    return {name: field.to_hex(getattr(statement, name)) for name in names}


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
        return Statement(**fields.elements(), label=fields.label, radius_squared=fields.radius_squared)

    def to_bytes(self) -> bytes:
        """Return the file's bytes, canonical JSON."""
        return canonical_bytes(self)


class KeyedFile(Protocol):
    """A file with a statement and its proof: a certificate, a gain certificate, or a box certificate."""

    @property
    def proof_system(self) -> ProofSystem:
        """The proof system that the file states."""

    @property
    def key(self) -> KeyReference:
        """The key that the file names."""

    @property
    def proof_bytes(self) -> bytes:
        """The proof."""

    def to_statement(self) -> Stated:
        """Return the statement's parts as field elements; raises CertificateFormatError for invalid ones."""


class ProofFile(KeyedFile, Protocol):
    """One about a ball around somebody's query."""

    @property
    def statement(self) -> StatementFields:
        """The statement as it is written."""

    @property
    def query(self) -> QueryDocument | None:
        """The applicant's data where the owner disclosed it."""


def parse_certificate(data: bytes, where: str) -> Certificate:
    """Read a certificate file; raises CertificateFormatError naming `where` and the field."""
    certificate = parse_document(data, Certificate, CERTIFICATE, where, only_canonical=True)
    if not certificate.statement.in_range:
        raise CertificateFormatError(say("certificate.statement_out_of_bounds", where=where), Reason.OUT_OF_RANGE)
    check_parts(certificate, where)
    return certificate


def check_parts(file: ProofFile, where: str) -> None:
    """Raise CertificateFormatError, naming `where`, for a statement, a query or a proof that is malformed."""
    length = _length(file, where)
    if file.query is not None:
        check_query(file.query, f"{where}: field query")
    kept = file.statement.shown is not msgspec.UNSET and file.proof_system == DEFAULT_PROOF_SYSTEM
    _check_length(length, KEPT_PROOF_BYTES if kept else PROOF_BYTES[file.proof_system], where)


def check_proof(file: KeyedFile, where: str) -> None:
    """Raise CertificateFormatError, naming `where`, for a statement or a proof that is malformed."""
    _check_length(_length(file, where), PROOF_BYTES[file.proof_system], where)


def _length(file: KeyedFile, where: str) -> int:
    """Return the length of the proof; raises for a statement or a proof that cannot be read."""
    try:
        file.to_statement()
        return len(file.proof_bytes)
    except CertificateFormatError as error:
        raise CertificateFormatError(f"{where}: {error}", error.reason) from None


def _check_length(length: int, want: int, where: str) -> None:
    """Raise for a proof that is not as long as every one of its proof system and form."""
    if length != want:
        raise CertificateFormatError(
            say("certificate.proof_length_wrong", where=where, actual=length, required=want), Reason.WRONG_LENGTH
        )


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
        statement=StatementFields(**in_hex(statement), label=statement.label, radius_squared=statement.radius_squared),
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
        raise CertificateFormatError(say("certificate.proof_not_base64"), Reason.NOT_BASE64)
    data = base64.b64decode(text)
    if base64.b64encode(data).decode() != text:
        raise CertificateFormatError(say("certificate.proof_not_canonical_base64"), Reason.NOT_CANONICAL)
    return data
