"""Corrections by the interface: the same rules as in the console, once for each key, and told to endpoints."""

import json
from dataclasses import replace
from datetime import UTC, datetime

from equiproof.service.clients import Scope
from equiproof.service.console.officers import Role
from equiproof.service.retention import erase
from equiproof.service.settings import PolicySettings
from equiproof.service.states import State
from equiproof.service.store.tables import Correction, CorrectionRequest, Decision, Request
from tests.service import made
from tests.service.conftest import START
from tests.service.console.people import sign_in
from tests.service.databases import BOTH
from tests.service.test_corrections import REQUEST, SQLITE, ask, pair  # noqa: F401 -- a fixture
from tests.service.test_decisions import everything
from tests.service.test_leaving import opened
from tests.service.test_webhooks import step, told  # noqa: F401 -- a fixture
from tests.support import changed

TODAY = datetime.fromtimestamp(START // 1_000_000, UTC).date().isoformat()
ASKED = {"asked": TODAY, "request": REQUEST, "name": "M. Okafor"}


def send(service, decision, what="", key="", headers=None, **body):
    """Send a step of a correction, under a key of its own unless one is given."""
    service.count += 1
    own = {**(headers or service.headers), "Idempotency-Key": key or f"correction-{service.count:08}"}
    return service.client.post(f"/v1/decisions/{decision}/corrections{what}", json=body, headers=own)


def kind_of(answer):
    return answer.status_code, answer.json()["type"].rpartition(":")[2]


@BOTH
def test_a_request_is_filed_and_closed(service, pair):  # noqa: F811
    """Both decisions show the record, without the applicant's words or a value; the console has the words."""
    first, second = pair
    filed = send(service, first, **ASKED)
    assert filed.status_code == 201, filed.text
    body = filed.json()
    assert body == {
        "decision": first,
        "second": None,
        "asked": TODAY,
        "changed": [],
        "way": None,
        "filed": {"name": "M. Okafor", "at": body["filed"]["at"]},
        "closed": None,
    }
    assert service.get(f"/v1/decisions/{first}/corrections").json() == {"corrections": [body]}
    closed = send(service, first, "/second", second="second", name="B. Weber")
    assert closed.status_code == 201, closed.text
    said = closed.json()
    assert (said["second"], said["changed"], said["closed"]["name"]) == (second, ["income"], "B. Weber")
    for one in pair:
        assert service.get(f"/v1/decisions/{one}/corrections").json() == {"corrections": [said]}
    assert REQUEST not in filed.text + closed.text
    page = sign_in(service, Role.OFFICER).get(f"decisions/{second}").text
    assert REQUEST in page
    assert page.count("(as the API key") == 2


@BOTH
def test_what_is_sent_again_is_done_once(service, pair):  # noqa: F811
    """The same key and body give the first answer; another body is refused, and so is another decision."""
    first, second = pair
    for what, body in (("", ASKED), ("/second", {"second": second, "name": "B. Weber"})):
        key = f"again-{len(what):04}"
        answers = [send(service, first, what, key, **body) for _ in range(2)]
        assert [one.status_code for one in answers] == [201, 201]
        assert answers[0].content == answers[1].content
        assert kind_of(send(service, first, what, key, **body | {"name": "C. Moor"})) == (422, "key-reused")
        assert kind_of(send(service, second, what, key, **body)) == (422, "key-reused")
    assert [len(everything(service, table)) for table in (CorrectionRequest, Correction)] == [1, 1]
    with service.shared.once.alone(("bank", "running-now")):
        assert kind_of(send(service, second, key="running-now", **ASKED)) == (409, "still-running")


@SQLITE
def test_what_is_refused_keeps_nothing(service, rows, pair):  # noqa: F811
    """With the kinds that like requests have, by the same rules as in the console; the key can be used again."""
    first, second = pair
    closing = {"second": second, "name": "B. Weber"}
    before = len(everything(service, Request))
    cases = [
        ("0" * 32, "", {}, (404, "unknown-decision")),
        (first, "", {"asked": "2999-01-01"}, (422, "invalid-request")),
        (first, "", {"asked": "1 March"}, (422, "invalid-request")),
        (first, "", {"request": "\t"}, (422, "invalid-request")),
        (first, "/second", closing, (409, "not-open")),
    ]
    for decision, what, fields, expected in cases:
        body = fields if what else ASKED | fields
        assert kind_of(send(service, decision, what, "the-same-key", **body)) == expected
    reader = {"Authorization": f"Bearer {service.key(Scope.READ).text}"}
    assert kind_of(send(service, first, headers=reader, **ASKED)) == (403, "missing-scope")
    stranger = {"Authorization": f"Bearer {service.key(Scope.SUBMIT, client='shop').text}"}
    assert kind_of(send(service, first, headers=stranger, **ASKED)) == (404, "unknown-decision")
    assert everything(service, CorrectionRequest) == []
    assert len(everything(service, Request)) == before
    assert send(service, first, key="the-same-key", **ASKED).status_code == 201
    for what, body in (("", ASKED), ("/second", {"second": "nothing", "name": "B. Weber"})):
        assert kind_of(send(service, first, what, **body)) == ((422, "invalid-request") if what else (409, "not-open"))
    assert send(service, first, "/second", **closing).status_code == 201
    assert kind_of(send(service, first, "/second", **closing)) == (409, "not-open")


@SQLITE
def test_a_key_records_in_nobodys_name_who_has_an_account(service, pair):  # noqa: F811
    """As with a person's decision."""
    first, second = pair
    sign_in(service, Role.OFFICER)
    for what, body in (("", ASKED), ("/second", {"second": second})):
        refused = send(service, first, what, **body | {"name": " ada MARSH "})
        assert (*kind_of(refused), "account of the console" in refused.text) == (422, "invalid-request", True)
        assert send(service, first, what, **{"name": "B. Weber"} | body).status_code == 201


@SQLITE
def test_erased_details_show_no_correction(service, pair):  # noqa: F811
    """Before and after the request."""
    first, second = pair
    assert send(service, first, **ASKED).status_code == 201
    with service.shared.database.transaction() as session:
        erase(session, session.get(Decision, second), "asked for", service.clock())
    assert kind_of(send(service, second, **ASKED)) == (410, "erased")
    assert kind_of(send(service, first, "/second", second=second, name="B. Weber")) == (410, "erased")


@BOTH
def test_endpoints_are_told_of_both_steps(service, pair, told):  # noqa: F811
    """Whatever states they ask for and by whichever way it came, after what was there; of the applicant nothing."""
    webhooks, endpoints = told
    first, second = pair
    webhooks._hooks = {"one": replace(webhooks._hooks["one"], states=frozenset())}
    assert ask(service, first).status_code == 303
    send(service, first, "/second", second=second, name="B. Weber")
    assert step(webhooks) == 2
    sent = [(headers["webhook-id"], json.loads(body)) for _, headers, body in endpoints.taken]
    assert [identifier for identifier, _ in sent] == [f"{first}-correction-{end}" for end in ("filed", "closed")]
    usual = {"client", "decision", "number", "state", "at", "correction"}
    assert [set(body) for _, body in sent] == [usual, usual | {"second"}]
    assert [(body["number"], body["state"]) for _, body in sent] == [(0, "decided")] * 2
    assert sent[1][1]["second"] == second
    assert REQUEST not in str(endpoints.taken)


@SQLITE
def test_a_message_tells_nothing_that_has_not_left(service, rows, monkeypatch):
    """It leaves at once, with the state that is known outside: asking for a correction shows no end of a search."""
    with opened(service, PolicySettings(release_every_seconds=600), monkeypatch) as house:
        decision = house.apply(rows[0])
        house.set(10)
        made.end(house.service, decision, State.CERTIFIED)
        send(house.service, decision, **ASKED)
        assert house.messages(decision) == ["decided", "decided"]
        assert json.loads(house.told[-1][2])["correction"] == "filed"
        house.set(600)
        assert house.messages(decision) == ["decided", "decided", "certifying", "certified"]


@SQLITE
def test_letters_say_what_they_replace_and_where_to_ask(service, rows, monkeypatch):
    """In the letter's language; without an address nothing is said of asking, without a correction of none."""
    with opened(service, PolicySettings(), monkeypatch) as house:
        first = house.apply(rows[0])
        house.set(10)
        second = house.apply(rows[0] | {"income": rows[1]["income"]})
        lender = changed(house.service.shared.settings.lender, corrections="corrections@bank.example")
        settings = changed(house.service.shared.settings, lender=lender)
        for one in (first, second):
            made.end(house.service, one, State.UNDECIDED)
            assert house.override(one).status_code == 201
        said = [house.get(one, "/letter").text for one in (first, second)]
        assert all("We have decided" in text for text in said)
        assert not any("correction" in text or "replaces" in text for text in said)
        object.__setattr__(house.service.shared, "settings", settings)
        assert send(house.service, first, **ASKED).status_code == 201
        assert send(house.service, first, "/second", second=second, name="B. Weber").status_code == 201
        before, after = (house.get(one, "/letter?language=de").text for one in (first, second))
        day = datetime.fromtimestamp(START // 1_000_000, UTC).date()
        assert f"ersetzt die vom {day.day}." in after
        assert "ersetzt" not in before
        for text in (before, after):
            assert "Berichtigung verlangen: <bdi>corrections@bank.example</bdi>" in text
