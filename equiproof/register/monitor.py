"""Following a log: every checkpoint must go on from the one kept before, and every entry must be in its tree.

Kept are the newest checkpoint that was accepted, and the right edge of the entries read so far, which may be fewer.
Entries are read in parts; each part is told once its edge is proven to begin the checkpoint's tree, and kept after it
was told: a process that dies in between tells that part again, and skips none.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import msgspec

from equiproof.circuits.canonical import MAX_DOCUMENT_BYTES, canonical_bytes
from equiproof.register.errors import HistoryError, LogError
from equiproof.register.evidence import keep
from equiproof.register.frontier import Frontier
from equiproof.register.holdings import Event, Held, Holdings
from equiproof.register.kept import Kept
from equiproof.register.log import Log
from equiproof.verifier.checkpoint import Checkpoint, SignedCheckpoint
from equiproof.verifier.documents import Document, parse_document
from equiproof.verifier.errors import CertificateFormatError, Reason
from equiproof.verifier.merkle import HASH_BYTES, leaf_hash

MONITOR = ("equiproof-monitor", 1)
PART = 1 << 12
"""How many entries are read, proven and kept at a time."""

PART_BYTES = 1 << 24
"""How long they are together, but for the last one: a log may hold nothing but the longest entries there are."""


class MonitorState(Document, frozen=True, forbid_unknown_fields=True):
    """The file of a monitor: `log` is the pinned key, `checkpoint` the signed note, "" before the first one.

    `read` counts the entries told so far, `peaks` are the roots of their tree's whole subtrees in hexadecimal.
    `decisions` of them were decisions. `owner` is the one owner that is followed, None for all.
    """

    log: str
    owner: str | None
    checkpoint: str
    read: int
    peaks: tuple[str, ...]
    decisions: int
    owners: dict[str, Held]


@dataclass(frozen=True)
class Part:
    """Some entries: those up to `read` of a log of `size` entries are told now; `decisions` among the new ones."""

    size: int
    read: int
    decisions: int
    events: tuple[Event, ...]


class Monitor:
    """Follows one log under its pinned key with the state in a file, which the caller holds.

    Raises LogError for a state that is none, of another log or for another owner.
    """

    def __init__(self, log: Log, file: Kept, owner: str | None = None) -> None:
        self._log = log
        self._file = file
        data = file.read()
        if data is None:
            self._state = MonitorState(*MONITOR, log.key.text, owner, "", 0, (), 0, {})
        else:
            self._state = _parsed(data, file, log, owner)
        self._newest = self._opened()

    @property
    def state(self) -> MonitorState:
        """What is kept now."""
        return self._state

    def update(self) -> Iterator[Part]:
        """Look at the log once: yield what is new, nothing where there is none.

        Raises HistoryError, with the evidence kept, for a checkpoint that contradicts the one kept before; LogError for
        a log that is away or damaged, or a checkpoint of another key. What was accepted before stays kept.
        """
        data, shown = self._log.newest()
        if self._newest is None or shown.checkpoint != self._newest.checkpoint:
            # Kept only once it is known to go on from the last one: what is kept is what the next one is held against.
            self._refuse_other_history(data, shown)
            self._keep(checkpoint=data.decode())
            self._newest = shown
        yield from self._new_entries(shown.checkpoint)

    def compare(self, data: bytes, where: str) -> None:
        """Hold a checkpoint that somebody else was shown against the one kept here.

        Raises HistoryError, with the evidence kept, where both cannot be of one history; LogError for one that this log
        did not sign, and for a larger one: the log may be about to show it here too, or hide it, and only who was shown
        the larger tree can read whether it begins with the smaller one.
        """
        other = self._log.opened(data, where)
        if self._newest is None:
            raise LogError(f"{self._file.path}: no checkpoint is kept yet to compare with")
        mine = self._newest.checkpoint
        its = other.checkpoint
        if its.size > mine.size:
            raise LogError(
                f"{self._log.source.name}: {mine.size} entries are shown here, and {its.size} by {where}: look again; "
                "if this stays so, the log hides entries, and whoever has the other checkpoint compares with this one"
            )
        start = self._log.start_of(mine, self._log.tiles(mine), its.size)
        if start[0] != its.root:
            message = f"the log signed two histories of its first {its.size} entries, here and in {where}"
            raise self._contradiction(message, data, self._state.checkpoint.encode(), (its.size, *start))

    def _refuse_other_history(self, data: bytes, newer: SignedCheckpoint) -> None:
        """Raise HistoryError unless a checkpoint goes on from the one kept before."""
        if self._newest is None:
            return
        old = self._newest.checkpoint
        new = newer.checkpoint
        kept_note = self._state.checkpoint.encode()
        if new.size < old.size:
            message = f"the log went back: it showed {old.size} entries, and now {new.size}"
            raise self._contradiction(message, kept_note, data, None)
        if new.size == old.size:
            message = f"the log signed two histories: two trees of {old.size} entries have different roots"
            raise self._contradiction(message, kept_note, data, None)
        start = self._log.start_of(new, self._log.tiles(new), old.size)
        if start[0] != old.root:
            message = (
                f"the log signed two histories: the tree of {new.size} entries does not go on from that of {old.size}"
            )
            raise self._contradiction(message, kept_note, data, (old.size, *start))

    def _contradiction(
        self, message: str, kept_note: bytes, shown_note: bytes, start: tuple[int, bytes, tuple[bytes, ...]] | None
    ) -> HistoryError:
        """Keep the evidence; return the error that names it."""
        folder = keep(self._file.path, kept_note, shown_note, start)
        return HistoryError(f"{self._log.source.name}: {message}; both signed checkpoints are in {folder}", folder)

    def _new_entries(self, checkpoint: Checkpoint) -> Iterator[Part]:
        """Read the entries up to a checkpoint in parts, each proven before it is told, and kept after."""
        state = self._state
        tiles = self._log.tiles(checkpoint)
        edge = Frontier(state.read, tuple(map(bytes.fromhex, state.peaks)))
        while edge.size < checkpoint.size:
            entries = _part(tiles.entries(edge.size, min(checkpoint.size, (edge.size // PART + 1) * PART)))
            last = edge.size + len(entries)
            next_edge = edge.grown([leaf_hash(entry) for entry in entries])
            if self._log.start_of(checkpoint, tiles, last)[0] != next_edge.root:
                name = self._log.source.name
                raise LogError(f"{name}: entries {edge.size} to {last - 1} are not those of the checkpoint's tree")
            holdings = Holdings(_copied(self._state.owners), self._state.owner)
            events = [event for at, data in enumerate(entries, edge.size) if (event := holdings.take(at, data))]
            events += holdings.several()
            # Told first and kept after: a process that dies in between tells it again, and never leaves it out.
            yield Part(checkpoint.size, last, holdings.decisions, tuple(events))
            edge = next_edge
            self._keep(
                read=last,
                peaks=tuple(peak.hex() for peak in edge.peaks),
                decisions=self._state.decisions + holdings.decisions,
                owners=holdings.owners,
            )

    def _keep(self, **changes: object) -> None:
        """Write the state with some fields changed; raises LogError for one that could not be read again."""
        state = msgspec.structs.replace(self._state, **changes)
        data = canonical_bytes(state)
        if len(data) > MAX_DOCUMENT_BYTES:
            raise LogError(f"{self._file.path}: more owners than a state holds; follow one owner: --owner")
        self._file.write(data)
        self._state = state

    def _opened(self) -> SignedCheckpoint | None:
        """Return the kept checkpoint, its signature checked; None where there is none yet."""
        if not self._state.checkpoint:
            return None
        return self._log.opened(self._state.checkpoint.encode(), f"{self._file.path}: field checkpoint")


def parse_state(data: bytes, where: str) -> MonitorState:
    """Read the state of a monitor; raises CertificateFormatError naming `where` and the field."""
    state = parse_document(data, MonitorState, MONITOR, where, only_canonical=True)
    peak_count = max(state.read, 0).bit_count()
    if state.read < 0 or len(state.peaks) != peak_count or not all(map(_is_hash, state.peaks)):
        message = f"{where}: field peaks: want {peak_count} hashes for {state.read} entries"
        raise CertificateFormatError(message, Reason.WRONG_FIELDS)
    return state


def _parsed(data: bytes, file: Kept, log: Log, owner: str | None) -> MonitorState:
    """Read a state that a monitor goes on from; raises LogError where it cannot."""
    try:
        state = parse_state(data, str(file.path))
    except CertificateFormatError as error:
        raise LogError(f"name another file (--state), or bring the right one back: {error}") from None
    if state.log != log.key.text:
        raise LogError(f"{file.path}: the state of another log's monitor: {state.log}")
    if state.owner != owner:
        raise LogError(f"{file.path}: name another file (--state): kept for {state.owner or 'all owners'}")
    return state


def _part(entries: Iterator[bytes]) -> list[bytes]:
    """Return the first of some entries, up to the one that makes them too long."""
    part = list[bytes]()
    length = 0
    for entry in entries:
        part.append(entry)
        length += len(entry)
        if length > PART_BYTES:
            break
    return part


def _copied(owners: dict[str, Held]) -> dict[str, Held]:
    """Return a copy that may change."""
    return {
        owner: Held(dict(holding.commitments), dict(holding.keys), dict(holding.links))
        for owner, holding in owners.items()
    }


def _is_hash(text: str) -> bool:
    """Return whether a text is a hash in hexadecimal."""
    return len(text) == 2 * HASH_BYTES and all(sign in "0123456789abcdef" for sign in text)
