"""The plug-in: findings with counterexamples that replay, estimates per group, options, and budgets that end."""

from __future__ import annotations

from fractions import Fraction

import msgspec
import pytest

from equiproof.audits.brief import brief, head
from equiproof.audits.context import AuditContext
from equiproof.audits.errors import AuditError, NotApplicableError
from equiproof.audits.pba import plugin
from equiproof.audits.pba.definition import SETTINGS
from equiproof.audits.pba.plugin import PersistentBias
from equiproof.audits.pba.scores import Assessment
from equiproof.audits.pba.search import Budget, Judgement
from equiproof.audits.plugin import Audit
from equiproof.audits.report import AuditReport, StoppedAuditError
from equiproof.audits.runner import AuditRun, run_all
from equiproof.certify.data.lending import make_lending
from equiproof.circuits.spec import checked
from tests.audits.pba.lending import model, two_logits
from tests.certify.tiny import larger

COMMITMENT = "0x" + "1" * 64


def context(**changes):
    data = two_logits()
    given = {"rows": data.rows[:40], "labels": data.labels[:40], "options": {"people": "6", "robust": "true"}}
    return AuditContext(network=model(), spec=data.spec, commitment=COMMITMENT, **{**given, **changes})


def test_findings_are_proven_and_counterexamples_replay():
    """Unfair findings have a lower bound above 0 and a valid counterexample; fair ones have an upper bound of 0."""
    report = PersistentBias().run(context())
    assert len(report.findings) == 12
    assert {finding.verdict for finding in report} >= {"unfair"}
    for finding in report:
        assert finding.lower is None or finding.lower <= finding.upper
        if finding.verdict == "unfair":
            assert finding.lower >= 0
            finding.counterexample.replay(model(), two_logits().spec)
        if finding.verdict == "fair":
            assert finding.upper <= 1e-300
    assert AuditReport.from_json(report.to_json()) == report


def test_estimates_name_groups_and_have_intervals():
    """The report has both rates, CFA, and PBA and RB in both settings, by group, with n and Wilson's interval."""
    report = PersistentBias().run(context())
    reported = {(one.measure.split(":")[0], one.group) for one in report.estimates}
    rates = ("selection rate (granted)", "true positive rate (granted)")
    for measure in (*rates, "CFA", "PBA observed", "PBA flipped", "RB observed", "RB flipped"):
        for sex in ("female", "male"):
            assert (measure, (("sex", sex),)) in reported
            for setting in ("observed", "flipped"):
                assert any(name.startswith(f"PBA {setting} among ") and of == (("sex", sex),) for name, of in reported)
    assert any(note.startswith("one unit of delta: age, years_employed 1 years; income 10") for note in report.notes)
    methods = {"gain": "order statistics", "gap": "Newcombe"}
    for one in report.estimates:
        assert one.method == methods.get(one.measure.split()[0], "Wilson")
        assert one.n > 0
    assert {one.measure.split()[0] for one in report.estimates} > set(methods)


def test_gaps_of_a_report_hold_together():
    """Two gaps at one delta have 97.5 % each, four at two deltas 98.75 %; a note says what is claimed."""
    for delta, count, each in (("1", 2, 0.975), ("0,1", 4, 0.9875)):
        report = PersistentBias().run(context(options={"people": "6", "delta": delta}))
        found = [one for one in report.estimates if one.measure.startswith("gap ")]
        assert [one.confidence for one in found] == pytest.approx([each] * count)
        shared = {one.measure.split(":")[0]: one for one in report.estimates if one.measure.endswith("delta 1")}
        own = {
            one.group[0][1]: one.value
            for one in report.estimates
            if one.measure.startswith("PBA observed: ") and one.measure.endswith("delta 1")
        }
        gap = shared["gap observed"]
        assert gap.group == (("sex", "female minus male"),)
        assert gap.value == pytest.approx(own["female"] - own["male"])
        assert gap.lower <= gap.value <= gap.upper
        (note,) = (note for note in report.notes if note.startswith("gaps: "))
        assert f"all {count} intervals together (each at {100 * each:.4g} %" in note


