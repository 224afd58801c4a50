"""PROF as an audit: exact verdicts with counterexamples that replay, and a repair that is reported in figures."""

import numpy as np
import pytest

from equiproof.audits.context import AuditContext
from equiproof.audits.data import AuditRows
from equiproof.audits.errors import AuditError
from equiproof.audits.plugin import Audit, settings
from equiproof.audits.prof import run
from equiproof.audits.prof.clock import ENDLESS, Clock
from equiproof.audits.prof.exact import Alike, compare
from equiproof.audits.prof.metrics import sampled
from equiproof.audits.prof.plugin import ProvableRepair
from equiproof.audits.prof.repair import repair
from equiproof.audits.prof.run import read_relaxed
from equiproof.audits.prof.similar import Similarity
from equiproof.audits.report import AuditReport
from equiproof.audits.runner import run_all
from tests.audits.prof.tiny import AGE, HOME, LOANS, SEX, coarse, network

OPTIONS = {"steps": "15", "points": "15", "samples": "50"}
ROWS = [
    {"amount": n % 21, "home": HOME.domain[n % 3], "sex": SEX.domain[n % 2], "age": AGE.domain[n % 11]}
    for n in range(40)
]


def context(given=ROWS, **more):
    """Return a tiny model with forty rows, or those given."""
    labels = [n % 2 for n in range(40)]
    more = {"options": OPTIONS, "labels": labels} | more
    return AuditContext(network=network(LOANS, seed=3), spec=LOANS, commitment="0x1", rows=given, **more)


def report_of(given):
    """Run the audit as the runner does, which replays counterexamples."""
    run = run_all(given, {"prof": ProvableRepair()}, ["prof"], options={"prof": given.options})
    assert not run.failures
    return run.reports[0]


@pytest.fixture(scope="module")
def report():
    """The report on a model that is unfair to some."""
    return report_of(context())


def test_it_is_an_audit(report):
    """The class is a plug-in, and what it returns travels as JSON."""
    assert isinstance(ProvableRepair(), Audit)
    assert AuditReport.from_json(report.to_json()) == report
    assert "prof" in report.summary()


def test_verdicts_are_those_of_every_sensitive_value(report):
    """A row is unfair exactly where two of its sensitive values are decided differently."""
    net = network(LOANS, seed=3)
    assert len(report.findings) == 15
    for finding in report.findings:
        query = LOANS.encode(ROWS[finding.row - 1])
        labels = {net.decide((*query, *line)) for line in LOANS.domain_table}
        assert (finding.verdict == "fair") == (len(labels) == 1)
    assert report.having("unfair")
    assert report.verdict == "unfair"


@pytest.mark.sampled(1)
@pytest.mark.parametrize("seed", range(3))
def test_a_tie_hides_no_unfair_row(seed):
    """A row whose values tie and decide two labels is unfair; undecided is one with ties and a single label at most."""
    net, outcomes = coarse(LOANS, seed), set()
    asked = {"network": net, "spec": LOANS, "commitment": "0x1", "rows": ROWS}
    report = report_of(AuditContext(**asked, options=OPTIONS | {"steps": "0", "points": "40", "samples": "0"}))
    for finding in report.findings:
        query = LOANS.encode(ROWS[finding.row - 1])
        labels = {net.decide((*query, *line)) for line in LOANS.domain_table}
        decided = labels - {None}
        assert finding.verdict == ("unfair" if len(decided) > 1 else "undecided" if None in labels else "fair")
        outcomes.add((finding.verdict, None in labels))
    assert ("unfair", True) in outcomes or ("undecided", True) in outcomes


def test_the_repair_is_reported_before_and_after(report):
    """CUR falls to 0, and the measures before are counts of the model as it is."""
    (table,) = report.tables
    measures = {name: (before, after) for name, before, after in table.rows}
    unfair = len(report.having("unfair")) / 15
    assert measures["CUR, share of 15 repair points"] == measures["IDI, share of 15 findings"] == (unfair, 0.0)
    assert len(measures) == 4
    (idi,) = report.estimates
    assert measures["IDI-D, share of these 40 rows"][0] == idi.value
    assert idi.n == 40
    assert report.notes[0] == "step 1 of the repair trains the hidden layers for 15 steps, and minimises no change"
    assert report.notes[1].startswith("step 2 changes the last layer by ")
    assert "before and after the repair\n    measure " in report.summary()


