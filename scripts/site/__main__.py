"""Build the documentation site: python -m scripts.site --out FOLDER.

FOLDER gets `html`, which any web server can serve, and beside it what Sphinx builds it from. Exits 1 with Sphinx's
warnings where a link leads nowhere, a page is in no table of contents or a docstring cannot be read, and where a page
that was built would ask another machine for something.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path
from typing import Any

from pygments.lexers.special import TextLexer
from sphinx.application import Sphinx
from sphinx.ext.napoleon import GoogleDocstring

from scripts.site import built, pages, reference

SETTINGS = {
    "project": "Equiproof",
    "author": "The Equiproof authors",
    "copyright": "The Equiproof authors, Apache-2.0",
    "extensions": ["myst_parser", "sphinx.ext.autodoc"],
    "exclude_patterns": ["files"],
    "html_theme": "furo",
    "html_title": "Equiproof",
    "html_copy_source": False,
    "html_show_sphinx": False,
    "html_last_updated_fmt": None,
    # Anchors of headings are those that the repository's pages have.
    "myst_heading_anchors": 6,
    "autodoc_member_order": "bysource",
    "autodoc_typehints": "signature",
    "autodoc_preserve_defaults": True,
    "default_role": "literal",
    "smartquotes": False,
    "highlight_language": "none",
    "toc_object_entries": False,
}


def arguments(_: Sphinx, what: str, name: str, value: object, options: Any, lines: list[str]) -> None:
    """Lay out the arguments of a docstring; napoleon alone would take any "word: text" of a property for its type."""
    if "Args:" in lines:
        lines[:] = GoogleDocstring(lines, None, None, what, name, value, options).lines()


def main() -> int:
    """Write the sources, have Sphinx build them, and check what it built."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True)
    out = parser.parse_args().out.resolve()
    source, html = out / "source", out / "html"
    for folder in (source, html):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
    pages.write(source, reference.write(source))
    application = Sphinx(
        source, None, html, out / "doctrees", "html", SETTINGS, status=None, freshenv=True, warningiserror=True,
        parallel=2,
    )  # fmt: skip
    application.add_lexer("mermaid", TextLexer)  # drawn by a script from elsewhere, or shown as text
    application.connect("autodoc-process-docstring", arguments)
    application.build()
    if application.statuscode:
        return 1
    requests = built.requests(html)
    for line in requests:
        sys.stderr.write(f"{line}\n")
    return 1 if requests else 0


if __name__ == "__main__":
    sys.exit(main())
