"""The witness over HTTP, on this machine only: what reaches it from elsewhere comes through a server of the host's."""

from __future__ import annotations

import re
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address

from equiproof.circuits.tables import say
from equiproof.register.errors import LogError
from equiproof.register.witness import MAX_REQUEST_BYTES, Answer, Witness

_NEWEST_PATH = re.compile("/([0-9a-f]{64})/checkpoint")
_SECONDS = 10.0
"""How long a client may say nothing."""


def address_of(text: str) -> tuple[str, int]:
    """Read an address such as 127.0.0.1:8080; raises LogError for any but one of this machine's own."""
    host, _, port = text.rpartition(":")
    try:
        known = ip_address(host.strip("[]")).is_loopback and 0 <= int(port) < 1 << 16
    except ValueError:
        known = False
    if not known or ":" in host:
        raise LogError(say("option.listen_without_address", address=repr(text[:60])))
    return host, int(port)


def server_of(witness: Witness, address: tuple[str, int]) -> ThreadingHTTPServer:
    """Return a server that is bound to an address, and not running yet; raises OSError where it is taken."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        timeout = _SECONDS

        def do_POST(self) -> None:
            """Answer add-checkpoint."""
            length = self.headers.get("Content-Length", "")
            if self.path != "/add-checkpoint":
                self._answer(Answer(404, b"only /add-checkpoint takes a request\n"), last=True)
            elif not re.fullmatch("[0-9]{1,9}", length):
                self._answer(Answer(411, b"want a Content-Length\n"), last=True)
            elif int(length) > MAX_REQUEST_BYTES:
                self._answer(Answer(413, f"at most {MAX_REQUEST_BYTES} bytes\n".encode()), last=True)
            else:
                self._answer(witness.add_checkpoint(self.rfile.read(int(length))))

        def do_GET(self) -> None:
            """Answer with the newest checkpoint of a log."""
            match = _NEWEST_PATH.fullmatch(self.path)
            self._answer(witness.newest(match[1]) if match else Answer(404, b"no such page\n"))

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 -- the base class's name
            """Say nothing: requests are none of the terminal's business."""

        def _answer(self, answer: Answer, *, last: bool = False) -> None:
            """Send an answer; after the `last` one the connection closes, its request unread."""
            self.send_response(answer.status)
            self.send_header("Content-Type", answer.kind)
            self.send_header("Content-Length", str(len(answer.body)))
            if last:
                self.send_header("Connection", "close")
                self.close_connection = True
            self.end_headers()
            self.wfile.write(answer.body)

    server = ThreadingHTTPServer(address, Handler)
    server.daemon_threads = True
    return server
