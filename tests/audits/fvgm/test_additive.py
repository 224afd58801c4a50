"""Influences that add up as the audit reports them: of which groups and features, and where there are none."""

import itertools
import math

import numpy as np
import pytest

from equiproof.audits.brief.one import brief
from equiproof.audits.context import AuditContext
from equiproof.audits.errors import AuditError
from equiproof.audits.fvgm import sections
from equiproof.audits.fvgm.additive import Sizes, added
from equiproof.audits.fvgm.budget import OutOfTimeError
from equiproof.audits.fvgm.coding import coder
from equiproof.audits.fvgm.pipeline import Grouped
from equiproof.audits.fvgm.plugin import GraphicalModel
from equiproof.audits.fvgm.told import REST, SUM, Said, said, steps, table
from equiproof.audits.gaps import PARITY
from equiproof.audits.html import render
from equiproof.audits.html.waterfall import waterfall
from equiproof.audits.report import AuditReport
from equiproof.audits.runner import AuditRun
from tests.audits.fvgm.test_plugin import context as context_of
from tests.audits.made import report as other_report

OPTIONS = {"resamples": "50", "max-parents": "1"}


@pytest.fixture(scope="module")
def found():
    """A report on random applicants."""
    return GraphicalModel().run(context_of(None, 400, **OPTIONS))


def influences(report):
    """The lines of the committed model's influences by their features."""
    (own,) = [
        one
        for one in report.tables
        if one.caption.startswith("What adds up to the statistical parity difference of the c")
    ]
    return {line[0]: line[1:] for line in own.rows}


class Coarse(Grouped):
    """Rows with groups of the feature a, as a prepared model has them."""

    sensitive = ("a",)

    def __init__(self, **columns):
        self.columns = columns
        self.coder = coder(columns, whole=("a",))
        self.coded = self.coder.coded(columns)


def groups_of(*values):
    """Groups of the feature a."""
    return [{"a": value} for value in values]


def drawn(rows=400, seed=0):
    """Rows of two groups with a number, a category, one that never varies, and decisions by both."""
    rng = np.random.default_rng(seed)
    a = np.where(np.arange(rows) % 2, "m", "w").astype(object)
    x = rng.normal(size=rows) + (a == "m")
    kind = rng.choice(["p", "q", "r", "s", "t"], rows, p=[0.4, 0.3, 0.1, 0.1, 0.1]).astype(object)
    same = np.full(rows, "one", dtype=object)
    return Coarse(a=a, x=x, kind=kind, same=same), x + (kind == "p") + 0.5 * rng.normal(size=rows) > 0.8


def test_influences_add_up_to_the_difference_that_was_counted(found):
    """The lines add up to the last one, in each group to its rate, and that is the difference of the metrics' table."""
    lines = influences(found)
    assert {"income", "housing", "income, housing", REST, SUM} == set(lines)
    *parts, total = lines.values()
    for column in (0, 3, 4):
        assert math.fsum(part[column] for part in parts) == pytest.approx(total[column], abs=1e-9)
    assert total[0] == pytest.approx(total[3] - total[4])
    (metrics,) = [one for one in found.tables if one.caption == "Metrics of the committed model"]
    (parity,) = [line for line in metrics.rows if line[0] == PARITY]
    assert total[0] == pytest.approx(100 * parity[1])
    assert total[1] is total[2] is None
    assert all(low < value < high for value, low, high, *_ in parts)
    assert AuditReport.from_json(found.to_json()) == found


def test_parts_that_do_not_add_up_are_refused():
    """A table is made only of parts whose sum was counted."""
    parts = [np.array([0.2, 0.1, 0.05]), np.array([0.1, 0.1, 0.0])]
    errors = np.zeros(3)
    table("model", ["x", "y"], {"a": 0.35, "b": 0.2}, parts, errors)
    with pytest.raises(ValueError, match="parts of the rate of b add up to"):
        table("model", ["x", "y"], {"a": 0.35, "b": 0.21}, parts, errors)
    with pytest.raises(ValueError, match="add up to nan"):
        table("model", ["x", "y"], {"a": 0.35, "b": 0.2}, [parts[0], parts[1] * np.nan], errors)


def test_the_groups_are_those_accepted_most_and_least():
    """Of three groups by their rates among the rows; the one between them is not compared."""
    a = np.array(["w", "m", "d"], dtype=object)[np.arange(600) % 3]
    prepared = Coarse(a=a, x=np.arange(600.0) % 7)
    accepted = np.arange(600) % 10 < np.select([a == "w", a == "m"], [3, 8], 5)
    made = added("model", prepared, accepted, groups_of("w", "d", "m"), (), Sizes(resamples=50))
    assert made.table.columns[-2:] == ("in the rate of a = m", "in the rate of a = w")
    assert made.table.rows[-1][1] == pytest.approx(50)


