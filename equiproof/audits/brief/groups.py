"""The audit `groups` in short: does the sensitive feature alone change a decision?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from equiproof.audits.brief.parts import Brief, Figure, Tag, apart, does, ends, figure, grouped, named, of, sensitive
from equiproof.audits.gaps import IMPACT
from equiproof.audits.measures import value_of
from equiproof.audits.records import Estimate, ReportFields
from equiproof.certify.digits import between, number

COUNTERFACTUAL_SHARE = "counterfactual share"
_RATE = "selection rate ("
_FOUR_FIFTHS = 0.8
"""A ratio of shares below this calls for a reason: the rule of thumb of the US Uniform Guidelines (29 CFR 1607.4)."""

_PAIRS = 2
"""The most pairs of decisions that are listed: with two labels, there are no more."""


def brief(report: ReportFields) -> Brief | None:
    """Return the audit in short, None for a report of another form."""
    overall = next((one for one in named(report.estimates, COUNTERFACTUAL_SHARE) if not one.group), None)
    if overall is None or not report.findings:
        return None
    total, cases, open_ = (len(one) for one in (report.findings, report.having("unfair"), report.having("undecided")))
    name = sensitive(report)
    rates = apart(report.estimates, _RATE)
    return Brief(
        report.audit,
        _tag(cases, open_),
        f"{does(report)} {name} alone change a decision?",
        _answer(total, cases, open_) + _otherwise(report),
        (
            Figure(of(cases, total), f"change with {name} alone{ends(overall)}", overall),
            *(
                figure(one, f"{one.measure.removeprefix(_RATE)[:-1]}, of {number(one.n)}, {grouped(one.group)}")
                for one in rates
            ),
        ),
    )


def gap(report: ReportFields) -> str | None:
    """Say of which decision the shares of two groups are far apart, None where each ratio is at least four fifths.

    A ratio speaks of its own label and its own features alone: that of another label, or of joint values, asks for no
    reason for these shares. Of several it is the one whose shares are furthest apart; those of one feature come first.
    """
    low = [one for one in named(report.estimates, IMPACT) if (one.value or 0.0) < _FOUR_FIFTHS]
    pairs = [(one, rates) for one in low if len(rates := apart(_behind(one, report), _RATE)) == 2]
    if not pairs:
        return None
    ratio, rates = max(pairs, key=lambda one: (len(one[1][0].group) == 1, _distance(one[1])))
    what = rates[0].measure.removeprefix(_RATE)[:-1]
    shares = ", and ".join(f"{value_of(one)} of {grouped(one.group)}" for one in rates)
    known = "" if ratio.lower is None or ratio.upper is None else f" ({between(ratio.lower, ratio.upper)})"
    return f"{what} for {shares}, a ratio of {value_of(ratio)}{known}"


def _behind(ratio: Estimate, report: ReportFields) -> list[Estimate]:
    """Return the rates of the groups that a ratio compares: "disparate impact by sex (granted)"."""
    by, _, label = ratio.measure.removeprefix(f"{IMPACT} by ").partition(" (")
    return [
        one for one in named(report.estimates, f"{_RATE}{label}") if " and ".join(name for name, _ in one.group) == by
    ]


def _distance(rates: Sequence[Estimate]) -> float:
    """Return how far two shares are apart."""
    return abs((rates[0].value or 0.0) - (rates[1].value or 0.0))


def _otherwise(report: ReportFields) -> str:
    """Say what the people whose decision changes get now, and what they would get; nothing of many pairs."""
    pairs: Counter[tuple[str, str]] = Counter()
    for one in report.having("unfair"):
        own = one.values.get("decision")
        cases = one.counterexample.cases if one.counterexample is not None else ()
        others = {case.label for case in cases if case.label is not None} - {own}
        if not isinstance(own, str) or len(others) != 1:
            return ""
        pairs[own, others.pop()] += 1
    if not 0 < len(pairs) <= _PAIRS:
        return ""
    parts = [f"{number(many)} would get {other} instead of {own}" for (own, other), many in pairs.most_common()]
    return f" With another value, {', and '.join(parts)}."


def _tag(cases: int, undecided: int) -> Tag:
    """Return the outcome."""
    return "cases found" if cases else "undecided" if undecided else "no case found"


def _answer(total: int, cases: int, undecided: int) -> str:
    """Answer the question."""
    also = f" For {number(undecided)}, it is not known: some value leads to a tie." if undecided else ""
    if cases:
        each = "The case was" if cases == 1 else "Each case was"
        who = f"{number(cases)} of the {number(total)} people looked at"
        return f"Yes, for {who}. {each} computed again, exactly.{also}"
    if undecided:
        return f"For no one of the {number(total)} people looked at was it shown.{also}"
    return f"No, for none of the {number(total)} people looked at. Every listed value was tried, exactly."
