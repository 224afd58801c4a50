"""The owner's keys for counts over tables: made beside those for links, and found for a committed network."""

from __future__ import annotations

from pathlib import Path

from equiproof.circuits.canonical import DocumentError, canonical_bytes, read_regular
from equiproof.circuits.files import FileExistsRefusedError, write_folder
from equiproof.circuits.shape import branch_shape
from equiproof.circuits.table_shape import MAX_ROWS, TableShape, table_shape
from equiproof.ffi import backend
from equiproof.prover.errors import KeyStoreError
from equiproof.prover.keys import KeyStore, StoredTableKey, set_up
from equiproof.prover.opening import Opening
from equiproof.prover.owner import MARK_FILE, mark, ready_secret
from equiproof.verifier.documents import KEY, key_folders
from equiproof.verifier.errors import CertificateFormatError
from equiproof.verifier.table_files import TABLE_KEY_FILE, TableKeyDocument, parse_table_key

MOST_CONSTRAINTS = 1 << 18
"""How many constraints a proof has at most where nobody says how many rows it is about: as many as a domain has."""

DEFAULT_CELLS = 14
"""Two elements of counts: seven groups with true labels of two values."""

_COUNTED = (32, 64)
"""The rows of the two shapes from which constraints of a row are counted."""

_ROUND = 10
"""Rows of a proof are a multiple of this, for people's sake."""


def shape_for(opening: Opening, rows: int | None, cells: int) -> TableShape:
    """Return the shape of counts for a committed network; by default as many rows as fit a proof.

    Raises KeyStoreError for a model of another kind, and for more labels than two.
    """
    if opening.own_scheme is not None or opening.spec.logits > 2:
        raise KeyStoreError(
            f"table: counts are proven of networks with two labels, and the opening is of {opening.kind} with "
            f"{len(opening.spec.labels)}"
        )
    # Schemes and capacities differ in nothing that a table's shape has.
    own = branch_shape(opening.spec, opening.sizes, 2)
    if rows is not None:
        return table_shape(own, rows, cells)
    low, high = (_constraints(table_shape(own, count, cells)) for count in _COUNTED)
    row = -(-(high - low) // (_COUNTED[1] - _COUNTED[0]))
    fitting = min(MAX_ROWS, max(1, (MOST_CONSTRAINTS - low) // row))
    return table_shape(own, fitting - fitting % _ROUND if fitting > _ROUND else fitting, cells)


def _constraints(shape: TableShape) -> int:
    """Return how many constraints a shape has."""
    return backend.describe(shape.document).constraints


def set_up_tables(
    folder: Path, shape: TableShape, owner_secret: Path | None = None, *, force: bool = False
) -> StoredTableKey:
    """Make the keys of a shape of counts on this machine, and those of its links unless they are there.

    Raises FileExistsRefusedError where there are such keys (unless `force`), KeyStoreError for a shape without a
    circuit.
    """
    place = folder / shape.name
    if place.exists() and not force:
        raise FileExistsRefusedError(place)
    secret = ready_secret(owner_secret)
    metadata, files = set_up(shape.document)
    document = TableKeyDocument(format=KEY[0], version=KEY[1], shape=shape, **metadata)
    KeyStore(folder, owner_secret).set_up_links(shape.links, secret)
    files |= {TABLE_KEY_FILE: canonical_bytes(document), MARK_FILE: mark(document.fingerprint, secret)}
    write_folder(place, files, secret=(MARK_FILE,), force=force)
    return StoredTableKey(place, document, owner_secret)


def find_table_key(folder: Path, opening: Opening, cells: int, owner_secret: Path | None = None) -> StoredTableKey:
    """Return the key for counts of a committed network in so many cells: of several the one with most rows.

    Raises KeyStoreError for none, for one not made by the owner, and for metadata that cannot be read.
    """
    own = shape_for(opening, 1, 1)
    fitting = []
    for place in key_folders(folder, TABLE_KEY_FILE):
        path = place / TABLE_KEY_FILE
        try:
            key = StoredTableKey(place, parse_table_key(read_regular(path), str(path)), owner_secret)
        except (CertificateFormatError, DocumentError) as error:
            raise KeyStoreError(str(error)) from None
        shape = key.document.shape
        same_model = (shape.architecture, shape.input_bits) == (own.architecture, own.input_bits)
        if same_model and shape.cells >= cells:
            fitting.append(key)
    if not fitting:
        raise KeyStoreError(
            f"{folder}: make one with `equiproof table setup --cells {cells}`: there is no key for counts of this "
            f"model in {cells} cells"
        )
    found = max(fitting, key=lambda one: (one.document.shape.rows, -one.document.shape.cells))
    found.require_mark()
    return found
