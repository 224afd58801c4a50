"""Steps of a sign-in that one browser has by a cookie, that end by themselves, and that are answered once."""

from __future__ import annotations

from typing import TypeVar

from sqlalchemy import delete
from sqlalchemy.orm import Session

from equiproof.service.console.sessions import digest_of
from equiproof.service.store.tables import KeyStep, SignOn

Step = TypeVar("Step", SignOn, KeyStep)


def take(session: Session, table: type[Step], token: str, now: int) -> Step | None:
    """Return the step of a token, which nobody gets a second time; None for any other token, and one that has ended."""
    row = session.get(table, digest_of(token))
    if row is None:
        return None
    session.expunge(row)
    taken = session.execute(delete(table).where(table.hash == row.hash).returning(table.hash)).all()
    return row if taken and now < row.expires else None
