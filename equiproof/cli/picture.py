"""A certificate as a picture for people: how far each value could move with the same decision, and a map beside it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import ROUND_DOWN, Decimal
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from equiproof.circuits.encodings import ANY, ENCODINGS, NONE
from equiproof.circuits.names import after_number
from equiproof.circuits.spec import Feature, Spec
from equiproof.circuits.units import cut, radius_of_any
from equiproof.cli.slice_map import MAX_PANELS, draw_map, legend

if TYPE_CHECKING:
    from equiproof.certify.branch import BranchSearch
    from equiproof.certify.data.dataset import Dataset
    from equiproof.prover.opening import Opening

FREE, TRACK, TODAY = "#7fb8a4", "#e6e6e6", "#12382f"
NAME, OWN, WORDS = -1.05, -0.06, 1.06
"""Where the columns of text stand beside the lines, which go from 0 to 1."""
MAX_LISTED = 4
"""How many values of a category are named; of more, their number."""


@dataclass(frozen=True)
class Bar:
    """One feature of the picture: its values as places from 0 to 1 on a line, and in words.

    `low` and `high` are the ends of what is certified, `today` the applicant's own place (None where any will do).
    `stops` are the ends at which the feature itself ends.
    """

    name: str
    own: str
    low: float
    high: float
    today: float | None
    words: str
    stops: tuple[bool, bool] = (False, False)


def bars(spec: Spec, row: Mapping[str, Any], data: Dataset, radius_squared: int) -> list[Bar]:
    """Return one bar per feature, the sensitive ones first: they may have any value.

    A number without a range of its own ends at the smallest and the largest value of the data set.
    """
    radius = radius_of_any(spec, radius_squared)
    free = [
        Bar(_plain(feature.name), "not asked", 0.0, 1.0, None, _listed(feature)) for feature in spec.sensitive_features
    ]
    moving = [
        _number(spec, feature, row[feature.name], data, radius)
        if ENCODINGS[feature.encoding].kind == "numeric"
        else _category(spec, feature, str(row[feature.name]), radius)
        for feature in spec.plain_features
    ]
    return free + moving


def _number(spec: Spec, feature: Feature, value: str | float, data: Dataset, radius: Fraction) -> Bar:
    """Return the bar of a number, on a line from the least to the greatest value that it can have."""
    own = Decimal(str(value))
    low, high = ENCODINGS[feature.encoding].reached(spec, feature, radius, value)
    if feature.range is not None:
        least, most = Decimal(feature.range[0]), Decimal(feature.range[1])
    else:
        seen = [Decimal(str(other[feature.name])) for other in data.rows]
        least, most = min(seen), max(seen)
    least, most = min(least, own), max(most, own)
    low, high = max(low, least), min(high, most)
    width = most - least or Decimal(1)
    words = NONE if low == high else f"{_short(low)} to {_short(high)}{after_number(feature.unit)}"
    low_place, high_place, place = (float((end - least) / width) for end in (low, high, own))
    return Bar(_plain(feature.name), f"{own:,f}", low_place, high_place, place, words, (low <= least, high >= most))


def _category(spec: Spec, feature: Feature, value: str, radius: Fraction) -> Bar:
    """Return the bar of a category: its values stand in their order, or in the middle where they have none."""
    encoding, name, last = ENCODINGS[feature.encoding], _plain(feature.name), len(feature.domain) - 1
    low, high = map(int, encoding.reached(spec, feature, radius, value))
    if (low, high) == (0, last):
        return Bar(name, value, 0.0, 1.0, None, _listed(feature))
    words = NONE if low == high else f"{feature.domain[low]} to {feature.domain[high]}"
    if not encoding.ordered:
        return Bar(name, value, 0.5, 0.5, 0.5, words)
    place = feature.domain.index(value)
    return Bar(name, value, low / last, high / last, place / last, words, (low == 0, high == last))


def draw(opening: Opening, row: Mapping[str, Any], data: Dataset, found: BranchSearch, path: Path) -> None:
    """Draw the certificate of an applicant into a PNG file: bars on the left, the map of each slice on the right."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    spec, evidence = opening.spec, found.evidence
    shown = min(len(spec.domain_table), MAX_PANELS)
    columns = 1 if shown <= 2 else 2
    lines = -(-shown // columns)
    drawn = bars(spec, row, data, evidence.radius_squared)
    height = max(0.45 * len(drawn) + 2.6, 3.4 * lines + 2.6)
    figure = plt.figure(figsize=(10.0 + 4.2 * columns, height), layout="constrained")
    left, right = np.asarray(figure.subfigures(1, 2, width_ratios=[10.0, 4.2 * columns]))
    names = " and ".join(_plain(feature.name) for feature in spec.sensitive_features)
    decision = spec.labels[evidence.label]
    figure.suptitle(f"Decision: {decision}. For this applicant, it does not depend on {names}.\n", fontsize=16)
    _draw_bars(left.subplots(), drawn)
    left.suptitle("How far each value alone could change, with the same decision", fontsize=12)
    left.supxlabel(_notes(spec, drawn), fontsize=9, color="#444444")
    cells = right.subplots(lines, columns, squeeze=False).ravel()
    for spare in cells[shown:]:
        spare.set_axis_off()
    draw_map([*cells[:shown]], opening, spec.encode(row), found)
    radius = cut(radius_of_any(spec, evidence.radius_squared)).quantize(Decimal("0.001"), ROUND_DOWN)
    right.suptitle(f"Several values changing together:\ncertified inside the circle, of radius {radius}", fontsize=12)
    legend(right)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110)
    plt.close(figure)


