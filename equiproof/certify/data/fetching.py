"""Fetching raw data sets from their public sources: only complete files of the known edition are written."""

from __future__ import annotations

import http.client
import io
import urllib.error
import urllib.request
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar
from urllib.parse import urlsplit

from equiproof.certify.archive import refuse_many_members
from equiproof.certify.data.dataset import DataError
from equiproof.certify.data.delimited import edition, without_identity
from equiproof.certify.data.loading import read_file
from equiproof.certify.data.table import RawFile, Table
from equiproof.circuits.arguments import argument
from equiproof.circuits.exit_codes import MISUSED
from equiproof.circuits.files import write_file

MAX_BYTES = 64 << 20
"""The largest download, and the largest file taken from an archive; the largest of the known ones has 6 MB."""

TIMEOUT_SECONDS = 60.0

_CHUNK = 1 << 16


class FetchError(ValueError):
    """A file that could not be fetched; one line naming the address."""

    exit_code: ClassVar[int] = MISUSED


@dataclass(frozen=True)
class Fetched:
    """A file of the known edition in its place; `fresh` says that it was fetched now."""

    path: Path
    url: str
    size: int
    fresh: bool


def fetch(table: Table, folder: Path, *, base_url: str | None = None, force: bool = False) -> tuple[Fetched, ...]:
    """Put a table's files into its subfolder of `folder`, as :func:`equiproof.certify.data.load` looks for them.

    Files of the known edition that exist already stay. All others are fetched and compared with their digests before
    the first is written; identifying columns are emptied before they reach the disk. `base_url` replaces the host of
    every source, for mirrors and tests. Raises FetchError for an answer that is not a file, too large, cut short or
    another edition, and where another file is in the way, unless `force`.
    """
    paths = {file: folder / table.folder / file.name for file in table.files}
    missing = [file for file, path in paths.items() if not _is_there(table, file, path, force=force)]
    downloads: dict[str, bytes] = {}
    contents: dict[RawFile, bytes] = {}
    for file in missing:
        url = _address(file.url, base_url)
        if url not in downloads:
            downloads[url] = _download(url)
        contents[file] = _checked(table, file, _unpacked(downloads[url], file, url), url)
    for file, data in contents.items():
        write_file(paths[file], data, force=True)
    return tuple(
        Fetched(path, _address(file.url, base_url), path.stat().st_size, file in contents)
        for file, path in paths.items()
    )


def _is_there(table: Table, file: RawFile, path: Path, *, force: bool) -> bool:
    """Return whether the known edition is in its place; raises FetchError for any other file there."""
    if not path.exists():
        return False
    try:
        if edition(table, read_file(path), str(path)) == file.sha256:
            return True
    except DataError:
        if not force:
            raise
    if force:
        return False
    raise FetchError(
        f"name another folder, or overwrite it with {argument('force', True)}: {path} exists and is not the known "
        "edition"
    )


def _address(url: str, base_url: str | None) -> str:
    """Return the address of a source, on the host of `base_url` if one is given."""
    if base_url is None:
        return url
    if urlsplit(base_url).scheme not in ("http", "https"):
        raise FetchError(f"{base_url[:80]!r} is not an address; want http:// or https:// and a host")
    return base_url.rstrip("/") + urlsplit(url).path


def _download(url: str) -> bytes:
    """Return the body that an address answers with."""
    # The scheme is http or https: sources are constants of ours, and _address checks the rest.
    request = urllib.request.Request(url, headers={"User-Agent": "equiproof"})  # noqa: S310
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS) as response:  # noqa: S310
            return _body(response, url)
    except urllib.error.HTTPError as error:
        raise FetchError(f"{url}: the server answers {error.code} {error.reason}") from None
    except urllib.error.URLError as error:
        raise FetchError(f"{url}: cannot be reached ({error.reason})") from None
    except (OSError, http.client.HTTPException, ValueError) as error:
        if isinstance(error, FetchError):
            raise
        raise FetchError(f"{url}: try again: {str(error) or type(error).__name__}") from None


def _body(response: http.client.HTTPResponse, url: str) -> bytes:
    """Read an answer to its end; raises FetchError beyond the limit and for an answer that is cut short."""
    promised = response.length
    if promised is not None and promised > MAX_BYTES:
        raise FetchError(f"{url}: {promised} bytes; at most {MAX_BYTES} are fetched")
    data = bytearray()
    while chunk := response.read(_CHUNK):
        data += chunk
        if len(data) > MAX_BYTES:
            raise FetchError(f"{url}: more than {MAX_BYTES} bytes")
    if promised is not None and len(data) < promised:
        raise FetchError(f"{url}: try again: cut short, {len(data)} of {promised} bytes")
    return bytes(data)


def _unpacked(data: bytes, file: RawFile, url: str) -> bytes:
    """Follow the members of a raw file through archives inside archives, and return the file."""
    where = url
    for member in file.members:
        try:
            refuse_many_members(data)
            with zipfile.ZipFile(io.BytesIO(data)) as archive, archive.open(member) as stream:
                data = stream.read(MAX_BYTES + 1)
        except KeyError:
            raise FetchError(f"{where}: the archive has no member {member}") from None
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, ValueError) as error:
            raise FetchError(f"{where}: the archive cannot be read ({error})") from None
        where = f"{where}, {member}"
        if len(data) > MAX_BYTES:
            raise FetchError(f"{where}: more than {MAX_BYTES} bytes")
    return data


def _checked(table: Table, file: RawFile, data: bytes, url: str) -> bytes:
    """Return a file of the known edition, without identifying columns."""
    try:
        digest = edition(table, data, url)
    except DataError:
        digest = ""
    if digest != file.sha256:
        raise FetchError(
            f"{url}: the file sent for {file.name} is not the known edition of {table.title} (its SHA-256 is not "
            f"{file.sha256[:12]}...); nothing was written"
        )
    return without_identity(table, data, url)
