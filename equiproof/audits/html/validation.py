"""The printable document for the validation of a model: it loads nothing and has no script."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping

from markupsafe import Markup

from equiproof.audits.brief import brief
from equiproof.audits.html.page import ASSETS, environment
from equiproof.audits.meanings import reading
from equiproof.audits.pack.content import LIMITS, MONITORING, Content, not_compared

PRINTED = 14
"""The most estimates of an audit that the document has: the reports have all."""


def render(known: Content, *, date: str = "", versions: Mapping[str, str] | None = None) -> str:
    """Return the document; equal arguments give equal documents.

    Args:
        known: What is known of the model.
        date: The date of the audits as text.
        versions: The programs that made the document, by name.
    """
    style = "\n".join((ASSETS / name).read_text(encoding="utf-8") for name in ("report.css", "validation.css"))
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    return (
        environment()
        .get_template("validation.html")
        .render(
            known=known,
            audits=[(brief(report), report) for report in known.reports],
            leak=None if known.leak is None else (brief(known.leak), known.leak),
            limits=LIMITS,
            monitoring=MONITORING,
            not_compared=not_compared(known),
            read=reading(known.model.spec_name),
            most=PRINTED,
            date=date,
            versions=versions or {},
            style=Markup(style),  # noqa: S704  # our own files
            policy=f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'",
        )
    )
