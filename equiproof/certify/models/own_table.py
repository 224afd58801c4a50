"""A table of the owner's own as a data set to train on."""

from __future__ import annotations

from pathlib import Path

from equiproof.certify.data.dataset import DataError, Dataset, encode_rows, split_rows
from equiproof.certify.data.rows import RowsError
from equiproof.certify.models.own_decisions import read_decided_rows
from equiproof.circuits.spec import Spec


def read_own_table(path: Path, spec: Spec, label: str) -> Dataset:
    """Read labelled rows from a file; a fifth of them, drawn by a fixed seed, are the test rows.

    `label` is the column with the labels, spelled as decisions are. Raises RowsError naming the file and the row that
    does not fit the spec, and DecisionsError for the column.
    """
    rows, decided = read_decided_rows(path, spec, label)
    assert decided is not None  # noqa: S101 - a column is named
    try:
        encode_rows(spec, rows)
        return Dataset(path.name, tuple(rows), decided.labels, *split_rows(len(rows), path.name), spec)
    except DataError as error:
        raise RowsError.within(str(path), error) from None
