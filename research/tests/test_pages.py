"""The research pages show the kept results, and lead to each other."""

import re

from bench import kept, pages
from research.catalogue import RESEARCH, SUITES
from tests.support import ROOT


def test_the_pages_show_the_kept_results():
    """Every table is the one that the kept results give: `python -m research --render` changes nothing."""
    made = pages.blocks(RESEARCH, kept.load_all(SUITES, RESEARCH.results))
    assert {*RESEARCH.pages.glob("*.md"), pages.OVERVIEW} == made.keys()
    for path, blocks in made.items():
        text = path.read_text(encoding="utf-8")
        assert pages.render(blocks, text, path.name) == text


def test_results_are_of_the_suites():
    """Nothing is kept of a suite that there is no more."""
    assert {path.stem for path in RESEARCH.results.glob("*.json")} <= SUITES.keys()


def test_the_figures_of_the_pages_are_there():
    """The figures of every suite with results are kept, and the suite's page shows each; no other SVG is kept."""
    shown = set()
    for name, suite in SUITES.items():
        page = (RESEARCH.pages / f"{suite.page}.md").read_text(encoding="utf-8")
        for figure in suite.figures if kept.is_kept(name, RESEARCH.results) else ():
            assert f"(figures/{figure}.svg)" in page
            shown.add(f"{figure}.svg")
    assert {path.name for path in RESEARCH.figures.iterdir()} == shown


def test_every_page_says_how_to_measure_again():
    """Each suite's command is on its page."""
    for name, suite in SUITES.items():
        page = (RESEARCH.pages / f"{suite.page}.md").read_text(encoding="utf-8")
        assert f"python -m research {name}" in page


def test_the_readme_leads_to_every_page():
    """The folder's own page links each page with tables, and the overview of the benchmarks links the folder's."""
    text = (ROOT / "research" / "README.md").read_text(encoding="utf-8")
    assert set(re.findall(r"\(pages/([a-z-]+)\.md\)", text)) == {suite.page for suite in SUITES.values()}
    assert "(../research/README.md)" in pages.OVERVIEW.read_text(encoding="utf-8")
