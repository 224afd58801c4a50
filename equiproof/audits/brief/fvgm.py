"""The audit `fvgm` in short: how do groups fare where features are correlated? It measures, and judges nothing here."""

from __future__ import annotations

from fractions import Fraction

from equiproof.audits.brief.parts import Brief, Figure, apart, figure, grouped, named
from equiproof.audits.gaps import IMPACT
from equiproof.audits.measures import value_of
from equiproof.audits.records import ReportFields
from equiproof.certify.digits import number

_AGREEMENT = "agreement of the linear model"
_ACCEPTANCE = "selection rate of the committed model under the network"
_METRICS = "Metrics of the committed model"


def brief(report: ReportFields) -> Brief | None:
    """Return the audit in short, None for a report of another form."""
    if not any(table.caption == _METRICS for table in report.tables):
        return None
    groups = apart(report.estimates, _ACCEPTANCE)
    nothing = "" if groups else " Nothing was verified within the time limit."
    beside = ""
    for one in named(report.estimates, _AGREEMENT):
        beside = f" A linear model beside it decides alike for {value_of(one)} of {number(one.n)} people."
    return Brief(
        report.audit,
        "measures only",
        "How do groups fare where features are correlated?",
        f"Shares are those of the committed model, under a network of how features occur together.{beside}{nothing}",
        (*(figure(one, f"accepted, {grouped(one.group)}") for one in groups), *_ratio(report)),
    )


def _ratio(report: ReportFields) -> tuple[Figure, ...]:
    """Return the ratio of the shares of the two groups that are furthest apart, with the demand on it."""
    table = next((one for one in report.tables if one.caption == _METRICS), None)
    if table is None:
        return ()
    for row in table.rows:
        cells = dict(zip(table.columns, row, strict=True))
        lower = cells["least under the network"]
        if cells["metric"] == IMPACT and isinstance(lower, int | float):
            demand = float(Fraction(str(cells["demand"]).removeprefix("at least ")))
            return (Figure(f"{int(100 * lower) / 100:.2f}", f"disparate impact at least; the demand is {demand:.2f}"),)
    return ()
