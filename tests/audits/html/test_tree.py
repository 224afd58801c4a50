"""The picture of a decision tree: a line for each node below the one above it, and nothing of a table that is none."""

import pytest

from equiproof.audits.html import render
from equiproof.audits.html.tree import MAX_DEPTH, MAX_NODES, PRINTED_NODES, STEP, picture
from equiproof.audits.hyfair.tables import TREE_CAPTION, TREE_COLUMNS
from equiproof.audits.records import Table
from equiproof.audits.runner import AuditRun
from tests.audits.made import report
from tests.support import changed

ROWS = (
    (1, 0, "all neighbors", 100, 2.5, 0.3, None),
    (2, 1, "income <= 20", 60, 1.5, 0.0, None),
    (3, 2, "age <= 40", 30, 1.0, 0.0, None),
    (4, 2, "age >= 41", 30, 2.0, 0.0, None),
    (5, 1, "income >= 21", 40, 4.0, 0.75, None),
    (6, 2, "purpose is " + "car" * 40, 10, 3.0, 0.5, None),
    (7, 2, "purpose in (house, other)", 30, 4.5, 0.8, 1),
)


def drawn(rows=ROWS, columns=TREE_COLUMNS):
    """Return a report with such a table."""
    return report(audit="hyfair", tables=(Table(TREE_CAPTION, columns, tuple(rows)),))


def test_every_node_stands_below_the_one_that_it_comes_from():
    """Branches without a high k are one node; a rule says its number; long conditions are cut."""
    found = picture(drawn())
    assert [line.where[:20] for line in found.lines] == [
        "all neighbors", "income <= 20", "income >= 21", "purpose is carcarcar", "purpose in (house, o",
    ]  # fmt: skip
    assert [line.kind for line in found.lines] == ["node", "low", "node", "node", "rule"]
    places = [(line.x, line.y) for line in found.lines]
    assert [line.above for line in found.lines] == [None, places[0], places[0], places[2], places[2]]
    assert found.lines[3].x - found.lines[2].x == STEP
    assert found.lines[-1].what == "mean k 4.5 of 30, 80.0 % high, rule 1"
    assert found.lines[3].where.endswith("…")
    assert found.height > found.lines[-1].y
    assert "A tree of 7 nodes with 1 rule" in found.description


@pytest.mark.parametrize(
    "wrong",
    [
        (),
        ((1, 1, "x", 1, 1.0, 0.0, None),),
        ((1, 0, "x", 1, 1.0, 0.0, None), (2, 2, "y", 1, 1.0, 0.0, None)),
        ((1, 0, "x", 1, 1.0, 0.0, None), (2, 0, "y", 1, 1.0, 0.0, None)),
        ((1, 0, "x", 1, 1.0, 1.5, None),),
        ((1, 0, "x", 1, "k", 0.5, None),),
        ((1, 0, 5, 1, 1.0, 0.5, None),),
        ((1, True, "x", 1, 1.0, 0.5, None),),
        ((1, 0, "x", 1, 1.0, 0.5, "rule"),),
        ((1, 0, "x", 1, 1.0, 0.5, None), *((2, 1, "y", 1, 1.0, 0.5, None),) * MAX_NODES),
        tuple((1, depth, "x", 1, 1.0, 0.5, None) for depth in range(MAX_DEPTH + 2)),
    ],
)
def test_what_is_no_tree_is_not_drawn(wrong):
    """A saved report may say anything; its table is shown, and there is no picture."""
    assert picture(drawn(wrong)) is None
    assert picture(drawn(ROWS, (*TREE_COLUMNS[:-1], "other"))) is None


def test_the_page_has_the_picture():
    """With its title and its description, and texts that are escaped."""
    rows = (*ROWS[:-1], (7, 2, "purpose is <b>", 30, 4.5, 0.8, 1))
    own = drawn(rows)
    page = render(AuditRun(model=own.model, reports=(own,)))
    assert f'<figcaption id="audit-1-tree-title">{TREE_CAPTION}</figcaption>' in page
    assert page.count('class="axis branch"') == 4
    assert "purpose is &lt;b&gt;" in page
    without = changed(own, tables=())
    assert 'class="chart tree"' not in render(AuditRun(model=own.model, reports=(without,)))


def test_a_tall_tree_stays_in_the_file():
    """On paper it would take pages; a line in its place says how large it is."""
    for many, on_paper in ((PRINTED_NODES, True), (PRINTED_NODES + 1, False)):
        own = drawn((ROWS[0], *((place, 1, "age <= 40", 30, 4.5, 0.8, None) for place in range(2, many + 1))))
        page = render(AuditRun(model=own.model, reports=(own,)))
        assert page.count('class="axis branch"') == many - 1
        assert ('<div class="charts noprint"><figure' not in "".join(page.split("\n"))) == on_paper
        assert (f"The tree of {many} nodes is in the file." not in page) == on_paper
