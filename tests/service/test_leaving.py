"""What ends a search leaves at a multiple of the delay, by every way; nothing tells in which second it was."""

import json
import re
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from equiproof.service import letters
from equiproof.service.clients import Scope
from equiproof.service.console.officers import Role
from equiproof.service.delivery import DeliveryError
from equiproof.service.endpoints import endpoint
from equiproof.service.links import DAY, make_link
from equiproof.service.settings import PolicySettings
from equiproof.service.states import State
from equiproof.service.store.database import Database
from equiproof.service.store.tables import Link
from equiproof.service.web.app import create_app
from equiproof.service.web.shown import time
from equiproof.service.webhooks import Hook, Webhooks
from equiproof.verifier.trust import TrustedKey
from tests.service import made
from tests.service.conftest import START
from tests.service.console.people import sign_in
from tests.service.databases import BOTH
from tests.support import LOANS, changed

SQLITE = pytest.mark.parametrize("address", ["sqlite"], indirect=True)
SECOND = 1_000_000
BEGIN = START + SECOND
EVERY = 600
WEEK = 7 * 24 * 3600
HELD = PolicySettings(release_every_seconds=EVERY)
FREE = PolicySettings(release_every_seconds=EVERY, hold_letter_until_certified=False)
VARYING = {"x-request-id", "date", "content-length"}


class House:
    """A service whose clock stands still until it is set, in seconds since its applications came."""

    def __init__(self, service, policy):
        self.at = BEGIN
        self.told = []
        self.refusing = False
        database = Database(service.shared.database.engine.url.render_as_string(hide_password=False), announcing=True)
        settings = changed(service.shared.settings, policy=policy, public_url="https://bank.example")
        shared = replace(service.shared, database=database, clock=lambda: self.at, settings=settings)
        client = TestClient(create_app(shared), raise_server_exceptions=False)
        self.service = replace(service, shared=shared, client=client, clock=lambda: self.at)
        key = service.key(Scope.SUBMIT, Scope.READ, Scope.ADMIN)
        self.service.headers = {"Authorization": f"Bearer {key.text}"}
        hooks = {"one": Hook(endpoint("https://one.example/"), b"s" * 32)}
        self.webhooks = Webhooks(database, hooks, self.service.clock, self._tell, policy=policy)
        self.links = dict[str, str]()

    def _tell(self, _, headers, body):
        if self.refusing:
            raise DeliveryError("answered 500")
        self.told.append((headers["webhook-timestamp"], headers["webhook-id"], body.decode()))

    def close(self):
        self.webhooks.close()
        self.service.shared.database.engine.dispose()

    def set(self, seconds):
        self.at = BEGIN + round(seconds * SECOND)

    def apply(self, row):
        """Return the id of a new decision."""
        decision = self.service.post(row).json()["id"]
        with self.service.shared.database.transaction() as session:
            self.links[decision] = make_link(session, decision, self.at, 90)
        return decision

    def get(self, decision, way=""):
        return self.service.get(f"/v1/decisions/{decision}{way}")

    def asked(self, decision, what):
        return self.service.client.post(f"/a/{what}", data={"token": self.links[decision]})

    def listed(self, decision, state):
        return decision in self.service.get("/v1/decisions", state=state).text

    def messages(self, decision):
        """Return the states that webhooks have told by now."""
        while self.webhooks.spread() or self.webhooks.send("one"):
            pass
        return [json.loads(body)["state"] for _, _, body in self.told if decision in body]

    def override(self, decision):
        given = {"label": LOANS.labels[0], "reason": "seen", "name": "B. Weber"}
        path = f"/v1/decisions/{decision}/override"
        return self.service.client.post(path, json=given, headers=self.service.headers)

    def everything(self, decision):
        """Return all that a client program or an applicant can fetch of a decision, without what is random in it."""
        answers = [
            *(self.get(decision, way) for way in ("", *(f"/{paper}" for paper in PAPERS))),
            self.get(decision, "/letter?language=de"),
            *(self.asked(decision, what) for what in ("standing", "file", "letter")),
        ]
        shown = [(one.status_code, headers_of(one), contents_of(one)) for one in answers]
        lists = [self.listed(decision, state) for state in State]
        self.messages(decision)
        return shown, lists, [alike(str(message)) for message in self.told if decision in message[2]]


PAPERS = ("certificate", "receipt", "bundle", "letter", "package")


def headers_of(answer):
    return {name: value for name, value in answer.headers.items() if name not in VARYING}