def test_features_without_variance_are_named():
    """They have no line; the others do, and what a note says of the covered variance is what the rest leaves."""
    prepared, accepted = drawn()
    made = added("model", prepared, accepted, groups_of("m", "w"), (), Sizes(resamples=50))
    assert made.notes[0] == "same: one value among the rows, so no influence on the model"
    assert {line[0] for line in made.table.rows} == {"x", "kind", "x, kind", REST, SUM}
    assert made.table.rows[0][0] == "x"
    alone = Coarse(**{name: prepared.columns[name] for name in ("a", "same")})
    nothing = added("model", alone, accepted, groups_of("m", "w"), (), Sizes())
    assert nothing.table is None
    assert "no feature has two values" in nothing.notes[0]


def test_few_rows_have_smaller_sets_and_fewer_none():
    """Pairs need more rows than single features; what is left out is said, and where nothing is left, how many."""
    sizes = Sizes(resamples=50)
    pairs, single, none = (
        added("model", prepared, accepted, groups_of("m", "w"), (), sizes)
        for prepared, accepted in map(drawn, (180, 178, 98))
    )
    assert len(pairs.table.rows) == 5
    assert len(single.table.rows) == 4
    assert "are of 2 sets of at most 1 features: more need 10 rows for each combination" in single.notes[1]
    assert none.table is None
    (note,) = none.notes
    assert note.endswith("for the model: give more rows: single features need 50 of each group, and one has 49")


def test_named_sets_may_have_more_features():
    """With all their parts, also of features in another order, and of none that has no line."""
    rng = np.random.default_rng(3)
    columns = {name: rng.integers(0, 2, 800).astype(float) for name in "xyz"}
    a = np.where(np.arange(800) % 2, "m", "w").astype(object)
    accepted = (sum(columns.values()) == 2) | (rng.random(800) < 0.1)
    prepared = Coarse(a=a, **columns)
    named = [("y", "x", "z"), ("x", "gone")]
    made = added("model", prepared, accepted, groups_of("m", "w"), named, Sizes(order=1, resamples=50))
    assert {line[0] for line in made.table.rows[:-2]} == {"x", "y", "z", "x, y", "x, z", "y, z", "x, y, z"}
    fewer = added("model", prepared, accepted, groups_of("m", "w"), (), Sizes(order=1, resamples=50))
    assert {line[0] for line in fewer.table.rows[:-2]} == {"x", "y", "z"}


def test_decisions_without_variance_have_no_influences():
    """Where almost everybody of a group is accepted, and where nobody is."""
    prepared, _ = drawn()
    men, rows = prepared.columns["a"] == "m", np.arange(400)
    for refused, why in ((9, "9 rows of a = m are refused; 10 are needed"), (400, "every row is refused")):
        accepted = np.where(men, rows >= 2 * refused, rows % 4 == 0) & (refused < 400)
        made = added("model", prepared, accepted, groups_of("m", "w"), (), Sizes())
        assert made.table is None
        assert why in made.notes[0]
    accepted = np.where(men, rows >= 20, rows % 4 == 0)
    assert added("model", prepared, accepted, groups_of("m", "w"), (), Sizes(resamples=50)).table is not None


def test_what_is_not_stated_stays_apart():
    """Ten bins of a number are merged into two; what is lacking is in neither, and here it alone decides."""
    rng = np.random.default_rng(0)
    a = np.where(np.arange(400) % 2, "m", "w").astype(object)
    x = rng.normal(size=400)
    lacking = rng.random(400) < 0.2
    parts = []
    for stated in (np.where(lacking, np.nan, x), x):
        prepared = Coarse(a=a, x=stated)
        assert len(prepared.coded.values["x"]) == 10 + np.isnan(stated).any()
        made = added("model", prepared, lacking, groups_of("m", "w"), (), Sizes(values=2, resamples=50))
        parts.append({line[0]: line[4] for line in made.table.rows})
    assert parts[0]["x"] == pytest.approx(parts[0][SUM], abs=0.1)
    assert abs(parts[1]["x"]) < 0.1 * parts[1][SUM]


