"""Every data set by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from certify.data import adult, bank, compas, default_credit, german, hmda, law_school
from certify.data.dataset import DataError, Dataset
from certify.data.features import Encoding
from certify.data.lending import make_lending
from certify.data.loading import load_table
from certify.data.table import Table

GENERATED = "lending"
"""The data set that needs no file."""

TABLES: Mapping[str, Table] = {
    table.name: table
    for table in (
        adult.TABLE,
        bank.ADDITIONAL,
        bank.FULL,
        compas.TABLE,
        compas.FILTERED,
        default_credit.TABLE,
        german.TABLE,
        hmda.TABLE,
        law_school.TABLE,
    )
}
"""The data sets in raw files."""

NAMES = tuple(sorted((*TABLES, GENERATED)))


def load_named(
    name: str,
    data_dir: Path | None,
    *,
    sensitive: Sequence[str] | None = None,
    encoding: Encoding = "rank",
    any_edition: bool = False,
) -> Dataset:
    """Load a data set; the function behind :func:`certify.data.load`."""
    if name == GENERATED:
        return make_lending(sensitive=sensitive, encoding=encoding)
    table = find_table(name)
    return load_table(table, data_dir, sensitive=sensitive, encoding=encoding, any_edition=any_edition)


def find_table(name: str) -> Table:
    """Return a table by name; raises DataError for any other name."""
    if name == GENERATED:
        raise DataError(f"{name} is generated; it has no file")
    if name not in TABLES:
        raise DataError(f"no data set is called {name!r}; there are {', '.join(NAMES)}")
    return TABLES[name]
