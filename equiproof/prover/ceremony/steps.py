"""One step of a ceremony as one file: a header, gnark's bytes, and the contributor's signed note.

    the header, canonical JSON      one line, at most 16 KiB, ends with a line break
    gnark's bytes                   as many as the header's `length` says
    the attestation                 a signed note (equiproof.verifier.notes), at most 4 KiB

The step's digest is SHA-256 over the header's line and gnark's bytes. The note states it, with the contributor's name,
the index and the digest before it, so that a step has one place in one ceremony and one author.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec

from equiproof.circuits.canonical import DocumentError, canonical_bytes, read_regular
from equiproof.circuits.link_shape import LinkShape
from equiproof.circuits.shape import Shape
from equiproof.prover.ceremony.documents import CeremonyDocument, Phase
from equiproof.prover.ceremony.errors import Refusal, TranscriptError
from equiproof.verifier.documents import Document, parse_document
from equiproof.verifier.errors import CertificateFormatError, Reason
from equiproof.verifier.notes import Note, NoteError, Signer, VerifierKey, parse_note

STEP = ("equiproof-ceremony-step", 2)
MAX_HEADER_BYTES = 1 << 14
MAX_ATTESTATION_BYTES = 1 << 12


class StepHeader(Document, frozen=True, forbid_unknown_fields=True):
    """What a step is for, and where it stands: all but `name` and `length` follows from the ceremony and the index.

    `system_digest` is there in phase 2 only, with `shape` or, of a key for links, `link_shape`; `previous` is the
    digest of the step before, or of the ceremony's file; `length` is that of gnark's bytes.
    """

    phase: Phase
    power: int
    index: int
    previous: str
    name: str
    length: int
    shape: Shape | msgspec.UnsetType = msgspec.UNSET
    link_shape: LinkShape | msgspec.UnsetType = msgspec.UNSET
    system_digest: str | msgspec.UnsetType = msgspec.UNSET


@dataclass(frozen=True)
class Step:
    """A step that was read and not verified."""

    header: StepHeader
    contribution: bytes
    attestation: Note

    @cached_property
    def digest(self) -> str:
        """The name of the step, in hexadecimal; the next one refers to it."""
        return _digest(self.header, self.contribution)

    def require_signed(self, key: VerifierKey, where: str) -> None:
        """Raise TranscriptError unless the note is this step's, signed by this key and nobody else."""
        if self.attestation.text != statement(self.header, self.digest):
            raise TranscriptError(
                f"{where}: ask its contributor for the file again: the attestation is of another step",
                Refusal.BAD_SIGNATURE,
            )
        try:
            sound = key.signed(self.attestation) and len(self.attestation.signatures) == 1
        except NoteError:
            sound = False
        if not sound:
            raise TranscriptError(
                f"{where}: ask {key.name} for the file again: the signature is not theirs", Refusal.BAD_SIGNATURE
            )


def header_for(ceremony: CeremonyDocument, index: int, previous: str, name: str, length: int) -> StepHeader:
    """Return the header that a step of a ceremony must have."""
    circuit: dict[str, Any] = {}
    if ceremony.phase == "key":
        target = ceremony.target
        field = "link_shape" if isinstance(target.shape, LinkShape) else "shape"
        circuit = {field: target.shape, "system_digest": target.system_digest}
    return StepHeader(
        format=STEP[0],
        version=STEP[1],
        phase=ceremony.phase,
        power=ceremony.power,
        index=index,
        previous=previous,
        name=name,
        length=length,
        **circuit,
    )


def statement(header: StepHeader, digest: str) -> str:
    """Return the text that a contributor signs."""
    place = f"name {header.name}\nindex {header.index}\nprevious {header.previous}\n"
    return f"equiproof-ceremony-step/v2\n{place}digest {digest}\n"


def written(header: StepHeader, contribution: bytes, signer: Signer) -> bytes:
    """Return the file of a step, signed."""
    note = signer.sign(statement(header, _digest(header, contribution)))
    return canonical_bytes(header) + b"\n" + contribution + note.encode()


def read_step(path: Path, length: int) -> Step:
    """Read a step's file with so many bytes of gnark's; raises as :func:`parse_step`, also for what is no file.

    Of a longer file, no more is read than shows it.
    """
    try:
        data = read_regular(path, MAX_HEADER_BYTES + length + MAX_ATTESTATION_BYTES)
    except DocumentError as error:
        raise CertificateFormatError(str(error), Reason.UNREADABLE) from None
    return parse_step(data, str(path), length)


def read_header(path: Path) -> StepHeader:
    """Read the header alone, to say whose step it is; raises CertificateFormatError."""
    try:
        data = read_regular(path, MAX_HEADER_BYTES)
    except DocumentError as error:
        raise CertificateFormatError(str(error), Reason.UNREADABLE) from None
    return _split(data, str(path))[0]


def parse_step(data: bytes, where: str, length: int) -> Step:
    """Read a step whose bytes of gnark's must have this length.

    Raises CertificateFormatError for a file that is no step, TranscriptError for a header that states another length:
    in both cases before any of gnark's bytes is looked at.
    """
    header, rest = _split(data, where)
    if header.length != length:
        raise TranscriptError(
            f"{where}: ask its contributor for the file again: the header states {header.length} bytes of gnark's, "
            f"this ceremony's have {length}",
            Refusal.WRONG_LENGTH,
        )
    # The header's length is the ceremony's now, so what lies behind gnark's bytes is the attestation and nothing else.
    if len(rest) - length > MAX_ATTESTATION_BYTES:
        raise CertificateFormatError(
            f"{where}: ask its contributor for the file again: longer than a step of this ceremony", Reason.WRONG_LENGTH
        )
    if len(rest) <= length:
        raise CertificateFormatError(f"{where}: ask its contributor for the file again: cut short", Reason.WRONG_LENGTH)
    try:
        return Step(header, rest[:length], parse_note(rest[length:]))
    except NoteError as error:
        raise CertificateFormatError(
            f"{where}: ask its contributor for the file again: what stands behind gnark's bytes is no attestation: "
            f"{error}",
            Reason.WRONG_LENGTH,
        ) from None


def _split(data: bytes, where: str) -> tuple[StepHeader, bytes]:
    """Return the header, and what stands behind its line."""
    line, broken, rest = data[:MAX_HEADER_BYTES].partition(b"\n")
    if not broken:
        raise CertificateFormatError(
            f"{where}: ask its contributor for the file again: not a step of a ceremony, it has no header",
            Reason.NOT_JSON,
        )
    header = parse_document(line, StepHeader, STEP, where, only_canonical=True)
    return header, rest + data[MAX_HEADER_BYTES:]


def _digest(header: StepHeader, contribution: bytes) -> str:
    return hashlib.sha256(canonical_bytes(header) + b"\n" + contribution).hexdigest()
