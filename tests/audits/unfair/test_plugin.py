"""The audit `unfair`: its verdict, its sentences in two languages, its limits, and domains that it refuses."""

from fractions import Fraction

import msgspec
import pytest

from equiproof.audits.brief import brief
from equiproof.audits.errors import AuditError, NotApplicableError
from equiproof.audits.hyfair.grid import grid_of
from equiproof.audits.plugin import Audit
from equiproof.audits.report import AuditReport, StoppedAuditError
from equiproof.audits.runner import run_all
from equiproof.audits.unfair import measured
from equiproof.audits.unfair.plugin import UnfairShare
from equiproof.audits.unfair.told import COLUMNS, COURSE, Said, said
from equiproof.audits.unfair.weights import uniform
from tests.audits.made import report as made_report
from tests.audits.test_missing import OTHER, TREE
from tests.audits.test_missing import model as lacking
from tests.audits.unfair.made import ROWS, SMALL, additive, context, counted, ensemble
from tests.support import LACKING, changed, network

NETWORK = network(SMALL, (4, 3), 1, 0.5)


def run(model, options=None, **changes):
    """Return the report on a model of SMALL."""
    return UnfairShare().run(context(model, options=options or {}, **changes))


@pytest.mark.parametrize("model", [additive(0), ensemble(1), NETWORK])
def test_the_share_is_reported_with_an_example(model):
    """Both bounds are the enumerated share, and one unfair applicant is shown under two assignments."""
    assert isinstance(UnfairShare(), Audit)
    unfair, fair, tied = counted(model)
    report = run(model, {"boxes": "1000000"})
    assert AuditReport.from_json(report.to_json()) == report
    (one,) = report.findings
    assert (report.verdict, one.verdict, tied) == ("unfair", "unfair", 0)
    share = Fraction(unfair, unfair + fair)
    assert Fraction(one.lower) <= share <= Fraction(one.upper)
    assert one.upper - one.lower < 1e-15
    assert {case.label for case in one.counterexample.cases} == {"declined", "granted"}
    (table,) = report.tables
    assert (table.caption, table.columns) == (COURSE, COLUMNS)
    assert table.rows[0][2:] == (0, 1)
    assert table.rows[-1][2:] == (one.lower, one.upper)
    done = run_all(context(model), {"unfair": UnfairShare()}, ["unfair"])
    assert not done.failures


def test_a_model_that_ignores_sensitive_values_is_fair():
    """The verdict is about the whole domain, and needs no rows."""
    model = additive(1, groups=0)
    report = run(model)
    assert (report.verdict, report.findings[0].upper, report.findings[0].counterexample) == ("fair", 0, None)
    short = brief(report)
    assert short.tag == "no case found"
    assert short.answer == (
        "The decision never changes with sex and age alone: this is proven of all possible applicants, "
        "every applicant counted alike."
    )
    assert report.notes[0].startswith("Allein durch sex und age ändert sich die Entscheidung nie: ")


def test_sentences_say_both_bounds_in_two_languages():
    """They are rounded outward; the German one is a note, with commas."""
    report = run(ensemble(1), {"boxes": "1"})
    words = said(report)
    assert brief(report).answer == words.english
    assert report.notes[0] == words.german
    made = Said(0.12345, 0.5, ("sex",), "uniform")
    assert made.english == (
        "The decision changes with sex alone for at least 12.3 % and at most 50.0 % of all possible applicants, "
        "every applicant counted alike."
    )
    assert made.german == (
        "Allein durch sex ändert sich die Entscheidung bei mindestens 12,3 % und höchstens 50,0 % aller möglichen "
        "Antragstellenden (alle gleich gezählt)."
    )
    equal = Said(0.25, 0.25, ("sex", "age"), "rows")
    assert "for exactly 25.0 % of all possible applicants, values weighed as often as the rows have" in equal.english
    assert "bei genau 25,0 % aller möglichen Antragstellenden (Werte so oft gezählt wie in den Zeilen)" in equal.german
    assert [figure.value for figure in brief(report).figures] == ["0 %", "100 %"]
    assert said(made_report()) is None
    other = msgspec.structs.replace(report, settings=report.settings | {"density": "normal"})
    assert brief(other).question == "What does the audit unfair find?"


def test_a_limit_of_boxes_ends_it_with_bounds():
    """Nothing is claimed beyond the boxes that were judged, and a note says what ended it."""
    report = run(ensemble(1), {"boxes": "1", "seconds": "0"})
    (one,) = report.findings
    assert (report.verdict, report.reason) == ("undecided", "the limit of 1 boxes")
    assert (one.lower, one.upper, one.values["boxes"]) == (0, 1, 1)
    assert "the limit of 1 boxes ended the search: both bounds hold, and more boxes bring them closer together" in (
        report.notes
    )


