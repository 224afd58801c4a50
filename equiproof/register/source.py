"""The files of a log, from a folder or over HTTP: every read is bounded in bytes and in time.

Nothing here is believed: checkpoints are signed, and tiles and entries are hashed up to a checkpoint's root.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from equiproof.circuits.canonical import DocumentError, read_regular
from equiproof.circuits.tables import say
from equiproof.register.errors import AbsentError, LogError

if TYPE_CHECKING:
    from equiproof.register.wire import Wire


class Source(Protocol):
    """Where a log's files are; `name` is how errors call it."""

    @property
    def name(self) -> str:
        """The folder or the URL."""
        ...

    def read(self, path: str, most: int) -> bytes:
        """Return a file of at most `most` bytes; raises AbsentError for none, LogError for any other reason."""
        ...


def source_of(place: str) -> Source:
    """Return the source of a log by its folder or its URL; raises LogError for another kind of URL."""
    if "://" not in place:
        return Folder(Path(place))
    # HTTP and TLS are loaded where a log is read over them: without, the check of a folder's takes less memory.
    from equiproof.register.wire import Wire

    return Web(place, Wire(place))


class Folder:
    """A log's folder on this machine."""

    def __init__(self, root: Path) -> None:
        self._root = root

    @property
    def name(self) -> str:
        """The folder."""
        return str(self._root)

    def read(self, path: str, most: int) -> bytes:
        """Return a file; raises as :class:`Source` says."""
        try:
            data = read_regular(self._root / path, most)
        except FileNotFoundError:
            raise AbsentError(f"{self.name}: no file {path}") from None
        except OSError as error:
            raise LogError(f"{self.name}: {path}: {error.strerror}") from None
        except DocumentError as error:
            raise LogError(str(error)) from None
        return _bounded(data, most, self.name, path)


class Web:
    """A log's URL, over one connection that is opened again where the server has closed it."""

    def __init__(self, url: str, wire: Wire) -> None:
        self.name = url.rstrip("/")
        self._wire = wire

    def read(self, path: str, most: int) -> bytes:
        """Return a file; raises as :class:`Source` says."""
        status, data = self._wire.ask("GET", path, most)
        if status in (404, 410):
            raise AbsentError(f"{self.name}: no file {path}")
        if status != 200:
            raise LogError(say("source.server_answers", log=self.name, path=path, status=status))
        return _bounded(data, most, self.name, path)


def _bounded(data: bytes, most: int, name: str, path: str) -> bytes:
    """Return the bytes of a file; raises LogError where they are too many."""
    if len(data) > most:
        raise LogError(say("source.too_long", log=name, path=path, bytes=most))
    return data
