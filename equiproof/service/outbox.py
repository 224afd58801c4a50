"""From the outbox to the public log: receipts are appended, and their proofs kept once a checkpoint covers them.

Every step may be cut off anywhere and done again, by this process or by two at once. The log knows an entry by its
bytes: one that was appended and not noted is appended again, and gets the index that it has.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sqlalchemy.orm import Session

from equiproof.register.client import Appended
from equiproof.register.errors import LogError
from equiproof.service import announcing
from equiproof.service.dated import Dated, log_appended
from equiproof.service.decisions import RECEIPT
from equiproof.service.kept_certificates import KeptCertificates
from equiproof.service.models import ModelError, Models
from equiproof.service.numbers import Numbers
from equiproof.service.public_log import PublicLog, UnwitnessedError
from equiproof.service.store import queries
from equiproof.service.store.database import Database, insert_rows, update_rows
from equiproof.service.store.tables import LogProof, Model, Outgoing
from equiproof.service.trail_heads import TrailHeads
from equiproof.service.troubles import Troubles
from equiproof.verifier.entries import ENTRY, DecisionEntry, Entry

BATCH = 256
"""How many receipts, and how many proofs, one step has."""

MICROSECONDS = 1_000_000
MAX_WAIT = 60 * MICROSECONDS
"""How long an entry that the log did not take waits at most: a later time was written while a clock was ahead."""

Say = Callable[[str], None]


class Sender:
    """Sends what the outbox and the table of models hold, and fetches proofs."""

    def __init__(
        self,
        database: Database,
        models: Models,
        log: PublicLog,
        owner: str,
        say: Say = lambda _: None,
        release_seconds: int = 0,
        kept: KeptCertificates | None = None,
        numbers: Numbers | None = None,
        *,
        with_trail: bool = False,
    ) -> None:
        """Take the owner's name in the log; `say` gets a line for each kind of trouble, once until it is over.

        `release_seconds` is the policy's time between releases of certificates; `kept` has those of which the log has
        entries; `numbers` counts what was done. With `with_trail`, the head of the trail is appended once a day.
        """
        self._numbers = numbers
        self._database = database
        self._models = models
        self._log = log
        self._owner = owner
        self._troubles = Troubles(say)
        self._dated = Dated(database, log, self._commitment, release_seconds * MICROSECONDS, kept)
        self._heads = TrailHeads(database, log.append, owner) if with_trail else None
        self._announced: set[str] = set()

    def step(self, now: int) -> int:
        """Do what can be done now, `now` being in microseconds; returns how much that was.

        A log that is away or refuses raises nothing: what was not sent is sent later. What the database raises is
        raised.
        """
        done = 0
        parts = [
            ("models", self._announce),
            ("receipts", self._send),
            ("proofs", self._prove),
            ("certificates", self._dated.append),
            ("proofs of certificates", self._dated.prove),
        ]
        if self._heads is not None:
            parts.append(("trail", self._heads.append))
        for what, part in parts:
            count = None
            try:
                count = part(now)
            except LogError as error:
                self._troubles.tell(what, str(error))
            else:
                self._troubles.over(what, "the log takes them again")
                done += count
            self._count(what, count, now)
        return done

    def _count(self, what: str, count: int | None, now: int) -> None:
        """Count what a part of a step did, None for one that the log refused or did not answer."""
        if self._numbers is None:
            return
        self._numbers.add("equiproof_log_done", count or 0, what)
        self._numbers.add("equiproof_log_failures", count is None, what)
        if count:
            self._numbers.set("equiproof_log_success_timestamp_seconds", now / MICROSECONDS, what)

    def _announce(self, now: int) -> int:  # noqa: ARG002 -- as the other parts
        """Append what is to be said of models and keys, and note where the log has each commitment."""
        entries = list[tuple[str, Entry]]()
        trouble = ""
        with self._database.reading() as session:
            for row in queries.models(session):
                try:
                    entries += [(row.id, entry) for entry in self._entries(session, row)]
                except ModelError as error:  # of one model: the others are announced all the same
                    trouble = trouble or str(error)
        done = 0
        for model_id, entry in sorted(entries, key=lambda one: one[1].kind == "retire"):  # a successor is there by then
            if entry.name in self._announced:
                continue
            # The log comes first and the row after: cut off in between, the same bytes are appended again and get this
            # index.
            index = self._log.append(entry.data).index
            if entry.kind == "commitment":
                with self._database.transaction() as session:
                    session.get_one(Model, model_id).entry = index
            self._announced.add(entry.name)
            done += 1
        if trouble:
            raise LogError(trouble)
        return done

    def _entries(self, session: Session, row: Model) -> list[Entry]:
        """Return what is to be said of a model, in its order; raises ModelError."""
        opening = self._models.of(session, row.id).opening
        entries: list[Entry] = [announcing.commitment_entry(row, opening, self._owner)]
        if (key := announcing.key_entry(row, opening, self._owner)) is not None:
            entries.append(key)  # of a retired model too: certificates may still be made under it
        entries += announcing.link_entries(row, opening, self._owner)
        if row.retired is None:
            return entries
        after = announcing.successor_of(session, row)
        digest = None
        if after is not None:
            digest = announcing.digest_of(self._models.of(session, after.id).opening, after.commitment)
        return [*entries, announcing.retire_entry(row, opening, digest, self._owner)]

    def _commitment(self, session: Session, row: Model) -> bytes:
        """Return the entry of a model's commitment; raises LogError where the model's files are of no use."""
        try:
            return announcing.commitment_entry(row, self._models.of(session, row.id).opening, self._owner).data
        except ModelError as error:
            raise LogError(str(error)) from None

    def _send(self, now: int) -> int:
        """Append receipts that are due; raises the first LogError after noting what was appended."""
        with self._database.reading() as session:
            due = [(row.id, row.body) for row in queries.due(session, RECEIPT, now, MAX_WAIT, BATCH)]
        if not due:
            return 0
        # No transaction is open while the log answers, which may take seconds.
        answers = self._log.append_together([body for _, body in due])
        self._note([row for row, _ in due], answers, now)
        if failed := [one for one in answers if isinstance(one, LogError)]:
            raise failed[0]
        return len(answers)

    def _note(self, rows: Sequence[int], answers: Sequence[Appended | LogError], now: int) -> None:
        """Write where the log has each entry, with a line of the process's log, or when it is sent again."""
        by_row = dict(zip(rows, answers, strict=False))  # of a log that is away, one entry finds out
        with self._database.transaction() as session:
            sent = list[dict[str, Any]]()
            put_off = list[dict[str, Any]]()
            places = dict[str, int]()
            requests = dict[str, str | None]()
            # Locked and read again: what another sender has noted meanwhile is not written twice.
            for row in queries.unsent(session, list(by_row)):
                answer = by_row[row.id]
                if isinstance(answer, Appended):
                    sent.append({"id": row.id, "done": now})
                    places[row.decision_id] = answer.index
                    requests[row.decision_id] = row.request
                else:
                    # Twice as long each time; the shift is bounded too, since attempts are not.
                    due = now + min(MAX_WAIT, MICROSECONDS << min(row.attempts + 1, 6))
                    put_off.append({"id": row.id, "attempts": row.attempts + 1, "due": due})
            update_rows(session, Outgoing, sent)
            update_rows(session, Outgoing, put_off)
            for logged in queries.logged(session, list(places)):
                del places[logged]
            insert_rows(
                session, *(LogProof(decision_id=at, entry=entry, body=None, at=now) for at, entry in places.items())
            )
        for decision_id, entry in places.items():
            log_appended("receipt", requests[decision_id], entry)

    def _prove(self, now: int) -> int:
        """Keep the proofs of entries that the newest checkpoint covers; raises the last LogError after the others."""
        with self._database.reading() as session:
            if not (waiting := queries.unproven(session, BATCH)):
                return 0
        newest = self._log.newest()
        trouble = None
        proofs = dict[str, bytes | None]()
        for decision_id, index, receipt in waiting:
            if index >= newest[1].size:
                continue
            entry = DecisionEntry(*ENTRY, "decision", receipt).data
            proofs[decision_id] = None
            try:
                proofs[decision_id] = self._log.proof(newest, index, entry, now // MICROSECONDS)
            # A checkpoint without its witnesses proves no entry, so that the others need not be tried.
            except UnwitnessedError:
                raise
            except LogError as error:
                trouble = error
        self._keep(proofs, now)
        if trouble is not None:
            raise trouble
        return sum(proof is not None for proof in proofs.values())

    def _keep(self, proofs: Mapping[str, bytes | None], now: int) -> None:
        """Write proofs by the ids of their decisions; those that could not be made go behind the others."""
        with self._database.transaction() as session:
            waiting = queries.without_proof(session, list(proofs))
            proof_rows = [{"decision_id": one, "body": proofs[one], "at": now} for one in waiting]
            update_rows(session, LogProof, proof_rows)
