"""The audit `fvgm` in short: how do groups fare where features are correlated? It measures, and judges nothing here."""

from __future__ import annotations

from fractions import Fraction

from equiproof.audits.brief.parts import Brief, Figure, apart, capital, ends, figure, grouped, named
from equiproof.audits.fvgm.told import said
from equiproof.audits.gaps import FURTHER, IMPACT, NOT_THESE, ODDS, PARITY
from equiproof.audits.measures import value_of
from equiproof.audits.records import Cell, Estimate, ReportFields
from equiproof.certify.digits import between, number

_QUESTION = "How do groups fare where features are correlated?"
_AGREEMENT = "agreement of the linear model"
_ACCEPTANCE = "selection rate of the committed model under the network"
_AMONG_ROWS = "selection rate of the committed model among the rows"
_METRICS = "Metrics of the committed model"
_WORDS = {
    PARITY: ("shares are", "they are", " apart"),
    IMPACT: ("the least share is the largest one times", "it is times", ""),
    ODDS: ("shares of errors are", "they are", " apart"),
}
"""How a metric of the rows is told, and that of the network after it."""

_ABOUT = "Shares are those of the committed model, under a network of how features occur together."


def brief(report: ReportFields) -> Brief | None:
    """Return the audit in short, None for a report of another form."""
    if not any(table.caption == _METRICS for table in report.tables):
        return None
    groups = apart(report.estimates, _ACCEPTANCE)
    if not named(report.estimates, _ACCEPTANCE):
        reasons = dict.fromkeys(str(line["reason"]) for line in _metrics(report) if line["reason"])
        return Brief(report.audit, "undecided", _QUESTION, f"Not known: {'; '.join(reasons)}.", ())
    foreign = _foreign(report)
    if foreign:
        groups = apart(report.estimates, _AMONG_ROWS)
    beside = ""
    for one in named(report.estimates, _AGREEMENT):
        beside = f" A linear model beside it decides alike for {value_of(one)} of {number(one.n)} people."
    influences = said(report)
    return Brief(
        report.audit,
        "measures only",
        _QUESTION,
        f"{foreign or _ABOUT}{beside}{'' if influences is None else f' {influences.english}'}",
        (*(figure(one, _accepted(one)) for one in groups), *(() if foreign else _ratio(report))),
    )


def _accepted(share: Estimate) -> str:
    """Say of whom a share is: of rows, of applicants drawn from the network, or of the network itself."""
    of = f"of {number(share.n)}" if _AMONG_ROWS in share.measure else "under the network"
    return f"accepted, {of}, {grouped(share.group)}"


def _foreign(report: ReportFields) -> str:
    """Return what the rows say, where the network says something else of these groups; nothing otherwise.

    Of several metrics it is the difference of shares, then the ratio, then the difference of errors.
    """
    lines = {line["metric"]: line for line in _metrics(report) if str(line["reason"]).startswith(NOT_THESE)}
    name = next((one for one in _WORDS if one in lines), None)
    if name is None:
        return ""
    own = _own(report, name)
    lower, upper = (float(lines[name][f"{end} under the network"] or 0) for end in ("least", "largest"))
    first, then, after = _WORDS[name]
    under = between(lower, upper, share=name != IMPACT)
    return (
        f"Among the rows, {first} {value_of(own)}{ends(own)}{after}. {capital(NOT_THESE)}: "
        f"under it, {then} {under}{after}. So there is no verdict on that."
    )


def _ratio(report: ReportFields) -> tuple[Figure, ...]:
    """Return the ratio of the shares of the two groups that are furthest apart, with the demand on it.

    It is that of the rows where the network is too far from them for a verdict.
    """
    for cells in _metrics(report):
        lower = cells["least under the network"]
        if cells["metric"] == IMPACT and isinstance(lower, int | float):
            demand = f"{float(Fraction(str(cells['demand']).removeprefix('at least '))):.2f}"
            if cells["reason"] == FURTHER:
                own = _own(report, IMPACT)
                among = f"disparate impact among the rows{ends(own)}; the demand is {demand}"
                return (Figure(value_of(own), among, own),)
            return (Figure(f"{int(100 * lower) / 100:.2f}", f"disparate impact at least; the demand is {demand}"),)
    return ()


def _own(report: ReportFields, name: str) -> Estimate:
    """Return a metric of the committed model among the rows."""
    return named(report.estimates, f"{name} of the committed model among the rows")[0]


def _metrics(report: ReportFields) -> list[dict[str, Cell]]:
    """Return the lines of the committed model's metrics by the names of the columns."""
    table = next((one for one in report.tables if one.caption == _METRICS), None)
    return [] if table is None else [dict(zip(table.columns, row, strict=True)) for row in table.rows]
