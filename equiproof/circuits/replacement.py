"""Files that belong together are replaced as one, also where a process is killed in between.

Two files cannot be renamed at once. So a *note* beside each of them, `.NAME.replacing` (0600), names the finished
contents that wait beside the files under `.NAME.TOKEN`. The first file that is put into its place decides: before
that, whoever meets a note removes what waits; after that, he puts the rest into place. Who cannot write there reads
what waits. A process that is still at work holds a lock on its notes, and others wait for it.
"""

from __future__ import annotations

import json
import os
import re
import stat
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

MAX_NOTE_BYTES = 1 << 16

_FORMAT = "equiproof-replacement"

_TRIES = 1000
_PAUSE = 0.01
"""How often, and after how many seconds each, others look again whether a process has finished: ten seconds in all."""


class BusyError(Exception):
    """A note that stays: another process is still writing, or the note is not one of ours."""

    def __init__(self, note: Path) -> None:
        super().__init__(f"{note} stays")
        self.note = note


@dataclass(frozen=True)
class Replacement:
    """Files that are replaced as one, in the order in which they are put into place; without `force`, only new ones."""

    token: str
    force: bool
    paths: tuple[Path, ...]

    def waiting(self, path: Path) -> Path:
        """Return where the new content of a file waits."""
        return path.with_name(f".{path.name}.{self.token}")

    @property
    def head(self) -> Path:
        """The note that is written first and removed last: while it is there, so may the others be."""
        return note_of(min(self.paths))

    @property
    def decided(self) -> bool:
        """Whether the first file is in its place, so that the others follow; they also wait no longer than it does."""
        first = self.paths[0]
        return not os.path.lexists(self.waiting(first)) or _same(self.waiting(first), first)

    def place(self, path: Path) -> bool:
        """Put a file into its place, where it may be already; return False where another file is in the way."""
        waiting = self.waiting(path)
        if self.force:
            with suppress(FileNotFoundError):
                waiting.replace(path)
            return True
        try:
            # A link fails where the name is taken; a rename would replace what another process put there meanwhile.
            os.link(waiting, path)
        except FileNotFoundError:
            return True
        except FileExistsError:
            if not _same(waiting, path):
                return False
        waiting.unlink(missing_ok=True)
        return True

    def finish(self) -> None:
        """Put the rest into place, or remove all that waits; then remove the notes.

        Only files beside which one of its notes lies are touched: a made-up note leads nowhere else.
        """
        announced = [path for path in self.paths if self.announces(note_of(path))]
        for path in announced if self.decided else ():
            self.place(path)
        for path in reversed(announced):
            # The first one last: while it waits, nothing is decided.
            self.waiting(path).unlink(missing_ok=True)
        for note in sorted(map(note_of, announced), key=lambda note: note == self.head):
            note.unlink(missing_ok=True)

    def announces(self, note: Path) -> bool:
        """Tell whether a note is one of this replacement's."""
        replacement = _read(note)
        return replacement is not None and replacement.token == self.token

    def document(self, folder: Path) -> bytes:
        """Return the content of a note in a folder; the files are named from there, so that folders can be moved."""
        names = [os.path.relpath(path, folder) for path in self.paths]
        return json.dumps({"format": _FORMAT, "token": self.token, "force": self.force, "paths": names}).encode()


def note_of(path: Path) -> Path:
    """Return where a file has its note."""
    return path.parent / f".{path.name}.replacing"


def absolute(path: Path) -> Path:
    """Return where a file is, whatever the working folder and the links above it; a link itself is not followed."""
    return path.parent.resolve() / path.name


@contextmanager
def replacing(paths: Iterable[Path], *, force: bool) -> Iterator[Replacement]:
    """Announce a replacement, and finish or undo it in the end. Raises BusyError where another one does not end."""
    from secrets import token_hex

    replacement = Replacement(token_hex(8), force, tuple(map(absolute, paths)))
    with ExitStack() as stack:
        try:
            # In one order for everybody, so that no two replacements wait for each other's notes.
            for path in sorted(replacement.paths):
                stack.callback(os.close, _announced(note_of(path), replacement.document(path.parent)))
            yield replacement
        finally:
            # Where even this fails, the notes stay, and the next one who reads or writes finishes.
            with suppress(OSError):
                replacement.finish()


