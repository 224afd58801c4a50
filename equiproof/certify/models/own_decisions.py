"""The decisions of the owner's own system: labels in their usual spellings, or scores with a cut."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, ClassVar

from equiproof.certify.data.dataset import DataError
from equiproof.certify.data.labels import number_of, written
from equiproof.certify.data.notation import plain_rows, said
from equiproof.certify.data.rows import Row, read_rows
from equiproof.certify.models.importing.errors import shown
from equiproof.circuits.exit_codes import MISUSED
from equiproof.circuits.spec import Spec

_MAX_NAMED = 20
"""How many columns an error names."""


class DecisionsError(ValueError):
    """Decisions that cannot be read, or that the model does not make: one line with what, where, and how to mend it."""

    exit_code: ClassVar[int] = MISUSED


@dataclass(frozen=True)
class OwnDecisions:
    """The decisions of the owner's own system on rows: the number of each row's label, and how it was written.

    `where` names them in messages and reports, such as "column decision of rows.csv".
    """

    labels: tuple[int, ...]
    written: tuple[str, ...]
    where: str


def read_decided_rows(
    path: Path, spec: Spec, column: str | None, cut: str | None = None
) -> tuple[list[Row], OwnDecisions | None]:
    """Read raw rows from a file, and the decisions in one of its columns, which the rows then lack.

    Raises RowsError for the file, and DecisionsError for a column that is missing or a feature of the spec, and as
    :func:`read_decisions`.
    """
    rows = read_rows(path, spec=spec)
    if column is None:
        return rows, None
    if column in (feature.name for feature in spec.features):
        raise DecisionsError(f"name a column of decisions: {column[:40]!r} is a feature of the spec")
    where = f"column {shown(column[:40])} of {shown(path.name[:80])}"
    for number, row in enumerate(rows, start=1):
        if column not in row:
            there = shown(", ".join(list(row)[:_MAX_NAMED])[:120])
            raise DecisionsError(
                f"name a column of {shown(path.name[:80])}: row {number} has no {column[:40]!r}; it has {there}"
            )
    values = [{column: row.pop(column)} for row in rows]
    if cut is not None:
        values = _plain_scores(values, column, where)
    return rows, read_decisions([row[column] for row in values], spec.labels, where, cut)


def _plain_scores(values: Sequence[Row], column: str, where: str) -> list[Row]:
    """Return scores as 1234.5 is written; raises DecisionsError where their notation is not known."""
    try:
        return [dict(row) for row in plain_rows(values, [column], said())]
    except DataError as error:
        raise DecisionsError(f"{where}: {error}") from None


def read_decisions(values: Sequence[Any], labels: Sequence[str], where: str, cut: str | None = None) -> OwnDecisions:
    """Read one decision a row: a label in any usual spelling, or with `cut` a score, the second label above the cut.

    Labels are those of the spec by name or number, or True/False, 1/0 and 1/-1 for the second and the first of two;
    whole numbers from 0 count more labels. Raises DecisionsError naming `where` and the row.
    """
    if cut is not None:
        numbers = _scored(values, labels, where, cut)
    else:
        signed = any(number_of(value) == -1 for value in values)
        numbers = [
            _label(value, labels, f"{where}, row {row}", signed=signed) for row, value in enumerate(values, start=1)
        ]
    return OwnDecisions(tuple(numbers), tuple(written(value) for value in values), where)


def read_share(text: str) -> Fraction:
    """Read a share such as "0.001"; raises DecisionsError for anything else."""
    share = number_of(text)
    if share is None or not 0 <= share <= 1:
        raise DecisionsError(f"give a share from 0 to 1, such as 0.001: {written(text)[:40]!r} is not one")
    return share


def _scored(values: Sequence[Any], labels: Sequence[str], where: str, cut: str) -> list[int]:
    """Return the labels of scores: the second above the cut."""
    limit = number_of(cut)
    if limit is None:
        raise DecisionsError(f"give a number as the cut: {written(cut)[:40]!r} is not one")
    if len(labels) != 2:
        raise DecisionsError(f"give decisions by label: a cut of scores is for two labels, and there are {len(labels)}")
    numbers = []
    for row, value in enumerate(values, start=1):
        score = None if isinstance(value, bool) else number_of(value)
        if score is None:
            raise DecisionsError(
                f"{where}, row {row}: {written(value)[:40]!r} is not a number, and a cut is for scores"
            )
        if score == limit:
            raise DecisionsError(
                "give labels instead of scores, or a cut a little above or below: a score of exactly "
                f"{written(cut)[:40]} says neither label ({where}, row {row})"
            )
        numbers.append(int(score > limit))
    return numbers


def _label(value: Any, labels: Sequence[str], where: str, *, signed: bool) -> int:
    """Return the number of a label; `signed`: -1 occurs among the decisions, and stands for the first of two."""
    text = written(value)
    if text in labels:
        return labels.index(text)
    if not text:
        raise DecisionsError(f"{where}: the decision is empty: fill it in, or leave the row out")
    number = number_of(value)
    names = [number_of(label) for label in labels]
    if number is not None and names.count(number) == 1:
        return names.index(number)
    if number is not None and all(name is None for name in names):
        if signed and len(labels) == 2 and number in (-1, 1):
            return int(number == 1)
        if not signed and number.denominator == 1 and 0 <= number < len(labels):
            return int(number)
    close = difflib.get_close_matches(text, labels, 1)
    hint = f"; is {close[0]!r} meant" if close else "; for scores, give a cut"
    raise DecisionsError(f"{where}: {text[:40]!r} is none of {', '.join(labels)[:120]}{hint}")
