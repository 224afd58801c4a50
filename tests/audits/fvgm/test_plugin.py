"""The plug-in: what it reports of the committed model, and of a linear one beside it."""

import math
import os
import random
import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import msgspec
import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from equiproof.audits.brief.one import brief
from equiproof.audits.context import AuditContext
from equiproof.audits.data import fit_linear, rows_of_data_set
from equiproof.audits.fvgm.beside import RowMetrics
from equiproof.audits.fvgm.bounds import Bounds
from equiproof.audits.fvgm.metrics import Judgement
from equiproof.audits.fvgm.plugin import GraphicalModel
from equiproof.audits.fvgm.verification import PATH
from equiproof.audits.gaps import ALL_PAIRS, FURTHER, HIGHER, IMPACT, NOT_THESE, ODDS, PARITY, RATIO
from equiproof.audits.intervals import share
from equiproof.audits.measures import interval_of, value_of
from equiproof.audits.plugin import Audit
from equiproof.audits.records import Estimate, Table
from equiproof.audits.report import AuditReport
from equiproof.audits.runner import run_all
from equiproof.certify.data import load
from equiproof.certify.digits import percent
from tests.support import LOANS, applicant, network

DATA = os.environ.get("EQUIPROOF_DATA", "")


def context(linear=None, rows=300, **options):
    """A context of random applicants with the labels that the committed network gives them."""
    rng = random.Random(3)
    found = [applicant(LOANS, rng) | {"sex": rng.choice("fm")} for _ in range(rows)]
    model = network(LOANS, (2,), 14)
    made = AuditContext(network=model, spec=LOANS, commitment="00", rows=found, seed=1)
    X = np.array([[*q, *LOANS.domain_table[s]] for q, s in zip(made.queries, made.slices, strict=True)])
    X = X / LOANS.scale_unit
    labels = [int(X[i, 0] + 0.8 * X[i, -1] + rng.gauss(0, 0.3) > 0) for i in range(rows)]
    linear = linear.fit(X, labels) if linear is not None else None
    return AuditContext(
        network=model, spec=LOANS, commitment="00", rows=found, labels=labels, linear=linear, seed=1, options=options
    )


def test_it_is_a_plug_in():
    """It has what the frame asks of a plug-in."""
    assert isinstance(GraphicalModel(), Audit)


def table(found, caption):
    """The rows of the table of this caption by their first cell."""
    (one,) = [one for one in found.tables if one.caption.startswith(caption)]
    return {row[0]: row for row in one.rows}


def test_report_speaks_of_the_linear_model():
    """Metrics with bounds and verdicts stand in a table; the agreement with the committed model comes first."""
    found = GraphicalModel().run(context(LogisticRegression(), mediators="income", **{"max-multiplier": "30"}))
    assert found.verdict is None
    assert AuditReport.from_json(found.to_json()) == found
    agreement, *shares = found.estimates
    assert agreement.measure == "agreement of the linear model with the committed one"
    assert agreement.method == "Wilson"
    assert {one.group for one in shares} == {(("sex", "f"),), (("sex", "m"),), ()}
    shares = [one for one in shares if one.measure == "selection rate of the linear model under the network"]
    verdicts = table(found, "Metrics of the linear model")
    low, high = sorted(shares, key=lambda one: one.value)
    lower, upper, _, demand, verdict, reason = verdicts[IMPACT][4:]
    assert lower <= low.value / high.value <= upper
    assert (demand, verdict, reason) == ("at least 4/5", "unfair", None)
    assert set(verdicts) == {
        IMPACT, PARITY, ODDS, PATH,
    }  # fmt: skip
    assert set(table(found, "Influence of features on the linear model")) == {"income", "housing"}


