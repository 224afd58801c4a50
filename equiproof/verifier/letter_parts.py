"""Parts of a page as HTML: its frame, the owner's words escaped and isolated, a bar, and a QR code."""

from __future__ import annotations

import base64
import hashlib
import html
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

QUIET = 4
"""The blank border of a QR code, in modules (ISO/IEC 18004)."""

_ROOM = 54
"""The most characters, of which two isolate each value, that the values of a category may have side by side."""


def text(words: str) -> str:
    """Return text as HTML; what is isolated in it stands in <bdi>."""
    return html.escape(words).replace("\u2068", "<bdi>").replace("\u2069", "</bdi>")


def element(tag: str, inner: str, name: str = "") -> str:
    """Return an element around HTML, of a class."""
    return f'<{tag} class="{name}">{inner}</{tag}>' if name else f"<{tag}>{inner}</{tag}>"


def items(texts: Sequence[str]) -> str:
    """Return texts as the items of a list."""
    return "".join(element("li", text(one)) for one in texts)


def whole_page(language: str, title: str, style: Path, body: str, *, private: bool) -> str:
    """Return a page around HTML, whose policy allows the style of a file of ours and nothing else; `title` is HTML.

    A private page asks search engines to leave it out.
    """
    rules = style.read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(rules.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    robots = '<meta name="robots" content="noindex">\n' if private else ""
    return f"""<!doctype html>
<html lang="{language}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
{robots}<meta name="referrer" content="no-referrer">
<title>{title}</title>
<style>{rules}</style>
</head>
<body>
{body}
</body>
</html>
"""


def bar(drawn: Mapping[str, Any], own: str) -> str:
    """Return the line of one bar of an answer; `own` is the own value in words."""
    picture = {"number": _line, "category": _boxes}[drawn["kind"]](drawn)
    cells = (
        element("span", text(drawn["name"]), "name"),
        element("span", text(own)),
        element("span", picture),
        element("span", text(drawn["span"])),
    )
    return element("li", "".join(cells))


_MARKS = {
    "same": '<rect class="band" x="1" y="3" width="30" height="10"/>',
    "own": '<path d="M10.5 4h11L16 12z"/>',
    "possible": '<line class="track" x1="0" x2="32" y1="8" y2="8"/>',
}
"""What a bar is drawn of: what is certified, the own place, and what anybody listed as possible."""


def key_to_bars(meanings: Sequence[tuple[str, str]]) -> str:
    """Return what the parts of a bar mean, each by its name: same, own, possible."""
    pictures = (
        f'<svg class="bar" viewBox="0 0 32 16" aria-hidden="true">{_MARKS[name]}</svg>{text(meaning)}'
        for name, meaning in meanings
    )
    return element("p", "".join(element("span", one) for one in pictures), "legend")


def qr_code(content: str, label: str) -> str:
    """Return a QR code as one path, error correction of level M; `label` describes it. ImportError without segno."""
    import segno

    code = segno.make_qr(content, error="m")
    rows = [list(row) for row in code.matrix_iter(border=QUIET)]
    path = "".join(f"M{x} {y}h1v1h-1z" for y, row in enumerate(rows) for x, dark in enumerate(row) if dark)
    size = len(rows)
    return (
        f'<svg class="code" viewBox="0 0 {size} {size}" role="img" aria-label="{html.escape(label)}" '
        f'shape-rendering="crispEdges"><rect width="{size}" height="{size}" fill="#fff"/><path d="{path}"/></svg>'
    )


def _line(drawn: Mapping[str, Any]) -> str:
    """Return the picture of a number: track, certified part, caps where it ends inside the track, own place."""
    low, high, you = (_percent(drawn[part]) for part in ("low", "high", "you"))
    parts = ['<line class="track" x1="0" x2="100%" y1="13" y2="13"/>']
    if drawn["high"] > drawn["low"]:
        width = _percent(drawn["high"] - drawn["low"])
        parts.append(f'<rect class="band" x="{low}" y="8.5" width="{width}" height="9"/>')
    for end, capped in zip((low, high), drawn["caps"], strict=True):
        parts += [f'<line class="cap" x1="{end}" x2="{end}" y1="7" y2="19"/>'] * capped
    parts.append(f'<svg x="{you}" overflow="visible"><path d="M-5 0h10L0 7z"/></svg>')
    return f'<svg class="bar" aria-hidden="true">{"".join(parts)}</svg>'


def _boxes(drawn: Mapping[str, Any]) -> str:
    """Return the values of a category, the certified ones in boxes; nothing where they need too much room."""
    values = drawn["values"]
    if sum(len(value["text"]) for value in values) > _ROOM:
        return ""
    names = (" ".join(name for name in ("in", "you") if value[name]) for value in values)
    listed = (element("li", text(value["text"]), name) for value, name in zip(values, names, strict=True))
    return f'<ul class="values" aria-hidden="true">{"".join(listed)}</ul>'


def _percent(hundredths: int) -> str:
    """Return a place on the track."""
    return f"{hundredths // 100}.{hundredths % 100:02d}%"
