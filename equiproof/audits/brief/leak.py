"""The audit `leak` in short: how well can certificates copy the model? It only measures."""

from __future__ import annotations

from equiproof.audits.brief.parts import Brief, Figure
from equiproof.audits.leak.told import CURVES, curves, said
from equiproof.audits.records import ReportFields
from equiproof.certify.digits import percent

_QUESTION = "What do certificates give away about the model?"
_ENDED = "Not known: the time limit was reached before a copy was made."


def brief(report: ReportFields) -> Brief | None:
    """Return the audit in short, None for a report of another form."""
    words = said(report)
    if words is None:
        ended = any(one.caption == CURVES for one in report.tables) and not curves(report)
        return Brief(report.audit, "undecided", _QUESTION, _ENDED, ()) if ended else None
    after = f"a copy from {words.count} certificates agrees,"
    return Brief(
        report.audit,
        "measures only",
        _QUESTION,
        words.english,
        (
            Figure(percent(words.exact), f"{after} exact radii"),
            Figure(percent(words.shown), f"{after} {words.levels}"),
            Figure(percent(words.labels), f"{after} labels alone"),
        ),
    )
