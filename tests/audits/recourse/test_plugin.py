"""The audit `recourse` against enumeration: outcomes, costs, who depends on a value, groups, and what it says."""

import dataclasses
import math
import random
import re
import statistics
from collections import Counter

import msgspec
import pytest

from equiproof.audits import html
from equiproof.audits.brief import brief, head
from equiproof.audits.context import AuditContext
from equiproof.audits.errors import AuditError, NotApplicableError
from equiproof.audits.intervals import wilson
from equiproof.audits.plugin import Audit, installed
from equiproof.audits.recourse import asked
from equiproof.audits.recourse.plugin import Recourse
from equiproof.audits.recourse.tables import CHANGES, COSTS, DEPENDING, NO_WAY, OUTCOMES_CAPTION
from equiproof.audits.recourse.told import DEPENDENT, MEAN, MEDIAN, NONE, REFUSED, TODAY_CAPTION, WAY, gap_of, said
from equiproof.audits.report import AuditReport, StoppedAuditError
from equiproof.audits.runner import AuditRun, run_all
from equiproof.certify.additive import AdditiveModel
from equiproof.certify.models.ensembles.stepped import as_network
from equiproof.certify.recourse.asked import Asked
from equiproof.certify.recourse.moves import movers
from equiproof.certify.recourse.search import PARTS
from equiproof.circuits.allowed import allowed
from equiproof.circuits.categories import choices_of
from tests.audits.made import report as made_report
from tests.certify.hand_made import by_income
from tests.certify.recourse.cases import choices, ensemble_drawn, row_drawn, spec_drawn
from tests.recourse_cases import RULED, becoming, drawn_row
from tests.support import LOANS

WOMEN, MEN = (("sex", "f"),), (("sex", "m"),)


