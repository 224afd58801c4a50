"""What the console asks of the tables, on each kind of database: order, pages, counts, times."""

import pytest
from sqlalchemy import select

from equiproof.service.decisions import advance
from equiproof.service.overrides import override
from equiproof.service.states import State
from equiproof.service.store import overview, queries
from equiproof.service.store.overview import Filter
from equiproof.service.store.tables import Certificate, Decision, Finding, Heartbeat, Model
from tests.service.databases import BOTH
from tests.service.made import OFFICER

SECOND = 1_000_000


@pytest.fixture
def made(service, rows):
    """Decisions in every state, as ids by name; certificates came after 1 to 20 seconds."""
    ids = {}

    def decide(name, row=rows[0]):
        ids[name] = service.post(row, reference=f"{name} 100%_\\").json()["id"]
        return ids[name]

    for number in range(20):
        decide(f"certified-{number:02}")
    for name in ("failed", "undecided", "certifying", "decided"):
        decide(name)
    decide("review", rows[1])
    decide("settled", rows[1])
    with service.shared.database.transaction() as session:
        for name, identifier in ids.items():
            decision = session.get(Decision, identifier)
            kind = name.partition("-")[0]
            if kind in ("certified", "failed", "undecided", "certifying"):
                advance(session, decision, State.CERTIFYING, "", decision.received + SECOND // 2)
            if kind in ("failed", "undecided"):
                advance(session, decision, State(kind), "so", decision.received + SECOND)
            if kind == "certified":
                at = decision.received + (int(name[-2:]) + 1) * SECOND
                advance(session, decision, State.CERTIFIED, "", at)
                session.add(
                    Certificate(
                        decision_id=identifier, body=b"", key_fingerprint="f", radius_squared=f"{16:064x}", made=at
                    )
                )
        override(session, session.get(Decision, ids["settled"]), 0, "why", "Ada", service.clock(), by=OFFICER)
    return ids


@BOTH
def test_pages_go_by_state_and_then_by_time(service, made):
    """Each decision once, review first, the newest first in each state, however small the pages are."""
    seen, cursor = [], ""
    with service.shared.database.reading() as session:
        while cursor is not None:
            found, cursor = overview.listed(session, Filter(), cursor, 4)
            seen += found
    ranks = [overview.ORDER.index(State(one.state)) for one in seen]
    assert sorted(one.id for one in seen) == sorted(made.values())
    assert ranks == sorted(ranks)
    for state in State:
        times = [one.received for one in seen if one.state == state]
        assert times == sorted(times, reverse=True)


def test_a_cursor_that_is_none_is_the_beginning(service, made):
    """Whatever stands in an address."""
    for cursor in ("", "x", "9-1", "0-1-x", "' or 1=1 --"):
        with service.shared.database.reading() as session:
            found, _ = overview.listed(session, Filter(), cursor, 1)
        assert found[0].state == "review", cursor


@BOTH
def test_what_is_wanted_is_found(service, made):
    """By time, by state, by words of the reference as they are, and without those that wait for a person."""

    def found(**wanted):
        with service.shared.database.reading() as session:
            listed, _ = overview.listed(session, Filter(**wanted), "", 100)
            assert len(listed) == overview.count(session, Filter(**wanted))
            assert sum(overview.counts(session, Filter(**wanted)).values()) == len(listed)
        return {one.id for one in listed}

    assert found(state=State.FAILED) == {made["failed"]}
    assert found(reference="settled") == {made["settled"]}
    assert found(reference="100%_\\") == set(made.values())
    assert found(reference="100_") == found(reference="0%%") == set()
    assert set(made.values()) - found(waiting_too=False) == {made["review"]}
    with service.shared.database.reading() as session:
        first = session.scalars(select(Decision).where(Decision.id == made["decided"])).one().received
    assert found(since=first) == {made["decided"], made["review"], made["settled"]}
    assert found(until=first) == set(made.values()) - found(since=first)


def test_what_needs_a_person(service, made):
    """Those in review that nobody has settled; those that failed."""
    with service.shared.database.reading() as session:
        total, waits = overview.for_a_person(session, 10)
        assert (total, [one.id for one in waits]) == (1, [made["review"]])
        stuck = overview.in_states(session, (State.FAILED, State.UNDECIDED), 10)
        assert {one.id for one in stuck} == {made["failed"], made["undecided"]}
        assert [row.name for row in overview.overrides(session, made["settled"])] == ["Ada"]
        assert overview.last_steps(session, list(made.values()))[made["failed"]].reason == "so"
        assert overview.radii(session, list(made.values())) == {
            identifier: 16 for name, identifier in made.items() if name.startswith("certified")
        }


@BOTH
def test_numbers_of_the_queue(service, made):
    """Half and 19 of 20 of twenty certificates after 1 to 20 seconds; the prover's time begins with its state."""
    with service.shared.database.transaction() as session:
        session.add(Heartbeat(name="a", started=1, beat=5))
        session.add(Heartbeat(name="b", started=1, beat=4, starved=1))
        session.flush()
        assert [overview.workers(session, since) for since in (4, 5, 6)] == [(2, 1), (1, 0), (0, 0)]
        found = overview.speed(session, 0)
        assert (found.count, found.half, found.most) == (20, 10 * SECOND, 19 * SECOND)
        assert found.proving == sum(range(1, 21)) * SECOND - 20 * SECOND // 2
        assert overview.speed(session, service.clock() + 10**12) == overview.Speed(0, 0, 0, 0)
        oldest = min(session.get(Decision, made[name]).received for name in ("certifying", "decided"))
        assert queries.oldest_waiting(session) == oldest
        ((model, decisions),) = overview.models(session)
        assert (model.name, decisions) == ("loans", len(made))
        assert overview.certificates_by_key(session, model.id) == {"f": 20}


def test_tables_that_are_about_no_decision_are_refused(service, made):
    """A fault of the program."""
    with service.shared.database.reading() as session:
        assert len(overview.of_decision(session, Finding, made["review"])) == 1
        with pytest.raises(ValueError, match="Model is no table of a decision"):
            overview.of_decision(session, Model, made["review"])
