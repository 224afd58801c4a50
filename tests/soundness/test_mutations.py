"""The list of mutations belongs to today's circuit, its published score to today's list; `make mutations` runs it."""

import re

import pytest

from equiproof.circuits.rules import RULES
from scripts import mutate_circuits
from tests.support import ROOT

LIST = mutate_circuits.mutations()
ROWS = re.findall(r"^\| (R-[\w-]+) \| (.+) \| (.+) \|$", (ROOT / "docs" / "mutations.md").read_text(), re.MULTILINE)


@pytest.mark.parametrize("mutation", LIST, ids=lambda mutation: mutation.name)
def test_every_edit_has_its_place(mutation):
    """The text that a mutation takes out stands in the sources exactly once, so that the mutation is what it says."""
    for name, old, new in mutation.edits:
        assert (ROOT / "go-gnark" / name).read_text().count(old) == 1, (name, old)
        assert old != new


def test_every_rule_is_mutated():
    """Each rule of the relation loses a constraint in at least one mutation, and mutations name no other rule."""
    assert {mutation.rule for mutation in LIST} == set(RULES)


def test_names_are_distinct():
    """A name stands for one mutation."""
    assert len({mutation.name for mutation in LIST}) == len(LIST)


def test_the_published_score_is_of_this_list():
    """docs/mutations.md has a row for each mutation, and survivors are those with an argument."""
    assert [(rule, name) for rule, name, _ in ROWS] == [(mutation.rule, mutation.name) for mutation in LIST]
    argued = {mutation.name for mutation in LIST if mutation.argued}
    assert {name for _, name, test in ROWS if test == "survives"} <= argued


def test_tests_that_notice_exist():
    """The tests that the page names as the first to fail are there."""
    sources = "\n".join(path.read_text() for path in (ROOT / "go-gnark").rglob("*_test.go"))
    for _, name, test in ROWS:
        if test != "survives":
            function = test.strip("`").partition("/")[0]
            assert f"func {function}(" in sources, (name, test)
