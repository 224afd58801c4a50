"""The job of a decision: from `decided` to the state that its proof leads to, however often it is begun."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path

from sqlalchemy.orm import Session

from equiproof.circuits import field as elements
from equiproof.service import attempts, findings, recourses
from equiproof.service.decisions import Sealed, advance, job_of, opened
from equiproof.service.kept_certificates import KeptCertificates
from equiproof.service.models import ModelError, Models
from equiproof.service.states import State
from equiproof.service.store import queries
from equiproof.service.store.database import Database
from equiproof.service.store.tables import Certificate, Decision, Model
from equiproof.service.vault import MissingKeyError, Vault, VaultError
from equiproof.service.worker.child import Order, Outcome
from equiproof.service.worker.patience import forecast_seconds
from equiproof.service.worker.provers import DiedError, EndedError
from equiproof.service.worker.resting import Resting
from equiproof.verifier.certificate import parse_certificate
from equiproof.verifier.errors import CertificateFormatError, PolicyError, VerificationError

MAX_ATTEMPTS = 3
"""How often in a row a decision whose prover died is tried; then it has failed, and an admin looks."""

MAX_EXAMINED = 500
"""How many waiting decisions are compared with their jobs at once, the oldest first."""

_STATES = {"fair": State.CERTIFIED, "unfair": State.REVIEW, "undecided": State.UNDECIDED, "failed": State.FAILED}

Say = Callable[[str], None]
Measured = Callable[[Order, str, float], None]


class Certifying:
    """The work of a worker on one decision after the other."""

    def __init__(
        self,
        database: Database,
        vault: Vault,
        provers: Callable[[Order], Outcome],
        clock: Callable[[], int],
        say: Say = lambda _: None,
        monotonic: Callable[[], float] = time.monotonic,
        kept: KeptCertificates | None = None,
        measured: Measured = lambda *_: None,
        name: str = "worker",
    ) -> None:
        """Take where decisions are and who proves; `say` gets lines for the worker's log, without personal data.

        `monotonic` is in seconds, and says how long a model rests whose files cannot be used. A decision that has a
        certificate among `kept` is given that one. `measured` is told of each attempt: what was ordered, its verdict or
        how else it ended, and its seconds. `name` is the worker's.
        """
        self._name = name
        self._measured = measured
        self._monotonic = monotonic
        self._kept = kept
        self._database = database
        self._vault = vault
        self._provers = provers
        self._clock = clock
        self._say = say
        self._resting = Resting(monotonic)

    def __call__(self, decision_id: str) -> None:
        """Bring a decision to its end; a decision that is there already is left as it is.

        One whose model or key cannot be used, or whose data this vault cannot open, waits on, and the watchdog begins
        it again. What the database raises is
        raised: the job is then begun again.
        """
        for attempt in range(1, MAX_ATTEMPTS + 1):
            if (order := self._begin(decision_id)) is None:
                return
            begun = self._monotonic()
            try:
                # Proving takes minutes: no transaction is open meanwhile, and the state is looked at again when the end
                # is written.
                outcome = self._provers(order)
            except EndedError as error:
                self._measured(order, error.outcome, self._monotonic() - begun)
                self._say(f"{decision_id}: {error}")
                # It waits for the watchdog, as one does whose files cannot be used: others have their turn.
                self._end(decision_id, State.DECIDED, str(error))
                return
            except DiedError as error:
                self._measured(order, error.outcome, self._monotonic() - begun)
                reason = f"{error}, attempt {attempt} of {MAX_ATTEMPTS}"
                self._say(f"{decision_id}: {reason}")
                self._end(decision_id, State.DECIDED if attempt < MAX_ATTEMPTS else State.FAILED, reason)
            except Exception as error:  # noqa: BLE001 -- whatever proving raises is the end of this decision's job
                self._measured(order, "fault", self._monotonic() - begun)
                self._fail(decision_id, "a fault of the prover", type(error).__name__)
                return
            else:
                self._measured(order, outcome.verdict, self._monotonic() - begun)
                self._settle(decision_id, outcome, order)
                return

    def _begin(self, decision_id: str) -> Order | None:
        """Mark a decision as being proven, and return what a prover needs; None for one that has ended."""
        with self._database.transaction() as session:
            decision = _held(session, decision_id)
            if decision is None or State(decision.state) not in (State.DECIDED, State.CERTIFYING):
                return None
            if attempts.wish(session, decision_id) == State.FAILED:  # whoever was to end it is gone
                self._advance(session, decision, State.FAILED, attempts.WISHES[State.FAILED])
                return None
            model = session.get_one(Model, decision.model_id)
            if self._resting.rests((model.opening, model.keys)):
                return None
            try:
                sealed = opened(decision, self._vault)
                reason = "the applicant's data were erased"
            except MissingKeyError as error:
                self._wait_for_key(error)
                return None
            except VaultError as error:
                self._say(f"{decision_id}: {error}")
                sealed = None
                reason = "the sealed data cannot be opened"
            if decision.state == State.DECIDED:
                advance(session, decision, State.CERTIFYING, "", self._clock())
            if sealed is None:
                self._advance(session, decision, State.FAILED, reason)
                return None
            forecast = forecast_seconds(Path(model.keys))
            attempts.begun(session, decision_id, self._name, forecast, self._clock())
            first = None if self._kept is None else self._kept.find(decision.receipt)
            files = Path(model.opening), Path(model.keys)
            return Order(
                *files,
                model.max_seconds,
                sealed,
                first,
                model=model.name,
                request=decision.request,
                trace=decision.trace,
                decision=decision_id,
            )

    def _wait_for_key(self, error: MissingKeyError) -> None:
        """Say now and then which key of the vault is missing: another machine seals under it, or it left too early."""
        if not self._resting.rests(key := ("vault", error.key)):
            self._resting.lay(key)
            self._say(f"decisions wait, {error}: mend the file, and start this worker again")

    def _settle(self, decision_id: str, outcome: Outcome, order: Order) -> None:
        """Write what became of a decision, or that it waits on for a model or a key that can be used."""
        files = (str(order.opening), str(order.keys))
        if outcome.verdict == "unready":
            self._say(f"{decision_id}: {outcome.reason}: {outcome.detail}")
            self._resting.lay(files)
            self._end(decision_id, State.DECIDED, outcome.reason)
            return
        self._resting.wake(files)
        self._keep(decision_id, outcome, order.kept)

    def _keep(self, decision_id: str, outcome: Outcome, sealed: Sealed) -> None:
        """Write certificate or finding and the state in one transaction, unless another worker was there first."""
        if outcome.detail:
            self._say(f"{decision_id}: {outcome.reason}: {outcome.detail}")
        try:
            certificate = _certificate(decision_id, outcome, sealed) if outcome.verdict == "fair" else None
        except (CertificateFormatError, VerificationError) as error:
            self._fail(decision_id, "the prover made a certificate about something else", str(error))
            return
        with self._database.transaction() as session:
            decision = _held(session, decision_id)
            if decision is None or decision.state != State.CERTIFYING:
                return
            now = self._clock()
            if certificate is not None:
                certificate.made = now
                session.add(certificate)
            if outcome.found is not None and decision.sealed is not None:  # it may have been erased meanwhile
                findings.keep(session, decision_id, outcome.found, self._vault, now)
            self._advance(session, decision, _STATES[outcome.verdict], outcome.reason)

    def _fail(self, decision_id: str, reason: str, detail: str) -> None:
        """End a decision for a reason that is no finding about the model."""
        self._say(f"{decision_id}: {reason}: {detail}")
        self._end(decision_id, State.FAILED, reason)

    def _end(self, decision_id: str, state: State, reason: str) -> None:
        """Write that a decision has no certificate, or waits again, but where an admin wants otherwise of it."""
        with self._database.transaction() as session:
            decision = _held(session, decision_id)
            if decision is None or decision.state != State.CERTIFYING:
                return
            if state == State.DECIDED and (then := attempts.wish(session, decision_id)) is not None:
                state, reason = then, attempts.WISHES[then]
            self._advance(session, decision, state, reason)

    def _advance(self, session: Session, decision: Decision, state: State, reason: str) -> None:
        """End an attempt with the decision's next state."""
        advance(session, decision, state, reason, self._clock())
        attempts.ended(session, decision.id, state)


