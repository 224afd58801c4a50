"""What the built site would ask other machines for: nothing. Links that a reader clicks are no requests."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

_ELSEWHERE = re.compile(r"^\s*(?:[a-z][a-z0-9+.-]*:)?//", re.IGNORECASE)
"""An address with a host, whatever its scheme: `https://host`, `//host`."""
_STYLE = re.compile(r"""(?:url\(\s*['"]?|@import\s+['"])((?:[a-z]+:)?//[^'")\s]*)""", re.IGNORECASE)
_SCRIPT = re.compile(
    r"""(?:\bfetch|\bimport|\bimportScripts|\bnew\s+\w*(?:Socket|Source|Worker|URL)|\.open|sendBeacon)"""
    r"""\s*\(\s*(?:['"][A-Z]+['"]\s*,\s*)?['"`]((?:[a-z]+:)?//[^'"`]*)|\.src\s*=\s*['"`]((?:[a-z]+:)?//[^'"`]*)"""
)
_LOADING = {"src", "srcset", "poster", "data", "background", "action", "formaction"}
"""Attributes that make a browser ask for something, of any element; `href` does on `link` alone."""


class _Page(HTMLParser):
    """Collects what a page loads from elsewhere."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self._inside: str | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._inside = tag if tag in {"script", "style"} else None
        named = dict(attrs)
        for name, value in named.items():
            loads = name in _LOADING or (name == "href" and tag in {"link", "use", "image"})
            if value and loads:
                candidates = (part.split()[0] for part in value.split(",") if part.strip())
                self.found += [one for one in candidates if _ELSEWHERE.match(one)]
            if value and name == "style":
                self.found += _STYLE.findall(value)
        if tag == "meta" and (named.get("http-equiv") or "").lower() == "refresh":
            self.found.append(named.get("content") or "")

    def handle_endtag(self, tag: str) -> None:  # noqa: ARG002  # the parser's signature
        self._inside = None

    def handle_data(self, data: str) -> None:
        if self._inside == "style":
            self.found += _STYLE.findall(data)
        elif self._inside == "script":
            self.found += _scripted(data)


def _scripted(text: str) -> list[str]:
    return [one or other for one, other in _SCRIPT.findall(text)]


def requests(folder: Path) -> list[str]:
    """Return a line for each request to another machine that a file of the folder makes: the file, and the address."""
    found: list[str] = []
    for path in sorted(folder.rglob("*")):
        if path.suffix not in {".html", ".css", ".js", ".svg"}:
            continue
        text = path.read_text(encoding="utf-8")
        if path.suffix in {".html", ".svg"}:
            page = _Page()
            page.feed(text)
            loaded = page.found
        else:
            loaded = _STYLE.findall(text) if path.suffix == ".css" else _scripted(text)
        found += [f"{path.relative_to(folder).as_posix()}: loads {address}" for address in loaded]
    return found
