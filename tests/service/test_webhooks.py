"""Changes of state reach the configured endpoints, at least once, signed, and no other address."""

import base64
import hashlib
import hmac
import json
import re
import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from sqlalchemy import select

from equiproof.service import webhooks as webhooks_module
from equiproof.service.delivery import DeliveryError, deliver, endpoint
from equiproof.service.overrides import override
from equiproof.service.settings import WebhookSettings
from equiproof.service.states import State
from equiproof.service.store.database import Database
from equiproof.service.store.tables import Decision, Outgoing
from equiproof.service.webhooks import (
    FIRST_PAUSE,
    RETRY_WINDOW,
    Hook,
    WebhookError,
    Webhooks,
    load_hooks,
    signed,
)
from tests.service import made
from tests.service.databases import BOTH
from tests.support import ROOT

SECRET = b"s" * 32
SECOND = 1_000_000
PUBLIC = ["93.184.215.14"]


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
    yield Webhooks(database, hooks, service.clock, endpoints), endpoints
    database.engine.dispose()


def rows_of(service, kind):
    with service.shared.database.transaction() as session:
        return session.scalars(select(Outgoing).where(Outgoing.kind == kind).order_by(Outgoing.id)).all()


@BOTH
def test_every_change_is_told_once_to_each(service, rows, told):
    """With id, time and signature; of the applicant nothing."""
    webhooks, endpoints = told
    decision = service.post(rows[0], reference="file-7").json()["id"]
    made.end(service, decision, State.CERTIFIED)
    assert webhooks.step() == 6
    assert webhooks.step() == 0
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
        webhooks.step()
        (waiting,) = [row for row in rows_of(service, "webhook") if row.target == "one"]
        assert (waiting.attempts, waiting.done) == (attempt + 1, None)
        pause = waiting.due - service.clock.now
        assert pause <= (FIRST_PAUSE << attempt) * SECOND < pause + SECOND
        webhooks.step()
        service.clock.now = waiting.due
    assert [host for host, *_ in endpoints.taken] == ["two.example"]
    service.clock.now += RETRY_WINDOW
    webhooks.step()
    assert all(row.done for row in rows_of(service, "webhook"))


def test_a_persons_decision_is_told(service, rows, told):
    """That there is one, by its number; not what it says, nor why, nor by whom. The same again is no other one."""
    webhooks, endpoints = told
    decision = service.post(rows[1]).json()["id"]
    for label in (0, 1, 1):
        with service.shared.database.transaction() as session:
            override(session, session.get(Decision, decision), label, "SECRET reason", "B. Weber", service.clock())
    assert webhooks.step() == 6
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
        webhooks.step()
    webhooks._send = tell
    webhooks.step()
    identifiers = [headers["webhook-id"] for host, headers, _ in endpoints.taken if host == "one.example"]
    assert len(identifiers) == 2
    assert len(set(identifiers)) == 1


def test_an_endpoint_that_is_away_with_much_to_be_told_keeps_nothing_from_the_other(service, rows, told, monkeypatch):
    """It is asked once in a while, whatever waits for it; what waits comes in its order when it is back."""
    webhooks, endpoints = told
    monkeypatch.setattr(webhooks_module, "BATCH", 4)
    endpoints.failing = {"one.example"}
    tried = []
    send, webhooks._send = webhooks._send, lambda at, *given: (tried.append(at.host), endpoints(at, *given))
    service.post(rows[0])
    change = rows_of(service, "change")[0]
    with service.shared.database.transaction() as session:
        for _ in range(12):  # more than one step takes
            session.add(
                Outgoing(kind="webhook", decision_id=change.decision_id, target="one", body=change.body, created=1)
            )
    webhooks.step()
    last = service.post(rows[0]).json()["id"]
    webhooks.step()
    assert json.loads(endpoints.taken[-1][2])["decision"] == last
    assert tried.count("one.example") == 1
    endpoints.failing, endpoints.taken = set(), []
    service.clock.now += FIRST_PAUSE * SECOND + SECOND
    while webhooks.step():
        pass
    waiting = [row for row in rows_of(service, "webhook") if row.target == "one"]
    assert all(row.done for row in waiting)
    for decision in {row.decision_id for row in waiting}:
        own = [row.done for row in waiting if row.decision_id == decision]
        assert sorted(own) == own
    webhooks._send = send


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
        while webhooks.step():
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
    assert webhooks.step() == 8