def _announced(note: Path, content: bytes) -> int:
    """Write a note that is not there yet; return its file, locked. What another replacement left is settled first."""
    for _ in range(_TRIES):
        try:
            handle = os.open(note, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        except FileExistsError:
            if not _settle(note):
                raise BusyError(note) from None
            continue
        except BaseException:
            # Interrupted as it was made: an empty note that nobody holds is removed by whoever finds it.
            _settle(note)
            raise
        try:
            # Somebody may have found the note empty and removed it before it was locked.
            if _locked(handle) and _is_at(handle, note):
                os.write(handle, content)
                os.fsync(handle)
                return handle
        except BaseException:
            note.unlink(missing_ok=True)
            os.close(handle)
            raise
        os.close(handle)
    raise BusyError(note)


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """Open a file to read it: the one of the last whole replacement, which is finished where that is possible."""
    place = path if settled(path) else _waiting(absolute(path))
    try:
        stream = place.open("rb")
    except FileNotFoundError:
        # Meanwhile it was put into its place.
        stream = path.open("rb")
    with stream:
        yield stream


def settled(path: Path) -> bool:
    """Finish or undo what a killed process left of a file's replacement; return whether nothing of it is left."""
    for _ in range(_TRIES):
        if not os.path.lexists(note_of(path)):
            return True
        if not _settle(note_of(absolute(path))):
            break
    return False


def _waiting(path: Path) -> Path:
    """Return where the content of a file is that cannot be put into its place."""
    replacement = _read(note_of(path))
    if replacement is None or not replacement.decided or not os.path.lexists(replacement.waiting(path)):
        return path
    return replacement.waiting(path)


def _settle(note: Path) -> bool:
    """Finish or undo the replacement of a note; return whether the note is gone, where perhaps another one is now."""
    try:
        handle = _opened_note(note)
    except FileNotFoundError:
        return True
    except OSError:
        return False
    try:
        with suppress(OSError):
            _finish(note, handle)
        return not _is_at(handle, note)
    finally:
        os.close(handle)


def _finish(note: Path, handle: int) -> None:
    """Finish or undo the replacement of a note that is open, once its writer has ended."""
    if not _locked(handle) or not _is_at(handle, note):
        return
    replacement = _read(note)
    if replacement is None:
        if _is_ours(handle) and not os.fstat(handle).st_size:
            note.unlink()  # its writer was killed before anything else was written
        return
    if replacement.head == note:
        replacement.finish()
        return
    # The head decides alone who works on the replacement; without it, nothing tells that the first file was placed.
    if not _settle(replacement.head) or not replacement.announces(note):
        return
    for path in replacement.paths:
        if note_of(path) == note:
            replacement.waiting(path).unlink(missing_ok=True)
            note.unlink(missing_ok=True)


def _read(note: Path) -> Replacement | None:
    """Read a note; return None for what is no note of ours, and for one that was never finished."""
    try:
        handle = _opened_note(note)
    except OSError:
        return None
    try:
        data = os.read(handle, MAX_NOTE_BYTES) if _is_ours(handle) else b""
    finally:
        os.close(handle)
    try:
        document = json.loads(data)
        names = document["paths"]
        token = document["token"]
        force = document["force"]
        if document["format"] != _FORMAT or not names or not re.fullmatch("[0-9a-f]{16}", token):
            return None
        places = tuple(Path(os.path.normpath(note.parent / name)) for name in names)
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    return Replacement(token, bool(force), places) if note in map(note_of, places) else None


def _opened_note(note: Path) -> int:
    """Open a note to read it, and nothing that only has its name: no link is followed, no pipe waited for."""
    return os.open(note, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)


def _is_ours(handle: int) -> bool:
    """Tell whether an open file is a regular one of this user's."""
    status = os.fstat(handle)
    return stat.S_ISREG(status.st_mode) and status.st_uid == os.geteuid()


def _is_at(handle: int, path: Path) -> bool:
    """Tell whether an open file still is the one of that name."""
    try:
        return os.path.samestat(os.fstat(handle), path.lstat())
    except FileNotFoundError:
        return False


def _same(one: Path, other: Path) -> bool:
    """Tell whether two names are of one file."""
    try:
        return os.path.samestat(one.lstat(), other.lstat())
    except FileNotFoundError:
        return False


def _locked(handle: int) -> bool:
    """Lock an open file as soon as it is free; return False after ten seconds, or where files have no locks."""
    import fcntl  # here: a verifier, who finds no notes, also runs on systems that have no such module

    for _ in range(_TRIES):
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            time.sleep(_PAUSE)
        except OSError:
            return False
        else:
            return True
    return False
