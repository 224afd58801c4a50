"""Attempts to prove: who has which decision, and what becomes of one whose attempt an admin wants ended."""

import pytest
from sqlalchemy import select

from equiproof.service import attempts
from equiproof.service.attempts import WISHES, AttemptError
from equiproof.service.decisions import history
from equiproof.service.jobs.heartbeat import Watchdog
from equiproof.service.states import State
from equiproof.service.store import overview
from equiproof.service.store.tables import Attempt, Decision
from equiproof.service.worker.certifying import Certifying
from equiproof.service.worker.child import Outcome
from equiproof.service.worker.provers import DiedError, EndedError
from tests.service import made
from tests.service.databases import BOTH
from tests.service.test_certifying import golden
from tests.service.test_heartbeat import Rescue


def ask(service, decision_id, then):
    """Want the attempt of a decision ended."""
    with service.shared.database.transaction() as session:
        attempts.ask(session, session.get(Decision, decision_id, with_for_update=True), then)


def row(service, decision_id):
    """Return what is written about a decision's attempts, or None."""
    with service.shared.database.reading() as session:
        found = session.get(Attempt, decision_id)
        return None if found is None else (found.number, found.worker, found.wish)


def told(service, decision_id):
    """Return the last change of a decision's state."""
    with service.shared.database.reading() as session:
        last = history(session, decision_id)[-1]
        return last.state, last.reason


def work(service, prover, name="here", measured=lambda *_: None):
    """Return what a worker of a name does with a decision, by a prover of the test's."""
    shared = service.shared
    return Certifying(
        shared.database, shared.holders.vault, prover, service.clock, name=name, measured=measured
    )  # fmt: skip


@BOTH
@pytest.mark.parametrize("then", list(WISHES))
def test_an_attempt_is_ended_counted_and_the_decision_is_as_wanted(service, rows, then):
    """It waits again, and its job with it, or has failed; what the prover was ended by is measured."""
    decision = service.post(rows[0]).json()["id"]
    measured, orders = [], []

    def prover(order):
        orders.append(order.decision)
        assert row(service, decision) == (1, "here", None)
        ask(service, decision, then)
        with service.shared.database.reading() as session:
            assert (attempts.asked(session, "here"), attempts.asked(session, "there")) == ([decision], [])
        raise EndedError("the prover was ended")

    work(service, prover, measured=lambda _, outcome, __: measured.append(outcome))(decision)
    assert (orders, measured) == ([decision], ["cancelled"])
    assert told(service, decision) == (then, WISHES[then])
    assert row(service, decision) == ((1, None, None) if then == State.DECIDED else None)
    seen = []
    work(service, lambda _: seen.append(row(service, decision)) or Outcome("undecided"), "there")(decision)
    assert seen == ([(2, "there", None)] if then == State.DECIDED else [])


def test_a_proof_that_ends_before_keeps_its_result(service, rows):
    """The certificate is there, whatever was wanted; afterwards nothing can be ended, and that is said."""
    service.post(rows[0])
    outcome = golden(service)
    with service.shared.database.reading() as session:
        decision = session.scalars(select(Decision.id)).one()

    def prover(_):
        ask(service, decision, State.FAILED)
        return outcome

    work(service, prover)(decision)
    assert told(service, decision)[0] == "certified"
    assert row(service, decision) is None
    with pytest.raises(AttemptError, match="no prover works on this decision now, it is certified"):
        ask(service, decision, State.FAILED)
    assert told(service, decision)[0] == "certified"


def test_a_prover_that_dies_before_it_is_ended_leaves_the_decision_as_wanted(service, rows):
    """It is not tried again by the worker that saw it die."""
    decision = service.post(rows[0]).json()["id"]
    tried = []

    def prover(_):
        tried.append(1)
        ask(service, decision, State.FAILED)
        raise DiedError

    work(service, prover)(decision)
    assert (told(service, decision), tried) == (("failed", WISHES[State.FAILED]), [1])


@pytest.mark.parametrize("then", list(WISHES))
def test_what_a_worker_that_is_gone_was_to_end(service, rows, then):
    """The next worker marks it failed in its place, or begins the attempt that it waits for."""
    decision = service.post(rows[0]).json()["id"]
    made.begin(service, decision, "gone")
    ask(service, decision, then)
    seen = []
    work(service, lambda _: seen.append(row(service, decision)) or Outcome("undecided"))(decision)
    assert seen == ([] if then == State.FAILED else [(2, "here", None)])
    assert told(service, decision)[0] == ("failed" if then == State.FAILED else "undecided")


@pytest.mark.parametrize("then", ["", "certified", "undecided", "DECIDED"])
def test_nothing_else_becomes_of_a_decision(service, rows, then):
    """Whoever may end an attempt chooses one of two states, and no result."""
    decision = service.post(rows[0]).json()["id"]
    made.begin(service, decision)
    with pytest.raises(AttemptError, match="choose what becomes of the decision"):
        ask(service, decision, then)
    assert row(service, decision) == (1, "worker", None)


@BOTH
def test_each_of_two_workers_ends_its_own_with_a_beat(service, rows):
    """The other one's is left alone; the longest at work stands first, and what waits again last."""
    first, second, third = (service.post(rows[0]).json()["id"] for _ in range(3))
    made.begin(service, second, "there")
    made.begin(service, first, "here")
    made.begin(service, third, "here")
    with service.shared.database.transaction() as session:
        attempts.ended(session, third, State.DECIDED)
        listed, count = overview.attempts(session, 2)
        assert ([one[1].id for one in listed], count) == ([second, first], 3)
        assert [one[0].decision_id for one in overview.attempts(session, 9)[0]] == [second, first, third]
    for one in (first, second):
        ask(service, one, State.DECIDED)
    for name, own in (("here", first), ("there", second)):
        ended = []
        dog = Watchdog(service.shared.database, name, Rescue(), dict, set(), (lambda: 7, lambda: 0.0))
        dog.obey(lambda session, name=name: attempts.asked(session, name), ended.append)
        dog.step()
        assert ended == [own]
