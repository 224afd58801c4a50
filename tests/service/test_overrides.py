"""A person decides beside the model where nothing is certified; what stands is shown, and nothing is rewritten."""

from dataclasses import replace

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from equiproof.service.clients import Scope
from equiproof.service.overrides import NotOpenError, is_open
from equiproof.service.overrides import override as decide_instead
from equiproof.service.settings import PolicySettings
from equiproof.service.states import State
from equiproof.service.store.tables import Decision, Letter, Override
from equiproof.service.web.app import create_app
from tests.service import made
from tests.service.databases import BOTH
from tests.support import LOANS, changed

SQLITE = pytest.mark.parametrize("address", ["sqlite"], indirect=True)

GIVEN = {"label": LOANS.labels[1], "reason": "income shown by payslips", "name": "M. Okafor"}


@pytest.fixture
def admin(service):
    """A service whose caller may do everything."""
    key = service.key(Scope.SUBMIT, Scope.READ, Scope.ADMIN)
    service.headers = {"Authorization": f"Bearer {key.text}"}
    return service


def override(service, decision, **changes):
    return service.client.post(f"/v1/decisions/{decision}/override", json={**GIVEN, **changes}, headers=service.headers)


def test_a_review_is_settled_by_a_person(admin, rows):
    """The state stays, since it tells what is known about the model; the person's decision is what stands."""
    decision = admin.post(rows[1]).json()
    assert (decision["state"], decision["label"], decision["outcome"]) == ("review", None, None)
    said = override(admin, decision["id"])
    assert said.status_code == 201, said.text
    body = said.json()
    assert (body["state"], body["label"], body["outcome"]) == ("review", None, GIVEN["label"])
    assert {name: body["override"][name] for name in GIVEN} == GIVEN
    assert admin.get(f"/v1/decisions/{decision['id']}").json() == body


@BOTH
def test_the_newest_one_stands_and_none_is_lost(admin, rows):
    """Rows are only added; the same once more adds none."""
    decision = admin.post(rows[1]).json()["id"]
    for label in (LOANS.labels[1], LOANS.labels[0], LOANS.labels[0]):
        assert override(admin, decision, label=label).status_code == 201
    assert admin.get(f"/v1/decisions/{decision}").json()["outcome"] == LOANS.labels[0]
    with admin.shared.database.transaction() as session:
        assert [row.label for row in session.scalars(select(Override).order_by(Override.id))] == [1, 0]


@SQLITE
@pytest.mark.parametrize("state", [State.UNDECIDED, State.FAILED])
def test_a_decision_without_a_certificate_is_a_persons(admin, rows, state):
    """Until then the model's decision stands."""
    decision = admin.post(rows[0]).json()
    made.end(admin, decision["id"], state)
    before = admin.get(f"/v1/decisions/{decision['id']}").json()
    assert before["outcome"] == decision["label"]
    assert override(admin, decision["id"]).json()["outcome"] == GIVEN["label"]


@SQLITE
def test_a_certified_decision_is_nobodys_to_change(admin, rows):
    """Nor one whose certificate is on its way: a letter would contradict it."""
    decision = admin.post(rows[0]).json()["id"]
    assert override(admin, decision).status_code == 409
    made.end(admin, decision, State.CERTIFIED)
    said = override(admin, decision)
    assert (said.status_code, said.json()["type"]) == (409, "urn:equiproof:not-open")
    assert admin.get(f"/v1/decisions/{decision}").json()["override"] is None


@SQLITE
@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({"label": "perhaps"}, 422),
        ({"reason": "  "}, 422),
        ({"reason": "a\x00b"}, 422),
        ({"name": "\t"}, 422),
        ({"name": "x" * 129}, 422),
    ],
)
def test_what_is_no_decision_of_a_person(admin, rows, change, status):
    """A label of the model, a reason and a name are needed."""
    decision = admin.post(rows[1]).json()["id"]
    assert override(admin, decision, **change).status_code == status
    with admin.shared.database.transaction() as session:
        assert not session.scalars(select(Override)).all()


@SQLITE
def test_only_an_admin_and_only_the_own_client(service, rows):
    """A key that submits and reads may not; another client's decision is not there."""
    decision = service.post(rows[1]).json()["id"]
    assert override(service, decision).status_code == 403
    other = service.key(Scope.ADMIN, client="other")
    service.headers = {"Authorization": f"Bearer {other.text}"}
    assert override(service, decision).status_code == 404


@pytest.fixture
def strict(admin):
    """The same under a policy with a least radius that no certificate here reaches."""
    policy = PolicySettings(min_radius="1000000")
    admin.shared = replace(admin.shared, settings=changed(admin.shared.settings, policy=policy))
    admin.client = TestClient(create_app(admin.shared), raise_server_exceptions=False)
    return admin


@SQLITE
def test_a_certificate_that_may_never_leave_lets_a_person_decide(strict, rows):
    """The person's decision then leaves, and the certificate beside it does not, whatever the label is."""
    decision = strict.post(rows[0]).json()["id"]
    made.end(strict, decision, State.CERTIFIED)
    papers = [f"/v1/decisions/{decision}/{paper}" for paper in ("letter", "bundle")]
    assert [strict.get(paper).status_code for paper in papers] == [409, 409]
    for label in LOANS.labels:
        said = override(strict, decision, label=label)
        assert (said.status_code, said.json()["state"], said.json()["outcome"]) == (201, "certified", label)
        letter, bundle = map(strict.get, papers)
        assert (letter.status_code, bundle.status_code) == (200, 409)
        assert label in letter.text
        assert "A person made this decision." in letter.text
    with strict.shared.database.reading() as session:
        assert session.scalars(select(Letter)).all() == []


@SQLITE
def test_a_policy_that_grows_stricter_opens_nothing_that_has_left(admin, rows):
    """The applicant has a certificate then, which a person's decision would contradict."""
    decision = admin.post(rows[0]).json()["id"]
    made.end(admin, decision, State.CERTIFIED)
    strict = PolicySettings(min_radius="1000000")
    with admin.shared.database.transaction() as session:
        found = session.get(Decision, decision)
        assert is_open(session, found, strict)
        assert not is_open(session, found, PolicySettings(min_radius="0.000001"))
        session.add(Letter(decision_id=decision, language="de", sealed=None, digest="ab" * 32, made=1))
        session.flush()
        assert not is_open(session, found, strict)
        with pytest.raises(NotOpenError):
            decide_instead(session, found, 1, "why", "Ada", 1, strict, by=made.OFFICER)
