"""Audits run one after the other: no plug-in takes the others with it, and what is kept is taken over."""

import errno
import json
from pathlib import Path

import msgspec
import numpy as np
import pytest

from equiproof.audits.data import AuditRows
from equiproof.audits.errors import AuditError, NotApplicableError
from equiproof.audits.plugin import Broken, Option
from equiproof.audits.report import AuditReport
from equiproof.audits.runner import AuditRun, run_all
from tests.audits.made import ROWS, Made, bare, context, pair, report
from tests.certify.hand_made import by_income, by_sex, never


def raising(error):
    """Return a run that raises."""

    def act(_where):
        raise error

    return act


def one(audit, where=None, **more):
    """Run one audit."""
    return run_all(where or context(), {audit.name: audit}, [audit.name], **more)


def test_reports_come_in_the_order_that_was_asked_for():
    """Every audit is run once, in order, and its report is there."""
    audits = {name: Made(lambda where, name=name: bare(where, name), name=name) for name in ("a", "b", "c")}
    done = run_all(context(), audits, ["c", "a", "c"])
    assert [found.audit for found in done.reports] == ["c", "a"]
    assert done.failures == ()
    assert done.model == context().model


def test_a_time_limit_is_that_of_all_audits_together(monkeypatch):
    """Each gets an equal share of what is left: one that takes longer than its own takes it from those after it."""
    clock, given = [100.0], []
    monkeypatch.setattr("time.monotonic", lambda: clock[0])

    def run(name, takes):
        def act(where):
            given.append(where.max_seconds)
            clock[0] += takes
            return bare(where, name)

        return act

    takes = {"a": 2.0, "b": 22.0, "c": 40.0, "d": 1.0}
    audits = {name: Made(run(name, seconds), name=name) for name, seconds in takes.items()}
    done = run_all(context(max_seconds=60.0), audits, list(takes))
    assert given == [15.0, 19.33, 18.0, 0.0]
    assert len(done.reports) == 4
    given.clear()
    run_all(context(), audits, ["a", "b"])
    assert given == [None, None]


LIES = {
    "another model": lambda _where: bare(context(never(), commitment="cd" * 32)),
    "another audit": lambda where: bare(where, "other"),
    "a changed logit": lambda where: report(
        where, findings=(_lied(report(where).findings[1], logits=("513",)),), verdict=None
    ),
    "a changed label": lambda where: report(
        where, findings=(_lied(report(where).findings[1], label="declined"),), verdict=None
    ),
    "no report": lambda _where: {"verdict": "fair"},
    "nothing": lambda _where: None,
    "infinite": lambda where: bare(where, settings={"x": float("inf")}),
    "a word that is no verdict": lambda where: msgspec.structs.replace(bare(where), verdict="biased"),
}


def _lied(finding, **fields):
    """Return a finding whose counterexample's second case has other fields."""
    first, second = finding.counterexample.cases
    cases = (first, msgspec.structs.replace(second, **fields))
    return msgspec.structs.replace(finding, counterexample=msgspec.structs.replace(finding.counterexample, cases=cases))


@pytest.mark.parametrize("lie", LIES)
def test_a_report_that_is_not_true_is_a_failure(lie):
    """A counterexample that the model does not confirm, or an invalid report, is a failure and is not passed on."""
    done = one(Made(LIES[lie]), context(by_sex()))
    assert (done.reports, [found.outcome for found in done.failures]) == ((), ["failed"])


@pytest.mark.parametrize(
    ("error", "outcome", "reason"),
    [
        (NotApplicableError("wants two\nlabels"), "not applicable", "wants two labels"),
        (AuditError("row 3: no"), "failed", "row 3: no"),
        (ValueError("what\tever"), "failed", "ValueError: what ever"),
        (KeyError(), "failed", "KeyError"),
        (RecursionError(), "failed", "RecursionError"),
        (MemoryError(), "failed", "MemoryError"),
        (SystemExit(0), "failed", "SystemExit: 0"),
        (AssertionError("x"), "failed", "AssertionError: x"),
    ],
)
def test_whatever_an_audit_raises_is_reported_and_others_run(error, outcome, reason):
    """The reason is one line, and the next audit has its report."""
    audits = {"bad": Made(raising(error), name="bad"), "made": Made(bare)}
    done = run_all(context(), audits, ["bad", "made"])
    (failure,) = done.failures
    assert (failure.audit, failure.outcome, failure.reason) == ("bad", outcome, reason)
    assert [found.audit for found in done.reports] == ["made"]


def test_ctrl_c_is_not_an_audits_failure():
    """The user's own wish to stop is heard."""
    with pytest.raises(KeyboardInterrupt):
        one(Made(raising(KeyboardInterrupt())))


def test_a_broken_plug_in_is_a_failure():
    """An audit that did not load is reported in its place."""
    done = run_all(context(), {"made": Broken("made", "ImportError: no")}, ["made"])
    assert [(found.outcome, found.reason) for found in done.failures] == [("failed", "ImportError: no")]


