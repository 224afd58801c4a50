"""Reports say nothing that they do not rest on, and travel without loss."""

import json

import msgspec
import pytest

from equiproof.audits.counterexample import Counterexample
from equiproof.audits.errors import AuditError
from equiproof.audits.records import SMALL_GROUP, Estimate, Finding, Table
from equiproof.audits.report import AuditReport
from tests.audits.made import context, pair, report
from tests.certify.hand_made import by_sex


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"verdict": "unfair"}, "unfair without a counterexample"),
        ({"verdict": "undecided"}, "undecided without a reason"),
        ({"verdict": "undecided", "reason": ""}, "undecided without a reason"),
        ({"verdict": "fair", "lower": 2.0, "upper": 1.0}, "the bounds cross"),
        ({"verdict": "fair", "lower": float("nan")}, "a bound is not a number"),
        ({"verdict": "fair", "row": 0}, "rows are counted from 1"),
        ({"verdict": "fair", "row": -1}, "rows are counted from 1"),
    ],
)
def test_a_finding_without_what_it_rests_on_is_refused(changed, said):
    """No counterexample, no reason, no sense: no finding."""
    with pytest.raises(ValueError, match=said):
        Finding(subject="row 1", **changed)


def test_a_counterexample_without_cases_is_refused():
    """What nobody has seen shows nothing."""
    with pytest.raises(ValueError, match="without cases"):
        Counterexample("nothing", ())


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"verdict": "fair"}, "the verdict is fair, but a finding is not"),
        ({"verdict": "undecided"}, "undecided without a reason"),
        ({"verdict": "unfair", "findings": ()}, "the verdict is unfair, but no finding is"),
    ],
)
def test_a_verdict_that_its_findings_contradict_is_refused(changed, said):
    """The word for the whole model follows from what was found."""
    with pytest.raises(ValueError, match=said):
        report(**changed)


def test_a_table_with_a_ragged_row_is_refused():
    """Every row has a cell for each column."""
    with pytest.raises(ValueError, match="does not have 2 cells"):
        Table("counts", ("group", "n"), (("f", 4), ("m",)))


def test_a_report_is_frozen():
    """What was reported stays reported."""
    with pytest.raises(AttributeError):
        report().verdict = "fair"


def test_json_round_trip_is_the_identity():
    """Reading what was written gives the same report, and writing it the same text."""
    whole = report()
    text = whole.to_json()
    assert AuditReport.from_json(text) == whole
    assert AuditReport.from_json(text.encode()).to_json() == text


def test_a_document_that_contradicts_itself_is_refused():
    """The rules hold for documents as they hold for objects: a counterexample taken out of a file is missed."""
    document = json.loads(report().to_json())
    document["findings"][1]["witness"] = None
    with pytest.raises(AuditError, match=r"^mine: .*: not a valid equiproof-audit: row 2: unfair without a "):
        AuditReport.from_json(json.dumps(document), "mine")


@pytest.mark.parametrize(("field", "value"), [("format", "equiproof-results"), ("version", 2)])
def test_a_document_of_another_form_is_refused(field, value):
    """Format and version are held to before anything is believed."""
    document = json.loads(report().to_json()) | {field: value}
    with pytest.raises(AuditError, match=r"^report: give 'equiproof-audit' version 1: this is "):
        AuditReport.from_json(json.dumps(document))


@pytest.mark.parametrize("text", ["", "{}", "[]", "\ud800", "nonsense", '{"format": 1}', "[" * 100_000])
def test_what_is_no_report_is_one_line(text):
    """Other bytes raise one line that names the place."""
    with pytest.raises(AuditError, match=r"^mine: give the file as the audit wrote it: ") as caught:
        AuditReport.from_json(text.encode("utf-8", "surrogatepass"), "mine")
    assert "\n" not in str(caught.value)


def test_findings_are_counted_by_verdict():
    """Iteration, selection and the text form agree on the findings."""
    whole = report()
    assert len(list(whole)) == 3
    assert [one.subject for one in whole.having("unfair")] == ["row 2"]
    assert repr(whole) == "<AuditReport made of loans: 1 fair, 1 unfair, 1 undecided>"


def test_groups_below_the_limit_are_small():
    """An estimate is flagged exactly below the least number of rows."""
    few, enough = (Estimate(measure="rate", value=0.5, n=n, method="Wilson") for n in (SMALL_GROUP - 1, SMALL_GROUP))
    assert (few.small, enough.small) == (True, False)


def test_numbers_of_numpy_become_plain_ones():
    """A plug-in may put a scalar of numpy where a number belongs."""
    numpy = pytest.importorskip("numpy")
    one = Finding(subject="row 1", verdict="fair", lower=numpy.float64(0.5), values={"n": numpy.int64(3)})
    back = AuditReport.from_json(report(verdict=None, findings=(one,)).to_json())
    assert (back.findings[0].lower, back.findings[0].values) == (0.5, {"n": 3})


@pytest.mark.parametrize("value", [float("inf"), float("nan"), 1 << 60, [1], object()])
def test_what_json_has_not_is_refused(value):
    """A number that JSON readers lose, and a value that it has not, are one line."""
    one = Finding(subject="row 1", verdict="fair", values={"x": value})
    whole = report(verdict=None, findings=(one,))
    if isinstance(value, list):  # written as a list, and no cell when it is read
        with pytest.raises(AuditError):
            AuditReport.from_json(whole.to_json())
    else:
        with pytest.raises(AuditError, match=r"^AuditReport: "):
            whole.to_json()


def test_a_report_names_its_model():
    """Commitment, digest and sizes of the model stand in every document."""
    where = context(by_sex())
    document = json.loads(report(where, findings=(), verdict=None).to_json())
    assert document["model"] == {
        "commitment": "ab" * 32, "spec_name": "loans", "spec_digest": f"{where.spec.digest:064x}", "layers": [4, 1, 1],
    }  # fmt: skip


def test_a_changed_report_is_checked_like_a_new_one():
    """Replacing a verdict by another one does not pass by the rules."""
    finding = Finding(subject="row 1", verdict="unfair", counterexample=pair(context(by_sex())))
    with pytest.raises(ValueError, match="unfair without a counterexample"):
        msgspec.structs.replace(finding, counterexample=None)
