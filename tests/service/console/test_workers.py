"""The page of the workers: which has what, and how an admin has a proof ended."""

import re

import pytest

from equiproof.service.console.officers import Role
from equiproof.service.jobs.heartbeat import beat
from equiproof.service.states import State
from equiproof.service.store.tables import Attempt
from tests.service import made
from tests.service.test_attempts import row, told


@pytest.fixture
def proven(service, rows):
    """Two decisions of two workers; the second worker has been silent for twenty minutes."""
    ids = [
        service.post(one, reference=f"2026-{name}").json()["id"] for one, name in zip(rows[:1] * 2, "ab", strict=True)
    ]
    made.begin(service, ids[1], "there", forecast=0.0)
    with service.shared.database.transaction() as session:
        beat(session, "there", service.clock())
    service.clock.now += 1200 * 1_000_000
    made.begin(service, ids[0], "here")
    with service.shared.database.transaction() as session:
        beat(session, "here", service.clock(), starved=True)
    service.clock.now += 5 * 1_000_000
    return ids


def lines(page):
    """Return the rows of the page's tables as words."""
    found = re.findall(r"<tr role=\"row\">(.*?)</tr>", page, re.DOTALL)
    return [re.sub(r"\s+", " ", re.sub("<[^>]*>", " ", one)).strip().replace("\u00a0", " ") for one in found]


def test_who_has_what_since_when(people, proven):
    """With attempts and forecast, the longest first; a worker that is silent, and one that gets no processor."""
    shown = lines(people[Role.OFFICER].get("workers").text)
    assert [one for one in shown if "2026" in one] == [
        "2026-b loans there silent 20 min 5 s 1",
        "2026-a loans here 5 s forecast: up to 60 s of search, then about 12.5 s of proof 1",
    ]
    assert shown[-2:] == ["here gets no processor 5 s ago 1", "there silent 20 min 5 s ago 1"]
    assert "cancel" not in people[Role.OFFICER].get("workers").text


def test_a_decision_that_waits_again_is_shown_with_its_attempts(service, admin, proven):
    """Nobody has it, and nothing can be ended."""
    with service.shared.database.transaction() as session:
        for name in ("worker", "begun", "forecast"):
            setattr(session.get(Attempt, proven[0]), name, None)
    page = admin.get("workers").text
    assert "2026-a loans none: it waits again – 1" in lines(page)
    assert page.count("/cancel") == 1


@pytest.mark.parametrize(("then", "words"), [("decided", "waits again"), ("failed", "failed")])
def test_an_admin_has_a_proof_ended(service, admin, proven, then, words):
    """The worker is told by the row; the page says that it is under way, and offers it no more."""
    assert admin.get("workers").text.count("/cancel") == 2
    answer = admin.post(f"workers/{proven[0]}/cancel", then=then)
    assert (answer.status_code, answer.headers["location"]) == (303, "/console/workers")
    assert row(service, proven[0]) == (1, "here", then)
    page = admin.get("workers").text
    assert (page.count("/cancel"), page.count(f"is being ended, then {words}")) == (1, 1)


@pytest.mark.parametrize("state", [State.CERTIFIED, State.UNDECIDED, State.FAILED, State.DECIDED])
def test_one_that_has_ended_meanwhile_is_left_alone(service, admin, rows, state):
    """The page says how it stands; nothing is changed, and the trail has no line."""
    decision = service.post(rows[0]).json()["id"]
    if state != State.DECIDED:
        made.end(service, decision, state)
    answer = admin.post(f"workers/{decision}/cancel", then="failed")
    assert answer.status_code == 409
    assert f"nothing was ended: no prover works on this decision now, it is {state}" in answer.text
    assert told(service, decision)[0] == state


def test_what_is_no_choice_is_refused(service, admin, proven):
    """Another state, or none; an unknown decision."""
    for then in ("", "certified"):
        answer = admin.post(f"workers/{proven[0]}/cancel", then=then)
        assert (answer.status_code, "choose what becomes of the decision" in answer.text) == (409, True)
    assert admin.post(f"workers/{'f' * 32}/cancel", then="failed").status_code == 404
    assert row(service, proven[0]) == (1, "here", None)


def test_what_failed_is_certified_again_from_the_list(service, people, rows):
    """By those who may; the queue's page has the button beside each."""
    decision = service.post(rows[0]).json()["id"]
    made.end(service, decision, State.FAILED)
    assert f"decisions/{decision}/again" not in people[Role.AUDITOR].get("queue").text
    assert f"decisions/{decision}/again" in people[Role.ADMIN].get("queue").text
    assert people[Role.ADMIN].post(f"decisions/{decision}/again").status_code == 303
    assert told(service, decision) == ("certifying", "tried again")
