"""The plug-in reports verdicts that rest on exact numbers, and keeps the two properties apart."""

from dataclasses import replace
from fractions import Fraction

import msgspec
import numpy as np
import pytest

from equiproof.audits.brief import brief
from equiproof.audits.context import AuditContext
from equiproof.audits.errors import AuditError, NotApplicableError
from equiproof.audits.hyfair import plugin, reporting
from equiproof.audits.hyfair.hybrid import Settled, settle
from equiproof.audits.hyfair.plugin import DiscriminationClusters
from equiproof.audits.hyfair.tables import RULE_COLUMNS, TREE_COLUMNS
from equiproof.audits.plugin import Audit
from equiproof.audits.report import AuditReport
from equiproof.circuits.spec import checked
from tests.audits.hyfair.small import SPEC, everyone, judge_of, network

QUICK = {
    "search_seconds": "0.3",
    "solver_seconds": "2",
    "ceiling_seconds": "1",
    "branch_seconds": "30",
    "samples": "300",
}
ROWS = [
    {"income": income, "purpose": purpose, "grade": "low", "group": "ab"[income % 2], "age": "60"}
    for income in range(-30, 60, 7)
    for purpose in ("car", "other")
]


def context(made, **changes):
    """Return a context of a small network."""
    return AuditContext(network=made, spec=SPEC, commitment="00", options=QUICK, **changes)


def test_it_is_an_audit():
    """The frame finds what it asks for."""
    assert isinstance(DiscriminationClusters(), Audit)


def test_an_unfair_network_has_counterexamples_that_replay():
    """Both properties are found, k counts the cases' buckets, and rows are shared out by group."""
    made = network(6, (4, 3))
    report = DiscriminationClusters().run(context(made, rows=ROWS))
    apart, flipped = report.findings
    assert report.verdict == apart.verdict == flipped.verdict == "unfair"
    for finding in report:
        finding.counterexample.replay(made, SPEC)
    assert len(apart.counterexample.cases) >= apart.values["k by buckets"] > 1
    assert {case.label for case in flipped.counterexample.cases} == {"yes", "no"}
    judge = judge_of(made)
    assert apart.values["k by buckets"] <= judge.judge(everyone(judge.forward.grid)).buckets.max()
    whole = [one for one in report.estimates if not one.group]
    assert [one.n for one in whole] == [len(ROWS)] * 2
    assert sum(one.n for one in report.estimates if one.group) == 2 * len(ROWS)
    assert AuditReport.from_json(report.to_json()) == report


def test_examples_are_rows_where_rows_have_the_property():
    """A row is shown before an applicant that combines values at random, and its number is said."""
    made = network(6, (4, 3))
    judge = judge_of(made)
    report = DiscriminationClusters().run(context(made, rows=ROWS))
    apart, flipped = report.findings
    rows = [judge.exactly(judge.forward.grid.find(row)) for row in ROWS]
    first = next(place for place, row in enumerate(rows) if row[3])
    assert (flipped.values["settled by"], flipped.values["example"]) == ("rows", f"row {first + 1}")
    assert f"purpose {ROWS[first]['purpose']}" in flipped.counterexample.shows
    assert f"income {ROWS[first]['income']}," in flipped.counterexample.shows
    assert apart.values["settled by"] == "rows"
    most = max(row[0] for row in rows)
    assert apart.values["k by buckets"] >= most
    if apart.values["k by buckets"] == most:
        assert rows[int(apart.values["example"].removeprefix("row ")) - 1][0] == most
    assert f"an example of each: row {first + 1} of the data" in brief(report).answer


def test_without_rows_examples_combine_values():
    """Nothing is called a row."""
    report = DiscriminationClusters().run(context(network(6, (4, 3))))
    assert {one.values["example"] for one in report.findings} == {"any combination of values"}
    assert "an example of each: one of any combination of values" in brief(report).answer


def test_shares_of_rows_are_exact_counts():
    """Each row is judged by the integers of the network."""
    made = network(6, (4, 3))
    judge = judge_of(made)
    report = DiscriminationClusters().run(context(made, rows=ROWS))
    hits = sum(judge.exactly(judge.forward.grid.find(row))[2] for row in ROWS)
    assert report.estimates[0].value == pytest.approx(float(Fraction(hits, len(ROWS))))


