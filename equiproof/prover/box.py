"""From a box to its certificate: the worst person or leaves, witness, proof, and doubt; steps as in `prove.py`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from fractions import Fraction
from typing import Any, ClassVar

from equiproof.certify.boxes import BoxRoom, decide_box
from equiproof.certify.branch.evidence import BranchEvidence
from equiproof.certify.people import Box, BoxError
from equiproof.certify.trees.box import Worst
from equiproof.certify.trees.ensemble_evidence import EnsembleEvidence
from equiproof.circuits import field
from equiproof.circuits.assignments import values_of_row
from equiproof.circuits.branch_layout import shape_parameters
from equiproof.circuits.categories import choices_of
from equiproof.circuits.commitment import table_digest
from equiproof.circuits.encodings import ENCODINGS
from equiproof.circuits.exit_codes import EXHAUSTED
from equiproof.circuits.names import quoted
from equiproof.circuits.shape import Shape
from equiproof.circuits.spec import Spec
from equiproof.circuits.statement import BoxStatement, context_digest
from equiproof.circuits.text import several
from equiproof.prover.opening import Opening
from equiproof.prover.proving import Clock, Proving, bound_context
from equiproof.prover.version import tools
from equiproof.prover.witness.box import Secrets, generate
from equiproof.verifier.box import BoxCertificate, make_box, parse_box
from equiproof.verifier.documents import KeyDocument
from equiproof.verifier.opened_box import OPENED_BOX, OpenedBox

Ends = Mapping[str, tuple[Any, ...]]
"""By feature, what :class:`.opened_box.OpenedBox` has: its least and largest value, its possible values, or nothing."""


class NotDecidedError(ValueError):
    """Somebody in the box is not decided so; `worst` is who, for the owner alone."""

    exit_code: ClassVar[int] = EXHAUSTED

    def __init__(self, message: str, found: Worst) -> None:
        super().__init__(message)
        self.worst = found

    def __reduce__(self) -> tuple[type[NotDecidedError], tuple[str, Worst]]:
        """Support pickling: an exception is made again from its arguments."""
        return NotDecidedError, (str(self), self.worst)


class RoomError(ValueError):
    """A key has no room for the evidence of a box; one line."""

    exit_code: ClassVar[int] = EXHAUSTED


@dataclass(frozen=True)
class BoxProven:
    """A box certificate with the opened box, which is its holder's. The repr shows the certificate and the seconds."""

    certificate: BoxCertificate
    opened: OpenedBox = dataclass_field(repr=False)
    seconds: dict[str, float]
    key: KeyDocument = dataclass_field(repr=False)

    @property
    def identity(self) -> str:
        """The certificate's name: its statement digest."""
        return field.to_hex(self.certificate.to_statement().digest(self.key.shape))

    def document(self) -> dict[str, Any]:
        """Return the figures of the proof as a JSON document."""
        certificate = self.certificate
        return {
            "verdict": "box",
            "statement": certificate.reading.sentence(),
            "label": certificate.reading.label,
            "constraints": self.key.constraints,
            "proof_bytes": len(certificate.proof_bytes),
            "certificate_bytes": len(certificate.to_bytes()),
            "seconds": {name: round(value, 4) for name, value in self.seconds.items()},
        }


class BoxProver(Proving):
    """Proves boxes of one committed model under one key of boxes; see :class:`.proving.Proving`."""

    def prove(
        self,
        ends: Ends,
        label: str,
        context: Mapping[str, str] | None = None,
        *,
        blinding: int | None = None,
        disclose: bool = False,
    ) -> BoxProven:
        """Prove that everybody in a box gets a label, by name, whatever the listed sensitive values are.

        `context`, `blinding` and `disclose` are as in :meth:`.prove.Prover.prove`. Raises NotDecidedError where
        somebody in the box is decided otherwise or not at all, CertificateFormatError for ends that do not fit the
        spec and for a context that no policy would demand, and BoxError for a label or a box that is none.
        """
        made_for, clock, spec = bound_context(context), Clock(), self.opening.spec
        blinding = field.random() if blinding is None else blinding
        opened, box = open_box(spec, ends, label, blinding)
        shape = self.key.document.shape
        leaves = decided(self.opening, shape, box, label)
        clock.lap("certify")
        statement = state_box(self.opening, opened, label, made_for)
        secrets = Secrets(self.opening.model, self.opening.blinding, box, blinding, spec.domain_table, leaves)
        witness = generate(shape, statement, secrets)
        clock.lap("witness")
        proof = self._prove(witness)
        clock.lap("prove")
        document = self.key.document
        shown = opened if disclose else None
        certificate = make_box(statement, spec, self._reference, document.proof_system, proof, tools(), shown)
        self._doubt(parse_box(certificate.to_bytes(), "own certificate"), statement)
        clock.lap("verify")
        return BoxProven(certificate, opened, clock.seconds, document)


