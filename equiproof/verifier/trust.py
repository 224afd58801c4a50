"""Trusted keys: a key's metadata, the fingerprint that covers all of it, and the store that a relying party trusts.

A key folder holds key.json and verifying.key (the owner's also proving.key). Everything that a verification takes from
a key, above all its shape and the kind of its set-up, is in key.json, and the fingerprint covers it. A key that
others took part in may bring signatures of those who checked its transcript; a policy says whose count.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, Self, TypeVar

from equiproof.circuits.canonical import MAX_DOCUMENT_BYTES, DocumentError, read_regular
from equiproof.circuits.tables import say
from equiproof.verifier.documents import (
    KEY_FILE,
    LINK_KEY_FILE,
    MAX_KEY_BYTES,
    SIGNATURES_FILE,
    VERIFYING_FILE,
    KeyDocument,
    LinkKeyDocument,
    key_folders,
    parse_key,
    parse_link_key,
)
from equiproof.verifier.errors import CertificateFormatError, Reason, UntrustedKeyError
from equiproof.verifier.table_files import TABLE_KEY_FILE, TableKeyDocument, parse_table_key

MAX_SIGNATURE_BYTES = 1 << 16


D = TypeVar("D", KeyDocument, LinkKeyDocument, TableKeyDocument)


@dataclass(frozen=True)
class _Trusted(Generic[D]):
    """A verifying key with its metadata; its bytes are those that the metadata names.

    `signatures` is the note of those who checked the key's transcript, unread; empty without one.
    """

    document: D
    verifying: bytes
    signatures: bytes = b""

    @classmethod
    def of(cls, document: D, verifying: bytes, signatures: bytes, where: str, name: str) -> Self:
        """Return a key whose bytes come from `where`, and its metadata from the file `name` beside them.

        Raises CertificateFormatError for bytes of another key.
        """
        # The fingerprint covers the metadata, and these name the bytes by their digest: so it covers the bytes.
        if hashlib.sha256(verifying).hexdigest() != document.verifying_key:
            raise CertificateFormatError(say("key.name_differs", where=where, name=name), Reason.KEY_BYTES_DIFFER)
        return cls(document, verifying, signatures)

    @classmethod
    def _beside(cls, document: D, folder: Path, name: str) -> Self:
        """Return the key of a folder whose metadata were read from the file of this name."""
        verifying = _read(folder / VERIFYING_FILE, MAX_KEY_BYTES)
        note = folder / SIGNATURES_FILE
        signatures = _read(note, MAX_SIGNATURE_BYTES) if note.exists() else b""
        return cls.of(document, verifying, signatures, str(folder / VERIFYING_FILE), name)


class TrustedKey(_Trusted[KeyDocument]):
    """A verifying key for certificates."""

    @classmethod
    def read(cls, folder: Path, name: str = KEY_FILE) -> TrustedKey:
        """Read a key folder, whose metadata have this name.

        Raises CertificateFormatError for malformed files, or files of different keys.
        """
        return cls._beside(parse_key(_read(folder / name, MAX_DOCUMENT_BYTES), str(folder / name)), folder, name)


class TrustedLinkKey(_Trusted[LinkKeyDocument]):
    """A verifying key for links."""

    @classmethod
    def read(cls, folder: Path, name: str = LINK_KEY_FILE) -> TrustedLinkKey:
        """Read the folder of a key for links; raises as :meth:`TrustedKey.read`."""
        path = folder / name
        return cls._beside(parse_link_key(_read(path, MAX_DOCUMENT_BYTES), str(path)), folder, name)


class TrustedTableKey(_Trusted[TableKeyDocument]):
    """A verifying key for counts over tables."""

    @classmethod
    def read(cls, folder: Path, name: str = TABLE_KEY_FILE) -> TrustedTableKey:
        """Read the folder of a key for counts; raises as :meth:`TrustedKey.read`."""
        path = folder / name
        return cls._beside(parse_table_key(_read(path, MAX_DOCUMENT_BYTES), str(path)), folder, name)


def _read(path: Path, most: int) -> bytes:
    """Read a regular file, of a longer one only `most` bytes and one more; raises CertificateFormatError."""
    try:
        return read_regular(path, most)
    except DocumentError as error:
        raise CertificateFormatError(str(error), error.reason) from None
    except OSError as error:
        raise CertificateFormatError(f"{path}: {error.strerror}", Reason.UNREADABLE) from None


class TrustStore:
    """The keys that a relying party trusts, by fingerprint: those for certificates, for links, and for tables."""

    def __init__(
        self,
        keys: Sequence[TrustedKey],
        link_keys: Sequence[TrustedLinkKey] = (),
        table_keys: Sequence[TrustedTableKey] = (),
    ) -> None:
        self._keys = {key.document.fingerprint: key for key in keys}
        self._link_keys = {key.document.fingerprint: key for key in link_keys}
        self._table_keys = {key.document.fingerprint: key for key in table_keys}

    @classmethod
    def open(cls, folder: Path) -> TrustStore:
        """Trust every key in `folder`, or `folder` itself; raises CertificateFormatError for no key or a broken one."""
        if not folder.is_dir():
            raise CertificateFormatError(say("key.no_such_folder", folder=str(folder)), Reason.NO_KEYS)
        keys = [TrustedKey.read(path) for path in key_folders(folder)]
        table_keys = [TrustedTableKey.read(path) for path in key_folders(folder, TABLE_KEY_FILE)]
        if not keys and not table_keys:
            raise CertificateFormatError(say("key.folder_empty", folder=str(folder)), Reason.NO_KEYS)
        return cls(keys, [TrustedLinkKey.read(path) for path in key_folders(folder, LINK_KEY_FILE)], table_keys)

    @property
    def needs_links(self) -> bool:
        """Whether a certificate under one of these keys needs a link."""
        return any(key.document.shape.kept for key in self._keys.values())

    def has(self, fingerprint: str) -> bool:
        """Return whether the key for certificates of a fingerprint is trusted."""
        return fingerprint in self._keys

    def find(self, fingerprint: str) -> TrustedKey:
        """Return the key of a fingerprint; raises UntrustedKeyError for one that is not trusted."""
        try:
            return self._keys[fingerprint]
        except KeyError:
            message = say("key.not_trusted", fingerprint=fingerprint[:16], count=len(self._keys))
            raise UntrustedKeyError(message, Reason.KEY_NOT_TRUSTED) from None

    def find_link_key(self, fingerprint: str) -> TrustedLinkKey:
        """Return the key for links of a fingerprint; raises UntrustedKeyError for one that is not trusted."""
        try:
            return self._link_keys[fingerprint]
        except KeyError:
            message = say("link.key_not_trusted", fingerprint=fingerprint[:16], count=len(self._link_keys))
            raise UntrustedKeyError(message, Reason.KEY_NOT_TRUSTED) from None

    def find_table_key(self, fingerprint: str) -> TrustedTableKey:
        """Return the key for tables of a fingerprint; raises UntrustedKeyError for one that is not trusted."""
        try:
            return self._table_keys[fingerprint]
        except KeyError:
            message = say("key.not_trusted", fingerprint=fingerprint[:16], count=len(self._table_keys))
            raise UntrustedKeyError(message, Reason.KEY_NOT_TRUSTED) from None
