"""What a worker counts of its provers, and the line that it writes about each attempt to prove."""

from __future__ import annotations

import logging
from contextlib import AbstractContextManager

from equiproof.service.clock import now
from equiproof.service.numbers import Numbers
from equiproof.service.store.database import Database
from equiproof.service.worker.child import Order
from equiproof.service.worker.look import RecourseOrder
from equiproof.service.worker.provers import DiedError, HungError, Provers

_log = logging.getLogger("equiproof.service.worker")


class Measuring:
    """The numbers of a worker."""

    def __init__(self, count: int, provers: Provers) -> None:
        """Take how many provers there are, and what knows how many of them work."""
        self._numbers = Numbers("worker", now())
        self._numbers.set("equiproof_provers", count, "there")
        self._numbers.follow("equiproof_provers", lambda: provers.working, "working")
        for cause in (DiedError.outcome, HungError.outcome):
            self._numbers.add("equiproof_prover_deaths", 0, cause)

    def attempt(self, order: Order, outcome: str, seconds: float) -> None:
        """Count an attempt and write its line, with the id of the request that asked for the decision."""
        self._numbers.observe("equiproof_proof_seconds", seconds, order.model, outcome)
        self._count_death(outcome)
        fields = {"request": order.request, "model": order.model, "outcome": outcome, "seconds": round(seconds, 3)}
        _log.info("attempt", extra={"fields": fields})

    def searched(self, order: RecourseOrder, outcome: str, seconds: float) -> None:
        """Count a search for recourse and write its line: what it found, or how else it ended."""
        self._numbers.observe("equiproof_recourse_seconds", seconds, order.model, outcome)
        self._count_death(outcome)
        fields = {"model": order.model, "outcome": outcome, "seconds": round(seconds, 3)}
        _log.info("search", extra={"fields": fields})

    def _count_death(self, outcome: str) -> None:
        """Count a prover that died at work, or hung."""
        if outcome in (DiedError.outcome, HungError.outcome):
            self._numbers.add("equiproof_prover_deaths", 1, outcome)

    def kept(self, database: Database) -> AbstractContextManager[None]:
        """Write the numbers into the database now and then while the block runs."""
        return self._numbers.kept(database, now)
