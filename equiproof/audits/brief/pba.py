"""The audit `pba` in short: is the model surer of itself because of a sensitive feature? It only measures."""

from __future__ import annotations

from equiproof.audits.brief.parts import (
    Brief,
    Figure,
    counted,
    figure,
    grouped,
    joined,
    named,
    of,
    sensitive,
    shown,
)
from equiproof.audits.records import SMALL_GROUP, Estimate, ReportFields
from equiproof.certify.digits import number

_OBSERVED_MEASURE = "PBA observed: "
_MEASURE_BY_DECISION = "PBA observed among "
_SELECTION_RATE = "selection rate ("
_TRUE_POSITIVE_RATE = "true positive rate ("

_GAP = "gap observed"
_MINUS = " minus "
_AGAINST = " against "
_QUESTION_COLUMNS = ("question", "people", "undecided")

_MAX_QUESTIONS = 3
"""The most questions whose answers are in the answer, those with the most undecided people first."""

_MAX_DECISIONS = 3
"""The most decisions whose shares are in the answer; the report has all."""


def brief(report: ReportFields) -> Brief | None:
    """Return the audit in short, None for a report of another form."""
    measured = named(report.estimates, _OBSERVED_MEASURE)
    total = len(report.findings)
    surer, undecided, rest = (len(report.having(verdict)) for verdict in ("unfair", "undecided", "fair"))
    if not measured and undecided < max(1, total):
        return None
    what = "surer one way or the other"
    is_one = total == len({one.row for one in report.findings})
    cases = what if is_one else f"comparisons: {what}"
    shares = _furthest(report, measured)
    figures = [*(figure(one, f"of {number(one.n)}, {grouped(one.group)}") for one in shares)]
    if undecided:
        figures = [
            Figure(of(undecided, total), "undecided" if is_one else "comparisons: undecided"),
            Figure(of(rest, total), "not surer" if is_one else "comparisons: not surer"),
        ]
    return Brief(
        report.audit,
        "measures only",
        f"Is the model surer of itself because of {sensitive(report, 'or')}?",
        f"{_questions(report)}{_where(report, shares)}{_by_decision(report, shares)} {_who(report)}",
        (*figures, Figure(of(surer, total), cases)),
    )


_REASONS = {
    "parts": "all parts that are allowed were looked at",
    "seconds": "the time ended",
    "rounding": "rounding leaves the bounds apart",
    "relaxation": "bounds are too far apart",
}


def _questions(report: ReportFields) -> str:
    """Say by question how many people are undecided, how many surer, and how many not; nothing of a single answer."""
    table = next((one for one in report.tables if one.columns[:3] == _QUESTION_COLUMNS), None)
    undecided = len(report.having("undecided"))
    if table is None or not (undecided or len(table.rows) > 1):
        return ""
    said = ""
    if undecided:
        reasons = joined(sorted({_REASONS.get(str(one.reason), str(one.reason)) for one in report.having("undecided")}))
        said = f"Undecided: {of(undecided, len(report.findings))} comparisons ({reasons}). "
    rows = table.rows[:_MAX_QUESTIONS]
    each = [
        f"{shown(str(question))}: {f'{many} undecided, ' if many else ''}{cases} surer, {others} not, of {people}"
        for question, people, many, cases, others in rows
    ]
    more = len(table.rows) - len(rows)
    left = f"; {counted(more)} more in the report" if more else ""
    return f"{said}{'; '.join(each)}{left}. "


def _furthest(report: ReportFields, measured: list[Estimate]) -> list[Estimate]:
    """Return the shares of the two groups of the question whose groups are furthest apart; nothing of small groups."""
    gaps = [(gap, _compared(gap, measured)) for gap in named(report.estimates, _GAP)]
    fitting = [(abs(gap.value or 0.0), pair) for gap, pair in gaps if len(pair) == 2]
    return max(fitting, key=lambda one: one[0])[1] if fitting else []


def _compared(gap: Estimate, measured: list[Estimate]) -> list[Estimate]:
    """Return the shares that a gap is the difference of, small groups left out."""
    ((feature, both),) = gap.group
    delta = gap.measure.rpartition(", ")[2]
    first, _, second = both.partition(_MINUS)
    names = {first, second, f"{first}{_AGAINST}{second}", f"{second}{_AGAINST}{first}"}
    several = [one for one in measured if one.group[0][0] == feature and _AGAINST in one.group[0][1]]
    return [
        one
        for one in several or measured
        if one.group[0][0] == feature
        and one.group[0][1] in names
        and one.measure.rpartition(", ")[2] == delta
        and not one.small
    ]


def _where(report: ReportFields, shares: list[Estimate]) -> str:
    """Say in which group it is more often so, as far as the interval of the gap shows it."""
    if len(shares) < 2:
        examined = " who were examined in time" if report.having("undecided") else ""
        return f"Groups are not compared: fewer than two have {SMALL_GROUP} people{examined}."
    measured = named(report.estimates, _OBSERVED_MEASURE)
    gap = next(one for one in named(report.estimates, _GAP) if _compared(one, measured) == shares)
    first, second = shares
    if (gap.lower or 0.0) <= 0 <= (gap.upper or 0.0):
        return f"No difference is shown between {grouped(first.group)} and {grouped(second.group)}."
    return f"More often where {grouped((first if (gap.value or 0.0) > 0 else second).group)}."


def _by_decision(report: ReportFields, shares: list[Estimate]) -> str:
    """Say how many it is among those who get each decision, of the groups of `shares`; nothing of many decisions.

    Where true labels are known only right decisions count, so that the split by true label is the same one.
    """
    if not shares:
        return ""
    delta = shares[0].measure.rpartition(", ")[2]
    groups = [one.group for one in shares]
    parts: dict[str, list[str]] = {}
    for one in named(report.estimates, _MEASURE_BY_DECISION):
        if one.group in groups and one.measure.endswith(f", {delta}"):
            label = one.measure.removeprefix(_MEASURE_BY_DECISION).partition(": ")[0]
            some = of(round((one.value or 0.0) * one.n), one.n)
            parts.setdefault(label, []).append(f"{some} where {grouped(one.group)}")
    if not 0 < len(parts) <= _MAX_DECISIONS:
        return ""
    who = "rightly " if named(report.estimates, _TRUE_POSITIVE_RATE) else ""
    return "".join(f" Of those {who}{label}: {', '.join(texts)}." for label, texts in parts.items())


def _who(report: ReportFields) -> str:
    """Say who counts."""
    everybody = {one.group: one.n for one in named(report.estimates, _SELECTION_RATE)}
    total = sum(n for group, n in everybody.items() if group[0][0] == next(iter(everybody))[0][0])
    people = len({one.row for one in report.findings})
    rightly = "decided rightly, and alike" if named(report.estimates, _TRUE_POSITIVE_RATE) else "decided alike"
    return f"{of(people, total)} were compared: {rightly} for both values."
