"""Pages: templates that escape everything, filled in."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from fastapi import Request
from fastapi.responses import HTMLResponse
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from equiproof.circuits.tables import LANGUAGES, spoken
from equiproof.service.console import speech, words
from equiproof.service.console.guard import CSRF, HOME, SIGN_IN, Permission, Visit
from equiproof.service.web.state import Shared
from equiproof.verifier.letter_parts import text

FOLDER = Path(__file__).parent
POLICY = "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"


def zone_of(shared: Shared) -> words.Zone:
    """Return the time zone of the settings."""
    return words.Zone(ZoneInfo(shared.settings.console.time_zone))


def page(visit: Visit, template: str, *, status: int = 200, **values: Any) -> HTMLResponse:
    """Return a page for somebody who is signed in; `values` are those of its template."""
    values |= {
        "signed": visit.signed,
        "may": {str(permission): visit.may(permission) for permission in Permission},
        "now": visit.now,
        "zone": zone_of(visit.shared),
    }
    return _filled(visit.request, template, status, values)


def bare(request: Request, template: str, *, status: int = 200, **values: Any) -> HTMLResponse:
    """Return a page for nobody in particular."""
    return _filled(request, template, status, {"signed": None, "may": {}} | values)


def _filled(request: Request, template: str, status: int, values: dict[str, Any]) -> HTMLResponse:
    html = _templates.get_template(f"{template}.html").render(path=request.url.path, **values)
    return HTMLResponse(html, status)


def _said(words_with_isolates: str) -> Markup:
    """Return words of answers and bars, whose isolated parts become <bdi>."""
    return Markup(text(words_with_isolates))  # noqa: S704 -- text() escapes


def _own(text: object) -> Markup:
    """Return text of somebody else's: escaped, and its direction of writing ends with it."""
    return Markup("<bdi>{}</bdi>").format(words.foreign(text))


def _strong(text: object) -> Markup:
    """Return text of somebody else's that stands out."""
    return Markup("<strong>{}</strong>").format(_own(text))


def _percent(hundredths: int) -> str:
    """Return a place on a bar."""
    return f"{hundredths // 100}.{hundredths % 100:02d}%"


def _grouped(digits: str, most: int = 64) -> str:
    """Return digits of a digest in groups of four."""
    return " ".join(digits[place : place + 4] for place in range(0, min(most, len(digits)), 4))


def _environment() -> Environment:
    environment = Environment(
        autoescape=True,
        loader=FileSystemLoader(FOLDER / "templates"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "said": _said,
        "own": _own,
        "percent": _percent,
        "grouped": _grouped,
        "foreign": words.foreign,
        "number": words.number,
        "lasted": words.lasted,
        "seconds": words.seconds,
    }
    environment.globals |= {"home": HOME, "sign_in": SIGN_IN, "csrf_field": CSRF}
    environment.globals |= {"_": speech.mark, "counted": speech.counted, "strong": _strong, "spoken": spoken}
    environment.globals |= {"languages": LANGUAGES}
    return environment


_templates = _environment()
