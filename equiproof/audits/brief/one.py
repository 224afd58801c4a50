"""A report in short: each audit of this project has words of its own, others those that every report has."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from equiproof.audits.brief import fvgm, groups, hyfair, leak, pba, prof, recourse, unfair
from equiproof.audits.brief.parts import Brief, Figure, Tag, capital, figure, grouped, of, sensitive
from equiproof.audits.records import VERDICTS, ReportFields
from equiproof.certify.digits import number, part
from equiproof.certify.many.point import Verdict

_BRIEFS: Mapping[str, Callable[[ReportFields], Brief | None]] = {
    "groups": groups.brief,
    "hyfair": hyfair.brief,
    "prof": prof.brief,
    "pba": pba.brief,
    "fvgm": fvgm.brief,
    "leak": leak.brief,
    "unfair": unfair.brief,
    "recourse": recourse.brief,
}
_TAGS: dict[str | None, Tag] = {
    "unfair": "cases found", "undecided": "undecided", "fair": "no case found", None: "measures only",
}  # fmt: skip
_JUDGES_ROWS = {"groups", "recourse"}
"""Audits without a verdict on the model unless a row has a case: where none has, no case was found."""

_SMALL_TOTAL = 10

_BOUND_WORDS = {"unfair": "shown", "fair": "excluded", "undecided": "undecided"}
_CONFIDENCE_WORDS = {"unfair": "surer", "fair": "not surer", "undecided": "undecided"}


def brief(report: ReportFields, about: str = "") -> Brief:
    """Return a report in short; `about` is what the audit says of itself, for one without words of its own."""
    own = _BRIEFS.get(report.audit)
    short = None if own is None else own(report)
    return short or Brief(report.audit, tag(report), asked(report.audit, about), _answer(report), _figures(report))


def tag(report: ReportFields) -> Tag:
    """Return the outcome of an audit as two words."""
    if report.verdict is None and report.audit in _JUDGES_ROWS and report.findings:
        return "undecided" if report.having("undecided") else "no case found"
    return _TAGS[report.verdict]


def asked(audit: str, about: str) -> str:
    """Return the question of an audit without words of its own."""
    return capital(about.rstrip(".")) if about else f"What does the audit {audit} find?"


def judges(report: ReportFields) -> bool:
    """Return whether the findings of a report judge their subjects: those of an audit that only measures do not."""
    return tag(report) != "measures only"


def finding_words(report: ReportFields) -> Mapping[str, str]:
    """Return the words for the verdicts of its findings: an audit that only measures calls nobody unfair."""
    if judges(report):
        return {verdict: verdict for verdict in _BOUND_WORDS}
    return _CONFIDENCE_WORDS if report.audit == "pba" else _BOUND_WORDS


def counts(report: ReportFields) -> list[tuple[Verdict, int, str]]:
    """Return for each verdict that was found: itself, how often, and of how many subjects, in words.

    Subjects are people where each finding is about a row of its own; of a few there is no share in percent.
    """
    total = len(report.findings)
    of_all = f"of {number(total)} {_subjects(report)[total != 1]}"
    by_verdict = [(verdict, len(report.having(verdict))) for verdict in VERDICTS]
    shares = {verdict: f" ({part(many, total)})" if total > _SMALL_TOTAL else "" for verdict, many in by_verdict}
    return [(verdict, many, f"{of_all}{shares[verdict]}") for verdict, many in by_verdict if many]


def _subjects(report: ReportFields) -> tuple[str, str]:
    """Return what the findings of a report are about: one, and several."""
    if report.audit == "hyfair":
        return "property", "properties"
    rows = {one.row for one in report.findings}
    return ("person", "people") if None not in rows and len(rows) == len(report.findings) else ("case", "cases")


def _answer(report: ReportFields) -> str:
    """Say in a sentence what the outcome means."""
    total = len(report.findings)
    unfair = len(report.having("unfair"))
    cases = "case" if total == 1 else "cases"
    count = f"{of(unfair, total)} {cases} ({part(unfair, total)})" if unfair else ""
    if report.verdict == "unfair":
        what = f"People are treated otherwise because of {sensitive(report)}, and of what the audit lets vary with it"
        return f"{what}: {count}, each with an example that was computed again, exactly."
    if report.verdict == "fair":
        proven = f"Proven for all {number(total)} {cases}." if total > 1 else "Proven in exact numbers."
        return f"No, as far as this audit looks. {proven}"
    remark = f" Shown for {count}." if count else ""
    if report.verdict == "undecided":
        return f"Not known for the model as a whole: {report.reason}.{remark}"
    return f"It measures, and judges nothing.{remark}"


def _figures(report: ReportFields) -> tuple[Figure, ...]:
    """Return the first three estimates, each for all people, or the groups of the first one."""
    whole = [one for one in report.estimates if not one.group and one.value is not None]
    estimates = whole or [one for one in report.estimates if one.value is not None]
    figures = [figure(one, f"{one.measure}{', ' if one.group else ''}{grouped(one.group)}") for one in estimates]
    if report.findings and report.verdict is not None:
        kinds = [(verdict, len(report.having(verdict))) for verdict in ("unfair", "undecided", "fair")]
        figures = [Figure(of(many, len(report.findings)), verdict) for verdict, many in kinds if many] + figures
    return tuple(figures[:3])
