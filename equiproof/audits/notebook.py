"""A report as a notebook shows it: outcome, answer, three numbers, estimates, and the worst case side by side."""

from __future__ import annotations

from html import escape

from equiproof.audits.brief import brief
from equiproof.audits.counterexample import Counterexample
from equiproof.audits.measures import interval_of, value_of
from equiproof.audits.records import Estimate, ReportFields
from equiproof.audits.text import harmless
from equiproof.certify.digits import number
from equiproof.certify.many.notebook import table

_ESTIMATES = 12
_CASES = 4


def shown(report: ReportFields) -> str:
    """Return a report as HTML without style or script: everything that a document says is escaped."""
    short = brief(report)
    lines = [f"<b>{_text(report.audit)}: {_text(report.model.spec_name)}: {short.tag}</b>"]
    lines.append(f"<p>{_text(short.question)} {_text(short.answer)}</p>")
    if short.figures:
        lines.append(table(("figure", "what"), [(harmless(one.value), harmless(one.what)) for one in short.figures]))
    if report.estimates:
        lines.append(table(("measure", "group", "value", "interval", "n"), map(_line, report.estimates[:_ESTIMATES])))
    if (more := len(report.estimates) - _ESTIMATES) > 0:
        lines.append(f"<p>and {number(more)} more estimates</p>")
    unfair = report.having("unfair")
    if unfair and unfair[0].counterexample is not None:
        lines.append(f"<p><b>{_text(unfair[0].subject)}</b>: {_text(unfair[0].counterexample.shows)}</p>")
        lines.append(_side_by_side(unfair[0].counterexample))
    return "\n".join(lines)


def _line(estimate: Estimate) -> tuple[str, ...]:
    """Return an estimate as a row."""
    group = ", ".join(f"{name} = {value}" for name, value in estimate.group) or "all"
    return (harmless(estimate.measure), harmless(group), value_of(estimate), interval_of(estimate), number(estimate.n))


def _side_by_side(counterexample: Counterexample) -> str:
    """Return the cases of a counterexample beside each other: sensitive values and decision."""
    cases = counterexample.cases[:_CASES]
    names = dict.fromkeys(name for case in cases for name, _ in case.sensitive)
    rows = [(harmless(name), *(harmless(dict(case.sensitive).get(name, "")) for case in cases)) for name in names]
    rows.append(("decision", *(harmless(case.label or "a tie") for case in cases)))
    return table(("", *(f"case {place}" for place in range(1, len(cases) + 1))), rows)


def _text(text: str) -> str:
    """Return a text of the document as HTML."""
    return escape(harmless(text))