@pytest.mark.parametrize(("relaxed", "most", "drawn"), [("", 20, 50), ("amount=1", 1000, 50), ("amount=1", 20, 20)])
def test_random_inputs_are_counted_with_relaxed_features_too(monkeypatch, relaxed, most, drawn):
    """IDI-S stands in the table for every relation, as an exact count; fewer inputs than requested are noted."""
    monkeypatch.setattr(run, "_RELAXED_SAMPLES", most)
    given = context(options=OPTIONS | {"relaxed": relaxed})
    report = report_of(given)
    (table,) = report.tables
    measures = {name: (before, after) for name, before, after in table.rows}
    before, after = measures[f"IDI-S, share of {drawn} random inputs"]
    relation = Similarity.of(LOANS, read_relaxed(relaxed))
    inputs = sampled(LOANS, drawn, given.seed, ROWS)
    answers = [compare(given.network, relation.boxes(tuple(query.tolist()))) for query in inputs]
    assert before == sum(not isinstance(answer, Alike) for answer in answers) / drawn > 0
    assert 0 <= after <= 1
    note = "IDI-S is over 20 random inputs, not 50: with relaxed features each takes a search of its own"
    assert (note in report.notes) == (drawn == 20)


def test_accuracy_is_of_rows_that_the_repair_did_not_see(monkeypatch):
    """Where rows are left that are neither repair points nor kept, they alone are judged, before and after."""
    monkeypatch.setattr(run, "_KEPT_ROWS", 10)
    (table,) = report_of(context()).tables
    measures = {name: (before, after) for name, before, after in table.rows}
    before, after = measures["accuracy over 15 rows that the repair did not see"]
    order = np.random.Generator(np.random.PCG64(0)).permutation(40)[25:].tolist()
    net, spec = network(LOANS, seed=3), LOANS
    right = [net.decide((*spec.encode(ROWS[n]), *spec.encode_sensitive(ROWS[n]))) == n % 2 for n in order]
    assert before == sum(right) / 15
    assert 0 <= after <= 1


def test_no_accuracy_is_told_of_rows_that_the_repair_was_fitted_to(report):
    """Where the repair saw every row, the report says so, and how many rows would be enough."""
    (table,) = report.tables
    assert not any(str(name).startswith("accuracy") for name, _, _ in table.rows)
    told = "audit more than 515 rows to measure accuracy: the repair saw all of these 40, "
    assert [note for note in report.notes if note.startswith(told)]
    assert not any("accuracy" in note for note in report_of(context(labels=None)).notes)


def told(given):
    """Return the measures before and after the repair that the audit tells of a context, and its notes."""
    found = report_of(given)
    (table,) = found.tables
    return {name: (before, after) for name, before, after in table.rows}, found.notes


def test_a_repair_is_fitted_to_training_rows(monkeypatch):
    """Repair points and kept rows are of the training split, findings and accuracy of the rows audited."""
    seen = []

    def watched(network, similarity, queries, kept, *rest):
        seen.append((queries, kept))
        return repair(network, similarity, queries, kept, *rest)

    monkeypatch.setattr(run, "repair", watched)
    training = AuditRows([{"amount": 20 - n % 9, "home": "own", "sex": "f", "age": "21"} for n in range(30)], [1] * 30)
    measures, notes = told(context(training=training))
    ((queries, (inputs, labels)),) = seen
    assert len(queries) == len(inputs) == 15
    fitted = {LOANS.encode(row) for row in training.rows}
    assert {*queries, *(tuple(row[: LOANS.plain_columns].tolist()) for row in inputs)} <= fitted
    assert set(labels.tolist()) == {1}
    assert measures["CUR, share of 15 repair points"][1] == 0.0
    found = report_of(context())
    assert measures["IDI, share of 15 findings"][0] == len(found.having("unfair")) / 15
    net = network(LOANS, seed=3)
    right = [net.decide((*LOANS.encode(row), *LOANS.encode_sensitive(row))) == n % 2 for n, row in enumerate(ROWS)]
    assert measures["accuracy over 40 rows that the repair did not see"][0] == sum(right) / 40
    assert not any("accuracy" in note for note in notes)


