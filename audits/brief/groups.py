"""The audit `groups` in short: does the sensitive feature alone change a decision?"""

from __future__ import annotations

from equiproof.audits.brief.parts import Brief, Figure, Tag, apart, does, ends, figure, grouped, named, of, sensitive
from equiproof.audits.records import ReportFields
from equiproof.certify.digits import number

CHANGED = "counterfactual share"
_RATE = "selection rate ("


def brief(report: ReportFields) -> Brief | None:
    """Return the audit in short, None for a report of another form."""
    overall = next((one for one in named(report.estimates, CHANGED) if not one.group), None)
    if overall is None or not report.findings:
        return None
    total, changed, open_ = (len(one) for one in (report.findings, report.having("unfair"), report.having("undecided")))
    name = sensitive(report)
    rates = apart(report.estimates, _RATE)
    return Brief(
        report.audit,
        _tag(changed, open_),
        f"{does(report)} {name} alone change a decision?",
        _answer(total, changed, open_),
        (
            Figure(of(changed, total), f"change with {name} alone{ends(overall)}"),
            *(figure(one, f"{one.measure.removeprefix(_RATE)[:-1]}, {grouped(one.group)}") for one in rates),
        ),
    )


def _tag(changed: int, undecided: int) -> Tag:
    """Return the outcome."""
    return "cases found" if changed else "undecided" if undecided else "no case found"


def _answer(total: int, changed: int, undecided: int) -> str:
    """Answer the question."""
    also = f" For {number(undecided)}, it is not known: some value leads to a tie." if undecided else ""
    if changed:
        each = "The case was" if changed == 1 else "Each case was"
        who = f"{number(changed)} of the {number(total)} people looked at"
        return f"Yes, for {who}. {each} computed again, exactly.{also}"
    if undecided:
        return f"For no one of the {number(total)} people looked at was it shown.{also}"
    return f"No, for none of the {number(total)} people looked at. Every listed value was tried, exactly."
