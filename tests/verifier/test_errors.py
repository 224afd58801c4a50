"""Errors carry a reason that does not change with their words, and no repr shows what opens a commitment."""

import pickle
import re

import pytest

from equiproof.circuits.canonical import DocumentError
from equiproof.verifier import CertificateFormatError, ForQuery, PolicyError, ProofError, UntrustedKeyError
from equiproof.verifier.errors import ExportReason, PackageReason, Reason, StampReason
from equiproof.verifier.reasons import CLASSES, REASONS, members
from tests.support import ROOT, changed


@pytest.mark.parametrize("kind", [CertificateFormatError, PolicyError, UntrustedKeyError, ProofError])
def test_errors_carry_their_reason(kind):
    """The message is for people and the reason for programs; both survive a trip to another process."""
    error = kind("one line", Reason.NOT_JSON)
    assert (str(error), error.reason) == ("one line", "not-json")
    again = pickle.loads(pickle.dumps(error))  # noqa: S301  # made above
    assert (type(again), str(again), again.reason) == (kind, "one line", "not-json")
    with pytest.raises(TypeError):
        kind("no reason")


def test_reasons_are_documented():
    """docs/answers.md has one line for each reason, in the order of the table."""
    section = (ROOT / "docs" / "answers.md").read_text().partition("\n## Reasons\n")[2].partition("\n## ")[0]
    assert re.findall(r"^\| `([a-z0-9-]+)` \|", section, re.MULTILINE) == list(Reason)


def test_reasons_of_other_rooms_are_of_the_table():
    """Rooms below know reasons by name only; each name that they give is in the table."""
    for path, pattern in (
        ("equiproof/circuits/canonical.py", r'raise DocumentError\([^\n]*\n?[^\n]*, "([a-z-]+)"\s*\)'),
        ("go-gnark/check/reason.go", r'Reason = "([a-z-]+)"'),
    ):
        named = re.findall(pattern, (ROOT / path).read_text())
        assert len(named) >= 5, path
        assert set(named) <= set(Reason), path
    assert DocumentError("a fault of another kind").reason == ""


def test_no_repr_shows_a_query(proven):
    """The repr of a query, a certificate that discloses it and a policy for it show neither values nor the blinding."""
    query = changed(proven.query, features={"income": 31284, "housing": "castle"})
    disclosing = changed(proven.certificate, query=query)
    for shown in (repr(query), str(query), repr(ForQuery(query)), repr(disclosing), f"{disclosing}"):
        assert "QueryDocument(features=['housing', 'income'])" in shown
        assert query.blinding not in shown
        assert "31284" not in shown
        assert "castle" not in shown


def test_each_reason_that_is_named_exists():
    """Type checkers take every name for a member of an enumeration whose members stand in a table; here they are."""
    for path in sorted((ROOT / "equiproof").rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        for kind in (Reason, ExportReason, PackageReason, StampReason):
            named = re.findall(rf"(?<![A-Za-z]){kind.__name__}\.([A-Z0-9_]+)", text)
            assert set(named) <= set(kind.__members__), path


def test_an_enumeration_has_the_reasons_of_its_classes():
    """No reason is named where no error of its class can come with it."""
    for kind, classes in (
        (Reason, {"format", "key", "proof"}),
        (ExportReason, {"export"}),
        (StampReason, {"stamp"}),
        (PackageReason, {"package"}),
    ):
        own = [name for name, row in REASONS.items() if row.kind in classes or row.also in classes]
        assert list(kind) == list(members(*classes).values()) == own
        assert 0 < len(own) < len(REASONS)
    assert members() == {}
    assert list(members(*CLASSES).values()) == list(REASONS)
