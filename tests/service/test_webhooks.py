"""Changes of state reach the configured endpoints, at least once, signed, and no other address."""

import base64
import hashlib
import hmac
import json
import logging
import re
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from sqlalchemy import select

from equiproof.service.delivery import Deliveries, DeliveryError
from equiproof.service.endpoints import endpoint
from equiproof.service.numbers import Numbers
from equiproof.service.overrides import override
from equiproof.service.settings import WebhookSettings
from equiproof.service.states import State
from equiproof.service.store.database import Database
from equiproof.service.store.tables import Decision, Outgoing
from equiproof.service.webhooks import (
    CONNECTIONS,
    FIRST_PAUSE,
    RETRY_WINDOW,
    Hook,
    WebhookError,
    Webhooks,
    load_hooks,
)
from tests.service import made
from tests.service.databases import BOTH
from tests.support import ROOT

SECRET = b"s" * 32
SECOND = 1_000_000


class Endpoints:
    """Takes messages, or fails for the endpoints that are named."""

    def __init__(self):
        self.taken, self.failing = [], set()

    def __call__(self, at, headers, body):
        if at.host in self.failing:
            raise DeliveryError("answered 500")
        self.taken.append((at.host, headers, body))


@pytest.fixture
def told(service, address):
    """A service with two endpoints, and what sends to them."""
    database = Database(address, announcing=True)
    object.__setattr__(service.shared, "database", database)
    hooks = {name: Hook(endpoint(f"https://{name}.example/hook"), SECRET) for name in ("one", "two")}
    endpoints = Endpoints()
    webhooks = Webhooks(database, hooks, service.clock, endpoints, numbers=Numbers("webhooks", 0))
    yield webhooks, endpoints
    webhooks.close()
    database.engine.dispose()


def step(webhooks):
    """Spread what is fresh, send to each endpoint what is due until it is not, and return how much was taken."""
    webhooks.spread()
    taken = 0
    for name in webhooks._hooks:
        while more := webhooks.send(name):
            taken += more
    return taken


def rows_of(service, kind):
    with service.shared.database.transaction() as session:
        return session.scalars(select(Outgoing).where(Outgoing.kind == kind).order_by(Outgoing.id)).all()


def test_an_endpoint_is_told_of_its_states_alone(service, rows, told):
    """One is told of certificates and reviews, the other of all; a person's decision has the decision's state."""
    webhooks, endpoints = told
    webhooks._hooks["one"] = replace(webhooks._hooks["one"], states=frozenset({State.CERTIFIED, State.REVIEW}))
    certified, review = (service.post(row).json()["id"] for row in rows[:2])
    made.end(service, certified, State.CERTIFIED)
    with service.shared.database.transaction() as session:
        override(session, session.get(Decision, review), 1, "a reason", "B. Weber", service.clock(), by=made.OFFICER)
    step(webhooks)
    for host, expected in (
        ("one.example", ["certified", "review", "review"]),
        ("two.example", ["certified", "certifying", "decided", "review", "review"]),
    ):
        assert sorted(json.loads(body)["state"] for at, _, body in endpoints.taken if at == host) == expected


@BOTH
def test_every_change_is_told_once_to_each(service, rows, told):
    """With id, time and signature; of the applicant nothing."""
    webhooks, endpoints = told
    decision = service.post(rows[0], reference="file-7").json()["id"]
    made.end(service, decision, State.CERTIFIED)
    assert step(webhooks) == 6
    assert step(webhooks) == 0
    states = [json.loads(body)["state"] for host, _, body in endpoints.taken if host == "one.example"]
    assert states == ["decided", "certifying", "certified"]
    _, headers, body = endpoints.taken[0]
    assert set(json.loads(body)) == {"client", "decision", "number", "state", "at"}
    assert headers["webhook-id"] == f"{decision}-0"
    text = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    expected = base64.b64encode(hmac.new(SECRET, text, hashlib.sha256).digest()).decode()
    assert headers["webhook-signature"] == f"v1,{expected}"
    assert rows_of(service, "change")[0].done is not None


