"""Scorecards as tables: one row of points per bin of a number or per value of a category.

The header is feature,from,to,value,points. A bin holds the numbers from `from` up to, and without, `to`; an empty end
is open. A row of a category has its `value` instead. The rows "(base)" and "(cutoff)" have points only. The second
label is decided where the total reaches the cut-off.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import ClassVar, NamedTuple

from equiproof.certify.models.ensembles.cards import NO_ANSWERS, CardAnswers, Cut, above_zero, category, stepped
from equiproof.certify.models.ensembles.ensemble import Ensemble, Scale, Tree
from equiproof.certify.models.importing.errors import ModelImportError, shown
from equiproof.circuits.arguments import argument
from equiproof.circuits.encodings import ENCODINGS
from equiproof.circuits.spec import Feature, Spec

KIND = "scorecard"
HEADER = ("feature", "from", "to", "value", "points")
BASE = "(base)"
CUTOFF = "(cutoff)"

MAX_ROWS = 1 << 16
"""The most rows of a table."""

_NUMBER = re.compile(r"-?[0-9]{1,18}(\.[0-9]{1,40})?")


class Bin(NamedTuple):
    """Numbers from `low` up to `high`, None where an end is open; `row` is the line of the table."""

    row: int
    low: Fraction | None
    high: Fraction | None
    points: Fraction


@dataclass(frozen=True, repr=False)
class Scorecard:
    """A table as read: bins of numbers in ascending order, and points of categories' values with their lines."""

    bins: Mapping[str, tuple[Bin, ...]]
    values: Mapping[str, Mapping[str, tuple[int, Fraction]]]
    base: Fraction
    cutoff: Fraction

    scale: ClassVar[Scale] = "score"
    outputs = 1
    """The number of logits: two classes only."""

    def __repr__(self) -> str:
        """Show the number of features only: points are secret."""
        return f"<{type(self).__name__} of {len(self.bins) + len(self.values)} features>"

    classes = None
    """A table does not name its decisions."""

    def categories(self) -> tuple[dict[str, tuple[str, ...]], dict[str, tuple[str, ...]], tuple[str, ...]]:
        """Return the values of ordered categories, of which a table has none, and of others, and names of numbers."""
        return {}, {name: tuple(lines) for name, lines in self.values.items()}, tuple(self.bins)

    def ensemble(self, spec: Spec, answers: CardAnswers = NO_ANSWERS) -> Ensemble:
        """Return the table as an ensemble of its columns in raw units, above 0 where the cut-off is reached.

        Its numbers are decimals, and rows are compared with them as decimals. Raises ModelImportError naming the line
        of an unknown feature or value, and the value without a line.
        """
        if answers.cutoff is not None or answers.base_points is not None or answers.unlisted:
            raise ModelImportError(
                f"leave out {argument('cutoff')}, {argument('base_points')} and {argument('unlisted')}: such a table "
                "says all of it itself"
            )
        features = {feature.name: feature for feature in spec.features}
        trees: list[Tree] = []
        names: list[str] = []
        for name, bins in self.bins.items():
            feature = _known(name, features, bins[0].row, "numeric")
            cuts = [Cut(one.low, strict=True) for one in bins if one.low is not None]
            trees.append(stepped(len(names), cuts, [one.points for one in bins]))
            names.append(feature.name)
        for name, lines in self.values.items():
            first = next(iter(lines.values()))[0]
            feature = _known(name, features, first, "categorical")
            trees += category(feature, _points(feature, lines), len(names))
            names += ENCODINGS[feature.encoding].column_names(feature)
        base = above_zero(self.base - self.cutoff, self._numbers())
        others = [
            feature for feature in spec.features if feature.name not in self.bins and feature.name not in self.values
        ]
        names += [name for feature in others for name in ENCODINGS[feature.encoding].column_names(feature)]
        notes = (f"no line is about {', '.join(shown(one.name) for one in others)}: the points do not depend on it",)
        return Ensemble(
            KIND,
            len(names),
            tuple(trees),
            base=base,
            exact=True,
            columns=tuple(names),
            notes=notes if others else (),
            scale="score",
        )

    def _numbers(self) -> list[Fraction]:
        """Return every number of points."""
        numbers = [self.base, self.cutoff, *(one.points for bins in self.bins.values() for one in bins)]
        return [*numbers, *(points for lines in self.values.values() for _, points in lines.values())]


def read_scorecard(data: bytes) -> Scorecard:
    """Read a table in CSV; raises ModelImportError naming the line that is not read, overlaps or leaves a gap."""
    try:
        lines = list(csv.reader(io.StringIO(data.decode("utf-8-sig"), newline=""), strict=True))
    except (UnicodeDecodeError, csv.Error) as error:
        raise ModelImportError(f"not a table in CSV: {shown(str(error))}") from None
    if not lines or tuple(cell.strip() for cell in lines[0]) != HEADER:
        raise ModelImportError(f"line 1: want the header {','.join(HEADER)}")
    if len(lines) > MAX_ROWS:
        raise ModelImportError(f"more than {MAX_ROWS} lines")
    fixed: dict[str, Fraction] = {}
    bins: dict[str, list[Bin]] = {}
    values: dict[str, dict[str, tuple[int, Fraction]]] = {}
    for number, line in enumerate(lines[1:], start=2):
        cells = [cell.strip() for cell in line]
        if any(cells):
            _read_line(number, cells, fixed, bins, values)
    if not bins and not values:
        raise ModelImportError("the table has no feature")
    if CUTOFF not in fixed:
        raise ModelImportError(f"the row {CUTOFF} is missing: the points from which the second label is decided")
    if both := next((name for name in bins if name in values), None):
        raise ModelImportError(f"feature {shown(both)!r} has bins and values; want one of both")
    ordered = {name: _ordered(name, some) for name, some in bins.items()}
    return Scorecard(ordered, values, fixed.get(BASE, Fraction(0)), fixed[CUTOFF])


