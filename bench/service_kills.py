"""A lending service whose processes are killed -9 at random moments while decisions are asked for at a steady rate.

Its own processes, a prover, the log's writer, and PostgreSQL: each is killed and started again; besides, all
connections to the database are cut, and the log's disk is full. A client asks on, under the same idempotency key, until
it has an answer. Afterwards every acknowledged decision must be there once, in its right state, with one certificate at
most and one receipt in the log; and nothing else may be there.
"""

from __future__ import annotations

import random
import tempfile
import time
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from threading import Event, Thread
from typing import Any

from bench.harness import BenchError
from bench.harness import table as markdown
from bench.parts import BaseQuestion, Options, Plan
from bench.postgres import programs
from bench.service_asking import PATIENCE, Asker
from bench.service_checks import waiting, wrong
from bench.service_place import LARGEST_QUEUE, MODEL, SETTINGS, Place, placed
from equiproof.service.states import WAITING_STATES, State
from equiproof.service.store.database import Database

DATABASES = ("sqlite", "postgresql")

KINDS: Mapping[str, str] = {
    "web": "one of two processes that answer requests",
    "worker": "the process that has certificates made",
    "prover": "one of its provers",
    "log": "the process that sends receipts",
    "writer": "the public log",
    "full": "the public log's disk is full, and its writer ends",
    "database": "PostgreSQL, all of its processes",
    "connections": "all connections to PostgreSQL are cut",
}
_OF_A_SERVER = ("database", "connections")

WEBS = ("web 1", "web 2")
SHORTEST_PAUSE = 0.05
"""The shortest time between two kills, in seconds."""

CLIENTS = 64
"""So many requests are on their way at once at most; one that is due later waits."""

FOLLOWED = 1
"""Decisions a second that provers follow on two cores: above, certificates are counted, and not waited for."""


@dataclass(frozen=True)
class Question(BaseQuestion):
    """So many `kills`, at most `seconds` between two, while `points` decisions a second are asked for."""

    points: int = 50
    seconds: float = 20.0
    jobs: int = 1
    seed: int = 24
    kills: int = 30


def plan(_data_dir: Path | None, options: Options, question: Question | None = None) -> Plan:
    """Return one part for each kind of database; raises BenchError where there is no PostgreSQL."""
    options.one_by_one("service-kills", "requests")
    asked = options.of(question or Question())
    if "postgresql" in (options.parts or DATABASES) and programs() is None:
        raise BenchError("service-kills: no PostgreSQL server: call `make postgres`")
    return Plan(asked.as_data("jobs"), {database: partial(measured, asked, database) for database in DATABASES})


def measured(asked: Question, database: str) -> dict[str, Any]:
    """Kill in a new service on a database; raises BenchError for anything that must not be."""
    with tempfile.TemporaryDirectory() as text, placed(Path(text), database) as place:
        return killed(place, asked)


def killed(place: Place, asked: Question) -> dict[str, Any]:
    """Kill processes of one service under load; returns what was counted, raises BenchError for what is wrong."""
    settings = place.folder / SETTINGS
    before = settings.read_text(encoding="utf-8")
    limits = f"[limits]\nlargest_queue = {LARGEST_QUEUE}\n"
    # Provers that wait until nothing else runs would be killed before they have proven anything.
    ours = f'web_processes = {len(WEBS)}\nprover_priority = "normal"\n'
    settings.write_text(f"{ours}{before}{limits}", encoding="utf-8")
    for name in ("writer", *WEBS, "worker", "log"):
        place.start(name)
    load = Load(place, asked.points)
    load.start()
    kills = _kills(place, asked, load.failed)
    load.stop(place)
    _settle(place, ended=asked.points <= FOLLOWED)
    # Nothing may change between two looks at the database.
    place.end()
    found, counts = wrong(place, load.answered, ended=asked.points <= FOLLOWED)
    if found:
        raise BenchError("service-kills: " + "; ".join(found[:10]) + f"\n{place.said()}")
    after = Counter(_kind_before(kills, at) for at in load.refused)
    return {
        "kills": dict(Counter(kind for _, kind in kills)),
        "decisions": len(load.answered),
        "again": len(load.refused),
        "again_after": dict(after),
        "counts": counts,
        "per_s": round(len(load.answered) / load.took, 1),
        "seconds": round(load.took, 1),
    }


Kills = Sequence[tuple[float, str]]
"""Each kill in their order: when it began, by the monotonic clock, and its kind."""


def _kills(place: Place, asked: Question, failed: Callable[[], bool]) -> Kills:
    """Kill so many times at random moments, each kind about as often, until something has `failed`."""
    drawn = random.Random(asked.seed)  # noqa: S311 -- moments of a measurement
    kinds = [kind for kind in KINDS if kind not in _OF_A_SERVER or place.server is not None]
    killed, turns = list[tuple[float, str]](), list[str]()
    while len(killed) < asked.kills and not failed():
        turns = turns or drawn.sample(kinds, len(kinds))
        _pass(place, drawn.uniform(SHORTEST_PAUSE, max(SHORTEST_PAUSE, asked.seconds)))
        # Provers are there only while there is something to prove: where there is none, it is their turn later.
        kind, begun = turns.pop(0), time.monotonic()
        if place.kill(drawn.choice(WEBS) if kind == "web" else kind):
            killed.append((begun, kind))
        else:
            turns.append(kind)
    _pass(place, asked.seconds)
    return killed


