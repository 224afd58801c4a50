"""The audit `prof` in short: can a change of the model mend it?"""

from __future__ import annotations

import re
from dataclasses import dataclass

from equiproof.audits.brief.parts import Brief, Figure, Tag, of, sensitive
from equiproof.audits.records import ReportFields
from equiproof.certify.digits import number, percent

REPAIR_TABLE = "before and after the repair"
_RANDOM_INPUTS = re.compile(r"IDI-S, share of (\d+) random inputs")
_FINDINGS = re.compile(r"IDI, share of (\d+) findings")
_UNSEEN_ROWS = re.compile(r"accuracy over (\d+) rows that the repair did not see")
_TAGS: dict[str | None, Tag] = {"unfair": "cases found", "undecided": "undecided", "fair": "no case found"}


@dataclass(frozen=True)
class Repair:
    """A repair: how many of the people of the findings a sensitive feature still decides, and the accuracy it costs.

    `left` is None where the time ended before they were counted. The accuracy is of rows that the repair did not see, a
    share, and `cost` None where there are none.
    """

    left: int | None
    total: int
    cost: float | None


def repair(report: ReportFields) -> Repair | None:
    """Return what a report says of its repair, None if there is none."""
    measured = _measured(report)
    if not measured:
        return None
    total = len(report.findings)
    shares = [(int(found[1]), after) for name, (_, after) in measured.items() if (found := _FINDINGS.fullmatch(name))]
    left = next((round(after * count) for count, after in shares if count == total), None)
    cost = next((before - after for name, (before, after) in measured.items() if _UNSEEN_ROWS.fullmatch(name)), None)
    return Repair(left, total, cost)


def brief(report: ReportFields) -> Brief | None:
    """Return the audit in short, None for a report of another form."""
    if not report.findings or report.verdict is None:
        return None
    return Brief(
        report.audit,
        _TAGS[report.verdict],
        "Can a change of the model mend it?",
        _answer(report),
        tuple(_figures(report)),
    )


def _answer(report: ReportFields) -> str:
    """Answer the question."""
    total, unfair, open_ = (len(one) for one in (report.findings, report.having("unfair"), report.having("undecided")))
    also = f" Of {number(open_)}, it is not known." if open_ else ""
    if open_ == total:
        return f"It is not known whether any of {number(total)} {_said(report, 'is')}."
    if not unfair:
        if open_:
            return f"None of {number(total - open_)} that were judged {_said(report, 'is')}.{also}"
        return f"There is nothing to mend: none of {number(total)} {_said(report, 'is')}."
    cases = f"{of(unfair, total)} {_said(report, 'is' if unfair == 1 else 'are')}"
    fix = repair(report)
    if fix is None:
        return f"{cases}; no repair was found.{also}"
    if fix.left is None:
        return f"{cases}; a repair was found, and not counted on them.{also}"
    rest = number(fix.left) if fix.left else "none"
    others = (
        "only the rows and random inputs" if any(map(_RANDOM_INPUTS.fullmatch, _measured(report))) else "only the rows"
    )
    return f"{cases}; repaired, {rest}. Of others, {others} were tried.{also}"


def _said(report: ReportFields, verb: str) -> str:
    """Say what was found of a person."""
    if report.settings.get("relaxed"):
        return f"{verb} decided otherwise than a similar person"
    return f"{verb} decided by {sensitive(report)} alone"


def _figures(report: ReportFields) -> list[Figure]:
    """Return the numbers before and after the repair."""
    total = len(report.findings)
    unfair = len(report.having("unfair"))
    fix = repair(report)
    what = "unlike a similar person" if report.settings.get("relaxed") else f"decided by {sensitive(report)}"
    if fix is None or fix.left is None:
        open_ = len(report.having("undecided"))
        return [Figure(of(unfair, total), what), *([Figure(of(open_, total), "not known")] if open_ else [])]
    figures = [Figure(f"{number(unfair)} → {number(fix.left)}", f"of {number(total)}, {what}")]
    for name, (before, after) in _measured(report).items():
        if inputs := _RANDOM_INPUTS.fullmatch(name):
            figures.append(Figure(_arrow(before, after), f"of {number(int(inputs[1]))} random inputs"))
        elif unseen := _UNSEEN_ROWS.fullmatch(name):
            figures.append(
                Figure(_arrow(before, after), f"right decisions, of {number(int(unseen[1]))} it did not see")
            )
    return figures


def _arrow(before: float, after: float) -> str:
    """Write a share before and after."""
    return f"{percent(before).removesuffix(' %')} → {percent(after)}"


def _measured(report: ReportFields) -> dict[str, tuple[float, float]]:
    """Return the measures before and after the repair; none if there was no repair."""
    table = next((one for one in report.tables if one.caption == REPAIR_TABLE and len(one.columns) == 3), None)
    measures: dict[str, tuple[float, float]] = {}
    for name, before, after in table.rows if table is not None else ():
        if isinstance(before, int | float) and isinstance(after, int | float):
            measures[str(name)] = (float(before), float(after))
    return measures