def test_pairs_of_a_feature_with_several_values_are_distinguished():
    """Of three values, CFA and PBA name the value that a group is compared with; rates stand once; none is of 0."""
    data = two_logits()
    features = [msgspec.structs.replace(one, domain=("female", "male", "other")) if one.name == "sex" else one
                for one in data.spec.features]  # fmt: skip
    spec = checked(msgspec.structs.replace(data.spec, features=tuple(features)))
    network = larger(0, spec.plain_columns + spec.sensitive_columns, (6, 4), logits=2).network
    asked = AuditContext(
        network=network,
        spec=spec,
        commitment=COMMITMENT,
        rows=data.rows[:40],
        options={"people": "3", "robust": "false"},
    )
    report = PersistentBias().run(asked)
    reported = [(one.measure, one.group) for one in report.estimates]
    assert len(reported) == len(set(reported))
    assert [group for measure, group in reported if measure.startswith("selection rate (")] == [
        (("sex", "female"),),
        (("sex", "male"),),
    ]
    observed = {group[0][1] for measure, group in reported if measure.startswith("PBA observed: ")}
    assert {"female against male", "female against other", "male against other"} <= observed
    assert all(one.n for one in report.estimates)
    assert "no row has sex other" in report.notes
    assert not any(measure.startswith("RB") for measure, _ in reported)


def test_several_deltas_are_distinguished():
    """Two deltas give a finding each for every person, and estimates that name them."""
    report = PersistentBias().run(context(options={"delta": "0, 2", "people": "3"}))
    assert [finding.values["delta"] for finding in report] == [0.0] * 6 + [2.0] * 6
    assert any(
        one.measure.startswith("PBA observed: ") and one.measure.endswith(", delta 2") for one in report.estimates
    )
    assert not any(one.measure.startswith("RB") for one in report.estimates)


def test_people_are_a_sample_of_each_group_by_the_seed():
    """So many of each group who count are drawn, others by another seed; the report says of how many, and the seed."""
    found = {}
    for seed in (0, 1):
        report = PersistentBias().run(context(options={"people": "5"}, seed=seed))
        again = PersistentBias().run(context(options={"people": "5"}, seed=seed))
        found[seed] = [finding.row for finding in report]
        assert [(one.row, one.verdict) for one in report] == [(one.row, one.verdict) for one in again]
        assert found[seed] == sorted(found[seed])
        assert [finding.group for finding in report].count((("sex", "female"),)) == 5
        assert report.settings["seed"] == seed
        assert any(f"drawn with seed {seed}" in note for note in report.notes)
    assert found[0] != found[1]
    everybody = PersistentBias().run(context(options={}))
    rows = [finding.row for finding in everybody]
    assert rows == sorted(rows)
    assert set(found[0]) | set(found[1]) < set(rows)
    assert not any("drawn" in note for note in everybody.notes)


def test_a_budget_that_ends_leaves_a_sample_of_both_groups(monkeypatch):
    """People are asked about in turn, so that when time is over after four questions two of each group are known."""
    budgets = iter([None] * 4)

    def left(*_):
        return Budget(10, 1.0) if next(budgets, 0) is None else None

    monkeypatch.setattr(plugin, "_budget", left)
    report = PersistentBias().run(context(options={}))
    known = [finding.group[0][1] for finding in report if finding.reason != "seconds"]
    assert sorted(known) == ["female", "female", "male", "male"]
    assert {one.n for one in report.estimates if one.measure.startswith(("PBA observed: ", "PBA flipped: "))} == {2}


def test_a_run_that_is_stopped_keeps_what_was_answered(monkeypatch):
    """After Ctrl-C each question has its first answers, and everybody else is undecided because of it."""
    answers = iter(range(4))
    real = plugin.assess

    def assessed(*given, **named):
        if next(answers, None) is None:
            raise KeyboardInterrupt
        return real(*given, **named)

    monkeypatch.setattr(plugin, "assess", assessed)
    with pytest.raises(StoppedAuditError) as caught:
        PersistentBias().run(context(options={"delta": "0,1", "people": "3"}))
    report = caught.value.report
    assert len(report.findings) == 12
    known = [finding for finding in report if finding.reason != "stopped"]
    assert sorted((one.values["delta"], one.group[0][1]) for one in known) == [
        (delta, sex) for delta in (0.0, 1.0) for sex in ("female", "male")
    ]
    assert AuditReport.from_json(report.to_json()) == report
    (table,) = report.tables
    decided = sum(one.verdict != "undecided" for one in known)
    assert [row[1] for row in table.rows] == [6, 6]
    assert sum(row[2] for row in table.rows) == 12 - decided


