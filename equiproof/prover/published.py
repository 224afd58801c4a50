"""The links of kept keys that an owner has published: files in the folder of the commitment, one for each key."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from equiproof.circuits.canonical import MAX_DOCUMENT_BYTES, DocumentError, read_regular
from equiproof.circuits.kinds import kind_of
from equiproof.prover.errors import KeyStoreError
from equiproof.verifier.documents import KeyDocument
from equiproof.verifier.errors import CertificateFormatError
from equiproof.verifier.link import LINK, LinkDocument, parse_link


def published_link(folder: Path, fingerprint: str) -> tuple[Path, LinkDocument] | None:
    """Return the link of a kept key that a folder holds, with its file; None for none.

    `fingerprint` is that of the key. Raises KeyStoreError for a malformed link, and naming two of the key.
    """
    found: tuple[Path, LinkDocument] | None = None
    for path in _files(folder):
        link = _read(path)
        if link is None or link.key != fingerprint:
            continue
        if found is not None:
            raise KeyStoreError(
                f"{path}: move it or {found[0].name} away, whichever was not published: both are links of one key, "
                "and two would tell applicants apart"
            )
        found = path, link
    return found


def links_of(folder: Path, commitment: str) -> list[LinkDocument]:
    """Return the links of a committed model that a folder holds, by the names of their files; malformed ones are left.

    `commitment` is in hexadecimal.
    """
    found = []
    for path in _files(folder):
        with suppress(KeyStoreError):
            link = _read(path)
            if link is not None and link.model_commitment == commitment:
                found.append(link)
    return found


def linked(key: KeyDocument, folder: Path) -> bool:
    """Return whether certificates under a key can be checked with what a folder holds: a kept key needs its link.

    Raises as :func:`published_link`.
    """
    return not key.shape.kept or published_link(folder, key.fingerprint) is not None


def _files(folder: Path) -> list[Path]:
    """Return the documents of a folder as whoever verifies finds them: hidden files are passed over."""
    return sorted(path for path in folder.glob("*.json") if not path.name.startswith("."))


def _read(path: Path) -> LinkDocument | None:
    """Return the link in a file, None for any other file; raises KeyStoreError for a malformed one."""
    with suppress(OSError, DocumentError):
        data = read_regular(path, MAX_DOCUMENT_BYTES)
        if kind_of(data) == LINK[0]:
            try:
                return parse_link(data, str(path))
            except CertificateFormatError as error:
                raise KeyStoreError(str(error)) from None
    return None
