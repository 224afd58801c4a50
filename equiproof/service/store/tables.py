"""The tables, alike on SQLite and PostgreSQL.

Times are whole microseconds since 1970 in UTC: both databases keep and compare them alike. Ids are random, 32
hexadecimal digits. `sealed` columns are boxes of :mod:`equiproof.service.vault`, and personal data stand nowhere else.
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Text,
    UniqueConstraint,
    text,
)
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

from equiproof.service.states import State

ID = String(32)
DIGEST = String(64)

NUMBER = BigInteger().with_variant(Integer, "sqlite")
"""Of rows that are numbered as they come: SQLite numbers no other type, and PostgreSQL's Integer ends at 2^31."""

CONVENTION = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s",
    "pk": "pk_%(table_name)s",
}
"""Names of constraints, so that migrations can take each away again on both databases."""


class Table(DeclarativeBase):
    """The base of all tables."""

    metadata = MetaData(naming_convention=CONVENTION)


def _of_those(condition: str, *columns: str) -> Index:
    """Return an index of the few rows that wait, whatever else a table holds."""
    return Index(None, *columns, postgresql_where=text(condition), sqlite_where=text(condition))


class SchemaVersion(Table):
    """One row: `least` is the lowest revision whose programs work on these tables (:mod:`.migrations` writes it)."""

    __tablename__ = "schema_version"

    least: Mapped[str] = mapped_column(String(32), primary_key=True)


class Model(Table):
    """A committed model that decides, or has decided: of a name, the row without `retired` decides.

    `opening` and `keys` are paths on the machines of the service; `entry` is the place of its commitment in the log,
    `proof` the newest log proof of it, and `proven` when that was fetched.
    """

    __tablename__ = "models"
    __table_args__ = (Index(None, "name", "retired"),)

    id: Mapped[str] = mapped_column(ID, primary_key=True)
    name: Mapped[str] = mapped_column(String(64))
    commitment: Mapped[str] = mapped_column(DIGEST, unique=True)
    opening: Mapped[str] = mapped_column(Text)
    keys: Mapped[str] = mapped_column(Text)
    max_seconds: Mapped[float]
    created: Mapped[int] = mapped_column(BigInteger)
    retired: Mapped[int | None] = mapped_column(BigInteger)
    entry: Mapped[int | None] = mapped_column(BigInteger)
    proof: Mapped[bytes | None] = mapped_column(LargeBinary)
    proven: Mapped[int | None] = mapped_column(BigInteger)


class Decision(Table):
    """One decision about one applicant; `state` is that of its last transition.

    `request` is the id of the request that asked for it, and `trace` names that request's span, where it was measured.
    """

    __tablename__ = "decisions"
    __table_args__ = (
        UniqueConstraint("client", "reference"),
        Index(None, "received", "id"),
        Index(None, "client", "received", "id"),
        Index(None, "state", "received"),
        CheckConstraint(f"state in ({', '.join(repr(str(state)) for state in State)})", name="state"),
    )

    id: Mapped[str] = mapped_column(ID, primary_key=True)
    client: Mapped[str] = mapped_column(ID)
    reference: Mapped[str | None] = mapped_column(String(128))
    model_id: Mapped[str] = mapped_column(ForeignKey("models.id"))
    state: Mapped[str] = mapped_column(String(16))
    label: Mapped[int | None]
    received: Mapped[int] = mapped_column(BigInteger)
    query_commitment: Mapped[str] = mapped_column(DIGEST)
    receipt: Mapped[str] = mapped_column(DIGEST, unique=True)
    sealed: Mapped[bytes | None] = mapped_column(LargeBinary)
    erased: Mapped[int | None] = mapped_column(BigInteger)
    request: Mapped[str | None] = mapped_column(String(16))
    trace: Mapped[str | None] = mapped_column(String(55))


class Transition(Table):
    """A change of state; rows are only ever added."""

    __tablename__ = "transitions"
    __table_args__ = (Index(None, "decision_id", "number", unique=True),)

    id: Mapped[int] = mapped_column(NUMBER, primary_key=True, autoincrement=True)
    decision_id: Mapped[str] = mapped_column(ForeignKey("decisions.id"))
    number: Mapped[int]
    state: Mapped[str] = mapped_column(String(16))
    at: Mapped[int] = mapped_column(BigInteger)
    reason: Mapped[str] = mapped_column(String(200))


