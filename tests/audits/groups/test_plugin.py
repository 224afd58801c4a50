"""The audit `groups` is a report of all four metrics that names its counterexamples, sample and budgets."""

import pytest

from equiproof.audits.brief.one import brief
from equiproof.audits.groups.plugin import Groups
from equiproof.audits.report import AuditReport
from equiproof.audits.runner import run_all
from tests.audits.made import context
from tests.certify.hand_made import by_sex, never


def run(where, **options):
    """Run the audit as the frame does."""
    given = {"draws": "20"} | {name: str(value) for name, value in options.items()}
    return run_all(where, {"groups": Groups()}, ["groups"], options={"groups": given})


def reported(where, **options):
    """Return the report of the audit, which must succeed."""
    done = run(where, **options)
    assert done.failures == ()
    (report,) = done.reports
    assert AuditReport.from_json(report.to_json()) == report
    return report


def test_a_model_that_decides_by_sex_is_unfair_with_counterexamples():
    """Each row is a finding with its two decisions, and the model has the verdict."""
    report = reported(context(by_sex()))
    assert report.verdict == "unfair"
    assert [finding.verdict for finding in report] == ["unfair"] * 4
    assert all(len({case.label for case in finding.counterexample.cases}) == 2 for finding in report)


def test_a_model_without_a_counterexample_is_measured_and_not_judged():
    """Gaps are for people to judge: without a counterexample there is no word for the whole model."""
    report = reported(context())
    assert report.verdict is None
    assert [finding.verdict for finding in report] == ["fair"] * 4
    measures = {one.measure for one in report.estimates}
    assert {
        "selection rate (granted)",
        "statistical parity difference by sex (granted)",
        "equalized odds difference by sex (granted)",
        "counterfactual share",
        "robust within 0.1",
    } <= measures


def test_the_rates_are_those_of_the_exact_decisions():
    """Incomes above the mean are granted: one woman of none, two men of two."""
    found = {(one.measure, one.group): one for one in reported(context(), **{"least-rows": 1}).estimates}
    assert found["selection rate (granted)", (("sex", "f"),)].value == 0.0
    assert found["selection rate (granted)", (("sex", "m"),)].value == 1.0
    assert found["true positive rate (granted)", ()].value == 2 / 3
    assert found["statistical parity difference by sex (granted)", ()].value == 1.0


def test_without_labels_there_are_no_odds():
    """What needs the truth is left out where nobody knows it."""
    measures = {one.measure for one in reported(context(labels=None)).estimates}
    assert not [name for name in measures if "positive" in name or "odds" in name]


def test_who_is_not_robust_is_shown_beside_a_neighbor():
    """A fair finding may have a counterexample: somebody near who is decided otherwise; bounds are of that distance."""
    third = reported(context(), distance=0.5).findings[2]
    assert (third.verdict, third.values["robust"]) == ("fair", "unfair")
    assert third.lower <= 85 / 1024 <= third.upper
    assert "is decided differently" in third.counterexample.shows


def test_the_tables_count_every_person_once():
    """Rows by group, and people of the sample by group, add up."""
    rows, people = reported(context(), distance=0.5).tables
    assert rows.rows == (("sex = f", 2, 0, 0), ("sex = m", 2, 0, 0))
    assert people.rows == (("sex = f", 1, 1, 0), ("sex = m", 1, 1, 0))


def test_the_sample_follows_from_the_seed():
    """Two of four people are drawn, the same ones each time, and the report says so."""
    first, again = (reported(context(), people=2) for _ in range(2))
    drawn = [finding.row for finding in first if "robust" in finding.values]
    assert len(drawn) == 2
    assert drawn == [finding.row for finding in again if "robust" in finding.values]
    assert "robustness: 2 of 4 rows, drawn with the seed" in first.notes
    assert len({tuple(f.row for f in reported(context(seed=n), people=2) if f.lower) for n in range(6)}) > 1


def test_nobody_is_searched_where_nobody_is_asked_for():
    """Without people there is no robustness, and no table of it."""
    report = reported(context(), people=0)
    assert not [one for one in report.estimates if one.measure.startswith("robust")]
    assert len(report.tables) == 1


def test_a_budget_that_is_spent_leaves_people_undecided():
    """With no time at all, each person is undecided for that reason and the share is counted either way."""
    report = reported(context(max_seconds=0.0))
    assert {finding.values["robust"] for finding in report} == {"undecided"}
    assert {finding.values["robustness undecided because"] for finding in report} == {"the audit's 0 seconds"}
    (share,) = (one for one in report.estimates if one.measure == "robust within 0.1" and not one.group)
    assert (share.lower, share.upper) == (0.0, 1.0)


def test_ties_are_undecided_and_said():
    """A model that never decides has no rate, and the report explains why."""
    report = reported(context(never()))
    assert {finding.verdict for finding in report} == {"undecided"}
    assert report.verdict is None
    assert report.notes[0].startswith("4 rows are decided by no label")


def test_small_groups_are_flagged():
    """They are named, and have no part in a gap or in what is read first."""
    report = reported(context())
    assert "groups of fewer than 30 rows have no part in gaps and ratios: sex = f (2), sex = m (2)" in report.notes
    gaps = [one for one in report.estimates if " by sex " in one.measure]
    assert gaps
    assert {one.value for one in gaps} == {None}
    assert len(brief(report).figures) == 1
    assert not any("no part in gaps" in note for note in reported(context(), **{"least-rows": 2}).notes)


def test_settings_state_what_was_requested():
    """Options, seed and budget stand in the report."""
    settings = reported(context(seed=7, max_seconds=9.0), people=1).settings
    assert (settings["people"], settings["seed"], settings["max_seconds"], settings["distance"]) == (1, 7, 9.0, 0.1)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"label": "maybe"}, "option label: 'maybe' is not one of declined, granted"),
        ({"distance": 0}, "distance: 0 is not between 0"),
        ({"people": -1}, "option people: want 0 or more, not -1"),
        ({"bands": 1}, "option bands: want 2 or more, not 1"),
        ({"draws": 0}, "option draws: want 1 or more, not 0"),
        ({"least-rows": 0}, "option least-rows: want 1 or more, not 0"),
        ({"seconds": -2}, "option seconds: want 0 or more, not -2.0"),
    ],
)
def test_options_without_sense_are_one_line(options, said):
    """What cannot be measured is reported by name."""
    (failure,) = run(context(), **options).failures
    assert failure.outcome == "failed"
    assert said in failure.reason


def test_rows_without_their_sensitive_features_are_reported():
    """Groups need to know who is in them."""
    rows = [{"income": 20000, "housing": "own"}]
    (failure,) = run(context(rows=rows, labels=None)).failures
    assert "row 1: feature 'sex'" in failure.reason


def test_a_rate_of_another_label():
    """The label whose rates are compared may be chosen by name."""
    measures = {one.measure for one in reported(context(), label="declined").estimates}
    assert "selection rate (declined)" in measures
    assert "selection rate (granted)" not in measures


def test_progress_never_goes_back():
    """Decisions and people make one bar, from beginning to end."""
    shares_done = []
    reported(context())
    where = context()
    run_all(
        where, {"groups": Groups()}, ["groups"], options={"groups": {"draws": "20"}},
        progress=lambda _name: lambda done, total: shares_done.append(done / total),
    )  # fmt: skip
    assert shares_done == sorted(shares_done)
    assert shares_done[-1] == 1.0