def test_training_rows_that_are_audited_count_for_no_accuracy():
    """Of rows audited that are training rows as well, accuracy leaves those out, and says so where none is left."""
    half, _ = told(context(training=AuditRows(ROWS[:30], [n % 2 for n in range(30)])))
    assert "accuracy over 10 rows that the repair did not see" in half
    whole, notes = told(context(training=AuditRows(ROWS)))
    assert not any(name.startswith("accuracy") for name in whole)
    assert "audit rows of the test split to measure accuracy: all of these 40 are training rows" in notes


def test_training_rows_that_do_not_fit_are_named():
    """The complaint says that it is about a training row."""
    with pytest.raises(AuditError, match=r"^training: row 1: "):
        ProvableRepair().run(context(training=AuditRows([{"home": "own"}])))


def stepping(last):
    """Return a clock that goes one second further each time it is asked and ends at one, and what it was asked."""
    asked = []

    def now():
        asked.append(float(len(asked)))
        return asked[-1]

    return Clock(float(last), now), asked


@pytest.mark.parametrize("last", [0, 40, 160])
def test_every_step_ends_with_the_time(last):
    """Once the time has ended, each step asks the clock once more and stops; what is left open is told."""
    clock, asked = stepping(last)
    given = context(options=OPTIONS | {"relaxed": "amount=1"})
    found = run.Run(ProvableRepair(), given, settings(ProvableRepair(), given.options), clock).report()
    assert len(asked) <= last + 24
    open_ = found.having("undecided")
    assert {finding.reason for finding in open_} <= {"the time ended"}
    assert last or len(open_) == 15
    assert any("the time ended" in note for note in found.notes)


def test_rows_that_are_all_fair_make_a_fair_verdict(report):
    """Of rows that are fair one by one, every finding and the verdict are fair."""
    rows = [ROWS[finding.row - 1] for finding in report.having("fair")]
    assert rows
    fair = report_of(context(given=rows, labels=None))
    assert {finding.verdict for finding in fair.findings} == {fair.verdict} == {"fair"}


def test_options_without_a_meaning_are_refused():
    """Sets, points and relaxations that are none are named."""
    for option, complaint in (
        ("sets", "want points, symbolic or concrete"),
        ("points", "is not a whole number"),
        ("last_layer", "want yes or no"),
        ("least_kept", "want a share from 0 to 1"),
    ):
        with pytest.raises(AuditError, match=complaint):
            ProvableRepair().run(context(options={option: "x"}))
    assert read_relaxed("amount=1/2, home=1") == {"amount": 0.5, "home": 1}
    for text in ("amount", "amount=x", "=1=", "amount=1/0"):
        with pytest.raises(AuditError, match="relaxed: "):
            read_relaxed(text)


def test_steps_can_be_left_out_and_rows_be_kept():
    """Without either step there is no repair, and the attempt is noted; a share of the kept rows reaches the repair."""
    none = report_of(context(options=OPTIONS | {"steps": "0", "last_layer": "no"}))
    assert any("last layer unchanged: " in note for note in none.notes)
    kept = report_of(context(options=OPTIONS | {"steps": "0", "last_layer": "no", "least_kept": "1"}, labels=None))
    assert not kept.tables
    asked = run.Run(ProvableRepair(), context(), settings(ProvableRepair(), OPTIONS | {"least_kept": "3/4"}), ENDLESS)
    assert asked._settings().least_right == 19  # of 40 rows 25 are kept
    assert asked._settings().last_layer


def test_some_of_the_sensitive_features_are_not_enough():
    """A repair for one of two sensitive features is not made; the audit says so and is not run."""
    run = run_all(context(sensitive_features=("sex",)), {"prof": ProvableRepair()}, ["prof"])
    assert [one.outcome for one in run.failures] == ["not applicable"]
