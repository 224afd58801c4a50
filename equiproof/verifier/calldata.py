"""A Groth16 certificate as a contract takes it: points with both coordinates, and the call that checks the certificate.

So is the link of a kept model, with the call that registers it. Nothing is verified here but the points: the contract
does that.
"""

from __future__ import annotations

import msgspec

from equiproof.circuits.field import BYTES, to_bytes
from equiproof.circuits.proof_systems import DEFAULT_PROOF_SYSTEM, ProofSystem
from equiproof.ffi.errors import MalformedInputError
from equiproof.verifier.certificate import Certificate
from equiproof.verifier.curve import read_g1, uncompressed, uncompressed_g2
from equiproof.verifier.documents import Document
from equiproof.verifier.errors import CertificateFormatError, Reason
from equiproof.verifier.link import LinkDocument
from equiproof.verifier.pairing import read_proof

CALL_DATA = ("equiproof-calldata", 2)

VERIFY_STATEMENT = bytes.fromhex("8811c28b")
VERIFY_PROOF = bytes.fromhex("524b57c3")
"""The selectors of the contract's two checks: what calls of them begin with."""

VERIFY_KEPT_STATEMENT = bytes.fromhex("81339566")
VERIFY_KEPT_PROOF = bytes.fromhex("984b5c4c")
REGISTER = bytes.fromhex("02d3ff7f")
"""Those of the checks of a kept key's contract, and of what registers a link."""


class ProofWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The contract's `Proof`: coordinates as 64 hexadecimal digits behind 0x, in B the imaginary halves first.

    Of a certificate under a kept key, `commitment` has those of both commitments.
    """

    a: tuple[str, ...]
    b: tuple[str, ...]
    c: tuple[str, ...]
    commitment: tuple[str, ...]
    knowledge: tuple[str, ...]


class StatementWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="camel"):
    """The contract's `Statement`, in the order of its fields: numbers as 64 hexadecimal digits behind 0x.

    `shown` is there under kept keys.
    """

    model_commitment: str
    spec_digest: str
    domain_digest: str
    query_commitment: str
    label: str
    radius_squared: str
    context_digest: str
    shown: str | msgspec.UnsetType = msgspec.UNSET


class LinkWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="camel"):
    """The contract's `Link`, in the order of its fields: numbers as 64 hexadecimal digits behind 0x."""

    point: tuple[str, ...]
    model_commitment: str
    spec_digest: str
    shown: str


class CallDataDocument(Document, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What the contract of a key takes of one certificate, or of one link: it has `statement`, or `link`.

    `call` is all of a call of `verifyStatement`, or of `register`, behind 0x.
    """

    key: str
    proof: ProofWords
    statement: StatementWords | msgspec.UnsetType = msgspec.UNSET
    link: LinkWords | msgspec.UnsetType = msgspec.UNSET
    call: str


def points_of(proof: bytes, commitments: int = 1) -> tuple[bytes, bytes, bytes, bytes, bytes]:
    """Return A, B, C, the commitments and their proof of knowledge with both coordinates of each point.

    Raises MalformedInputError for bad points.
    """
    points = read_proof(proof, commitments)
    c, *others, knowledge = (uncompressed(point) for point in (points.c, *points.commitments, points.knowledge))
    return uncompressed(points.a), uncompressed_g2(points.b), c, b"".join(others), knowledge


def call_data(certificate: Certificate) -> CallDataDocument:
    """Return what the contract of the certificate's key takes.

    Raises CertificateFormatError for a proof of another proof system than Groth16, and for malformed points.
    """
    _refuse_others(certificate.proof_system)
    kept = certificate.statement.shown is not msgspec.UNSET
    points = _points(certificate.proof_bytes, 2 if kept else 1)
    elements = [to_bytes(element) for element in certificate.to_statement().elements()]
    selector = VERIFY_KEPT_STATEMENT if kept else VERIFY_STATEMENT
    return CallDataDocument(
        *CALL_DATA,
        key=certificate.key.fingerprint,
        proof=ProofWords(*map(_words, points)),
        statement=StatementWords(*(word for element in elements for word in _words(element))),
        call=f"0x{b''.join((selector, *points, *elements)).hex()}",
    )


def link_call_data(link: LinkDocument) -> CallDataDocument:
    """Return what the contract of a kept key takes of the key's link.

    Raises CertificateFormatError for a proof of another proof system than Groth16, and for malformed points.
    """
    _refuse_others(link.proof_system)
    try:
        point = uncompressed(read_g1(link.point_bytes, "field point"))
    except MalformedInputError as error:
        raise CertificateFormatError(str(error), error.reason) from None
    points = _points(link.proof_bytes)
    numbers = [bytes.fromhex(text) for text in (link.model_commitment, link.spec_digest, link.shown)]
    return CallDataDocument(
        *CALL_DATA,
        key=link.key,
        proof=ProofWords(*map(_words, points)),
        link=LinkWords(_words(point), *(word for number in numbers for word in _words(number))),
        call=f"0x{b''.join((REGISTER, *points, point, *numbers)).hex()}",
    )


def _points(proof: bytes, commitments: int = 1) -> tuple[bytes, ...]:
    """Return the points of a proof that stands in a file."""
    try:
        return points_of(proof, commitments)
    except MalformedInputError as error:
        raise CertificateFormatError(f"field proof: {error}", error.reason) from None


def _refuse_others(proof_system: ProofSystem) -> None:
    """Refuse a proof that no contract accepts."""
    if proof_system != DEFAULT_PROOF_SYSTEM:
        raise CertificateFormatError(
            f"field proof_system: {proof_system}, and contracts accept {DEFAULT_PROOF_SYSTEM} only", Reason.WRONG_FIELDS
        )


def _words(data: bytes) -> tuple[str, ...]:
    """Write each 32 bytes as a number."""
    return tuple(f"0x{data[at : at + BYTES].hex()}" for at in range(0, len(data), BYTES))
