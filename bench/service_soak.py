"""A lending service under a steady load: whether its processes grow, how long certificates take, what lies on the disk.

At a rate that provers can follow every certificate is waited for. At a higher one decisions go on to be made and
logged, provers prove all the time, and what they have certified when the load ends is counted. Afterwards every
decision that was acknowledged must be there, and in the log, once, and no other.

The whole tree runs as `equiproof serve` runs it, with a public log, on loopback and SQLite: a network of hidden layers
(4,2) over nineteen numbers, whose weights are drawn from a seed, since any of this size costs the same. Every look
takes the memory of each process with what it has started.
"""

from __future__ import annotations

import math
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from socket import create_server
from typing import Any

from sqlalchemy import select

from bench.harness import BenchError, median
from bench.log import PROGRAM
from bench.parts import BaseQuestion, Options, Plan
from bench.seeded import network_of, spec_of
from bench.service_asking import Asker
from bench.service_checks import logged_receipts, waiting
from bench.service_place import LARGEST_QUEUE
from equiproof.circuits.shape import branch_shape
from equiproof.prover import KeyStore
from equiproof.prover.opening import Opening
from equiproof.prover.owner import SECRET_VARIABLE
from equiproof.service.clients import DAY, Scope, add_client
from equiproof.service.clock import now
from equiproof.service.initial import SETTINGS_FILE, Choice, make_service
from equiproof.service.models import Files, add_model
from equiproof.service.processes import Program, Tree, answers, programs
from equiproof.service.settings import LenderSettings, LimitSettings, LogSettings, Settings, load_settings
from equiproof.service.starting import prepare
from equiproof.service.states import WAITING_STATES, State
from equiproof.service.store.database import Database
from equiproof.service.store.tables import Decision, Transition
from equiproof.verifier.notes import Signer, VerifierKey

PLAIN, HIDDEN, CAPACITY = 19, (4, 2), 4
MODEL, NAME = "soaked", "soak.example/log"
LOOKS = 20
LATE_SECONDS = 600.0
"""How long the last certificates, and the last receipts, may take once the load has ended."""


@dataclass(frozen=True)
class Question(BaseQuestion):
    """`points` decisions a second are asked for during `seconds`; an hour is a soak, the default only a look.

    `priority` is that of the provers, as the settings have it.
    """

    points: int = 1
    seconds: float = 120.0
    jobs: int = 1
    priority: str = "idle"


BUSY = Question(points=20, priority="normal")
"""Far more than the provers of a few cores certify; they take their share of a machine that is busy with requests."""


def plan(_data_dir: Path | None, options: Options, question: Question | None = None) -> Plan:
    """Return the one part; raises BenchError where there is no writer of logs."""
    options.one_by_one("service-soak", "certificates")
    asked = options.of(question or Question())
    if not PROGRAM.is_file():
        raise BenchError("service-soak: no equiproof-log: call `make log`")
    return Plan(asked.as_data("jobs"), {"steady": partial(soaked, asked)})


def soaked(asked: Question) -> dict[str, Any]:
    """Run a service under the load, and return what was seen of it."""
    with tempfile.TemporaryDirectory() as text, _owner(folder := Path(text)):
        settings, key = _service(folder, asked.priority)
        load, wanted = Load(Asker(settings.listen, key), settings, asked), [_log(folder, settings)]
        with (folder / "processes.log").open("wb") as output:
            tree = Tree([*wanted, *programs(settings, folder / SETTINGS_FILE)], _complain, output=output)
            if tree.run(load.steps(tree, asked.seconds)):
                raise BenchError("service-soak: the service did not start")
        of_log = VerifierKey.parse((folder / "log.pub").read_text(encoding="utf-8").strip())
        return {**load.found(logged_receipts(folder / "log", of_log)), **_sizes(folder, len(load.made))}


@contextmanager
def _owner(folder: Path) -> Iterator[None]:
    """Have the owner's secret in the folder while the block runs."""
    before = os.environ.get(SECRET_VARIABLE)
    os.environ[SECRET_VARIABLE] = str(folder / "owner.secret")
    try:
        yield
    finally:
        if before is None:
            del os.environ[SECRET_VARIABLE]
        else:
            os.environ[SECRET_VARIABLE] = before