def test_time_that_ends_leaves_bounds():
    """The shorter one of both limits counts; bounds of no round are 0 and 1."""
    report = run(ensemble(1), {"seconds": "30"}, max_seconds=0.0)
    assert (report.verdict, report.reason) == ("undecided", "the time limit of 0 seconds")
    assert report.findings[0].upper == 1


def test_ctrl_c_ends_it_with_bounds(monkeypatch):
    """What is known so far is a report."""
    made = measured.narrowing

    def stopped(*arguments):
        yield next(made(*arguments))
        raise KeyboardInterrupt

    monkeypatch.setattr(measured, "narrowing", stopped)
    with pytest.raises(StoppedAuditError) as stop:
        run(NETWORK)
    assert (stop.value.report.verdict, stop.value.report.reason) == ("undecided", "an interruption")


def test_progress_is_told():
    """It goes up to the limit of boxes."""
    told = []
    UnfairShare().run(context(ensemble(0), options={"boxes": "40"}, progress=lambda *step: told.append(step)))
    assert told[0] == (0, 40)
    assert all(done <= total == 40 for done, total in told)


def test_weights_of_rows_leave_out_who_has_a_value_of_no_row():
    """Their bounds are of the density; without a case, no verdict is given on everybody."""
    report = run(additive(1, groups=0), {"density": "rows"}, rows=ROWS)
    assert (report.verdict, report.reason) == ("undecided", "who has a value that no row has was not judged")
    assert report.findings[0].upper == 0
    assert "values weighed as often as the rows have them" in said(report).english


def test_rows_outside_of_the_domain_are_counted():
    """A value of a row that the domain does not have has no part in the density."""
    rows = [{**ROWS[0], "income": "1.5"}, *ROWS[1:]]
    report = run(ensemble(1), {"density": "rows", "decimals": "income=0"}, rows=rows)
    assert "1 values of the rows lie outside of the domain and are not part of the density" in report.notes


def test_what_it_refuses_is_named():
    """Domains without bounds, densities without rows or variance, and options."""
    open_spec = changed(SMALL, features=(changed(SMALL.features[0], range=None), *SMALL.features[1:]))
    with pytest.raises(NotApplicableError, match="add a range of feature 'income' to the spec, which has none"):
        run(NETWORK, spec=open_spec)
    with pytest.raises(AuditError, match="option density: give rows, which the density is counted on"):
        run(NETWORK, {"density": "rows"})
    alike = [row | {"housing": "own"} for row in ROWS]
    with pytest.raises(AuditError, match=r"option density: take .* feature 'housing' has no variance in them"):
        run(NETWORK, {"density": "rows"}, rows=alike)
    for options, message in (
        ({"density": "normal"}, "option density: want uniform or rows, not 'normal'"),
        ({"boxes": "0"}, "option boxes: want 1 or more, not 0"),
        ({"threads": "0"}, "option threads: want 1 or more, not 0"),
        ({"seconds": "-1"}, "option seconds: want 0 or more, not -1"),
        ({"decimals": "income"}, "^unfair: option decimals: want name=decimals"),
    ):
        with pytest.raises(AuditError, match=message):
            run(NETWORK, options)


def test_one_sensitive_feature_of_two():
    """Features that are not audited are part of the domain, and do not vary."""
    report = run(ensemble(1), sensitive_features=("sex",))
    grid = grid_of(SMALL, protected=("sex",))
    assert uniform(grid).total == 25 * 2 * 3 * 3
    assert report.findings[0].upper <= run(ensemble(1)).findings[0].upper * 3
    for case in () if report.findings[0].counterexample is None else report.findings[0].counterexample.cases:
        assert dict(case.sensitive)["age"] == dict(report.findings[0].counterexample.cases[0].sensitive)["age"]


def test_missing_values_are_not_part_of_the_domain():
    """A note says so, as of the other audit of whole domains; the share is that of everybody who states all."""
    spec = changed(LACKING, features=(changed(LACKING.features[0], range=("0", "60000")), *LACKING.features[1:]))
    made = lacking([TREE, OTHER], 1)
    report = run(made, {"decimals": "income=0"}, spec=spec)
    assert any(
        one.startswith("nothing is said of applicants who do not state income or housing") for one in report.notes
    )
    unfair, fair, tied = counted(made, spec)
    assert report.findings[0].lower == pytest.approx(unfair / (unfair + fair + tied), rel=1e-15)
    assert report.findings[0].upper == pytest.approx(1 - fair / (unfair + fair + tied), rel=1e-15)
