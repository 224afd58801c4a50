"""The benchmark pages show the kept results, and these are of the circuits as they are."""

import json
import re

import pytest

from bench import kept, pages
from bench.harness import BenchError
from bench.paper.cases import PAPER
from bench.seeded import spec_of
from bench.suites import PRODUCT, SUITES
from equiproof.circuits.shape import traversal_shape
from equiproof.ffi import backend


def test_the_pages_show_the_kept_results():
    """Every table is the one that the kept results give: `python -m bench --render` changes nothing."""
    made = pages.blocks(PRODUCT, kept.load_all(SUITES))
    assert {*PRODUCT.pages.glob("*.md"), pages.OVERVIEW} == made.keys()
    for path, blocks in made.items():
        text = path.read_text(encoding="utf-8")
        assert pages.render(blocks, text, path.name) == text


def test_the_figures_of_the_pages_are_there():
    """The figures of every suite with results are kept, and the suite's page shows each; no other SVG is kept."""
    shown = set()
    for name, suite in SUITES.items():
        page = (PRODUCT.pages / f"{suite.page}.md").read_text(encoding="utf-8")
        for figure in suite.figures if kept.is_kept(name) else ():
            assert f"(../figures/{figure}.svg)" in page
            shown.add(f"{figure}.svg")
    assert {path.name for path in PRODUCT.figures.glob("*.svg")} == shown


def test_the_headlines_fit_a_screen_and_lead_to_every_page():
    """The overview is short, and links each page with tables."""
    text = pages.OVERVIEW.read_text(encoding="utf-8")
    assert text.count("\n") <= 65
    linked = set(re.findall(r"\(benchmarks/([a-z-]+)\.md\)", text))
    assert linked == {suite.page for suite in SUITES.values()}


def test_every_page_says_how_to_measure_again():
    """Each suite's command is on its page."""
    for name, suite in SUITES.items():
        assert f"python -m bench {name}" in (PRODUCT.pages / f"{suite.page}.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("case", PAPER, ids=lambda case: case.name)
def test_kept_costs_are_of_the_circuits_as_they_are(case):
    """A change of a circuit shows: the kept constraint counts of the paper's models are those of today's library."""
    for one in kept.load("paper")["results"]:
        if one["case"] == case.name:
            shape = traversal_shape(spec_of(one["plain_columns"], one["slices"]), case.hidden, one["capacity"])
            assert backend.describe(shape.document).constraints == one["constraints"]


def test_marks_and_blocks_must_match():
    """A mark without a block, or a block without a mark, is refused: nothing of the page grows stale in silence."""
    page = "text\n<!-- bench: one -->\nold\n<!-- /bench -->\nmore\n"
    assert (
        pages.render({"one": "| new |"}, page, "page.md")
        == "text\n<!-- bench: one -->\n\n| new |\n\n<!-- /bench -->\nmore\n"
    )
    for made in ({}, {"two": ""}, {"one": "", "two": ""}):
        with pytest.raises(BenchError, match=r"page\.md: marks \['one'\] and blocks"):
            pages.render(made, page, "page.md")


def test_results_are_kept_as_they_are(tmp_path):
    """What is kept reads back the same, with lists of numbers on one line."""
    results = {"suite": "x", "results": [{"case": "a, b", "prove_s_all": [0.25, -1, 3e-05], "none": []}]}
    kept.keep("x", results, tmp_path)
    assert kept.load("x", tmp_path) == json.loads(json.dumps(results))
    assert "[0.25, -1, 3e-05]" in (tmp_path / "x.json").read_text()
