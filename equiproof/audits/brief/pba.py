"""The audit `pba` in short: is the model surer of itself because of a sensitive feature? It only measures."""

from __future__ import annotations

from equiproof.audits.brief.parts import Brief, Figure, apart, figure, grouped, named, of, sensitive
from equiproof.audits.records import SMALL_GROUP, Estimate, ReportFields
from equiproof.certify.digits import number

_OBSERVED_MEASURE = "PBA observed"
_MEASURE_BY_DECISION = "PBA observed among "
_SELECTION_RATE = "selection rate ("
_TRUE_POSITIVE_RATE = "true positive rate ("

_MAX_DECISIONS = 3
"""The most decisions whose shares are in the answer; the report has all."""


def brief(report: ReportFields) -> Brief | None:
    """Return the audit in short, None for a report of another form."""
    measured = named(report.estimates, _OBSERVED_MEASURE)
    if not measured:
        return None
    first = [one for one in measured if one.measure == measured[0].measure]
    surer = len(report.having("unfair"))
    total = len(report.findings)
    what = "surer one way or the other"
    cases = what if total == len({one.row for one in report.findings}) else f"comparisons: {what}"
    shares = apart(first, _OBSERVED_MEASURE)
    return Brief(
        report.audit,
        "measures only",
        f"Is the model surer of itself because of {sensitive(report, 'or')}?",
        f"{_where(shares)}{_by_decision(report, shares)} {_who(report)}",
        (
            *(figure(one, f"of {number(one.n)}, {grouped(one.group)}") for one in shares),
            Figure(of(surer, total), cases),
        ),
    )


def _where(shares: list[Estimate]) -> str:
    """Say in which group it is more often so."""
    if len(shares) < 2:
        return f"Groups are not compared: fewer than two have {SMALL_GROUP} people."
    least, most = sorted(shares, key=lambda one: one.value or 0.0)
    if least.value == most.value:
        return f"As often where {grouped(least.group)} as where {grouped(most.group)}."
    return f"More often where {grouped(most.group)}."


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