def test_shares_of_the_rows_stand_beside_those_under_the_network():
    """Only the share of the rows has an interval, Wilson's; the network's share and their distance have none."""
    made = context(LogisticRegression(), **{"max-multiplier": "3", "max-bins": "2"})
    found = GraphicalModel().run(made)
    columns = np.array([[*q, *LOANS.domain_table[s]] for q, s in zip(made.queries, made.slices, strict=True)])
    accepted = made.linear.predict(columns / LOANS.scale_unit) == 1
    wide, outside = [], 0
    for sex in "fm":
        own = np.array([row["sex"] == sex for row in made.rows])
        named = [one for one in found.estimates if one.group == (("sex", sex),) and "linear model" in one.measure]
        rows, network, error = named
        expected = share("selection rate of the linear model among the rows", int(accepted[own].sum()), int(own.sum()))
        assert (rows.measure, rows.value, rows.lower, rows.upper, rows.method) == (
            expected.measure, expected.value, expected.lower, expected.upper, "Wilson",
        )  # fmt: skip
        assert rows.upper - rows.lower > 0.05
        for one in (network, error):
            assert (one.lower, one.upper, one.method, one.n) == (None, None, "exact", rows.n)
        assert error.measure.startswith("model error")
        assert error.value == abs(network.value - rows.value) > 0
        assert percent(error.value) in found.summary()
        line = table(found, "Selection rates of the linear model")[f"sex = {sex}"]
        assert line[1:5] == (rows.n, rows.value, rows.lower, rows.upper)
        assert line[5] <= network.value <= line[6] < line[5] + 1e-9
        assert line[7] == error.value
        wide.append(error.value)
        outside += not rows.lower <= network.value <= rows.upper
    (note,) = [one for one in found.notes if one.startswith("model error of the linear model")]
    assert f"share under the network: {percent(max(wide), 'up')} at most; {outside} of 2 groups" in note


def test_metrics_of_the_rows_stand_beside_those_under_the_network():
    """With their intervals and the distance; path-specific fairness is not for rows to say."""
    made = context(LogisticRegression(), mediators="income", **{"max-multiplier": "3", "max-bins": "2"})
    found = GraphicalModel().run(made)
    columns = np.array([[*q, *LOANS.domain_table[s]] for q, s in zip(made.queries, made.slices, strict=True)])
    accepted = made.linear.predict(columns / LOANS.scale_unit) == 1
    women, granted = np.array([row["sex"] == "f" for row in made.rows]), np.array(made.labels) == 1
    least, most = sorted((accepted[women].mean(), accepted[~women].mean()))
    gaps = [abs(accepted[women & own].mean() - accepted[~women & own].mean()) for own in (granted, ~granted)]
    expected = {
        IMPACT: least / most, PARITY: most - least, ODDS: max(gaps),
    }  # fmt: skip
    smallest = min(women.sum(), (~women).sum())
    of_labels = min((one & own).sum() for one in (women, ~women) for own in (granted, ~granted))
    counted = {IMPACT: smallest, PARITY: smallest, ODDS: of_labels}
    methods = {IMPACT: RATIO, PARITY: HIGHER, ODDS: ALL_PAIRS}
    rows = table(found, "Metrics of the linear model")
    for name, value in expected.items():
        own, lower, upper, low, high, distance = rows[name][1:7]
        assert math.isclose(own, value)
        assert lower < own < upper
        assert upper - lower > 0.02
        assert math.isclose(distance, abs((low + high) / 2 - own))
        (estimate,) = [one for one in found.estimates if one.measure == f"{name} of the linear model among the rows"]
        assert (estimate.value, estimate.lower, estimate.upper, estimate.method) == (own, lower, upper, methods[name])
        assert estimate.n == counted[name]
    assert rows[PATH][1:4] == (None, None, None)
    assert rows[PATH][6] is None