def test_an_endpoint_that_fails_is_asked_again_later_and_holds_up_no_other(service, rows, told):
    """The pause doubles; the id stays; after days nothing more is sent."""
    webhooks, endpoints = told
    endpoints.failing = {"one.example"}
    service.post(rows[0])
    for attempt in range(4):
        step(webhooks)
        (waiting,) = [row for row in rows_of(service, "webhook") if row.target == "one"]
        assert (waiting.attempts, waiting.done) == (attempt + 1, None)
        pause = waiting.due - service.clock.now
        assert pause <= (FIRST_PAUSE << attempt) * SECOND < pause + SECOND
        step(webhooks)
        service.clock.now = waiting.due
    assert [host for host, *_ in endpoints.taken] == ["two.example"]
    service.clock.now += RETRY_WINDOW
    step(webhooks)
    assert all(row.done for row in rows_of(service, "webhook"))


def test_what_an_endpoint_takes_and_refuses_is_counted(service, rows, told):
    """By endpoint, with the time of the last message that it took."""
    webhooks, endpoints = told
    endpoints.failing.add("two.example")
    service.post(rows[0])
    step(webhooks)
    counted = webhooks._numbers.text(()).decode()
    process = webhooks._numbers.process
    for named, outcome, count in (
        ("one", "taken", 1),
        ("one", "refused", 0),
        ("two", "taken", 0),
        ("two", "refused", 1),
    ):
        labels = f'endpoint="{named}",outcome="{outcome}",process="{process}"'
        assert f"equiproof_webhook_messages_total{{{labels}}} {count}.0" in counted
    assert 'success_timestamp_seconds{endpoint="one"' in counted
    assert 'success_timestamp_seconds{endpoint="two"' not in counted


def test_each_message_has_a_line_with_its_request(service, rows, told, caplog):
    """The id is that of the request that asked for the decision, whether the endpoint took the message or not."""
    webhooks, endpoints = told
    endpoints.failing.add("two.example")
    ids = {service.post(row).headers["x-request-id"] for row in rows[:2]}
    with caplog.at_level(logging.INFO, "equiproof"):
        step(webhooks)
    lines = [(one.getMessage(), one.fields) for one in caplog.records if one.name == "equiproof.service.webhooks"]
    assert {said["request"] for what, said in lines if what == "taken"} == ids
    assert {said["webhook"] for what, said in lines if what == "taken"} == {"one"}
    failed = [said for what, said in lines if what == "not taken"]
    assert failed
    assert all(said["request"] in ids and said["webhook"] == "two" and "500" in said["why"] for said in failed)


def test_a_persons_decision_is_told(service, rows, told):
    """That there is one, by its number; not what it says, nor why, nor by whom. The same again is no other one."""
    webhooks, endpoints = told
    decision = service.post(rows[1]).json()["id"]
    for label in (0, 1, 1):
        with service.shared.database.transaction() as session:
            override(
                session,
                session.get(Decision, decision),
                label,
                "SECRET reason",
                "B. Weber",
                service.clock(),
                by=made.OFFICER,
            )
    assert step(webhooks) == 6
    sent = [
        (headers["webhook-id"], json.loads(body)) for host, headers, body in endpoints.taken if host == "one.example"
    ]
    assert [identifier for identifier, _ in sent] == [f"{decision}-{end}" for end in ("0", "override-1", "override-2")]
    assert set(sent[1][1]) == {"client", "decision", "number", "state", "at", "override"}
    assert [(body["state"], body["number"], body.get("override")) for _, body in sent] == [
        ("review", 0, None), ("review", 0, 1), ("review", 0, 2)
    ]  # fmt: skip
    assert "SECRET" not in str(endpoints.taken)


def test_without_endpoints_nothing_is_written(service, rows):
    """No row waits for ever."""
    service.post(rows[0])
    assert not rows_of(service, "change")


def test_a_sender_that_dies_in_between_sends_the_same_id_again(service, rows, told):
    """At least once; the one who receives knows it by its id."""
    webhooks, endpoints = told
    service.post(rows[0])
    tell = webhooks._send
    webhooks._send = lambda *given: (tell(*given), 1 / 0)
    with pytest.raises(ZeroDivisionError):
        step(webhooks)
    webhooks._send = tell
    step(webhooks)
    identifiers = [headers["webhook-id"] for host, headers, _ in endpoints.taken if host == "one.example"]
    assert len(identifiers) == 2
    assert len(set(identifiers)) == 1


