"""Certificates of which the public log has an entry, beside the database: a database can be put back, a log cannot.

A decision whose certificate a restored database lacks would be proven again, and the same claim would be other bytes:
the log would have a second entry, and the certificate of the first would be gone. So each certificate is on the disk
here before its entry is sent, one for each receipt, and a decision that has one here is given it.
docs/adr/0035-kept-certificates.md says why the log and the prover stay as they are.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from equiproof.circuits.canonical import read_regular
from equiproof.circuits.files import FileExistsRefusedError, write_file

_SHARD = 2
"""How many digits of a receipt's digest name its folder: 256 folders keep each of them short."""


class KeptCertificates:
    """A folder of certificates by the digests of their receipts; raises OSError, and DocumentError for no file."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def path(self, receipt: str) -> Path:
        """Return where the certificate about a receipt is, or will be."""
        return self._folder / receipt[:_SHARD] / f"{receipt}.json"

    def find(self, receipt: str) -> Path | None:
        """Return the file of the certificate about a receipt; None where there is none."""
        path = self.path(receipt)
        return path if path.exists() else None

    def keep(self, receipt: str, certificate: bytes) -> bytes:
        """Put a certificate on the disk, and return the one that is there: the first one about a receipt stays."""
        path = self.path(receipt)
        if not path.exists():
            with suppress(FileExistsRefusedError):  # another process was quicker
                write_file(path, certificate, secret=True)
        return read_regular(path)