def contents_of(answer):
    """Return the text of an answer, or how long a file is whose parts are random."""
    return len(answer.content) if "octet-stream" in answer.headers["content-type"] else alike(answer.text)


def alike(text):
    """Return a text without ids, digests and pictures of links, which are random."""
    return re.sub(
        r"[0-9A-Z]{4}(-[0-9A-Z]{4})+-[0-9A-Z]{2}|[0-9a-f]{8,}|[0-9a-f]{4}(\xa0[0-9a-f]{4})+|(?<= d=\")[^\"]*", "", text
    )


@contextmanager
def opened(service, policy, monkeypatch):
    """A house in which bundles can be made."""
    key = TrustedKey(made.KEY_DOCUMENT, made.VERIFYING)
    monkeypatch.setattr(letters, "key_of", lambda *_: key)
    monkeypatch.setattr("equiproof.service.bundled.key_of", lambda *_: key)
    monkeypatch.setattr("equiproof.service.package._reported", lambda data: data)
    house = House(service, policy)
    try:
        yield house
    finally:
        house.close()


WAYS = {
    "state": lambda house, it: house.get(it).json()["state"] == "certified",
    "history": lambda house, it: len(house.get(it).json()["history"]) == 3,
    "list of its state": lambda house, it: house.listed(it, "certified"),
    "list of the state before": lambda house, it: not house.listed(it, "decided"),
    "certificate": lambda house, it: house.get(it, "/certificate").status_code == 200,
    "bundle": lambda house, it: house.get(it, "/bundle").status_code == 200,
    "letter": lambda house, it: house.get(it, "/letter").status_code == 200,
    "package": lambda house, it: house.get(it, "/package").status_code == 200,
    "webhook": lambda house, it: house.messages(it) == ["decided", "certifying", "certified"],
    "page": lambda house, it: house.asked(it, "standing").json()["standing"] == "ready",
    "page's file": lambda house, it: house.asked(it, "file").status_code == 200,
    "page's letter": lambda house, it: house.asked(it, "letter").status_code == 200,
}


@BOTH
def test_by_every_way_a_certificate_leaves_at_a_multiple(service, rows, monkeypatch):
    """Until then all is as while the search goes on, and from then on all of it is there."""
    with opened(service, HELD, monkeypatch) as house:
        decision = house.apply(rows[0])
        house.set(EVERY + 7)
        made.end(house.service, decision, State.CERTIFIED)
        for seconds, has_left in ((EVERY + 8, False), (2 * EVERY - 0.000001, False), (2 * EVERY, True)):
            house.set(seconds)
            assert {name: way(house, decision) for name, way in WAYS.items()} == dict.fromkeys(WAYS, has_left)
        times = [datetime.fromisoformat(one["at"]) for one in house.get(decision).json()["history"]]
        assert times == [time(BEGIN), *[time(BEGIN + 2 * EVERY * SECOND)] * 2]


@SQLITE
@pytest.mark.parametrize(
    ("end", "policy"),
    [(State.CERTIFIED, HELD), (State.REVIEW, FREE), (State.UNDECIDED, FREE), (State.FAILED, FREE)],
    ids=lambda one: str(one) if isinstance(one, State) else "",
)
def test_nothing_tells_in_which_second_a_search_ended(service, rows, monkeypatch, end, policy):
    """Of two searches that end within one multiple, all that can be fetched at any instant is the same."""
    with opened(service, policy, monkeypatch) as house:
        decisions = {house.apply(rows[0]): seconds for seconds in (EVERY + 1, 2 * EVERY - 1)}
        seen = []
        for seconds in (*decisions.values(), 2 * EVERY - 0.000001, 2 * EVERY):
            house.set(seconds)
            for decision, ended in decisions.items():
                if ended == seconds:
                    made.end(house.service, decision, end, "why")
            first, second = (house.everything(decision) for decision in decisions)
            assert first == second, seconds
            seen.append(first)
        assert seen[-1][0] != seen[-2][0]
        with house.service.shared.database.reading() as session:
            lives = {(row.created, row.expires) for row in session.scalars(select(Link)) if row.created != BEGIN}
        assert lives <= {(BEGIN + 2 * EVERY * SECOND, BEGIN + 2 * EVERY * SECOND + 90 * DAY)}
        assert bool(lives) == (end == State.CERTIFIED)


