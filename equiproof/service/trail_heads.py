"""The trail's head in the public log, once a day: whoever cuts the trail or writes it anew contradicts the log.

A head is the hash of a line of its own, whose detail is random: nobody can guess from it what the lines before it say,
and every day has one, however much was done.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable

from sqlalchemy import select
from sqlalchemy.orm import Session

from equiproof.register.client import Appended
from equiproof.service.public_log import PublicLog
from equiproof.service.store.database import Database
from equiproof.service.store.tables import TrailLine
from equiproof.service.trail import DAY, Act, Channel, note, user
from equiproof.service.trail_check import Published
from equiproof.verifier.entries import ENTRY, TrailEntry, parse_entry


class TrailHeads:
    """Appends the head of each day; cut off anywhere, it is done again, and the log has each once."""

    def __init__(self, database: Database, append: Callable[[bytes], Appended], owner: str) -> None:
        """Take what appends an entry, and the owner's name in the log."""
        self._database = database
        self._append = append
        self._owner = owner
        self._sent = ""

    def append(self, now: int) -> int:
        """Append today's head, and write its line first; `now` is in microseconds. Returns how many; raises LogError.

        While the log is away, no further line is written: the head that waits is sent when the log is back.
        """
        with self._database.reading() as session:
            newest = _newest(session)
        if newest is None or (newest.hash == self._sent and newest.at // DAY != now // DAY):
            with self._database.transaction() as session:
                newest = note(session, Act.PUBLISH, user(Channel.PROCESS), now, detail=secrets.token_hex(32))
        if newest.hash == self._sent:
            return 0
        self._append(TrailEntry(*ENTRY, "trail", self._owner, newest.hash).data)
        self._sent = newest.hash
        return 1


def published(log: PublicLog, owner: str) -> list[Published]:
    """Return the heads of an owner in the log's order, from all entries that it shows now.

    Raises LogError, and CertificateFormatError for an entry that is none.
    """
    _, checkpoint = log.newest()
    entries = ((number, parse_entry(data, f"entry {number}")) for number, data in enumerate(log.entries(checkpoint)))
    return [
        Published(number, entry.head)
        for number, entry in entries
        if isinstance(entry, TrailEntry) and entry.owner == owner
    ]


def _newest(session: Session) -> TrailLine | None:
    """Return the line of the newest head, or None."""
    query = select(TrailLine).where(TrailLine.act == Act.PUBLISH).order_by(TrailLine.number.desc()).limit(1)
    return session.scalars(query).first()
