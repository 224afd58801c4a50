"""A Groth16 certificate as a contract takes it: points with both coordinates, and the call that checks the certificate.

Nothing is verified here but the points: the contract does that.
"""

from __future__ import annotations

import msgspec

from equiproof.circuits.field import BYTES, to_bytes
from equiproof.circuits.proof_systems import DEFAULT_PROOF_SYSTEM
from equiproof.ffi.errors import MalformedInputError
from equiproof.verifier.certificate import Certificate
from equiproof.verifier.curve import uncompressed, uncompressed_g2
from equiproof.verifier.documents import Document
from equiproof.verifier.errors import CertificateFormatError, Reason
from equiproof.verifier.pairing import read_proof

CALL_DATA = ("equiproof-calldata", 2)

VERIFY_STATEMENT = bytes.fromhex("8811c28b")
VERIFY_PROOF = bytes.fromhex("524b57c3")
"""The selectors of the contract's two checks: what calls of them begin with."""


class ProofWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The contract's `Proof`: coordinates as 64 hexadecimal digits behind 0x, in B the imaginary halves first."""

    a: tuple[str, ...]
    b: tuple[str, ...]
    c: tuple[str, ...]
    commitment: tuple[str, ...]
    knowledge: tuple[str, ...]


class StatementWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="camel"):
    """The contract's `Statement`, in the order of its fields: numbers as 64 hexadecimal digits behind 0x."""

    model_commitment: str
    spec_digest: str
    domain_digest: str
    query_commitment: str
    label: str
    radius_squared: str
    context_digest: str


class CallDataDocument(Document, frozen=True, forbid_unknown_fields=True):
    """What the contract of a key takes of one certificate; `call` is all of a call of `verifyStatement`, behind 0x."""

    key: str
    proof: ProofWords
    statement: StatementWords
    call: str


def points_of(proof: bytes) -> tuple[bytes, bytes, bytes, bytes, bytes]:
    """Return A, B, C, D and its proof of knowledge with both coordinates; raises MalformedInputError for bad points."""
    points = read_proof(proof)
    c, commitment, knowledge = (uncompressed(point) for point in (points.c, *points.commitments, points.knowledge))
    return uncompressed(points.a), uncompressed_g2(points.b), c, commitment, knowledge


def call_data(certificate: Certificate) -> CallDataDocument:
    """Return what the contract of the certificate's key takes.

    Raises CertificateFormatError for a proof of another proof system than Groth16, for a kept certificate, and for
    malformed points.
    """
    if certificate.proof_system != DEFAULT_PROOF_SYSTEM:
        raise CertificateFormatError(
            f"field proof_system: {certificate.proof_system}, and contracts accept {DEFAULT_PROOF_SYSTEM} only",
            Reason.WRONG_FIELDS,
        )
    if certificate.statement.shown is not msgspec.UNSET:
        raise CertificateFormatError(
            "field statement.shown: this certificate needs a link, and contracts read none", Reason.WRONG_FIELDS
        )
    try:
        points = points_of(certificate.proof_bytes)
    except MalformedInputError as error:
        raise CertificateFormatError(f"field proof: {error}", error.reason) from None
    elements = [to_bytes(element) for element in certificate.to_statement().elements()]
    return CallDataDocument(
        *CALL_DATA,
        key=certificate.key.fingerprint,
        proof=ProofWords(*map(_words, points)),
        statement=StatementWords(*(word for element in elements for word in _words(element))),
        call=f"0x{b''.join((VERIFY_STATEMENT, *points, *elements)).hex()}",
    )


def _words(data: bytes) -> tuple[str, ...]:
    """Write each 32 bytes as a number."""
    return tuple(f"0x{data[at : at + BYTES].hex()}" for at in range(0, len(data), BYTES))