class Outgoing(Table):
    """The outbox: what must happen because of a decision, written in the decision's own transaction.

    `kind` is `receipt` (an entry for the log) or `webhook` (a body for the endpoint `target`). A row whose `done` is
    null waits until `due`.
    """

    __tablename__ = "outbox"
    __table_args__ = (_of_those("done is null", "kind", "id"),)

    id: Mapped[int] = mapped_column(NUMBER, primary_key=True, autoincrement=True)
    kind: Mapped[str] = mapped_column(String(16))
    decision_id: Mapped[str] = mapped_column(ForeignKey("decisions.id"), index=True)
    target: Mapped[str] = mapped_column(String(64), default="")
    body: Mapped[bytes] = mapped_column(LargeBinary)
    created: Mapped[int] = mapped_column(BigInteger)
    due: Mapped[int] = mapped_column(BigInteger, default=0)
    attempts: Mapped[int] = mapped_column(default=0)
    done: Mapped[int | None] = mapped_column(BigInteger)


class LogProof(Table):
    """Where the log has the receipt of a decision: the whole file of the proof, once a checkpoint covers it."""

    __tablename__ = "log_proofs"
    __table_args__ = (_of_those("body is null", "at", "entry"),)

    decision_id: Mapped[str] = mapped_column(ForeignKey("decisions.id"), primary_key=True)
    entry: Mapped[int] = mapped_column(BigInteger)
    body: Mapped[bytes | None] = mapped_column(LargeBinary)
    at: Mapped[int] = mapped_column(BigInteger)


class Request(Table):
    """A request under an idempotency key: its digest and its answer, both there or neither."""

    __tablename__ = "requests"

    client: Mapped[str] = mapped_column(ID, primary_key=True)
    key: Mapped[str] = mapped_column(String(128), primary_key=True)
    digest: Mapped[str] = mapped_column(DIGEST)
    created: Mapped[int] = mapped_column(BigInteger)
    status: Mapped[int]
    body: Mapped[bytes] = mapped_column(LargeBinary)


class Certificate(Table):
    """The certificate of a decision: one, or none. `entry` is the place of its digest in the log, `proof` shows it."""

    __tablename__ = "certificates"

    decision_id: Mapped[str] = mapped_column(ForeignKey("decisions.id"), primary_key=True)
    body: Mapped[bytes] = mapped_column(LargeBinary)
    key_fingerprint: Mapped[str] = mapped_column(DIGEST)
    radius_squared: Mapped[str] = mapped_column(DIGEST)
    made: Mapped[int] = mapped_column(BigInteger)
    entry: Mapped[int | None] = mapped_column(BigInteger)
    proof: Mapped[bytes | None] = mapped_column(LargeBinary)


class Finding(Table):
    """The counterexample of a decision in review, for the owner alone; `sealed` holds it as JSON."""

    __tablename__ = "findings"

    decision_id: Mapped[str] = mapped_column(ForeignKey("decisions.id"), primary_key=True)
    sealed: Mapped[bytes | None] = mapped_column(LargeBinary)
    made: Mapped[int] = mapped_column(BigInteger)


class Letter(Table):
    """A letter as it left: sealed, with the digest that an evidence package names."""

    __tablename__ = "letters"

    decision_id: Mapped[str] = mapped_column(ForeignKey("decisions.id"), primary_key=True)
    language: Mapped[str] = mapped_column(String(8), primary_key=True)
    sealed: Mapped[bytes | None] = mapped_column(LargeBinary)
    digest: Mapped[str] = mapped_column(DIGEST)
    made: Mapped[int] = mapped_column(BigInteger)


class Link(Table):
    """An applicant's link: the digest of its token, which is nowhere else."""

    __tablename__ = "links"

    hash: Mapped[str] = mapped_column(DIGEST, primary_key=True)
    decision_id: Mapped[str] = mapped_column(ForeignKey("decisions.id"), index=True)
    created: Mapped[int] = mapped_column(BigInteger)
    expires: Mapped[int] = mapped_column(BigInteger)
    revoked: Mapped[int | None] = mapped_column(BigInteger)


