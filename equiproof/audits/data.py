"""The rows of an audit with their true labels: from a data set, or from rows of the owner's own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from equiproof.audits.errors import AuditError
from equiproof.circuits.names import listed

if TYPE_CHECKING:
    from equiproof.certify.data.dataset import Dataset
    from equiproof.circuits.spec import Spec

T = TypeVar("T")

Split = Literal["test", "train", "all"]
"""The parts of a data set."""


@dataclass(frozen=True)
class AuditRows:
    """Rows for an audit, their labels (None: unknown), and the name of their source for error messages."""

    rows: Sequence[Mapping[str, Any]] = ()
    labels: Sequence[int] | None = None
    source: str = ""

    def sampled(self, count: int | None) -> AuditRows:
        """Return at most `count` of the rows, evenly spread, with their labels; all of them for None."""
        numbers = spread(range(len(self.rows)), count)
        labels = self.labels and [self.labels[number] for number in numbers]
        return AuditRows([self.rows[number] for number in numbers], labels, self.source)


def rows_of(rows: Sequence[Mapping[str, Any]], spec: Spec, source: str, label: str | None) -> AuditRows:
    """Return rows with the labels in column `label` if one is named.

    Raises AuditError naming the source for a column that no row has, and the row for a label that the spec does not
    have.
    """
    return AuditRows(rows, None if label is None else read_labels(rows, label, spec, source), source)


def rows_of_data_set(data: Dataset, split: Split) -> AuditRows:
    """Return the rows of a part of a data set, with their labels."""
    parts = {"test": data.test, "train": data.train, "all": range(len(data.rows))}
    numbers = parts[split]
    return AuditRows([data.rows[number] for number in numbers], [data.labels[number] for number in numbers], data.name)


def read_labels(rows: Sequence[Mapping[str, Any]], column: str, spec: Spec, source: str) -> list[int]:
    """Return the numbers of the labels in a column; raises AuditError naming source and row, or the columns."""
    if rows and not any(column in row for row in rows):
        raise AuditError(f"{source}: no column is called {column[:40]!r}; there are {listed(list(rows[0]))}")
    labels = []
    for number, row in enumerate(rows, start=1):
        name = str(row.get(column, ""))
        if name not in spec.labels:
            fault = f"{name[:40]!r} is none of {', '.join(spec.labels)}" if column in row else "missing"
            raise AuditError(f"{source}: row {number}: label {column!r}: {fault}")
        labels.append(spec.labels.index(name))
    return labels


def fit_linear(to: AuditRows, spec: Spec) -> Any:
    """Return a logistic regression of the labels on the spec's columns, divided by their scale, sensitive ones last.

    The solver is deterministic, so the result is the same every time. Raises AuditError naming the source of rows
    that do not fit, of rows without labels or with one label only, and of rows that do not state everything.
    """
    from sklearn.linear_model import LogisticRegression

    from equiproof.certify.data.dataset import DataError, encode_rows

    if to.labels is None:
        raise AuditError(f"{to.source}: name the column of true decisions: a linear model is fitted to them")
    if len(set(to.labels)) < 2:
        raise AuditError(f"{to.source}: give rows of both labels: no linear model can be fitted to rows of one label")
    if (name := not_stated(spec, to.rows)) is not None:
        raise AuditError(
            f"{to.source}: leave --linear out: some rows do not state {name[:80]!r}, and no linear model "
            "is fitted to them"
        )
    try:
        columns = encode_rows(spec, to.rows) / spec.scale_unit
    except DataError as error:
        raise AuditError(f"{to.source}: {error}") from None
    return LogisticRegression(max_iter=1000).fit(columns, to.labels)


def not_stated(spec: Spec, rows: Sequence[Mapping[str, Any]]) -> str | None:
    """Return the first feature that some of the rows do not state, None if they state everything that they have."""
    names = (feature.name for feature in spec.plain_features if feature.may_miss)
    return next((name for name in names if any(row.get(name, "") is None for row in rows)), None)


def spread(items: Sequence[T], count: int | None) -> list[T]:
    """Return at most `count` items, evenly spread, the same ones every time; all of them for None."""
    many = len(items) if count is None else min(count, len(items))
    return [items[number * len(items) // many] for number in range(many)]
