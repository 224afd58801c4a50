"""Writing files: each appears whole or not at all, secrets are for their owner only, nothing is overwritten unasked."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import ClassVar

from equiproof.circuits.durable import together
from equiproof.circuits.exit_codes import MISUSED
from equiproof.circuits.replacement import BusyError, Replacement, absolute, note_of, replacing, settled

_TRIES = 100
"""How often a folder is replaced while other processes replace it too."""


class FileExistsRefusedError(Exception):
    """A file is in the way, and overwriting was not requested."""

    exit_code: ClassVar[int] = MISUSED

    def __init__(self, path: Path, way_out: str = "") -> None:
        """Keep the file, and the way out where it is not the usual one: another file, or force."""
        self.path = path
        self.way_out = way_out
        super().__init__(self.message("force=True"))

    def message(self, force: str) -> str:
        """Return the message, with `force` as the caller's interface spells it."""
        return f"{self.path} exists; {self.way_out or f'name another file, or overwrite it with {force}'}"


def write_file(path: Path, data: bytes | Iterable[bytes], *, secret: bool = False, force: bool = False) -> None:
    """Write a file in one step; a reader or a crash never sees half of it. Parts are written as they come.

    Secret files are readable by their owner only (0600), others as the process's umask says, at most 0644. Raises
    FileExistsRefusedError unless `force`.
    """
    write_files({path: data}, secret=(path,) if secret else (), force=force)


def write_files(
    files: Mapping[Path, bytes | Iterable[bytes]], *, secret: Collection[Path] = (), force: bool = False
) -> None:
    """Write files that belong together: all or, also where the process is killed, none; raises as `write_file`.

    The secret ones first: the first file is the one that is seen alone.
    """
    refuse_taken(files, force=force)
    with ExitStack() as stack:
        for path in files:
            stack.enter_context(naming(path, note_of(absolute(path))))
            path.parent.mkdir(parents=True, exist_ok=True)
        replacement = stack.enter_context(_alone(files, force=force))
        waiting = {path: replacement.waiting(absolute(path)) for path in files}
        # Every content is on the disk before the first file is in its place: what decides that the new ones count must
        # not come before what they are.
        for path, data in files.items():
            with naming(path, waiting[path]):
                _write_new(waiting[path], data, secret=path in secret)
        for path in files:
            with naming(path, waiting[path]):
                if not replacement.place(absolute(path)):
                    raise FileExistsRefusedError(path)


@contextmanager
def _alone(paths: Iterable[Path], *, force: bool) -> Iterator[Replacement]:
    """Announce a replacement; raises FileExistsRefusedError where another one is announced and does not end."""
    with ExitStack() as stack:
        try:
            replacement = stack.enter_context(replacing(paths, force=force))
        except BusyError as error:
            raise FileExistsRefusedError(
                error.note, "another process is writing; wait for it and try again, or remove this file"
            ) from None
        yield replacement


def _beside(path: Path) -> Path:
    """Return a hidden name beside a file or folder that no other process chooses."""
    from secrets import token_hex  # its modules take as long as a small file, and most commands write none

    return path.with_name(f".{path.name}.{token_hex(8)}")


def _write_new(path: Path, data: bytes | Iterable[bytes], *, secret: bool, sync: bool = True) -> None:
    """Write a file that does not exist yet; down to the disk, unless somebody else sees to that."""
    # Created with its mode, not changed to it later: so the system takes away what the umask takes away, and a
    # certificate with somebody's data is as private as its owner wants files to be.
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600 if secret else 0o644)
    with os.fdopen(handle, "wb") as stream:
        if secret:
            os.fchmod(handle, 0o600)
        stream.writelines((data,) if isinstance(data, bytes) else data)
        stream.flush()
        if sync:
            os.fsync(handle)


@contextmanager
def naming(path: Path, *temporary: Path) -> Iterator[None]:
    """Make an error of the system name the file that was requested, where it names none or a temporary one."""
    try:
        yield
    except OSError as error:
        # A folder above that cannot be made is the better name.
        ours = error.filename is None or Path(os.fsdecode(error.filename)) in temporary
        if error.errno is None or not ours:
            raise
        raise OSError(error.errno, os.strerror(error.errno), str(path)) from None


def refuse_taken(paths: Iterable[Path], *, force: bool) -> None:
    """Raise FileExistsRefusedError for a path that exists, unless `force`, and IsADirectoryError for a folder.

    What a killed process left of them is finished or removed first.
    """
    files = list(paths)
    # All of them first: settling one may put another of the same replacement into its place.
    for path in files:
        settled(path)
    for path in files:
        if not force and path.exists():
            raise FileExistsRefusedError(path)
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))


def refuse_unwritable(folder: Path) -> None:
    """Raise OSError naming what is in the way where no file can be written in a folder, which may not exist yet."""
    nearest = next(one for one in (folder, *folder.absolute().parents) if one.exists())
    if not nearest.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(nearest))
    if not os.access(nearest, os.W_OK | os.X_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(nearest))


def write_folder(
    path: Path,
    files: Mapping[str, bytes] | Iterable[tuple[str, bytes | Iterable[bytes]]],
    *,
    secret: Collection[str] = (),
    force: bool = False,
) -> None:
    """Write a folder of files in one step, by renaming a finished one; `secret` names those of mode 0600.

    Names may have folders in them. Files that are not in a mapping are written as they come. Raises as
    :func:`write_file`, and what the files raise.
    """
    if not force and path.exists():
        raise FileExistsRefusedError(path)
    finished = _beside(path)
    with naming(path, finished):
        path.parent.mkdir(parents=True, exist_ok=True)
        finished.mkdir(0o755)
    try:
        with naming(path, finished), together(finished) as singly:
            for name, data in files.items() if isinstance(files, Mapping) else files:
                with naming(path / name, finished / name):
                    (finished / name).parent.mkdir(parents=True, exist_ok=True)
                    _write_new(finished / name, data, secret=name in secret, sync=singly())
        with naming(path, finished):
            _place_folder(finished, path, force=force)
    finally:
        shutil.rmtree(finished, ignore_errors=True)


def _place_folder(finished: Path, path: Path, *, force: bool) -> None:
    """Move a finished folder to its place; without `force`, a folder that appeared meanwhile stays.

    With `force`, an old one steps aside first, and back where the move fails.
    """
    # Renaming a folder can only replace an empty one (POSIX), so no other process can come between check and move.
    if _moved(finished, path):
        return
    if not force:
        raise FileExistsRefusedError(path)
    aside = _beside(path)
    # Others may replace the folder at the same moment: the last one wins, and each try is lost to one of them.
    for _ in range(_TRIES):
        try:
            # Renamed, not removed, so that it can step back where the move fails.
            with suppress(FileNotFoundError):
                path.rename(aside)
            done = _moved(finished, path)
        except BaseException:
            with suppress(OSError):
                _moved(aside, path)
            raise
        _remove(aside)
        if done:
            return
    raise FileExistsRefusedError(path, "other processes are replacing it; wait for them, and try again")


def _moved(folder: Path, path: Path) -> bool:
    """Move a folder to a place that is free; return whether it was."""
    try:
        folder.rename(path)
    except OSError as error:
        if error.errno in (errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR):
            return False
        raise
    return True


def _remove(path: Path) -> None:
    """Remove what stepped aside: a folder, or the file that stood in its place."""
    shutil.rmtree(path, ignore_errors=True)
    with suppress(OSError):
        path.unlink()