def model(jumps, bias):
    """Return a model of two thresholds of income, of debt, housing, branch, and of sex."""
    unit = RULED.scale_unit
    return AdditiveModel((0, 0, 1, 2, 7, 8), (-unit, 2 * unit, -unit, unit // 2, -1, 0), jumps, bias, 8, 2, 4)


DEPENDS = model((4, 6, -8, 6, -6, 2), -11)
"""In branch b nobody is granted for every listed value, and with some change for one of sex."""

NEVER = model((4, 3, -8, 6, -7, 1), -11)
"""In branch b nothing helps."""


def rows(count, seed=1, share_of_women=0.2):
    """Draw raw rows; so many of those in branch a are women, and as many of those in branch b men."""
    rng, found = random.Random(seed), []
    for _ in range(count):
        row = drawn_row(rng)
        is_woman = (rng.random() < share_of_women) == (row["branch"] == "a")
        found.append(row | {"sex": "f" if is_woman else "m", "age": rng.choice(("25", "60"))})
    return found


def context(score=DEPENDS, **changes):
    given = {
        "network": as_network(score), "spec": RULED, "commitment": "0x" + "1" * 64, "rows": rows(60), "score": score,
        "options": {"seconds": "0"},
    }  # fmt: skip
    return AuditContext(**given | changes)


@pytest.fixture(scope="module")
def depends():
    return Recourse().run(context())


@pytest.fixture(scope="module")
def never():
    return Recourse().run(context(NEVER, rows=rows(400)))


def decided(score, row):
    """Return the decisions of a row by row of the spec's table."""
    query = RULED.encode(row)
    return [score.decide((*query, *values)) for values in RULED.domain_table]


def table(report, caption):
    """Return the rows of a table of a report."""
    return next(one for one in report.tables if one.caption == caption).rows


def estimate(report, measure, group=()):
    """Return the one estimate of a measure and a group."""
    (found,) = (one for one in report.estimates if (one.measure, one.group) == (measure, group))
    return found


def test_it_is_an_audit_whose_report_reads_back(depends):
    """The plug-in fits the protocol and is installed; its report reads back as it was written."""
    assert isinstance(Recourse(), Audit)
    assert isinstance(installed()["recourse"], Recourse)
    assert AuditReport.from_json(depends.to_json()) == depends
    assert "recourse: loans: cases found" in depends.summary()


@pytest.mark.parametrize(("score", "outcomes"), [(DEPENDS, {"way", "dependent"}), (NEVER, {"way", "none"})])
def test_outcomes_and_costs_are_those_of_enumeration(score, outcomes):
    """Asked are those who are refused for every value; the least cost of who is granted for all is in the bounds."""
    own = rows(60)
    report = Recourse().run(context(score, rows=own))
    assert {one.row for one in report} == {place for place, row in enumerate(own, 1) if not any(decided(score, row))}
    assert {one.values["outcome"] for one in report} == outcomes
    for finding in report:
        everybody = [(cost, decided(score, values)) for values, cost in becoming(RULED, own[finding.row - 1])]
        every = [cost for cost, labels in everybody if all(labels)]
        some = any(any(labels) for _, labels in everybody)
        assert finding.values["outcome"] == ("way" if every else "dependent" if some else "none")
        assert finding.verdict == ("unfair" if some and not every else "fair")
        if every:
            assert finding.lower <= min(every) <= finding.upper
            assert finding.lower <= finding.values["cost"] <= finding.upper
        else:
            assert (finding.lower, finding.upper) == (None, None)


def test_rows_are_counted_by_how_they_are_decided(depends):
    """Granted for every value, both ways and refused for every value: of all, and of each group."""
    own = rows(60)

    def kind(row):
        labels = set(decided(DEPENDS, row))
        return "both" if len(labels) > 1 else "granted" if labels == {1} else "refused"

    counts = {line[0]: line[1:] for line in table(depends, TODAY_CAPTION)}
    assert list(counts)[:5] == ["all", "sex = f", "sex = m", "age = 25", "age = 60"]
    for name, sexes in (("all", "fm"), ("sex = f", "f"), ("sex = m", "m")):
        kinds = Counter(kind(row) for row in own if row["sex"] in sexes)
        assert counts[name] == (kinds.total(), kinds["granted"], kinds["both"], 0, kinds["refused"])
    both = counts["all"][2]
    assert both
    assert any(note.startswith(f"{both} rows are decided both ways by the sensitive values") for note in depends.notes)
    refused = estimate(depends, REFUSED)
    assert (refused.value, refused.n) == (counts["all"][4] / 60, 60)


def test_rows_that_are_decided_both_ways_are_told(depends):
    """They are not asked, and no sentence leaves them out."""
    words = said(depends)
    assert words.both == table(depends, TODAY_CAPTION)[0][3] > 1
    assert f" {words.both} rows are decided both ways by sex and age and were not asked." in words.english
    assert f" {words.both} Zeilen werden je nach sex und age verschieden entschieden und wurden" in words.german
    assert " One row is decided both ways by" in dataclasses.replace(words, both=1).english
    assert " Eine Zeile wird je nach sex und age verschieden " in dataclasses.replace(words, both=1).german
    assert "both ways" not in dataclasses.replace(words, both=0).english


def test_who_depends_on_a_value_is_a_case_with_a_witness(depends):
    """The verdict is unfair; each case has an allowed change, whom it helps, whom not, and no change that helps all."""
    cases = depends.having("unfair")
    lines = {line[0]: line for line in table(depends, DEPENDING)}
    assert depends.verdict == "unfair"
    assert len(cases) / len(depends.findings) == estimate(depends, DEPENDENT).value > 0
    assert set(lines) == {one.row for one in cases}
    for case in cases:
        row = rows(60)[case.row - 1]
        case.counterexample.replay(DEPENDS, RULED)
        assert {one.label for one in case.counterexample.cases} == {"declined", "granted"}
        assert len({one.inputs for one in case.counterexample.cases}) == 1
        _, group, change, granted, refused = lines[case.row]
        assert group == f"sex = {row['sex']}, age = {row['age']}"
        assert granted == "(sex = m, age = 25), (sex = m, age = 60)"
        assert refused == "(sex = f, age = 25), (sex = f, age = 60)"
        assert case.values["change"] == change
        parts = dict(re.fullmatch(r"(\w+) (.+) to (.+)", part).group(1, 3) for part in change.split(", "))
        changed = row | parts
        assert any(all(str(one[name]) == text for name, text in parts.items()) for one, _ in becoming(RULED, row))
        assert decided(DEPENDS, changed) == [int(values[0] == "m") for values in RULED.domain_values]


def test_costs_by_group_count_those_without_a_way(never):
    """Medians are of all asked, without a way unlimited; means are of those with one, with their share beside them."""
    costs = {group: [one for one in never if one.group[:1] == group] for group in (WOMEN, MEN)}
    for group, own in costs.items():
        known = [one.values["cost"] for one in own if one.values["outcome"] == "way"]
        every = known + [math.inf] * (len(own) - len(known))
        middle = statistics.median(every)
        median, mean = estimate(never, MEDIAN, group), estimate(never, MEAN, group)
        assert median.value == (None if middle == math.inf else middle)
        assert (median.n, mean.n) == (len(own), len(known))
        assert mean.lower < mean.value < mean.upper
        assert mean.value == pytest.approx(statistics.fmean(known))
        assert estimate(never, WAY, group).value == len(known) / len(own)
        assert estimate(never, NONE, group).value == (len(own) - len(known)) / len(own)
        line = next(line for line in table(never, COSTS) if line[0] == f"sex = {group[0][1]}")
        assert line[1:4] == (len(own), len(known) / len(own), NO_WAY if middle == math.inf else middle)
        assert line[6:] == (mean.value, len(known))
    assert {estimate(never, MEDIAN, group).value is None for group in costs} == {True, False}
    assert not any(one.measure.startswith(gap_of(MEAN, "")) for one in never.estimates)


def test_differences_that_are_shown_are_told_in_two_languages(never):
    """Women, mostly where nothing helps, have a way less often and at a higher median; age makes no difference."""
    for measure in (WAY, NONE):
        assert estimate(never, gap_of(measure, "sex")).lower > 0.2
        assert estimate(never, gap_of(measure, "age")).lower < 0
    sex, age = (estimate(never, gap_of(MEDIAN, by)) for by in ("sex", "age"))
    assert sex.lower > 0
    assert sex.value is sex.upper is None
    assert age.lower is None
    words = said(never)
    assert {one for one in words.shown if "and" not in one[1]} == {(one, "sex") for one in (WAY, NONE, MEDIAN)}
    counts = Counter(one.values["outcome"] for one in never)
    assert brief(never).answer == words.english
    assert words.english.startswith(
        f"Of {len(never.findings)} refused people asked, recourse depends on sex and age alone for nobody. Whatever "
        f"sex and age are, there is a way for {counts['way']} and none for {counts['none']}. "
        "The share with a way is "
        "shown to differ by sex; "
    )
    assert never.notes[0] == words.german
    assert words.german.startswith(
        f"Von {len(never.findings)} gefragten Abgelehnten hängt es bei niemandem allein von sex und age ab, ob etwas "
        f"hilft. Gleich welchen Wert sex und age haben, gibt es für {counts['way']} einen Weg und für {counts['none']} "
        "keinen. Der Anteil mit einem Weg unterscheidet sich erwiesen nach sex; "
    )


def test_nothing_is_told_of_groups_that_do_not_differ():
    """Where sex goes with nothing, intervals hold 0, and the sentence says that nothing is shown."""
    report = Recourse().run(context(NEVER, rows=rows(150, share_of_women=0.5)))
    assert said(report).shown == ()
    assert said(report).english.endswith(" No difference between groups is shown.")
    assert said(report).german.endswith(" Kein Unterschied zwischen Gruppen ist erwiesen.")
    assert all(one.lower is None or one.lower <= 0 for one in report.estimates if ": difference by " in one.measure)


def test_features_that_ways_change_are_counted_by_group(never):
    """Of those with a way, how many change each feature, most often first, with Wilson's interval."""
    counts = {}
    for one in never:
        for name in str(one.values.get("changes", "")).split(", ") if one.values["outcome"] == "way" else ():
            counts.setdefault("all", Counter())[name] += 1
            counts.setdefault(f"sex = {dict(one.group)['sex']}", Counter())[name] += 1
    ways = {line[0]: line[2] for line in table(never, OUTCOMES_CAPTION)}
    for group, own in counts.items():
        lines = [line[1:] for line in table(never, CHANGES) if line[0] == group]
        assert {line[0]: line[1] for line in lines} == dict(own)
        assert [line[1] for line in lines] == sorted(own.values(), reverse=True)
        for _, count, total, share, *ends in lines:
            assert (total, share, tuple(ends)) == (ways[group], count / total, wilson(count, total))


def test_a_sample_is_drawn_with_the_seed():
    """So many refused rows are asked, others with another seed, and a note says so; small groups are named."""
    few = {"seconds": "0", "rows": "10"}
    one, again, other = (Recourse().run(context(NEVER, options=few, seed=seed)) for seed in (1, 1, 2))
    asked_rows = [{finding.row for finding in report} for report in (one, again, other)]
    assert len(asked_rows[0]) == 10
    assert asked_rows[0] == asked_rows[1] != asked_rows[2]
    assert any(re.match(r"10 of \d+ refused rows are asked, drawn with the seed", note) for note in one.notes)
    assert any(note.startswith("groups with fewer than 30 rows asked have no part in dif") for note in one.notes)
    assert all(gap.value is None for gap in one.estimates if ": difference by " in gap.measure)
    assert "difference" not in said(one).english


def test_undecided_rows_may_have_a_way_or_none():
    """Shares are between both outcomes, and each reason is counted; where no choice is granted, there is no way."""
    report = Recourse().run(context(model((7, 6, -5, 5, -6, 1), -13)))
    open_ = report.having("undecided")
    ways = sum(one.values["outcome"] == "way" for one in report)
    assert open_
    assert ways
    reason = "only people between or beyond the values that the rules allow are decided otherwise"
    assert {one.reason for one in open_} == {reason}
    assert f"undecided: {len(open_)}, as {reason}" in report.notes
    part = [one for one in report if "none within percent" in one.values]
    assert part
    assert {one.values["none within percent"] for one in part} <= {*PARTS}
    assert {one.verdict for one in part} == {"undecided"}, "a none of a part is counted as no none"
    assert any(note.startswith(f"for {len(part)} of the undecided no change helps within") for note in report.notes)
    none = estimate(report, NONE)
    assert (none.value, none.method) == (0, "Wilson, undecided either way")
    assert none.upper == wilson(len(open_), len(report.findings))[1]
    assert estimate(report, WAY).method == "Wilson"
    assert brief(report).tag == "undecided"
    assert said(report).english.count(f"; undecided: {len(open_)}.") == 1
    assert said(report).german.count(f"; unentschieden: {len(open_)}.") == 1


def test_time_that_ends_and_ctrl_c_leave_what_is_known(monkeypatch):
    """Without any second nothing is known, and that is a reason; Ctrl-C keeps the rows before it."""
    report = Recourse().run(context(max_seconds=0.0))
    assert (report.verdict, report.findings) == ("undecided", ())
    assert brief(report).answer == "Not known for the model as a whole: the time ended before anybody was asked."
    real, calls = asked.search, []

    def stopping(*given, **options):
        calls.append(given)
        if len(calls) > 5:
            raise KeyboardInterrupt
        return real(*given, **options)

    monkeypatch.setattr(asked, "search", stopping)
    with pytest.raises(StoppedAuditError) as stop:
        Recourse().run(context())
    kept = stop.value.report
    assert len(kept.findings) == 5
    assert any(re.match(r"the run ended after 5 of \d+ rows, in the order of the draw", note) for note in kept.notes)


def test_progress_ends_at_its_total():
    """Decisions and rows are steps of one bar."""
    steps = []
    report = Recourse().run(context(NEVER, progress=lambda *step: steps.append(step)))
    assert steps == sorted(steps)
    assert steps[-1] == (100 + len(report.findings),) * 2


def test_a_spec_without_rules_is_refused_with_the_way_to_draft_them():
    """One line names the command; in a run the audit does not apply."""
    bare = AuditContext(
        network=by_income(), spec=LOANS, commitment="", rows=[{"income": 1, "housing": "own", "sex": "f"}]
    )
    with pytest.raises(NotApplicableError, match=r"no rules of change \(equiproof spec --changes drafts them\)$"):
        Recourse().run(bare)
    (failure,) = run_all(bare, installed(), ["recourse"]).failures
    assert failure.outcome == "not applicable"


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("rows", "-1", "recourse: option rows: want 0 or more, not -1"),
        ("seconds", "-0.5", "recourse: option seconds: want 0 or more, not -0.5"),
        ("bands", "1", "recourse: option bands: want 2 or more, not 1"),
        ("least-rows", "0", "recourse: option least-rows: want 1 or more, not 0"),
        ("label", "maybe", "recourse: option label: 'maybe' is not one of declined, granted"),
    ],
)
def test_options_that_do_not_fit_are_named(name, text, message):
    """One line with what is wanted."""
    with pytest.raises(AuditError, match=f"^{re.escape(message)}$"):
        Recourse().run(context(options={name: text}))


