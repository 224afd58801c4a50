"""The audit `fvgm` in short: how do groups fare where features are correlated? It measures, and judges nothing here."""

from __future__ import annotations

from fractions import Fraction

from equiproof.audits.brief.parts import Brief, Figure, apart, capital, ends, figure, grouped, named
from equiproof.audits.gaps import IMPACT, NOT_THESE, PARITY
from equiproof.audits.measures import value_of
from equiproof.audits.records import Cell, ReportFields
from equiproof.certify.digits import between, number

_AGREEMENT = "agreement of the linear model"
_ACCEPTANCE = "selection rate of the committed model under the network"
_AMONG_ROWS = "selection rate of the committed model among the rows"
_METRICS = "Metrics of the committed model"
_ABOUT = "Shares are those of the committed model, under a network of how features occur together."


def brief(report: ReportFields) -> Brief | None:
    """Return the audit in short, None for a report of another form."""
    if not any(table.caption == _METRICS for table in report.tables):
        return None
    groups = apart(report.estimates, _ACCEPTANCE)
    nothing = "" if groups else " Nothing was verified within the time limit."
    foreign = _foreign(report)
    if foreign:
        groups = apart(report.estimates, _AMONG_ROWS)
    beside = ""
    for one in named(report.estimates, _AGREEMENT):
        beside = f" A linear model beside it decides alike for {value_of(one)} of {number(one.n)} people."
    return Brief(
        report.audit,
        "measures only",
        "How do groups fare where features are correlated?",
        f"{foreign or _ABOUT}{beside}{nothing}",
        (*(figure(one, f"accepted, {grouped(one.group)}") for one in groups), *(() if foreign else _ratio(report))),
    )


def _foreign(report: ReportFields) -> str:
    """Return what the rows say, where the network says something else of these groups; nothing otherwise."""
    for line in _metrics(report):
        if line["metric"] == PARITY and str(line["reason"]).startswith(NOT_THESE):
            (own,) = named(report.estimates, f"{PARITY} of the committed model among the rows")
            lower, upper = (float(line[f"{end} under the network"] or 0) for end in ("least", "largest"))
            return (
                f"Among the rows, shares are {value_of(own)}{ends(own)} apart. {capital(NOT_THESE)}: "
                f"under it, they are {between(lower, upper, share=True)} apart. So there is no verdict."
            )
    return ""


def _ratio(report: ReportFields) -> tuple[Figure, ...]:
    """Return the ratio of the shares of the two groups that are furthest apart, with the demand on it."""
    for cells in _metrics(report):
        lower = cells["least under the network"]
        if cells["metric"] == IMPACT and isinstance(lower, int | float):
            demand = float(Fraction(str(cells["demand"]).removeprefix("at least ")))
            return (Figure(f"{int(100 * lower) / 100:.2f}", f"disparate impact at least; the demand is {demand:.2f}"),)
    return ()


def _metrics(report: ReportFields) -> list[dict[str, Cell]]:
    """Return the lines of the committed model's metrics by the names of the columns."""
    table = next((one for one in report.tables if one.caption == _METRICS), None)
    return [] if table is None else [dict(zip(table.columns, row, strict=True)) for row in table.rows]
