"""Certificates in the public log: the digest of each soon after it is made, and proofs of when that was.

After a certificate's lifetime this alone tells it from one that was forged later (verifier/package_check.py). Every
step may be cut off anywhere and done again: the log knows an entry by its bytes.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace
from typing import Protocol

from sqlalchemy import and_, or_, select
from sqlalchemy.orm import Session

from equiproof.circuits import field as elements
from equiproof.circuits.canonical import DocumentError
from equiproof.register.client import Appended
from equiproof.register.errors import LogError
from equiproof.service.kept_certificates import KeptCertificates
from equiproof.service.policy import has_left
from equiproof.service.states import State
from equiproof.service.store.database import Database
from equiproof.service.store.tables import Certificate, Decision, Model, Transition
from equiproof.verifier.certificate import Certificate as CertificateFile
from equiproof.verifier.certificate import parse_certificate
from equiproof.verifier.checkpoint import Checkpoint
from equiproof.verifier.entries import certificate_entry
from equiproof.verifier.errors import CertificateFormatError

BATCH = 64
"""How many certificates one step has."""

MICROSECONDS = 1_000_000
REFRESH_INTERVAL = 3600 * MICROSECONDS
"""How old a model's log proof becomes before it is fetched anew: relying parties want a recent one."""


_log = logging.getLogger("equiproof.service.log")


def log_appended(what: str, request: str | None, entry: int) -> None:
    """Write the line about an entry of a decision, with the id of the request that asked for the decision."""
    _log.info("appended", extra={"fields": {"request": request, "what": what, "entry": entry}})


class Register(Protocol):
    """The log as the service knows it (:class:`equiproof.service.public_log.PublicLog`)."""

    @property
    def append(self) -> Callable[[bytes], Appended]:
        """Return what appends an entry; it raises LogError."""

    def newest(self) -> tuple[bytes, Checkpoint]:
        """Return the newest checkpoint; raises LogError."""

    def proof(self, shown: tuple[bytes, Checkpoint], index: int, entry: bytes, now: int) -> bytes:
        """Return a log proof; raises LogError."""


class Dated:
    """Appends certificates, and fetches the proofs of certificates and models."""

    def __init__(
        self,
        database: Database,
        log: Register,
        commitment: Callable[[Session, Model], bytes],
        every: int = 0,
        kept: KeptCertificates | None = None,
    ) -> None:
        """Take what returns the entry of a model's commitment, the bytes that were appended.

        `every` is the policy's time between releases in microseconds, 0 for none. Without `kept`, certificates are in
        the database alone.
        """
        self._every = every
        self._kept = kept
        self._database = database
        self._log = log
        self._commitment = commitment

    def append(self, now: int) -> int:
        """Append certificates that the log does not have and that may leave; returns how many.

        Raises LogError, also about a certificate that cannot be kept, after the others.
        """
        with self._database.reading() as session:
            query = select(Certificate.decision_id, Decision.receipt, Certificate.body, Decision.request)
            query = query.join(Decision, Decision.id == Certificate.decision_id).where(Certificate.entry.is_(None))
            if self._every:
                # Time and order of entries are public, and would tell how long the search took.
                query = query.join(Transition, Transition.decision_id == Certificate.decision_id)
                has_ended = Transition.state == State.CERTIFIED
                query = query.where(has_ended, has_left(Decision.received, Transition.at, self._every, now))
            order = Decision.received if self._every else Certificate.made
            waiting = list(session.execute(query.order_by(order).limit(BATCH)))
        trouble = None
        done = 0
        for decision_id, receipt, body, request in waiting:
            try:
                first = self._first(receipt, body)
            except (OSError, DocumentError, CertificateFormatError) as error:
                trouble = LogError(f"{decision_id}: its certificate is not entered: {error}")
                continue
            # Outside of any transaction, since the log may take seconds; cut off before the row is written, it is
            # appended again.
            index = self._log.append(certificate_entry(body if first is None else first.to_bytes()).data).index
            with self._database.transaction() as session:
                row = session.get_one(Certificate, decision_id)
                row.entry = index
                if first is not None:
                    row.body = first.to_bytes()
                    row.key_fingerprint = first.key.fingerprint
                    row.radius_squared = elements.to_hex(first.to_statement().radius_squared)
            log_appended("certificate", request, index)
            done += 1
        if trouble is not None:
            raise trouble
        return done

    def _first(self, receipt: str, body: bytes) -> CertificateFile | None:
        """Keep a certificate before the log has its entry; return another one that is there already, about the same.

        The log has that one's entry: a worker that does not see the folder proved the decision again after a restore.
        Raises OSError, DocumentError, and CertificateFormatError for one about something else.
        """
        if self._kept is None or (kept := self._kept.keep(receipt, body)) == body:
            return None
        where = str(self._kept.path(receipt))
        first = parse_certificate(kept, where)
        known = parse_certificate(body, "certificate").to_statement()
        # The radius may be another one: a search that is cut off ends where its time does.
        if replace(first.to_statement(), radius_squared=known.radius_squared) != known:
            raise DocumentError(f"remove {where}: it is about another decision than its name says")
        return first

    def prove(self, now: int) -> int:
        """Keep the proofs of what the newest checkpoint covers; returns how many. Raises LogError."""
        with self._database.reading() as session:
            query = select(Certificate).where(Certificate.entry.is_not(None), Certificate.proof.is_(None))
            certificates = list(session.scalars(query.order_by(Certificate.entry).limit(BATCH)))
            # A time that is not yet was written while the clock was ahead.
            old = or_(Model.proven.is_(None), Model.proven <= now - REFRESH_INTERVAL, Model.proven > now)
            # One that was retired before a proof was kept still needs one: its decisions are handed out with it.
            stale = or_(and_(Model.retired.is_(None), old), Model.proof.is_(None))
            models = [
                (row.id, row.entry, self._commitment(session, row))
                for row in session.scalars(select(Model).where(Model.entry.is_not(None), stale))
            ]
        if not certificates and not models:
            return 0
        newest = self._log.newest()
        done = sum(self._certificate(row, newest, now) for row in certificates)
        return done + sum(self._model(*model, newest, now) for model in models)

    def _certificate(self, row: Certificate, newest: tuple[bytes, Checkpoint], now: int) -> bool:
        """Keep the proof of one certificate, if the checkpoint covers it."""
        if row.entry is None or row.entry >= newest[1].size:
            return False
        proof = self._log.proof(newest, row.entry, certificate_entry(row.body).data, now // MICROSECONDS)
        with self._database.transaction() as session:
            session.get_one(Certificate, row.decision_id).proof = proof
        return True

    def _model(
        self, model_id: str, index: int | None, entry: bytes, newest: tuple[bytes, Checkpoint], now: int
    ) -> bool:
        """Keep the proof of one model's commitment in place of the last one, if the checkpoint covers it."""
        if index is None or index >= newest[1].size:
            return False
        proof = self._log.proof(newest, index, entry, now // MICROSECONDS)
        with self._database.transaction() as session:
            row = session.get_one(Model, model_id)
            row.proof = proof
            row.proven = now
        return True
