"""The job of a search for recourse: from waiting to what was found, however often it is begun."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from sqlalchemy.orm import Session

from equiproof.service import recourses
from equiproof.service.decisions import opened
from equiproof.service.recourses import ErasedError, Stage
from equiproof.service.settings import RecourseSettings
from equiproof.service.store import queries
from equiproof.service.store.database import Database
from equiproof.service.store.tables import Decision, Model, Recourse
from equiproof.service.vault import MissingKeyError, Vault, VaultError
from equiproof.service.worker.certifying import MAX_ATTEMPTS, Say
from equiproof.service.worker.look import Looked, RecourseOrder
from equiproof.service.worker.provers import DiedError
from equiproof.service.worker.resting import Resting

Measured = Callable[[RecourseOrder, str, float], None]

NOTHING_ALLOWED = RecourseSettings(model_ways=0)
"""What stands where the settings allow no recourse any more: a none is found all the same."""


class Recoursing:
    """The work of a worker on the recourse of one decision after the other."""

    def __init__(
        self,
        database: Database,
        vault: Vault,
        search: Callable[[RecourseOrder], Looked],
        clock: Callable[[], int],
        limits: RecourseSettings | None,
        say: Say = lambda _: None,
        monotonic: Callable[[], float] = time.monotonic,
        measured: Measured = lambda *_: None,
    ) -> None:
        """Take where decisions are, who searches, and the budgets; `say` gets lines without personal data.

        `monotonic` is in seconds, and says how long a model rests whose files cannot be used. `measured` is told of
        each attempt: what was ordered, what it found or how else it ended, and its seconds.
        """
        self._measured = measured
        self._monotonic = monotonic
        self._database = database
        self._vault = vault
        self._search = search
        self._clock = clock
        self._limits = limits or NOTHING_ALLOWED
        self._say = say
        self._resting = Resting(monotonic)

    def __call__(self, decision_id: str) -> None:
        """Bring a search to its end; one that has ended is left as it is.

        One whose model or key cannot be used, or whose data this vault cannot open, waits on, and the watchdog begins
        it again. What the database raises is raised: the job is then begun again.
        """
        for attempt in range(1, MAX_ATTEMPTS + 1):
            if (order := self._begin(decision_id)) is None:
                return
            begun = self._monotonic()
            try:
                looked = self._search(order)
            except DiedError as error:
                self._measured(order, error.outcome, self._monotonic() - begun)
                self._say(f"recourse of {decision_id}: {error}, attempt {attempt} of {MAX_ATTEMPTS}")
            except Exception as error:  # noqa: BLE001 -- whatever searching raises is the end of this job
                self._measured(order, "fault", self._monotonic() - begun)
                self._say(f"recourse of {decision_id}: a fault of the prover: {type(error).__name__}")
                self._fail(decision_id, "a fault of the prover")
                return
            else:
                outcome = looked.verdict if looked.found is None else looked.found.outcome
                self._measured(order, outcome, self._monotonic() - begun)
                self._settle(decision_id, looked, (str(order.opening), str(order.keys)))
                return
        self._fail(decision_id, "the prover stopped")

    def _begin(self, decision_id: str) -> RecourseOrder | None:
        """Return what a prover needs; None for a search that has ended, or that waits for a key of the vault."""
        with self._database.transaction() as session:
            if (row := _waiting(session, decision_id)) is None:
                return None
            decision = session.get_one(Decision, decision_id)
            model = session.get_one(Model, decision.model_id)
            if self._resting.rests((model.opening, model.keys)):
                return None
            certificate = queries.certificate(session, decision_id)
            try:
                sealed, wishes = opened(decision, self._vault), recourses.wishes_of(row, self._vault)
            except MissingKeyError as error:
                self._say(f"recourse of {decision_id} waits, {error}: mend the file, and start this worker again")
                return None
            except (ErasedError, VaultError) as error:
                self._say(f"recourse of {decision_id}: {error}")
                sealed, wishes = None, {}
            if sealed is None or certificate is None:
                recourses.fail(session, row, "the applicant's data cannot be opened, or were erased", self._clock())
                return None
            room = recourses.room_of(session, decision, self._vault, self._limits, self._clock())
            return RecourseOrder(
                Path(model.opening),
                Path(model.keys),
                model.max_seconds,
                sealed,
                certificate.body,
                wishes,
                room.ways,
                trace=decision.trace,
                decision=decision_id,
                model=model.name,
            )

    def _settle(self, decision_id: str, looked: Looked, files: tuple[str, str]) -> None:
        """Write what was found, or that it failed; what waits for a model or a key waits on."""
        if looked.detail:
            self._say(f"recourse of {decision_id}: {looked.reason}: {looked.detail}")
        if looked.verdict == "unready":
            self._resting.lay(files)
            return
        self._resting.wake(files)
        if looked.found is None:
            self._fail(decision_id, looked.reason)
            return
        with self._database.transaction() as session:
            if (row := _waiting(session, decision_id)) is not None and row.sealed is not None:
                recourses.settle(session, row, looked.found, self._vault, self._limits, self._clock())

    def _fail(self, decision_id: str, reason: str) -> None:
        with self._database.transaction() as session:
            if (row := _waiting(session, decision_id)) is not None:
                recourses.fail(session, row, reason, self._clock())


def _waiting(session: Session, decision_id: str) -> Recourse | None:
    """Return a search that waits, locked; None for one that has ended, or is unknown."""
    row = session.get(Recourse, decision_id, with_for_update=True)
    return row if row is not None and row.stage == Stage.WAITING else None