def test_an_endpoint_that_is_away_with_much_to_be_told_keeps_nothing_from_the_other(service, rows, told):
    """It is asked once in a while, whatever waits for it; what waits comes in its order when it is back."""
    webhooks, endpoints = told
    endpoints.failing = {"one.example"}
    tried = []
    send, webhooks._send = webhooks._send, lambda at, *given: (tried.append(at.host), endpoints(at, *given))
    service.post(rows[0])
    change = rows_of(service, "change")[0]
    with service.shared.database.transaction() as session:
        for _ in range(12):
            session.add(
                Outgoing(kind="webhook", decision_id=change.decision_id, target="one", body=change.body, created=1)
            )
    step(webhooks)
    last = service.post(rows[0]).json()["id"]
    step(webhooks)
    assert json.loads(endpoints.taken[-1][2])["decision"] == last
    assert tried.count("one.example") == 1
    endpoints.failing, endpoints.taken = set(), []
    service.clock.now += FIRST_PAUSE * SECOND + SECOND
    while step(webhooks):
        pass
    waiting = [row for row in rows_of(service, "webhook") if row.target == "one"]
    assert all(row.done for row in waiting)
    for decision in {row.decision_id for row in waiting}:
        own = [row.done for row in waiting if row.decision_id == decision]
        assert sorted(own) == own
    webhooks._send = send


def test_an_endpoint_that_refuses_is_asked_no_more_than_at_once(service, rows, told):
    """Of messages about many decisions those that were not sent count no attempt, and are due at once afterwards."""
    webhooks, endpoints = told
    endpoints.failing = {"one.example"}
    tried = []
    webhooks._send = lambda at, *given: (tried.append(at.host), endpoints(at, *given))
    for _ in range(3 * CONNECTIONS):
        service.post(rows[0])
    step(webhooks)
    assert tried.count("two.example") == 3 * CONNECTIONS
    assert 1 <= tried.count("one.example") <= CONNECTIONS
    waiting = [row for row in rows_of(service, "webhook") if row.target == "one"]
    assert sum(row.attempts for row in waiting) == tried.count("one.example")
    assert sum(row.due == 0 for row in waiting) == 3 * CONNECTIONS - tried.count("one.example")


def test_messages_of_a_decision_come_in_their_order(service, rows, told):
    """The first one is refused twice: until it is taken the later ones of its decision wait."""
    webhooks, endpoints = told
    first, other = (service.post(row).json()["id"] for row in (rows[0], rows[0]))
    refusals = [2]

    def send(at, headers, body):
        message = json.loads(body)
        if at.host == "one.example" and message["decision"] == first and message["number"] == 0 and refusals[0]:
            refusals[0] -= 1
            raise DeliveryError("answered 500")
        endpoints(at, headers, body)

    webhooks._send = send
    for identifier in (first, other):
        made.end(service, identifier, State.CERTIFIED)
    for _ in range(12):
        while step(webhooks):
            pass
        service.clock.now += (FIRST_PAUSE + 1) * SECOND
    taken = [json.loads(body) for host, _, body in endpoints.taken if host == "one.example"]
    for identifier in (first, other):
        numbers = [message["number"] for message in taken if message["decision"] == identifier]
        assert numbers == sorted(numbers)
        assert len(numbers) > 1
    assert refusals == [0]


def test_messages_of_several_decisions_are_sent_at_once(service, rows, told):
    """Four meet at the endpoint; sent one after the other, the first would wait for the others in vain."""
    webhooks, _ = told
    together = threading.Barrier(4)
    for _ in range(4):
        service.post(rows[0])

    def send(at, *_):
        if at.host == "one.example":
            together.wait(20)

    webhooks._send = send
    assert step(webhooks) == 8


def test_an_endpoint_that_the_settings_no_longer_name_is_told_nothing_more(service, rows, told, caplog):
    """What waits for it ends at once, with one line; the other one is told."""
    webhooks, endpoints = told
    endpoints.failing = {"one.example"}
    service.post(rows[0])
    step(webhooks)
    left = Webhooks(webhooks._database, {"two": webhooks._hooks["two"]}, service.clock, endpoints)
    left.drop_others()
    left.close()
    assert all(row.done for row in rows_of(service, "webhook"))
    assert [record.msg for record in caplog.records].count("no longer configured") == 1


def test_a_clock_that_was_ahead_puts_off_nothing(service, rows, told):
    """What was to be sent again in a year is sent as soon as the clock is right."""
    webhooks, endpoints = told
    endpoints.failing, right = {"one.example"}, service.clock.now
    service.post(rows[0])
    service.clock.now += 365 * 24 * 3600 * SECOND
    with service.shared.database.transaction() as session:
        for row in session.scalars(select(Outgoing).where(Outgoing.kind == "change")):
            row.created = service.clock.now
    step(webhooks)
    service.clock.now, endpoints.failing = right, set()
    step(webhooks)
    assert [host for host, *_ in endpoints.taken] == ["two.example", "one.example"]


