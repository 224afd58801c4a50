"""What must be true of a service after anything that happened to it, looked for in its database and its log."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from bench.service_place import Place
from equiproof.register.log import Log
from equiproof.service.clock import now
from equiproof.service.decisions import history, opened
from equiproof.service.states import TRANSITIONS, WAITING_STATES, State
from equiproof.service.store.database import Database
from equiproof.service.store.tables import Certificate, Decision, LogProof, Outgoing
from equiproof.service.vault import Vault, load_vault
from equiproof.verifier import AllOf, ForContext, ForQuery, ForReceipt, TrustStore, Verifier
from equiproof.verifier.documents import parse_commitment
from equiproof.verifier.entries import DecisionEntry, parse_entry
from equiproof.verifier.errors import CertificateFormatError, PolicyError, VerificationError
from equiproof.verifier.logged import LogPins, standing
from equiproof.verifier.notes import VerifierKey

GIVEN_UP = "the prover stopped, attempt"
"""How the reason begins of a decision whose prover was killed too often in a row: the one way in which kills end it."""


def wrong(place: Place, answered: Mapping[str, str], *, ended: bool = True) -> tuple[list[str], dict[str, int]]:
    """Return what is wrong, a line each, and what was counted.

    `answered` has the state in which each decision was acknowledged, by its id: `decided` or `review`. Where not all
    have `ended`, certificates may wait.
    """
    may_wait = frozenset() if ended else WAITING_STATES
    found, counts = list[str](), Counter[str]()
    with Database(place.settings.database) as database, database.reading() as session:
        rows = {row.id: row for row in session.scalars(select(Decision))}
        found += [f"{one}: acknowledged, and not there" for one in answered.keys() - rows.keys()]
        found += [f"{one}: there, and never acknowledged" for one in rows.keys() - answered.keys()]
        for row in rows.values():
            counts[row.state] += 1
            found += [f"{row.id}: {line}" for line in _history(session, row, answered.get(row.id), may_wait)]
        found += _certificates(session, place, rows)
        found += _receipts(session, place, rows)
        counts["certificates"] = len(session.scalars(select(Certificate.decision_id)).all())
    counts["entries"] = len(logged_receipts(place.folder / "log", place.signer.verifier))
    return found, dict(counts)


def _history(session: Session, row: Decision, answered: str | None, may_wait: Collection[str]) -> Iterator[str]:
    """Yield what is wrong with a decision's states."""
    steps = history(session, row.id)
    states = [State(step.state) for step in steps]
    if [step.number for step in steps] != list(range(len(steps))):
        yield f"its history is numbered {[step.number for step in steps]}"
    if not states or states[-1] != row.state or states[0] != answered:
        yield f"it is {row.state} after {states}, acknowledged as {answered}"
    yield from (f"{one} was followed by {two}" for one, two in pairwise(states) if two not in TRANSITIONS[one])
    if answered == State.REVIEW and states != [State.REVIEW]:
        yield f"a person decides, and it was {states}"
    given_up = row.state == State.FAILED and steps[-1].reason.startswith(GIVEN_UP)
    if answered == State.DECIDED and row.state not in {State.CERTIFIED, *may_wait} and not given_up:
        yield f"it ended as {row.state}: {steps[-1].reason}"


def _certificates(session: Session, place: Place, rows: Mapping[str, Decision]) -> Iterator[str]:
    """Yield what is wrong with certificates: each certified decision has one, which verifies about that decision."""
    made = {one.decision_id: one for one in session.scalars(select(Certificate))}
    certified = {row.id for row in rows.values() if row.state == State.CERTIFIED}
    yield from (f"{one}: certified without a certificate" for one in certified - made.keys())
    yield from (f"{one}: a certificate of a decision that is not certified" for one in made.keys() - certified)
    commitment = parse_commitment(place.opening.public(), "commitment")
    verifier = Verifier(commitment, TrustStore.open(place.folder / "keys"), "native")
    vault: Vault = load_vault(place.folder / "vault.keys")
    for one in certified & made.keys():
        kept = opened(rows[one], vault)
        if kept is None:
            yield f"{one}: without its data"
            continue
        try:
            policy = AllOf(ForQuery(kept.query), ForContext(kept.context), ForReceipt(kept.receipt))
            verifier.verify(made[one].body, policy)
        except (CertificateFormatError, VerificationError) as error:
            yield f"{one}: {error}"


def _receipts(session: Session, place: Place, rows: Mapping[str, Decision]) -> Iterator[str]:
    """Yield what is wrong between decisions, outbox and log: each receipt is in the log, and once.

    Rows of the outbox whose receipt is in the log may have been purged.
    """
    sent = Counter(session.scalars(select(Outgoing.decision_id).where(Outgoing.kind == "receipt")).all())
    yield from (f"{one}: {count} receipts in the outbox" for one, count in sent.items() if count > 1 or one not in rows)
    waits = session.scalars(select(Outgoing.id).where(Outgoing.done.is_(None))).all()
    yield from (f"row {one} of the outbox still waits" for one in waits)
    logged = Counter(logged_receipts(place.folder / "log", place.signer.verifier))
    receipts = {row.receipt: row.id for row in rows.values()}
    yield from (f"{receipts[one]}: its receipt is not in the log" for one in receipts.keys() - logged.keys())
    yield from (f"receipt {one}: in the log without a decision" for one in logged.keys() - receipts.keys())
    yield from (f"receipt {one}: {count} times in the log" for one, count in logged.items() if count > 1)
    proofs: dict[str, Any] = {one.decision_id: one for one in session.scalars(select(LogProof))}
    pins, at = LogPins(place.signer.verifier), now() // 10**6
    for row in rows.values():
        proof = proofs.get(row.id)
        if proof is None or proof.body is None:
            yield f"{row.id}: no log proof"
            continue
        try:
            entry = standing(proof.body, pins, at).entry
        except (CertificateFormatError, PolicyError) as error:
            yield f"{row.id}: {error}"
        else:
            if not isinstance(entry, DecisionEntry) or entry.receipt != row.receipt:
                yield f"{row.id}: the log proof of another receipt"


def waiting(database: Database) -> dict[str, int]:
    """Return how much waits: decisions for their end, receipts for the log, and for their proofs."""
    with database.reading() as session:
        proven = select(LogProof.decision_id).where(LogProof.body.is_not(None))
        counts = {
            "decisions": select(func.count()).where(Decision.state.in_(WAITING_STATES)),
            "receipts": select(func.count()).where(Outgoing.done.is_(None)),
            "proofs": select(func.count()).where(Decision.id.not_in(proven)),
        }
        found = {name: session.scalar(count) or 0 for name, count in counts.items()}
    return {name: count for name, count in found.items() if count}


def logged_receipts(folder: Path, key: VerifierKey) -> list[str]:
    """Return the receipts of a log's decisions, from its folder."""
    log = Log(str(folder), key)
    _, signed = log.newest()
    tree = log.tiles(signed.checkpoint)
    entries = [parse_entry(data, "entry") for data in tree.entries(0, signed.checkpoint.size)]
    return [entry.receipt for entry in entries if isinstance(entry, DecisionEntry)]
