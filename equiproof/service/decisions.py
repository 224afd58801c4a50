"""A decision from the applicant's features to its rows: label, receipt, outbox and job in one transaction."""

from __future__ import annotations

import dataclasses
import hashlib
import secrets
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import ClassVar

import msgspec
from sqlalchemy import bindparam, func, select, tuple_
from sqlalchemy.orm import Session

from equiproof.certify.data.cleaning import trimmed
from equiproof.certify.data.dates import in_days, start_in
from equiproof.certify.data.notation import is_number
from equiproof.circuits import field as elements
from equiproof.circuits.canonical import canonical_bytes
from equiproof.circuits.encodings.days import dates, inward
from equiproof.circuits.exit_codes import MISUSED
from equiproof.circuits.numbers import exact
from equiproof.circuits.spec import Feature, Spec, SpecError, untaken
from equiproof.circuits.statement import Statement
from equiproof.prover.receipts import decide
from equiproof.service import findings
from equiproof.service.jobs.port import Jobs
from equiproof.service.models import CommittedModel
from equiproof.service.states import State, refuse_other
from equiproof.service.store.database import ANNOUNCEMENT_KEY, insert_rows
from equiproof.service.store.tables import Certificate, Decision, Finding, Outgoing, Transition
from equiproof.service.vault import Vault, VaultError
from equiproof.verifier.certificate import parse_certificate
from equiproof.verifier.documents import QueryDocument, RawValue
from equiproof.verifier.errors import PolicyError
from equiproof.verifier.receipt import Receipt

NONCE_BYTES = 32
MAX_LISTED = 12

RECEIPT = "receipt"
CHANGE = "change"
CORRECTION = "correction"
RECOURSE = "recourse"
"""Kinds of rows of the outbox: an entry for the log; for webhooks a change of state, a request for correction, and what
happens to recourse."""

MICROSECONDS = 1_000_000


_REFERENCES = select(Decision.client, Decision.reference).where(
    tuple_(Decision.client, Decision.reference).in_(bindparam("references", expanding=True))
)


class ApplicationError(ValueError):
    """An application that cannot be decided; one line naming the feature, and never its value."""

    exit_code: ClassVar[int] = MISUSED


class ReferenceTakenError(ValueError):
    """A reference under which the client has another decision already; one line."""

    exit_code: ClassVar[int] = MISUSED


@dataclass(frozen=True)
class Application:
    """What a lender's front end sends: raw non-sensitive features, None for a missing one, and its own reference."""

    features: Mapping[str, RawValue | None] = field(repr=False)
    reference: str | None = None


