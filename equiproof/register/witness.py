"""A witness: signs that a log's checkpoint goes on from the last one that it signed (https://c2sp.org/tlog-witness).

For each log it keeps the newest checkpoint that it signed. It signs another one only after the new state is on its
disk, one request at a time: so no two of its signatures are about two roots of one size, or about a log that went back.
"""

from __future__ import annotations

import base64
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from threading import Lock

from equiproof.circuits.canonical import canonical_bytes
from equiproof.register.errors import LogError
from equiproof.register.kept import Kept
from equiproof.verifier.checkpoint import (
    CheckpointError,
    SignedCheckpoint,
    UnsignedError,
    cosign,
    open_checkpoint,
    parse_checkpoint,
    parse_number,
)
from equiproof.verifier.documents import Document, parse_document
from equiproof.verifier.errors import CertificateFormatError, Reason
from equiproof.verifier.merkle import EMPTY_ROOT, HASH_BYTES, MAX_PATH, MerkleError, check_consistency
from equiproof.verifier.notes import MAX_NOTE_BYTES, NoteError, Signer, VerifierKey, parse_note, read_base64

WITNESS = ("equiproof-witness", 1)
MAX_REQUEST_BYTES = MAX_NOTE_BYTES + (1 << 13)
"""A checkpoint, and 64 lines of a proof above it."""

SIZE_TYPE = "text/x.tlog.size"
TEXT_TYPE = "text/plain; charset=utf-8"


class WitnessState(Document, frozen=True, forbid_unknown_fields=True):
    """The file of a witness: `witness` is its own verifier key, `logs` the newest signed checkpoint by origin.

    These notes have the log's signature and the witness's own, and no others.
    """

    witness: str
    logs: dict[str, str]


@dataclass(frozen=True)
class Answer:
    """An answer over HTTP."""

    status: int
    body: bytes
    kind: str = TEXT_TYPE


class _RefusedError(Exception):
    """Ends a request with an answer."""

    def __init__(self, status: int, message: str, kind: str = TEXT_TYPE) -> None:
        super().__init__(message)
        self.answer = Answer(status, f"{message}\n".encode(), kind)


