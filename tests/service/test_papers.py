"""Papers leave as the policy says, to their own client alone; the counterexample of a review leaves in none of them."""

import json

import pytest

from equiproof.service import letters
from equiproof.service.clients import Scope
from equiproof.service.links import decision_of, make_link
from equiproof.service.states import State
from equiproof.service.store.tables import Decision, Finding
from equiproof.service.vault import Vault, new_line
from equiproof.verifier.letter import LetterError
from equiproof.verifier.receipt import parse_receipt
from equiproof.verifier.trust import TrustedKey
from tests.service import made
from tests.service.databases import text
from tests.support import LOANS

pytestmark = pytest.mark.parametrize("address", ["sqlite"], indirect=True)

KEY = TrustedKey(made.KEY_DOCUMENT, made.VERIFYING)
PAPERS = ("certificate", "receipt", "bundle", "letter", "package")


def papers(service, decision):
    return {name: service.get(f"/v1/decisions/{decision}/{name}") for name in PAPERS}


def statuses(service, decision):
    return {name: said.status_code for name, said in papers(service, decision).items()}


def test_a_receipt_is_there_at_once(service, rows):
    """Its digest is the one that the decision names; everything else waits for the certificate."""
    decision = service.post(rows[0]).json()
    found = papers(service, decision["id"])
    assert parse_receipt(found["receipt"].content, "receipt").digest == decision["receipt"]
    assert statuses(service, decision["id"]) == {
        "certificate": 404, "receipt": 200, "bundle": 409, "letter": 409, "package": 404,
    }  # fmt: skip
    assert found["letter"].json()["type"] == "urn:equiproof:held"


def test_a_certificate_is_the_file_that_is_kept(service, rows):
    """To the byte, as a file to save."""
    decision = service.post(rows[0]).json()["id"]
    made.end(service, decision, State.CERTIFIED)
    said = service.get(f"/v1/decisions/{decision}/certificate")
    assert said.headers["content-type"] == "application/json"
    assert said.headers["content-disposition"] == 'attachment; filename="certificate.json"'
    assert json.loads(said.content)["format"] == "equiproof-certificate"


@pytest.mark.parametrize("proven", [False, True])
def test_a_review_shows_nothing_of_its_counterexample(service, rows, proven):
    """Neither one that the integers showed at once nor one that a prover found: no answer of any key has it."""
    decision = service.post(rows[0] if proven else rows[1]).json()["id"]
    if proven:
        made.end(service, decision, State.REVIEW, "the model decides otherwise for somebody close")
    shown = {"income": "77123", "housing": "other"}
    with service.shared.database.transaction() as session:
        sealed = service.shared.holders.vault.seal(json.dumps(shown).encode(), decision)
        session.merge(Finding(decision_id=decision, sealed=sealed, made=1))
    service.headers = {"Authorization": f"Bearer {service.key(Scope.READ, Scope.SUBMIT, Scope.ADMIN).text}"}
    assert statuses(service, decision) == {
        "certificate": 404, "receipt": 200, "bundle": 409, "letter": 409, "package": 404,
    }  # fmt: skip
    body = service.get(f"/v1/decisions/{decision}").json()
    assert (body["state"], body["outcome"]) == ("review", None)
    seen = [*papers(service, decision).values(), service.get("/v1/decisions"), service.get("/metrics")]
    assert not [said for said in seen if "77123" in said.text]


def test_a_letter_that_fits_no_page_is_held(service, rows, monkeypatch):
    """The lender's program reads why; the applicant's page waits, and neither is a fault of ours."""
    decision = service.post(rows[0]).json()["id"]
    made.end(service, decision, State.CERTIFIED)
    too_long = LetterError("the names and values of this spec are too long for a letter of one page")

    def refused(*_):
        raise too_long

    monkeypatch.setattr(letters, "key_of", lambda *_: KEY)
    monkeypatch.setattr(letters, "letter", refused)
    said = service.get(f"/v1/decisions/{decision}/letter")
    assert (said.status_code, said.json()["type"], said.json()["detail"]) == (409, "urn:equiproof:held", str(too_long))
    with service.shared.database.transaction() as session:
        token = make_link(session, decision, service.clock(), 1)
    assert service.client.post("/a/letter", data={"token": token}).status_code == 409


