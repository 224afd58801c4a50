"""Inputs of a witness as the raw values that the spec makes them from, and which features differ between its cases."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from audits.html.words import NOTHING, number
from audits.witness import Case, Witness
from circuits.spec import Feature, Spec

TIE = "no decision (a tie)"

_DIGITS = 12
_EXACT = 48
"""The longest number that is written out."""


@dataclass(frozen=True)
class Line:
    """One line of cases side by side: a feature, a decision or a logit, its value in each case, whether they differ."""

    name: str
    values: tuple[str, ...]
    differs: bool
    unit: str = ""
    sensitive: bool = False


@dataclass(frozen=True)
class Pair:
    """A witness for people: what it shows, the features that differ, and apart from them those that are the same."""

    shows: str
    moves: tuple[str, ...]
    changed: tuple[Line, ...]
    same: tuple[Line, ...]
    decisions: Line
    logits: tuple[Line, ...]
    decoded: bool
    cases: int


def pair(witness: Witness, spec: Spec | None) -> Pair:
    """Return a witness side by side; without a spec that fits, its columns stand in grid units."""
    decoded = spec is not None and all(len(case.inputs) == spec.plain_columns for case in witness.cases)
    plain = list(_features(witness.cases, spec) if decoded and spec is not None else _columns(witness.cases))
    lines = (*_sensitive(witness.cases), *plain)
    labels = tuple(TIE if case.label is None else case.label for case in witness.cases)
    return Pair(
        shows=witness.shows,
        moves=tuple(_move(line) for line in lines if line.differs),
        changed=tuple(line for line in lines if line.differs),
        same=tuple(line for line in lines if not line.differs),
        decisions=_line("decision", labels),
        logits=tuple(_logits(witness.cases, spec)),
        decoded=decoded,
        cases=len(witness.cases),
    )


def _sensitive(cases: Sequence[Case]) -> Iterator[Line]:
    """Yield the sensitive values of the cases by feature."""
    for name in dict.fromkeys(name for case in cases for name, _ in case.sensitive):
        yield _line(name, tuple(dict(case.sensitive).get(name, NOTHING) for case in cases), sensitive=True)


def _features(cases: Sequence[Case], spec: Spec) -> Iterator[Line]:
    """Yield the raw values of the cases by plain feature."""
    start = 0
    for feature in spec.plain_features:
        columns = [[Fraction(text) for text in case.inputs[start : start + feature.width]] for case in cases]
        # Raw values are rounded for the eye: whether they differ is asked of the columns themselves.
        differs = any(other != columns[0] for other in columns)
        values = tuple(raw(feature, own, spec.scale_unit) for own in columns)
        yield Line(feature.name, values, differs, unit=feature.unit)
        start += feature.width


def _columns(cases: Sequence[Case]) -> Iterator[Line]:
    """Yield the columns of the cases by number, in grid units."""
    for place in range(max((len(case.inputs) for case in cases), default=0)):
        values = tuple(case.inputs[place] if place < len(case.inputs) else NOTHING for case in cases)
        yield _line(f"column {place + 1}, grid units", values)


def _logits(cases: Sequence[Case], spec: Spec | None) -> Iterator[Line]:
    """Yield the logits of the cases; with several of them, by label."""
    for place in range(max((len(case.logits) for case in cases), default=0)):
        named = spec is not None and spec.logits > 1 and place < len(spec.labels)
        name = f"score of {spec.labels[place]}" if named and spec is not None else "score (logit)"
        yield _line(
            name, tuple(_readable(case.logits[place]) if place < len(case.logits) else NOTHING for case in cases)
        )


def raw(feature: Feature, columns: Sequence[Fraction], scale_unit: int) -> str:
    """Return the raw value that columns in grid units stand for: a number, a value of the domain, or a place between.

    The spec rounds raw values to the grid, so a number is told with as many digits as the grid has.
    """
    if feature.encoding == "scaled":
        return _number(feature, columns[0], scale_unit)
    exact = [_value(feature, place, scale_unit) for place in range(len(feature.domain))]
    wanted = [Fraction(column) for column in columns]
    for name, value in zip(feature.domain, exact, strict=True):
        if value == wanted:
            return name
    unscaled = [Fraction(feature.mean) + column * Fraction(feature.scale) / scale_unit for column in wanted]
    if feature.encoding == "rank":
        return f"between values: place {number(_decimal(unscaled[0] + 1))} of {len(feature.domain)}"
    parts = [f"{name} {number(_decimal(part))}" for name, part in zip(feature.domain, unscaled, strict=True) if part]
    return f"a mixture: {', '.join(parts) or 'none'}"


def _value(feature: Feature, place: int, scale_unit: int) -> list[Fraction]:
    """Return the columns of a value of a domain, in grid units: as the spec rounds them, half up."""
    indicators = [place] if feature.encoding == "rank" else [int(place == own) for own in range(len(feature.domain))]
    mean, scale = Fraction(feature.mean), Fraction(feature.scale)
    return [Fraction(((raw - mean) / scale * scale_unit + Fraction(1, 2)).__floor__()) for raw in indicators]


def _number(feature: Feature, column: Fraction, scale_unit: int) -> str:
    """Write the raw number of a column with the fewest digits that the spec rounds to it.

    Between grid points, to a twentieth of a step.
    """
    step = Fraction(feature.scale) / scale_unit
    value = Fraction(feature.mean) + column * step
    digits = 0
    while digits < _DIGITS and not _stands_for(round(value, digits), feature, column, step):
        digits += 1
    text = f"{_decimal(round(value, digits)):,.{digits}f}"
    return "0" if text == "-0" else text.replace("-", "−")


def _stands_for(value: Fraction, feature: Feature, column: Fraction, step: Fraction) -> bool:
    """Tell whether a raw number is one for a column."""
    place = (value - Fraction(feature.mean)) / step
    if column.denominator == 1:
        return (place + Fraction(1, 2)).__floor__() == column
    return abs(place - column) <= Fraction(1, 20)


def _line(name: str, values: tuple[str, ...], *, sensitive: bool = False) -> Line:
    """Return a line that says whether its values differ."""
    return Line(name, values, len(set(values)) > 1, sensitive=sensitive)


def _move(line: Line) -> str:
    """Say how a feature moves from case to case."""
    unit, shown = f" {line.unit}" if line.unit else "", dict.fromkeys(line.values)
    return f"{line.name}: {' → '.join(shown)}{unit}{' (by less than is shown)' if len(shown) == 1 else ''}"


def _readable(text: str) -> str:
    """Write an exact number in full; only where that is very long, rounded."""
    if len(text) <= _EXACT:
        return text.replace("-", "−")
    return f"{number(_decimal(Fraction(text)))} (rounded)"


def _decimal(value: Fraction) -> Decimal:
    """Return a fraction with 28 digits: no number of a witness is too large for it."""
    return Decimal(value.numerator) / Decimal(value.denominator)
