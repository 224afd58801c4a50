"""The audit `leak` in short: how well can certificates copy the model? It only measures."""

from __future__ import annotations

from collections.abc import Iterator

from equiproof.audits.brief.parts import Brief, Figure, figure, named
from equiproof.audits.leak.told import CURVES, EXACT, LABELS, SOURCES, WAYS, Said, agreement_of, curves, said
from equiproof.audits.records import ReportFields
from equiproof.certify.digits import number

_QUESTION = "What do certificates give away about the model?"
_ENDED = "Not known: the time limit was reached before a copy was made."
_PARTLY = "Not known: the time limit was reached before there were copies from radii to compare with those from labels."


def brief(report: ReportFields) -> Brief | None:
    """Return the audit in short, None for a report of another form."""
    words = said(report)
    if words is None:
        ended = any(one.caption == CURVES for one in report.tables)
        why = _PARTLY if curves(report) else _ENDED
        return Brief(report.audit, "undecided", _QUESTION, why, ()) if ended else None
    return Brief(report.audit, "measures only", _QUESTION, words.english, tuple(_figures(report, words)))


def _figures(report: ReportFields, words: Said) -> Iterator[Figure]:
    """Yield the agreement of the copies that the sentences are about, of how many people, with its interval."""
    begin = agreement_of(words.count, SOURCES[0], "")
    measured = {one.measure.removeprefix(begin): one for one in named(report.estimates, begin)}
    for shown in (EXACT, words.levels, LABELS, WAYS):
        if shown in measured:
            one = measured[shown]
            yield figure(one, f"of {number(one.n)}: a copy from {words.count} certificates agrees, {shown}")