def test_answers_are_told_by_question_undecided_first():
    """Of three pairs of values each is told alone, with what is undecided before all else."""
    data = two_logits()
    rows = [
        dict(row) | {"sex": value} for row, value in zip(data.rows[:60], ["female", "male", "other"] * 20, strict=True)
    ]
    features = [msgspec.structs.replace(one, domain=("female", "male", "other")) if one.name == "sex" else one
                for one in data.spec.features]  # fmt: skip
    spec = checked(msgspec.structs.replace(data.spec, features=tuple(features)))
    network = larger(0, spec.plain_columns + spec.sensitive_columns, (6, 4), logits=2).network
    asked = AuditContext(network=network, spec=spec, commitment=COMMITMENT, rows=rows, max_seconds=0.0)
    report = PersistentBias().run(asked)
    total = len(report.findings)
    short = brief(report)
    assert short.answer.startswith(f"Undecided: {total} of {total} comparisons (the time ended). sex ")
    assert short.answer.count(" undecided, 0 surer, 0 not, of ") == 3
    assert [one.value for one in short.figures] == [f"{total} of {total}", f"0 of {total}", f"0 of {total}"]
    people = len({one.row for one in report})
    run = AuditRun(model=report.model, reports=(report,))
    assert (
        head(run).claim == f"{people} people were looked at one by one; {total} of {total} comparisons are undecided."
    )
    assert "Give the audit pba more time" in str(head(run).steps[0])


def test_a_gap_that_may_be_none_is_not_told_as_one():
    """Where the interval of the gap contains 0, no group has more of it; the figures are of the two of one question."""
    report = PersistentBias().run(context(options={}))
    by_measure = {one.measure.split(":")[0]: one for one in report.estimates}
    enough = tuple(msgspec.structs.replace(one, n=100) for one in report.estimates)
    gap = by_measure["gap observed"]
    for lower, upper, said in (
        (-0.1, 0.3, "No difference is shown between sex = female and sex = male."),
        (0.1, 0.3, "More often where sex = female."),
        (-0.3, -0.1, "More often where sex = male."),
    ):
        estimates = tuple(
            msgspec.structs.replace(one, value=(lower + upper) / 2, lower=lower, upper=upper)
            if one.measure == gap.measure
            else one
            for one in enough
        )
        assert said in brief(msgspec.structs.replace(report, estimates=estimates)).answer


def test_time_that_ends_leaves_people_undecided():
    """Without any time left everybody is undecided, with the reason, and nothing is claimed of them."""
    report = PersistentBias().run(context(max_seconds=0.0))
    assert {(finding.verdict, finding.reason) for finding in report} == {("undecided", "seconds")}


@pytest.mark.parametrize(
    "options",
    [{"delta": "x"}, {"delta": "-1"}, {"units": "age"}, {"units": "sex=1"}, {"units": "age=-1"}, {"radius": "1"}],
)
def test_options_that_mean_nothing_are_refused(options):
    """A wrong option is one line that says which."""
    with pytest.raises(AuditError, match=next(iter(options))):
        PersistentBias().run(context(options=options))


def test_a_sensitive_number_of_many_values_is_not_applicable():
    """Where no sensitive feature has few values there are no pairs, and the reason names the feature."""
    data = make_lending(60, sensitive=("age",))
    network = _any_network(data.spec)
    asked = AuditContext(network=network, spec=data.spec, commitment=COMMITMENT, rows=data.rows, labels=data.labels)
    with pytest.raises(NotApplicableError, match="age has"):
        PersistentBias().run(asked)


def test_it_runs_among_others():
    """The runner takes it, and replays its counterexamples."""
    plugin = PersistentBias()
    assert isinstance(plugin, Audit)
    run = run_all(context(options={}), {"pba": plugin}, ["pba"], options={"pba": {"people": "2"}})
    assert [report.audit for report in run.reports] == ["pba"]
    assert run.failures == ()


def _any_network(spec):
    from tests.certify.tiny import zero

    return zero(spec.plain_columns + spec.sensitive_columns)


def test_a_bound_against_one_label_is_none_against_all(monkeypatch):
    """Of three labels, where the first one refutes bias, nothing is proven of the least odds against both."""
    judged = Judgement("false", Fraction(-5), Fraction(-1), (), "search")

    def assessed(*given, **_):
        return Assessment(given[2], 1, dict.fromkeys(SETTINGS, (judged,)), {})

    monkeypatch.setattr(plugin, "assess", assessed)
    spec = checked(msgspec.structs.replace(two_logits().spec, logits=3, labels=("a", "b", "c")))
    network = larger(0, spec.plain_columns + spec.sensitive_columns, (6, 4), logits=3).network
    where = AuditContext(network=network, spec=spec, commitment=COMMITMENT, rows=two_logits().rows[:40])
    for finding in PersistentBias().run(where):
        assert (finding.verdict, finding.lower) == ("fair", None)
        assert finding.upper >= -1 / 2**network.logit_fraction_bits
    assert {finding.lower is None for finding in PersistentBias().run(context())} == {False}


@pytest.mark.parametrize("number", ["2", "-3"])
def test_a_favorable_label_that_is_none_is_refused(number):
    """A number beyond the labels is one line that names the option."""
    with pytest.raises(AuditError, match="option favorable"):
        PersistentBias().run(context(options={"favorable": number}))
