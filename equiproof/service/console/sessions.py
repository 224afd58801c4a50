"""Sessions of the console: 256 random bits in a cookie, of which only the digest is kept.

A session ends after half an hour without a request, ten hours after it began, by signing out, with a new password, and
when its account is closed. Its role is read with every request.
"""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass, field

from sqlalchemy import delete
from sqlalchemy.orm import Session

from equiproof.service.console.officers import Role
from equiproof.service.store.tables import Login, Officer

_MINUTE = 60_000_000
IDLE_TIME = 30 * _MINUTE
MAX_TIME = 600 * _MINUTE
"""Microseconds."""

_RENEWAL_STEP = _MINUTE
"""A session's end is moved when it moves by so much, not with every request."""


@dataclass(frozen=True)
class Signed:
    """Who is signed in, and the token that forms of this session carry."""

    officer: str
    name: str
    role: Role
    csrf: str = field(repr=False)
    has_password: bool
    """Whether it is an account of ours, not of a provider."""


def begin(session: Session, officer: Officer, now: int) -> str:
    """Return the token of a new session; sessions that have ended are removed by the way."""
    session.execute(delete(Login).where(Login.expires <= now))
    token = secrets.token_hex(32)
    session.add(
        Login(
            hash=digest_of(token),
            officer_id=officer.id,
            csrf=secrets.token_hex(32),
            created=now,
            expires=now + IDLE_TIME,
        )
    )
    return token


def signed_in(session: Session, token: str, now: int) -> Signed | None:
    """Return whose live session a token is of, and let it live on; None for any other token."""
    login = session.get(Login, digest_of(token))
    if login is None or not login.created <= now < login.expires:
        return None
    officer = session.get(Officer, login.officer_id)
    if officer is None or officer.disabled is not None:
        return None
    until = min(now + IDLE_TIME, login.created + MAX_TIME)
    if until - login.expires >= _RENEWAL_STEP:
        login.expires = until
    return Signed(officer.id, officer.name, Role(officer.role), login.csrf, officer.issuer is None)


def end(session: Session, token: str) -> None:
    """End a session, if there is one."""
    end_by_digest(session, digest_of(token))


def end_by_digest(session: Session, digest: str) -> None:
    """End the session of whose token this is the digest, if there is one."""
    session.execute(delete(Login).where(Login.hash == digest))


def digest_of(token: str) -> str:
    """Return what is kept of a token."""
    return hashlib.sha256(token.encode()).hexdigest()
