"""What a client can take is bounded: time, bytes, requests at once and in a minute; and answers are safe to show."""

import asyncio
import contextlib
import threading
import time

import msgspec
import pytest
from fastapi.testclient import TestClient

from equiproof.service.links import make_link
from equiproof.service.settings import LimitSettings
from equiproof.service.vault import make_vault
from equiproof.service.web import deciding, limits, readiness
from equiproof.service.web.app import create_app
from equiproof.service.web.limits import MINUTE, Rates
from equiproof.service.web.problems import ProblemError
from equiproof.service.web.watched import HEADERS

pytestmark = pytest.mark.parametrize("address", ["sqlite"], indirect=True)


def linked(service, row):
    """Decide, and return the token of a link."""
    decision = service.post(row).json()["id"]
    with service.shared.database.transaction() as session:
        return make_link(session, decision, service.clock(), 90)


@pytest.fixture
def limited(service):
    """A function that returns an application with other limits over the same service."""

    def made(**limits):
        settings = msgspec.structs.replace(service.shared.settings, limits=LimitSettings(**limits))
        object.__setattr__(service.shared, "settings", settings)
        service.shared.__post_init__()
        return create_app(service.shared)

    return made


def scope(service, path="/v1/decisions", method="POST", **headers):
    named = {**service.headers, "Content-Type": "application/json", "Idempotency-Key": "request-1", **headers}
    return {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": method, "path": path,
        "raw_path": path.encode(), "query_string": b"", "root_path": "", "scheme": "http",
        "server": ("127.0.0.1", 80), "client": ("127.0.0.1", 1),
        "headers": [(name.lower().encode(), value.encode()) for name, value in named.items()],
    }  # fmt: skip


async def exchanged(app, asked, receive):
    """Return the status and the headers of an answer."""
    sent = []

    async def send(message):
        sent.append(message)

    await app(asked, receive, send)
    return sent[0]["status"], {name.decode(): value.decode() for name, value in sent[0]["headers"]}


def test_a_body_that_does_not_come_is_not_waited_for(service, limited):
    """408 after the time that a request may take, and the connection ends; what comes in drops is no other body."""
    app = limited(request_seconds=0.2)

    async def never():
        await asyncio.sleep(60)

    async def drops():
        await asyncio.sleep(0.02)
        return {"type": "http.request", "body": b" ", "more_body": True}

    for body in (never, drops):
        status, headers = asyncio.run(exchanged(app, scope(service), body))
        assert (status, headers["connection"]) == (408, "close")


def test_a_request_that_takes_too_long_is_answered(service, limited, rows, monkeypatch):
    """503; what it does is done all the same, and the same Idempotency-Key finds it."""
    app, go, take = limited(request_seconds=0.3), threading.Event(), deciding.make

    def slow(*given):
        go.wait(20)
        return take(*given)

    monkeypatch.setattr(deciding, "make", slow)
    body = msgspec.json.encode({"model": "loans", "features": rows[0]})

    async def late():
        async def receive():
            return {"type": "http.request", "body": body, "more_body": False}

        first = await exchanged(app, scope(service), receive)
        go.set()
        return first

    status, headers = asyncio.run(late())
    assert (status, headers["retry-after"]) == (503, "5")
    while (again := service.post(rows[0], key="request-1")).status_code == 409:
        time.sleep(0.01)
    assert again.status_code == 201
    assert len(service.get("/v1/decisions").json()["decisions"]) == 1


def test_too_many_at_once_are_sent_away(service, limited, monkeypatch):
    """503 with Retry-After at once; the process still says that it is alive."""
    app, go = limited(running=1), asyncio.Event()

    async def all_of_them():
        async def waits():
            await go.wait()
            return {"type": "http.request", "body": b"{}", "more_body": False}

        async def nothing():
            return {"type": "http.request", "body": b"", "more_body": False}

        first = asyncio.ensure_future(exchanged(app, scope(service), waits))
        await asyncio.sleep(0.05)
        second = await exchanged(app, scope(service), waits)
        alive = await exchanged(app, scope(service, "/healthz", "GET"), nothing)
        go.set()
        return await first, second, alive, await exchanged(app, scope(service), waits)

    first, second, alive, later = asyncio.run(all_of_them())
    assert (first[0], second[0], alive[0], later[0]) == (422, 503, 200, 422)
    assert second[1]["retry-after"] == "1"


