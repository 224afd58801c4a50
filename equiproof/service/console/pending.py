"""Sign-ons that are away at the provider: each is known by a cookie of its browser, and answered once."""

from __future__ import annotations

import secrets

from sqlalchemy import delete
from sqlalchemy.orm import Session

from equiproof.service.console import once
from equiproof.service.console.sessions import digest_of
from equiproof.service.store.tables import SignOn

PENDING_TIME = 10 * 60_000_000
"""Microseconds."""


def begin(session: Session, then: str, language: str, before: str, now: int) -> tuple[str, SignOn]:
    """Return the token of a new sign-on and its row; those that have ended are removed by the way.

    `then` is where to go afterwards, and `before` the token of the session that ends with it, "" for none.
    """
    session.execute(delete(SignOn).where(SignOn.expires <= now))
    token = secrets.token_hex(32)
    row = SignOn(
        hash=digest_of(token),
        state=secrets.token_hex(32),
        nonce=secrets.token_hex(32),
        verifier=secrets.token_hex(32),
        then=then,
        language=language,
        before=digest_of(before) if before else "",
        expires=now + PENDING_TIME,
    )
    session.add(row)
    session.flush()
    return token, row


def take(session: Session, token: str, now: int) -> SignOn | None:
    """Return the sign-on of a token, which nobody gets a second time; None for any other token."""
    return once.take(session, SignOn, token, now)
