"""A fitted scikit-learn pipeline and the table that it was fitted on, in one call: a spec, and the model under it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
from msgspec import UNSET

from equiproof.certify.data.cleaning import complete
from equiproof.certify.data.dataset import DataError, Row, encode_rows
from equiproof.certify.data.features import check_sensitive, choose
from equiproof.certify.data.spec_builder import build_spec, with_ranges
from equiproof.certify.decisions import decisions
from equiproof.certify.models.importing.errors import ModelImportError, shown
from equiproof.certify.models.importing.imported import Imported, import_model
from equiproof.certify.models.importing.reading import read_model
from equiproof.certify.models.importing.source import Source
from equiproof.circuits.spec import Feature

if TYPE_CHECKING:
    import pandas as pd

_MISSING_VALUES_HINT = "fill them in, or give the rows that have every value, table.dropna(), with their decisions"

COMPARED_ROWS = 1000
"""How many rows of the table are decided by the pipeline and by its import, which must agree."""

MISMATCH_SHARE = 0.01
"""The share of these rows that rounding to integers may decide otherwise; more means that something was misread."""


def from_sklearn(
    pipeline: Any,
    table: pd.DataFrame,
    decisions_made: Sequence[Any] | None = None,
    *,
    sensitive: Sequence[str],
    labels: Sequence[str] | None = None,
    units: Mapping[str, str] | None = None,
    ranges: Mapping[str, tuple[str, str]] | None = None,
    use_ranges: bool = False,
    name: str = "table",
) -> Imported:
    """Return a fitted pipeline, imported under a spec that is drafted from it and from the table of its training.

    `decisions_made` are the labels of the rows, which must be classes of the pipeline. `labels` names the classes in
    the pipeline's order, which is needed where they are numbers; `units` and `ranges` are those of numbers by column.
    Each category has the values and the order of its encoder. Raises ModelImportError for a pipeline that is not read
    exactly, or whose import decides rows of the table otherwise; DataError and SpecError for a table without a spec,
    missing values among its reasons.
    """
    source = read_model(pipeline)
    named = _labels(source, decisions_made, labels)
    rows = _rows(table, source)
    check_sensitive("sensitive", sensitive, list(rows[0]))
    features = choose(_features(rows, source, units or {}), rows, sensitive, "rank")
    logits = 1 if len(named) == 2 and source.outputs == 1 else source.outputs
    spec = build_spec(name, features, rows, range(len(rows)), named, logits=logits)
    if ranges or use_ranges:
        spec = with_ranges(spec, rows, ranges or {}, use_ranges=use_ranges)
    texts = source.classes is not None and isinstance(source.classes[0], str)
    imported = import_model(source, spec, units="raw", classes=None if texts or labels is None else tuple(named))
    _compare(pipeline, table, rows, imported, source)
    return imported


def _labels(source: Source, decisions_made: Sequence[Any] | None, labels: Sequence[str] | None) -> tuple[str, ...]:
    """Return the names of the classes in the model's order."""
    classes = source.classes or ()
    names = {str(one) for one in classes}
    strange = [] if decisions_made is None else sorted({str(one) for one in decisions_made} - names)
    if strange:
        raise ModelImportError(f"a row is decided {shown(strange[0])!r}, which is no class of the pipeline")
    if labels is not None:
        if len(labels) != len(classes):
            raise ModelImportError(f"{len(labels)} labels for {len(classes)} classes of the pipeline")
        if all(isinstance(one, str) for one in classes) and tuple(labels) != classes:
            raise ModelImportError(f"the pipeline names its classes itself: {', '.join(map(shown, map(str, classes)))}")
        return tuple(labels)
    if not all(isinstance(one, str) for one in classes):
        raise ModelImportError(
            f"the classes are {', '.join(map(str, classes))}: say what they mean with labels=, in this order"
        )
    return tuple(map(str, classes))


def _rows(table: pd.DataFrame, source: Source) -> list[Row]:
    """Return the rows of the table with the columns that the model takes, as a spec reads them."""
    encoded = [*source.ranked, *source.one_hot]
    values = {f"{column}={value}" for column, categories in source.one_hot.items() for value in categories}
    numbers = (source.logarithms.get(one, (one, ""))[0] for one in source.columns or () if one not in values)
    names = [*dict.fromkeys([*encoded, *numbers])]
    if missing := [one for one in names if one not in table.columns]:
        raise DataError(f"the table has no column {missing[0]!r}, which the pipeline takes")
    ordered = [str(column) for column in table.columns if str(column) in names]
    if not len(table):
        raise DataError("the table has no rows")
    records = table[ordered].astype(object).where(table[ordered].notna(), "").to_dict("records")
    plain_rows = [{str(key): _plain(value) for key, value in row.items()} for row in records]
    rows, _ = complete(plain_rows, ordered, leave_out=False, remedy=_MISSING_VALUES_HINT)
    for column in encoded:
        encoded_values = set(source.ranked.get(column) or source.one_hot[column])
        if stranger := next((str(row[column]) for row in rows if str(row[column]) not in encoded_values), None):
            raise DataError(f"column {column!r} has the value {stranger[:40]!r}, which its encoder does not know")
    return [{name: str(row[name]) if name in encoded else row[name] for name in ordered} for row in rows]


def _plain(value: Any) -> Any:
    """Return a cell as Python's own text or number."""
    value = value.item() if isinstance(value, np.generic) else value
    if isinstance(value, float) and value.is_integer() and abs(value) < 1 << 53:
        return int(value)
    return int(value) if isinstance(value, bool) else value


def _features(rows: Sequence[Row], source: Source, units: Mapping[str, str]) -> list[Feature]:
    """Return the features of the table as the pipeline takes them."""
    features = []
    offsets = dict(source.logarithms.values())
    for column in rows[0]:
        if column in source.one_hot:
            domain = source.one_hot[column]
            features.append(Feature(column, "categorical", "one-hot", sensitive=False, domain=domain))
        elif column in source.ranked:
            features.append(Feature(column, "categorical", "rank", sensitive=False, domain=source.ranked[column]))
        elif text := next((row[column] for row in rows if not isinstance(row[column], int | float)), None):
            raise DataError(f"column {column!r} has the value {str(text)[:40]!r}; encode it in a ColumnTransformer")
        else:
            whole = True if all(isinstance(row[column], int) for row in rows) else UNSET
            unit = units.get(column, "")
            number = Feature(column, "numeric", "scaled", sensitive=False, unit=unit, whole=whole)
            if column in offsets:
                number = msgspec.structs.replace(number, encoding="log", offset=offsets[column])
            features.append(number)
    if unknown := [one for one in units if one not in rows[0]]:
        raise DataError(f"units: the pipeline takes no column {unknown[0]!r}")
    return features


def _compare(pipeline: Any, table: pd.DataFrame, rows: Sequence[Row], imported: Imported, source: Source) -> None:
    """Raise ModelImportError where the import decides more rows otherwise than rounding explains."""
    step = max(1, len(rows) // COMPARED_ROWS)
    labels = decisions(imported.quantised, encode_rows(imported.spec, rows[::step]))
    classes = [str(one) for one in source.classes or ()]
    targets = np.array([classes.index(str(one)) for one in pipeline.predict(table.iloc[::step])])
    differing = int(np.sum(labels != targets))
    if differing > MISMATCH_SHARE * len(targets):
        raise ModelImportError(
            f"the imported model decides {differing} of {len(targets)} rows otherwise than the pipeline: was it fitted "
            "on this table?"
        )
