"""One HTML document from a run of audits: no network, no script but its own, every text of a document escaped."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from audits.errors import AuditError
from audits.html import charts, words
from audits.html.people import Found, Rows, chosen, found, people, refuse_rows
from audits.presentation import VERDICTS, in_words
from audits.report import SMALL, AuditReport, Finding, Model
from audits.runner import AuditRun
from certify.results import Results
from circuits.field import to_hex
from circuits.spec import Spec

CARDS = 300
"""Applicants that get a card, the worst first; a page of more would be slow to open."""

LISTED = 1000
"""Findings of one audit, and lines of one of its tables, that are listed."""

CASES = 8
"""Cases of a witness that stand side by side."""

_ASSETS = Path(__file__).parent / "assets"
_WORST = {"unfair": 0, "undecided": 1, "fair": 2}


@dataclass(frozen=True)
class Listed:
    """A line of the table of findings, with the card that tells more, if there is one."""

    finding: Finding
    group: str
    bounds: str
    values: tuple[tuple[str, float | None], ...]
    card: str


@dataclass(frozen=True)
class Section:
    """One audit on the page."""

    id: str
    report: AuditReport
    about: str
    verdict: str
    said: str
    counts: tuple[tuple[str, int, str], ...]
    columns: tuple[str, ...]
    listed: tuple[Listed, ...]
    cards: tuple[tuple[str, Found], ...]
    plots: tuple[charts.Chart, ...]


def render(
    run: AuditRun,
    *,
    spec: Spec | None = None,
    results: Results | None = None,
    rows: Rows = (),
    date: str = "",
    versions: Mapping[str, str] | None = None,
    about: Mapping[str, str] | None = None,
    cards: int = CARDS,
) -> str:
    """Return the page of a run; with the same arguments, the same page.

    Args:
        run: The audits, of one model.
        spec: Its feature spec, by which inputs of witnesses become raw values; that of `results` where not given.
        results: What `equiproof certify` wrote of the same model, for applicants in the order of the audits' rows.
        rows: Raw values of these applicants, for their cards.
        date: When the audits were made, as it shall be read.
        versions: The programs that made them, by name.
        about: What each audit looks for, by its name.
        cards: How many applicants get a card, the worst first.

    Raises AuditError where spec, results and rows are not of this model.
    """
    spec = fitting(run.model, spec=spec, results=results, rows=rows)
    shown, known = chosen(run.reports, results, cards)
    told = about or {}
    sections = [_section(place, one, told.get(one.audit, ""), spec, shown) for place, one in enumerate(run.reports, 1)]
    style, script = ((_ASSETS / name).read_text(encoding="utf-8") for name in ("report.css", "report.js"))
    return _environment().get_template("report.html").render(
        run=run, spec=spec, results=results, date=date, versions=versions or {}, about=told, sections=sections,
        failures=run.failures, headline=_headline(run), people=people(run.reports, results, spec, rows, shown),
        known=known, radii=None if results is None else charts.radii(results), verdicts=VERDICTS, small=SMALL,
        listed=LISTED, cases=CASES, style=Markup(style), script=Markup(script), policy=_policy(style, script),  # noqa: S704  # our own files
        confidences=_confidences(run),
    )  # fmt: skip


def fitting(model: Model, *, spec: Spec | None, results: Results | None, rows: Rows) -> Spec | None:
    """Return the spec of a model, if it is given; raises AuditError where spec, results or rows are not of the model.

    For callers to whom it matters before the audits are run.
    """
    given = [("spec", spec), ("results", None if results is None else results.spec)]
    for what, one in given:
        if one is not None and to_hex(one.digest) != model.spec_digest:
            raise AuditError(f"{what}: of another model: its spec {one.name!r} is not the one that was audited")
    found = next((one for _, one in given if one is not None), None)
    refuse_rows(rows, found, results)
    return found


def _section(place: int, report: AuditReport, about: str, spec: Spec | None, shown: set[int]) -> Section:
    """Return an audit with its findings in words, the worst first."""
    named = ((name, value) for finding in report.findings for name, value in finding.values.items())
    columns = tuple(dict.fromkeys(name for name, value in named if value is not None))
    ranked = sorted(enumerate(report.findings), key=lambda pair: (_WORST[pair[1].verdict], pair[0]))
    listed: list[Listed] = []
    own: list[tuple[str, Found]] = []
    for number, finding in ranked[:LISTED]:
        card = f"person-{finding.row}" if finding.row in shown else ""
        if finding.row is None and len(own) < CARDS:
            card = f"case-{place}-{number + 1}"
            own.append((card, found(report, finding, spec)))
        listed.append(_listed(finding, columns, card))
    plots = charts.estimates(report)
    bounds = charts.bounds(report)
    total = len(report.findings)
    counts = ((verdict, len(report.having(verdict))) for verdict in VERDICTS)
    return Section(
        f"audit-{place}", report, about, report.verdict or "measured", words.said(report),
        tuple((verdict, many, words.share(many, total)) for verdict, many in counts if many),
        columns, tuple(listed), tuple(own), tuple(plots if bounds is None else [*plots, bounds]),
    )  # fmt: skip


def _listed(finding: Finding, columns: Sequence[str], card: str) -> Listed:
    """Return a finding as a line of the table."""
    cells = [finding.values.get(name) for name in columns]
    numbers = [float(cell) if isinstance(cell, int | float) else None for cell in cells]
    values = tuple((words.cell(cell), key) for cell, key in zip(cells, numbers, strict=True))
    return Listed(finding, in_words(finding.group), words.bounds(finding.lower, finding.upper), values, card)


def _headline(run: AuditRun) -> str:
    """Sum up in one sentence what the audits say, none of them left out."""
    verdicts = [report.verdict or "measured" for report in run.reports] + [one.outcome for one in run.failures]
    told = {
        "unfair": "found unfair treatment",
        "undecided": "could not decide",
        "fair": "proved fairness",
        "measured": "measured without judging",
        "failed": "failed and told nothing",
        "not applicable": "did not apply",
    }
    parts = [f"{verdicts.count(verdict)} {what}" for verdict, what in told.items() if verdict in verdicts]
    return f"Of {words.count(len(verdicts), 'audit')}: {', '.join(parts)}." if parts else "No audit was run."


def _confidences(run: AuditRun) -> list[str]:
    """Return the confidences of all intervals that have one, in percent: bounds that always hold have none."""
    found = {one.confidence for report in run.reports for one in report.estimates if one.confidence < 1}
    return [f"{100 * one:g}%" for one in sorted(found)]


def _policy(style: str, script: str) -> str:
    """Return a policy under which nothing is loaded, and nothing is run but the page's own script."""
    digests = [base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in (style, script)]
    return (
        f"default-src 'none'; style-src 'sha256-{digests[0]}'; script-src 'sha256-{digests[1]}'; "
        "base-uri 'none'; form-action 'none'"
    )


@cache
def _environment() -> Environment:
    """Return the templates' world: everything is escaped, invisible characters are shown, no name is forgotten."""
    environment = Environment(
        loader=FileSystemLoader(_ASSETS), autoescape=True, undefined=StrictUndefined, trim_blocks=True,
        lstrip_blocks=True, keep_trailing_newline=True, finalize=_final,
    )  # fmt: skip
    environment.filters |= {"words": in_words, "cell": words.cell, "seconds": words.seconds, "ends": words.ends}
    environment.globals |= {
        "marks": words.MARKS, "count": words.count, "number": words.number, "settings": words.settings,
        "share": words.share,
    }  # fmt: skip
    return environment


def _final(value: Any) -> Any:
    """Show what would not be seen in a text; what the templates wrote themselves stays."""
    return words.harmless(value) if isinstance(value, str) and not isinstance(value, Markup) else value
