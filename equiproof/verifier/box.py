"""The box certificate: strict parser, canonical writer and words. Trust nothing in it before it was verified.

It states that everybody in a box gets one label, whatever the listed sensitive values are (docs/box.md). Which box that
is, its holder shows by the opened box. It is a file of its own kind: what takes a certificate refuses it.
"""

from __future__ import annotations

import base64

import msgspec

from equiproof.circuits import field
from equiproof.circuits.canonical import canonical_bytes
from equiproof.circuits.names import quoted
from equiproof.circuits.proof_systems import ProofSystem
from equiproof.circuits.spec import Spec
from equiproof.circuits.statement import BoxStatement
from equiproof.circuits.tables import say
from equiproof.verifier.certificate import KeyReference, base64_bytes, check_proof
from equiproof.verifier.documents import Document, Tools, element, parse_document
from equiproof.verifier.errors import CertificateFormatError, Reason
from equiproof.verifier.opened_box import OpenedBox, check_opened_box

BOX = ("equiproof-box", 2)

_ELEMENTS = ("model_commitment", "spec_digest", "domain_digest", "box_commitment", "context_digest")
"""The parts of a statement that are field elements."""


class BoxFields(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A statement about a box as it is written: field elements as 64 hexadecimal digits."""

    model_commitment: str
    spec_digest: str
    domain_digest: str
    box_commitment: str
    context_digest: str
    label: int

    def elements(self) -> dict[str, int]:
        """Return the parts that are field elements, by name; raises CertificateFormatError for invalid ones."""
        return {name: element(getattr(self, name), f"field statement.{name}") for name in _ELEMENTS}

    @property
    def in_range(self) -> bool:
        """Whether the label is a number that a statement of some spec can have."""
        return 0 <= self.label < 1 << 14


class BoxReading(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A statement about a box for people, a function of the spec and the label alone."""

    label: str
    sensitive: tuple[str, ...]

    @classmethod
    def of(cls, spec: Spec, label: int) -> BoxReading:
        """Return the reading of a label, an index below the number of label names."""
        return cls(spec.labels[label], tuple(feature.name for feature in spec.sensitive_features))

    def sentence(self) -> str:
        """Return one sentence that promises no more than the statement."""
        names = f" {say('word.and')} ".join(map(quoted, self.sensitive))
        return say("box.read", sensitive=names, label=quoted(self.label))


class BoxCertificate(Document, frozen=True, forbid_unknown_fields=True):
    """A box certificate; `reading` is the statement in words, `box` the opened box where the owner disclosed it."""

    statement: BoxFields
    reading: BoxReading
    key: KeyReference
    proof_system: ProofSystem
    proof: str
    tools: Tools
    box: OpenedBox | None

    @property
    def proof_bytes(self) -> bytes:
        """The proof, as long as every one of its proof system."""
        return base64_bytes(self.proof)

    def to_statement(self) -> BoxStatement:
        """Return the statement's parts as field elements; raises CertificateFormatError for invalid ones."""
        return BoxStatement(**self.statement.elements(), label=self.statement.label)

    def to_bytes(self) -> bytes:
        """Return the file's bytes, canonical JSON."""
        return canonical_bytes(self)


def parse_box(data: bytes, where: str) -> BoxCertificate:
    """Read a box certificate; raises CertificateFormatError naming `where` and the field."""
    certificate = parse_document(data, BoxCertificate, BOX, where, only_canonical=True)
    if not certificate.statement.in_range:
        raise CertificateFormatError(say("box.statement_out_of_bounds", where=where), Reason.OUT_OF_RANGE)
    check_proof(certificate, where)
    if certificate.box is not None:
        check_opened_box(certificate.box, f"{where}: field box")
    return certificate


def make_box(
    statement: BoxStatement,
    spec: Spec,
    key: KeyReference,
    proof_system: ProofSystem,
    proof: bytes,
    tools: dict[str, str],
    box: OpenedBox | None,
) -> BoxCertificate:
    """Return the certificate of a proven statement; `box` discloses the box."""
    fields = {name: field.to_hex(getattr(statement, name)) for name in _ELEMENTS}
    return BoxCertificate(
        format=BOX[0],
        version=BOX[1],
        statement=BoxFields(**fields, label=statement.label),
        reading=BoxReading.of(spec, statement.label),
        key=key,
        proof_system=proof_system,
        proof=base64.b64encode(proof).decode(),
        tools=tools,
        box=box,
    )
