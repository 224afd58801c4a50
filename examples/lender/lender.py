"""A small loan form, as a lender's front end: it asks the service for decisions, and shows what becomes of them.

    python examples/lender/lender.py --service http://127.0.0.1:8080 --key-file client.key --listen 127.0.0.1:8090

It needs nothing but Python, and knows nothing of the service but its public interface. The browser never sees the API
key. The service gets the number of an applicant's identity card as a pseudonym only, under a key that is made here once
and stays here. A real front end signs applicants in first, and takes the number from what it has checked; here, whoever
knows an application's address sees it.
"""

from __future__ import annotations

import argparse
import os
import re
import secrets
import signal
import sys
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pages
from calls import ProblemError, Service, pseudonym

MAX_FORM_BYTES = 1 << 14
POLICY = "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
APPLICATION = re.compile(r"/application/([0-9a-f]{32})(|/link|/letter)")


class Form(BaseHTTPRequestHandler):
    """Answers a browser. `service`, `model` and `person_key` are set before the server begins."""

    service: Service
    model: str
    person_key: bytes
    protocol_version = "HTTP/1.1"
    timeout = 30

    def do_GET(self) -> None:
        """Answer with the form, an application, its letter, or the style."""
        path = urlsplit(self.path).path
        if path == "/style.css":
            self._send(200, pages.STYLE.encode(), "text/css")
        elif path == "/":
            self._tried(lambda: self._form(secrets.token_hex(16), {}))
        elif (found := APPLICATION.fullmatch(path)) and found[2] == "/letter":
            self._tried(lambda: self._send(200, self.service.letter(found[1]), letter=True))
        elif found and not found[2]:
            self._tried(lambda: self._send(200, pages.decision(self.service.decision(found[1]))))
        else:
            self._send(404, pages.failure("There is no such page."))

    def do_POST(self) -> None:
        """Take an application, or show the applicant's own link."""
        given = self._given()
        path = urlsplit(self.path).path
        if given is None:
            self._send(400, pages.failure("This form is not ours."))
        elif path == "/apply":
            self._tried(lambda: self._apply(given))
        elif (found := APPLICATION.fullmatch(path)) and found[2] == "/link":
            self._tried(lambda: self._show_link(found[1]))
        else:
            self._send(404, pages.failure("There is no such page."))

    def _form(self, request: str, given: dict[str, str], error: str = "", status: int = 200) -> None:
        """Send the form; its fields are those that the service says the model needs."""
        model = next(one for one in self.service.models() if one["name"] == self.model)
        self._send(status, pages.form(model, request, given, error))

    def _apply(self, given: dict[str, str]) -> None:
        """Ask for a decision, and lead the browser to it; what cannot be decided goes back to the form."""
        features = {name: value for name, value in given.items() if name not in ("request", pages.IDENTITY)}
        person = pseudonym(self.person_key, given.get(pages.IDENTITY, ""))
        if person is None:
            self._form(secrets.token_hex(16), given, "Please give the number of your identity card.", 422)
            return
        try:
            made = self.service.decide(self.model, features, given.get("request", ""), person)
        except ProblemError as error:
            if error.kind == "person-limit":
                self._send(409, pages.failure("You have applied as often as one may for now. Please call us."))
                return
            if error.status != 422:
                raise
            self._form(secrets.token_hex(16), given, error.detail.removeprefix("features: "), 422)
            return
        self.send_response(303)
        self.send_header("Location", f"/application/{made['id']}")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def _show_link(self, identifier: str) -> None:
        self._send(200, pages.decision(self.service.decision(identifier), self.service.link(identifier)))

    def _given(self) -> dict[str, str] | None:
        """Read a form of this server's own pages; None for any other, and for one that is too long."""
        origin, length = self.headers.get("Origin"), self.headers.get("Content-Length", "")
        if not length.isdecimal() or int(length) > MAX_FORM_BYTES:
            self.close_connection = True
            return None
        data = self.rfile.read(int(length)).decode("utf-8", "replace")
        if origin not in (None, f"http://{self.headers.get('Host')}"):
            return None
        return {name: values[0] for name, values in parse_qs(data).items()}

    def _tried(self, answer: Callable[[], None]) -> None:
        """Answer, or say what the service said; where waiting helps, for how long."""
        try:
            answer()
        except ProblemError as error:
            wait = f" Please try again in {error.retry} seconds." if error.retry else ""
            self._send(error.status if error.status < 500 else 503, pages.failure(error.detail + wait))

    def _send(self, status: int, body: bytes, kind: str = "text/html; charset=utf-8", *, letter: bool = False) -> None:
        """Send an answer. A letter has its style inside."""
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header(
            "Content-Security-Policy", POLICY.replace("'self'", "'unsafe-inline'", 1) if letter else POLICY
        )
        self.send_header("Referrer-Policy", "same-origin")
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 -- the base class's name
        """Say nothing: addresses name applications."""


def kept_key(path: Path) -> bytes:
    """Return the key of the pseudonyms, made the first time: under another one nobody is recognised."""
    try:
        with open(path, "x", encoding="ascii", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
            file.write(f"{secrets.token_hex(32)}\n")
    except FileExistsError:
        pass
    key = bytes.fromhex(path.read_text(encoding="ascii"))
    if len(key) != 32:
        raise ValueError(f"{path}: want 64 hexadecimal digits")
    return key


def main() -> None:
    """Serve until Ctrl-C or SIGTERM."""
    parser = argparse.ArgumentParser(description="A loan form over an Equiproof service.")
    parser.add_argument("--service", required=True, help="the service's address")
    parser.add_argument("--key-file", type=Path, required=True, help="a file with an API key that may submit and read")
    parser.add_argument(
        "--person-key",
        type=Path,
        help="the key of the pseudonyms, made if missing; default: person.key beside the other",
    )
    parser.add_argument("--listen", default="127.0.0.1:8090", help="an address of this machine")
    parser.add_argument("--model", default="lending", help="the model's name in the service")
    given = parser.parse_args()
    try:
        if not given.service.startswith(("http://", "https://")):
            raise ValueError("--service: want an address that begins with http:// or https://")
        Form.service = Service(given.service, given.key_file.read_text(encoding="ascii").strip())
        Form.model = given.model
        Form.person_key = kept_key(given.person_key or given.key_file.with_name("person.key"))
        host, _, port = given.listen.rpartition(":")
        server = ThreadingHTTPServer((host, int(port)), Form)
    except (OSError, ValueError) as error:
        sys.exit(f"lender: {error}")
    signal.signal(signal.SIGTERM, lambda *_: threading.Thread(target=server.shutdown).start())
    print(f"FORM http://{given.listen}", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        return


if __name__ == "__main__":
    main()