class Officer(Table):
    """A person who uses the console; `role` is officer, auditor or admin.

    An account of a provider has its issuer and the subject there, and no password: "". Its role is that of its last
    sign-in.
    """

    __tablename__ = "officers"
    __table_args__ = (UniqueConstraint("issuer", "subject"),)

    id: Mapped[str] = mapped_column(ID, primary_key=True)
    name: Mapped[str] = mapped_column(String(128), unique=True)
    password: Mapped[str] = mapped_column(String(200))
    role: Mapped[str] = mapped_column(String(16))
    created: Mapped[int] = mapped_column(BigInteger)
    disabled: Mapped[int | None] = mapped_column(BigInteger)
    issuer: Mapped[str | None] = mapped_column(String(200))
    subject: Mapped[str | None] = mapped_column(String(255))


class SignOn(Table):
    """A sign-on that has begun and is away at the provider: taken once, by the digest of a cookie of its browser.

    `verifier` is that of RFC 7636, `then` where to go afterwards, and `before` the digest of the session that ends.
    """

    __tablename__ = "sign_ons"

    hash: Mapped[str] = mapped_column(DIGEST, primary_key=True)
    state: Mapped[str] = mapped_column(DIGEST)
    nonce: Mapped[str] = mapped_column(DIGEST)
    verifier: Mapped[str] = mapped_column(DIGEST)
    then: Mapped[str] = mapped_column(String(200))
    language: Mapped[str] = mapped_column(String(2))
    before: Mapped[str] = mapped_column(DIGEST)
    expires: Mapped[int] = mapped_column(BigInteger)


class OfficerKey(Table):
    """A security key of an account: its credential with the digest of that, and what checks its signatures.

    `count` is how many signatures the key said it had made at the last one, 0 for a key that does not count.
    """

    __tablename__ = "officer_keys"

    hash: Mapped[str] = mapped_column(DIGEST, primary_key=True)
    officer_id: Mapped[str] = mapped_column(ForeignKey("officers.id"), index=True)
    name: Mapped[str] = mapped_column(String(64))
    credential: Mapped[bytes] = mapped_column(LargeBinary)
    public_key: Mapped[bytes] = mapped_column(LargeBinary)
    count: Mapped[int] = mapped_column(BigInteger)
    added: Mapped[int] = mapped_column(BigInteger)


class KeyStep(Table):
    """A challenge to a security key of an account: taken once, by the digest of a cookie of its browser.

    `purpose` is what follows an answer that holds: console/factors.py has them. `then` is where to go afterwards.
    """

    __tablename__ = "key_steps"

    hash: Mapped[str] = mapped_column(DIGEST, primary_key=True)
    officer_id: Mapped[str] = mapped_column(ForeignKey("officers.id"), index=True)
    purpose: Mapped[str] = mapped_column(String(8))
    challenge: Mapped[str] = mapped_column(DIGEST)
    then: Mapped[str] = mapped_column(String(200))
    expires: Mapped[int] = mapped_column(BigInteger)


class Login(Table):
    """A session of the console: the digest of its token, and the token that its forms carry."""

    __tablename__ = "logins"

    hash: Mapped[str] = mapped_column(DIGEST, primary_key=True)
    officer_id: Mapped[str] = mapped_column(ForeignKey("officers.id"), index=True)
    csrf: Mapped[str] = mapped_column(DIGEST)
    created: Mapped[int] = mapped_column(BigInteger)
    expires: Mapped[int] = mapped_column(BigInteger)


class Heartbeat(Table):
    """A worker that lives, or has lived: jobs of one whose `beat` is old are taken over.

    `starved` is 1 while all of its provers that work get no processor.
    """

    __tablename__ = "heartbeats"

    name: Mapped[str] = mapped_column(String(128), primary_key=True)
    started: Mapped[int] = mapped_column(BigInteger)
    beat: Mapped[int] = mapped_column(BigInteger)
    starved: Mapped[int | None] = mapped_column(Integer)


class Attempt(Table):
    """The attempts to prove a decision that waits (:mod:`equiproof.service.attempts`): `number` counts them.

    While one runs, `worker` has it since `begun`, `forecast` is the seconds of the proof, and `wish` the state that an
    admin wants the decision to have, once its attempt has been ended.
    """

    __tablename__ = "attempts"

    decision_id: Mapped[str] = mapped_column(ForeignKey("decisions.id"), primary_key=True)
    number: Mapped[int]
    worker: Mapped[str | None] = mapped_column(String(128), index=True)
    begun: Mapped[int | None] = mapped_column(BigInteger)
    forecast: Mapped[float | None]
    wish: Mapped[str | None] = mapped_column(String(16))