def waiting_jobs(database: Database, models: Models, say: Say = lambda _: None) -> Mapping[str, str]:
    """Return the jobs of the decisions that wait, with the ids of these, the oldest first, and those of recourse.

    Those of a model whose opening cannot be read wait on; `say` gets one line for each such model.
    """
    jobs = dict[str, str]()
    unreadable = set[str]()
    with database.reading() as session:
        for one in queries.waiting_decisions(session, MAX_EXAMINED):
            if one.model_id in unreadable:
                continue
            try:
                jobs[job_of(one.receipt, models.of(session, one.model_id).key)] = one.id
            except ModelError as error:
                unreadable.add(one.model_id)
                say(f"decisions of a model wait for its opening: {error}")
        jobs |= recourses.waiting(session, MAX_EXAMINED)
    return jobs


def _certificate(decision_id: str, outcome: Outcome, sealed: Sealed) -> Certificate:
    """Return a certificate's row, but for its time; raises as parsing does, PolicyError for one about something else.

    The prover has verified it; what came from another process is read again before it is kept.
    """
    certificate = parse_certificate(outcome.certificate, "prover's certificate")
    statement = certificate.to_statement()
    sealed.receipt.refuse_other(statement)
    if certificate.key.fingerprint != outcome.key_fingerprint:
        raise PolicyError("the certificate is under another key than the prover's", "other-key")
    return Certificate(
        decision_id=decision_id,
        body=outcome.certificate,
        key_fingerprint=outcome.key_fingerprint,
        radius_squared=elements.to_hex(statement.radius_squared),
    )


def _held(session: Session, decision_id: str) -> Decision | None:
    """Return a decision that no other transaction changes until this one ends."""
    return session.get(Decision, decision_id, with_for_update=True)
