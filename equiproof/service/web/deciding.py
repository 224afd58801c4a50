"""Decisions that are asked for at the same time, in one transaction; each by itself where they cannot be together.

What a request asks for, and what refuses it, is the same as if it came alone: a request that fails writes nothing and
fails no other, and none is answered before what it has done is on the disk.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from http import HTTPStatus

from sqlalchemy.exc import IntegrityError, SQLAlchemyError
from sqlalchemy.orm import Session

from equiproof.service import clients, idempotency
from equiproof.service.clients import Caller
from equiproof.service.decisions import (
    Application,
    ApplicationError,
    Draft,
    ReferenceTakenError,
    keep,
    make,
    taken,
)
from equiproof.service.idempotency import Answer, Name, ReusedError, RunningError
from equiproof.service.leaving import received
from equiproof.service.models import CommittedModel
from equiproof.service.persons import MissingPersonError, PersonLimitError, Persons
from equiproof.service.store.database import ContendedError, UnavailableError, insert_rows
from equiproof.service.store.tables import Person
from equiproof.service.together import Together
from equiproof.service.web.bodies import NewDecision
from equiproof.service.web.problems import ProblemError, no_key
from equiproof.service.web.repeating import repeated
from equiproof.service.web.shown import body
from equiproof.service.web.state import Shared

BATCH = 64
"""How many decisions one transaction has."""

PAUSE_SECONDS = 0.02
"""How long after one transaction of a busy process the next one begins, at least."""

OUTAGE_SHARE = 0.8
"""Which share of a request's time a database may be away: one that starts again, or cuts connections, is waited for."""

AGAIN_SECONDS = 0.1
"""How long after a try on a database that is away the next one begins."""

REFERENCE_CLASH = "reference: another decision of yours has it"


@dataclass(frozen=True)
class Ask:
    """A request for a decision: whose, under which idempotency key, with the digests of its body, and when.

    `request` is its id in the log, and `trace` the name of its span.
    """

    caller: Caller
    key: str
    given: NewDecision = field(repr=False)
    digests: Sequence[str]
    now: int
    request: str | None = None
    trace: str | None = None

    @property
    def name(self) -> Name:
        """The name of the request."""
        return self.caller.client, self.key


@dataclass
class _Batch:
    """A transaction as it fills: what is known before it, and what it will write."""

    session: Session
    live: set[str]
    held: set[Name]
    known: dict[Name, idempotency.StoredAnswer]
    references: set[tuple[str, str]]
    persons: Persons
    whose: list[Person] = field(default_factory=list)
    drafts: list[tuple[Ask, Draft, Answer]] = field(default_factory=list)
    models: dict[str, CommittedModel | None] = field(default_factory=dict)


Outcome = Answer | Exception


class Decisions:
    """Answers requests for decisions, those together that wait at the same time. Close it when no more come."""

    def __init__(self, shared: Shared) -> None:
        self._shared = shared
        self._together = Together(Deciding(shared), BATCH, PAUSE_SECONDS)

    async def __call__(self, ask: Ask) -> Answer:
        """Return the answer to one request; raises ProblemError, and whatever else is the request's fault."""
        try:
            with self._shared.once.alone(ask.name):
                return await self._together(ask)
        except RunningError as error:
            raise told(ask, error) from None
        except ProblemError as error:
            if error.status == HTTPStatus.UNAUTHORIZED:
                self._shared.callers.forget(ask.caller)
            raise

    def close(self) -> None:
        """Decide what still waits."""
        self._together.close()