def write_scorecard(scorecard: Scorecard) -> bytes:
    """Return the table of a scorecard, which :func:`read_scorecard` reads."""
    stream = io.StringIO(newline="")
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(HEADER)
    for name, points in ((BASE, scorecard.base), (CUTOFF, scorecard.cutoff)):
        writer.writerow((name, "", "", "", _written(points)))
    for name, bins in scorecard.bins.items():
        for one in bins:
            writer.writerow((name, _written(one.low), _written(one.high), "", _written(one.points)))
    for name, lines in scorecard.values.items():
        for value, (_, points) in lines.items():
            writer.writerow((name, "", "", value, _written(points)))
    return stream.getvalue().encode()


def _read_line(
    number: int,
    cells: Sequence[str],
    fixed: dict[str, Fraction],
    bins: dict[str, list[Bin]],
    values: dict[str, dict[str, tuple[int, Fraction]]],
) -> None:
    """Read one line of the table into what was read so far."""
    if len(cells) != len(HEADER):
        raise ModelImportError(f"line {number}: {len(cells)} cells; want {len(HEADER)}: {','.join(HEADER)}")
    name, low, high, value, points = cells
    score = _number(number, "points", points)
    if name in (BASE, CUTOFF):
        if name in fixed or low or high or value:
            raise ModelImportError(f"line {number}: {name} has points only, and one line")
        fixed[name] = score
    elif value:
        if low or high:
            raise ModelImportError(f"line {number}: a value and a bin; want one of both")
        known = values.setdefault(name, {})
        if value in known:
            raise ModelImportError(f"line {number}: {shown(value)!r} has points in line {known[value][0]} already")
        known[value] = (number, score)
    else:
        ends = [_number(number, what, text) if text else None for what, text in (("from", low), ("to", high))]
        bins.setdefault(name, []).append(Bin(number, ends[0], ends[1], score))


def _ordered(name: str, bins: Sequence[Bin]) -> tuple[Bin, ...]:
    """Return bins in ascending order; raises ModelImportError naming the lines of a gap or an overlap."""
    order = sorted(bins, key=lambda one: (one.low is not None, one.low or Fraction(0)))
    for one, other in pairwise(order):
        if one.high is None or other.low is None or one.high > other.low:
            raise ModelImportError(f"feature {shown(name)!r}: the bins of lines {one.row} and {other.row} overlap")
        if one.high < other.low:
            raise ModelImportError(
                f"feature {shown(name)!r}: a gap between lines {one.row} and {other.row}: end one where the next begins"
            )
    if order[0].low is not None or order[-1].high is not None:
        raise ModelImportError(
            f"feature {shown(name)!r}: leave `from` of its first bin (line {order[0].row}) and `to` of its last bin "
            f"(line {order[-1].row}) empty, so that every number has points"
        )
    if odd := next((one for one in order if one.low is not None and one.low == one.high), None):
        raise ModelImportError(f"line {odd.row}: the bin is empty, as `to` does not belong to it")
    return tuple(order)


def _known(name: str, features: Mapping[str, Feature], line: int, kind: str) -> Feature:
    """Return the feature of the spec that a line is about."""
    if name not in features:
        raise ModelImportError(f"line {line}: the spec has no feature {shown(name)!r}")
    if features[name].kind != kind:
        want = "bins with from and to" if kind == "categorical" else "a value in each line"
        raise ModelImportError(f"line {line}: feature {shown(name)!r} is {features[name].kind}; want {want}")
    return features[name]


def _points(feature: Feature, lines: Mapping[str, tuple[int, Fraction]]) -> list[Fraction]:
    """Return the points of each value of a category."""
    if odd := next((value for value in lines if value not in feature.domain), None):
        raise ModelImportError(f"line {lines[odd][0]}: {shown(odd)!r} is no value of feature {shown(feature.name)!r}")
    if missing := next((value for value in feature.domain if value not in lines), None):
        raise ModelImportError(f"feature {shown(feature.name)!r}: no line has points for {shown(missing)!r}")
    return [lines[value][1] for value in feature.domain]


def _number(line: int, what: str, text: str) -> Fraction:
    """Read a decimal number."""
    if not _NUMBER.fullmatch(text):
        raise ModelImportError(f"line {line}: {what}: {shown(text)!r} is not a decimal number")
    return Fraction(text)


def _written(number: Fraction | None) -> str:
    """Write a decimal number, nothing for an open end; raises ValueError for a fraction without a short decimal."""
    if number is None:
        return ""
    for digits in range(41):
        scaled = number * 10**digits
        if scaled.denominator == 1:
            whole, rest = divmod(abs(scaled.numerator), 10**digits)
            return f"{'-' if number < 0 else ''}{whole}" + (f".{rest:0{digits}d}" if digits else "")
    raise ValueError("a number without a decimal of 40 digits")
