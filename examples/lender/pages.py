"""The pages of the loan form. Whatever comes from elsewhere is escaped; no page has a script."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

ENDED = frozenset({"certified", "review", "undecided", "failed"})

IDENTITY = "identity"
"""The field of the number that identifies the applicant. It stays with the lender; the service gets a pseudonym."""

STYLE = """
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
html { background: Canvas; color: CanvasText; }
body { background: Canvas; max-width: 36rem; margin: 2rem auto; padding: 0 1rem; }
label { display: block; margin: 1rem 0 .25rem; }
input, select, button { font: inherit; min-height: 44px; width: 100%; box-sizing: border-box; padding: 0 .5rem; }
input, select { border: 1px solid GrayText; border-radius: 6px; background: Field; color: FieldText; }
button { margin: 1.5rem 0; border: 0; border-radius: 6px; background: #0f4c86; color: #fff; font-weight: 600; }
:focus-visible { outline: 3px solid #b4530a; outline-offset: 2px; }
a { overflow-wrap: anywhere; }
@media print { form, button { display: none; } }
.error { border-left: 4px solid; padding-left: .75rem; }
"""


def page(title: str, body: str, refresh: int | None = None) -> bytes:
    """Return a whole page; `refresh` reloads it after so many seconds."""
    again = f'<meta http-equiv="refresh" content="{refresh}">' if refresh else ""
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>{again}'
        '<meta name="viewport" content="width=device-width"><link rel="stylesheet" href="/style.css"></head>'
        f"<body><main><h1>{escape(title)}</h1>{body}</main></body></html>"
    ).encode()


def form(model: Mapping[str, Any], request: str, given: Mapping[str, str], error: str = "") -> bytes:
    """Return the form of a model: a field for each feature that is not sensitive, with what was given before.

    `request` names this application, so that sending the form twice is one application.
    """
    plain = [feature for feature in model["spec"]["features"] if not feature["sensitive"]]
    number = f' value="{escape(given[IDENTITY])}"' if IDENTITY in given else ""
    identity = f'<input id="{IDENTITY}" name="{IDENTITY}"{number} autocomplete="off" required>'
    fields = f'<label for="{IDENTITY}">Number of your identity card</label>{identity}'
    fields += "".join(_field(feature, given.get(feature["name"])) for feature in plain)
    said = f'<p class="error" role="alert">{escape(error)}</p>' if error else ""
    unasked = escape(", ".join(map(_shown, model["sensitive"])))
    hidden = f'<input type="hidden" name="request" value="{escape(request)}">'
    return page(
        "Apply for a loan",
        f"{said}<p>We do not ask for {unasked}: the decision must be the same for every value.</p>"
        f'<form method="post" action="/apply">{hidden}{fields}<button>Apply</button></form>',
    )


def decision(found: Mapping[str, Any], link: str = "") -> bytes:
    """Return the page of a decision; it reloads itself until the certificate is there."""
    state, place = found["state"], f"/application/{found['id']}"
    outcome = found["outcome"]
    told = f"Our decision: {outcome}." if outcome is not None else "One of our officers looks at your application."
    parts = [f"<p><strong>{escape(told)}</strong></p>"]
    if state not in ENDED:
        parts.append("<p>The certificate is being made; this page reloads itself.</p>")
    if link:
        parts.append(f'<p>Your own page, shown this once: <a href="{escape(link)}">{escape(link)}</a></p>')
    elif state == "certified":
        parts.append(f'<form method="post" action="{place}/link"><button>Show my certificate</button></form>')
        parts.append(f'<p><a href="{place}/letter">The letter, to print</a></p>')
    parts.append('<p><a href="/">Another application</a></p>')
    return page("Your application", "".join(parts), None if link or state in ENDED else 1)


def failure(detail: str) -> bytes:
    """Return the page of something that did not work."""
    return page("That did not work", f'<p role="alert">{escape(detail)}</p><p><a href="/">Back to the form</a></p>')


def _field(feature: Mapping[str, Any], given: str | None) -> str:
    """Return label and control of a feature."""
    name, unit = escape(feature["name"]), feature["unit"]
    told = _shown(feature["name"])
    # What the spec lets be missing may stay empty: an empty field is not sent, and so not stated.
    empty = None if feature.get("missing") is None else escape(feature["missing"].get("en", "not stated"))
    shown = escape(told[:1].upper() + told[1:] + (f", in {unit}" if unit else ""))
    if feature["kind"] == "categorical":
        options = "".join(
            f"<option{' selected' if value == given else ''}>{escape(value)}</option>" for value in feature["domain"]
        )
        first = "" if empty is None else f'<option value="">{empty}</option>'
        control = f'<select id="{name}" name="{name}">{first}{options}</select>'
    else:
        low, high = feature["range"] or ("", "")
        ends = f' min="{escape(low)}" max="{escape(high)}"' if low or high else ""
        step = "1" if feature.get("whole") else "any"
        value = f' value="{escape(given)}"' if given is not None else ""
        asked = " required" if empty is None else f' placeholder="{empty}"'
        control = f'<input id="{name}" name="{name}" type="number" step="{step}"{ends}{value}{asked}>'
    shown += "" if empty is None else " (may stay empty)"
    return f'<label for="{name}">{shown}</label>{control}'


def _shown(name: str) -> str:
    return name.replace("_", " ")