def test_the_picture_is_a_waterfall(found):
    """Each step begins where the last one ended, the rest reaches the difference, and the sum begins at 0."""
    *parts, total = steps(found)
    at = 0.0
    for one in parts:
        assert one.start == pytest.approx(at)
        assert one.kind == ("rest" if one.label == REST else "widens" if one.value >= 0 else "narrows")
        at += one.value
    assert (total.kind, total.start, total.label) == ("sum", 0.0, SUM)
    assert total.value == pytest.approx(at)
    drawn = waterfall(found)
    assert len(drawn.bars) == len(drawn.marks) == len(drawn.numbers) == len(parts) + 1
    scale = drawn.bars[-1].width / total.value
    for one, bar in zip(parts, drawn.bars, strict=False):
        assert bar.width == pytest.approx(abs(one.value) * scale, abs=0.05) or bar.width == 1.0
    ends = [(bar.x, round(bar.x + bar.width, 2)) for bar in drawn.bars]
    for before, after in itertools.pairwise(ends):
        assert min(abs(a - b) for a in before for b in after) <= 1.0
    axes = found.plot().axes[0]
    assert [text.get_text() for text in axes.get_yticklabels()] == [one.label for one in (*parts, total)]
    assert waterfall(other_report()) is None
    assert steps(other_report()) == ()


def test_the_page_draws_the_waterfall(found):
    """Before the plots of estimates, with a bar of each kind that it has and a legend for it."""
    run = AuditRun(model=found.model, reports=(found,))
    page = render(run)
    figure = page[page.index('<figure class="chart">') :]
    figure = figure[: figure.index("</figure>")]
    assert "Influences that add up</figcaption>" in figure
    kinds = {one.kind for one in steps(found)}
    assert {"rest", "sum"} < kinds
    for kind in kinds:
        assert f'<rect class="bar {kind}"' in figure
        assert f'<span class="key {kind}"' in figure
    assert said(found).german in page


def test_of_many_sets_the_picture_adds_up_the_smaller_ones():
    """Eight sets have a step of their own."""
    rng = np.random.default_rng(0)
    parts = [rng.normal(size=13) / 100 for _ in range(2)]
    rates = {name: math.fsum(own) for name, own in zip("ab", parts, strict=True)}
    own = table("committed model", [f"x{n}" for n in range(12)], rates, parts, np.full(13, 0.01))
    made = steps(other_report(tables=(own,)))
    assert len(made) == 11
    assert made[8].label == "4 other sets together"
    assert made[8].value == pytest.approx(math.fsum(line[1] for line in own.rows[8:12]))
    assert math.fsum(one.value for one in made[:-1]) == pytest.approx(made[-1].value)


def test_sentences_say_what_the_table_says(found):
    """In the answer in English, in a note in German, with the numbers that the table has."""
    words = said(found)
    lines = influences(found)
    assert words.difference == lines[SUM][0]
    assert words.rest == lines[REST][0]
    assert [one[1:] for one in words.parts] == [line[:3] for line in list(lines.values())[:2]]
    assert words.english in brief(found).answer
    assert words.german in found.notes
    assert "Among the rows, sex = m is accepted more often than sex = f" in words.english
    assert " wird sex = m um " in words.german


def test_the_longest_sentences_fit():
    """At most 380 characters, with the longest names and numbers."""
    name = "a name of many characters, " * 4
    one = Said(name, name, 99.94, ((name, -1234.56, -1234.56, -1234.56),) * 2, -1234.56)
    assert len(one.english) <= 380
    assert len(one.german) <= 380
    assert "99,9 Prozentpunkte" in one.german


def test_an_ended_time_is_said(monkeypatch):
    """Past the deadline nothing is computed; the report leaves the table out, and a note says so."""
    prepared, accepted = drawn()
    with pytest.raises(OutOfTimeError):
        added("model", prepared, accepted, groups_of("m", "w"), (), Sizes(), deadline=0.0)

    def late(*_):
        raise OutOfTimeError("influences that add up were resampled")

    monkeypatch.setattr(sections, "added", late)
    report = GraphicalModel().run(context_of(None, 100, **OPTIONS))
    assert said(report) is None
    assert not steps(report)
    wanted = "influences that add up are not listed for the committed model: the time limit was reached first"
    assert wanted in report.notes


@pytest.mark.parametrize(("option", "value"), [("order", "0"), ("values", "1"), ("resamples", "49")])
def test_options_are_checked(option, value):
    """Before anything is computed."""
    with pytest.raises(AuditError, match=f"fvgm: option {option}: {value}; want"):
        GraphicalModel().run(context_of(None, 50, **{option: value}))


def test_a_group_of_one_value_is_refused_by_name():
    """Where a sensitive feature has one value, there are no two groups."""
    made = context_of(None, 100)
    rows = [row | {"sex": "f"} for row in made.rows]
    one = AuditContext(network=made.network, spec=made.spec, commitment="", rows=rows, seed=1)
    with pytest.raises(AuditError, match="two groups are needed"):
        GraphicalModel().run(one)