class ProcessNumbers(Table):
    """The numbers of a process as Prometheus reads them (:mod:`equiproof.service.numbers`), and when it wrote them."""

    __tablename__ = "process_numbers"

    name: Mapped[str] = mapped_column(String(128), primary_key=True)
    seen: Mapped[int] = mapped_column(BigInteger)
    numbers: Mapped[str] = mapped_column(Text)


class Override(Table):
    """A person's decision beside the model's; rows are only ever added.

    `channel` and `actor` say by what it came: the session of an account, or an API key, by their ids; `name` is the
    account's, or what the key's program says.
    """

    __tablename__ = "overrides"

    id: Mapped[int] = mapped_column(NUMBER, primary_key=True, autoincrement=True)
    decision_id: Mapped[str] = mapped_column(ForeignKey("decisions.id"), index=True)
    label: Mapped[int]
    reason: Mapped[str] = mapped_column(Text)
    name: Mapped[str] = mapped_column(String(128))
    at: Mapped[int] = mapped_column(BigInteger)
    channel: Mapped[str | None] = mapped_column(String(16))
    actor: Mapped[str | None] = mapped_column(ID)


class Person(Table):
    """Whose application a decision is: the front end's pseudonym sealed, and a digest of it under the vault's key.

    `refused` counts applications of this person that the limit refused while this decision was the last one, and
    `refused_at` is when the last of them came.
    """

    __tablename__ = "persons"
    __table_args__ = (Index(None, "digest", "at"), _of_those("refused_at is not null", "refused_at"))

    decision_id: Mapped[str] = mapped_column(ForeignKey("decisions.id"), primary_key=True)
    digest: Mapped[str] = mapped_column(DIGEST)
    sealed: Mapped[bytes | None] = mapped_column(LargeBinary)
    at: Mapped[int] = mapped_column(BigInteger)
    refused: Mapped[int] = mapped_column(default=0)
    refused_at: Mapped[int | None] = mapped_column(BigInteger)


class Allowance(Table):
    """An officer's leave for the person of a decision to apply once more; rows are only ever added."""

    __tablename__ = "allowances"

    id: Mapped[int] = mapped_column(NUMBER, primary_key=True, autoincrement=True)
    decision_id: Mapped[str] = mapped_column(ForeignKey("decisions.id"), index=True)
    reason: Mapped[str] = mapped_column(Text)
    name: Mapped[str] = mapped_column(String(128))
    at: Mapped[int] = mapped_column(BigInteger)


class CorrectionRequest(Table):
    """That an applicant asked for details of a decision to be put right; rows are only ever added.

    `asked` is the day on which the applicant asked, and `request` what for. Who filed it stands as with an override.
    """

    __tablename__ = "correction_requests"

    decision_id: Mapped[str] = mapped_column(ForeignKey("decisions.id"), primary_key=True)
    asked: Mapped[str] = mapped_column(String(10))
    request: Mapped[str] = mapped_column(Text)
    name: Mapped[str] = mapped_column(String(128))
    at: Mapped[int] = mapped_column(BigInteger)
    channel: Mapped[str] = mapped_column(String(16))
    actor: Mapped[str] = mapped_column(ID)


class Correction(Table):
    """That a request was closed: a second decision was made with details put right; rows are only ever added.

    `changed` are the names of the features that differ, as a JSON list, and `way` the number of the shown way of
    recourse that they follow. Who says so stands as with an override.
    """

    __tablename__ = "corrections"

    decision_id: Mapped[str] = mapped_column(ForeignKey("correction_requests.decision_id"), primary_key=True)
    second_id: Mapped[str] = mapped_column(ForeignKey("decisions.id"), unique=True)
    changed: Mapped[str] = mapped_column(Text)
    way: Mapped[int | None]
    name: Mapped[str] = mapped_column(String(128))
    at: Mapped[int] = mapped_column(BigInteger)
    channel: Mapped[str] = mapped_column(String(16))
    actor: Mapped[str] = mapped_column(ID)


