"""Checkpoints of a log, and the cosignatures of those who watch it, as C2SP describes them.

A checkpoint (https://c2sp.org/tlog-checkpoint) is a signed note of three lines: the log's origin, the number of its
entries, and the root of their tree in base64. There are no further lines here, and the origin is the name of the log's
key. A cosignature (https://c2sp.org/tlog-cosignature) is a witness's word that at a time this was the largest tree of
the log that it saw, and that it goes on from those it saw before.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import ClassVar

from equiproof.circuits.exit_codes import MISUSED, REFUSED
from equiproof.circuits.tables import say
from equiproof.verifier.merkle import EMPTY_ROOT, HASH_BYTES, MAX_SIZE
from equiproof.verifier.notes import Note, NoteError, Signer, VerifierKey, holds, known_name, parse_note, read_base64

MAX_TIME = 2**63 - 1
"""The latest time of a cosignature, in POSIX seconds."""

_NUMBER = re.compile("0|[1-9][0-9]{0,18}")
_TIME_BYTES = 8
_SIGNATURE_BYTES = 64


class CheckpointError(ValueError):
    """Text that is no checkpoint; one line that says why."""

    exit_code: ClassVar[int] = MISUSED


class UnsignedError(ValueError):
    """A checkpoint of another log, or one that whoever must have signed it did not sign; one line that says why."""

    exit_code: ClassVar[int] = REFUSED


@dataclass(frozen=True)
class Checkpoint:
    """The state of a log: `size` entries, and the root of their tree."""

    origin: str
    size: int
    root: bytes

    @property
    def text(self) -> str:
        """The text that log and witnesses sign."""
        return f"{self.origin}\n{self.size}\n{base64.b64encode(self.root).decode()}\n"


@dataclass(frozen=True)
class SignedCheckpoint:
    """A checkpoint that the log signed, and the note with every signature."""

    checkpoint: Checkpoint
    note: Note


def parse_checkpoint(text: str) -> Checkpoint:
    """Read the text of a checkpoint, of which there is one spelling; raises CheckpointError."""
    lines = text.split("\n")
    if len(lines) != 4 or lines[3]:
        raise CheckpointError(say("checkpoint.malformed"))
    origin, size, encoded, _ = lines
    try:
        known_name(origin)
    except NoteError as error:
        raise CheckpointError(say("checkpoint.origin_wrong", problem=str(error))) from None
    if (number := parse_number(size)) is None:
        raise CheckpointError(say("checkpoint.size_malformed", size=repr(size[:24])))
    if len(root := read_base64(encoded)) != HASH_BYTES:
        raise CheckpointError(say("checkpoint.root_malformed", bytes=HASH_BYTES))
    if number == 0 and root != EMPTY_ROOT:
        raise CheckpointError(say("checkpoint.empty_log_root"))
    return Checkpoint(origin, number, root)


def parse_number(text: str) -> int | None:
    """Return a decimal number from 0 to 2^63 - 1 in its one spelling; None for anything else."""
    # The pattern allows the 19 digits of 2^63 - 1 at most, which bounds the work of reading the number.
    if not _NUMBER.fullmatch(text) or int(text) > MAX_SIZE:
        return None
    return int(text)


def open_checkpoint(data: bytes, log: VerifierKey) -> SignedCheckpoint:
    """Read a signed checkpoint of this log; cosignatures and signatures of others are passed over.

    Raises NoteError or CheckpointError for bytes that are none, UnsignedError for one of another log, or one that the
    log did not sign.
    """
    note = parse_note(data, any_kind=True)
    checkpoint = parse_checkpoint(note.text)
    if checkpoint.origin != log.name:
        raise UnsignedError(say("checkpoint.of_other_log", origin=checkpoint.origin, log=log.name))
    try:
        signed = log.signed(note)
    except NoteError as error:
        raise UnsignedError(say("checkpoint.cosignature_refused", log=log.name, problem=str(error))) from None
    if not signed:
        raise UnsignedError(say("checkpoint.unsigned", log=log.name))
    return SignedCheckpoint(checkpoint, note)


def cosigned(signed: SignedCheckpoint, witnesses: Collection[VerifierKey]) -> dict[VerifierKey, int]:
    """Return which of the witnesses cosigned a checkpoint, and when, in POSIX seconds: of several times, the last.

    Raises UnsignedError where a cosignature under one of these keys does not hold. Those of others are passed over.
    """
    times: dict[VerifierKey, int] = {}
    for witness in witnesses:
        for line in signed.note.signatures:
            if (line.name, line.identifier) == (witness.name, witness.cosigner):
                times[witness] = max(times.get(witness, 0), _time(line.signature, witness, signed.note.text))
    return times


def cosign(signer: Signer, checkpoint: Checkpoint, time: int) -> str:
    """Return the line of a witness's signature below a checkpoint, at a time in POSIX seconds from 0 to 2^63 - 1."""
    signature = signer.signature(_message(checkpoint.text, time))
    data = signer.verifier.cosigner + time.to_bytes(_TIME_BYTES, "big") + signature
    return f"— {signer.name} {base64.b64encode(data).decode()}\n"


def _time(data: bytes, witness: VerifierKey, text: str) -> int:
    """Return the time of a cosignature that holds."""
    time = int.from_bytes(data[:_TIME_BYTES], "big")
    signature = data[_TIME_BYTES:]
    known = len(signature) == _SIGNATURE_BYTES and time <= MAX_TIME
    if not known or not holds(witness.public, signature, _message(text, time)):
        raise UnsignedError(say("checkpoint.cosignature_wrong", witness=witness.name))
    return time


def _message(text: str, time: int) -> bytes:
    """Return what a witness signs."""
    return f"cosignature/v1\ntime {time}\n{text}".encode()