def test_an_audit_that_lacks_something_is_not_run():
    """Missing needs are named, and nothing is tried."""
    audit = Made(bare, needs=frozenset({"rows", "labels", "linear"}))
    done = one(audit, context(rows=(), labels=None))
    assert [(found.outcome, found.reason) for found in done.failures] == [
        (
            "not applicable",
            "needs the true decision of each row, a linear model besides the network and rows of raw features",
        )
    ]
    assert audit.runs == 0


@pytest.mark.parametrize(
    ("names", "options", "said"),
    [
        (["maid"], {}, "no audit is called 'maid'; there are made, other"),
        (["made"], {"maid": {"a": "1"}}, "no audit is called 'maid'"),
        (["made"], {"other": {"a": "1"}}, "leave out options for other, which is not one of the audits to run: made"),
        (["made"], {"made": {"b": "1"}}, "made: no option is called 'b'; there are a"),
        (["made"], {"made": {"a": "x"}}, "made: option a: 'x' is not a whole number"),
    ],
)
def test_a_users_mistake_is_reported_before_anything_runs(names, options, said):
    """Names and options that are none end the run, not the audit."""
    made = Made(bare, options=(Option("a", "a number", 1),))
    with pytest.raises(AuditError, match=f"^{said}"):
        run_all(context(), {"made": made, "other": Made(name="other")}, names, options=options)
    assert made.runs == 0


def test_a_row_that_does_not_fit_is_reported_before_anything_runs():
    """Rows are the user's: the first that does not fit is named, and no audit is to blame."""
    made = Made(bare)
    with pytest.raises(AuditError, match=r"^row 2: feature 'income'"):
        one(made, context(rows=(ROWS[0], ROWS[1] | {"income": "x"}), labels=None))
    assert made.runs == 0


def test_progress_is_made_for_each_audit():
    """Each audit moves its own bar."""
    calls = []

    def act(where):
        where.progress(1, 2)
        return bare(where)

    one(Made(act), progress=lambda name: lambda done, total: calls.append((name, done, total)))
    assert calls == [("made", 1, 2)]


def test_options_reach_the_audit():
    """The audit reads the values that were given to it, and not those of others."""
    seen = {}

    def act(where):
        seen.update(where.options)
        return bare(where)

    one(Made(act, options=(Option("a", "", 1),)), options={"made": {"a": "7"}})
    assert seen == {"a": "7"}


