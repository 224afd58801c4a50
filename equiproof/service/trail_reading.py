"""What is read of the trail: some lines of it, page by page or all of them as a file."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum

from sqlalchemy import ColumnElement, select
from sqlalchemy.orm import Session

from equiproof.circuits.canonical import canonical_bytes
from equiproof.service.store.tables import TrailLine
from equiproof.service.trail import Act, document

CURSOR = re.compile("[1-9][0-9]{0,14}")

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Form(StrEnum):
    """The kinds of files: JSON lines, by which the chain can be followed, and a table."""

    JSONL = "jsonl"
    CSV = "csv"


@dataclass(frozen=True)
class Wanted:
    """Which lines: by whom, of which act, about what, and within a span of microseconds whose end is left out.

    `addresses` are the digests of an address under each key of the vault, None for any address.
    """

    actor: str = ""
    act: Act | None = None
    about: str = ""
    since: int | None = None
    until: int | None = None
    addresses: Collection[str] | None = None

    def conditions(self) -> list[ColumnElement[bool]]:
        """Return them as SQL."""
        conditions: list[ColumnElement[bool]] = []
        if self.actor:
            conditions.append(TrailLine.actor == self.actor)
        if self.act is not None:
            conditions.append(TrailLine.act == self.act)
        if self.about:
            conditions.append(TrailLine.about == self.about)
        if self.since is not None:
            conditions.append(TrailLine.at >= self.since)
        if self.until is not None:
            conditions.append(TrailLine.at < self.until)
        if self.addresses is not None:
            conditions.append(TrailLine.address.in_(self.addresses))
        return conditions


def listed(session: Session, wanted: Wanted, cursor: str, most: int) -> tuple[list[TrailLine], str]:
    """Return the newest lines before the cursor's, and the cursor of those that follow, "" for none.

    What is no cursor is as good as none.
    """
    query = select(TrailLine).where(*wanted.conditions()).order_by(TrailLine.number.desc()).limit(most + 1)
    if CURSOR.fullmatch(cursor):
        query = query.where(TrailLine.number < int(cursor))
    rows = list(session.scalars(query))
    return rows[:most], str(rows[most - 1].number) if len(rows) > most else ""


def written(session: Session, wanted: Wanted, form: Form) -> bytes:
    """Return all lines as a file, the first one first."""
    query = select(TrailLine).where(*wanted.conditions()).order_by(TrailLine.number)
    rows = session.scalars(query.execution_options(yield_per=1000))
    return b"".join(_json_lines(rows)) if form == Form.JSONL else _table(rows)


def _json_lines(rows: Iterable[TrailLine]) -> Iterator[bytes]:
    """Yield each line as canonical JSON with its hash."""
    for row in rows:
        yield canonical_bytes(document(row) | {"hash": row.hash}) + b"\n"


def _table(rows: Iterable[TrailLine]) -> bytes:
    """Return lines as CSV; times are written out, in UTC."""
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(["number", "time", "act", "channel", "actor", "about", "detail", "address", "before", "hash"])
    for row in rows:
        time = (_EPOCH + timedelta(microseconds=row.at)).isoformat(timespec="microseconds")
        who = (row.act, row.channel, row.actor, row.about, row.detail, row.address)
        writer.writerow([row.number, time, *who, row.before, row.hash])
    return text.getvalue().encode()
