"""The audit `hyfair` in short: how far can the sensitive feature split one applicant?

Its findings are properties of the whole domain: neither of them is a person.
"""

from __future__ import annotations

from equiproof.audits.brief.parts import Brief, Figure, Tag, counted, figure, named, sensitive
from equiproof.audits.records import Cell, Finding, ReportFields
from equiproof.certify.digits import number

_APART_SUBJECT = "scores apart by more than "
_FLIPS = "label flips"
_LARGEST_K = "largest k"
_EXAMPLE = "example"
_TAGS: dict[str | None, Tag] = {"unfair": "cases found", "undecided": "undecided", "fair": "no case found"}


def brief(report: ReportFields) -> Brief | None:
    """Return the audit in short, None for a report of another form."""
    by_property = {one.subject.startswith(_APART_SUBJECT): one for one in report.findings}
    if len(by_property) != 2 or report.verdict is None:
        return None
    apart = by_property[True]
    flips = by_property[False]
    width = apart.subject.removeprefix(_APART_SUBJECT)
    of_label = flips.subject.removeprefix(_FLIPS)
    flip = f"a change{of_label}" if of_label else "another label"
    shares = [
        figure(one, f"of {number(one.n)}: {what}")
        for begins, what in ((f"rows with {_FLIPS}", flip), (f"rows with {_APART_SUBJECT}", "scores apart"))
        for one in named(report.estimates, begins)
        if not one.group
    ]
    return Brief(
        report.audit,
        _TAGS[report.verdict],
        f"How far can {sensitive(report)} split one applicant?",
        _answer(apart, flips, width, flip, _clusters(report)),
        (*_outcomes(report), *shares),
    )


def _answer(apart: Finding, flips: Finding, width: str, flip: str, clusters: int | None) -> str:
    """Answer the question; of a property that is undecided, say so. `flip` is what a label flip is in words."""
    verdicts = {
        flip: flips.verdict,
        f"scores more than {width} apart": apart.verdict,
    }
    cases = [what for what, verdict in verdicts.items() if verdict == "unfair"]
    unknown = [what for what, verdict in verdicts.items() if verdict == "undecided"]
    rest = f" Not known: {' and '.join(unknown)} ({_reasons(apart, flips)})." if unknown else ""
    if cases:
        into = f"Into {counted(clusters)} levels of the score. " if clusters and clusters > 1 else ""
        return f"{into}Some get {', and '.join(cases)}; {_examples(flips, apart)}.{rest}"
    if unknown:
        return f"No case was found, and not all were excluded.{rest}"
    if flips.subject != _FLIPS:
        return f"In the whole domain there is no {flip.removeprefix('a ')}, and scores are no more than {width} apart."
    return f"Not at all, in the whole domain: the same label, and scores no more than {width} apart."


def _examples(*findings: Finding) -> str:
    """Say whom the examples show: rows of the data, or applicants of any combination of values."""
    examples = [str(one.values.get(_EXAMPLE, "")) for one in findings if one.verdict == "unfair"]
    rows = [name for name in dict.fromkeys(examples) if name.startswith("row ")]
    others = [] if len(rows) == len(set(examples)) else ["one of any combination of values"]
    each = "an example of each" if len(examples) > 1 else "there is an example"
    return f"{each}: {', and '.join([*(f'{name} of the data' for name in rows), *others])}"


def _reasons(*findings: Finding) -> str:
    """Return why properties are undecided."""
    return "; ".join(dict.fromkeys(one.reason for one in findings if one.reason))


def _searched(report: ReportFields) -> dict[str, Cell]:
    """Return the search for the applicant with the most outcomes, by column; empty if there was none."""
    table = next((one for one in report.tables if one.columns[:1] == (_LARGEST_K,) and one.rows), None)
    return {} if table is None else dict(zip(table.columns, table.rows[0], strict=True))


def _clusters(report: ReportFields) -> int | None:
    """Return the largest number of outcomes that was found."""
    count = _searched(report).get(_LARGEST_K)
    return count if isinstance(count, int) else None


def _outcomes(report: ReportFields) -> tuple[Figure, ...]:
    """Return how many outcomes one applicant gets, of as many as there are sensitive values."""
    searched = _searched(report)
    clusters, most, of = (searched.get(name) for name in (_LARGEST_K, "at most", "sensitive assignments"))
    if not isinstance(clusters, int) or not isinstance(of, int):
        return ()
    if isinstance(most, int) and clusters < most < of:
        return (
            Figure(f"{number(clusters)} of {number(of)}", f"levels of the score were found; {number(most)} at most"),
        )
    if isinstance(most, int) and most == clusters:
        return (Figure(f"{number(clusters)} of {number(of)}", "levels of the score are possible for one applicant"),)
    return (Figure(f"{number(clusters)} of {number(of)}", "levels of the score were found"),)
