"""The HTML page of a run of audits: it loads nothing, runs only its own script, and escapes all texts."""

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

from equiproof.audits.errors import AuditError
from equiproof.audits.html import charts, words
from equiproof.audits.html.applicants import Rows, ShownFinding, chosen, people, refuse_rows, shown_finding
from equiproof.audits.presentation import VERDICTS, in_words
from equiproof.audits.records import SMALL, Finding, Model
from equiproof.audits.report import AuditReport
from equiproof.audits.runner import AuditRun
from equiproof.certify.many.results import Results
from equiproof.circuits.field import to_hex
from equiproof.circuits.spec import Spec

CARDS = 300
"""The most applicants with a card, worst first; more would make the page slow to open."""

LISTED = 1000
"""The most findings of an audit, and rows of one of its tables, that are listed."""

CASES = 8
"""The most cases of a counterexample shown side by side."""

_ASSETS = Path(__file__).parent / "assets"
_WORST = {"unfair": 0, "undecided": 1, "fair": 2}


@dataclass(frozen=True)
class Listed:
    """A line of the table of findings, with the id of its card, if any."""

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
    cards: tuple[tuple[str, ShownFinding], ...]
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
    """Return the page of a run; equal arguments give equal pages.

    Args:
        run: The audits, of one model.
        spec: Its feature spec, to show raw values in counterexamples; by default that of `results`.
        results: The results of `equiproof certify` for the same model and rows, in the same order.
        rows: Raw values of these applicants, for their cards.
        date: The date of the audits as text.
        versions: The programs that made them, by name.
        about: The description of each audit, by its name.
        cards: The number of applicants with a card, worst first.

    Raises AuditError if spec, results or rows do not fit the model.
    """
    spec = fitting(run.model, spec=spec, results=results, rows=rows)
    shown, known = chosen(run.reports, results, cards)
    texts = about or {}
    sections = [_section(place, one, texts.get(one.audit, ""), spec, shown) for place, one in enumerate(run.reports, 1)]
    style, script = ((_ASSETS / name).read_text(encoding="utf-8") for name in ("report.css", "report.js"))
    return _environment().get_template("report.html").render(
        run=run, spec=spec, results=results, date=date, versions=versions or {}, about=texts, sections=sections,
        failures=run.failures, headline=_headline(run), people=people(run.reports, results, spec, rows, shown),
        known=known, radii=None if results is None else charts.radii(results), verdicts=VERDICTS, small=SMALL,
        listed=LISTED, cases=CASES, style=Markup(style), script=Markup(script), policy=_policy(style, script),  # noqa: S704  # our own files
        confidences=_confidences(run),
    )  # fmt: skip


def fitting(model: Model, *, spec: Spec | None, results: Results | None, rows: Rows) -> Spec | None:
    """Return the model's spec, if it is given; raises AuditError if spec, results or rows do not fit the model.

    Callers can check this before the audits run.
    """
    given = [("spec", spec), ("results", None if results is None else results.spec)]
    for what, one in given:
        if one is not None and to_hex(one.digest) != model.spec_digest:
            raise AuditError(f"{what}: of another model: its spec {one.name!r} is not the audited one")
    known = next((one for _, one in given if one is not None), None)
    refuse_rows(rows, known, results)
    return known


def _section(place: int, report: AuditReport, about: str, spec: Spec | None, shown: set[int]) -> Section:
    """Return an audit with its findings in words, worst first."""
    named = ((name, value) for finding in report.findings for name, value in finding.values.items())
    columns = tuple(dict.fromkeys(name for name, value in named if value is not None))
    ranked = sorted(enumerate(report.findings), key=lambda pair: (_WORST[pair[1].verdict], pair[0]))
    listed: list[Listed] = []
    own: list[tuple[str, ShownFinding]] = []
    for number, finding in ranked[:LISTED]:
        card = f"person-{finding.row}" if finding.row in shown else ""
        if finding.row is None and len(own) < CARDS:
            card = f"case-{place}-{number + 1}"
            own.append((card, shown_finding(report, finding, spec)))
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
    """Return the outcome of all audits in one sentence."""
    verdicts = [report.verdict or "measured" for report in run.reports] + [one.outcome for one in run.failures]
    outcomes = {
        "unfair": "found unfair treatment",
        "undecided": "could not decide",
        "fair": "proved fairness",
        "measured": "measured without judging",
        "failed": "failed without a result",
        "not applicable": "did not apply",
    }
    parts = [f"{verdicts.count(verdict)} {what}" for verdict, what in outcomes.items() if verdict in verdicts]
    return f"Of {words.count(len(verdicts), 'audit')}: {', '.join(parts)}." if parts else "No audit was run."


def _confidences(run: AuditRun) -> list[str]:
    """Return the confidence levels of all intervals in percent; certain bounds have none."""
    levels = {one.confidence for report in run.reports for one in report.estimates if one.confidence < 1}
    return [f"{100 * one:g}%" for one in sorted(levels)]


def _policy(style: str, script: str) -> str:
    """Return a content policy that forbids loading anything and allows only the page's own script and style."""
    digests = [base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in (style, script)]
    return (
        f"default-src 'none'; style-src 'sha256-{digests[0]}'; script-src 'sha256-{digests[1]}'; "
        "base-uri 'none'; form-action 'none'"
    )


@cache
def _environment() -> Environment:
    """Return the template environment: text is escaped, invisible characters are shown, unknown names are errors."""
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
    """Show the invisible characters of a text; markup of the templates is kept."""
    return words.harmless(value) if isinstance(value, str) and not isinstance(value, Markup) else value
