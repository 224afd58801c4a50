"""The head of a request has an end, on a real connection: whoever sends more is cut off, and nobody else is."""

import socket
import threading
import time
from contextlib import closing

import pytest

pytest.importorskip("uvicorn", reason="the extra `service` is not installed")

import uvicorn

from equiproof.service.origins import Origins
from equiproof.service.settings import LimitSettings
from equiproof.service.web.heads import MAX_HEAD_BYTES, Open, bounded

REST = b"GET / HTTP/1.1\r\nHost: a\r\nX: "


async def answering(scope, receive, send):
    """Answer with how many bytes of a body came."""
    taken, more = 0, True
    while more:
        message = await receive()
        taken, more = taken + len(message.get("body", b"")), message.get("more_body", False)
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"8")]})
    await send({"type": "http.response.body", "body": b"%8d" % taken})


@pytest.fixture(scope="module")
def address():
    """The address of a server that reads heads as the service does."""
    protocol = bounded(LimitSettings(connections=3, request_seconds=0.5), Origins(["127.0.0.1"]))
    server = uvicorn.Server(uvicorn.Config(answering, http=protocol, log_config=None, lifespan="off", ws="none"))
    with closing(socket.create_server(("127.0.0.1", 0))) as listening:
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        while not server.started:
            time.sleep(0.01)
        yield listening.getsockname()
        server.should_exit = True
        thread.join()


def said(address, *parts, answers=1):
    """Send parts, each after a while, and return all that comes until the other side ends, or has answered."""
    found = b""
    with closing(socket.create_connection(address, timeout=10)) as connection:
        try:
            for part in parts:
                connection.sendall(part)
                time.sleep(0.05)
            while not found.endswith(b" ") and (more := connection.recv(4096)):
                found += more
                if len(found.partition(b"\r\n\r\n")[2]) >= 8 and found.count(b"200 OK") == answers:
                    break
        except (ConnectionResetError, BrokenPipeError):
            pass
    return found


def test_a_head_without_an_end_is_cut_off(address):
    """Whether it comes in many small pieces or in one, with its end or without, as one line or as many: 431."""
    small = [b"y" * (MAX_HEAD_BYTES // 4)] * 5
    many = b"X: y\r\n" * (MAX_HEAD_BYTES // 5)
    for parts in (
        [REST, *small],
        [REST + b"y" * (MAX_HEAD_BYTES + 1)],
        [REST + b"y" * MAX_HEAD_BYTES + b"\r\n\r\n"],
        [REST + b"y\r\n" + many + b"\r\n"],
        [b"GET /" + b"y" * MAX_HEAD_BYTES + b" HTTP/1.1\r\nHost: a\r\n\r\n"],
    ):
        assert said(address, *parts).startswith(b"HTTP/1.1 431 "), parts[0][-10:]


def test_a_head_that_does_not_end_is_not_waited_for(address):
    """Nor is one that does not begin: the connection ends after the time that a request may take."""
    for part in (b"GET / HTTP/1.1\r\nHost", b""):
        begun = time.monotonic()
        assert said(address, part) == b""
        assert time.monotonic() - begun < 8


def test_connections_are_bounded(address):
    """The fourth one is ended at once; when one has gone, there is room for another."""
    held = [socket.create_connection(address, timeout=10) for _ in range(3)]
    request = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"
    for one in held:
        one.sendall(request)
        assert b"200 OK" in one.recv(4096)
    assert said(address, request) == b""
    held.pop().close()
    time.sleep(0.1)
    assert b"200 OK" in said(address, request)
    for one in held:
        one.close()
    time.sleep(0.1)


def test_one_address_does_not_take_every_place():
    """But for the web servers in front, behind which are many; a place that is given back is free."""
    places = Open(5, 2, Origins(["127.0.0.0/8", "::1"]))
    assert [places.take("192.0.2.1") for _ in range(3)] == [True, True, False]
    assert [places.take(one) for one in ("192.0.2.2", "127.0.0.1", "::1", "127.0.0.1")] == [True, True, True, False]
    places.give_back("192.0.2.1")
    assert places.take("192.0.2.1")
    assert not places.take("192.0.2.3")


def test_a_proxy_of_another_machine_is_not_one_address():
    """Where it is named; its neighbour is."""
    places = Open(6, 2, Origins(["10.0.0.5"]))
    assert [places.take(one) for one in ("10.0.0.5",) * 3 + ("10.0.0.6",) * 3] == [True] * 5 + [False]


def test_a_head_of_the_greatest_length_is_read(address):
    """Up to the bound a head may come in pieces."""
    long = b"y" * (MAX_HEAD_BYTES - len(REST) - 4)
    assert b"200 OK" in said(address, REST, long[: len(long) // 2], long[len(long) // 2 :] + b"\r\n\r\n")


def test_a_body_is_no_head(address):
    """A body of many times that length is read, and the next head on the connection is counted anew."""
    body = b"z" * (4 * MAX_HEAD_BYTES)
    head = b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n" % len(body)
    found = said(address, head, body, head + body, answers=2)
    assert found.count(b"200 OK") == 2
    assert found.count(b"%8d" % len(body)) == 2
    assert said(address, head, body, REST + b"y" * (MAX_HEAD_BYTES + 1), answers=2).count(b"200 OK") == 1