def open_box(spec: Spec, ends: Ends, label: str, blinding: int) -> tuple[OpenedBox, Box]:
    """Return a box under a blinding, with the integers of its ends; raises as :meth:`BoxProver.prove`."""
    if label not in spec.labels:
        raise BoxError(f"label {label[:40]!r} is unknown: want one of {', '.join(spec.labels)}")
    opened = OpenedBox(OPENED_BOX[0], OPENED_BOX[1], dict(ends), field.to_hex(blinding))
    integers = opened.integers(spec)
    return opened, Box(integers.low, integers.high, choices_of(spec))


def state_box(opening: Opening, opened: OpenedBox, label: str, context: dict[str, str]) -> BoxStatement:
    """Bind model, spec, table, box, label and context together."""
    spec = opening.spec
    return BoxStatement(
        model_commitment=opening.commitment,
        spec_digest=spec.digest,
        domain_digest=table_digest(spec),
        box_commitment=opened.commitment(spec),
        label=spec.labels.index(label),
        context_digest=context_digest(context),
    )


def decided(opening: Opening, shape: Shape, box: Box, label: str) -> EnsembleEvidence | BranchEvidence | None:
    """Return the leaves that decide a model on a box, None for an additive model, which needs none.

    Raises NotDecidedError where somebody is decided otherwise, RoomError where the shape's room does not do.
    """
    spec = opening.spec
    found = decide_box(opening.model, box, spec.domain_table, spec.labels.index(label), room_of(shape))
    if found.wrong is not None:
        raise _not_decided(spec, box, label, found.wrong)
    if found.lacking in ("leaves", "slots", "rows"):
        room = {"leaves": shape.capacity, "slots": shape.slot_count, "rows": shape.row_count}[found.lacking]
        option = "--capacity" if found.lacking == "leaves" else f"--{found.lacking}"
        raise RoomError(
            f"box: make a key with `equiproof setup --box` and a larger {option}, or a smaller box: this key has "
            f"{room} {found.lacking}, and at least {found.needed} are needed"
        )
    if found.lacking is not None:
        raise BoxError("box: make it smaller: no leaves were found that decide everybody in it")
    return found.leaves


def room_of(shape: Shape) -> BoxRoom:
    """Return the room of a key of boxes of this shape."""
    if not shape.additive:
        return BoxRoom(shape.capacity, parameters=shape_parameters(shape))
    return BoxRoom(shape.capacity, shape.slot_count, shape.row_count)


def _not_decided(spec: Spec, box: Box, label: str, found: Worst) -> NotDecidedError:
    """Return the error of a box with somebody in it who is decided otherwise: what of them the box leaves open."""
    who, place = [], 0
    for feature in spec.plain_features:
        columns = slice(place, place + feature.width)
        place += feature.width
        if box.low[columns] != box.high[columns]:
            numbers = [Fraction(value) for value in found.point[columns]]
            value = ENCODINGS[feature.encoding].decoded(feature, numbers, spec.scale_unit, _written)
            who.append(f"{quoted(feature.name)} {quoted(value)}")
    sensitive = values_of_row(spec, found.row)
    who += [f"{quoted(name)} {quoted(str(value))}" for name, value in sensitive.items()]
    return NotDecidedError(f"box: make it smaller: somebody in it is not decided {label!r}: {several(who, 12)}", found)


def _written(value: Fraction, digits: int | None) -> str:
    """Write a number with so many decimals."""
    return f"{float(value):.{6 if digits is None else digits}f}"