def test_nobody_is_refused():
    """Where nobody is refused for every value there is nothing to ask, and the sentence says so."""
    report = Recourse().run(context(model((4, 6, -8, 6, -6, 2), 90)))
    assert (report.verdict, report.findings) == (None, ())
    short = brief(report)
    assert (short.tag, short.answer) == (
        "measures only", "Nobody was asked: no row is refused for every listed value.",
    )  # fmt: skip
    assert report.notes[0].startswith("Niemand wurde gefragt: ")


def test_the_wanted_label_can_be_the_other_one():
    """Who is granted for every value may ask what would have them declined."""
    report = Recourse().run(context(options={"seconds": "0", "label": "declined", "rows": "3"}, rows=rows(200)))
    asked_rows = [rows(200)[one.row - 1] for one in report]
    assert asked_rows
    assert all(all(decided(DEPENDS, row)) for row in asked_rows)


def test_a_network_is_asked_as_well():
    """The network that decides as the model, without the model: outcomes agree with enumeration as far as known."""
    bare = dataclasses.replace(context(NEVER), score=None, options={"seconds": "2", "rows": "6"})
    report = Recourse().run(bare)
    for one in report:
        everybody = [decided(NEVER, values) for values, _ in becoming(RULED, rows(60)[one.row - 1])]
        known = "way" if any(map(all, everybody)) else "dependent" if any(map(any, everybody)) else "none"
        assert one.values["outcome"] in (known, "undecided")
    assert {one.values["outcome"] for one in report} & {"way", "none"}


