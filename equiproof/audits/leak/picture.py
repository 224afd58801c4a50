"""The curves of the audit `leak` as a picture: agreement against the number of certificates."""

from __future__ import annotations

from typing import TYPE_CHECKING

from equiproof.audits.leak.told import EXACT, LABELS, SOURCES, WAYS, curves
from equiproof.audits.records import ReportFields

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_COLORS = {LABELS: "#bbbbbb", EXACT: "#cc3311", WAYS: "#228833"}
_LEVELS = "#4477aa"


def draw(axes: Axes, report: ReportFields) -> bool:
    """Draw the curves of a report, dashed for chosen applications; return whether it has any."""
    found = curves(report)
    for (source, shown), points in found.items():
        counts, agreements = zip(*points, strict=True)
        style = "-" if source == SOURCES[0] else "--"
        label = shown if source == SOURCES[0] else f"{shown}, {source}"
        axes.plot(counts, agreements, f"o{style}", color=_COLORS.get(shown, _LEVELS), markersize=3, label=label)
    if found:
        axes.set(xscale="log", xlabel="certificates", ylabel="agreement of a copy with the model")
        axes.legend(fontsize="small")
    return bool(found)
