"""What a purge does not erase without asking, what is held, and one decision that is erased before its time."""

import pytest

from equiproof.service import public_log
from equiproof.service.links import DAY, make_link
from equiproof.service.overrides import OverrideError
from equiproof.service.purging import Due, due, newest, refuse_unusual
from equiproof.service.retention import RetentionError, erase, hold, purge
from equiproof.service.settings import LogSettings, RetentionSettings
from equiproof.service.states import State
from equiproof.service.store.tables import Certificate, Decision, Erasure, Heartbeat, Link, Person, Request
from tests.service import made
from tests.service.databases import BOTH, text
from tests.service.test_decisions import everything

KEPT = RetentionSettings(applicant_days=100)
SQLITE = pytest.mark.parametrize("address", ["sqlite"], indirect=True)
NOW = 1_790_000_000_000_000


def found(decisions=5, kept=100, waiting=0, held=0):
    return Due(decisions, kept, waiting, held)


@BOTH
def test_what_would_go_is_counted(service, rows):
    """Those that still wait and those that are held apart; a second look after the purge finds nothing."""
    ids = [service.post(rows[0]).json()["id"] for _ in range(4)]
    made.end(service, ids[0], State.CERTIFIED)
    later = service.clock() + 101 * DAY
    with service.shared.database.transaction() as session:
        hold(session, session.get(Decision, ids[3]), later + DAY, "a court asks for it", service.clock())
        assert due(session, KEPT, later) == Due(decisions=3, kept=4, waiting=2, held=1)
        assert purge(session, KEPT, later).decisions == 3
        assert due(session, KEPT, later) == Due(0, 1, 0, 1)
    with service.shared.database.reading() as session:
        assert session.get(Decision, ids[3]).sealed is not None
        assert due(session, KEPT, later + DAY) == Due(1, 1, 1, 0)


@pytest.mark.parametrize(
    ("due_now", "known", "said"),
    [
        (found(), NOW - 3 * DAY, "the clock is 3 days after the newest decision"),
        (found(), NOW + 3 * DAY, "the clock is 3 days before the newest decision"),
        (found(0), NOW - 700 * DAY, "the clock is 700 days after"),
        (found(waiting=1), NOW, "1 of them wait for a certificate"),
        (found(11), NOW, "that is more than 10 % of 100"),
        (found(8803, 8803, 17), NOW - 800 * DAY, "that is more than 10 % of 8803"),
    ],
)
def test_what_is_unusual_wants_a_number(due_now, known, said):
    """The very number of decisions; another one is refused, also where nothing else is unusual."""
    with pytest.raises(RetentionError, match=said) as refused:
        refuse_unusual(due_now, known, NOW)
    assert f"`service purge --yes {due_now.decisions}`" in str(refused.value)
    assert len(str(refused.value)) <= 400
    refuse_unusual(due_now, known, NOW, yes=due_now.decisions)
    for wrong in (due_now.decisions - 1, due_now.decisions + 1):
        with pytest.raises(RetentionError, match=f"--yes says {wrong}"):
            refuse_unusual(due_now, known, NOW, yes=wrong)


def test_what_is_usual_is_not_asked_about():
    """A share of the kept ones, by a clock that a decision of yesterday or a new service bears out."""
    for known in (NOW - DAY, NOW, NOW + DAY, None):
        refuse_unusual(found(10), known, NOW)
    refuse_unusual(found(0, 0), None, NOW)
    refuse_unusual(found(11), NOW, NOW, most=11)


@SQLITE
def test_the_newest_that_is_known(service, rows, monkeypatch):
    """Of decisions, heartbeats and witnesses; a log that is away says nothing."""
    with service.shared.database.transaction() as session:
        assert newest(session, None) is None
        service_time = service.clock()
    service.post(rows[0])
    log = LogSettings("http://127.0.0.1:9", "log.pub", ("witness.pub",))
    with service.shared.database.transaction() as session:
        assert service_time < newest(session, None) < service.clock()
        session.add(Heartbeat(name="worker", started=1, beat=service_time + DAY))
        session.flush()
        assert newest(session, None) == service_time + DAY

        class Seen:
            @staticmethod
            def seen():
                return [service_time // 1_000_000 + 200_000]

        monkeypatch.setattr("equiproof.service.purging.public_log", lambda settings: Seen)
        assert newest(session, log) == (service_time // 1_000_000 + 200_000) * 1_000_000

        def away(settings):
            raise public_log.LogError("away")

        monkeypatch.setattr("equiproof.service.purging.public_log", away)
        assert newest(session, log) == service_time + DAY


@BOTH
def test_one_decision_is_erased_alone(service, rows):
    """With links, letters, kept answer and who it was; receipt, states and certificate stay, and so does the other."""
    one = service.post(rows[0], reference="SECRET-REFERENCE", person="c" * 64, key="request-of-one").json()
    other = service.post(rows[0], reference="OTHER-REFERENCE", person="c" * 64).json()
    made.end(service, one["id"], State.CERTIFIED)
    with service.shared.database.transaction() as session:
        for decision in (one, other):
            make_link(session, decision["id"], service.clock(), 30)
        erase(session, session.get(Decision, one["id"]), "asked for under Article 17", service.clock())
    assert "SECRET-REFERENCE" not in text(service.shared.database)
    said = service.get(f"/v1/decisions/{one['id']}").json()
    assert (said["state"], said["receipt"]) == ("certified", one["receipt"])
    assert service.get(f"/v1/decisions/{one['id']}/bundle").status_code == 410
    assert [row.decision_id for row in everything(service, Certificate)] == [one["id"]]
    assert [row.decision_id for row in everything(service, Link)] == [other["id"]]
    # Its digest counts on for the limit, and says of whom no more.
    assert [row.decision_id for row in everything(service, Person) if row.sealed is not None] == [other["id"]]
    assert len(everything(service, Request)) == 1
    assert [(row.decision_id, row.reason) for row in everything(service, Erasure)] == [
        (one["id"], "asked for under Article 17")
    ]
    assert service.get(f"/v1/decisions/{other['id']}").json()["reference"] == "OTHER-REFERENCE"


@SQLITE
def test_what_is_held_is_not_erased(service, rows):
    """Until the newest hold's day; neither twice, nor without a reason, nor is what is gone held."""
    identifier = service.post(rows[0]).json()["id"]
    with service.shared.database.transaction() as session:
        decision, now = session.get(Decision, identifier), service.clock()
        with pytest.raises(OverrideError, match="reason: want 1 to"):
            hold(session, decision, now + DAY, " ", now)
        hold(session, decision, now + 9 * DAY, "a complaint", now)
        with pytest.raises(RetentionError, match="it is held; end the hold first"):
            erase(session, decision, "asked for", now)
        hold(session, decision, now - DAY, "settled", now)
        erase(session, decision, "asked for", now)
        with pytest.raises(RetentionError, match="erased already"):
            erase(session, decision, "asked for", now)
        with pytest.raises(RetentionError, match="there is nothing to hold"):
            hold(session, decision, now + DAY, "late", now)