class Deciding:
    """Decides about many applicants at once."""

    def __init__(self, shared: Shared) -> None:
        self._shared = shared
        self._there = time.monotonic()

    def __call__(self, asks: Sequence[Ask]) -> list[Outcome]:
        """Return an answer or what refuses it for each, in their order; an answer is on the disk when this returns."""
        try:
            return self._in_time(asks)
        except ContendedError as error:
            if len(asks) == 1:
                return [error]
        except UnavailableError as error:
            return [error] * len(asks)
        except Exception as error:  # noqa: BLE001 -- it is one request's, and must not be the others'
            if len(asks) == 1:
                return [told(asks[0], error)]
        return [outcome for ask in asks for outcome in self([ask])]

    def _in_time(self, asks: Sequence[Ask]) -> list[Outcome]:
        """Do all in one transaction, and again where a database goes that was there a moment ago; raises as it does.

        Each try finds the answers of one whose last word alone was lost. Requests that come when the database has been
        away for longer are refused at once.
        """
        while True:
            try:
                outcomes = self._together(asks)
            except ContendedError:
                raise
            except UnavailableError:
                if time.monotonic() > self._there + OUTAGE_SHARE * self._shared.settings.limits.request_seconds:
                    raise
                time.sleep(AGAIN_SECONDS)
            else:
                self._there = time.monotonic()
                return outcomes

    def _together(self, asks: Sequence[Ask]) -> list[Outcome]:
        """Do all in one transaction; raises what the database raises, and then nothing of it is written."""
        with self._shared.database.transaction() as session:
            batch = self._begun(session, asks)
            outcomes = [self._outcome(batch, ask) for ask in asks]
            if batch.drafts:
                keep(session, [draft for _, draft, _ in batch.drafts], self._shared.holders.jobs)
                rows = [idempotency.row(ask.name, ask.digests[0], answer, ask.now) for ask, _, answer in batch.drafts]
                insert_rows(session, *rows, *batch.whose)
            refused = batch.persons.keep_refused(max(ask.now for ask in asks))
        self._shared.metrics.limited(refused)
        for ask, draft, _ in batch.drafts:
            # Counted only now that all of it is written.
            self._shared.backlog.add()
            self._shared.metrics.decided(ask.given.model, draft.decision.state)
        return outcomes

    def _begun(self, session: Session, asks: Sequence[Ask]) -> _Batch:
        """Ask the database for what all requests need to know: keys that live, names, answers, references, persons."""
        names = {ask.name for ask in asks}
        latest = max(ask.now for ask in asks)
        # The latest time of all: a key that expires before it decides nothing in this transaction.
        live = clients.live(session, {ask.caller.key for ask in asks}, latest)
        held = idempotency.hold(session, names)
        answers = idempotency.answered(session, names)
        references = {(ask.caller.client, ask.given.reference) for ask in asks if ask.given.reference is not None}
        pseudonyms = {ask.given.person for ask in asks if ask.given.person is not None}
        vault, limit = self._shared.holders.vault, self._shared.settings.persons
        persons = Persons(session, vault, limit, pseudonyms, latest)
        return _Batch(session, live, held, answers, taken(session, references), persons)

    def _outcome(self, batch: _Batch, ask: Ask) -> Outcome:
        """Return what one request gets; raises what the database raises, which is not about this one alone."""
        try:
            return self._answer(batch, ask)
        except (SQLAlchemyError, UnavailableError):
            raise
        except Exception as error:  # noqa: BLE001 -- whatever it is, it is this request's alone
            return told(ask, error)

    def _answer(self, batch: _Batch, ask: Ask) -> Answer:
        """Return the answer to one request, and note what is written for it."""
        if ask.caller.key not in batch.live:
            raise no_key()
        if ask.name not in batch.held:
            raise RunningError
        # An answer that is kept comes before the limits: a retry adds nothing to the queue.
        if (stored := batch.known.get(ask.name)) is not None:
            return stored.again(ask.digests)
        self._shared.backlog.refuse_full(batch.session, ask.now, len(batch.drafts))
        model = self._model(batch, ask.given.model)
        request = ask.given
        application = Application(request.features, request.reference)
        draft = make(model, ask.caller.client, application, self._shared.holders.vault, ask.now)
        draft.decision.request = ask.request
        draft.decision.trace = ask.trace
        if request.reference is not None and (ask.caller.client, request.reference) in batch.references:
            raise ReferenceTakenError(REFERENCE_CLASH)
        batch.persons.refuse(request.person)
        view = received(draft.decision, draft.reason)
        answer = Answer(201, body(model, view).model_dump_json().encode())
        if request.reference is not None:
            batch.references.add((ask.caller.client, request.reference))
        if request.person is not None:
            batch.whose.append(batch.persons.row(request.person, draft.decision))
        batch.drafts.append((ask, draft, answer))
        return answer

    def _model(self, batch: _Batch, name: str) -> CommittedModel:
        """Return the model that decides under a name; raises ProblemError for none."""
        if name not in batch.models:
            batch.models[name] = self._shared.models.deciding(batch.session, name)
        if (model := batch.models[name]) is None:
            raise ProblemError(404, "unknown-model", f"no model {name!r} decides here")
        return model


def told(ask: Ask, error: Exception) -> Exception:
    """Return what the client is told of an error; other errors are faults, and stay what they are."""
    match error:
        case RunningError() | ReusedError():
            return repeated(error)
        case ReferenceTakenError():
            return ProblemError(409, "reference-taken", str(error))
        case IntegrityError() if ask.given.reference is not None:
            return ProblemError(409, "reference-taken", REFERENCE_CLASH)
        case PersonLimitError():
            return ProblemError(409, "person-limit", str(error))
        case MissingPersonError():
            return ProblemError(422, "no-person", str(error))
        case ApplicationError():
            return ProblemError(422, "unusable-features", str(error))
    return error
