"""An applicant's link: a token that opens one decision's page, and whose digest alone is kept.

The token stands in the fragment of the address, which no browser sends with a request. It has 128 random bits in
Crockford's base 32, in groups, so that it can also be read from a letter and typed. Whoever has it sees what the
applicant sees, until it expires or is revoked.
"""

from __future__ import annotations

import hashlib
import re
import secrets
from typing import ClassVar

from sqlalchemy import select
from sqlalchemy.orm import Session

from equiproof.circuits.exit_codes import MISUSED
from equiproof.service.store.tables import Decision, Link

TOKEN_BITS = 128
DAY = 24 * 3600 * 1_000_000
PATH = "/a"
"""Where the page of all applicants is; the token follows as the fragment."""

_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_LENGTH = 26
_GROUP = 4
_TOKEN = re.compile(f"[{_ALPHABET}]{{{_LENGTH}}}")
_CONFUSABLES = str.maketrans({"O": "0", "I": "1", "L": "1", "-": None, " ": None})


class LinkError(ValueError):
    """A link that cannot be made; one line."""

    exit_code: ClassVar[int] = MISUSED


def make_link(session: Session, decision_id: str, now: int, days: int) -> str:
    """Return a new token for a decision, which opens it for so many days from `now`, in microseconds since 1970.

    It cannot be shown again. Raises LinkError for an unknown decision, and for a life of no length.
    """
    if days < 1:
        raise LinkError("a link lives for a day at least")
    if session.get(Decision, decision_id) is None:
        raise LinkError(f"no decision {decision_id[:32]!r}")
    digits = _digits(secrets.randbits(TOKEN_BITS))
    session.add(Link(hash=_digest(digits), decision_id=decision_id, created=now, expires=now + days * DAY))
    session.flush()
    return "-".join(digits[place : place + _GROUP] for place in range(0, _LENGTH, _GROUP))


def revoke_links(session: Session, decision_id: str, now: int) -> int:
    """End the life of all links of a decision; return how many lived."""
    query = select(Link).where(Link.decision_id == decision_id, Link.revoked.is_(None), Link.expires > now)
    live = list(session.scalars(query))
    for link in live:
        link.revoked = now
    session.flush()
    return len(live)


def decision_of(session: Session, token: str, now: int) -> Decision | None:
    """Return the decision that a token opens, None for anything but a live one: why is not said.

    The database is asked by the token's digest, so that the time it takes shows nothing of a token that is near.
    """
    digits = token.upper().translate(_CONFUSABLES)
    link = session.get(Link, _digest(digits if _TOKEN.fullmatch(digits) else ""))
    if link is None or link.revoked is not None or not link.created <= now < link.expires:
        return None
    return session.get(Decision, link.decision_id)


def address(public_url: str, token: str) -> str:
    """Return the whole link."""
    return f"{public_url.rstrip('/')}{PATH}#{token}"


def _digits(number: int) -> str:
    """Return a number of TOKEN_BITS bits in base 32, the highest digit first."""
    return "".join(_ALPHABET[number >> 5 * place & 31] for place in reversed(range(_LENGTH)))


def _digest(digits: str) -> str:
    return hashlib.sha256(digits.encode()).hexdigest()
