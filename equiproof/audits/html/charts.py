"""Plots as geometry of a fixed width; the template draws them and escapes their texts.

A drawing is as wide as a phone, labels are above their marks, and every plot has its numbers in a table.
"""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from equiproof.audits.html import words
from equiproof.audits.measures import DASH, is_share
from equiproof.audits.presentation import in_words
from equiproof.audits.records import SMALL_GROUP, Estimate, Finding
from equiproof.audits.report import AuditReport
from equiproof.certify.many.point import PointResult
from equiproof.certify.many.results import Results

WIDTH = 340
LEFT = 8
RIGHT = 8
ROW = 30
TOP = 6
AXIS = 20
BINS = 24
MAX_FINDINGS = 240
"""The most findings in a plot; if there are more, evenly spaced ones are shown."""

LABEL = 52
"""The most characters of a label in a drawing."""

GROUPS = 40
"""The most groups of one measure in a plot."""

Numbers = tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Tick:
    """A mark of an axis."""

    x: float
    text: str


@dataclass(frozen=True)
class Mark:
    """One line of a plot: a label above a value with its interval, each if known; `kind` sets the style.

    `toward` is 1 if only a lower end is known, -1 if only an upper end, 0 otherwise.
    """

    y: float
    label: str
    kind: str
    at: float | None = None
    start: float | None = None
    end: float | None = None
    toward: int = 0


@dataclass(frozen=True)
class Bar:
    """A bar of a histogram, and what it counts in words."""

    x: float
    y: float
    width: float
    height: float
    kind: str
    label: str


@dataclass(frozen=True)
class Chart:
    """A plot: its title, what it shows in one sentence, its drawing, its numbers under the names of their columns."""

    title: str
    description: str
    height: int
    axis: str
    ticks: tuple[Tick, ...]
    columns: tuple[str, ...]
    numbers: Numbers
    kinds: tuple[str, ...] = ()
    marks: tuple[Mark, ...] = ()
    bars: tuple[Bar, ...] = ()
    side: tuple[Tick, ...] = ()
    width: int = WIDTH


def ticks(low: float, high: float, most: int = 5) -> list[float]:
    """Return round numbers that span an interval to a billionth of a step; a single value is widened."""
    if not high - low > 1e-9 * max(abs(low), abs(high)):
        # Wide enough to be visible in floats of that size.
        pad = abs(low) * 0.1 or 0.5
        high = low + pad
        low -= pad
    rough = (high - low) / most
    step = 10.0 ** math.floor(math.log10(rough))
    step *= next((factor for factor in (1, 2, 2.5, 5, 10) if factor * step >= rough * (1 - 1e-9)), 10)
    first = math.floor(low / step + 1e-9)
    last = math.ceil(high / step - 1e-9)
    return [place * step for place in range(first, last + 1)]


def labels(steps: Sequence[float], *, share: bool = False) -> list[str]:
    """Return even steps as text with as many digits as distinguish them, those of a share in percent."""
    if share:
        return [f"{text} %" for text in labels([100 * step for step in steps])]
    width = steps[1] - steps[0]
    digits = next((count for count in range(10) if abs(round(width, count) - width) < 1e-6 * width), None)
    if digits is None or max(map(abs, steps)) >= 1e12:
        return [words.number(value) for value in steps]
    texts = [f"{value:,.{digits}f}" for value in steps]
    return [text.replace("-", "−") if float(text.replace(",", "")) else "0" for text in texts]


def estimates(report: AuditReport) -> list[Chart]:
    """Return a plot for each measure that a report compares: a value with its interval for all and for every group.

    A measure with a single number has no plot; the table of estimates shows it.
    """
    known = [one for one in report.estimates if one.value is not None and math.isfinite(one.value)]
    measures: dict[str, list[Estimate]] = {}
    for estimate in known:
        measures.setdefault(estimate.measure, []).append(estimate)
    return [_intervals(measure, rows) for measure, rows in measures.items() if len(rows) > 1]


def _intervals(measure: str, estimates: Sequence[Estimate]) -> Chart:
    """Return the plot of one measure's estimates; its description states how many are left out."""
    total = len(estimates)
    estimates = estimates[:GROUPS]
    values = [end for one in estimates for end in (one.value, one.lower, one.upper) if end is not None]
    scale = Scale(values, share=all(map(is_share, estimates)))
    crowded = {_names(one) for one in estimates if len(_label(one)) > LABEL}
    marks = tuple(
        Mark(
            TOP + ROW * place + 22,
            _label(one, crowded),
            "small" if one.small else "estimate",
            at=scale(one.value),
            start=scale(one.lower),
            end=scale(one.upper),
        )
        for place, one in enumerate(estimates)
    )
    description = f"{measure} for {words.count(total, 'group')}: each value with its interval."
    if len(estimates) < total:
        description += f" The first {len(estimates)} are drawn; the table has all."
    numbers = tuple((in_words(one.group) or "all", words.value(one), words.ends(one)) for one in estimates)
    return Chart(
        measure,
        description,
        TOP + ROW * len(estimates) + AXIS,
        "",
        scale.ticks,
        ("group", "value", "interval"),
        numbers,
        kinds=tuple(dict.fromkeys(mark.kind for mark in marks)),
        marks=marks,
    )


