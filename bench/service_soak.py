"""A lending service under a steady load: whether its processes grow, how long certificates take, what lies on the disk.

The whole tree runs as `equiproof serve` runs it, with a public log, on loopback and SQLite: a network of hidden layers
(4,2) over nineteen numbers, whose weights are drawn from a seed, since any of this size costs the same. Every look
takes the memory of each process with what it has started.
"""

from __future__ import annotations

import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from pathlib import Path
from socket import create_server
from typing import Any

from bench.harness import BenchError
from bench.log import PROGRAM
from bench.parts import BaseQuestion, Options, Plan
from bench.seeded import network_of, spec_of
from equiproof.circuits.shape import branch_shape
from equiproof.prover import KeyStore
from equiproof.prover.opening import Opening
from equiproof.prover.owner import SECRET_VARIABLE
from equiproof.service.asking import AskingError, FrontEnd
from equiproof.service.clients import DAY, Scope, add_client
from equiproof.service.clock import now
from equiproof.service.initial import SETTINGS_FILE, Choice, make_service
from equiproof.service.models import Files, add_model
from equiproof.service.processes import Program, Tree, answers, programs
from equiproof.service.settings import LenderSettings, LogSettings, Settings
from equiproof.service.starting import prepare
from equiproof.service.store.database import Database
from equiproof.verifier.notes import Signer

PLAIN, HIDDEN, CAPACITY = 19, (4, 2), 4
MODEL, NAME = "soaked", "soak.example/log"
LOOKS = 20
LATE_SECONDS = 600.0
"""How long the last certificates may take once the load has ended."""


@dataclass(frozen=True)
class Question(BaseQuestion):
    """`points` decisions a second are asked for during `seconds`; an hour is a soak, the default only a look."""

    points: int = 1
    seconds: float = 120.0
    jobs: int = 1


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
        settings, key = _service(folder)
        load, wanted = Load(FrontEnd(settings.listen, key), asked), [_log(folder, settings)]
        with (folder / "processes.log").open("wb") as output:
            tree = Tree([*wanted, *programs(settings, folder / SETTINGS_FILE)], _complain, output=output)
            try:
                code = tree.run(load.steps(tree, asked.seconds))
            except AskingError as error:
                raise BenchError(f"service-soak: {error}") from None
            if code:
                raise BenchError("service-soak: the service did not start")
        return {**load.found(), **_sizes(folder, len(load.made))}


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


def _service(folder: Path) -> tuple[Settings, str]:
    """Make a service with a model, its key, an empty log and a client; return its settings and the client's key."""
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
    settings = make_service(folder, Choice(LenderSettings("Bench", owner="Bench"), _free(), log=log))
    prepare(settings)
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

    front_end: FrontEnd
    asked: Question
    made: list[str] = field(default_factory=list)
    looks: list[dict[str, float]] = field(default_factory=list)
    decide_ms: list[float] = field(default_factory=list)
    ends: dict[str, dict[str, Any]] = field(default_factory=dict)

    def steps(self, tree: Tree, seconds: float) -> Iterator[None]:
        """Ask for decisions at a steady rate, look now and then, and stop the tree when the last one has ended."""
        while not answers(self.front_end.address):
            yield
        rng = random.Random(self.asked.seed)  # noqa: S311 -- applicants for a benchmark
        begun = time.monotonic()
        while (passed := time.monotonic() - begun) < seconds:
            if len(self.made) < passed * self.asked.points:
                self._decide(rng)
            if len(self.looks) < LOOKS * passed / seconds:
                self.looks.append(memory(tree))
            yield
        while len(self.ends) < len(self.made):
            if time.monotonic() - begun > seconds + LATE_SECONDS:
                raise BenchError(f"service-soak: {len(self.made) - len(self.ends)} decisions have not ended")
            self._look_at_ends()
            yield
        tree.stop.set()

    def found(self) -> dict[str, Any]:
        """Return the figures of the load; raises BenchError for a decision that was not certified."""
        if other := {one["state"] for one in self.ends.values()} - {"certified"}:
            raise BenchError(f"service-soak: decisions ended as {', '.join(sorted(other))}")
        waits = [_seconds(one, "decided", "certified") for one in self.ends.values()]
        proofs = [_seconds(one, "certifying", "certified") for one in self.ends.values()]
        names = sorted({name for look in self.looks for name in look})
        return {
            "decisions": len(self.made),
            "memory_mb": {name: [look.get(name, 0.0) for look in self.looks] for name in names},
            "decide_ms": _percentiles(self.decide_ms, 2),
            "certified_s": _percentiles(waits, 3),
            "proof_s": round(statistics.median(proofs), 3),
        }

    def _decide(self, rng: random.Random) -> None:
        """Ask for one decision."""
        features = {f"x{index}": f"{rng.gauss(0, 1):.3f}" for index in range(PLAIN)}
        begun = time.perf_counter()
        made = self.front_end.decide(MODEL, features)
        self.decide_ms.append(1e3 * (time.perf_counter() - begun))
        self.made.append(made["id"])

    def _look_at_ends(self) -> None:
        """Read those decisions that had not ended when they were read last."""
        for identifier in [one for one in self.made if one not in self.ends][:50]:
            read = self.front_end.decision(identifier)
            if read["state"] not in ("decided", "certifying"):
                self.ends[identifier] = read


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


def _seconds(decision: Mapping[str, Any], begin: str, end: str) -> float:
    """Return the seconds from one state of a decision to another, the last of each."""
    at = {step["state"]: datetime.fromisoformat(step["at"]) for step in decision["history"]}
    return (at[end] - at[begin]).total_seconds()


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
