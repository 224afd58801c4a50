"""The manifest of a run: what was asked for, then a line for each row that is finished, in the order of their ends.

It is the owner's alone: it holds what counterexamples say about the model. A row counts once its line is on the disk,
and its files were there before (:mod:`equiproof.circuits.journal`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import msgspec

from equiproof.certify.errors import RunError
from equiproof.certify.many.point import Verdict
from equiproof.circuits import journal
from equiproof.circuits.canonical import DocumentError, canonical_bytes, parse, read_regular
from equiproof.prover.keys import StoredKey
from equiproof.prover.many.applicants import Applicant, digest_of
from equiproof.prover.opening import Opening
from equiproof.verifier.archive import MAX_ARCHIVE_BYTES

MANIFEST = ("equiproof-proofs", 2)
MANIFEST_FILE = "manifest.jsonl"
APPLICANTS = "applicants"
"""The folder, beside the manifest, of what applicants get: a folder for each of them, or a bundle."""


class Header(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The first line: the model, the key, the applicants and everything that decides what is made for them.

    `applicants` is :func:`.applicants.digest_of` of all of them, `rows` their number. `letter` is what letters say of
    the sender, None where none are written.
    """

    format: str
    version: int
    model_commitment: str
    spec_digest: str
    key: str
    applicants: str
    rows: int
    context: dict[str, str]
    max_seconds: float | None
    disclose: bool
    bundles: bool
    letter: dict[str, str] | None

    @classmethod
    def of(
        cls,
        opening: Opening,
        key: StoredKey,
        applicants: Sequence[Applicant],
        context: dict[str, str],
        *,
        max_seconds: float | None = None,
        disclose: bool = False,
        bundles: bool = False,
        letter: dict[str, str] | None = None,
    ) -> Header:
        """Return the header of a run; `context` is what the contexts of all applicants share."""
        return cls(
            format=MANIFEST[0],
            version=MANIFEST[1],
            **opening.digests(),
            key=key.document.fingerprint,
            applicants=digest_of(applicants),
            rows=len(applicants),
            context=context,
            max_seconds=max_seconds,
            disclose=disclose,
            bundles=bundles,
            letter=letter,
        )

    def refuse_other(self, other: Header, path: Path) -> None:
        """Raise RunError for the header of another run, naming the first difference."""
        for name in self.__struct_fields__:
            if getattr(self, name) != getattr(other, name):
                what = name.replace("_", " ")
                raise RunError(f"{path}: name another folder (--out-dir): belongs to another run (different {what})")


class Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    """One finished row.

    `radius` is in the spec's units, as the certificate states it; `size` is that of the evidence, in leaves or regions,
    None under levels, whose exact radius it would tell something of; or how many of its `reason` a row needs, where the
    key has no room for them. `files` are the row's by name, each with its SHA-256; a row without a certificate has
    none, but a `reason` or the `cases` of its counterexample. `receipt` is the digest of the decision's receipt, where
    it has one. `seconds` are those of its steps, `finished` is the time in UTC.
    """

    row: int
    name: str
    verdict: Verdict
    finished: str
    seconds: dict[str, float] = {}
    certificate: str | None = None
    label: str | None = None
    radius: str | None = None
    radius_squared: int | None = None
    size: int | None = None
    reason: str | None = None
    cases: tuple[dict[str, Any], ...] = ()
    nonce: str | None = None
    receipt: str | None = None
    files: dict[str, str] = {}


class Manifest:
    """The manifest of a folder, held by one run at a time; use it as a context manager.

    `entries` has the finished rows by number, those that were there when it was opened first. Raises RunError for a
    file that is no manifest, is of another run or is in use, OSError where it cannot be opened.
    """

    def __init__(self, path: Path, header: Header) -> None:
        self.entries: dict[int, Entry] = {}
        self._path = path
        self._header = header
        try:
            self._lines = journal.Journal(path, canonical_bytes(header), self._take)
        except journal.JournalError as error:
            raise RunError(str(error)) from None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the file, which releases the lock."""
        self._lines.__exit__(kind, error, trace)

    def append(self, entry: Entry) -> None:
        """Keep a finished row."""
        line = canonical_bytes(entry)
        whole = self._lines.size + len(line) + 1
        try:
            self._lines.append(line)
        finally:
            # Ctrl-C is heard when the disk has the line already: then --resume will find it.
            if self._lines.size == whole:
                self.entries[entry.row] = entry

    def drop_lost(self, folder: Path) -> None:
        """Forget the rows of which a file is no longer in `folder`; raises RunError for a file that was changed."""
        self.entries = {row: entry for row, entry in self.entries.items() if _is_there(folder, entry)}

    def _take(self, lines: list[bytes]) -> None:
        """Read the lines of a file; the last one about a row counts."""
        at = f"{self._path}: line"
        try:
            self._header.refuse_other(parse(lines[0], Header, str(self._path), only_canonical=True), self._path)
            for number, line in enumerate(lines[1:], start=2):
                entry = parse(line, Entry, f"{at} {number}", only_canonical=True)
                self.entries[entry.row] = entry
        except DocumentError as error:
            problem = str(error).removeprefix(f"{self._path}: ")
            raise RunError(f"{self._path}: name another folder (--out-dir): {problem}") from None


def digests(files: Mapping[str, bytes]) -> dict[str, str]:
    """Return the SHA-256 of files by name."""
    return {name: hashlib.sha256(data).hexdigest() for name, data in files.items()}


def _is_there(folder: Path, entry: Entry) -> bool:
    """Tell whether all files of a row are there, as the manifest says."""
    for name, digest in entry.files.items():
        path = folder / name
        try:
            data = read_regular(path, MAX_ARCHIVE_BYTES)
        except FileNotFoundError:
            return False
        if hashlib.sha256(data).hexdigest() != digest:
            raise RunError(f"{path}: not the file that the manifest names; move it away, and go on")
    return True