def _names(estimate: Estimate) -> tuple[str, ...]:
    """Return the names of the features that make a group."""
    return tuple(name for name, _ in estimate.group)


def _label(estimate: Estimate, crowded: Container[tuple[str, ...]] = ()) -> str:
    """Return the label of a group: names and values, or values alone if the names take too much room."""
    values = ", ".join(value for _, value in estimate.group)
    words = values if _names(estimate) in crowded else in_words(estimate.group)
    return f"{words or 'all'}{' (small group)' if estimate.small else ''}"


def bounds(report: AuditReport) -> Chart | None:
    """Return the findings' bounds as intervals in the order of their lower ends; None if no bounds are known."""
    known = [one for one in report.findings if any(_finite(one.lower, one.upper))]
    if len(known) < 2:
        return None
    known.sort(key=lambda one: min(_finite(one.lower, one.upper)))
    shown = _spread(known, MAX_FINDINGS)
    scale = Scale([end for one in shown for end in _finite(one.lower, one.upper)])
    gap = max(2.0, min(10.0, 240 / len(shown)))
    marks = tuple(_bounded(scale, TOP + gap * (place + 1), one) for place, one in enumerate(shown))
    some = "" if len(shown) == len(known) else f", {len(shown)} of {len(known)}, evenly spaced in that order"
    description = (
        f"The bounds of {words.count(len(known), 'case')}, ordered by lower end{some}; an arrow marks an open end."
    )
    return Chart(
        "Bounds of each case",
        description,
        round(TOP + gap * (len(shown) + 1)) + AXIS,
        report.measures or "bounds",
        scale.ticks,
        ("case", "verdict", "lower", "upper"),
        tuple((one.subject, one.verdict, *_ends_in_words(one)) for one in shown[:: max(1, len(shown) // 40)]),
        kinds=tuple(dict.fromkeys(mark.kind for mark in marks)),
        marks=marks,
    )


def radii(results: Results) -> Chart:
    """Return the histogram of the certified radii of the fair; the unfair and undecided are bars of their own."""
    lengths = [float(point.radius) for point in results.having("fair") if point.radius is not None]
    scale = Scale([0.0, *lengths, 1 / results.spec.scale_unit], start=92)
    counts, edges = _binned(lengths, scale.low, scale.high)
    apart = {verdict: len(results.having(verdict)) for verdict in ("unfair", "undecided")}
    side = ticks(0, max([*counts, *apart.values(), 1]), 4)
    bottom = 190
    tall = 170

    def bar(x: float, width: float, how_many: int, kind: str, label: str) -> Bar:
        height = tall * how_many / side[-1]
        return Bar(round(x, 2), round(bottom - height, 2), round(width, 2), round(height, 2), kind, label)

    span = scale.span / BINS
    bars = [
        bar(
            scale.start + span * place,
            span - 1,
            how_many,
            "fair",
            f"{_between(edges, place)}: {words.count(how_many, 'applicant')}",
        )
        for place, how_many in enumerate(counts)
        if how_many
    ]
    bars += [
        bar(40 + 24 * place, 18, how_many, verdict, f"{verdict}: {words.count(how_many, 'applicant')}")
        for place, (verdict, how_many) in enumerate(apart.items())
    ]
    total = len(lengths)
    description = (
        f"Certified radii of {words.count(total, 'fair applicant')}; separately on the left, "
        f"{words.number(apart['unfair'])} unfair and {words.number(apart['undecided'])} undecided."
    )
    numbers = [(_between(edges, place), words.number(how_many)) for place, how_many in enumerate(counts) if how_many]
    numbers += [(verdict, words.number(how_many)) for verdict, how_many in apart.items()]
    return Chart(
        "How far fair decisions hold",
        description,
        bottom + AXIS,
        "certified radius of the fair, in the spec's units",
        scale.ticks,
        ("radius", "applicants"),
        tuple(numbers),
        kinds=("fair", "unfair", "undecided"),
        bars=tuple(bars),
        side=tuple(
            Tick(round(bottom - tall * value / side[-1], 2), words.number(value)) for value in side if value % 1 == 0
        ),
    )


def radii_by_group(results: Results, rows: Sequence[Mapping[str, Any]]) -> Chart | None:
    """Return the radii of the fair by sensitive values: the middle one between the quartiles, beside how many are fair.

    None where the rows do not say who belongs to which group, and where fewer than two groups have a fair member.
    """
    names = [feature.name for feature in results.spec.sensitive_features]
    groups: dict[str, list[PointResult]] = {}
    for point in results:
        if point.row > len(rows) or any(name not in rows[point.row - 1] for name in names):
            return None
        own = ", ".join(f"{name} = {rows[point.row - 1][name]}" for name in names)
        groups.setdefault(own, []).append(point)
    kinds = [(own, groups[own], _quartiles(groups[own])) for own in sorted(groups)]
    known = [quartiles for _, _, quartiles in kinds if quartiles]
    if len(known) < 2 or len(kinds) > GROUPS:
        return None
    scale = Scale([0.0, *(end for quartiles in known for end in quartiles)])
    marks = []
    numbers = []
    for place, (own, points, quartiles) in enumerate(kinds):
        fair = f"{sum(point.verdict == 'fair' for point in points)} of {words.count(len(points), 'applicant')} fair"
        low, middle, high = quartiles or (None, None, None)
        kind = "small" if len(points) < SMALL_GROUP else "estimate"
        y = TOP + ROW * place + 22
        marks.append(Mark(y, f"{own}: {fair}", kind, at=scale(middle), start=scale(low), end=scale(high)))
        numbers.append(
            (own, fair, *(DASH if end is None else words.number(end, "down") for end in (low, middle, high)))
        )
    return Chart(
        "Radii by group",
        "Certified radii of the fair by group: the middle one, and the quartiles on both sides.",
        TOP + ROW * len(kinds) + AXIS,
        "certified radius of the fair, in the spec's units",
        scale.ticks,
        ("group", "fair", "first quartile", "middle", "third quartile"),
        tuple(numbers),
        kinds=tuple(dict.fromkeys(mark.kind for mark in marks)),
        marks=tuple(marks),
    )


def _quartiles(points: Sequence[PointResult]) -> tuple[float, float, float] | None:
    """Return the quartiles of the radii of the fair, None if no one is."""
    lengths = sorted(float(point.radius) for point in points if point.verdict == "fair" and point.radius is not None)
    if not lengths:
        return None
    low, middle, high = (lengths[(len(lengths) - 1) * part // 4] for part in (1, 2, 3))
    return low, middle, high


class Scale:
    """Numbers to places across the drawing, between round ends."""

    def __init__(self, values: Iterable[float], start: float = LEFT + 8, *, share: bool = False) -> None:
        finite = [value for value in values if math.isfinite(value)]
        steps = ticks(min(finite), max(finite))
        self.low = steps[0]
        self.high = steps[-1]
        self.start = start
        self.span = WIDTH - RIGHT - 10 - start
        texts = labels(steps, share=share)
        self.ticks = tuple(Tick(self(value) or 0.0, text) for value, text in zip(steps, texts, strict=True))

    def __call__(self, value: float | None) -> float | None:
        """Return the position of a value; None if it is unknown or infinite."""
        if value is None or not math.isfinite(value):
            return None
        return round(self.start + self.span * (value - self.low) / (self.high - self.low), 2)


def _binned(lengths: Sequence[float], low: float, high: float) -> tuple[list[int], list[float]]:
    """Count lengths in equal bins; the last bin includes its upper end."""
    edges = [low + (high - low) * place / BINS for place in range(BINS + 1)]
    counts = [0] * BINS
    for length in lengths:
        counts[min(BINS - 1, max(0, int((length - low) / (high - low) * BINS)))] += 1
    return counts, edges


def _between(edges: Sequence[float], place: int) -> str:
    """Write the ends of a bin."""
    return f"{words.number(edges[place])} to {words.number(edges[place + 1])}"


def _spread(known: Sequence[Finding], most: int) -> list[Finding]:
    """Return at most this many, evenly spaced, including the first and the last."""
    if len(known) <= most:
        return list(known)
    return [known[round(place * (len(known) - 1) / (most - 1))] for place in range(most)]


def _finite(*values: float | None) -> list[float]:
    """Return the finite numbers."""
    return [value for value in values if value is not None and math.isfinite(value)]


def _bounded(scale: Scale, y: float, finding: Finding) -> Mark:
    """Return the mark of an interval: a point if both ends are equal, an arrow if one end is open."""
    start = scale(finding.lower)
    end = scale(finding.upper)
    if start is None or end is None:
        return Mark(y, "", finding.verdict, at=start if end is None else end, toward=1 if end is None else -1)
    return (
        Mark(y, "", finding.verdict, at=start) if start == end else Mark(y, "", finding.verdict, start=start, end=end)
    )


def _ends_in_words(finding: Finding) -> tuple[str, str]:
    """Write both ends, rounded outward."""
    lower = DASH if finding.lower is None else words.number(finding.lower, "down")
    upper = DASH if finding.upper is None else words.number(finding.upper, "up")
    return lower, upper