@pytest.mark.parametrize("seed", [0, 2, 7])
def test_ensembles_are_asked_under_specs_of_every_kind(seed):
    """Missing values, categories, features that change together: all that is granted to somebody is no none."""
    rng, met = random.Random(seed), Counter()
    for _ in range(6):
        spec = spec_drawn(rng)
        score = ensemble_drawn(rng, spec)
        names = [one.name for one in spec.sensitive_features]
        sensitive = [dict(zip(names, values, strict=True)) for values in spec.domain_values]
        own = [row_drawn(rng, spec) | rng.choice(sensitive) for _ in range(12)]
        where = context(score, spec=spec, rows=own)
        run = run_all(where, installed(), ["recourse"], options={"recourse": {"seconds": "0"}})
        assert run.failures == ()
        for finding in run.reports[0]:
            query = tuple(spec.encode(own[finding.row - 1]))
            may = movers(spec, allowed(spec, own[finding.row - 1], {}))
            person = Asked(query, spec.domain_table, 1, may, choices_of(spec))
            granted = [
                [score.decide((*point, *values)) == 1 for values in spec.domain_table] for _, point in choices(person)
            ]
            met[finding.values["outcome"]] += 1
            if finding.values["outcome"] == "way":
                assert any(map(all, granted))
            elif finding.values["outcome"] != "undecided":
                assert not any(map(all, granted))
                assert any(map(any, granted)) == (finding.values["outcome"] == "dependent")
    assert set(met) >= {"way", "none", "dependent"}


def test_page_and_first_screen_show_it(depends):
    """The page has the table of rows that depend on a value; what to do next is that somebody looks at them."""
    run = AuditRun(model=depends.model, reports=(depends,))
    count = len(depends.having("unfair"))
    step = f"Let somebody look at the {count} people whose recourse depends on sex and age alone."
    assert step in [str(one) for one in head(run).steps]
    page = html.render(run, spec=RULED, rows=rows(60), date="1 June 2031")
    assert DEPENDING in page
    assert COSTS in page
    assert step in page
    short = brief(depends)
    assert short.tag == "cases found"
    assert short.figures[0].value == f"{count} of {len(depends.findings)}"
    assert len(short.figures) <= 3
    assert said(made_report()) is None
    assert brief(msgspec.structs.replace(depends, tables=())).question == "What does the audit recourse find?"
