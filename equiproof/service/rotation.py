"""Every box sealed anew under the vault's first key, so that an older key can leave the file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from sqlalchemy import LargeBinary, func, not_, or_, select, tuple_
from sqlalchemy.orm import Session

from equiproof.service import findings, letters, persons, recourse_letters, recourses
from equiproof.service.store.database import Database
from equiproof.service.store.tables import Decision, Finding, Letter, Person, Recourse, RecourseLetter
from equiproof.service.vault import Vault, VaultError, key_name

BATCH = 200
"""How many boxes one transaction has: others wait no longer than for that."""

Row: TypeAlias = Any  # a row of one of the tables below

SEALED_TABLES: tuple[tuple[type[Row], Sequence[Any], Callable[[Row], str]], ...] = (
    (Decision, (Decision.id,), lambda row: str(row.id)),
    (Finding, (Finding.decision_id,), lambda row: findings.about(row.decision_id)),
    (Letter, (Letter.decision_id, Letter.language), lambda row: letters.about(row.decision_id, row.language)),
    (Recourse, (Recourse.decision_id,), lambda row: recourses.about(row.decision_id)),
    (
        RecourseLetter,
        (RecourseLetter.decision_id, RecourseLetter.language),
        lambda row: recourse_letters.about(row.decision_id, row.language),
    ),
    (Person, (Person.decision_id,), lambda row: persons.about(row.decision_id)),
)
"""Each table with a sealed column, its key, and what its boxes are about."""


def rotate(database: Database, vault: Vault) -> int:
    """Seal all boxes under the newest key; return how many were under another one. Repeating it is harmless.

    Raises VaultError for a box under a key that the file no longer has, or that was changed: those before it are kept.
    """
    return sum(_table(database, vault, *table) for table in SEALED_TABLES)


def refuse_lost_key(session: Session, vault: Vault) -> None:
    """Raise VaultError where a box is under a key that the file does not have, as with another service's file."""
    for table, *_ in SEALED_TABLES:
        conditions = (func.substr(table.sealed, 1, len(head), type_=LargeBinary) == head for head in vault.heads)
        box = session.scalars(
            select(table.sealed).where(table.sealed.is_not(None), not_(or_(*conditions))).limit(1)
        ).first()
        if box is not None:
            name = key_name(box)
            raise VaultError(f"put the line of the key {name!r} back into the key file: boxes are sealed under it")


def _table(database: Database, vault: Vault, table: type[Row], key: Sequence[Any], about: Callable[[Row], str]) -> int:
    """Seal the boxes of one table, so many in a transaction."""
    done = 0
    after = None
    while True:
        with database.transaction() as session:
            query = select(table).where(table.sealed.is_not(None)).order_by(*key).limit(BATCH)
            if after is not None:
                # By key and not by offset, so that no row is passed over; what is written meanwhile is under the newest
                # key already.
                query = query.where(tuple_(*key) > after)
            rows = list(session.scalars(query.with_for_update()))
            for row in rows:
                if (box := vault.renewed(row.sealed, about(row))) is not None:
                    row.sealed = box
                    if isinstance(row, Person):
                        persons.renew(row, vault)
                    done += 1
            after = tuple(getattr(rows[-1], column.key) for column in key) if rows else after
        if len(rows) < BATCH:
            return done