def _service(folder: Path, priority: str) -> tuple[Settings, str]:
    """Make a service with a model, its key, an empty log and a client; return its settings and the client's key.

    The priority is that of its provers.
    """
    spec = spec_of(PLAIN, 2)
    opening = Opening.of(network_of(spec, HIDDEN), spec, blinding=1)
    (folder / "opening.json").write_bytes(opening.secret())
    KeyStore(folder / "keys").setup(branch_shape(spec, HIDDEN, CAPACITY))
    signer = Signer.new(NAME)
    (folder / "log.key").write_text(f"{signer.text}\n", encoding="utf-8")
    (folder / "log.pub").write_text(f"{signer.verifier.text}\n", encoding="utf-8")
    words = ("init", folder / "log", "--origin", NAME, "--key", folder / "log.key")
    subprocess.run([PROGRAM, *map(str, words)], check=True, capture_output=True)
    log = LogSettings(f"http://{_free()}", str(folder / "log.pub"))
    lender = LenderSettings("Bench", owner="Bench")
    make_service(folder, Choice(lender, _free(), log=log, prover_priority=priority))
    path, usual = folder / SETTINGS_FILE, f"largest_queue = {LimitSettings().largest_queue}\n"
    text = path.read_text(encoding="utf-8").replace(usual, f"largest_queue = {LARGEST_QUEUE}\n")
    path.write_text(text, encoding="utf-8")
    prepare(settings := load_settings(path))
    with Database(settings.database) as database, database.transaction() as session:
        at = now()
        add_model(session, MODEL, Files(folder / "opening.json", folder / "keys"), at)
        return settings, add_client(session, "bench", [Scope.SUBMIT, Scope.READ], at, at + 30 * DAY).text


def _log(folder: Path, settings: Settings) -> Program:
    """Return the process that writes the log."""
    address = settings.log.url.removeprefix("http://") if settings.log else ""
    words = (str(PROGRAM), "serve", str(folder / "log"), "--listen", address)
    return Program("public log", (sys.executable, "-m", "equiproof.service.held", *words))


def _free() -> str:
    """Return an address of this machine with a port that is free."""
    with create_server(("127.0.0.1", 0)) as held:
        return f"127.0.0.1:{held.getsockname()[1]}"


def _complain(line: str) -> None:
    """End the measurement: no process may end by itself."""
    raise BenchError(f"service-soak: {line}")


@dataclass
class Load:
    """What is asked of a service, and what is seen meanwhile."""

    asker: Asker
    settings: Settings
    asked: Question
    made: list[str] = field(default_factory=list)
    looks: list[dict[str, float]] = field(default_factory=list)
    decide_ms: list[float] = field(default_factory=list)
    again: int = 0
    took: float = 0.0

    def steps(self, tree: Tree, seconds: float) -> Iterator[None]:
        """Ask for decisions at a steady rate, look now and then, and stop the tree once nothing is waited for."""
        while not answers(self.asker.address):
            yield
        rng = random.Random(self.asked.seed)  # noqa: S311 -- applicants for a benchmark
        begun = time.monotonic()
        while (passed := time.monotonic() - begun) < seconds:
            # A service that falls behind must not keep the tree from being looked at: at most a second's at once.
            for _ in range(min(self.asked.points, math.ceil(passed * self.asked.points) - len(self.made))):
                self._decide(rng)
            if len(self.looks) < LOOKS * passed / seconds:
                self.looks.append(memory(tree))
            yield
        self.took = time.monotonic() - begun
        with Database(self.settings.database) as database:
            waits = self._waited_for(database)
            while left := {name: count for name, count in waiting(database).items() if name in waits}:
                if time.monotonic() - begun > self.took + LATE_SECONDS:
                    raise BenchError(f"service-soak: still waiting after the load: {left}")
                yield
        tree.stop.set()

    def _waited_for(self, database: Database) -> set[str]:
        """Return what is waited for: receipts and their proofs, and certificates if provers have kept up."""
        left = waiting(database).get("decisions", 0)
        followed = left * self.took <= (len(self.made) - left) * LATE_SECONDS
        return {"receipts", "proofs"} | ({"decisions"} if followed else set())

    def found(self, logged: Sequence[str]) -> dict[str, Any]:
        """Return the figures of the load; `logged` are the receipts in the log. Raises BenchError as :func:`judge`."""
        steps: dict[str, dict[str, int]] = {}
        with Database(self.settings.database) as database, database.reading() as session:
            rows = {row.id: row for row in session.execute(select(Decision.id, Decision.state, Decision.receipt))}
            history = select(Transition.decision_id, Transition.state, Transition.at).order_by(Transition.number)
            for row in session.execute(history):
                steps.setdefault(row.decision_id, {})[row.state] = row.at
        judge(self.made, rows, logged)
        ended = [steps[one] for one, row in rows.items() if row.state == State.CERTIFIED]
        waits = [1e-6 * (one[State.CERTIFIED] - one[State.DECIDED]) for one in ended]
        proofs = [1e-6 * (one[State.CERTIFIED] - one[State.CERTIFYING]) for one in ended]
        names = sorted({name for look in self.looks for name in look})
        return {
            "decisions": len(self.made),
            "per_s": round(len(self.made) / self.took, 2),
            "again": self.again,
            "certified": len(ended),
            "memory_mb": {name: [look.get(name, 0.0) for look in self.looks] for name in names},
            "decide_ms": _percentiles(self.decide_ms, 2),
        } | ({"certified_s": _percentiles(waits, 3), "proof_s": median(proofs, 3)} if ended else {})

    def _decide(self, rng: random.Random) -> None:
        """Have one decision made."""
        features = {f"x{index}": f"{rng.gauss(0, 1):.3f}" for index in range(PLAIN)}
        begun = time.perf_counter()
        answer = self.asker.ask(f"soak-{len(self.made):09}", {"model": MODEL, "features": features})
        self.decide_ms.append(1e3 * (time.perf_counter() - begun))
        self.again += answer.refused is not None
        self.made.append(answer.made["id"])


