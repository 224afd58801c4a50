"""The public log as the service knows it by its settings: appending to it, and proofs that relying parties accept."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import ClassVar

from equiproof.circuits.canonical import read_limited
from equiproof.circuits.exit_codes import MISUSED
from equiproof.register.client import Appended, Writer
from equiproof.register.errors import LogError
from equiproof.register.frontier import Frontier
from equiproof.register.log import Log
from equiproof.service.settings import LogSettings
from equiproof.verifier.checkpoint import Checkpoint, UnsignedError, cosigned
from equiproof.verifier.errors import CertificateFormatError, PolicyError
from equiproof.verifier.logged import LogPins, standing
from equiproof.verifier.merkle import leaf_hash
from equiproof.verifier.notes import NoteError, VerifierKey, parse_keys

Append = Callable[[Sequence[bytes]], list[Appended | LogError]]
"""Appends entries, and returns where each stands, or why it does not; after a log that is away the answers end."""


class PinsError(ValueError):
    """Keys of the log or of witnesses that cannot be pinned; one line naming the file or the field."""

    exit_code: ClassVar[int] = MISUSED


class UnwitnessedError(LogError):
    """A checkpoint that fewer witnesses have cosigned than the settings want; a later one may do."""


class PublicLog:
    """A log under its pinned key, with the witnesses that must have seen what is proven."""

    def __init__(self, url: str, pins: LogPins, append_to: Append | None = None) -> None:
        self.pins = pins
        self.append_together: Append = append_to or Writer(url).append_together
        self._log = Log(url, pins.log)

    def append(self, entry: bytes) -> Appended:
        """Append one entry; raises LogError."""
        (outcome,) = self.append_together([entry])
        if isinstance(outcome, LogError):
            raise outcome
        return outcome

    def newest(self) -> tuple[bytes, Checkpoint]:
        """Return the checkpoint that the log shows now, signed and read; raises LogError."""
        data, signed = self._log.newest()
        return data, signed.checkpoint

    def entries(self, checkpoint: Checkpoint) -> Iterator[bytes]:
        """Yield all entries of a checkpoint's tree; raises LogError, at the end too if they are not its entries."""
        tree = Frontier()
        for entry in self._log.tiles(checkpoint).entries(0, checkpoint.size):
            tree = tree.grown([leaf_hash(entry)])
            yield entry
        if tree.root != checkpoint.root:
            raise LogError(f"{self._log.source.name}: its {tree.size} entries are not those of its checkpoint")

    def seen(self) -> list[int]:
        """Return when each witness signed the checkpoint that the log shows now, in POSIX seconds; raises LogError."""
        _, signed = self._log.newest()
        try:
            return list(cosigned(signed, self.pins.witnesses).values())
        except UnsignedError as error:
            raise LogError(str(error)) from None

    def proof(self, shown: tuple[bytes, Checkpoint], index: int, entry: bytes, now: int) -> bytes:
        """Return the file that proves an entry's place under a checkpoint; `now` is in POSIX seconds.

        It is judged as a relying party will with the same pins. Raises UnwitnessedError where too few witnesses have
        seen the checkpoint, and LogError where the log does not show the entry.
        """
        proof = self._log.proof(*shown, index, entry).data
        try:
            standing(proof, self.pins, now)
        except PolicyError as error:
            raise UnwitnessedError(str(error)) from None
        except CertificateFormatError as error:
            raise LogError(str(error)) from None
        return proof


def public_log(settings: LogSettings) -> PublicLog:
    """Return the log of the settings; raises OSError, PinsError and LogError for files or fields that are of no use.

    Each file of `witnesses` has one verifier key a line. Without `least_witnesses`, all of them must have signed.
    """
    (log,) = _keys(settings.key, witnesses=False, most=1)
    witnesses = tuple(key for path in settings.witnesses for key in _keys(path, witnesses=True))
    try:
        pins = LogPins(log, witnesses, settings.least_witnesses or len(witnesses))
    except (ValueError, NoteError) as error:
        raise PinsError(f"field log.witnesses: {error}") from None
    return PublicLog(settings.url, pins)


def _keys(path: str, *, witnesses: bool, most: int | None = None) -> tuple[VerifierKey, ...]:
    """Read verifier keys of a file."""
    try:
        keys = parse_keys(read_limited(Path(path)).decode("utf-8", "replace"), path, witnesses=witnesses)
    except NoteError as error:
        raise PinsError(str(error)) from None
    if most is not None and len(keys) > most:
        raise PinsError(f"{path}: {len(keys)} keys, want the log's alone")
    return keys
