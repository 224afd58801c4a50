"""Papers stay those of their own decision, though rows are swapped or keys moved.

Somebody who writes to the database, without a key of the vault, has nothing handed out about
another decision.
"""

from pathlib import Path

import pytest

from equiproof.service.clients import Scope
from equiproof.service.decisions import opened
from equiproof.service.models import Files, ModelError, add_model
from equiproof.service.states import State
from equiproof.service.store.tables import Certificate, Decision, Letter, Model
from equiproof.service.vault import VaultError
from equiproof.service.worker.certifying import Certifying
from tests.service import made

pytestmark = pytest.mark.parametrize("address", ["sqlite"], indirect=True)

PAPERS = ("certificate", "bundle", "letter", "package")


@pytest.fixture
def pair(service, rows, tmp_path):
    """Two certified decisions about the same details, whose papers may leave."""
    service.headers = {"Authorization": f"Bearer {service.key(Scope.READ, Scope.SUBMIT, Scope.ADMIN).text}"}
    made.key(tmp_path / "keys" / "one")
    found = [service.post(rows[0], reference=name).json()["id"] for name in ("one", "two")]
    for decision in found:
        made.end(service, decision, State.CERTIFIED)
    return found


def swap(service, table, pair, *columns):
    """Exchange columns of two rows."""
    with service.shared.database.transaction() as session:
        one, other = (session.get(table, decision) for decision in pair)
        for column in columns:
            first, second = getattr(one, column), getattr(other, column)
            setattr(one, column, second)
            setattr(other, column, first)


def given(service, decision):
    """Return the papers that are handed out."""
    said = {name: service.get(f"/v1/decisions/{decision}/{name}").status_code for name in PAPERS}
    return {name for name, status in said.items() if status == 200}


def test_another_decisions_certificate_is_not_handed_out(service, pair):
    """Neither alone nor in a bundle, a letter or a package, though label and model are the same."""
    assert given(service, pair[0]) >= {"certificate", "bundle", "letter"}
    with service.shared.database.transaction() as session:
        for row in session.query(Letter):
            session.delete(row)
    swap(service, Certificate, pair, "body")
    assert given(service, pair[0]) == set()


def test_another_decisions_box_does_not_open(service, pair):
    """Details and letters are bound to their decision."""
    assert given(service, pair[0]) >= {"letter"}
    assert given(service, pair[1]) >= {"letter"}
    swap(service, Decision, pair, "sealed")
    assert given(service, pair[0]) == set()
    swap(service, Decision, pair, "sealed")
    with service.shared.database.transaction() as session:
        one, other = (session.get(Letter, (decision, "en")) for decision in pair)
        one.sealed, other.sealed = other.sealed, one.sealed
    assert "letter" not in given(service, pair[0])


@pytest.mark.parametrize(("column", "value"), [("label", 0), ("receipt", "ab" * 32), ("reference", "three")])
def test_a_row_that_was_changed_is_not_that_of_its_box(service, rows, column, value):
    """What the receipt has fixed stands beside it in the row, for lists: nothing is made of it where it differs."""
    decision = service.post(rows[0], reference="one").json()
    with service.shared.database.transaction() as session:
        row = session.get(Decision, decision["id"])
        assert opened(row, service.shared.holders.vault) is not None
        assert getattr(row, column) != value
        setattr(row, column, value)
        with pytest.raises(VaultError, match="another decision than its box"):
            opened(row, service.shared.holders.vault)
    Certifying(service.shared.database, service.shared.holders.vault, None, service.clock)(decision["id"])
    assert service.get(f"/v1/decisions/{decision['id']}").json()["state"] == "failed"


def test_an_erased_decision_keeps_its_own_certificate_alone(service, pair):
    """Without the receipt, the data's commitment and the label of its row are what is left to compare."""
    with service.shared.database.transaction() as session:
        for decision in pair:
            session.get(Decision, decision).sealed = None
    assert given(service, pair[0]) == {"certificate"}
    swap(service, Certificate, pair, "body")
    assert given(service, pair[0]) == set()


def test_a_keys_folder_cannot_leave_certificates_behind(service, pair, tmp_path):
    """Another folder for a model must have the key of what was certified: papers are put together from it."""
    with service.shared.database.transaction() as session:
        (row,) = session.query(Model)
        files = Files(Path(row.opening), tmp_path / "others")
        (tmp_path / "others").mkdir()
        refuse = pytest.raises(
            ModelError, match=r"others: copy the key [0-9a-f]{16}\.{3} there too: certificates of loans"
        )
        with refuse:
            add_model(session, "loans", files, service.clock())
        made.key(tmp_path / "others" / "kept")
        add_model(session, "loans", files, service.clock())
    assert given(service, pair[0]) >= {"certificate", "bundle", "letter"}