def test_an_endpoint_that_the_settings_no_longer_name_is_told_nothing_more(service, rows, told, caplog):
    """What waits for it ends at once, with one line; the other one is told."""
    webhooks, endpoints = told
    endpoints.failing = {"one.example"}
    service.post(rows[0])
    webhooks.step()
    left = Webhooks(webhooks._database, {"two": webhooks._hooks["two"]}, service.clock, endpoints)
    service.clock.now += FIRST_PAUSE * SECOND + SECOND
    left.step()
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
    webhooks.step()
    service.clock.now, endpoints.failing = right, set()
    webhooks.step()
    assert [host for host, *_ in endpoints.taken] == ["two.example", "one.example"]


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
        return Webhooks(webhooks._database, hooks, service.clock)

    first = service.post(rows[0]).json()["id"]
    assert sender("old").step() == 1
    receiver.close()
    away = service.post(rows[0]).json()["id"]
    assert sender("old").step() == 0
    said, receiver = receiver.said, Receiver(lines[:1], seconds, receiver.port)
    try:
        service.clock.now += FIRST_PAUSE * SECOND + SECOND
        assert sender("new").step() == 0
        assert receiver.refused == 1
        receiver.secrets = lines[::-1]
        service.clock.now += 2 * FIRST_PAUSE * SECOND + SECOND
        assert sender("new").step() == 1
        made.end(service, away, State.CERTIFIED)
        assert sender("old").step() == 2
        assert [*said, *receiver.said] == [f"{first}-0", f"{away}-0", f"{away}-1", f"{away}-2"]
    finally:
        receiver.close()


@pytest.mark.parametrize(
    "url",
    [
        "http://bank.example/hook", "http://127.0.0.1.bank.example/", "ftp://bank.example", "https://", "bank.example",
        "https://user@bank.example/", "https://bank.example/#x", "https://bank.example/a b", "https://bank.example:x/",
        "https://bank.example/\r\nHost: x", "http://10.0.0.1/",
    ],
)  # fmt: skip
def test_addresses_that_are_none(url):
    """Only https, and http to this machine."""
    with pytest.raises(DeliveryError):
        endpoint(url)


@pytest.mark.parametrize(
    "address",
    [
        "10.1.2.3", "127.0.0.1", "169.254.169.254", "192.168.0.1", "172.16.0.1", "100.64.0.1", "0.0.0.1", "224.0.0.1",
        "::1", "::", "fe80::1%eth0", "fd00::1", "::ffff:10.0.0.1", "::ffff:127.0.0.1", "64:ff9b::a00:1",
        "2002:a00:1::1", "2001:0:a00:1::1", "ff02::1", "fec0::1", "::10.0.0.1",
    ],
)  # fmt: skip
def test_a_name_that_leads_inside_is_not_called(address, monkeypatch):
    """Whichever of its addresses it is, and before anything is sent."""
    monkeypatch.setattr(socket, "create_connection", lambda *_: pytest.fail("called"))
    at = endpoint("https://bank.example/hook")
    for found in ([address], [*PUBLIC, address]):
        with pytest.raises(DeliveryError, match="private network"):
            deliver(at, {}, b"{}", lambda *_, found=found: found)


def test_the_address_that_was_looked_at_is_the_one_that_is_called(monkeypatch):
    """A name that leads elsewhere the second time reaches nothing: it is asked once."""
    called, asked = [], []

    def connect(address, _):
        called.append(address)
        raise ConnectionRefusedError

    monkeypatch.setattr(socket, "create_connection", connect)
    with pytest.raises(DeliveryError, match="ConnectionRefusedError"):
        deliver(endpoint("https://bank.example/hook"), {}, b"{}", lambda *given: asked.append(given) or PUBLIC)
    assert (called, asked) == ([(PUBLIC[0], 443)], [("bank.example", 443)])


@pytest.mark.parametrize("local", ["http://127.0.0.1:9/", "https://localhost:9/"])
def test_this_machine_is_this_machine(local, monkeypatch):
    """An endpoint on loopback is never looked for elsewhere."""
    monkeypatch.setattr(socket, "create_connection", lambda *_: pytest.fail("called"))
    with pytest.raises(DeliveryError, match="private network"):
        deliver(endpoint(local), {}, b"{}", lambda *_: PUBLIC)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (b"HTTP/1.1 204 No Content\r\n\r\n", None),
        (b"HTTP/1.1 200 OK\r\n", None),
        (b"HTTP/1.1 302 Found\r\nLocation: http://10.0.0.1/\r\n\r\n", "answered 302"),
        (b"HTTP/1.1 500 x\r\n\r\n", "answered 500"),
        (b"SSH-2.0-x\r\n", "not HTTP"),
        (b"HTTP/1.1 2x0 a\r\n", "not HTTP"),
        (b"", "not HTTP"),
        (b"x" * 5000, "not HTTP"),
    ],
)
def test_only_a_success_counts(answer, said):
    """Nothing is followed, and nothing of the answer is repeated."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        seen = []

        def answering():
            connection, _ = server.accept()
            with connection:
                seen.append(connection.recv(65536))
                connection.sendall(answer)

        thread = threading.Thread(target=answering)
        thread.start()
        at = endpoint(f"http://127.0.0.1:{server.getsockname()[1]}/hook?a=1")
        if said is None:
            deliver(at, signed(SECRET, "id", 1, b"{}"), b"{}")
        else:
            with pytest.raises(DeliveryError, match=said):
                deliver(at, {}, b"{}")
        thread.join()
    assert seen[0].startswith(b"POST /hook?a=1 HTTP/1.1\r\nHost: 127.0.0.1:")
    assert seen[0].endswith(b"\r\n\r\n{}")


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
