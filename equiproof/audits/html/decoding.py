"""Inputs of a counterexample as raw values, and which features differ between its cases."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, localcontext
from fractions import Fraction

from equiproof.audits.counterexample import Counterexample, DecidedInput
from equiproof.audits.dated import dated
from equiproof.audits.html.words import number
from equiproof.audits.measures import DASH
from equiproof.circuits.encodings import ENCODINGS
from equiproof.circuits.names import after_number
from equiproof.circuits.spec import Feature, Spec

TIE = "no decision (a tie)"


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
    """A counterexample for people: what it shows, the features that differ, and those that are the same."""

    shows: str
    moves: tuple[str, ...]
    changed: tuple[Line, ...]
    same: tuple[Line, ...]
    decisions: Line
    logits: tuple[Line, ...]
    decoded: bool
    cases: int


def pair(
    counterexample: Counterexample,
    spec: Spec | None,
    bits: int | None = None,
    read: Callable[[str], str] = str,
) -> Pair:
    """Return the cases of a counterexample side by side; columns are in grid units if no spec fits.

    `bits` are the binary places of the logits, None if they are unknown: logits are then rounded as they stand. `read`
    writes the values of features as people read them.
    """
    cases = counterexample.cases
    decoded = spec is not None and all(len(case.inputs) == spec.own_columns for case in cases)
    plain = list(_features(cases, spec) if decoded and spec is not None else _columns(cases))
    lines = [replace(one, values=tuple(map(read, one.values))) for one in (*_sensitive(cases), *plain)]
    labels = tuple(TIE if case.label is None else case.label for case in cases)
    return Pair(
        shows=counterexample.shows,
        moves=tuple(_move(line) for line in lines if line.differs),
        changed=tuple(line for line in lines if line.differs),
        same=tuple(line for line in lines if not line.differs),
        decisions=_line("decision", labels),
        logits=tuple(_logits(cases, spec, bits)),
        decoded=decoded,
        cases=len(cases),
    )


def _sensitive(cases: Sequence[DecidedInput]) -> Iterator[Line]:
    """Yield the sensitive values of the cases by feature."""
    for name in dict.fromkeys(name for case in cases for name, _ in case.sensitive):
        yield _line(name, tuple(dict(case.sensitive).get(name, DASH) for case in cases), sensitive=True)


def _features(cases: Sequence[DecidedInput], spec: Spec) -> Iterator[Line]:
    """Yield the raw values of the cases by plain feature."""
    start = 0
    for feature in spec.plain_features:
        columns = [[Fraction(text) for text in case.inputs[start : start + feature.width]] for case in cases]
        # Raw values are rounded for display, so the exact columns are compared.
        differs = any(other != columns[0] for other in columns)
        values = tuple(raw(feature, own, spec.scale_unit) for own in columns)
        # Of dates, `raw` says what a number counts.
        unit = "" if isinstance(feature.start, str) else feature.unit
        yield Line(feature.name, values, differs, unit=unit)
        start += feature.width


def _columns(cases: Sequence[DecidedInput]) -> Iterator[Line]:
    """Yield the columns of the cases by number, in grid units."""
    for place in range(max((len(case.inputs) for case in cases), default=0)):
        values = tuple(case.inputs[place] if place < len(case.inputs) else DASH for case in cases)
        yield _line(f"column {place + 1}, grid units", values)


def _logits(cases: Sequence[DecidedInput], spec: Spec | None, bits: int | None) -> Iterator[Line]:
    """Yield the logits of the cases; with several of them, by label."""
    for place in range(max((len(case.logits) for case in cases), default=0)):
        named = spec is not None and spec.logits > 1 and place < len(spec.labels)
        name = f"score of {spec.labels[place]}" if named and spec is not None else "score (logit)"
        texts = (_logit(case.logits[place], bits) if place < len(case.logits) else DASH for case in cases)
        yield _line(name if bits is not None else f"{name}, in units of its last place", tuple(texts))


def raw(feature: Feature, columns: Sequence[Fraction], scale_unit: int) -> str:
    """Return the raw value for columns in grid units: a number, a date, a value of the domain or a place in between.

    The spec rounds raw values to the grid, so a number has as many digits as the grid. Of a feature with a start, what
    is no whole day stays a number, with its unit and the start.
    """

    def write(value: Fraction, digits: int | None) -> str:
        if not isinstance(feature.start, str):
            return _written(value, digits)
        return dated(feature, value) or f"{_written(value, digits)} {feature.unit} since {feature.start}"

    return ENCODINGS[feature.encoding].decoded(feature, columns, scale_unit, write)


def _written(value: Fraction, digits: int | None) -> str:
    """Write a number with the given number of decimals, or with a few digits for None."""
    if digits is None:
        return number(_decimal(value))
    text = f"{_decimal(value):,.{digits}f}"
    return "0" if text == "-0" else text.replace("-", "−")


def _line(name: str, values: tuple[str, ...], *, sensitive: bool = False) -> Line:
    """Return a line, marked if its values differ."""
    return Line(name, values, len(set(values)) > 1, sensitive=sensitive)


def _move(line: Line) -> str:
    """Return in words how a feature moves from case to case."""
    shown = dict.fromkeys(line.values)
    small = " (by less than the digits shown)" if len(shown) == 1 else ""
    return f"{line.name}: {' → '.join(shown)}{after_number(line.unit)}{small}"


def _logit(text: str, bits: int | None) -> str:
    """Return an exact logit as people read it, with a few digits; the document has them all."""
    return number(_decimal(Fraction(text) / (1 << (bits or 0))))


def _decimal(value: Fraction) -> Decimal:
    """Return a fraction as a decimal, in full where a spec's numbers made it, and else to 100 digits."""
    # A small number counted from a large offset has its digits far behind the point.
    with localcontext(prec=100):
        return Decimal(value.numerator) / Decimal(value.denominator)
