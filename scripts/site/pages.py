"""Which pages the site has, where each stands in the navigation, and where the links of a page lead.

docs/README.md is the home page and the navigation at once: each of its headings is an entrance for one kind of reader,
and the pages below it follow in the order of their links. A page stands where it is linked first.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HOME = "docs/README.md"

PATTERNS = (
    "*.md", "docs/**/*.md", "examples/**/*.md", "findings/*.md", "research/**/*.md", "tests/vectors/**/*.md",
    "web/*/README.md",
)  # fmt: skip
"""Where pages are. Those elsewhere describe a package to its index, or are tables that a tool writes."""

BELOW = {
    "docs/adr/README.md": ("docs/adr/*.md",),
    "docs/benchmarks.md": ("docs/benchmarks/*.md",),
    "research/README.md": ("research/*/*.md",),
}
"""Pages that link to pages of their own. These are not in the navigation: each entry there costs time on every page."""

ORPHAN = "---\norphan: true\n---\n"
"""The head of a page that is not in the navigation."""

_FENCE = re.compile(r"(^ *(?:```|~~~).*?^ *(?:```|~~~) *$)", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\(([^()\s]+)\)")
_HEADING = re.compile(r"^## (.+)$", re.MULTILINE)


def pages(root: Path = ROOT) -> list[str]:
    """Return the pages by their path in the repository, in order; a source archive has none of the research."""
    found = {path.relative_to(root).as_posix() for pattern in PATTERNS for path in root.glob(pattern)}
    return sorted(page for page in found if "/node_modules/" not in page)


def targets(page: str, text: str) -> Iterator[str]:
    """Yield the paths in the repository that a page's links name, anchors and other sites left out."""
    for prose in _FENCE.split(text)[::2]:
        for match in _LINK.finditer(prose):
            path = match[3].partition("#")[0]
            if path and "://" not in path:
                yield _resolved(page, path)


def below(page: str, known: list[str]) -> list[str]:
    """Return the pages that stand below another one."""
    return [one for one in known if one != page for pattern in BELOW.get(page, ()) if Path(one).match(pattern)]


def entrances(root: Path = ROOT) -> dict[str, list[str]]:
    """Return the navigation: the pages below each heading of the home page, a page where it is linked first."""
    known = pages(root)
    seen = {HOME}
    found: dict[str, list[str]] = {}
    _, *parts = _HEADING.split((root / HOME).read_text(encoding="utf-8"))
    for heading, text in zip(parts[::2], parts[1::2], strict=True):
        linked = dict.fromkeys(path for path in targets(HOME, text) if path in known and path not in seen)
        found[heading] = list(linked)
        seen |= linked.keys()
    return found


def place(page: str) -> str:
    """Return where a page stands in the site: pages of docs at the top, all others as in the repository."""
    if page == HOME:
        return "index.md"
    if page == "README.md":
        return "overview.md"
    return page.removeprefix("docs/")


@dataclass(frozen=True)
class Moved:
    """A page's text for the site, and the files of the repository that it shows or offers."""

    text: str
    files: frozenset[str]


def moved(page: str, text: str, known: list[str], root: Path = ROOT) -> Moved:
    """Return a page with its links as they are in the site.

    A link to a file that is no page offers the file, which comes along. The words of a link to a folder, or to
    something that a source archive lacks, stay without the link.
    """
    folder = Path(place(page)).parent
    files: set[str] = set()

    def led(match: re.Match[str]) -> str:
        image, words, target = match.groups()
        path, _, anchor = target.partition("#")
        if not path or "://" in target:
            return match[0]
        path = _resolved(page, path)
        if path in known:
            there = place(path)
        elif (root / path).is_file() and not path.endswith(".md"):
            files.add(path)
            there = f"files/{path}"
        else:
            return words
        return f"{image}[{words}]({os.path.relpath(there, folder)}{'#' + anchor if anchor else ''})"

    parts = _FENCE.split(text)
    parts[::2] = [_LINK.sub(led, part) for part in parts[::2]]
    return Moved("".join(parts), frozenset(files))


def contents(caption: str, entries: list[str]) -> str:
    """Return a table of contents that the page itself does not show: the navigation beside it does."""
    head = ["", "```{toctree}", ":hidden:", f":caption: {caption}", ""]
    return "\n".join([*head, *entries, "```", ""])


def _resolved(page: str, path: str) -> str:
    return os.path.normpath(Path(page).parent / path)


def write(out: Path, generated: dict[str, list[str]], root: Path = ROOT) -> None:
    """Write the sources of the site into an empty folder.

    `generated` names pages that others write there, by the heading of the home page that they follow.
    """
    known = pages(root)
    navigation = entrances(root)
    inner = {one for page in known for one in below(page, known)}
    offered: set[str] = set()
    for page in known:
        found = moved(page, (root / page).read_text(encoding="utf-8"), known, root)
        offered |= found.files
        text = found.text
        if page == HOME:
            for heading, linked in navigation.items():
                text += contents(heading, [f"/{place(one)}" for one in linked] + generated.get(heading, []))
        elif page in inner:
            text = ORPHAN + text
        path = out / place(page)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    for name in sorted(offered):
        path = out / "files" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes((root / name).read_bytes())