class Recourse(Table):
    """What a refused applicant could have changed (:mod:`equiproof.service.recourses`): asked for once a decision.

    `sealed` has the wishes, and what was found; it opens at the place of its decision alone. `ways` counts those that
    were handed out, `reason` says why nothing is claimed, or why it failed. `released` is when somebody let the letter
    leave; `answer` is what a person said where recourse depends on a sensitive feature.
    """

    __tablename__ = "recourses"
    __table_args__ = (_of_those("stage = 'waiting'", "asked"), _of_those("outcome = 'dependent'", "ended"))

    decision_id: Mapped[str] = mapped_column(ForeignKey("decisions.id"), primary_key=True)
    stage: Mapped[str] = mapped_column(String(16))
    asked: Mapped[int] = mapped_column(BigInteger)
    sealed: Mapped[bytes | None] = mapped_column(LargeBinary)
    ended: Mapped[int | None] = mapped_column(BigInteger)
    outcome: Mapped[str | None] = mapped_column(String(16))
    reason: Mapped[str] = mapped_column(String(200), default="")
    ways: Mapped[int] = mapped_column(default=0)
    released: Mapped[int | None] = mapped_column(BigInteger)
    released_by: Mapped[str | None] = mapped_column(String(128))
    answer: Mapped[str | None] = mapped_column(Text)
    answered: Mapped[int | None] = mapped_column(BigInteger)
    answered_by: Mapped[str | None] = mapped_column(String(128))


class RecourseLetter(Table):
    """A letter about recourse as it left, as :class:`Letter` is one about a decision."""

    __tablename__ = "recourse_letters"

    decision_id: Mapped[str] = mapped_column(ForeignKey("recourses.decision_id"), primary_key=True)
    language: Mapped[str] = mapped_column(String(8), primary_key=True)
    sealed: Mapped[bytes | None] = mapped_column(LargeBinary)
    digest: Mapped[str] = mapped_column(DIGEST)
    made: Mapped[int] = mapped_column(BigInteger)


class Hold(Table):
    """Until when, and why, a decision is kept from erasure; rows are only ever added, and the newest one stands."""

    __tablename__ = "holds"

    id: Mapped[int] = mapped_column(NUMBER, primary_key=True, autoincrement=True)
    decision_id: Mapped[str] = mapped_column(ForeignKey("decisions.id"), index=True)
    until: Mapped[int] = mapped_column(BigInteger)
    reason: Mapped[str] = mapped_column(Text)
    at: Mapped[int] = mapped_column(BigInteger)


class Erasure(Table):
    """Why a decision's data were erased before their time."""

    __tablename__ = "erasures"

    decision_id: Mapped[str] = mapped_column(ForeignKey("decisions.id"), primary_key=True)
    reason: Mapped[str] = mapped_column(Text)
    at: Mapped[int] = mapped_column(BigInteger)


class ApiKey(Table):
    """A key of a client's program: the digest of its secret, and what it may do until when."""

    __tablename__ = "api_keys"
    __table_args__ = (Index(None, "client"),)

    id: Mapped[str] = mapped_column(String(16), primary_key=True)
    client: Mapped[str] = mapped_column(ID)
    hash: Mapped[str] = mapped_column(DIGEST)
    scopes: Mapped[str] = mapped_column(String(64))
    created: Mapped[int] = mapped_column(BigInteger)
    expires: Mapped[int] = mapped_column(BigInteger)
    revoked: Mapped[int | None] = mapped_column(BigInteger)


class TrailLine(Table):
    """A line of the trail (:mod:`equiproof.service.trail`); triggers of the database refuse to change or delete one.

    `before` is the hash of the line before it, and `hash` that of this one with it. Lines are deleted from the first
    one on, once a line of the act `prune` says up to which.
    """

    __tablename__ = "trail"
    __table_args__ = (Index(None, "at"), Index(None, "about"))

    number: Mapped[int] = mapped_column(NUMBER, primary_key=True, autoincrement=False)
    at: Mapped[int] = mapped_column(BigInteger)
    act: Mapped[str] = mapped_column(String(32))
    channel: Mapped[str] = mapped_column(String(16))
    actor: Mapped[str] = mapped_column(String(64))
    about: Mapped[str] = mapped_column(String(64))
    detail: Mapped[str] = mapped_column(String(200))
    address: Mapped[str] = mapped_column(ID)
    before: Mapped[str] = mapped_column(DIGEST)
    hash: Mapped[str] = mapped_column(DIGEST)
