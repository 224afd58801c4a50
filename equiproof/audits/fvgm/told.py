"""What the table of influences that add up says: its form, the steps of its picture, and sentences in two languages."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Literal

import numpy as np
import numpy.typing as npt

from equiproof.audits.intervals import CONFIDENCE
from equiproof.audits.records import Cell, ReportFields, Table
from equiproof.certify.digits import Rounding, percent

COMMITTED = "committed model"
REST = "(no listed set)"
SUM = "(sum: statistical parity difference)"

_CAPTION = "What adds up to the statistical parity difference of the {}: influences of features, in percentage points"
_COLUMNS = ("features", "influence", "least influence", "largest influence")
_OF_GROUP = "in the rate of "

_DRAWN = 8
"""The most sets that a picture shows one by one."""

_NAMED = 2
"""The most sets that a sentence names."""

_MAX_NAME = 29
"""The most characters of the name of a set or of a group in a sentence."""

_ROUNDING = 1e-9
"""By how much a sum may differ from what was counted."""

_WIDTH = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
"""Half the width of an interval in standard errors."""

Kind = Literal["widens", "narrows", "rest", "sum"]
Floats = npt.NDArray[np.float64]


def table(
    model: str, sets: Sequence[str], rates: Mapping[str, float], parts: Sequence[Floats], errors: Floats
) -> Table:
    """Return the influences, largest first, then the rest and the sum.

    `rates` are those of the rows of the group accepted most and of the one accepted least, by the group in words;
    `parts` are the parts of each, of the sets and of the rest at the end, shape (sets + 1,), and `errors` the standard
    errors of their differences. The sum has no interval here: the report's metrics have one. Raises ValueError where
    parts do not add up to the counted rate.
    """
    for (group, rate), own in zip(rates.items(), parts, strict=True):
        if not abs(math.fsum(own) - rate) <= _ROUNDING:
            raise ValueError(f"parts of the rate of {group} add up to {math.fsum(own)}; want {rate}")
    lines = []
    for name, first, second, error in zip([*sets, REST], *parts, errors, strict=True):
        value, half = 100 * float(first - second), 100 * _WIDTH * float(error)
        lines.append((name, value, value - half, value + half, 100 * float(first), 100 * float(second)))
    ordered = sorted(lines[:-1], key=lambda line: (-abs(line[1]), line[0]))
    most, least = (100 * rate for rate in rates.values())
    total = (SUM, most - least, None, None, most, least)
    columns = (*_COLUMNS, *(f"{_OF_GROUP}{group}" for group in rates))
    return Table(_CAPTION.format(model), columns, (*ordered, lines[-1], total))


@dataclass(frozen=True)
class Step:
    """A step of the picture, in percentage points: where it begins, what it adds, and the ends of its interval."""

    label: str
    kind: Kind
    start: float
    value: float
    lower: float | None = None
    upper: float | None = None


def steps(report: ReportFields) -> tuple[Step, ...]:
    """Return the influences on the committed model as steps from 0 to the difference; none of a report without them.

    The largest sets are steps of their own, and the others are one step.
    """
    own = _table_of(report)
    if own is None:
        return ()
    *lines, rest, total = own.rows
    drawn: list[tuple[str, float, float | None, float | None]] = [_part(line) for line in lines[:_DRAWN]]
    if others := lines[_DRAWN:]:
        drawn.append((f"{len(others)} other sets together", math.fsum(_part(line)[1] for line in others), None, None))
    drawn.append(_part(rest))
    made, at = [], 0.0
    for name, value, low, high in drawn:
        kind: Kind = "rest" if name == REST else "widens" if value >= 0 else "narrows"
        made.append(Step(name, kind, at, value, low, high))
        at += value
    return (*made, Step(SUM, "sum", 0.0, _number(total[1])))


@dataclass(frozen=True)
class Said:
    """What sentences say: the difference of two groups, its largest parts with their intervals, and the rest."""

    most: str
    least: str
    difference: float
    parts: tuple[tuple[str, float, float, float], ...]
    rest: float

    @property
    def english(self) -> str:
        """Sentences in English."""
        parts = self._parts("with", "points", "to")
        return (
            f"Among the rows, {_cut(self.most)} is accepted more often than {_cut(self.least)}, by "
            f"{_points(self.difference)} percentage points. The largest parts of that: {parts}. "
            f"{_points(self.rest)} points are covered by no listed features. All parts add up to the difference."
        )

    @property
    def german(self) -> str:
        """The same in German."""
        parts = self._parts("mit", "Punkte", "bis", _german)
        return (
            f"In den Zeilen wird {_cut(self.most)} um {_german(_points(self.difference))} Prozentpunkte öfter "
            f"angenommen als {_cut(self.least)}. Die größten Anteile daran: {parts}. "
            f"{_german(_points(self.rest))} Punkte deckt kein Merkmal ab. "
            "Alle Anteile zusammen ergeben den Unterschied."
        )

    def _parts(self, joined: str, unit: str, to: str, written: Callable[[str], str] = str) -> str:
        return "; ".join(
            f"{_cut(f' {joined} '.join(name.split(', ')))} {written(_points(value))} {unit} "
            f"({written(_points(low, 'down'))} {to} {written(_points(high, 'up'))})"
            for name, value, low, high in self.parts
        )


def said(report: ReportFields) -> Said | None:
    """Return what a report says of influences on the committed model; None for a report without them."""
    own = _table_of(report)
    if own is None:
        return None
    *lines, rest, total = own.rows
    most, least = (column.removeprefix(_OF_GROUP) for column in own.columns[len(_COLUMNS) :])
    return Said(most, least, _number(total[1]), tuple(map(_part, lines[:_NAMED])), _number(rest[1]))


def _table_of(report: ReportFields) -> Table | None:
    """Return the table of influences on the committed model."""
    return next((one for one in report.tables if one.caption == _CAPTION.format(COMMITTED)), None)


def _part(line: tuple[Cell, ...]) -> tuple[str, float, float, float]:
    """Return the features of a line, their influence and the ends of its interval."""
    name, value, lower, upper, *_ = line
    return str(name), _number(value), _number(lower), _number(upper)


def _number(value: Cell) -> float:
    """Return a cell of the table that is a number; raises ValueError for another one."""
    if not isinstance(value, int | float):
        raise ValueError(f"the table of influences has {value!r} where a number stands")
    return float(value)


def _points(value: float, rounding: Rounding = "nearest") -> str:
    """Return percentage points with the digits of a share."""
    return percent(value / 100, rounding).removesuffix(" %")


def _german(text: str) -> str:
    """Return a number as German writes it."""
    return text.replace(".", ",")


def _cut(name: str) -> str:
    """Return a name that fits into a sentence."""
    return name if len(name) <= _MAX_NAME else f"{name[: _MAX_NAME - 1]}…"