def _pass(place: Place, seconds: float) -> None:
    """Let time pass; what ended by itself is started again, as whoever runs the service would."""
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        place.revive()
        time.sleep(min(left, 0.2))
    place.revive()


def _kind_before(kills: Kills, at: float) -> str:
    """Return the kind of the last kill that had begun at a time, "none" before all."""
    number = bisect_right([begun for begun, _ in kills], at)
    return kills[number - 1][1] if number else "none"


@dataclass
class Load:
    """Decisions at a steady rate, asked for when they are due, whether or not earlier ones have been answered."""

    place: Place
    rate: int
    answered: dict[str, str] = field(default_factory=dict)
    """By decision: the state in which it was acknowledged."""
    refused: list[float] = field(default_factory=list)
    """When each decision that was not answered at the first try was first refused or cut off."""
    faults: list[str] = field(default_factory=list)
    took: float = 0.0

    def start(self) -> None:
        """Begin once the service answers; every fifth applicant is one whom the model leaves to a person."""
        self._asker, self._stopped = Asker(self.place.settings.listen, self.place.key), Event()
        self._ask(-1)
        self.refused.clear()
        self._begun = time.monotonic()
        self._threads = [Thread(target=self._run, args=(number,), daemon=True) for number in range(CLIENTS)]
        for thread in self._threads:
            thread.start()

    def failed(self) -> bool:
        """Tell whether a request had an answer after which nobody asks again."""
        return bool(self.faults)

    def stop(self, place: Place) -> None:
        """Ask for no more, and wait for the answers that lack; raises BenchError where one did not come."""
        self._stopped.set()
        end = time.monotonic() + PATIENCE
        for thread in self._threads:
            while thread.is_alive() and time.monotonic() < end:
                place.revive()
                thread.join(0.2)
        if self.faults or any(thread.is_alive() for thread in self._threads):
            raise BenchError(f"service-kills: {(self.faults or ['a request had no answer'])[0]}\n{place.said()}")
        self.took = time.monotonic() - self._begun

    def _run(self, first: int) -> None:
        """Ask for every decision whose number is this client's, each when it is due."""
        number = first
        while not self._stopped.wait(max(0.0, self._begun + number / self.rate - time.monotonic())):
            try:
                self._ask(number)
            except BenchError as error:
                self.faults.append(str(error))
                return
            number += CLIENTS

    def _ask(self, number: int) -> None:
        """Have one decision made, and note how it was answered."""
        name, features = f"application-{number}", self.place.rows[number % 5 == 4]
        answer = self._asker.ask(name, {"model": MODEL, "features": features, "reference": name})
        self.answered[answer.made["id"]] = answer.made["history"][0]["state"]
        if answer.refused is not None:
            self.refused.append(answer.refused)


def _settle(place: Place, *, ended: bool = True) -> None:
    """Wait until nothing waits any more, certificates only if they are to have `ended`.

    Raises BenchError where nothing changes for long: provers have the lowest priority, and take their time.
    """
    end, before = time.monotonic() + PATIENCE, dict[str, int]()
    with Database(place.settings.database) as database:
        while left := {name: count for name, count in waiting(database).items() if ended or name != "decisions"}:
            place.revive()
            if left != before:
                end, before = time.monotonic() + PATIENCE, left
            if time.monotonic() > end:
                raise BenchError(f"service-kills: still waiting: {left}\n{place.said()}")
            time.sleep(0.3)


def table(found: Mapping[str, Any]) -> str:
    """Write one line for each database."""
    head = ("database", "kills", "decisions", "a second", "at the first try, %", "certified", "certificate waits")
    rows = []
    for database, one in found["parts"].items():
        counts = one["counts"]
        states = (State.REVIEW, State.FAILED)
        waits = sum(counts.get(state, 0) for state in WAITING_STATES)
        rows.append(
            (
                database,
                str(sum(one["kills"].values())),
                f"{one['decisions']:,}",
                f"{one['per_s']:.1f}",
                f"{first_tries(one):.2f}",
                f"{counts.get(State.CERTIFIED, 0):,}",
                f"{waits:,}",
                *(f"{counts.get(state, 0):,}" for state in states),
                f"{counts['entries']:,}",
                f"{one['seconds'] / 60:.1f}",
            )
        )
    return markdown((*head, "review", "given up", "logged", "min"), rows)


def first_tries(part: Mapping[str, Any]) -> float:
    """Return the share of decisions that were answered at the first try, in percent."""
    return 100 * (1 - int(part["again"]) / int(part["decisions"]))


def kinds(found: Mapping[str, Any]) -> str:
    """Write how often each kind was killed, and how many decisions were not answered at the first try after it."""
    parts = found["parts"]
    rows = []
    for kind, what in KINDS.items():
        cells = [f"{one['kills'].get(kind, 0)}, {one['again_after'].get(kind, 0)}" for one in parts.values()]
        rows.append((f"`{kind}`", what, *cells))
    return markdown(("kind", "what is killed", *(f"{name}: kills, asked again" for name in parts)), rows)
