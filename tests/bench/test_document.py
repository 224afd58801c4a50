"""The page of benchmarks shows the kept results, and these are of the circuits as they are."""

import json

import pytest

from bench import document
from bench.harness import BenchError
from bench.paper.cases import PAPER
from bench.seeded import spec_of
from bench.suites import SUITES, blocks
from circuits.shape import traversal_shape
from ffi import backend


def test_the_page_shows_the_kept_results():
    """Every table of the page is what the kept results make of it: `python -m bench --render` changes nothing."""
    kept = {suite: document.load(suite) if document.is_kept(suite) else None for suite in SUITES}
    made = {name: text for suite, results in kept.items() for name, text in blocks(suite, results).items()}
    page = document.PAGE.read_text(encoding="utf-8")
    assert document.render(made, page) == page


def test_the_figures_of_the_page_are_there():
    """The figures of every suite with results are kept beside the page, which shows each of them."""
    page = document.PAGE.read_text(encoding="utf-8")
    for name, suite in SUITES.items():
        for figure in suite.figures if document.is_kept(name) else ():
            assert (document.FIGURES / f"{figure}.svg").is_file()
            assert f"(figures/{figure}.svg)" in page


@pytest.mark.parametrize("case", PAPER, ids=lambda case: case.name)
def test_kept_costs_are_of_the_circuits_as_they_are(case):
    """A change of a circuit shows: the kept constraint counts of the paper's models are those of today's library."""
    for kept in document.load("paper")["results"]:
        if kept["case"] == case.name:
            shape = traversal_shape(spec_of(kept["plain_columns"], kept["slices"]), case.hidden, kept["capacity"])
            assert backend.describe(shape.document).constraints == kept["constraints"]


def test_marks_and_blocks_must_match():
    """A mark without a block, or a block without a mark, is refused: nothing of the page grows stale in silence."""
    page = "text\n<!-- bench: one -->\nold\n<!-- /bench -->\nmore\n"
    assert (
        document.render({"one": "| new |"}, page) == "text\n<!-- bench: one -->\n\n| new |\n\n<!-- /bench -->\nmore\n"
    )
    for made in ({}, {"two": ""}, {"one": "", "two": ""}):
        with pytest.raises(BenchError, match=r"marks \['one'\] and blocks"):
            document.render(made, page)


def test_results_are_kept_as_they_are(tmp_path, monkeypatch):
    """What is kept reads back the same, with lists of numbers on one line."""
    monkeypatch.setattr(document, "RESULTS", tmp_path)
    results = {"suite": "x", "results": [{"case": "a, b", "prove_s_all": [0.25, -1, 3e-05], "none": []}]}
    document.keep("x", results)
    assert document.load("x") == json.loads(json.dumps(results))
    assert "[0.25, -1, 3e-05]" in (tmp_path / "x.json").read_text()