def test_equal_groups_have_no_gap_and_an_interval_around_it():
    """The same applicants in both groups: Newcombe's interval holds 0, and the p value is 1; of few rows, neither."""
    made = network(6, (4, 3))
    judge = judge_of(made)
    rows = [row | {"group": group} for group in "ab" for row in ROWS for _ in range(2)]
    places = np.array([judge.forward.grid.find(row) for row in rows])
    found = reporting.estimates(context(made, rows=rows), judge, places, range(len(rows)), 1)
    gaps = [one for one in found if one.measure.startswith("difference between groups, rows with ")]
    for one in gaps:
        assert (one.value, one.n, one.method) == (0.0, len(rows) // 2, "Newcombe, higher minus lower")
        assert one.lower == pytest.approx(-one.upper)
        assert one.lower < 0
    assert [one.value for one in found if one.measure.startswith("p value of equal shares, ")] == [1.0] * len(gaps)
    assert len(gaps) == 2
    few = range(0, len(rows), 4)
    found = reporting.estimates(context(made, rows=[rows[row] for row in few]), judge, places[few], range(len(few)), 1)
    assert {one.method for one in found} == {"Wilson"}


def test_a_network_that_ignores_the_sensitive_values_is_fair():
    """Both findings are fair, with evidence that was checked."""
    report = DiscriminationClusters().run(context(network(6, (4, 3), groups=0.0)))
    assert [finding.verdict for finding in report] == ["fair", "fair"]
    assert report.verdict == "fair"
    assert all(finding.values["leaves checked"] >= 1 for finding in report)


@pytest.mark.parametrize("groups", [0.0, 0.001, 0.06, 1.0])
def test_k_is_printed_whatever_the_verdicts_are(groups):
    """Where no scores are apart, k is that of every applicant; else the found one and its bound are stated."""
    made = network(16, (4, 3), groups=groups)
    judge = judge_of(made)
    judged = judge.judge(everyone(judge.forward.grid))
    report = DiscriminationClusters().run(context(made))
    (note,) = [one for one in report.notes if " k " in one]
    assert note in report.summary()
    if report.findings[0].verdict == "fair":
        most = int(judged.buckets.max())
        assert note == f"no scores are apart: the largest k is {most} by buckets and 1 by gaps"
        assert report.findings[0].values["k by gaps"] == judged.gaps.max() == 1
        assert report.findings[0].values["k by buckets"] == most
    else:
        row = dict(zip(report.tables[0].columns, report.tables[0].rows[0], strict=True))
        assert note.startswith(f"the largest k by buckets that was found is {row['largest k']}; ")
        assert note.endswith(f"no applicant has more than {row['at most']}")
        assert row["largest k"] <= judged.buckets.max() <= row["at most"]


@pytest.mark.parametrize(("hidden", "most"), [((2,), 2), ((4, 3), 1)])
def test_k_of_close_scores_is_one_or_two_as_enumeration_says(hidden, most):
    """Scores closer than a bucket's width lie in two buckets for some applicant, or in one for each."""
    made = network(0, hidden, spread=2, groups=0.3)
    judge = judge_of(made)
    judged = judge.judge(everyone(judge.forward.grid))
    assert not judged.apart.any()
    assert judged.buckets.max() == most
    report = DiscriminationClusters().run(context(made))
    assert (report.findings[0].values["k by buckets"], report.findings[0].values["k by gaps"]) == (most, 1)
    assert any(f"the largest k is {most} by buckets and 1 by gaps" in note for note in report.notes)


def test_k_of_close_scores_is_open_where_no_time_is_left(monkeypatch):
    """Without a draw and without a box, it is 1 or 2, and the report says so."""
    made = network(16, (4, 3), groups=0.0)
    monkeypatch.setattr(plugin, "settle", lambda judge, wanted, *rest: (
        Settled("undecided", "branch", None, None, "0 boxes", None, None, 0.0) if wanted == 1
        else settle(judge, wanted, *rest)
    ))  # fmt: skip
    report = DiscriminationClusters().run(context(made))
    assert report.findings[0].values["k by buckets"] == "1 or 2"
    assert any("the largest k is 1 or 2 by buckets" in note for note in report.notes)


def test_k_without_a_search_or_by_gaps_is_said_as_it_is():
    """Without time to search nothing is claimed of the largest k; by gaps it has no upper bound."""
    none = QUICK | {"search_seconds": "0"}
    report = DiscriminationClusters().run(replace(context(network(6, (4, 3))), options=none))
    assert report.notes[-1] == "the largest k is not known: option search_seconds leaves no time to search for it"
    gaps = DiscriminationClusters().run(replace(context(network(6, (4, 3))), options=QUICK | {"clustering": "gaps"}))
    assert gaps.notes[-1] == f"the largest k by gaps that was found is {gaps.tables[0].rows[0][0]}"


def test_one_property_may_hold_without_the_other():
    """Labels never flip and scores are apart: two findings, two verdicts."""
    made = network(16, (4, 3), groups=0.06)
    verdicts = {finding.subject: finding.verdict for finding in DiscriminationClusters().run(context(made))}
    assert verdicts["label flips"] == "fair"


def test_no_time_is_undecided_with_a_reason():
    """Nothing is claimed where the budget did not suffice."""
    quick = QUICK | {"boxes": "0", "solver_seconds": "0", "search_seconds": "0"}
    made = network(16, (4, 3), groups=0.06)
    flipped = DiscriminationClusters().run(replace(context(made), options=quick)).findings[1]
    assert flipped.verdict == "undecided"
    assert "0 boxes" in flipped.reason


def test_of_several_sensitive_features_some_may_vary():
    """With age alone there are two assignments; every counterexample then keeps one value of group."""
    made = network(6, (4, 3))
    report = DiscriminationClusters().run(context(made, sensitive_features=("age",)))
    for finding in report.having("unfair"):
        finding.counterexample.replay(made, SPEC)
        groups = {dict(case.sensitive)["group"] for case in finding.counterexample.cases}
        assert len(groups) == 1
        assert finding.values["k by buckets"] <= 2


def test_numbers_without_a_range_take_that_of_the_rows():
    """Without rows the audit says what it would need."""
    open_spec = checked(
        msgspec.structs.replace(
            SPEC,
            features=tuple(
                msgspec.structs.replace(feature, range=None) if feature.name == "income" else feature
                for feature in SPEC.features
            ),
        )
    )
    made = network(6, (4, 3))
    with pytest.raises(NotApplicableError, match="a range of feature 'income'"):
        DiscriminationClusters().run(AuditContext(network=made, spec=open_spec, commitment="00", options=QUICK))
    report = DiscriminationClusters().run(
        AuditContext(network=made, spec=open_spec, commitment="00", options=QUICK, rows=ROWS)
    )
    assert any("income -30 to 54" in note for note in report.notes)


@pytest.mark.parametrize("wrong", [{"search": "magic"}, {"clustering": "x"}, {"buckets": "1"}, {"buckets": "4097"}])
def test_options_that_mean_nothing_are_refused(wrong):
    """One line naming the option."""
    with pytest.raises(AuditError, match=f"option {next(iter(wrong))}"):
        DiscriminationClusters().run(replace(context(network(6)), options=QUICK | wrong))


def test_what_the_search_alone_finds_makes_the_model_unfair(monkeypatch):
    """If both properties stay undecided and the search finds a counterexample, the model is unfair."""
    nobody = Settled("undecided", "branch", None, None, "0 boxes", None, None, 0.0)
    monkeypatch.setattr(plugin, "settle", lambda *_: nobody)
    report = DiscriminationClusters().run(context(network(6, (4, 3))))
    assert [finding.verdict for finding in report] == ["unfair", "undecided"]
    assert (report.verdict, report.reason) == ("unfair", None)


def test_numbers_with_decimals_are_judged_at_every_step():
    """As the rows write them or as an option says; a range from 0 to 1 has more than its two ends then."""
    made = network(6, (4, 3))
    shares = [msgspec.structs.replace(one, scale="1", range=("0", "1")) if one.name == "income" else one
              for one in SPEC.features]  # fmt: skip
    spec = checked(msgspec.structs.replace(SPEC, features=tuple(shares)))
    rows = [{**row, "income": income} for row, income in zip(ROWS, ("0.25", "1", "0.5", "0"), strict=False)]
    found = AuditContext(network=made, spec=spec, commitment="00", options=QUICK, rows=rows)
    report = DiscriminationClusters().run(found)
    assert "income 0 to 1 in steps of 0.01" in report.notes[0]
    assert [one.n for one in report.estimates if not one.group] == [4, 4]
    finer = DiscriminationClusters().run(replace(found, options={**QUICK, "decimals": "income=3"}))
    assert "income 0 to 1 in steps of 0.001" in finer.notes[0]
    whole = DiscriminationClusters().run(replace(found, options={**QUICK, "decimals": "income=0"}))
    assert "income 0 to 1 in steps of 1" in whole.notes[0]
    assert "2 of 4 rows lie outside" in whole.notes[2]
    finest = DiscriminationClusters().run(replace(found, options={**QUICK, "decimals": "income=9"}))
    assert "income 0 to 1 in steps of 0.000000001, 17 of which differ for the model" in finest.notes[0]
    with pytest.raises(AuditError, match="want name=decimals"):
        DiscriminationClusters().run(replace(found, options={**QUICK, "decimals": "income"}))


def test_the_largest_k_is_bounded_from_above():
    """By evidence, no lower than enumeration, and by nothing where there is no time for it."""
    made = network(6, (4, 3))
    judge = judge_of(made)
    truth = int(judge.judge(everyone(judge.forward.grid)).buckets.max())
    row = dict(
        zip((table := DiscriminationClusters().run(context(made)).tables[0]).columns, table.rows[0], strict=True)
    )
    assert row["largest k"] <= truth <= row["at most"] <= 6


def test_two_values_have_rules_that_lower_k_by_half_and_the_report_says_so():
    """Of two values a rule lowers the mean k by 1 only if k is 1 and 2 without exception: the default is 0.5."""
    small = context(network(5, (4, 3)), sensitive_features=("age",))
    half, one = (DiscriminationClusters().run(replace(small, options=QUICK | {"delta": delta})) for delta in ("0", "1"))
    (rules,) = (
        table for table in half.tables if "rules whose negation lowers the mean k by 0.5 or more" in table.caption
    )
    assert all(0.5 <= inside - outside <= 1 for _, _, inside, outside, *_ in rules.rows)
    assert "no rule describes where k is largest: none lowers the mean k by 1 where it fails" in one.notes


def test_rules_say_what_they_do_to_real_rows_and_the_tree_is_in_the_report():
    """Beside each rule are shares and mean k of the rows that it stops, and of the others, counted one by one."""
    made = network(6, (4, 3))
    report = DiscriminationClusters().run(context(made, rows=ROWS))
    judge = judge_of(made)
    k = np.array([judge.exactly(judge.forward.grid.find(row))[0] for row in ROWS])
    rules, tree = report.tables[-2:]
    assert (rules.columns, tree.columns) == (RULE_COLUMNS, TREE_COLUMNS)
    places = np.stack([judge.forward.grid.find(row) for row in ROWS])
    assert rules.rows
    wrong, unshown = [], []
    for row in rules.rows:
        told = dict(zip(rules.columns, row, strict=True))
        stopped = _stopped(told["where"], places, judge.forward.grid)
        assert told["share of the rows stopped"] == stopped.mean()
        assert told["share of the other rows"] == 1 - stopped.mean()
        for name, those in (("mean k of these rows", stopped), ("mean k of the other rows", ~stopped)):
            assert told[name] == (k[those].mean() if those.any() else None)
        if stopped.any() and not stopped.all():
            holds = k[stopped].mean() > k[~stopped].mean()
            assert told["holds on the rows"] == ("yes" if holds else "no")
            wrong += [] if holds else [told["rule"]]
        else:
            unshown.append(told["rule"])
    for rules_left, reason in ((wrong, "the rows stopped have no larger"), (unshown, "none of the rows is stopped")):
        said = f"no guardrail: rule{'s' * (len(rules_left) > 1)} {', '.join(map(str, rules_left))}; {reason}"
        assert any(note.startswith(said) for note in report.notes) == bool(rules_left)
    assert [row[6] for row in tree.rows if row[6] is not None] != []
    assert sorted(row[6] for row in tree.rows if row[6] is not None) == [row[0] for row in rules.rows]
    # A node's neighbors are those of its two children.
    below = [row for row in tree.rows if row[1] == 1]
    assert sum(row[3] for row in below) == tree.rows[0][3] == int(QUICK["samples"])


def _stopped(where, places, grid):
    """Return which of the places a rule in words holds for, read by another reader than the product's."""
    held = np.ones(len(places), dtype=bool)
    for part in where.split(" and "):
        name = next(name for name in grid.names if name in part.split())
        f = grid.names.index(name)
        own = [grid.values[f][place] for place in places[:, f]]
        if " is " in part:
            held &= [value == part.partition(" is ")[2] for value in own]
        elif " in (" in part:
            held &= [value in part.partition(" in (")[2].rstrip(")").split(", ") for value in own]
        else:
            held &= [eval(part.replace(" = ", " == "), {}, {name: float(value)}) for value in own]  # noqa: S307
    return held


def test_a_size_that_nobody_reads_is_a_power_of_ten():
    """Sixty columns have applicants in a number of a hundred digits."""
    assert reporting._size(12_345) == "12,345"
    assert reporting._size(29 * 10**108) == "about 2.9 x 10^109"
