"""Tables and sentences for terminals: nothing is wider than the terminal, and nothing is lost."""

import random
import re

from equiproof.audits.text import columns, paragraph


def test_a_table_that_fits_is_aligned():
    """Heads stand above their columns, and numbers at the right."""
    assert columns([["a", "5.4 %"], ["bb", "65.8 %"]], 40, ["name", "share"]) == [
        "name   share",
        "a      5.4 %",
        "bb    65.8 %",
    ]


def test_a_table_that_does_not_fit_is_wrapped():
    """The widest column gives way first, and a cell goes on below itself, indented."""
    assert columns([["what is measured here", "5 %"], ["  x", "6 %"]], 18) == [
        "what is     5 %",
        "  measured",
        "  here",
        "  x         6 %",
    ]


def test_a_table_far_too_wide_is_a_list():
    """Each cell has a line of its own beside the name of its column."""
    assert columns([["one", "two", "three"]], 12, ["firstname", "second", "third"]) == [
        "firstname: one",
        "  second: two",
        "  third: three",
    ]


def test_no_line_is_too_wide_and_no_word_is_lost():
    """Random tables at random widths keep all their words."""
    rng = random.Random(7)
    for _ in range(200):
        places = rng.randint(1, 6)
        rows = [[" ".join("w" * rng.randint(1, 9) for _ in range(rng.randint(0, 6))) for _ in range(places)]
                for _ in range(rng.randint(1, 4))]  # fmt: skip
        width = rng.randint(40, 120)
        lines = columns(rows, width)
        assert all(len(line) <= width for line in lines)
        assert sorted(re.findall("w+", "\n".join(lines))) == sorted(re.findall("w+", str(rows)))


def test_no_table_is_no_line():
    """Nothing is nothing."""
    assert columns([], 80) == []


def test_a_paragraph_goes_on_below_itself():
    """Later lines are indented by two more blanks."""
    assert paragraph("one two three", 24, "    ") == ["    one two three"]
    assert paragraph("one two three four five", 24, "    ") == ["    one two three four", "      five"]
