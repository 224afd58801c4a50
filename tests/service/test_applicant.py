"""An applicant's link shows what is final, and before that nothing of what it waits for."""

import pytest
from sqlalchemy import event

from equiproof.service.links import DAY, decision_of, make_link, revoke_links
from equiproof.service.overrides import override
from equiproof.service.settings import PolicySettings
from equiproof.service.states import State
from equiproof.service.store.tables import Decision
from tests.service import made
from tests.support import LOANS, changed

pytestmark = pytest.mark.parametrize("address", ["sqlite"], indirect=True)

PAPERS = ("standing", "file", "letter")
MODELS = 1
"""The label that the model gives the first row."""

PERSON = {
    "en": ("A person made this decision.", "a certificate is about a decision that our model makes alone"),
    "de": (
        "Diese Entscheidung hat ein Mensch getroffen.",
        "eine Entscheidung, die unser Modell allein trifft",
    ),
}
VARYING = {"x-request-id", "date"}


def linked(service, row, **body):
    """Decide, and return the decision's id with a link's token."""
    decision = service.post(row, **body).json()["id"]
    with service.shared.database.transaction() as session:
        return decision, make_link(session, decision, service.clock(), 90)


def asked(service, what, token, **more):
    """Ask as the page does, without any key."""
    return service.client.post(f"/a/{what}", data={"token": token, **more})


def every_wait(service, rows):
    """Return links by what their decisions wait for."""
    found = {}
    for name, row, state in (
        ("decided", rows[0], None), ("certifying", rows[0], State.CERTIFYING), ("review at once", rows[1], None),
        ("review", rows[0], State.REVIEW), ("undecided", rows[0], State.UNDECIDED), ("failed", rows[0], State.FAILED),
    ):  # fmt: skip
        decision, found[name] = linked(service, row)
        if state == State.CERTIFYING:
            made.begin(service, decision)
        elif state is not None:
            made.end(service, decision, state, "why")
    return found


@pytest.mark.parametrize(("hold", "every"), [(True, 0), (False, 0), (True, 600)])
def test_all_waiting_is_alike(service, rows, hold, every):
    """Status, headers, body and the number of questions to the database: none tells a review from a queue."""
    policy = PolicySettings(hold_letter_until_certified=hold, release_every_seconds=every)
    settings = changed(service.shared.settings, policy=policy)
    object.__setattr__(service.shared, "settings", settings)
    statements = []
    event.listen(service.shared.database.engine, "before_cursor_execute", lambda *words: statements.append(words[2]))
    for what in PAPERS:
        seen = {}
        links = every_wait(service, rows)
        if every:  # what has ended and not left waits as well
            decision, links["certified"] = linked(service, rows[0])
            made.end(service, decision, State.CERTIFIED)
        for name, token in links.items():
            asked(service, what, token)  # what is read once in a process has been read
            statements.clear()
            said = asked(service, what, token)
            body = said.json()
            body.pop("receipt", None)
            headers = {key: value for key, value in said.headers.items() if key not in VARYING}
            seen[name] = (said.status_code, headers, body, len(said.content), tuple(statements))
        assert all(one == seen["decided"] for one in seen.values()), what
        assert seen["decided"][0] == (200 if what == "standing" else 409)
    assert seen["decided"][1]["cache-control"] == "no-store"


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("confirmed", [True, False])
def test_a_person_closes_all_alike(service, rows, confirmed, language):
    """Review, undecided and failed: one page and one letter, whether a person confirmed the model's label or not."""
    found = []
    ends = [(rows[1], None), *((rows[0], state) for state in (State.REVIEW, State.UNDECIDED, State.FAILED))]
    for row, state in ends:
        decision, token = linked(service, row)
        if state is not None:
            made.end(service, decision, state)
        with service.shared.database.transaction() as session:
            decided = session.get(Decision, decision)
            assert state is None or decided.label == MODELS
            label = MODELS if confirmed else 1 - MODELS
            override(session, decided, label, "seen", "B. Weber", service.clock(), by=made.OFFICER)
        body = asked(service, "standing", token).json()
        assert (body.pop("standing"), body.pop("label")) == ("closed", LOANS.labels[label])
        body.pop("receipt")
        letter = asked(service, "letter", token, language=language)
        assert asked(service, "file", token).status_code == 409
        assert service.get(f"/v1/decisions/{decision}/letter", language=language).content == letter.content
        found.append((body, letter.status_code, letter.text))
    assert all(one == found[0] for one in found)
    assert found[0][1] == 200
    said = found[0][2].partition("<body>")[2]
    for word in ("Weber", "seen", "review", "Prüfung", *(feature.name for feature in LOANS.sensitive_features)):
        assert word not in said
    person, none = PERSON[language]
    assert person in said
    assert none in said


