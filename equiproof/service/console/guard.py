"""Who may see and do what: every route names its permission, and a test walks all of them with every role."""

from __future__ import annotations

import hmac
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Any, Literal
from urllib.parse import quote, urlsplit

from fastapi import Depends, Request

from equiproof.service.console.forms import Fields, fields
from equiproof.service.console.officers import Role
from equiproof.service.console.refusals import PageError
from equiproof.service.console.sessions import IDLE_TIME, Signed, signed_in
from equiproof.service.console.speech import say
from equiproof.service.trail import Channel, Who, address_digest
from equiproof.service.web.cookies import KEY_STEP, PLAIN, SECURE, SIGN_ON
from equiproof.service.web.guard import address_of
from equiproof.service.web.state import Shared

HOME = "/console/"
SIGN_IN = "/console/sign-in"
CSRF = "csrf"


class Permission(StrEnum):
    """What a role may do."""

    READ = "read"
    """Everything but applicants' details."""
    DETAILS = "details"
    """Applicants' details, and files that hold them."""
    DECIDE = "decide"
    AGAIN = "again"
    """Having a decision proven once more."""
    CANCEL = "cancel"
    """Having a prover ended that works on a decision."""
    ACCOUNTS = "accounts"
    TRAIL = "trail"
    """Who did what and when."""


GRANTS: dict[Role, frozenset[Permission]] = {
    Role.AUDITOR: frozenset({Permission.READ, Permission.TRAIL}),
    Role.OFFICER: frozenset({Permission.READ, Permission.DETAILS, Permission.DECIDE, Permission.AGAIN}),
    Role.ADMIN: frozenset({Permission.READ, Permission.ACCOUNTS, Permission.AGAIN, Permission.CANCEL}),
}


@dataclass(frozen=True)
class Visit:
    """A request by somebody who is signed in."""

    request: Request
    shared: Shared
    signed: Signed
    now: int

    @property
    def who(self) -> Who:
        """The visitor, as the trail names them."""
        return who_of(self.request, self.signed.officer)

    def may(self, permission: Permission) -> bool:
        """Return whether the visitor has a permission."""
        return permission in GRANTS[self.signed.role]


@dataclass(frozen=True)
class Post:
    """A form of ours that a visitor has sent."""

    visit: Visit
    fields: Fields


@dataclass(frozen=True)
class Cookie:
    """The cookie of a session, or of a sign-on that is under way, with which a browser comes from another site.

    A sign-in that waits for a security key has one too.

    Only on loopback without TLS it goes without Secure, and without the prefix __Host-.
    """

    name: str
    secure: bool
    path: str
    same_site: Literal["strict", "lax"] = "strict"

    @classmethod
    def of(cls, shared: Shared) -> Cookie:
        """Return that of a session of a service, by its public address."""
        return cls(PLAIN, False, HOME) if _is_plain(shared) else cls(SECURE, True, "/")

    @classmethod
    def of_sign_on(cls, shared: Shared) -> Cookie:
        """Return that of a sign-on."""
        own = cls.of(shared)
        return cls(own.name.replace(PLAIN, SIGN_ON), own.secure, own.path, "lax")

    @classmethod
    def of_key_step(cls, shared: Shared) -> Cookie:
        """Return that of a sign-in which waits for a security key."""
        own = cls.of(shared)
        return cls(own.name.replace(PLAIN, KEY_STEP), own.secure, own.path)

    @property
    def words(self) -> dict[str, Any]:
        """What sets and removes it have in common."""
        return {
            "key": self.name,
            "path": self.path,
            "secure": self.secure,
            "httponly": True,
            "samesite": self.same_site,
        }


def _is_plain(shared: Shared) -> bool:
    """Return whether a service is on loopback without TLS."""
    address = urlsplit(shared.settings.public_url)
    return address.scheme == "http" and address.hostname in ("127.0.0.1", "::1", "localhost")


def who_of(request: Request, officer: str) -> Who:
    """Return an account by its id, "" for none, and where a request of its comes from, as the trail names them."""
    vault = request.app.state.shared.holders.vault
    return Who(Channel.SESSION, officer, address_digest(vault, address_of(request)))


def token_of(request: Request) -> str:
    """Return the token of a request's session, or nothing."""
    return request.cookies.get(Cookie.of(request.app.state.shared).name, "")


def visiting(permission: Permission) -> Callable[[Request], Visit]:
    """Return what lets a request pass whose session has a permission; others are led to the sign-in, or refused."""

    def check(request: Request) -> Visit:
        return _allowed(_visit(request), permission)

    return check


def posting(permission: Permission) -> Callable[..., Post]:
    """Return what lets a form pass that a page of this very session has sent, and whose role has a permission."""

    def check(request: Request, form: Annotated[Fields, Depends(fields)]) -> Post:
        visit = _visit(request)
        if not hmac.compare_digest(visit.signed.csrf.encode(), form.get(CSRF, "").encode()):
            text = "Nothing was recorded. Open the page again and send it anew."
            raise PageError(403, "This form is out of date", text)
        return Post(_allowed(visit, permission), form)

    return check


def _visit(request: Request) -> Visit:
    """Return who asks; raises PageError for nobody."""
    shared: Shared = request.app.state.shared
    now = shared.clock()
    token = token_of(request)
    if token:
        with shared.database.transaction() as session:
            signed = signed_in(session, token, now)
        if signed is not None:
            return Visit(request, shared, signed, now)
    if request.method in ("GET", "HEAD"):
        raise PageError(303, "", "", to=f"{SIGN_IN}?next={quote(request.url.path, safe='/')}")
    minutes = IDLE_TIME // 60_000_000
    text = say(
        "Nothing was recorded. Sessions end after {n} minutes without a request: sign in and send it again.", n=minutes
    )
    raise PageError(401, "You are not signed in", text, headers={"WWW-Authenticate": 'Session realm="console"'})


def _allowed(visit: Visit, permission: Permission) -> Visit:
    """Raise PageError unless a visitor has a permission."""
    if not visit.may(permission):
        role = say(str(visit.signed.role))
        raise PageError(403, "Your role may not do this", say("You are signed in as {role}.", role=role))
    return visit
