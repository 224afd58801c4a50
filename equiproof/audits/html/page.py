"""The HTML page of a run of audits: it loads nothing, runs only its own script, and escapes all texts."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from equiproof.audits.brief import Tag, brief, head
from equiproof.audits.errors import AuditError
from equiproof.audits.html import charts, words
from equiproof.audits.html.applicants import (
    Rows,
    audited_decisions,
    chosen,
    people,
    refuse_other_people,
    refuse_other_rows,
    refuse_rows,
)
from equiproof.audits.html.sections import CARDS, MAX_LISTED, PRINTED_AUDITS, PRINTED_CARDS, printed, section
from equiproof.audits.meanings import in_full
from equiproof.audits.measures import how
from equiproof.audits.presentation import in_words
from equiproof.audits.records import SMALL_GROUP, VERDICTS, Model
from equiproof.audits.runner import AuditRun
from equiproof.certify.digits import part, percent
from equiproof.certify.many.results import Results
from equiproof.circuits.field import to_hex
from equiproof.circuits.spec import Spec

CASES = 8
"""The most cases of a counterexample shown side by side."""

TAGS: Mapping[Tag, tuple[str, str]] = {
    "cases found": ("warn", "look"),
    "undecided": ("unsure", "ask"),
    "failed": ("bad", "bad"),
    "no case found": ("ok", "yes"),
    "measures only": ("", "eye"),
    "not applicable": ("", "no"),
}
"""The style and the sign of each outcome: a word and a shape, color last."""

ASSETS = Path(__file__).parent / "assets"


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

    Raises AuditError if spec, results or rows do not fit the model, or results and audits are of other rows.
    """
    spec = fitting(run.model, spec=spec, results=results, rows=rows)
    refuse_other_people(rows, run.reports, spec)
    refuse_other_rows(results, audited_decisions(run.reports))
    run = msgspec.structs.replace(run, reports=tuple(map(in_full, run.reports)))
    shown, known = chosen(run.reports, results, cards)
    texts = about or {}
    short = sorted(((brief(one, texts.get(one.audit, "")), one) for one in run.reports), key=lambda one: one[0].rank)
    sections = [
        section(place, one, short_form, texts.get(one.audit, ""), spec, shown)
        for place, (short_form, one) in enumerate(short, 1)
    ]
    first = head(run, results, texts)
    style, script = ((ASSETS / name).read_text(encoding="utf-8") for name in ("report.css", "report.js"))
    template = environment().get_template("report.html")
    return template.render(
        run=run,
        spec=spec,
        results=results,
        date=date,
        versions=versions or {},
        sections=sections,
        head=first,
        bracketed=how([one.estimate for short in first.briefs for one in short.figures if one.estimate is not None]),
        people=people(run.reports, results, spec, rows, shown),
        known=known,
        radii=None if results is None else charts.radii(results),
        by_group=None if results is None else charts.radii_by_group(results, rows),
        verdicts=VERDICTS,
        small=SMALL_GROUP,
        listed=MAX_LISTED,
        cases=CASES,
        style=Markup(style),  # noqa: S704  # our own file
        script=Markup(script),  # noqa: S704  # our own file
        policy=_policy(style, script),
        confidences=_confidences(run),
        printed=printed(len(sections)),
        printed_cards=PRINTED_CARDS,
        printed_audits=PRINTED_AUDITS,
    )


def fitting(model: Model, *, spec: Spec | None, results: Results | None, rows: Rows) -> Spec | None:
    """Return the model's spec, if it is given; raises AuditError if spec, results or rows do not fit the model.

    Callers can check this before the audits run.
    """
    sources = [("spec", spec), ("results", None if results is None else results.spec)]
    for what, one in sources:
        if one is not None and to_hex(one.digest) != model.spec_digest:
            raise AuditError(f"{what}: of another model: its spec {one.name!r} is not the audited one")
    known = next((one for _, one in sources if one is not None), None)
    refuse_rows(rows, known, results)
    return known


def _confidences(run: AuditRun) -> list[str]:
    """Return the confidence levels of all intervals in percent; certain bounds have none."""
    levels = {one.confidence for report in run.reports for one in report.estimates if one.confidence < 1}
    return [percent(one, places=0 if round(100 * one, 9).is_integer() else 1) for one in sorted(levels)]


def _policy(style: str, script: str) -> str:
    """Return a content policy that forbids loading anything and allows only the page's own script and style."""
    digests = [base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in (style, script)]
    return (
        f"default-src 'none'; style-src 'sha256-{digests[0]}'; script-src 'sha256-{digests[1]}'; "
        "base-uri 'none'; form-action 'none'"
    )


@cache
def environment() -> Environment:
    """Return the template environment: text is escaped, invisible characters are shown, unknown names are errors."""
    environment = Environment(
        loader=FileSystemLoader(ASSETS),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        finalize=_final,
    )
    environment.filters |= {
        "words": in_words,
        "cell": words.cell,
        "value": words.value,
        "seconds": words.seconds,
        "ends": words.ends,
        "fingerprint": words.fingerprint,
    }
    environment.globals |= {
        "marks": words.MARKS,
        "count": words.count,
        "number": words.number,
        "settings": words.settings,
        "part": part,
        "percent": percent,
        "tags": TAGS,
    }
    return environment


def _final(value: Any) -> Any:
    """Show the invisible characters of a text; markup of the templates is kept."""
    return words.harmless(value) if isinstance(value, str) and not isinstance(value, Markup) else value
