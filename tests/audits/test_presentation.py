"""A report as table, summary and picture says what the report says."""

import pytest

from equiproof.audits.presentation import estimate_text, in_words
from equiproof.audits.records import Estimate, Finding, Table
from tests.audits.made import report


def test_the_summary_has_verdict_counts_and_estimates():
    """Verdict, share of each verdict, estimates with intervals, and notes, line by line."""
    assert report().summary().splitlines() == [
        "made: loans: unfair",
        "  fair       1 (33.3%)",
        "  unfair     1 (33.3%)",
        "  undecided  1 (33.3%)",
        "  rate           0.5 (0.1 to 0.9, n = 40)",
        "  rate, sex = f  0.25 (0 to 1, n = 4, small)",
        "  rate, sex = m  - (n = 0)",
        "  counts",
        "    group  n",
        "    f      4",
        "    m      -",
        "  a note",
    ]


def test_the_summary_of_a_measurement_has_no_verdict():
    """An audit that does not judge says what it measured; a reason has its own line."""
    bare = report(verdict=None, findings=(), estimates=(), tables=(), notes=())
    assert bare.summary() == "made: loans"
    assert report(verdict="undecided", reason="100 nodes").summary().splitlines()[:2] == [
        "made: loans: undecided",
        "  100 nodes",
    ]


def test_a_measurement_is_called_one():
    """An audit that has findings and no verdict of the whole is not taken for one without a result."""
    assert report(verdict=None).summary().splitlines()[0] == "made: loans: measured, without a verdict"


def test_a_long_summary_leaves_small_groups_to_the_report():
    """Of more than thirty estimates those of small groups are counted; those of all and of large groups are listed."""
    made = [
        Estimate(measure=f"m{place}", value=0.5, lower=0.4, upper=0.6, n=n, method="Wilson", group=group)
        for place, (n, group) in enumerate([(5, ()), (500, (("sex", "f"),)), *[(29, (("sex", "m"),))] * 29])
    ]
    said = report(estimates=tuple(made)).summary()
    assert "  m0" in said
    assert "  m1, sex = f" in said
    assert "m2, sex = m" not in said
    assert "  and 29 estimates of groups of fewer than 30 rows, listed in the report" in said
    assert "m2, sex = m" in report(estimates=tuple(made[:30])).summary()


def test_a_long_table_is_left_to_the_report():
    """A table of more than six rows, or more than three columns, is not in the summary."""
    long = Table("many", ("n",), tuple((number,) for number in range(7)))
    wide = Table("many", ("a", "b", "c", "d"), ((1, 2, 3, 4),))
    assert "many" not in report(tables=(long, wide)).summary()


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


def test_an_estimate_is_shown_with_all_that_is_known():
    """Without an interval there is none in the text."""
    assert estimate_text(Estimate(measure="gap", value=1 / 3, n=60, method="exact")) == "0.3333 (n = 60)"


def test_groups_are_written_in_words():
    """Features and values as people write them."""
    assert in_words((("sex", "f"), ("age", "25"))) == "sex = f, age = 25"
    assert in_words(()) == ""