class Sealed(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the vault keeps of a decision: receipt, query and context, as the applicant will have them."""

    receipt: Receipt
    query: QueryDocument
    context: dict[str, str]

    def __repr__(self) -> str:
        """Show nothing of the applicant's."""
        return "Sealed()"


@dataclass(frozen=True)
class Holders:
    """What keeps personal data, and what keeps jobs."""

    vault: Vault
    jobs: Jobs


def job_of(receipt: str, key: str) -> str:
    """Return the name of the job of proving a statement under a key, by digest of the receipt and fingerprint.

    The receipt covers model, data, context and decision, so that the same job is done once, however often it is
    submitted; under another key it is another job.
    """
    return hashlib.sha256(b"equiproof.service.job.v1\x00" + f"{receipt}\n{key}".encode()).hexdigest()


@dataclass(frozen=True)
class Draft:
    """A decision that is not written yet, with what is written beside it; `reason` is that of its first state."""

    decision: Decision
    entry: Outgoing
    job: str | None
    finding: Finding | None
    reason: str = ""


def make(model: CommittedModel, client: str, application: Application, vault: Vault, now: int) -> Draft:
    """Decide about an applicant; `now` is in microseconds since 1970. Nothing is written before `keep`.

    A feature in days since a date may be given by the date itself; blanks around names and texts are left out, as in
    tables. What may be missing need not be given. Raises ApplicationError for sensitive features, which are not taken,
    and for others that do not fit.
    """
    features = trimmed(application.features)
    if len(features) < len(application.features):
        raise ApplicationError("features: give each name once: two differ only in the blanks around them")
    features = in_days(features, model.spec.plain_features)
    missing = {one.name: None for one in model.spec.plain_features if one.may_miss and one.name not in features}
    application = dataclasses.replace(application, features=features | missing)
    _refuse_features(model.spec, application.features)
    at = datetime.fromtimestamp(now // MICROSECONDS, UTC)
    context = {"nonce": secrets.token_hex(NONCE_BYTES), "date": at.date().isoformat()}
    if application.reference is not None:
        context["reference"] = application.reference
    try:
        decided = decide(model.opening, application.features, context, at, model.guardrail)
    except SpecError as error:
        raise _unfit(model.spec, error, application.features) from None
    receipt = decided.receipt
    decision = Decision(
        id=secrets.token_hex(16),
        client=client,
        reference=application.reference,
        model_id=model.id,
        state=State.REVIEW if receipt.label is None else State.DECIDED,
        label=receipt.label,
        received=now,
        query_commitment=receipt.query_commitment,
        receipt=receipt.digest,
    )
    sealed = Sealed(receipt, decided.query, decided.context)
    decision.sealed = vault.seal(canonical_bytes(sealed), decision.id)
    entry = Outgoing(kind=RECEIPT, decision_id=decision.id, body=receipt.entry().data, created=now)
    job = job_of(receipt.digest, model.key) if decision.state == State.DECIDED else None
    disagreement = _disagreement(model, application, receipt)
    row = None if disagreement is None else findings.row(decision.id, disagreement, vault, now)
    return Draft(decision, entry, job, row, decided.referred)


def keep(session: Session, batch: Sequence[Draft], jobs: Jobs) -> None:
    """Write decisions with everything that follows from them, each table's rows together.

    Raises IntegrityError where a client has used a reference already.
    """
    changes = [row for one in batch for row in _changed(session, one.decision, 0, one.reason, one.decision.received)]
    # Decisions first: all other rows refer to them.
    insert_rows(session, *(one.decision for one in batch))
    insert_rows(session, *(one.entry for one in batch), *(row for row in changes if isinstance(row, Outgoing)))
    insert_rows(session, *(row for row in changes if isinstance(row, Transition)))
    insert_rows(session, *(one.finding for one in batch if one.finding is not None))
    jobs.submit(session, {one.job: one.decision.id for one in batch if one.job is not None})


def taken(session: Session, references: Collection[tuple[str, str]]) -> set[tuple[str, str]]:
    """Return those of references, each with its client, under which there is a decision."""
    if not references:
        return set()
    rows = session.connection().execute(_REFERENCES, {"references": list(references)})
    return {(row.client, row.reference) for row in rows}


def advance(session: Session, decision: Decision, then: State, reason: str, now: int) -> None:
    """Change a decision's state, and write that it was changed; raises StateError for a change that cannot be."""
    refuse_other(State(decision.state), then)
    decision.state = then
    # Histories only grow, so their length is the next number; two transactions at once are refused by the unique index.
    numbers = select(func.count()).where(Transition.decision_id == decision.id)
    session.add_all(_changed(session, decision, session.scalar(numbers) or 0, reason, now))
    session.flush()


def history(session: Session, decision_id: str) -> list[Transition]:
    """Return the changes of a decision's state, the first one first."""
    return histories(session, [decision_id])[decision_id]


def histories(session: Session, decision_ids: Collection[str]) -> dict[str, list[Transition]]:
    """Return the history of each of several decisions, as `history` does."""
    histories: dict[str, list[Transition]] = {identifier: [] for identifier in decision_ids}
    query = select(Transition).where(Transition.decision_id.in_(histories)).order_by(Transition.number)
    for row in session.scalars(query):
        histories[row.decision_id].append(row)
    return histories


def opened(decision: Decision, vault: Vault) -> Sealed | None:
    """Return the applicant's data of a decision, or None where they have been erased.

    Raises VaultError, also for a row that says something else than the receipt in its box: whoever writes to the
    database without a key of the vault could have changed it.
    """
    if decision.sealed is None:
        return None
    sealed = msgspec.json.decode(vault.open(decision.sealed, decision.id), type=Sealed)
    receipt = sealed.receipt
    facts = (receipt.digest, receipt.label, receipt.query_commitment, sealed.context.get("reference"))
    if facts != (decision.receipt, decision.label, decision.query_commitment, decision.reference):
        raise VaultError("the row is about another decision than its box")
    return sealed


def stated(decision: Decision, certificate: Certificate, sealed: Sealed | None) -> Statement:
    """Return what a decision's certificate states; raises VaultError for that of another decision.

    Once the applicant's data have been erased, what is left to compare are the commitment to them and the label.
    """
    statement = parse_certificate(certificate.body, "certificate").to_statement()
    other = VaultError("the certificate's row is about another decision")
    if sealed is None:
        named = elements.to_hex(statement.query_commitment), statement.label
        if named != (decision.query_commitment, decision.label):
            raise other
        return statement
    try:
        sealed.receipt.refuse_other(statement)
    except PolicyError:
        raise other from None
    return statement


def _refuse_features(spec: Spec, features: Mapping[str, RawValue | None]) -> None:
    """Raise ApplicationError for names that are sensitive, unknown or missing."""
    names = {feature.name for feature in spec.plain_features}
    if said := untaken(spec, features):
        raise ApplicationError(f"features: {said}")
    if other := sorted(set(features) - names):
        raise ApplicationError(f"features: {other[0][:40]!r} is not a feature of this model")
    for feature in spec.plain_features:
        if features.get(feature.name) is None and not feature.may_miss:
            raise ApplicationError(f"features: {feature.name!r} is missing")


def _disagreement(
    model: CommittedModel, application: Application, receipt: Receipt
) -> findings.CounterexampleDocument | None:
    """Return what the officer who reviews a decision without a label will want to see."""
    if receipt.label is not None:
        return None
    return findings.found_at(model.opening, model.spec.encode(application.features))


def _unfit(spec: Spec, error: SpecError, features: Mapping[str, RawValue | None]) -> ApplicationError:
    """Return an error without the value, which is the applicant's and which the spec's error repeats."""
    at = next(feature for feature in spec.plain_features if str(error).startswith(f"feature {feature.name!r}"))
    given = str(features[at.name])
    lacking = "; what is not stated is null, or left out" if at.may_miss else "; the value is missing"
    remark = "" if given else lacking
    if "is not a number" in str(error) and is_number(given):
        remark = (
            "; only files are read in another notation: write a decimal point, and no marks of thousands or percent"
        )
    return ApplicationError(f"features: {at.name!r}: want {_wanted(at, str(error))}{remark}")


def _wanted(feature: Feature, error: str) -> str:
    """Return what a feature takes, in words, where the spec says this of a value."""
    if feature.domain:
        values = ", ".join(map(repr, feature.domain[:MAX_LISTED]))
        return f"one of {values}{', ...' if len(feature.domain) > MAX_LISTED else ''}"
    if feature.range is not None:
        if (days := dates(feature, inward((exact(feature.range[0]), exact(feature.range[1]))))) is not None:
            return f"a date from {days[0]} to {days[1]}, or its number of days since {feature.start}"
        unit = f" {feature.unit}" if feature.unit else ""
        return f"a number from {feature.range[0]} to {feature.range[1]}{unit}"
    if "is not a number" in error:
        is_dated = isinstance(feature.start, str) or start_in(feature.name) is not None
        day = "a date such as 2024-03-31, or " if is_dated else ""
        return f"{day}a number, such as 1250 or 1250.5"
    return "a number that is not far from what the model was made for"


def _changed(session: Session, decision: Decision, number: int, reason: str, now: int) -> list[Transition | Outgoing]:
    """Return the rows about the state that a decision has now: for its history, and for webhooks if there are any."""
    row = Transition(decision_id=decision.id, number=number, state=decision.state, at=now, reason=reason)
    return [row, *announced(session, decision, number, now)]


def announced(
    session: Session, decision: Decision, number: int, now: int, kind: str = CHANGE, **more: int | str
) -> list[Outgoing]:
    """Return the row that webhooks tell of a decision and the number of its last change; none where there are none."""
    if not session.info.get(ANNOUNCEMENT_KEY):
        return []
    message = {"client": decision.client, "decision": decision.id, "number": number, "state": decision.state, "at": now}
    return [Outgoing(kind=kind, decision_id=decision.id, body=canonical_bytes(message | more), created=now)]