def test_another_clients_papers_are_not_there(service, rows):
    """The answer is that for a decision that nobody has, to the byte."""
    decision = service.post(rows[0]).json()["id"]
    made.end(service, decision, State.CERTIFIED)
    service.headers = {"Authorization": f"Bearer {service.key(*Scope, client='other').text}"}
    for theirs, nobodys in zip(papers(service, decision).values(), papers(service, "0" * 32).values(), strict=True):
        assert theirs.status_code == nobodys.status_code == 404
        assert theirs.content == nobodys.content
    for send in (service.client.post, service.client.delete):
        assert send(f"/v1/decisions/{decision}/links", headers=service.headers).status_code == 404


def test_what_has_been_erased_is_gone(service, rows):
    """410; the decision and its certificate stay."""
    decision = service.post(rows[0]).json()["id"]
    made.end(service, decision, State.CERTIFIED)
    with service.shared.database.transaction() as session:
        session.get(Decision, decision).sealed = None
    found = statuses(service, decision)
    assert (found["certificate"], found["receipt"], found["bundle"], found["letter"]) == (200, 410, 410, 410)
    assert service.get(f"/v1/decisions/{decision}").status_code == 200


@pytest.mark.parametrize("identifier", ["x", "A" * 32, "0" * 31, "0" * 33, "0" * 31 + "%00", "%F0%9F%98%80"])
def test_what_is_no_identifier(service, identifier):
    """It is refused before the database sees it."""
    for path in ("", *(f"/{paper}" for paper in PAPERS)):
        assert service.get(f"/v1/decisions/{identifier}{path}").status_code == 422


def test_a_link_is_shown_once_and_revoked(service, rows):
    """The token is nowhere but in the answer; revoked, it opens nothing."""
    decision = service.post(rows[0]).json()["id"]
    said = service.client.post(f"/v1/decisions/{decision}/links?days=2", headers=service.headers)
    assert said.status_code == 201
    url, token = said.json()["url"].split("#")
    assert url == "http://127.0.0.1:8080/a"
    kept = text(service.shared.database)
    assert token not in kept
    assert token.replace("-", "") not in kept
    with service.shared.database.transaction() as session:
        assert decision_of(session, token, service.clock()).id == decision
    assert service.client.delete(f"/v1/decisions/{decision}/links", headers=service.headers).status_code == 204
    with service.shared.database.transaction() as session:
        assert decision_of(session, token, service.clock()) is None


def test_the_models_that_decide(service):
    """Name, commitment, and what an application needs; nothing of the opening."""
    (model,) = service.get("/v1/models").json()["models"]
    assert model["name"] == "loans"
    assert model["labels"] == list(LOANS.labels)
    assert model["sensitive"] == ["sex"]
    assert [feature["name"] for feature in model["spec"]["features"]] == [feature.name for feature in LOANS.features]
    assert "weights" not in json.dumps(model)


def test_a_reference_names_one_decision(service, rows):
    """409 for another decision under it; another client may have the same."""
    assert service.post(rows[0], reference="2026-1").status_code == 201
    said = service.post(rows[1], reference="2026-1")
    assert (said.status_code, said.json()["type"]) == (409, "urn:equiproof:reference-taken")
    service.headers = {"Authorization": f"Bearer {service.key(*Scope, client='other').text}"}
    assert service.post(rows[0], reference="2026-1").status_code == 201


def test_a_request_is_known_after_the_vaults_key_has_changed(service, rows):
    """Its digest is kept under the key of its day."""
    first = service.post(rows[0], key="before-rotation")
    vault = service.shared.holders.vault
    object.__setattr__(service.shared.holders, "vault", Vault({"second": b"2" * 32, **vault.keys}))
    assert service.post(rows[0], key="before-rotation").content == first.content
    assert service.post(rows[1], key="before-rotation").status_code == 422


def test_a_machine_without_the_key_that_another_one_seals_with(address, service, rows, started, caplog):
    """Papers get 503 until its file has the key too, the log names the key, and lists are shown all the same."""
    identifier = service.post(rows[0]).json()["id"]
    lacking = started(address, new_line("second"))
    lacking.headers = service.headers
    said = lacking.get(f"/v1/decisions/{identifier}/receipt")
    assert (said.status_code, said.json()["type"]) == (503, "urn:equiproof:no-vault-key")
    assert int(said.headers["retry-after"]) > 0
    assert "first" not in said.text
    assert any("'first'" in getattr(record, "fields", {}).get("cause", "") for record in caplog.records)
    assert lacking.get("/v1/decisions").json()["decisions"][0]["id"] == identifier
    assert service.get(f"/v1/decisions/{identifier}/receipt").status_code == 200
