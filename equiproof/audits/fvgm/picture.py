"""Influences that add up as a picture: a waterfall from nothing to the difference of two groups' rates."""

from __future__ import annotations

from typing import TYPE_CHECKING

from equiproof.audits.fvgm.told import steps
from equiproof.audits.records import ReportFields

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_COLORS = {"widens": "#cc3311", "narrows": "#4477aa", "rest": "#bbbbbb", "sum": "#222222"}


def draw(axes: Axes, report: ReportFields) -> bool:
    """Draw a bar for each step with its interval, the sum at the bottom; return whether the report has any."""
    made = steps(report)
    for place, step in enumerate(made):
        axes.barh(place, step.value, left=step.start, height=0.6, color=_COLORS[step.kind])
        if step.lower is not None and step.upper is not None:
            axes.hlines(place, step.start + step.lower, step.start + step.upper, color="#000000", linewidth=1)
    if made:
        axes.axvline(0, color="#000000", linewidth=0.6)
        axes.set_yticks(range(len(made)), [step.label for step in made])
        axes.invert_yaxis()
        axes.set_xlabel("percentage points of the statistical parity difference among the rows")
    return bool(made)
