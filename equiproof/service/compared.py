"""The database beside the public log, entry by entry: what one has and the other lacks, as after a restore.

The log may have millions of entries and keeps its order, so both are read side by side, some at a time.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from sqlalchemy import select
from sqlalchemy.orm import Session

from equiproof.service import announcing
from equiproof.service.keys import keys_in
from equiproof.service.models import ModelError, Models, all_models
from equiproof.service.public_log import PublicLog
from equiproof.service.store.database import Database
from equiproof.service.store.tables import Certificate, Decision, LogProof
from equiproof.verifier.entries import (
    CertificateEntry,
    CommitmentEntry,
    DecisionEntry,
    Entry,
    KeyEntry,
    LinkEntry,
    RetireEntry,
    certificate_entry,
    parse_entry,
)

BATCH = 256
"""How many entries are looked up at once."""

Numbered = tuple[int, Entry]
Said = CertificateEntry | CommitmentEntry | KeyEntry | LinkEntry | RetireEntry
"""Entries that may be strange to a database; `service trail check --compare-log` judges those of the trail."""


@dataclass
class Comparison:
    """What was found: counts of what both have, and what only one of them has, by the log's order.

    `lost` are receipts of no decision here, `strange` other entries that the database does not know, `moved` ids of
    decisions whose receipt or certificate is not where the database says that the log has it.
    """

    size: int
    decisions: int = 0
    certificates: int = 0
    lost: list[tuple[int, str]] = field(default_factory=list)
    strange: list[tuple[int, Said]] = field(default_factory=list)
    moved: list[str] = field(default_factory=list)


def compare(database: Database, log: PublicLog, owner: str) -> Comparison:
    """Compare all entries of the log's newest checkpoint with the database; `owner` is the service's name in the log.

    Raises LogError, and CertificateFormatError for an entry that is none.
    """
    # The checkpoint first: a decision is in the database before its receipt is sent, also while the service runs.
    _, checkpoint = log.newest()
    found = Comparison(checkpoint.size)
    numbered = ((number, parse_entry(data, f"entry {number}")) for number, data in enumerate(log.entries(checkpoint)))
    with database.reading() as session:
        said = _said(session, owner)
        certificates = _Certificates(session)
        while part := list(islice(numbered, BATCH)):
            _decisions(session, part, found)
            certificates.look_up(part, found)
            found.strange += [
                (number, entry)
                for number, entry in part
                if isinstance(entry, CommitmentEntry | KeyEntry | LinkEntry | RetireEntry) and _about(entry) not in said
            ]
        found.moved += _beyond(session, checkpoint.size)
    return found


def described(entry: Said) -> str:
    """Say what an entry is about."""
    if isinstance(entry, CertificateEntry):
        return f"the certificate {entry.certificate}"
    return f"{entry.kind} {_about(entry)[2]} of {entry.owner}"


def _decisions(session: Session, part: list[Numbered], found: Comparison) -> None:
    """Look up the receipts of a part."""
    receipts = {entry.receipt: number for number, entry in part if isinstance(entry, DecisionEntry)}
    query = select(Decision.id, Decision.receipt, LogProof.entry).where(Decision.receipt.in_(list(receipts)))
    known = set[str]()
    for row in session.execute(query.outerjoin(LogProof, LogProof.decision_id == Decision.id)):
        known.add(row.receipt)
        if row.entry not in (None, receipts[row.receipt]):
            found.moved.append(row.id)
    found.decisions += len(known)
    found.lost += [(number, receipt) for receipt, number in receipts.items() if receipt not in known]


class _Certificates:
    """The certificates of the database in the order in which the log has them, beside the log's."""

    def __init__(self, session: Session) -> None:
        self._session = session
        unsent = select(Certificate.body).where(Certificate.entry.is_(None)).execution_options(yield_per=BATCH)
        # One that was entered and not noted is known by its bytes.
        self._unsent = {certificate_entry(body).certificate for body in session.scalars(unsent)}
        placed = select(Certificate.entry, Certificate.decision_id).where(Certificate.entry.is_not(None))
        rows = session.execute(placed.order_by(Certificate.entry).execution_options(yield_per=BATCH))
        self._placed = ((row.entry, row.decision_id) for row in rows)
        self._next = next(self._placed, None)

    def look_up(self, part: list[Numbered], found: Comparison) -> None:
        """Look up the certificates of a part."""
        entries = {number: entry for number, entry in part if isinstance(entry, CertificateEntry)}
        place_of = dict[str, int]()
        while self._next is not None and self._next[0] <= part[-1][0]:
            place_of[self._next[1]] = self._next[0]
            self._next = next(self._placed, None)
        known = {number for number, entry in entries.items() if entry.certificate in self._unsent}
        bodies = select(Certificate.decision_id, Certificate.body).where(Certificate.decision_id.in_(list(place_of)))
        for decision_id, body in self._session.execute(bodies):
            place = place_of[decision_id]
            if entries.get(place) == certificate_entry(body):
                known.add(place)
            else:
                found.moved.append(decision_id)
        found.certificates += len(known)
        found.strange += [(number, entry) for number, entry in entries.items() if number not in known]


def _beyond(session: Session, size: int) -> list[str]:
    """Return the decisions that the log was proven to have, behind its end."""
    receipts = select(LogProof.decision_id).where(LogProof.entry >= size, LogProof.body.is_not(None))
    certificates = select(Certificate.decision_id).where(Certificate.entry >= size, Certificate.proof.is_not(None))
    return sorted({*session.scalars(receipts), *session.scalars(certificates)})


def _said(session: Session, owner: str) -> set[tuple[str, str, str]]:
    """Return what the service says of its models and keys, without those whose files cannot be read."""
    models = Models()
    said = set[tuple[str, str, str]]()
    for row in all_models(session):
        try:
            opening = models.of(session, row.id).opening
        except ModelError:
            continue
        said.add((owner, "commitment", announcing.digest_of(opening, row.commitment)))
        said |= {(owner, "key", key.fingerprint) for key in keys_in(Path(row.keys))}
        said |= {_about(entry) for entry in announcing.link_entries(row, opening, owner)}
    return said


def _about(entry: CommitmentEntry | KeyEntry | LinkEntry | RetireEntry) -> tuple[str, str, str]:
    """Return owner, kind and digest of what an entry is about."""
    if isinstance(entry, RetireEntry):
        return entry.owner, entry.what, entry.digest
    if isinstance(entry, KeyEntry):
        return entry.owner, "key", entry.key
    if isinstance(entry, LinkEntry):
        return entry.owner, "link", entry.link
    return entry.owner, "commitment", entry.commitment