def _draw_bars(axes: Any, drawn: list[Bar]) -> None:
    """Draw the bars as a table: feature, today's value, line, and what is certified in words."""
    for place, bar in enumerate(drawn):
        axes.barh(place, 1.0, height=0.16, color=TRACK, zorder=1)
        axes.barh(place, max(bar.high - bar.low, 0.006), left=bar.low, height=0.42, color=FREE, zorder=2)
        for end, stopped in zip((bar.low, bar.high), bar.stops, strict=True):
            if stopped:
                axes.plot([end, end], [place - 0.32, place + 0.32], color=TODAY, linewidth=2, zorder=3)
        if bar.today is not None:
            axes.plot(bar.today, place, marker="o", markersize=9, color=TODAY, markeredgecolor="white", zorder=4)
        axes.text(NAME, place, bar.name, ha="left", va="center", fontsize=11, fontweight="bold")
        axes.text(OWN, place, bar.own, ha="right", va="center", fontsize=11)
        axes.text(WORDS, place, bar.words, ha="left", va="center", fontsize=11)
    for column, align, text in ((NAME, "left", "feature"), (OWN, "right", "today"), (WORDS, "left", "same decision")):
        axes.text(column, -0.8, text, ha=align, va="center", fontsize=10, color="#666666")
    axes.set_xlim(NAME - 0.02, 1.7)
    axes.set_ylim(len(drawn) - 0.4, -1.1)
    axes.set_axis_off()


def _notes(spec: Spec, drawn: list[Bar]) -> str:
    """Explain the marks, and where bars were cut."""
    notes = ["Dot: the applicant today. Green: proven to bring the same decision, while all other values stay."]
    if any(any(bar.stops) for bar in drawn):
        limit = "feature's own limit"
        numbers = (one for one in spec.plain_features if ENCODINGS[one.encoding].kind == "numeric")
        if any(number.range is None for number in numbers):
            limit += ", or the last value in the data set"
        notes.append(f"Dark end: the {limit}; the bar is cut there.")
    return "\n".join(notes)


def _listed(feature: Feature) -> str:
    """Write that a feature may have any value, and its values where they are few."""
    few = len(feature.domain) <= MAX_LISTED
    return f"{ANY} ({', '.join(feature.domain) if few else f'all {len(feature.domain)}'})"


def _plain(name: str) -> str:
    """Write the name of a feature as words."""
    return name.replace("_", " ")


def _short(number: Decimal) -> str:
    """Write a number for people, without the zeros at its end."""
    return f"{number.normalize():,f}"