def judge(made: Sequence[str], rows: Mapping[str, Any], logged: Sequence[str]) -> None:
    """Compare the decisions that were acknowledged with the database's, by id, and with the receipts in the log.

    Raises BenchError for a decision that is lost or doubled, and for one that ended without a certificate.
    """
    if other := {row.state for row in rows.values()} - {*WAITING_STATES, State.CERTIFIED}:
        raise BenchError(f"service-soak: decisions ended as {', '.join(sorted(other))}")
    if sorted(made) != sorted(rows):
        raise BenchError(
            f"service-soak: {len(made):,} decisions were acknowledged, {len(rows):,} are there, and not the same"
        )
    if sorted(row.receipt for row in rows.values()) != sorted(logged):
        raise BenchError(f"service-soak: the log's {len(logged):,} receipts are not those of {len(rows):,} decisions")


def memory(tree: Tree) -> dict[str, float]:
    """Return the memory in MB (10^6 bytes) of each process of a tree, and of all that the worker has started."""
    parents, held = {}, {}
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            status = (entry / "status").read_text()
        except OSError:
            continue
        line = next((line for line in status.splitlines() if line.startswith("VmRSS:")), "VmRSS: 0")
        held[int(entry.name)] = int(line.split()[1]) * 1024 / 1e6
    found = {}
    for one in tree.running:
        if one.process is not None:
            below = _below(one.process.pid, parents)
            found[one.program.name] = round(held.get(one.process.pid, 0.0), 1)
            if below:
                found[f"{one.program.name}: below it"] = round(sum(held[pid] for pid in below), 1)
    return found


def _below(pid: int, parents: Mapping[int, int]) -> set[int]:
    """Return all processes that a process and those below it have started."""
    found: set[int] = set()
    fresh = {one for one, parent in parents.items() if parent == pid}
    while fresh:
        found |= fresh
        fresh = {one for one, parent in parents.items() if parent in fresh}
    return found


def _percentiles(values: Sequence[float], digits: int) -> dict[str, float]:
    """Return median, 95th and 99th percentile, and the largest."""
    ranked = sorted(values)
    parts = {f"p{share}": ranked[min(len(ranked) - 1, len(ranked) * share // 100)] for share in (50, 95, 99)}
    return {name: round(value, digits) for name, value in {**parts, "max": ranked[-1]}.items()}


def _sizes(folder: Path, decisions: int) -> dict[str, float]:
    """Return the bytes of database and log for each decision."""
    database = sum(path.stat().st_size for path in folder.glob("service.db*"))
    log = sum(path.stat().st_blocks * 512 for path in (folder / "log").rglob("*") if path.is_file())
    return {"database_bytes": round(database / decisions), "log_bytes": round(log / decisions)}