def test_a_length_that_is_a_lie_is_counted(service, limited):
    """What arrives is counted, not what is announced."""
    parts = iter(range(100))

    async def receive():
        return {"type": "http.request", "body": b" " * (1 << 14), "more_body": next(parts) < 99}

    status, _ = asyncio.run(exchanged(limited(), scope(service, **{"Content-Length": "2"}), receive))
    assert status == 413
    assert next(parts) < 20


def test_a_client_has_so_many_requests_a_minute(service, rows):
    """429 with the seconds until the next one; other clients are not held up; time gives more."""
    rates = Rates(2)
    for _ in range(2):
        rates.take("a", 0)
    with pytest.raises(ProblemError) as refused:
        rates.take("a", 0)
    assert (refused.value.status, refused.value.headers["Retry-After"]) == (429, "30")
    rates.take("b", 0)
    rates.take("a", MINUTE // 2)
    with pytest.raises(ProblemError):
        rates.take("a", MINUTE // 2 - 10**9)  # a clock that jumps back gives nothing


def test_buckets_are_bounded(service, monkeypatch):
    """Of more than are kept, the one that was not used for longest is forgotten; a smaller one is full earlier."""
    monkeypatch.setattr(limits, "MAX_BUCKETS", 2)
    rates = Rates(2)
    for name in ("a", "a", "b", "b", "a"):
        with contextlib.suppress(ProblemError):
            rates.take(name, 0)
    rates.take("c", 0, 1)
    with pytest.raises(ProblemError, match="more than 1 requests"):
        rates.take("c", 0, 1)
    with pytest.raises(ProblemError):
        rates.take("a", 0)
    rates.take("b", 0)


def test_guesses_hold_up_nobody_who_has_a_link(service, rows):
    """Tokens that open nothing share one limit; each decision's links have their own, whatever it waits for."""
    found = {name: linked(service, row) for name, row in (("decided", rows[0]), ("review", rows[1]))}
    limited, asked = 3, service.client.post
    object.__setattr__(service.shared, "rates", Rates(limited))
    guesses = [asked("/a/standing", data={"token": "0" * 26}).status_code for _ in range(limited + 2)]
    assert guesses == [404] * limited + [429] * 2
    for paper, status in (("standing", 200), ("letter", 409), ("file", 409)):
        assert {asked(f"/a/{paper}", data={"token": token}).status_code for token in found.values()} == {status}
    for token in found.values():
        said = asked("/a/standing", data={"token": token})
        assert (said.status_code, said.headers["retry-after"]) == (429, "20")


def test_the_rate_is_that_of_the_key(service, limited):
    """Before anything else is done for the caller, and after the key is known to live."""
    limited(requests_per_minute=1)
    assert service.get("/v1/decisions").status_code == 200
    assert service.get("/v1/decisions").status_code == 429
    assert service.client.get("/v1/decisions").status_code == 401


def test_an_address_has_so_many_requests_a_minute(service, limited):
    """Whoever asks there, before that is known, and by what the nearest proxy says; others are not held up."""
    client = TestClient(limited(requests_per_address=2), base_url="http://127.0.0.1", client=("127.0.0.1", 1))

    def asked(*forwarded, path="/openapi.json"):
        return client.get(path, headers=[("X-Forwarded-For", line) for line in forwarded])

    # What stands before the proxy's own line a caller made up: another name each time gives no more.
    said = [asked(f"198.51.100.{number}", "203.0.113.7") for number in range(4)]
    assert [one.status_code for one in said] == [200, 200, 429, 429]
    assert (said[-1].headers["retry-after"], said[-1].json()["type"]) == ("30", "urn:equiproof:too-many-requests")
    assert asked("203.0.113.7", path="/healthz").status_code == 200
    assert asked("203.0.113.7, 203.0.113.8").status_code == 200
    # One household has a network of 64 bits.
    assert [asked(f"2001:db8::{number}").status_code for number in range(1, 4)] == [200, 200, 429]
    # This machine's own programs, behind which are many.
    assert {asked().status_code for _ in range(4)} == {200}


@pytest.mark.parametrize("path", ["/healthz", "/v1/decisions", "/nowhere", "/openapi.json"])
def test_every_answer_has_the_safe_headers(service, path):
    """Faults and problems too; nothing is cached, framed or guessed, and the server does not name itself."""
    said = service.client.get(path)
    assert {name: said.headers[name] for name in HEADERS} == HEADERS
    assert "server" not in said.headers
    assert len(said.headers["x-request-id"]) == 16


def test_ready_is_what_the_database_says(service, monkeypatch, tmp_path):
    """And a problem with Retry-After where it does not answer; what is wrong each time stands in test_readiness.py."""
    make_vault(tmp_path / "vault.keys", "k1")
    monkeypatch.setattr(readiness, "has_proving_key", lambda *_: True)  # this service's keys are in no file
    settings = msgspec.structs.replace(service.shared.settings, vault=str(tmp_path / "vault.keys"))
    object.__setattr__(service.shared, "settings", settings)
    assert service.client.get("/readyz").json() == {"status": "ready"}
    service.shared.database.engine.dispose()
    path = service.shared.database.engine.url.database
    object.__setattr__(service.shared, "database", type(service.shared.database)(f"sqlite:///{path}/none"))
    said = service.client.get("/readyz")
    assert said.status_code == 200  # for two seconds
    monkeypatch.setattr(readiness, "LOOK_SECONDS", 0.0)
    said = TestClient(create_app(service.shared)).get("/readyz")
    assert (said.status_code, said.json()["type"]) == (503, "urn:equiproof:not-ready")
    assert said.json()["detail"] == "look at the database: it keeps nothing now"
    assert said.headers["retry-after"] == "5"
    assert path not in said.text


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("127.0.0.1:8080", 200), ("[::1]:8080", 200), ("LOCALHOST", 200), ("testserver", 200), ("bank.example", 200),
        ("evil.example:8080", 421), ("127.0.0.1.evil.example", 421), ("evil.example@127.0.0.1", 421), ("", 421),
        ("bank.example.evil.example", 421), ("192.168.0.1", 421), ("[::1%25x]", 421),
    ],
)  # fmt: skip
def test_a_page_whose_name_was_made_to_point_here_gets_nothing(service, host, status):
    """Its browser asks for its own name: neither interface, console nor applicant's page answers to that."""
    settings = msgspec.structs.replace(service.shared.settings, public_url="https://Bank.example")
    object.__setattr__(service.shared, "settings", settings)
    client = TestClient(create_app(service.shared), base_url="http://testserver")
    for path in ("/healthz", "/v1/models", "/console/sign-in"):
        said = client.get(path, headers={**service.headers, "Host": host})
        assert said.status_code == status, (path, said.text)
        assert said.headers["X-Request-Id"]


def test_a_slow_request_without_a_body_is_late(service, limited, monkeypatch):
    """503 as for any other: nobody waits for a body that none has announced."""
    app, go, reading = limited(request_seconds=0.2), threading.Event(), service.shared.database.reading

    def slow():
        go.wait(20)
        return reading()

    monkeypatch.setattr(service.shared.database, "reading", slow)

    async def asked():
        async def nothing():
            return {"type": "http.request", "body": b"", "more_body": False}

        found = await exchanged(app, scope(service, method="GET"), nothing)
        go.set()
        return found

    status, headers = asyncio.run(asked())
    assert (status, headers["retry-after"]) == (503, "5")
