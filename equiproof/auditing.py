"""What an audit looks at, as the command line names it: a committed model or a model folder, and rows with labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import typer

from equiproof.commands.common import load_data, load_opening
from equiproof.models import load_model, load_model_data
from equiproof.rows import RowsError, read_rows, unknown

if TYPE_CHECKING:
    from audits.context import AuditContext
    from certify.data.dataset import Dataset
    from certify.network import QuantisedNetwork
    from circuits.spec import Spec

T = TypeVar("T")

Split = Literal["test", "train", "all"]


@dataclass(frozen=True)
class Subject:
    """The model to audit, and what the words of the command say of its rows.

    Without `opening`, the network of the folder `model` is audited, which no commitment names yet. `rows` is a file,
    whose column `label` may hold the true decisions; else the data set `dataset`, or that of the folder. `linear` asks
    for a linear model, fitted to the training rows of the data set.
    """

    opening: Path | None
    model: Path | None
    rows: Path | None
    label: str | None
    dataset: str | None
    split: Split
    sample: int | None
    linear: bool
    data_dir: Path | None

    def refuse_misfits(self) -> None:
        """Raise typer.BadParameter for words that do not go together."""
        if self.opening is None and self.model is None:
            raise typer.BadParameter("name the model to audit: --opening FILE, or --model FOLDER")
        if self.rows is not None and self.dataset is not None:
            raise typer.BadParameter("--rows goes without --dataset: one of them gives the rows")
        if self.label is not None and self.rows is None:
            raise typer.BadParameter("--label is a column of --rows; data sets know their labels")
        if self.linear and self.dataset is None and (self.model is None or self.rows is not None):
            raise typer.BadParameter("--linear is fitted to a data set: name one with --dataset, or with --model")

    def context(self, sensitive: Sequence[str], seed: int, max_seconds: float | None) -> AuditContext:
        """Load all of it; raises the errors of its readers, and RowsError naming the row that does not fit."""
        from audits.context import AuditContext
        from audits.errors import AuditError

        spec, network, commitment = self._model()
        data = None if self.rows is not None else self._data(spec)
        rows, labels, where = self._rows(spec, data)
        context = AuditContext(
            network=network,
            spec=spec,
            commitment=commitment,
            rows=rows,
            labels=labels,
            sensitive_features=tuple(sensitive),
            linear=_fitted(data, spec) if self.linear and data is not None else None,
            seed=seed,
            max_seconds=max_seconds,
        )
        try:
            _ = context.queries
        except AuditError as error:
            raise RowsError(f"{where}: {error}{unknown(dict(rows[0]), spec)}") from None
        return context

    def _model(self) -> tuple[Spec, QuantisedNetwork, str]:
        """Return spec, quantised network and commitment."""
        from circuits.field import to_hex

        if self.opening is not None:
            owned = load_opening(self.opening)
            return owned.spec, owned.network, to_hex(owned.commitment)
        if self.model is None:
            raise TypeError("refuse_misfits has not been called")
        spec, _, quantised = load_model(self.model)
        return spec, quantised, ""

    def _rows(self, spec: Spec, data: Dataset | None) -> tuple[Sequence[Mapping[str, Any]], Sequence[int] | None, str]:
        """Return rows, their labels where they are known, and where both come from."""
        if self.rows is not None:
            rows = read_rows(self.rows)
            kept = _spread(range(len(rows)), self.sample)
            labels = None if self.label is None else _labels(self.rows, rows, self.label, spec)
            return [rows[number] for number in kept], labels and [labels[number] for number in kept], str(self.rows)
        if data is None:
            return (), None, ""
        parts = {"test": data.test, "train": data.train, "all": range(len(data.rows))}
        kept = _spread(parts[self.split], self.sample)
        return [data.rows[number] for number in kept], [data.labels[number] for number in kept], data.name

    def _data(self, spec: Spec) -> Dataset | None:
        """Return the data set, None where no word names one; raises RowsError for one that is not the model's."""
        if self.dataset is not None:
            names = ",".join(feature.name for feature in spec.sensitive_features)
            data = load_data(self.dataset, self.data_dir, names)
            if data.spec.labels != spec.labels:
                raise RowsError(
                    f"{self.dataset}: its labels are {', '.join(data.spec.labels)}, the model decides "
                    f"{', '.join(spec.labels)}"
                )
            return data
        if self.model is None:
            return None
        own = load_model(self.model)[0]
        if own != spec:
            raise RowsError(f"{self.model}: not the model that {self.opening} commits to; its spec is another one")
        return load_model_data(self.model, own, self.data_dir)


def _fitted(data: Dataset, spec: Spec) -> Any:
    """Return a logistic regression of the labels on the spec's columns, in units of their scale, sensitive ones last.

    It is fitted to the training rows; a solver without chance gives the same one every time.
    """
    from sklearn.linear_model import LogisticRegression

    from certify.data.dataset import encode_rows

    columns = encode_rows(spec, [data.rows[number] for number in data.train]) / spec.scale_unit
    return LogisticRegression(max_iter=1000).fit(columns, data.label_array()[list(data.train)])


def _labels(path: Path, rows: Sequence[Mapping[str, Any]], column: str, spec: Spec) -> list[int]:
    """Return the numbers of the labels that a column names; raises RowsError naming the row."""
    found = []
    for number, row in enumerate(rows, start=1):
        told = str(row.get(column, ""))
        if told not in spec.labels:
            shown = f"{told[:40]!r} is none of {', '.join(spec.labels)}" if column in row else "missing"
            raise RowsError(f"{path}: row {number}: label {column!r}: {shown}")
        found.append(spec.labels.index(told))
    return found


def _spread(items: Sequence[T], count: int | None) -> list[T]:
    """Return at most `count` items, evenly spread: the same ones every time."""
    many = len(items) if count is None else min(count, len(items))
    return [items[number * len(items) // many] for number in range(many)]
