"""Which workers live: each writes a row again and again, and the others notice when it no longer changes.

Nobody compares the clocks of two machines, or the same clock at two times: a worker counts as gone when its row has not
changed for some seconds on the watching process's own monotonic clock. A clock that jumps ends nobody.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from threading import Event, Thread

from sqlalchemy import select
from sqlalchemy.orm import Session

from equiproof.service.jobs.port import Rescue
from equiproof.service.store.database import Database
from equiproof.service.store.tables import Heartbeat
from equiproof.service.troubles import Troubles

BEAT_SECONDS = 2.0
GONE_SECONDS = 30.0
"""How long a worker's row may stay the same before its jobs are taken over; a slow one has them done twice at worst."""

SWEEP_SECONDS = 15.0
"""How often decisions are looked for that wait though nobody has their job."""

Waiting = Callable[[], Mapping[str, str]]
"""Returns the jobs of decisions that wait, each with its decision's id, the longest waiting first."""


def beat(session: Session, name: str, now: int, *, starved: bool = False) -> None:
    """Write that a worker lives, and whether its provers that work get no processor.

    Each call writes a larger number, whatever the clock says.
    """
    row = session.get(Heartbeat, name, with_for_update=True)
    if row is None:
        session.add(Heartbeat(name=name, started=now, beat=now, starved=int(starved)))
    else:
        row.beat = max(now, row.beat + 1)
        row.starved = int(starved)


class Watch:
    """What one process has seen of the others' rows."""

    def __init__(self, own: str, gone_seconds: float = GONE_SECONDS) -> None:
        self._own = own
        self._gone_seconds = gone_seconds
        self._seen: dict[str, tuple[int, float]] = {}
        self._told: set[str] = set()

    def gone(self, session: Session, at: float) -> list[str]:
        """Return the workers that count as gone from now on, each once; `at` is on a monotonic clock, in seconds."""
        workers = []
        for row in session.scalars(select(Heartbeat).where(Heartbeat.name != self._own)):
            # A row that is seen for the first time begins to age now, whatever its number says.
            number, since = self._seen.get(row.name, (None, at))
            if number != row.beat:
                self._seen[row.name] = (row.beat, at)
                self._told.discard(row.name)
            elif at - since >= self._gone_seconds and row.name not in self._told:
                self._told.add(row.name)
                workers.append(row.name)
        return workers


class Watchdog:
    """A worker's thread that writes its row, takes over from workers that are gone, and looks for stranded jobs."""

    def __init__(
        self,
        database: Database,
        name: str,
        rescue: Rescue,
        waiting: Waiting,
        running: set[str],
        clocks: tuple[Callable[[], int], Callable[[], float]],
    ) -> None:
        """Take the jobs that this process does, and two clocks: microseconds, and a monotonic one in seconds."""
        self._database = database
        self._name = name
        self._rescue = rescue
        self._waiting = waiting
        self._running = running
        self._now, self._monotonic = clocks
        self._watch = Watch(name)
        self._swept: float | None = None
        self._strays: set[str] = set()
        self._looks: list[Callable[[], None]] = []
        self._starve: Callable[[], bool] = lambda: False
        self._asked: Callable[[Session], Sequence[str]] = lambda _: ()
        self._end: Callable[[str], None] = lambda _: None

    def also(self, look: Callable[[], None], starve: Callable[[], bool]) -> None:
        """Have something else looked at with every sweep, and written with every beat whether the provers starve."""
        self._looks.append(look)
        self._starve = starve

    def obey(self, asked: Callable[[Session], Sequence[str]], end: Callable[[str], None]) -> None:
        """Have those decisions ended, with every beat, which `asked` returns."""
        self._asked, self._end = asked, end

    def step(self) -> int:
        """Do what is due; returns how many jobs were given to others or begun anew."""
        at = self._monotonic()
        with self._database.transaction() as session:
            beat(session, self._name, self._now(), starved=self._starve())
            gone = self._watch.gone(session, at)
            asked = self._asked(session)
        for decision_id in asked:
            self._end(decision_id)
        count = 0
        for name in gone:
            count += self._put_back(self._rescue.begun(name))
        if self._swept is None or at - self._swept >= SWEEP_SECONDS:
            self._swept = at
            count += self._sweep()
            for look in self._looks:
                look()
        return count

    def _sweep(self) -> int:
        """Begin anew what this worker is said to do and does not, now as at the last sweep, and what nobody has."""
        # What is written is read before what runs: a job that begins in between is in both. One that ends in between is
        # a stray once, and only what is one twice is put back.
        strays = set(self._rescue.begun(self._name)) - self._running.copy()
        count = self._put_back(sorted(strays & self._strays))
        self._strays = strays
        if jobs := self._waiting():
            count += self._rescue.revive(jobs)
        return count

    def _put_back(self, jobs: Sequence[str]) -> int:
        self._rescue.put_back(jobs)
        return len(jobs)

    @contextmanager
    def running(self, say: Callable[[str], None]) -> Iterator[None]:
        """Run in a thread while the block runs; what is away is told by `say`, and asked again."""
        stopped = Event()
        self.step()
        thread = Thread(target=self._run, args=(stopped, say), name="watchdog", daemon=True)
        thread.start()
        try:
            yield
        finally:
            stopped.set()
            thread.join()

    def _run(self, stopped: Event, say: Callable[[str], None]) -> None:
        troubles = Troubles(say)
        while not stopped.wait(BEAT_SECONDS):
            try:
                count = self.step()
            except Exception as error:  # noqa: BLE001 -- a watchdog goes on, whatever is away for a while
                troubles.tell("watchdog", f"{type(error).__name__}; it looks again every {BEAT_SECONDS:g} s")
            else:
                troubles.over("watchdog", "goes on")
                if count:
                    say(f"watchdog: {count} jobs begun anew")
