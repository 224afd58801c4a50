"""What lies in a folder: models, openings, commitments, keys, certificates, runs and tables, by what the files are.

Nothing secret is returned: of an opening its spec's name and layer sizes, of an applicant's files only how many there
are. Every reader here does without numpy, torch and the native library.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from equiproof.circuits.canonical import MAX_DOCUMENT_BYTES, DocumentError, read_regular
from equiproof.circuits.files import naming
from equiproof.circuits.kinds import kind_of
from equiproof.circuits.schemes import Scheme, key_kind
from equiproof.circuits.spec import Spec
from equiproof.prover.errors import KeyStoreError
from equiproof.prover.key_choice import serves, serves_box, serves_gain
from equiproof.prover.keys import StoredKey
from equiproof.prover.many.manifest import APPLICANTS, MANIFEST_FILE, Entry, Header
from equiproof.prover.opening import parse_opening_document
from equiproof.prover.scored_opening import ScoredDocument
from equiproof.verifier.archive import MAX_ARCHIVE_BYTES
from equiproof.verifier.documents import LINK_KEY_FILE, parse_commitment, parse_key, parse_link_key
from equiproof.verifier.errors import CertificateFormatError
from equiproof.verifier.link import LINK, parse_link
from equiproof.verifier.table_files import TABLE_KEY_FILE, parse_table_key

MOST = 50_000
"""How many files and folders are looked at."""

MODEL_FILES = frozenset({"network.npz", "ensemble.json"})
REPORTS = {"training.json": "trained", "import.json": "imported"}
TABLES = frozenset({".csv", ".tsv", ".jsonl", ".xlsx", ".parquet"})
_OWN_SUFFIXES = frozenset({".json", ".equiproof"})
_LIST_OF_KIND = {
    "equiproof-certificate": "certificates",
    "equiproof-gain": "gains",
    "equiproof-box": "boxes",
    "equiproof-bundle": "bundles",
    "equiproof-query": "queries",
    "equiproof-table": "challenges",
    "equiproof-table-answer": "answers",
}


@dataclass(frozen=True)
class Opened:
    """An opening: its file, its spec, and the sizes of its model.

    `sizes` are the hidden layers of a network; of a model of scheme `trees` what `ScoredDocument.sizes` has.
    """

    path: Path
    spec: Spec
    sizes: tuple[int, ...]
    own_scheme: Scheme | None


@dataclass(frozen=True)
class Key:
    """A key: its folder and metadata, and why `prove` would refuse it ("" where it would not)."""

    stored: StoredKey
    refused: str

    def fits(self, opened: Opened) -> bool:
        """Return whether it proves decisions of a model."""
        return serves(self.stored.document, opened.spec, opened.sizes, scheme=opened.own_scheme)

    def serves(self, opened: Opened) -> bool:
        """Return whether it proves anything of a model: decisions, gains, or boxes."""
        key, spec, sizes = self.stored.document, opened.spec, opened.sizes
        return self.fits(opened) or serves_gain(key, spec, sizes) or serves_box(key, spec, sizes, opened.own_scheme)


@dataclass(frozen=True)
class Run:
    """A run over many applicants: its folder, the number of rows, and how many have which verdict."""

    folder: Path
    rows: int
    verdicts: Counter[str]

    @property
    def finished(self) -> bool:
        """Whether every row has a verdict."""
        return self.verdicts.total() == self.rows


@dataclass
class Inventory:
    """What was found, each kind in the order of paths; `unreadable` has a line for each file that cannot be used."""

    folder: Path
    models: list[tuple[Path, str]] = field(default_factory=list)
    openings: list[Opened] = field(default_factory=list)
    commitments: list[tuple[Path, str]] = field(default_factory=list)
    keys: list[Key] = field(default_factory=list)
    links: list[tuple[Path, str]] = field(default_factory=list)
    """Each with the fingerprint of the kept key that it is of."""
    link_keys: list[tuple[Path, str]] = field(default_factory=list)
    """Folders of keys for links, with the fingerprints."""
    table_keys: list[tuple[Path, str]] = field(default_factory=list)
    """Folders of keys for counts by group, with the fingerprints."""
    challenges: list[Path] = field(default_factory=list)
    answers: list[Path] = field(default_factory=list)
    runs: list[Run] = field(default_factory=list)
    certificates: list[Path] = field(default_factory=list)
    gains: list[Path] = field(default_factory=list)
    boxes: list[Path] = field(default_factory=list)
    bundles: list[Path] = field(default_factory=list)
    queries: list[Path] = field(default_factory=list)
    tables: list[Path] = field(default_factory=list)
    unreadable: list[str] = field(default_factory=list)
    complete: bool = True

    @classmethod
    def of(cls, folder: Path, owner_secret: Path | None = None) -> Inventory:
        """Look at everything in a folder but hidden files and what links point to; raises OSError for no folder."""
        inventory = cls(folder)
        with naming(folder):
            next(folder.iterdir(), None)
        for number, path in enumerate(_files(folder), start=1):
            if number > MOST:
                inventory.complete = False
                break
            inventory._take(path, owner_secret)
        return inventory

    def _take(self, path: Path, owner_secret: Path | None) -> None:
        """Note what a file is."""
        if path.name in MODEL_FILES:
            kind = next((kind for name, kind in REPORTS.items() if (path.parent / name).is_file()), "made elsewhere")
            self.models.append((path.parent, kind))
        elif path.name == MANIFEST_FILE:
            self._add(self.runs, lambda: counted(path))
        elif path.suffix in TABLES:
            self.tables.append(path)
        elif path.suffix in _OWN_SUFFIXES:
            self._take_document(path, owner_secret)

    def _take_document(self, path: Path, owner_secret: Path | None) -> None:
        """Note what kind of document a file is, and what it says where that is no secret."""
        try:
            data = read_regular(path, MAX_ARCHIVE_BYTES if path.suffix == ".equiproof" else MAX_DOCUMENT_BYTES)
        except (DocumentError, OSError) as error:
            self.unreadable.append(str(error))
            return
        mark = kind_of(data)
        if mark in _LIST_OF_KIND:
            getattr(self, _LIST_OF_KIND[mark]).append(path)
        elif mark == "equiproof-opening":
            self._add(self.openings, lambda: _opened(data, path))
        elif mark == "equiproof-commitment":
            self._add(self.commitments, lambda: (path, parse_commitment(data, str(path)).model_commitment))
        elif mark == LINK[0]:
            self._add(self.links, lambda: (path, parse_link(data, str(path)).key))
        elif path.name == LINK_KEY_FILE:
            self._add(self.link_keys, lambda: (path.parent, parse_link_key(data, str(path)).fingerprint))
        elif path.name == TABLE_KEY_FILE:
            self._add(self.table_keys, lambda: (path.parent, parse_table_key(data, str(path)).fingerprint))
        elif mark == "equiproof-key":
            self._add(self.keys, lambda: _key(data, path, owner_secret))

    def _add(self, entries: list[Any], read: Callable[[], Any]) -> None:
        """Add what a file says, or a line on why it cannot be used."""
        try:
            entries.append(read())
        except (DocumentError, CertificateFormatError, OSError) as error:
            self.unreadable.append(str(error))


def _files(folder: Path) -> Iterator[Path]:
    """Yield the files of a folder in order; what applicants got in a run is left to its manifest."""
    for above, folders, files in os.walk(folder):
        folders[:] = sorted(
            name for name in folders if not name.startswith(".") and not (name == APPLICANTS and MANIFEST_FILE in files)
        )
        yield from (Path(above) / name for name in sorted(files) if not name.startswith("."))


def _opened(data: bytes, path: Path) -> Opened:
    """Read of an opening what is no secret; its commitment is not computed again."""
    document = parse_opening_document(data, str(path))
    if isinstance(document, ScoredDocument):
        return Opened(path, document.spec, document.sizes, "trees")
    return Opened(path, document.spec, tuple(len(layer.biases) for layer in document.layers[:-1]), None)


def _key(data: bytes, path: Path, owner_secret: Path | None) -> Key:
    """Read a key's metadata, and ask whether it has the owner's mark."""
    stored = StoredKey(path.parent, parse_key(data, str(path)), owner_secret)
    try:
        stored.require_mark()
    except KeyStoreError as error:
        return Key(stored, str(error))
    return Key(stored, "")


def counted(path: Path) -> Run:
    """Count the verdicts of a manifest; an incomplete last line does not count. Raises DocumentError otherwise."""
    with path.open("rb") as stream:
        try:
            header = msgspec.json.decode(stream.readline(), type=Header)
            verdicts = {}
            for line in stream:
                if line.endswith(b"\n"):
                    entry = msgspec.json.decode(line, type=Entry)
                    verdicts[entry.row] = entry.verdict
        except (msgspec.MsgspecError, UnicodeError, RecursionError):
            raise DocumentError(f"{path}: not the manifest of a run") from None
    return Run(path.parent, header.rows, Counter(verdicts.values()))


def scheme_and_room(key: Key) -> tuple[str, int]:
    """Return a key's scheme and capacity."""
    shape = key.stored.document.shape
    return key_kind(shape.scheme), shape.capacity
