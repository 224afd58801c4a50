"""People who use the console of a service."""

import re
import secrets
from dataclasses import dataclass, field

from fastapi.testclient import TestClient

from equiproof.service.console import officers, sessions
from equiproof.service.console.guard import Cookie
from equiproof.service.console.officers import Role
from equiproof.service.store.tables import Officer

NAMES = {Role.OFFICER: "Ada Marsh", Role.AUDITOR: "Otto Auer", Role.ADMIN: "Ines Adler"}
CSRF = re.compile('name="csrf" value="([0-9a-f]{64})"')


@dataclass
class Person:
    """Somebody with a browser."""

    service: object
    client: TestClient
    id: str = ""
    token: str = field(default="", repr=False)

    def get(self, path="", **words):
        """Ask for a page."""
        return self.client.get(f"/console/{path}", follow_redirects=False, **words)

    def post(self, path="", *, csrf=None, headers=None, **fields):
        """Send a form, with the token of the session's own forms unless another one is given."""
        token = self.csrf() if csrf is None else csrf
        sent = {**fields, **({"csrf": token} if token else {})}
        return self.client.post(f"/console/{path}", data=sent, headers=headers, follow_redirects=False)

    def csrf(self):
        """Return the token that this session's forms carry, nothing without a session."""
        match = CSRF.search(self.get("password").text)
        return match[1] if match else ""


def browser_of(service, token=""):
    """Return a browser, with the cookie of a session."""
    client = TestClient(service.client.app, raise_server_exceptions=False)
    if token:
        client.cookies.set(Cookie.of(service.shared).name, token)
    return client


def sign_in(service, role):
    """Return somebody of a role with a new session; the account has a password that nothing opens."""
    with service.shared.database.transaction() as session:
        now, name = service.clock(), NAMES[role]
        officer = officers.named(session, name)
        if officer is None:
            officer = Officer(id=secrets.token_hex(16), name=name, password="none", role=role.value, created=now)
            session.add(officer)
            session.flush()
        token = sessions.begin(session, officer, now)
    return Person(service, browser_of(service, token), officer.id, token)