def test_an_endpoint_that_hangs_keeps_no_message_from_the_other(service, rows, told):
    """While one takes its time over a message, the other is told of what happens meanwhile."""
    webhooks, endpoints = told
    reached, go_on = threading.Event(), threading.Event()

    def send(at, headers, body):
        if at.host == "one.example":
            reached.set()
            go_on.wait(20)
        endpoints(at, headers, body)

    webhooks._send = send
    service.post(rows[0])
    webhooks.spread()
    with ThreadPoolExecutor(1) as pool:
        hangs = pool.submit(webhooks.send, "one")
        assert reached.wait(20)
        last = service.post(rows[0]).json()["id"]
        webhooks.spread()
        assert webhooks.send("two") == 2
        assert json.loads(endpoints.taken[-1][2])["decision"] == last
        go_on.set()
        assert hangs.result() == 1


class Receiver:
    """A program of a lender's that listens on this machine, and keeps what genuinely came, once."""

    def __init__(self, secrets, now, port=0):
        self.said, self.refused, self.secrets = {}, 0, secrets
        told = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                good = OF_PAGE["is_genuine"](self.headers, body, told.secrets, now)
                if good:
                    told.said.setdefault(self.headers["webhook-id"], json.loads(body))
                else:
                    told.refused += 1
                self.send_response(204 if good else 401)
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self.port = self.server.server_address[1]
        self.thread = threading.Thread(target=self.server.serve_forever)
        self.thread.start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()


PAGE = (ROOT / "docs" / "service.md").read_text(encoding="utf-8")
(CODE,) = re.findall(r"```python\n(import base64.*?)```", PAGE, re.DOTALL)
OF_PAGE = {}
exec(compile(CODE, "docs/service.md", "exec"), OF_PAGE)  # noqa: S102 -- the page's own check of a signature


def test_a_receiver_that_goes_away_and_changes_its_secret_misses_nothing(service, rows, told, tmp_path):
    """With the page's own check: down, back with the old secret, refused after the change here, right with both."""
    webhooks, _ = told
    lines = []
    for name in ("old", "new"):
        (tmp_path / name).write_text("whsec_" + base64.b64encode(name.encode() * 12).decode() + "\n")
        (tmp_path / name).chmod(0o600)
        lines.append((tmp_path / name).read_text().strip())

    def seconds():
        return service.clock.now // SECOND

    receiver = Receiver(lines[:1], seconds)

    def sender(name):
        url = f"http://127.0.0.1:{receiver.port}/hook"
        hooks = load_hooks({"bank": WebhookSettings(url, str(tmp_path / name))})
        return Webhooks(webhooks._database, hooks, service.clock, deliveries)

    deliveries = Deliveries()
    first = service.post(rows[0]).json()["id"]
    assert step(sender("old")) == 1
    receiver.close()
    away = service.post(rows[0]).json()["id"]
    assert step(sender("old")) == 0
    said, receiver = receiver.said, Receiver(lines[:1], seconds, receiver.port)
    try:
        service.clock.now += FIRST_PAUSE * SECOND + SECOND
        assert step(sender("new")) == 0
        assert receiver.refused == 1
        receiver.secrets = lines[::-1]
        service.clock.now += 2 * FIRST_PAUSE * SECOND + SECOND
        assert step(sender("new")) == 1
        made.end(service, away, State.CERTIFIED)
        assert step(sender("old")) == 2
        assert [*said, *receiver.said] == [f"{first}-0", f"{away}-0", f"{away}-1", f"{away}-2"]
    finally:
        receiver.close()


def test_a_secret_is_its_owners_and_long(tmp_path):
    """Others may not read it, and it is base64 of 24 bytes or more; an error repeats nothing of it."""
    path = tmp_path / "secret"
    settings = {"one": WebhookSettings("https://bank.example/hook", str(path))}
    path.write_text("whsec_" + base64.b64encode(SECRET).decode() + "\n")
    path.chmod(0o600)
    (hook,) = load_hooks(settings).values()
    assert hook.secret == SECRET
    assert "s" * 8 not in repr(hook)
    for text in ("whsec_c2hvcnQ=", "", "whsec_!!"):
        path.write_text(text)
        with pytest.raises(WebhookError, match="at least 24 random bytes"):
            load_hooks(settings)
    path.chmod(0o644)
    with pytest.raises(WebhookError, match="chmod 600"):
        load_hooks(settings)