@pytest.mark.parametrize("asked", ["yes", "no", "auto"])
def test_the_report_says_which_edges_were_chosen_and_why(asked):
    """Asked for, or by rows that were held out; their likelihood stands beside both."""
    found = GraphicalModel().run(context(LogisticRegression(), conditioned=asked, **{"max-bins": "2"}))
    chosen = [note for note in found.notes if "sensitive features are parents" in note or "chose all edges" in note]
    note = chosen[-1]
    assert len(chosen) == 2
    own, other = map(float, re.search(r"held-out row (-[0-9.]+), and (-[0-9.]+) of the other choice", note).groups())
    assert (", as asked for: " in note) == (asked != "auto")
    if asked == "auto":
        assert own >= other
    else:
        assert note.startswith("sensitive" if asked == "yes" else "the rows")


def test_without_a_linear_model_the_committed_one_is_audited():
    """Nothing is said of a linear model, and there is no agreement."""
    found = GraphicalModel().run(context())
    assert {one.measure for one in found.estimates if "linear" in one.measure} == set()
    assert not [one for one in found.tables if "linear" in one.caption]
    assert set(table(found, "Metrics of the committed model")) == {
        IMPACT, PARITY, ODDS,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("options", "labelled", "said"),
    [({}, True, [PATH]), ({"mediators": "income"}, True, []), ({}, False, [ODDS, PATH])],
)
def test_the_report_says_what_was_not_measured_and_what_it_needs(options, labelled, said):
    """Path-specific fairness needs mediators, odds need labels: a note in place of a missing line."""
    made = context(**options)
    found = GraphicalModel().run(made if labelled else replace(made, labels=None))
    missing = [note for note in found.notes if "was measured" in note]
    assert len(missing) == len(said)
    assert all(name in note for name, note in zip(said, missing, strict=True))
    assert {ODDS, PATH} - set(table(found, "Metrics of the committed model")) == set(said)
    assert [note for note in missing if PATH in note and "--option fvgm.mediators=" in note] == missing[-1:] * (
        PATH in said
    )


def test_a_model_beside_it_that_is_not_linear_is_not_applicable():
    """No report and no number, but the reason."""
    found = run_all(context(DecisionTreeClassifier()), {"fvgm": GraphicalModel()}, ["fvgm"])
    assert not found.reports
    assert found.failures[0].outcome == "not applicable"
    assert "want a fitted linear model" in found.failures[0].reason


def test_a_model_of_other_columns_or_classes_is_not_applicable():
    """Coefficients that are not the spec's columns, or classes that are not its labels, say nothing of these rows."""
    made = context(LogisticRegression())
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(50, 3)), rng.integers(0, 2, 50)
    for linear, reason in [
        (LogisticRegression().fit(X, y), "has 3 columns"),
        (LogisticRegression().fit(rng.normal(size=(50, 4)), np.where(y, "yes", "no")), "classes are not 0 and 1"),
    ]:
        other = AuditContext(network=made.network, spec=LOANS, commitment="00", rows=made.rows, linear=linear)
        found = run_all(other, {"fvgm": GraphicalModel()}, ["fvgm"])
        assert found.failures[0].outcome == "not applicable"
        assert reason in found.failures[0].reason


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"mediators": "height"}, "no feature is called 'height'"),
        ({"mediators": "sex"}, "leave sex out, which is sensitive"),
        ({"edges": "income=low"}, "want name=number"),
        ({"max-bins": "1"}, "want 2 or more"),
        ({"least-impact": "80%"}, "between 0 and 1"),
        ({"conditioned": "perhaps"}, "'perhaps'; want yes, no, auto"),
        ({"subsets": "income,height"}, "option subsets: no feature is called 'height'"),
        ({"subsets": "income;sex"}, "option subsets: leave sex out"),
        ({"draws": "0"}, "want 1 or more"),
    ],
)
def test_options_without_a_meaning_fail_in_one_line(options, message):
    """Names and values that are none end the audit with a line that says how to mend it."""
    found = run_all(
        context(LogisticRegression(), **options), {"fvgm": GraphicalModel()}, ["fvgm"], options={"fvgm": options}
    )
    assert found.failures[0].outcome == "failed"
    assert message in found.failures[0].reason


