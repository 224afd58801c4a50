"""The audit `recourse` in short: whose recourse depends on a sensitive value, and what the others can do."""

from __future__ import annotations

from collections.abc import Iterator

from equiproof.audits.brief.parts import Brief, Figure, Tag, apart, does, ends, figure, grouped, named, of, sensitive
from equiproof.audits.records import ReportFields
from equiproof.audits.recourse.told import DEPENDENT, WAY, Said, said
from equiproof.certify.digits import number


def brief(report: ReportFields) -> Brief | None:
    """Return the audit in short, None for a report of another form."""
    words = said(report)
    if words is None or report.verdict == "undecided":
        return None
    question = f"{does(report)} {sensitive(report)} alone keep a refused person from what would help?"
    return Brief(report.audit, _tag(words), question, words.english, tuple(_figures(report, words)))


def _tag(words: Said) -> Tag:
    """Return the outcome."""
    if words.counts["dependent"]:
        return "cases found"
    if not words.asked:
        return "measures only"
    return "undecided" if words.counts["undecided"] else "no case found"


def _figures(report: ReportFields, words: Said) -> Iterator[Figure]:
    """Yield how many depend on a sensitive value, and the shares with a way of the groups furthest apart."""
    overall = next((one for one in named(report.estimates, DEPENDENT) if not one.group), None)
    if overall is None:
        return
    what = f"depend on {sensitive(report)} alone{ends(overall)}"
    yield Figure(of(words.counts["dependent"], words.asked), what, overall)
    rates = [one for one in apart(report.estimates, WAY) if one.group]
    if not rates:
        rates = [one for one in named(report.estimates, WAY) if not one.group]
    for one in rates:
        who = f", {grouped(one.group)}" if one.group else " asked"
        yield figure(one, f"have a way, of {number(one.n)}{who}")
