"""The rows of an audit with their true labels: from a data set, or from rows of the owner's own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from equiproof.audits.errors import AuditError

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


def rows_of(
    rows: Sequence[Mapping[str, Any]], spec: Spec, source: str, label: str | None, count: int | None
) -> AuditRows:
    """Return at most `count` of some rows, with the labels in column `label` if one is named.

    Raises AuditError naming source and row for a label that the spec does not have.
    """
    kept = spread(range(len(rows)), count)
    labels = None if label is None else read_labels(rows, label, spec, source)
    return AuditRows([rows[number] for number in kept], labels and [labels[number] for number in kept], source)


def rows_of_data_set(data: Dataset, split: Split, count: int | None) -> AuditRows:
    """Return at most `count` rows of a part of a data set, with their labels."""
    parts = {"test": data.test, "train": data.train, "all": range(len(data.rows))}
    kept = spread(parts[split], count)
    return AuditRows([data.rows[number] for number in kept], [data.labels[number] for number in kept], data.name)


def read_labels(rows: Sequence[Mapping[str, Any]], column: str, spec: Spec, source: str) -> list[int]:
    """Return the numbers of the labels in a column; raises AuditError naming source and row."""
    labels = []
    for number, row in enumerate(rows, start=1):
        name = str(row.get(column, ""))
        if name not in spec.labels:
            fault = f"{name[:40]!r} is none of {', '.join(spec.labels)}" if column in row else "missing"
            raise AuditError(f"{source}: row {number}: label {column!r}: {fault}")
        labels.append(spec.labels.index(name))
    return labels


def fit_linear(data: Dataset, spec: Spec) -> Any:
    """Return a logistic regression of the labels on the spec's columns, divided by their scale, sensitive ones last.

    It is fitted to the training rows with a deterministic solver, so the result is the same every time.
    """
    from sklearn.linear_model import LogisticRegression

    from equiproof.certify.data.dataset import encode_rows

    columns = encode_rows(spec, [data.rows[number] for number in data.train]) / spec.scale_unit
    return LogisticRegression(max_iter=1000).fit(columns, data.label_array()[list(data.train)])


def spread(items: Sequence[T], count: int | None) -> list[T]:
    """Return at most `count` items, evenly spread, the same ones every time; all of them for None."""
    many = len(items) if count is None else min(count, len(items))
    return [items[number * len(items) // many] for number in range(many)]
