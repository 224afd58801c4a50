"""A certificate as a picture for people: how far each value could move with the same decision, and a map beside it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import ROUND_DOWN, Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from equiproof.circuits.encodings import ANY, ENCODINGS
from equiproof.circuits.reach import WHOLE_TRACK, Reach, reach
from equiproof.circuits.spec import Feature, Spec
from equiproof.circuits.units import cut, radius_of_any
from equiproof.cli.slice_map import MAX_PANELS, draw_map, legend
from equiproof.verifier.bars import bars as answer_bars
from equiproof.verifier.words import NO_BREAK, Words, for_terminal, shown_name

if TYPE_CHECKING:
    from equiproof.certify.branch import BranchSearch
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


def bars(spec: Spec, row: Mapping[str, Any], radius_squared: int) -> list[Bar]:
    """Return one bar per feature, the sensitive ones first: they may have any value."""
    free = [
        Bar(_plain(spec, feature), "not asked", 0.0, 1.0, None, f"{ANY} ({_listed(feature)})")
        for feature in spec.sensitive_features
    ]
    answers = answer_bars(spec, radius_squared, row, Words("en"))
    return free + [
        _placed(feature, reach(spec, feature, radius_squared, row[feature.name]), bar)
        for feature, bar in zip(spec.plain_features, answers, strict=True)
    ]


def _placed(feature: Feature, reached: Reach, texts: Mapping[str, Any]) -> Bar:
    """Return the bar of a feature; of a category, its values stand in their order, or in the middle without one."""
    name, own, words = (for_terminal(texts[part]).replace(NO_BREAK, " ") for part in ("name", "own", "span"))
    encoding = ENCODINGS[feature.encoding]
    places = reached.places()
    if reached.of_domain and reached.everything:
        return Bar(name, own, 0.0, 1.0, None, words)
    if not encoding.ordered:
        return Bar(name, own, 0.5, 0.5, 0.5, words)
    low, high, you = (places[part] / WHOLE_TRACK for part in ("low", "high", "you"))
    first, last = places["caps"]
    return Bar(name, own, low, high, you, words, (not first, not last))


def draw(opening: Opening, row: Mapping[str, Any], search: BranchSearch, path: Path) -> None:
    """Draw the certificate of an applicant into a PNG file: bars on the left, the map of each slice on the right."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    spec = opening.spec
    evidence = search.evidence
    shown = min(len(spec.domain_table), MAX_PANELS)
    columns = 1 if shown <= 2 else 2
    lines = -(-shown // columns)
    drawn = bars(spec, row, evidence.radius_squared)
    height = max(0.45 * len(drawn) + 2.6, 3.4 * lines + 2.6)
    figure = plt.figure(figsize=(10.0 + 4.2 * columns, height), layout="constrained")
    bars_figure, maps_figure = np.asarray(figure.subfigures(1, 2, width_ratios=[10.0, 4.2 * columns]))
    names = " and ".join(_plain(spec, feature) for feature in spec.sensitive_features)
    decision = spec.labels[evidence.label]
    figure.suptitle(f"Decision: {decision}. For this applicant, it does not depend on {names}.\n", fontsize=16)
    _draw_bars(bars_figure.subplots(), drawn)
    bars_figure.suptitle("How far each value alone could change, with the same decision", fontsize=12)
    bars_figure.supxlabel(_notes(drawn), fontsize=9, color="#444444")
    cells = maps_figure.subplots(lines, columns, squeeze=False).ravel()
    for spare in cells[shown:]:
        spare.set_axis_off()
    draw_map([*cells[:shown]], opening, spec.encode(row), search)
    radius = cut(radius_of_any(spec, evidence.radius_squared)).quantize(Decimal("0.001"), ROUND_DOWN)
    maps_figure.suptitle(
        f"Several values changing together:\ncertified inside the circle, of radius {radius}", fontsize=12
    )
    legend(maps_figure)
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


def _notes(drawn: list[Bar]) -> str:
    """Explain the marks, and where bars were cut."""
    notes = ["Dot: the applicant today. Green: proven to bring the same decision, while all other values stay."]
    if any(any(bar.stops) for bar in drawn):
        notes.append("Dark end: the feature's own limit; the bar is cut there.")
    return "\n".join(notes)


def _listed(feature: Feature) -> str:
    """Write the values of a feature where they are few."""
    return ", ".join(feature.domain) if len(feature.domain) <= MAX_LISTED else f"all {len(feature.domain)}"


def _plain(spec: Spec, feature: Feature) -> str:
    """Write the name of a feature as words."""
    return for_terminal(shown_name(spec, feature))
