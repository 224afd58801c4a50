"""Every data set by name."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path

from equiproof.certify.data import adult, bank, compas, default_credit, german, hmda, law_school, ricci, titanic
from equiproof.certify.data.dataset import DataError, Dataset
from equiproof.certify.data.features import CategoryEncoding
from equiproof.certify.data.lending import make_lending
from equiproof.certify.data.loading import load_table
from equiproof.certify.data.logarithms import with_logarithms
from equiproof.certify.data.spec_builder import with_ranges
from equiproof.certify.data.table import Table

GENERATED_NAME = "lending"
"""The data set that needs no file."""

TABLES: Mapping[str, Table] = {
    table.name: table
    for table in (
        adult.TABLE,
        adult.SPOUSE,
        bank.ADDITIONAL,
        bank.FULL,
        compas.TABLE,
        compas.FILTERED,
        default_credit.TABLE,
        german.TABLE,
        hmda.TABLE,
        law_school.TABLE,
        ricci.TABLE,
        titanic.TABLE,
    )
}
"""The data sets in raw files."""

NAMES = tuple(sorted((*TABLES, GENERATED_NAME)))


def load(
    name: str,
    data_dir: Path | None = None,
    *,
    sensitive: Sequence[str] | None = None,
    encoding: CategoryEncoding = "rank",
    any_edition: bool = False,
    ranges: Mapping[str, tuple[str, str]] | None = None,
    use_ranges: bool = False,
    logs: Mapping[str, str | None] | None = None,
) -> Dataset:
    """Load a data set by name.

    `data_dir` is the folder with the raw files; the generated default needs none. `sensitive` names the sensitive
    features instead of the data set's own; with "one-hot", every other category takes one column per value. `ranges`
    are those of numbers, (low, high) by name, instead of the data set's own; with `use_ranges`, neighbors keep to all
    of them. `logs` are numbers that count by their logarithm, each with what is added before, None for 0 or, where 0
    occurs, 1. Raises DataError for an unknown name, a missing folder or file, rows that cannot be read or lie outside
    `ranges`, and, unless `any_edition`, files that are not the known edition; SpecError for ranges without a meaning.
    """
    if name == GENERATED_NAME:
        data = make_lending(sensitive=sensitive, encoding=encoding)
    else:
        table = find_table(name)
        data = load_table(table, data_dir, sensitive=sensitive, encoding=encoding, any_edition=any_edition)
    spec = data.spec
    if ranges or use_ranges:
        spec = with_ranges(spec, data.rows, ranges or {}, use_ranges=use_ranges)
    if logs:
        spec = with_logarithms(spec, data.rows, data.train, logs)
    return dataclasses.replace(data, spec=spec)


def find_table(name: str) -> Table:
    """Return a table by name; raises DataError for any other name."""
    if name == GENERATED_NAME:
        raise DataError(f"{name} is generated; it has no file")
    if name not in TABLES:
        raise DataError(f"no data set is called {name!r}; there are {', '.join(NAMES)}")
    return TABLES[name]