@BOTH
def test_what_is_tried_again_leaves_change_by_change(service, rows, monkeypatch):
    """Lists of states and the state that is shown are one, also by a clock that went back."""
    with opened(service, HELD, monkeypatch) as house:
        decision = house.apply(rows[0])
        for seconds, end in ((10, State.UNDECIDED), (EVERY + 10, State.FAILED), (5, State.CERTIFIED)):
            house.set(seconds)
            made.end(house.service, decision, end)
        shown = {}
        for multiple in range(4):
            house.set(multiple * EVERY)
            shown[multiple] = house.get(decision).json()["state"]
            assert [state for state in State if house.listed(decision, state)] == [shown[multiple]]
        assert shown == {0: "decided", 1: "undecided", 2: "certified", 3: "certified"}


@SQLITE
def test_a_person_closes_nothing_before_its_end_has_left(service, rows, monkeypatch):
    """A client program cannot find out by trying; an officer decides at once, and that leaves with the end."""
    with opened(service, HELD, monkeypatch) as house:
        decision, other = (house.apply(rows[0]) for _ in range(2))
        house.set(10)
        made.end(house.service, decision, State.REVIEW)
        made.begin(house.service, other)
        early, searching = (house.override(one) for one in (decision, other))
        assert (early.status_code, alike(early.text)) == (searching.status_code, alike(searching.text))
        assert (early.status_code, early.json()["type"]) == (409, "urn:equiproof:not-open")
        officer = sign_in(house.service, Role.OFFICER)
        assert "review" in officer.get(f"decisions/{decision}").text
        assert officer.post(f"decisions/{decision}", label="1", reason="seen").status_code == 303
        house.set(EVERY - 1)
        assert house.get(decision).json()["override"] is None
        assert house.asked(decision, "standing").json()["standing"] == "waiting"
        assert house.messages(decision) == ["decided"]
        house.set(EVERY)
        assert house.get(decision).json()["outcome"] == LOANS.labels[1]
        assert house.asked(decision, "standing").json()["standing"] == "closed"
        assert house.messages(decision) == ["decided", "certifying", "review", "review"]
        assert {json.loads(body)["at"] for _, _, body in house.told if body.count(decision)} == {BEGIN, house.at}
        house.set(EVERY + 5)
        assert house.override(decision).status_code == 201
        assert json.loads(house.get(decision).text)["override"]["name"] == "B. Weber"


@SQLITE
def test_a_review_from_the_beginning_waits_for_nothing(service, rows, monkeypatch):
    """There was no search: a person's decision leaves at once."""
    with opened(service, HELD, monkeypatch) as house:
        decision = house.apply(rows[1])
        house.set(10)
        assert house.override(decision).json()["outcome"] == LOANS.labels[0]
        assert house.messages(decision) == ["review", "review"]
        assert json.loads(house.told[1][2])["at"] == house.at


@SQLITE
def test_messages_of_many_leave_in_the_order_of_their_multiples(service, rows, monkeypatch):
    """Not in that of the ends, and for as long as an endpoint may be away from then on."""
    with opened(service, PolicySettings(release_every_seconds=WEEK), monkeypatch) as house:
        first = house.apply(rows[0])
        house.set(1)
        second = house.apply(rows[0])
        for decision in (second, first):
            made.end(house.service, decision, State.CERTIFIED)
        house.messages(first)
        house.told.clear()
        house.refusing = True
        house.set(WEEK + 1)
        house.messages(first)
        house.refusing = False
        house.set(WEEK + 10)
        house.messages(first)
        ends = [json.loads(body) for _, _, body in house.told]
        assert [one["state"] for one in ends] == ["certifying"] * 2 + ["certified"] * 2
        assert [one["decision"] for one in ends if one["state"] == "certified"] == [first, second]


@SQLITE
def test_officers_see_at_once_what_has_not_left(service, rows, monkeypatch):
    """Certificate and letter, and on the page when the end leaves; then the page says nothing of it."""
    with opened(service, HELD, monkeypatch) as house:
        decision = house.apply(rows[0])
        house.set(10)
        made.end(house.service, decision, State.CERTIFIED)
        officer = sign_in(house.service, Role.OFFICER)
        page = officer.get(f"decisions/{decision}").text
        assert "certified, checked by two programs" in page
        assert "leaves at" in page
        assert officer.get(f"decisions/{decision}/certificate").status_code == 200
        house.set(EVERY)
        assert "leaves at" not in officer.get(f"decisions/{decision}").text