class TestKept:
    """Reports are kept as soon as they are there, and taken over when the same is asked again."""

    def test_a_kept_report_is_taken_over(self, tmp_path):
        """The second run runs nothing, and says the same."""
        audit = Made(bare)
        first = one(audit, keep=tmp_path / "kept")
        second = one(audit, keep=tmp_path / "kept")
        assert audit.runs == 1
        assert second == first

    def test_what_failed_is_tried_again(self, tmp_path):
        """A failure is not kept; the reports before it are."""
        good, bad = Made(bare), Made(raising(ValueError("x")), name="bad")
        audits = {"made": good, "bad": bad}
        run_all(context(), audits, ["made", "bad"], keep=tmp_path)
        bad.act = lambda where: bare(where, "bad")
        done = run_all(context(), audits, ["made", "bad"], keep=tmp_path)
        assert (good.runs, bad.runs, len(done.reports)) == (1, 2, 2)

    def test_what_was_finished_survives_an_interruption(self, tmp_path):
        """Ctrl-C in the second audit leaves the report of the first."""
        good, bad = Made(bare), Made(raising(KeyboardInterrupt()), name="bad")
        for _ in range(2):
            with pytest.raises(KeyboardInterrupt):
                run_all(context(), {"made": good, "bad": bad}, ["made", "bad"], keep=tmp_path)
        assert (good.runs, bad.runs) == (1, 2)
        assert len(list(tmp_path.iterdir())) == 1

    @pytest.mark.parametrize(
        ("changed", "options"),
        [
            ({"seed": 1}, {}),
            ({"max_seconds": 5.0}, {}),
            ({"rows": ROWS[::-1], "labels": None}, {}),
            ({"labels": (0, 0, 0, 0)}, {}),
            ({"rows": (*ROWS[:3], ROWS[3] | {"sex": "f"})}, {}),
            ({"commitment": "cd" * 32}, {}),
            ({"network": by_income()}, {}),
            ({"linear": {"weights": (1, 2)}}, {}),
            ({"training": AuditRows([ROWS[0] | {"sex": "f"}])}, {}),
            ({"training": AuditRows(ROWS[:1])}, {}),
            ({}, {"made": {"a": "2"}}),
        ],
    )
    def test_what_is_asked_otherwise_is_run_anew(self, tmp_path, changed, options):
        """Another model, other rows, seed, budget or options: another report."""
        audit = Made(bare, options=(Option("a", "", 1),))
        one(audit, context(by_sex()), keep=tmp_path)
        changed = {"network": by_sex()} | changed
        one(audit, context(**changed), options=options, keep=tmp_path)
        assert audit.runs == 2
        one(audit, context(**changed), options=options, keep=tmp_path)
        assert audit.runs == 2

    def test_one_label_of_thousands_is_asked_otherwise(self, tmp_path):
        """Labels in an array are compared to the last one, which the array's own text leaves out."""
        audit, rows = Made(bare), ROWS * 500
        labels = np.zeros(len(rows), dtype=np.int64)
        one(audit, context(rows=rows, labels=labels), keep=tmp_path)
        changed = labels.copy()
        changed[1000] = 1
        one(audit, context(rows=rows, labels=changed), keep=tmp_path)
        assert audit.runs == 2
        one(audit, context(rows=rows, labels=changed.tolist()), keep=tmp_path)
        assert audit.runs == 2

    def test_another_version_of_an_audit_is_run_anew(self, tmp_path):
        """What an older version found is not believed of a newer one."""
        old, new = Made(bare), Made(bare, version="2")
        one(old, keep=tmp_path)
        one(new, keep=tmp_path)
        assert new.runs == 1

    def test_a_default_that_is_spelled_out_is_the_same(self, tmp_path):
        """What counts is the value, not whether it was given."""
        audit = Made(bare, options=(Option("a", "", 1),))
        one(audit, keep=tmp_path)
        one(audit, keep=tmp_path, options={"made": {"a": "1"}})
        assert audit.runs == 1

    @pytest.mark.parametrize("kind", ["model", "witness", "audit", "nonsense"])
    def test_a_kept_report_of_something_else_is_refused(self, tmp_path, kind):
        """A kept report of another model, with a changed counterexample, or of other bytes is refused."""
        where = context(by_sex())
        audit = Made(lambda where: report(where, findings=(report(where).findings[1],)))
        one(audit, where, keep=tmp_path)
        (path,) = tmp_path.iterdir()
        document = json.loads(path.read_text())
        if kind == "model":
            document["model"]["commitment"] = "cd" * 32
        elif kind == "witness":
            document["findings"][0]["witness"]["cases"][0]["logits"] = ["1"]
        elif kind == "audit":
            document["audit"] = "other"
        path.write_text("nonsense" if kind == "nonsense" else json.dumps(document))
        with pytest.raises(AuditError, match=path.name):
            one(audit, where, keep=tmp_path)
        assert audit.runs == 1

    def test_kept_reports_are_for_their_owner(self, tmp_path):
        """They tell about applicants: nobody else reads them, and nothing half-written is left."""
        one(Made(bare), keep=tmp_path)
        (path,) = tmp_path.iterdir()
        assert path.stat().st_mode & 0o077 == 0
        assert AuditReport.from_json(path.read_text()).audit == "made"

    def test_a_full_disk_names_the_kept_report(self, tmp_path, monkeypatch):
        """Where a report cannot be kept, the error names its file, not a temporary one, and leaves none of either."""

        def refusing(temporary, _path):
            raise OSError(errno.ENOSPC, "No space left on device", str(temporary))

        monkeypatch.setattr("pathlib.Path.replace", refusing)
        with pytest.raises(OSError, match="No space left") as caught:
            one(Made(bare), keep=tmp_path)
        assert Path(caught.value.filename).parent == tmp_path
        assert not Path(caught.value.filename).name.startswith(".")
        assert list(tmp_path.iterdir()) == []

    def test_a_folder_that_cannot_be_made_is_reported_first(self, tmp_path):
        """A file in its place ends the run before anything long is started."""
        (tmp_path / "kept").write_text("")
        audit = Made(bare)
        with pytest.raises(FileExistsError):
            one(audit, keep=tmp_path / "kept")
        assert audit.runs == 0


def test_a_run_travels_without_loss():
    """The document of a run is read back as it was, and refused when it is another."""
    audits = {"made": Made(report), "bad": Made(raising(ValueError("x")), name="bad")}
    done = run_all(context(by_sex()), audits, ["made", "bad"])
    assert AuditRun.from_json(done.to_json()) == done
    with pytest.raises(AuditError, match=r"^audits: give the file as the audit wrote it: not a valid equiproof-audits"):
        AuditRun.from_json(report().to_json())


def test_a_runs_summary_has_reports_and_failures():
    """Every audit that was asked for is in the summary."""
    audits = {"made": Made(report), "bad": Made(raising(ValueError("x")), name="bad")}
    said = run_all(context(by_sex()), audits, ["made", "bad"]).summary()
    assert said.startswith("made: loans: cases found\n")
    assert "\nbad: failed\n" in said
    assert "It has no result: ValueError: x." in said
    assert said.index("made: loans") < said.index("In short") < said.index("What to do next")


def test_seconds_are_measured_by_the_frame():
    """How long an audit took is not the audit's to say."""
    (found,) = one(Made(lambda where: bare(where, seconds=1e6))).reports
    assert 0 <= found.seconds < 60


def test_every_counterexample_is_replayed(monkeypatch):
    """The runner replays the counterexample of each finding, whatever its verdict."""
    where, replayed = context(by_sex()), []
    monkeypatch.setattr("equiproof.audits.counterexample.Counterexample.replay", lambda self, *_: replayed.append(self))
    one(Made(report), where)
    assert replayed == [pair(where)]
