"""A report as table, summary and picture says what the report says."""

import pytest

from equiproof.audits.presentation import in_words
from equiproof.audits.records import Estimate, Finding, Table
from tests.audits.made import report


def test_the_summary_has_outcome_counts_estimates_and_notes():
    """What was found in words, each verdict with its number, estimates by measure, tables, notes, line by line."""
    assert report().summary().splitlines() == [
        "made: loans: cases found",
        "  People are treated otherwise because of sex, and of what the audit lets vary",
        "    with it: 1 of 3 cases (33.3 %), each with an example that was computed",
        "    again, exactly.",
        "  fair       1 of 3 cases",
        "  unfair     1 of 3 cases",
        "  undecided  1 of 3 cases",
        "  rate       50.0 %  (10.0 to 90.0 %)  n = 40",
        "    sex = f  25.0 %  (0 to 100 %)      n = 4, small",
        "    sex = m       –                    n = 0",
        "  intervals: shares of rows by Wilson at 95 %",
        "  counts",
        "    group  n",
        "    f      4",
        "    m      –",
        "  - a note",
    ]


def test_the_summary_of_a_measurement_judges_nothing():
    """An audit that does not judge says that it measures, and calls nobody unfair; a reason is said."""
    said = report(verdict=None).summary()
    assert said.splitlines()[:2] == [
        "made: loans: measures only",
        "  It measures, and judges nothing. Shown for 1 of 3 cases (33.3 %).",
    ]
    assert "unfair" not in said
    assert "  shown      1 of 3 cases" in said
    assert "Not known for the model as a whole: 100 nodes." in report(verdict="undecided", reason="100 nodes").summary()


def test_a_long_summary_leaves_small_groups_to_the_report():
    """Of more than thirty estimates those of small groups are counted; those of all and of large groups are listed."""
    made = [
        Estimate(measure=f"m{place}", value=0.5, lower=0.4, upper=0.6, n=n, method="Wilson", group=group)
        for place, (n, group) in enumerate([(5, ()), (500, (("sex", "f"),)), *[(29, (("sex", "m"),))] * 29])
    ]
    said = report(estimates=tuple(made)).summary()
    assert "  m0" in said
    assert "  m1\n    sex = f" in said
    assert "m2" not in said
    assert "  and 29 estimates of groups of fewer than 30 rows, listed in the report" in said
    assert "  m2\n    sex = m" in report(estimates=tuple(made[:30])).summary()


def test_tables_of_any_width_are_in_the_summary():
    """A table of ten columns is beside its heads where there is room, and below each other where there is not."""
    names = tuple(f"column number {place}" for place in range(10))
    wide = report(tables=(Table("wide", names, (tuple(range(10)),)),))
    assert "    column number 0: 0\n      column number 1: 1\n" in wide.summary(60)
    assert all(len(line) <= 60 for line in wide.summary(60).splitlines())
    lines = wide.summary(200).splitlines()
    head = next(line for line in lines if "column number 9" in line)
    assert head.split("  ")[2:4] == ["column number 0", "column number 1"]
    assert lines[lines.index(head) + 1].split() == [str(place) for place in range(10)]


def test_of_a_long_table_the_rest_is_counted():
    """The first twelve rows are shown; the others are left to the report, which says how many."""
    long = Table("many", ("n",), tuple((1000 + number,) for number in range(15)))
    said = report(tables=(long,)).summary()
    assert "1,011" in said
    assert "1,012" not in said
    assert "    and 3 more rows in the report" in said


def test_an_empty_table_says_so():
    """A table without rows is not a line of heads that leads nowhere."""
    said = report(tables=(Table("none", ("a", "b"), ()),)).summary()
    assert "  none\n    no row: the audit found nothing to list here" in said


def test_the_table_has_a_line_per_finding():
    """Columns of the frame, then the audit's own; a finding without a row has none."""
    table = report().to_frame()
    assert list(table.columns) == [
        "subject", "row", "group", "verdict", "lower", "upper", "reason", "seconds", "steps", "note",
    ]  # fmt: skip
    assert table["row"].isna().tolist() == [False, False, True]
    assert table["group"].tolist() == ["sex = f", "sex = m", ""]
    assert table["lower"].tolist()[0] == 0.25


def test_the_table_of_nothing_has_its_columns():
    """Without findings, the table is empty and has the same columns."""
    table = report(verdict=None, findings=()).to_frame()
    assert len(table) == 0
    assert {"verdict", "lower", "upper"} <= set(table.columns)


def test_estimates_are_drawn_with_their_intervals():
    """Each estimate with a value has a point, each interval a line, and the groups stand at the axis."""
    axes = report().plot().axes[0]
    assert [text.get_text() for text in axes.get_yticklabels()] == ["rate", "rate, sex = f"]
    assert len(axes.collections) == 2
    assert axes.get_title() == "made: loans"


def test_of_many_estimates_the_picture_says_what_it_leaves_out():
    """The first ones are drawn, the number of the others stands below."""
    many = tuple(Estimate(measure=f"m{n}", value=0.5, n=40, method="exact") for n in range(15))
    assert report(estimates=many).plot().axes[0].get_xlabel().endswith("3 more in the table")


def test_bounds_are_drawn_where_nothing_is_estimated():
    """Findings with a bound are drawn in their order, into axes of one's own where these are given."""
    figure_module = pytest.importorskip("matplotlib.figure")
    axes = figure_module.Figure().subplots()
    figure = report(estimates=()).plot(axes)
    assert figure is axes.get_figure()
    assert len(axes.lines) == 2
    assert axes.get_xlabel() == "distance in grid units"


def test_an_upper_bound_alone_is_drawn():
    """An open lower end is no end."""
    one = Finding(subject="row 1", verdict="fair", upper=0.0)
    assert len(report(verdict=None, findings=(one,), estimates=()).plot().axes[0].lines) == 1


def test_groups_are_written_in_words():
    """Features and values as people write them."""
    assert in_words((("sex", "f"), ("age", "25"))) == "sex = f, age = 25"
    assert in_words(()) == ""
