"""The audit `leak` in short: how well can certificates copy the model? It only measures."""

from __future__ import annotations

from equiproof.audits.brief.parts import Brief, Figure
from equiproof.audits.leak.told import said
from equiproof.audits.records import ReportFields
from equiproof.certify.digits import percent


def brief(report: ReportFields) -> Brief | None:
    """Return the audit in short, None for a report of another form."""
    words = said(report)
    if words is None:
        return None
    after = f"a copy from {words.count} certificates agrees,"
    return Brief(
        report.audit,
        "measures only",
        "What do certificates give away about the model?",
        words.english,
        (
            Figure(percent(words.exact), f"{after} exact radii"),
            Figure(percent(words.shown), f"{after} {words.levels}"),
            Figure(percent(words.labels), f"{after} labels alone"),
        ),
    )