class Witness:
    """One signer over the logs that it knows, with its state in a file that the caller holds.

    `now` gives POSIX seconds. Raises LogError for a state that is none or is another witness's.
    """

    def __init__(
        self, file: Kept, signer: Signer, logs: Sequence[VerifierKey], now: Callable[[], float] = time.time
    ) -> None:
        self._file = file
        self._signer = signer
        self._now = now
        self._logs = {log.name: log for log in logs}
        self._lock = Lock()
        self._unsure = False
        data = file.read()
        self._notes = {} if data is None else self._read(data)

    def add_checkpoint(self, body: bytes) -> Answer:
        """Answer a request to sign a checkpoint: 200 with the signature's line, or why not.

        As the protocol says: 400 for what is no request, 404 for an unknown log, 403 for a checkpoint that the log did
        not sign, 409 with the size where the request starts elsewhere, 422 for a proof that does not hold.
        """
        try:
            old, path, signed = self._request(body)
            with self._lock:
                return self._signed(old, path, signed)
        except _RefusedError as refused:
            return refused.answer

    def newest(self, origin_hash: str) -> Answer:
        """Answer with the newest checkpoint that was signed of a log, named by the SHA-256 of its origin."""
        with self._lock:
            for origin, note in self._notes.items():
                if sha256(origin.encode()).hexdigest() == origin_hash:
                    return Answer(200, note.encode())
        return Answer(404, b"no checkpoint of this log was signed here\n")

    def _request(self, body: bytes) -> tuple[int, list[bytes], SignedCheckpoint]:
        """Read a request: where it starts from, its proof, and the checkpoint, signed by its log."""
        head, blank, note = body.partition(b"\n\n")
        first, *lines = head.decode("ascii", "replace").split("\n")
        old = parse_number(first.removeprefix("old "))
        path = list(map(read_base64, lines))
        if not blank or not first.startswith("old ") or old is None or len(path) > MAX_PATH:
            raise _RefusedError(400, "want `old SIZE`, at most 63 lines of a proof, an empty line and a checkpoint")
        if any(len(one) != HASH_BYTES for one in path):
            raise _RefusedError(400, "a line of the proof is not 32 bytes in base64")
        return old, path, self._checkpoint(note)

    def _checkpoint(self, data: bytes) -> SignedCheckpoint:
        """Read a checkpoint of a known log."""
        text = ""
        try:
            text = parse_note(data, any_kind=True).text
            origin = text.partition("\n")[0]
            if origin not in self._logs:
                raise _RefusedError(404, "an unknown log")
            return open_checkpoint(data, self._logs[origin])
        except UnsignedError as error:
            raise _RefusedError(403, str(error)) from None
        except CheckpointError as error:
            # A root that an empty tree does not have is a wrong proof (422); any other fault is no checkpoint (400).
            raise _RefusedError(422 if text.split("\n")[1:2] == ["0"] else 400, str(error)) from None
        except NoteError as error:
            raise _RefusedError(400, str(error)) from None

    def _signed(self, old: int, path: Sequence[bytes], signed: SignedCheckpoint) -> Answer:
        """Compare with what was signed before, keep the new checkpoint, and only then sign it."""
        new = signed.checkpoint
        if self._unsure:
            raise _RefusedError(500, "start the witness again: the state could not be written before")
        if old > new.size:
            raise _RefusedError(400, f"old {old} is more than the {new.size} entries of the checkpoint")
        before = self._last(new.origin)
        if old != before[0]:
            raise _RefusedError(409, str(before[0]), SIZE_TYPE)
        try:
            check_consistency(before, (new.size, new.root), path)
        except MerkleError as error:
            raise _RefusedError(422, str(error)) from None
        # Made first, since the state has it too, and handed out last: a signature that left is always on the disk.
        line = cosign(self._signer, new, int(self._now()))
        self._keep(new.origin, _note(signed, self._logs[new.origin], line))
        return Answer(200, line.encode())

    def _last(self, origin: str) -> tuple[int, bytes]:
        """Return size and root of the newest checkpoint that was signed of a log."""
        if origin not in self._notes:
            return 0, EMPTY_ROOT
        checkpoint = parse_checkpoint(self._notes[origin].partition("\n\n")[0] + "\n")
        return checkpoint.size, checkpoint.root

    def _keep(self, origin: str, note: str) -> None:
        """Write the state; where that fails, nothing more is signed, since the disk may have either state."""
        notes = self._notes | {origin: note}
        try:
            self._file.write(canonical_bytes(WitnessState(*WITNESS, self._signer.verifier.text, notes)))
        except OSError as error:
            self._unsure = True
            raise _RefusedError(500, f"the state cannot be written: {error.strerror}") from None
        self._notes = notes

    def _read(self, data: bytes) -> dict[str, str]:
        """Read the state's notes; raises LogError unless they are this witness's, each signed by its log.

        A log that is no longer among the known ones keeps its line: it may come back.
        """
        try:
            state = parse_witness_state(data, str(self._file.path))
        except CertificateFormatError as error:
            raise LogError(f"{error}; without its state a witness could sign two histories") from None
        if state.witness != self._signer.verifier.text:
            raise LogError(f"{self._file.path}: the state of another witness: {state.witness}")
        for origin in state.logs.keys() & self._logs.keys():
            try:
                open_checkpoint(state.logs[origin].encode(), self._logs[origin])
            except (NoteError, CheckpointError, UnsignedError) as error:
                raise LogError(f"{self._file.path}: field logs.{origin}: {error}") from None
        return state.logs


def parse_witness_state(data: bytes, where: str) -> WitnessState:
    """Read the state of a witness; raises CertificateFormatError naming `where` and the field."""
    state = parse_document(data, WitnessState, WITNESS, where, only_canonical=True)
    for origin, note in state.logs.items():
        try:
            checkpoint = parse_checkpoint(parse_note(note.encode(), any_kind=True).text)
        except (NoteError, CheckpointError) as error:
            raise CertificateFormatError(f"{where}: field logs: {error}", Reason.WRONG_FIELDS) from None
        if checkpoint.origin != origin:
            message = f"{where}: field logs: the checkpoint of {checkpoint.origin} under another name"
            raise CertificateFormatError(message, Reason.WRONG_FIELDS)
    return state


def _note(signed: SignedCheckpoint, log: VerifierKey, line: str) -> str:
    """Return a checkpoint with a signature of the log and the witness's, and none that nobody here checked.

    Of several of the log's, one: with as many as a note may have, the witness's own would be one too many to read.
    """
    own = next(one for one in signed.note.signatures if (one.name, one.identifier) == (log.name, log.identifier))
    encoded = base64.b64encode(own.identifier + own.signature).decode()
    return f"{signed.note.text}\n— {own.name} {encoded}\n{line}"
