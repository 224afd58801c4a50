"""What an owner says of models and keys in the public log, as the rows of the database have it.

Entries are made from the rows alone, so that the same row gives the same bytes in every process and after every start:
a log knows an entry by its bytes, and has it once however often it is sent.
"""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import select
from sqlalchemy.orm import Session

from equiproof.prover.opening import Opening
from equiproof.prover.published import links_of
from equiproof.service.keys import key_of, links_beside
from equiproof.service.store.tables import Model
from equiproof.verifier.documents import COMMITMENT, CommitmentDocument
from equiproof.verifier.entries import (
    ENTRY,
    CommitmentEntry,
    KeyEntry,
    LinkEntry,
    RetireEntry,
    commitment_digest,
    link_entry,
)

MICROSECONDS = 1_000_000


def digest_of(opening: Opening, commitment: str) -> str:
    """Return the digest by which the log knows a model's commitment file."""
    return commitment_digest(CommitmentDocument(*COMMITMENT, commitment, opening.spec))


def commitment_entry(row: Model, opening: Opening, owner: str) -> CommitmentEntry:
    """Return the entry of a model's commitment, valid from the day on which the model began to decide."""
    day = datetime.fromtimestamp(row.created // MICROSECONDS, UTC).date().isoformat()
    return CommitmentEntry(*ENTRY, "commitment", owner, digest_of(opening, row.commitment), day)


def key_entry(row: Model, opening: Opening, owner: str) -> KeyEntry | None:
    """Return the entry of the key that a model's certificates are made under; None where there is none yet."""
    key = key_of(opening, Path(row.keys), links_beside(row.opening))
    return None if key is None else KeyEntry(*ENTRY, "key", owner, key.fingerprint, key.transcript or None)


def link_entries(row: Model, opening: Opening, owner: str) -> list[LinkEntry]:
    """Return the entries of the links that are published of a model, those of all its kept keys."""
    commitment = CommitmentDocument(*COMMITMENT, row.commitment, opening.spec)
    return [link_entry(owner, link, commitment) for link in links_of(links_beside(row.opening), row.commitment)]


def retire_entry(row: Model, opening: Opening, successor: str | None, owner: str) -> RetireEntry:
    """Return the entry about a model that decides no more; `successor` is the digest of the next one's commitment."""
    why = "another model decides" if successor else "the model decides no more"
    return RetireEntry(*ENTRY, "retire", owner, "commitment", digest_of(opening, row.commitment), why, successor)


def successor_of(session: Session, row: Model) -> Model | None:
    """Return the model that took the place of a retired one."""
    later = select(Model).where(Model.name == row.name, Model.created >= (row.retired or 0), Model.id != row.id)
    return session.scalars(later.order_by(Model.created, Model.id)).first()