def test_time_that_ends_in_tuning_leaves_every_metric_undecided():
    """Tuning and learning stop at the budget: no share is reported, and each metric is undecided with the reason."""
    made = context(LogisticRegression(), mediators="income")
    late = replace(made, max_seconds=1e-9)
    found = GraphicalModel().run(late)
    assert found.verdict is None
    assert [one.measure for one in found.estimates] == ["agreement of the linear model with the committed one"]
    reasons = {
        "committed": "the time limit of the audit was reached while the network was learned",
        "linear": "the time limit of the audit was reached while whole weights were tuned: 0 of 18 settings tried",
    }
    assert [one.caption for one in found.tables] == [f"Metrics of the {name} model" for name in reasons]
    for one, said in zip(found.tables, reasons.values(), strict=True):
        assert len(one.rows) == 4
        for _, *numbers, _, verdict, reason in one.rows:
            assert (numbers, verdict, reason) == ([None] * 6, "undecided", said)
    assert sum("nothing was verified of the" in note for note in found.notes) == 2
    short = brief(found)
    assert (short.tag, short.answer, short.figures) == ("undecided", f"Not known: {reasons['committed']}.", ())


def parted(rows=600, **options):
    """A context in which one of ten women and nine of ten men have more than the median income."""
    rng = random.Random(8)
    found = [applicant(LOANS, rng) | {"sex": rng.choice("fm")} for _ in range(rows)]
    middle = sorted(row["income"] for row in found)[rows // 2]
    for row in found:
        if (row["sex"] == "m") == (row["income"] < middle) and rng.random() < 0.8:
            row["income"] = 2 * middle - row["income"]
    return AuditContext(
        network=network(LOANS, (2,), 14), spec=LOANS, commitment="00", rows=found, seed=1, options=options
    )


def of_rows(found):
    """Whose shares the first screen tells where the rows come first: of each group, how many rows it has."""
    own = "selection rate of the committed model among the rows"
    return [f"accepted, of {one.n}, sex = {one.group[0][1]}" for one in found.estimates if one.measure == own]


def test_a_verdict_that_the_rows_contradict_is_none():
    """Of a network without edges all groups are alike: it would call fair what the rows show to be unfair."""
    found = GraphicalModel().run(parted(conditioned="no", mediators="income", **{"max-parents": "0"}))
    rows = table(found, "Metrics of the committed model")
    value, lower, _, _, high = rows[PARITY][1:6]
    assert high < 0.1 < lower < value
    for name in (IMPACT, PARITY, PATH):
        assert rows[name][8] == "undecided"
        assert rows[name][9].startswith("the network does not describe these groups")
    short = brief(found)
    assert short.answer.startswith(f"Among the rows, shares are {percent(value)} (")
    assert "The network does not describe these groups: under it, they are" in short.answer
    assert [one.what.partition(" (")[0] for one in short.figures] == of_rows(found)


def with_reasons(found, reasons):
    """A report with other reasons in the table of the committed model's metrics."""
    named = "Metrics of the committed model"
    (old,) = [one for one in found.tables if one.caption == named]
    rows = tuple((*row[:-1], reasons.get(row[0])) for row in old.rows)
    others = [one for one in found.tables if one.caption != named]
    return msgspec.structs.replace(found, tables=(Table(named, old.columns, rows), *others))


def test_the_first_screen_tells_the_rows_figure_of_whichever_metric_is_contradicted():
    """Of the ratio where only that is contradicted; where the error is larger than the distance, as the figure."""
    found = GraphicalModel().run(parted(conditioned="no", **{"max-parents": "0"}))
    (note,) = [one for one in found.notes if one.startswith("influences and other assumptions")]
    assert note.endswith(f"are about the network alone: the rows contradict its {IMPACT}, {PARITY}")
    own = next(one for one in found.estimates if one.measure == f"{IMPACT} of the committed model among the rows")
    short = brief(with_reasons(found, {IMPACT: f"{NOT_THESE}: as it is"}))
    said = f"Among the rows, the least share is the largest one times {value_of(own)} ({interval_of(own, places=0)}). "
    assert short.answer.startswith(f"{said}The network does not describe these groups: under it, it is times ")
    assert [one.what.partition(" (")[0] for one in short.figures] == of_rows(found)
    assert short.figures[0].value in {value_of(one) for one in found.estimates if "among the rows" in one.measure}
    short = brief(with_reasons(found, {IMPACT: FURTHER}))
    assert short.figures[-1].value == value_of(own)
    assert short.figures[-1].what == (
        f"disparate impact among the rows ({interval_of(own, places=0)}); the demand is 0.80"
    )


def test_a_verdict_that_the_rows_bear_out_stands():
    """With the edges that the paper's question needs, which are there by default."""
    found = GraphicalModel().run(parted())
    rows = table(found, "Metrics of the committed model")
    assert rows[PARITY][8] == rows[IMPACT][8] == "unfair"
    assert rows[PARITY][2] <= rows[PARITY][4] <= rows[PARITY][3]
    assert any("as asked for" in note for note in found.notes)
    assert not any(note.startswith("influences and other assumptions") for note in found.notes)


def judgement(low, high):
    """A metric between two hundredths, judged fair."""
    return Judgement(Bounds(Fraction(low, 100), Fraction(high, 100)), "at most 1/10", "fair")


@pytest.mark.parametrize(
    ("low", "high", "reason"),
    [
        (4, 4, None),  # within the interval, and nearer to the rows' 5 than to the demand of 10
        (8, 8, "the network is further from the rows than from the demand"),
        (0, 0, "the network does not describe these groups: 5.0 % among the rows, 0 % under it"),
        (0, 3, None),  # the draws' interval meets that of the rows
        (9, 11, "of its own"),  # undecided already
    ],
)
def test_verdicts_are_withheld_by_intervals_and_by_the_error(low, high, reason):
    """An interval of 2 to 8 hundredths around 5 among the rows."""
    open_ = reason == "of its own"
    own = Estimate(measure=PARITY, value=0.05, lower=0.02, upper=0.08, n=100, method=HIGHER)
    one = replace(judgement(low, high), verdict="undecided" if open_ else "fair", reason=reason if open_ else None)
    limits = {PARITY: (Fraction(1, 10), "at most"), PATH: (Fraction(1, 10), "at most")}
    found = RowMetrics("model", {PARITY: own}).borne_out({PARITY: one, PATH: judgement(1, 1)}, limits)
    assert found[PARITY].reason == reason
    assert found[PARITY].verdict == ("undecided" if reason else "fair")
    assert found[PATH].verdict == ("undecided" if low in {0, 9} and high != 3 else "fair")


@pytest.mark.slow
@pytest.mark.skipif(not DATA, reason="EQUIPROOF_DATA does not name the public data sets")
def test_compas_is_not_called_fair():
    """Among the rows by race and sex, shares are far apart; the likelier network has lost the edges that say so."""
    data = load("compas", data_dir=Path(DATA), sensitive=("sex", "race"))
    taken = rows_of_data_set(data, "test").sampled(1400)
    made = AuditContext(
        network=network(data.spec, (2,), 14), spec=data.spec, commitment="00", rows=taken.rows, labels=taken.labels,
        linear=fit_linear(rows_of_data_set(data, "train"), data.spec), seed=1, options={"conditioned": "auto"},
    )  # fmt: skip
    found = GraphicalModel().run(made)
    rows = table(found, "Metrics of the linear model")
    assert rows[PARITY][2] > 0.1
    assert rows[PARITY][8] != "fair"
    assert rows[IMPACT][8] != "fair"
