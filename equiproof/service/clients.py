"""Keys of clients' programs: `eqp_ID_SECRET`, of which only the digest is kept.

The secret has 256 random bits, so that a plain SHA-256 of it cannot be guessed from; at most two keys of a client live
at a time, which is what changing a key without a gap needs.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from collections.abc import Collection
from dataclasses import dataclass, field
from enum import StrEnum
from typing import ClassVar

from sqlalchemy import bindparam, select
from sqlalchemy.orm import Session

from equiproof.circuits.exit_codes import MISUSED
from equiproof.service.store.tables import ApiKey

MAX_LIVE_KEYS = 2
DAY = 24 * 3600 * 1_000_000
"""Microseconds."""

_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,31}")
_TEXT = re.compile(r"eqp_([0-9a-f]{16})_([0-9a-f]{64})")


_LIVE_KEYS = select(ApiKey.id).where(
    ApiKey.id.in_(bindparam("ids", expanding=True)),
    ApiKey.revoked.is_(None),
    ApiKey.created <= bindparam("now"),
    ApiKey.expires > bindparam("now"),
)
"""As `_lives` says, of several keys."""


class Scope(StrEnum):
    """What a key may do."""

    SUBMIT = "submit"
    READ = "read"
    ADMIN = "admin"


class ClientError(ValueError):
    """A key that cannot be made; one line."""

    exit_code: ClassVar[int] = MISUSED


@dataclass(frozen=True)
class Caller:
    """Who calls, as a live key says, and which key that is."""

    key: str
    client: str
    scopes: frozenset[Scope]


@dataclass(frozen=True)
class NewKey:
    """A key as it is shown once."""

    id: str
    text: str = field(repr=False)


def make_key(session: Session, client: str, scopes: Collection[Scope], now: int, expires: int) -> NewKey:
    """Write a fresh key of a client; raises ClientError where two of them live already, or it would never live."""
    if expires <= now or not scopes:
        raise ClientError("a key needs a scope, and a time to live")
    live = session.scalars(select(ApiKey).where(ApiKey.client == client)).all()
    if sum(_lives(key, now) for key in live) >= MAX_LIVE_KEYS:
        raise ClientError(f"{client}: {MAX_LIVE_KEYS} keys are live already; revoke one")
    identifier = secrets.token_hex(8)
    secret = secrets.token_hex(32)
    session.add(
        ApiKey(
            id=identifier,
            client=client,
            hash=_digest(secret),
            scopes=" ".join(sorted(scopes)),
            created=now,
            expires=expires,
        )
    )
    return NewKey(identifier, f"eqp_{identifier}_{secret}")


def add_client(session: Session, client: str, scopes: Collection[Scope], now: int, expires: int) -> NewKey:
    """Write the first key of a client; raises ClientError for one that there is, or a name that none can have."""
    if not _NAME.fullmatch(client):
        raise ClientError(f"client {client[:40]!r}: want up to 32 small letters, digits and hyphens")
    if _known(session, client):
        raise ClientError(f"{client}: this client has keys already; `equiproof service key new` makes another")
    return make_key(session, client, scopes, now, expires)


def another_key(session: Session, client: str, scopes: Collection[Scope], now: int, expires: int) -> NewKey:
    """Write a further key of a client, as `make_key`; raises ClientError for an unknown client."""
    if not _known(session, client):
        raise ClientError(f"no client {client[:40]!r}; `equiproof service client add` makes one")
    return make_key(session, client, scopes, now, expires)


def all_keys(session: Session) -> list[ApiKey]:
    """Return all keys by client, the newest first: what is kept of them, which is not the secret."""
    return list(session.scalars(select(ApiKey).order_by(ApiKey.client, ApiKey.created.desc())))


def state_of(key: ApiKey, now: int) -> str:
    """Return "live", "revoked" or "expired"."""
    if key.revoked is not None:
        return "revoked"
    return "live" if _lives(key, now) else "expired"


def revoke(session: Session, identifier: str, now: int) -> None:
    """End a key's life; raises ClientError for an unknown key."""
    key = session.get(ApiKey, identifier)
    if key is None:
        raise ClientError(f"no key {identifier[:16]!r}")
    key.revoked = key.revoked or now


def caller_of(session: Session, text: str, now: int) -> Caller | None:
    """Return whose key a text is, or None for anything but a live one; takes as long for a wrong secret as for none."""
    match = _TEXT.fullmatch(text)
    key = session.get(ApiKey, match.group(1)) if match else None
    digest = key.hash if key else "0" * 64
    same = hmac.compare_digest(digest, _digest(match.group(2) if match else ""))
    if key is None or not same or not _lives(key, now):
        return None
    return Caller(key.id, key.client, frozenset(map(Scope, key.scopes.split())))


def live(session: Session, identifiers: Collection[str], now: int) -> set[str]:
    """Return those of keys, by their ids, that live."""
    return {row.id for row in session.connection().execute(_LIVE_KEYS, {"ids": list(identifiers), "now": now})}


def _known(session: Session, client: str) -> bool:
    return session.scalar(select(ApiKey.id).where(ApiKey.client == client).limit(1)) is not None


def _lives(key: ApiKey, now: int) -> bool:
    return key.revoked is None and key.created <= now < key.expires


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
