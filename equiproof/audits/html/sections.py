"""One audit on the page: its findings worst first, its tables and plots, and what of them is printed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from equiproof.audits.brief import Brief, counts, finding_words, judges
from equiproof.audits.html import charts, words
from equiproof.audits.html.applicants import ShownFinding, shown_finding
from equiproof.audits.html.tree import Picture, picture
from equiproof.audits.html.waterfall import waterfall
from equiproof.audits.presentation import in_words
from equiproof.audits.records import Finding, Table
from equiproof.audits.report import AuditReport
from equiproof.circuits.spec import Spec

CARDS = 300
"""The most applicants with a card, worst first; more would make the page slow to open."""

MAX_LISTED = 1000
"""The most findings of an audit, and rows of one of its tables, that are listed."""

PRINTED_CARDS = 4
"""The applicants whose cards are printed, the worst ones."""

PRINTED_AUDITS = 6
"""The audits whose details are printed; the first page has all in short."""

_LINES = 30
_MIN_LINES = 4
_MAX_LINES = 12
"""Printed rows of each kind of table over all audits, and at least and at most of one."""

_SEVERITY = {"unfair": 0, "undecided": 1, "fair": 2}


@dataclass(frozen=True)
class Listed:
    """A line of the table of findings, with the id of its card, if any."""

    finding: Finding
    verdict: str
    group: str
    bounds: str
    values: tuple[tuple[str, float | None], ...]
    card: str


@dataclass(frozen=True)
class Rows:
    """A table in words: under the name of each column a text, and for numbers the key to sort by."""

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[tuple[str, float | None], ...], ...]
    total: int


@dataclass(frozen=True)
class Section:
    """One audit on the page; `words` are those for the verdicts of its findings."""

    id: str
    report: AuditReport
    about: str
    brief: Brief
    words: dict[str, str]
    judges: bool
    counts: tuple[tuple[str, int, str], ...]
    columns: tuple[str, ...]
    listed: tuple[Listed, ...]
    cards: tuple[tuple[str, ShownFinding], ...]
    plots: tuple[charts.Chart, ...]
    tables: tuple[Rows, ...]
    tree: Picture | None = None


def printed(audits: int) -> int:
    """Return how many rows of a table are printed where a page has so many audits: paper has no room for all."""
    return max(_MIN_LINES, min(_MAX_LINES, _LINES // max(1, audits)))


def section(place: int, report: AuditReport, brief: Brief, about: str, spec: Spec | None, shown: set[int]) -> Section:
    """Return an audit with its findings in words, worst first; `shown` are the rows that have a card."""
    named = ((name, value) for finding in report.findings for name, value in finding.values.items())
    columns = tuple(dict.fromkeys(name for name, value in named if value is not None))
    ranked = sorted(enumerate(report.findings), key=lambda pair: (_SEVERITY[pair[1].verdict], pair[0]))
    words_of = dict(finding_words(report))
    listed: list[Listed] = []
    own: list[tuple[str, ShownFinding]] = []
    for number, finding in ranked[:MAX_LISTED]:
        card = f"person-{finding.row}" if finding.row in shown else ""
        if finding.row is None and len(own) < CARDS:
            card = f"case-{place}-{number + 1}"
            own.append((card, shown_finding(report, finding, spec)))
        listed.append(_listed(finding, words_of[finding.verdict], columns, card))
    plots = [one for one in (waterfall(report), *charts.estimates(report), charts.bounds(report)) if one is not None]
    return Section(
        f"audit-{place}",
        report,
        about,
        brief,
        words_of,
        judges(report),
        tuple(counts(report)),
        columns,
        tuple(listed),
        tuple(own),
        tuple(plots),
        tuple(map(_rows, report.tables)),
        picture(report),
    )


def _listed(finding: Finding, verdict: str, columns: Sequence[str], card: str) -> Listed:
    """Return a finding as a line of the table."""
    values = tuple(_cell(finding.values.get(name), name) for name in columns)
    bounds = words.bounds(finding.lower, finding.upper)
    return Listed(finding, verdict, in_words(finding.group), bounds, values, card)


def _rows(table: Table) -> Rows:
    """Return a table in words; columns without any value are left out."""
    places = range(len(table.columns))
    columns = [place for place in places if not table.rows or any(row[place] is not None for row in table.rows)]
    rows = tuple(
        tuple(_cell(row[place], table.columns[place], str(row[0])) for place in columns)
        for row in table.rows[:MAX_LISTED]
    )
    return Rows(table.caption, tuple(table.columns[place] for place in columns), rows, len(table.rows))


def _cell(value: object, *names: str) -> tuple[str, float | None]:
    """Return a cell as text, and the key to sort by."""
    known = value if isinstance(value, str | int | float | bool) else None
    return words.cell(known, *names), float(known) if isinstance(known, int | float) else None
