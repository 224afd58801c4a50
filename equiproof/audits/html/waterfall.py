"""The waterfall of influences that add up: from nothing to the difference of two groups' rates."""

from __future__ import annotations

from equiproof.audits.fvgm.told import said, steps
from equiproof.audits.html import words
from equiproof.audits.html.charts import AXIS, ROW, TOP, Bar, Chart, Mark, Scale
from equiproof.audits.report import AuditReport

_HEIGHT = 10
_LEAST_WIDTH = 1.0
"""The width of a bar of nothing, which is still seen."""


def waterfall(report: AuditReport) -> Chart | None:
    """Return a bar for each influence where the last one ended, and the difference at the bottom; None without any."""
    made = steps(report)
    about = said(report)
    if about is None:
        return None
    ends = [(one.start, one.start + one.value) for one in made]
    intervals = [
        (one.start + one.lower, one.start + one.upper) if one.lower is not None and one.upper is not None else None
        for one in made
    ]
    scale = Scale([0.0, *(end for pair in (*ends, *filter(None, intervals)) for end in pair)])
    bars, marks, numbers = [], [], []
    for place, (step, pair, interval) in enumerate(zip(made, ends, intervals, strict=True)):
        y = TOP + ROW * place + 20
        left, right = (scale(end) or 0.0 for end in sorted(pair))
        text = f"{step.label}: {words.number(step.value)}"
        width = round(max(right - left, _LEAST_WIDTH), 2)
        bars.append(Bar(left, y - _HEIGHT / 2, width, _HEIGHT, step.kind, text))
        low, high = interval or (None, None)
        marks.append(Mark(y, text, "estimate", start=scale(low), end=scale(high)))
        numbers.append((step.label, words.number(step.value), words.bounds(step.lower, step.upper)))
    return Chart(
        "Influences that add up",
        f"From 0 to the difference between the rates of {about.most} and {about.least}: each set of features adds its "
        "influence where the one before it ended, with its interval.",
        TOP + ROW * len(made) + AXIS,
        "percentage points, among the rows",
        scale.ticks,
        ("features", "influence", "interval"),
        tuple(numbers),
        kinds=tuple(dict.fromkeys(step.kind for step in made)),
        marks=tuple(marks),
        bars=tuple(bars),
    )
