"""Every line of the tables of scheme `trees`, a rule and what passes without it, is broken by lies that are refused.

That they are is the other tests' business: each lie of both registers is tried there.
"""

import re
import tomllib
from pathlib import Path

import pytest

from equiproof.circuits.rules import TREES_RULES
from tests.support import ROOT
from tests.vectors.generate import additive, trees

LINES = tomllib.loads(Path(__file__).with_name("lines.toml").read_text(encoding="utf-8"))
PAGES = ("relation-trees", "relation-ensembles")
REGISTERS = {"lies": additive.LIES, "ensembles": trees.LIES}
SHOWN_BY = {"R-T-CHARGE": "R-T-CLOSE", "R-T-RESOLVE": "R-T-NODE", "R-T-CLOSE": "R-RANGE"}
"""The rule that refuses some lies about a line of another one: closing sums, nodes' children, and widths of lambda."""


def table(page):
    """Return (rule, requires) of every line of a page's tables."""
    text = (ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8")
    return re.findall(r"^\| (R-T-[A-Z]+) \| (.+?) \| .+ \|$", text, re.MULTILINE)


@pytest.mark.parametrize("page", PAGES)
def test_every_line_has_its_lies(page):
    """The list has the lines of the page, one for one and in their order."""
    lines, listed = table(page), LINES[page]
    assert [rule for rule, _ in lines] == [line["rule"] for line in listed]
    for (_, requires), line in zip(lines, listed, strict=True):
        assert requires.startswith(line["requires"])


@pytest.mark.parametrize("page", PAGES)
def test_lies_of_a_line_break_its_rule(page):
    """Each line has a lie, for every relation that it holds in; lies exist, and are refused by the line's rule."""
    for line in LINES[page]:
        own = page == "relation-trees"
        assert own == ("lies" in line), line
        assert ("ensembles" in line) != (own and line["rule"] == "R-T-SLICES"), line
        for register, known in REGISTERS.items():
            assert line.get(register, True), line
            for name in line.get(register, ()):
                assert known[name][0] in (line["rule"], SHOWN_BY.get(line["rule"])), name


@pytest.mark.parametrize("register", REGISTERS)
def test_every_lie_is_of_a_line(register):
    """No lie about a rule of the scheme is left out."""
    listed = {name for page in PAGES for line in LINES[page] for name in line.get(register, ())}
    others = {name for name, (rule, *_) in REGISTERS[register].items() if not rule.startswith("R-T-")}
    assert set(REGISTERS[register]) - others <= listed <= set(REGISTERS[register])
    assert set(TREES_RULES) >= {rule for rule, _ in table("relation-trees")}
