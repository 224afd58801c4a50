"""Plots: every number has its place, every place its number, and what is left out is said."""

import random

import pytest

from equiproof.audits.html import charts
from equiproof.audits.intervals import share
from equiproof.audits.records import Finding
from tests.audits.html import sample
from tests.support import LOANS, changed


@pytest.fixture(scope="module")
def context():
    """A small model with rows."""
    return sample.context_of(LOANS, sample.rows_of(LOANS, 20))


def report_of(context, **fields):
    """Return a report of findings or estimates alone."""
    return changed(sample.parts(context), **({"findings": (), "estimates": ()} | fields))


def test_ticks_are_round_and_enclose():
    """Even steps whose labels differ, the ends included; a single value gets room on both sides."""
    rng = random.Random(4)
    for _ in range(300):
        low = rng.uniform(-1, 1) * 10.0 ** rng.randint(-6, 6)
        high = low + rng.random() * 10.0 ** rng.randint(-6, 6)
        found = charts.ticks(low, high)
        step = found[1] - found[0]
        assert found[0] <= low + 1e-6 * step
        assert found[-1] >= high - 1e-6 * step
        assert 2 <= len(found) <= 12
        assert len(set(charts.labels(found))) == len(found)
    assert charts.ticks(3.0, 3.0)[0] < 3 < charts.ticks(3.0, 3.0)[-1]


def test_intervals_hold_their_values(context):
    """Each estimate has a mark inside the drawing, its value between its ends; one that stands alone has no plot."""
    report = report_of(context, estimates=tuple(sample.shares(context, [True, False] * 10)))
    plots = charts.estimates(report)
    assert [plot.title for plot in plots] == ["share of granted"]
    for plot in plots:
        assert len(plot.numbers) == len(plot.marks)
        for mark in plot.marks:
            assert 0 < mark.start <= mark.at <= mark.end < plot.width
            assert 0 < mark.y < plot.height


def test_of_many_groups_the_first_are_drawn_and_the_rest_is_said(context):
    """A plot of hundreds of groups stays readable, and says that it does not show all."""
    many = tuple(share("m", 5, 100, group=(("age", str(number)),)) for number in range(charts.GROUPS + 3))
    (plot,) = charts.estimates(report_of(context, estimates=many))
    assert len(plot.marks) == len(plot.numbers) == charts.GROUPS
    assert f"m for {charts.GROUPS + 3} groups" in plot.description
    assert f"The first {charts.GROUPS} are drawn" in plot.description


def test_a_label_without_room_for_its_values_drops_the_names(context):
    """Groups of several features whose names are long are distinguished by their values; the table has both."""
    groups = [(("personal_status_and_sex", "A92"), ("foreign_worker", value)) for value in ("A201", "A202")]
    made = tuple(share("m", 5, n, group=group) for n, group in zip((100, 10), groups, strict=True))
    (plot,) = charts.estimates(report_of(context, estimates=(*made, share("m", 1, 50, group=(("sex", "f"),)))))
    assert [mark.label for mark in plot.marks] == ["A92, A201", "A92, A202 (small group)", "sex = f"]
    assert plot.numbers[0][0] == "personal_status_and_sex = A92, foreign_worker = A201"


def test_small_groups_look_different_and_say_so(context):
    """A group of too few rows has a label that says it, and another kind of mark."""
    estimates = (share("m", 5, 10, group=(("sex", "f"),)), share("m", 50, 100, group=(("sex", "m"),)))
    (plot,) = charts.estimates(report_of(context, estimates=estimates))
    assert [mark.kind for mark in plot.marks] == ["small", "estimate"]
    assert [mark.label for mark in plot.marks] == ["sex = f (small group)", "sex = m"]


def test_bounds_stand_in_order_and_open_ends_have_arrows(context):
    """Findings stand by their lower ends; where an end is unknown, an arrow points to where it may be."""
    report = sample.parts(context)
    plot = charts.bounds(report)
    assert [row[0] for row in plot.numbers] == ["part 2", "part 1", "part 3"]
    assert [(mark.kind, mark.toward) for mark in plot.marks] == [("undecided", 1), ("fair", -1), ("unfair", 0)]
    assert plot.marks[2].start < plot.marks[2].end


def test_of_many_findings_an_even_choice_is_drawn_and_said(context):
    """First and last of many are drawn, and the description states how many of how many."""
    many = tuple(Finding(subject=f"p{n}", verdict="fair", lower=n, upper=n + 0.5) for n in range(2000))
    plot = charts.bounds(report_of(context, findings=many))
    assert len(plot.marks) == charts.MAX_FINDINGS
    assert f"{charts.MAX_FINDINGS} of 2000, evenly spaced" in plot.description
    assert plot.numbers[0][0] == "p0"
    assert max(mark.end for mark in plot.marks) > max(mark.start for mark in plot.marks)


def test_one_bound_alone_is_no_plot(context):
    """With fewer than two known ends there is nothing to compare."""
    assert charts.bounds(report_of(context, findings=(Finding(subject="a", verdict="fair", lower=1.0),))) is None
    assert charts.bounds(report_of(context)) is None


def test_the_histogram_counts_every_applicant(context):
    """The bars, in words and as a table, add up to the results' verdicts; heights are in proportion."""
    results = sample.results_of(context)
    plot = charts.radii(results)
    counts = dict(plot.numbers)
    assert int(counts.pop("unfair")) == len(results.having("unfair"))
    assert int(counts.pop("undecided")) == len(results.having("undecided"))
    assert sum(map(int, counts.values())) == len(results.having("fair")) > 0
    heights = {bar.label: bar.height for bar in plot.bars if bar.kind == "fair"}
    unit = {round(height / int(label.split(": ")[1].split()[0]), 2) for label, height in heights.items()}
    assert max(unit) - min(unit) < 0.02
    assert all(bar.x >= 0 and bar.x + bar.width <= plot.width and bar.y >= 0 for bar in plot.bars)


def test_a_histogram_of_nobody_is_drawn(context):
    """Without applicants, and without a fair one, there is a plot with no bar that counts."""
    results = sample.results_of(context)
    for points in ((), results.having("unfair")):
        plot = charts.radii(changed(results, points=points))
        assert [bar.kind for bar in plot.bars] == ["unfair", "undecided"]


def test_radii_are_compared_between_groups(context):
    """Each group has its quartiles and its fair members; without the rows' sensitive values nobody is in a group."""
    results = sample.results_of(context)
    plot = charts.radii_by_group(results, context.rows)
    named = {line[0]: line[1] for line in plot.numbers}
    assert sum(int(text.split()[0]) for text in named.values()) == len(results.having("fair"))
    assert sum(int(text.split()[2]) for text in named.values()) == len(results)
    for mark in plot.marks:
        assert mark.at is None or mark.start <= mark.at <= mark.end
    bare = [{name: row[name] for name in ("income",)} for row in context.rows]
    assert charts.radii_by_group(results, bare) is None
    assert charts.radii_by_group(results, context.rows[:1]) is None
    assert charts.radii_by_group(changed(results, points=results.having("unfair")), context.rows) is None
