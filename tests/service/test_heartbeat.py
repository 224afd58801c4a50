"""Who counts as gone, whatever clocks do; and jobs that nobody has are begun anew."""

import pytest

from equiproof.service.jobs.heartbeat import GONE_SECONDS, SWEEP_SECONDS, Watch, Watchdog, beat
from equiproof.service.store.database import Database
from equiproof.service.store.tables import Heartbeat
from tests.service.databases import BOTH


class Rescue:
    """Has begun jobs by worker, and notes what was asked of it."""

    def __init__(self, **jobs):
        self.jobs, self.back, self.revived = jobs, [], []

    def begun(self, worker):
        return self.jobs.get(worker, [])

    def put_back(self, jobs):
        self.back += jobs

    def revive(self, jobs):
        self.revived.append(dict(jobs))
        return len(jobs)


@pytest.fixture
def database(address):
    with Database(address) as made:
        yield made


@pytest.fixture
def beats(database):
    def beats(name, now):
        with database.transaction() as session:
            beat(session, name, now)

    return beats


def gone(database, watch, at):
    with database.transaction() as session:
        return watch.gone(session, at)


def test_a_worker_is_gone_when_its_row_stays_the_same(database, beats):
    """Counted from when the watcher first saw it so, once, and again only after it has lived again."""
    watch = Watch("here")
    beats("here", 1)
    beats("there", 5)
    assert gone(database, watch, 100.0) == []
    assert gone(database, watch, 100.0 + GONE_SECONDS - 0.1) == []
    assert gone(database, watch, 100.0 + GONE_SECONDS) == ["there"]
    assert gone(database, watch, 101.0 + GONE_SECONDS) == []
    beats("there", 6)
    assert gone(database, watch, 200.0) == []
    assert gone(database, watch, 200.0 + GONE_SECONDS) == ["there"]


@pytest.mark.parametrize("jump", [-(10**15), 0, 10**15])
def test_a_clock_that_jumps_or_stands_still_ends_nobody(database, beats, jump):
    """A living worker's row changes with every beat, whatever its clock says."""
    watch = Watch("here")
    for step in range(40):
        beats("there", 10**15 + (jump if step == 20 else 0))
        assert gone(database, watch, 10.0 * step) == []


@BOTH
def test_the_watchdog_beats_takes_over_and_sweeps(database, beats):
    """Its own row is never gone; a sweep comes at the start and then at its interval."""
    rescue, times = Rescue(there=["first", "second"]), [0.0]
    dog = Watchdog(database, "here", rescue, lambda: {"job": "decision"}, set(), (lambda: 7, lambda: times[0]))
    beats("there", 5)
    assert dog.step() == 1
    times[0] += SWEEP_SECONDS / 2
    assert dog.step() == 0
    times[0] = GONE_SECONDS
    assert dog.step() == 3
    assert rescue.back == ["first", "second"]
    assert rescue.revived == [{"job": "decision"}] * 2
    with database.transaction() as session:
        assert session.get(Heartbeat, "here").beat > 7


def test_a_beat_says_how_the_provers_are(database):
    """Whether those that work get no processor; anew with every beat."""
    states = iter([True, False])
    dog = Watchdog(database, "here", Rescue(), dict, set(), (lambda: 7, lambda: 0.0))
    dog.also(lambda: None, lambda: next(states))
    for expected in (1, 0):
        dog.step()
        with database.transaction() as session:
            assert session.get(Heartbeat, "here").starved == expected


def test_jobs_that_this_worker_is_said_to_do_and_does_not_are_put_back(database):
    """One that was begun before a restart and was not gone on with; what was only just begun is left alone."""
    rescue, running, times = Rescue(here=["stray", "runs", "begins"]), {"runs"}, [0.0]
    dog = Watchdog(database, "here", rescue, dict, running, (lambda: 7, lambda: times[0]))
    assert dog.step() == 0
    running.add("begins")
    times[0] += SWEEP_SECONDS
    assert dog.step() == 1
    assert rescue.back == ["stray"]


def test_a_database_that_is_away_stops_no_watchdog(database, monkeypatch):
    """The thread goes on, and says once that something is away, and once that it is back."""
    monkeypatch.setattr("equiproof.service.jobs.heartbeat.BEAT_SECONDS", 0.01)
    said, calls = [], []
    dog = Watchdog(database, "here", Rescue(), dict, set(), (lambda: 1, lambda: 0.0))

    def step():
        calls.append(1)
        if len(calls) in (2, 3, 4):
            raise OSError("away")
        return 0

    monkeypatch.setattr(dog, "step", step)
    with dog.running(said.append):
        while len(calls) < 6:
            pass
    assert said == ["watchdog: OSError; it looks again every 0.01 s", "watchdog: goes on"]
