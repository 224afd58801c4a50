"""A front end's requests: what is sent, what is returned, and what an unexpected answer looks like."""

import json
import threading
from http.client import HTTPException
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from equiproof.service.asking import AskingError, FrontEnd, send


@pytest.fixture
def served():
    """A server that notes requests and gives the answers of a list; its address, the notes and the list."""
    seen, answers = [], []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            seen.append((self.command, self.path, dict(self.headers), body))
            status, said = answers.pop(0)
            self.send_response(status)
            self.end_headers()
            self.wfile.write(said)

        do_GET = do_POST  # noqa: N815 -- the library's name

        def log_message(self, *words):
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"127.0.0.1:{server.server_port}", seen, answers
    server.shutdown()
    thread.join()
    server.server_close()


def test_requests_are_those_of_a_front_end(served):
    """Under its key, each under an idempotency key of its own; the key is in no repr."""
    address, seen, answers = served
    answers += [(201, b'{"id":"a"}'), (200, b'{"state":"decided"}'), (201, b'{"url":"http://x/a#b"}')]
    front_end = FrontEnd(address, "eqp_secret")
    assert front_end.decide("loans", {"income": "1"}) == {"id": "a"}
    assert front_end.decision("a") == {"state": "decided"}
    assert front_end.link("a") == "http://x/a#b"
    called = [(method, path) for method, path, _, _ in seen]
    assert called == [("POST", "/v1/decisions"), ("GET", "/v1/decisions/a"), ("POST", "/v1/decisions/a/links")]
    assert json.loads(seen[0][3]) == {"model": "loans", "features": {"income": "1"}}
    assert {headers["Authorization"] for _, _, headers, _ in seen} == {"Bearer eqp_secret"}
    assert len({headers["Idempotency-Key"] for _, _, headers, _ in seen}) == 3
    assert "secret" not in repr(front_end)


def test_another_answer_is_one_line(served):
    """With the request, the status and how the answer begins, without its signs of control."""
    address, _, answers = served
    answers += [(503, b"away\n\x1b[31m" + b"x" * 1000)]
    with pytest.raises(AskingError, match=r"^GET /v1/decisions/a was answered with 503: away") as told:
        FrontEnd(address, "eqp_secret").decision("a")
    assert len(str(told.value)) < 400
    assert str(told.value).isprintable()


def test_nobody_answers(served):
    """The error is that of the connection."""
    with pytest.raises((OSError, HTTPException)):
        send("127.0.0.1:1", "GET", "/", {}, None, 5)
