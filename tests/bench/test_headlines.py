"""What the README and the product's pages quote is in one file, which is made of the kept results."""

import importlib
import re

import pytest

from bench import headlines, kept
from bench.suites import PRODUCT, SUITES
from tests.support import ROOT

RESEARCH = ROOT / "research"
"""A source archive has none."""

QUOTED = [(name, page) for name, entry in headlines.read().items() for page in entry["pages"] if "text" in entry]


def words(text):
    """Return a text as one line."""
    return re.sub(r"\s+", " ", text)


@pytest.mark.parametrize(("name", "page"), QUOTED)
def test_pages_quote_the_file(name, page):
    """The text of an entry stands on every page that the entry names."""
    assert headlines.read()[name]["text"] in words((ROOT / page).read_text(encoding="utf-8"))


def test_the_file_is_of_the_products_results():
    """What is made of the kept results is what the file has."""
    made = PRODUCT.headlines(kept.load_all(SUITES))
    assert made
    assert {name: headlines.read().get(name) for name in made} == made


@pytest.mark.skipif(not RESEARCH.is_dir(), reason="a source archive has no research")
def test_the_file_is_of_the_research_results():
    """What the product quotes of the research is what its results say; nobody else has entries."""
    file = headlines.read()
    others = file.keys() - PRODUCT.headlines(kept.load_all(SUITES)).keys()
    wanted = {suite for name in others for suite in file[name]["suites"]}
    made = importlib.import_module("research.headlines").made(kept.load_all(wanted, RESEARCH / "results"))
    assert made == {name: file[name] for name in others}


def test_the_readme_states_no_other_figure():
    """Each figure of the section on costs is one of the quoted texts, or says what was measured."""
    costs = words(
        (ROOT / "README.md").read_text(encoding="utf-8").partition("## What it costs")[2].partition("\n## ")[0]
    )
    for name, page in QUOTED:
        if page == "README.md":
            costs = costs.replace(headlines.read()[name]["text"], "")
    assert not re.findall(r"\d[\d.,]* ?(?:s|ms|MB|GB|bytes)\b", costs)


def test_an_entry_is_kept_beside_the_others(tmp_path, monkeypatch):
    """A collection puts its own entries in place of earlier ones; those of others stay, and read back the same."""
    monkeypatch.setattr(headlines, "FILE", tmp_path / "headlines.json")
    (tmp_path / "headlines.json").write_text("{}")
    table = {"suites": ["a"], "pages": [headlines.OVERVIEW], "head": ["x"], "rows": [["1"], ["[2]"]]}
    text = {"suites": ["b"], "pages": ["README.md"], "text": "2 ms"}
    headlines.keep({"one": text, "two": table})
    headlines.keep({"one": text | {"text": "3 ms"}})
    assert headlines.read() == {"one": text | {"text": "3 ms"}, "two": table}
    assert headlines.blocks(headlines.read()) == {"headline-two": "| x |\n|---|\n| 1 |\n| [2] |"}
