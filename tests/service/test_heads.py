"""The head of a request has an end, on a real connection: whoever sends more is cut off, and nobody else is."""

import socket
import threading
import time
from contextlib import closing

import pytest

pytest.importorskip("uvicorn", reason="the extra `service` is not installed")

import uvicorn

from equiproof.service.web.heads import MAX_HEAD_BYTES, BoundedHeads

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
    server = uvicorn.Server(uvicorn.Config(answering, http=BoundedHeads, log_config=None, lifespan="off", ws="none"))
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
    """Whether it comes in many small pieces or in one; and nothing is answered."""
    small = [b"y" * (MAX_HEAD_BYTES // 4)] * 5
    assert said(address, REST, *small) == b""
    assert said(address, REST + b"y" * (MAX_HEAD_BYTES + 1)) == b""


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
    assert said(address, head, body, REST + b"y" * (MAX_HEAD_BYTES + 1)).count(b"200 OK") == 1
