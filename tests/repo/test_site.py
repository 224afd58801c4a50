"""The documentation site: every page is reached, every link is led on, and a page that asks elsewhere is found."""

from __future__ import annotations

from pathlib import Path

import pytest

from equiproof.circuits.tables import read
from equiproof.cli.main import _commands
from scripts.site import built, pages, reference
from tests.support import ROOT

ENTRANCES = [
    "Applicants",
    "Lenders",
    "Relying parties and regulators",
    "Auditors",
    "Developers",
    "Researchers",
]


def test_the_navigation_names_every_page() -> None:
    """Each page stands below one reader's entrance, or below a page that does; the home page names no other."""
    known = pages.pages()
    entrances = pages.entrances()
    assert list(entrances) == ENTRANCES
    linked = [page for below in entrances.values() for page in below]
    inner = [page for parent in linked for page in pages.below(parent, known)]
    assert sorted([pages.HOME, *linked, *inner]) == known
    assert len({pages.place(page) for page in known}) == len(known)
    assert {"README.md", "docs/guide.md", "docs/adr/0001-one-statement-digest.md"} <= set(known)


def test_pages_below_others_are_reached_from_them() -> None:
    """A page that is not in the navigation is linked from the page that it stands below, or from one beside it."""
    known = pages.pages()
    for parent, patterns in pages.BELOW.items():
        if parent.startswith("research") and not (ROOT / "research").is_dir():
            continue  # a source archive
        below = pages.below(parent, known)
        assert below, patterns
        reached, new = set(), [parent]
        while new:
            page = new.pop()
            linked = set(pages.targets(page, (ROOT / page).read_text(encoding="utf-8"))) & set(below) - reached
            reached |= linked
            new += linked
        assert reached == set(below), parent


def test_links_are_led_on(tmp_path: Path) -> None:
    """Links to pages follow them, files come along, and links to folders or missing things become plain words."""
    for name in ("README.md", "docs/README.md", "docs/guide.md", "docs/adr/one.md", "src/code.py", "docs/one.svg"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"# {name}\n")
    text = (
        "[a](../guide.md#two) [b](../../README.md) [c](../../src/code.py) [d](../../src) [e](../../gone.md)\n"
        "[f](https://example.org/x.md) [g](#here) ![h](../one.svg) [i [nested]\nlines](../README.md)\n"
        "```sh\n[a](../guide.md)\n```\n"
    )
    found = pages.moved("docs/adr/one.md", text, pages.pages(tmp_path), tmp_path)
    assert found.text == (
        "[a](../guide.md#two) [b](../overview.md) [c](../files/src/code.py) d e\n"
        "[f](https://example.org/x.md) [g](#here) ![h](../files/docs/one.svg) [i [nested]\nlines](../index.md)\n"
        "```sh\n[a](../guide.md)\n```\n"
    )
    assert found.files == {"src/code.py", "docs/one.svg"}


def test_the_reference_has_every_option() -> None:
    """Each command's section has its usage, and a row for each argument and option that the command shows."""
    tree = _commands()
    for first, one in tree.commands.items():
        text = reference.command(("equiproof", first), one)
        for words, command in leaves((first,), one):
            section = text.partition(f"# equiproof {' '.join(words)}\n")[2].partition("\n#")[0]
            shown = [each for each in command.params if not getattr(each, "hidden", False)]
            assert section.count("\n| `") == len(shown), words
            for each in shown:
                name = each.opts[0] if each.param_type_name == "option" else each.human_readable_name.upper()
                assert f"| `{name}" in section, words


def leaves(words: tuple[str, ...], one: object) -> list[tuple[tuple[str, ...], object]]:
    """The commands at and below one, with their words."""
    below = getattr(one, "commands", None)
    if below is None:
        return [(words, one)]
    return [leaf for name, inner in below.items() for leaf in leaves((*words, name), inner)]


def test_the_reference_explains_every_reason_and_has_every_message() -> None:
    """Each reason has a row with words, and each message of the tables one with both languages."""
    rows = {line.split("|")[1].strip(" `"): line for line in reference.reasons().splitlines() if line.startswith("| `")}
    assert rows.keys() == read("reasons")["reasons"].keys()
    assert [name for name, row in rows.items() if not row.split("|")[2].strip()] == []
    messages = reference.messages()
    assert [name for name in read("messages")["en"] if f"| `{name}` |" not in messages] == []
    assert "| `word.and` | and | und |" in messages


def test_the_reference_has_every_public_name() -> None:
    """The names of the package and of its rooms are described, and those of rooms that examples import."""
    exported = reference.exported()
    assert "Verifier" in exported["equiproof"]
    assert "LogTerms" in exported["equiproof.verifier"]
    assert exported["equiproof.circuits.shape"] == ["branch_shape"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.html", '<script src="https://cdn.example/x.js"></script>'),
        ("a.html", '<link rel="stylesheet" href="//cdn.example/x.css">'),
        ("a.html", '<img srcset="own.png 1x, https://cdn.example/x.png 2x">'),
        ("a.html", "<style>@import 'https://cdn.example/x.css'</style>"),
        ("a.html", '<p style="background: url(https://cdn.example/x.png)">x</p>'),
        ("a.html", "<script>fetch('https://cdn.example/x')</script>"),
        ("a.html", '<iframe src="HTTPS://cdn.example"></iframe>'),
        ("a.html", '<meta http-equiv="refresh" content="0; url=https://cdn.example">'),
        ("inner/a.css", "@font-face { src: url('//cdn.example/x.woff2') }"),
        ("a.js", 'const s = document.createElement("script"); s.src = "https://cdn.example/x.js"'),
        ("a.js", "new WebSocket('wss://cdn.example')"),
        ("a.svg", '<svg><image href="https://cdn.example/x.png"/></svg>'),
    ],
)
def test_what_a_page_loads_from_elsewhere_is_found(tmp_path: Path, name: str, text: str) -> None:
    """A built file that asks another machine for something is named, with the address."""
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    (line,) = built.requests(tmp_path)
    assert line.startswith(f"{name}: loads ")
    assert "cdn.example" in line


def test_links_and_own_files_are_no_requests(tmp_path: Path) -> None:
    """A link that a reader clicks, a file of the site and a name of a namespace ask nobody for anything."""
    (tmp_path / "a.html").write_text(
        '<link rel="stylesheet" href="_static/x.css"><a href="https://example.org">x</a><img src="data:image/png;,">'
        '<svg xmlns="http://www.w3.org/2000/svg"></svg><script src="_static/x.js"></script>'
    )
    (tmp_path / "a.js").write_text('// see https://example.org\nfetch("searchindex.js")')
    assert built.requests(tmp_path) == []