def test_a_certified_decision_is_ready(service, rows):
    """File and letter are there, and the letter is what it was when it left."""
    decision, token = linked(service, rows[0], reference="2026-0431")
    made.end(service, decision, State.CERTIFIED)
    body = asked(service, "standing", token).json()
    assert (body["standing"], body["label"], body["lender"]) == ("ready", None, "North Bank")
    with service.shared.database.transaction() as session:
        assert body["receipt"] == session.get(Decision, decision).receipt


@pytest.mark.parametrize("paper", PAPERS)
def test_tokens_that_open_nothing_are_alike(service, rows, paper):
    """Unknown, expired, revoked, misspelled, none: one answer."""
    answers = []
    for change in ("revoke", "other", "short", "none", "expire"):
        decision, token = linked(service, rows[0])
        if change == "revoke":
            with service.shared.database.transaction() as session:
                revoke_links(session, decision, service.clock())
        elif change == "expire":
            service.clock.now += 90 * DAY
        given = {"other": "0" + token[1:] if token[0] != "0" else "1" + token[1:], "short": token[:-1], "none": ""}
        answers.append(asked(service, paper, given.get(change, token)))
    assert {(one.status_code, one.content) for one in answers} == {(404, answers[0].content)}
    assert "problem" in answers[0].headers["content-type"]


def test_a_token_is_read_as_people_type_it(service, rows):
    """Without hyphens, in small letters, and with letters that look like digits."""
    decision, token = linked(service, rows[0])
    now = service.clock()
    with service.shared.database.transaction() as session:
        for typed in (token, token.replace("-", ""), token.lower(), token.replace("0", "O").replace("1", "l")):
            assert decision_of(session, typed, now).id == decision
        for wrong in ("", token + "0", "é" * 26, "U" * 26, "\x00"):
            assert decision_of(session, wrong, now) is None


def test_tokens_are_hashed_at_rest_and_have_their_bits(service, rows):
    """No table has one, two never are alike, and every one has 128 bits."""
    from tests.service.databases import text

    tokens = [linked(service, rows[0])[1] for _ in range(8)]
    assert len(set(tokens)) == 8
    assert all(len(token.replace("-", "")) == 26 for token in tokens)
    kept = text(service.shared.database)
    for token in tokens:
        assert token not in kept
        assert token.replace("-", "") not in kept


def test_the_page_needs_nothing_from_elsewhere(service, tmp_path, monkeypatch):
    """No cookie, no third party, one policy; a page that was not built says so."""
    from equiproof.service.web import built

    monkeypatch.setattr(built, "ASSETS", tmp_path)
    assert service.client.get("/a").status_code == 503
    (tmp_path / "applicant.html").write_text("<!doctype html>")
    (tmp_path / "applicant.js").write_text("0")
    said = service.client.get("/a")
    assert said.status_code == 200
    assert "set-cookie" not in said.headers
    assert "default-src 'none'; script-src 'self'" in said.headers["content-security-policy"]
    assert service.client.get("/a/applicant.js").headers["content-type"].startswith("text/javascript")
    for name in ("applicant.html", "..%2fapp.py", "app.py", "x"):
        assert service.client.get(f"/a/{name}").status_code == 404
