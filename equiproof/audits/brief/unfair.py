"""The audit `unfair` in short: for what share of a domain does the decision change with sensitive values alone?"""

from __future__ import annotations

from equiproof.audits.brief.parts import Brief, Figure, Tag, sensitive
from equiproof.audits.records import ReportFields
from equiproof.audits.unfair.told import said
from equiproof.certify.digits import percent

_TAGS: dict[str | None, Tag] = {"unfair": "cases found", "undecided": "undecided", "fair": "no case found"}


def brief(report: ReportFields) -> Brief | None:
    """Return the audit in short, None for a report of another form."""
    words = said(report)
    if words is None or report.verdict is None:
        return None
    question = f"For how many possible applicants does {sensitive(report)} alone change the decision?"
    figures = (
        Figure(percent(words.lower, "down"), "of the domain at least: proven unfair"),
        Figure(percent(words.upper, "up"), "of the domain at most: the rest is proven fair"),
    )
    return Brief(report.audit, _TAGS[report.verdict], question, words.english, figures)
