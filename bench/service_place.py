"""A lending service in a folder, each of its processes by name: started, killed -9, and started again."""

from __future__ import annotations

import os
import random
import resource
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from socket import create_server
from typing import Any

from bench.harness import BenchError
from bench.log import PROGRAM
from bench.postgres import Server
from bench.seeded import network_of, spec_of
from equiproof.circuits.shape import traversal_shape
from equiproof.prover import KeyStore
from equiproof.prover.opening import Opening
from equiproof.prover.owner import SECRET_VARIABLE
from equiproof.service.clients import Scope, make_key
from equiproof.service.clock import now
from equiproof.service.models import Files, add_model
from equiproof.service.settings import Settings, load_settings
from equiproof.service.starting import prepare
from equiproof.service.store.database import Database
from equiproof.service.vault import make_vault
from equiproof.verifier.notes import Signer

SPEC, HIDDEN = spec_of(1, 2), (1,)
SHAPE = traversal_shape(SPEC, HIDDEN, 4)
MODEL, NAME, SETTINGS = "killed", "kills.example/log", "service.toml"
LIFE = 30 * 86_400 * 10**6

_SETTINGS = {"max_connections": "100"}
"""Of PostgreSQL, whose own defaults keep what was acknowledged when it is killed."""

OFTEN = "every_seconds = 0.2\n"
"""How often the log process looks for receipts, so that many kills meet it at work."""

LARGEST_QUEUE = 10_000_000
"""More certificates than ever wait here."""

_CUT = "select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname = 'service'"
_NO_ROOM = 512
"""How many bytes a file of the log has at most while the log's disk is full."""

OURS = ("web", "worker", "log")
"""The service's own processes, each `python -m equiproof.service.NAME`."""


@dataclass
class Place:
    """A folder with everything that the processes need, and what a client needs to ask them."""

    folder: Path
    settings: Settings
    opening: Opening
    rows: tuple[Mapping[str, Any], Mapping[str, Any]]
    """An applicant about whom the model decides, and one whom it leaves to a person."""
    key: str = field(repr=False)
    signer: Signer = field(repr=False)
    server: Server | None = None
    processes: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    def words(self, name: str) -> Sequence[str]:
        """Return the command of a process by its name; what follows a blank tells several of a kind apart."""
        if name == "writer":
            address = self.settings.log.url.removeprefix("http://") if self.settings.log else ""
            return (str(PROGRAM), "serve", str(self.folder / "log"), "--listen", address)
        return (sys.executable, "-m", f"equiproof.service.{name.partition(' ')[0]}", str(self.folder / SETTINGS))

    def start(self, name: str) -> None:
        """Start a process; what it says goes to a file of its own."""
        with (self.folder / f"{name}.txt").open("ab") as said:
            self.processes[name] = subprocess.Popen(
                self.words(name), stdin=subprocess.DEVNULL, stdout=said, stderr=said, start_new_session=True
            )

    def kill(self, name: str) -> bool:
        """Kill a process -9 and start it again; of "prover" a child of the worker's, which the worker replaces.

        "connections" cuts those of PostgreSQL, as when it restarts; "full" is the disk of the public log, whose writer
        ends then. Returns whether there was anything to kill. The worker's own children are left to notice that it is
        gone.
        """
        if name in ("database", "connections"):
            if self.server is None:
                return False
            if name == "connections":
                self.server.run(_CUT)
            else:
                self.server.kill()
                self.server.start()
            return True
        if name == "full":
            with suppress(ProcessLookupError):  # it has ended by itself, and is started again
                resource.prlimit(self.processes["writer"].pid, resource.RLIMIT_FSIZE, (_NO_ROOM, _NO_ROOM))
            return True
        if name == "prover":
            provers = _provers(self.processes["worker"].pid)
            for process in provers[:1]:
                with suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)
            return bool(provers)
        self.processes[name].kill()
        self.processes[name].wait()
        self.start(name)
        return True

    def revive(self) -> list[str]:
        """Start again what ended by itself, as whoever runs the service would; returns the names."""
        ended = [name for name, process in self.processes.items() if process.poll() is not None]
        for name in ended:
            self.start(name)
        return ended

    def end(self) -> None:
        """End every process with all that it started."""
        for process in self.processes.values():
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def said(self) -> str:
        """Return the last lines of every process."""
        files = sorted(self.folder.glob("*.txt"))
        return "\n".join(f"{path.stem}: {path.read_text(errors='replace')[-600:]}" for path in files)


@contextmanager
def placed(folder: Path, database: str) -> Iterator[Place]:
    """Make a service with one model, a key and a log, on "sqlite" or "postgresql"; nothing of it runs afterwards.

    Raises BenchError where there is no writer of logs, NoServerError where there is no PostgreSQL.
    """
    if not PROGRAM.is_file():
        raise BenchError("service-kills: no equiproof-log: call `make log`")
    before = os.environ.get(SECRET_VARIABLE)
    os.environ[SECRET_VARIABLE] = str(folder / "owner.secret")
    server = Server(_SETTINGS) if database == "postgresql" else None
    try:
        if server is not None:
            server.run("create database service")
        place = _made(folder, server.address("service") if server else "sqlite:///service.db")
        place.server = server
        try:
            yield place
        finally:
            place.end()
    finally:
        if server is not None:
            server.close()
        if before is None:
            del os.environ[SECRET_VARIABLE]
        else:
            os.environ[SECRET_VARIABLE] = before


def _made(folder: Path, address: str) -> Place:
    """Write opening, key, vault, log and settings, and the first rows of the database."""
    opening = Opening.of(_network(), SPEC, blinding=1)
    (folder / "opening.json").write_bytes(opening.secret())
    KeyStore(folder / "keys").setup(SHAPE)
    make_vault(folder / "vault.keys", "first")
    signer = Signer.new(NAME)
    (folder / "log.key").write_text(f"{signer.text}\n", encoding="utf-8")
    (folder / "log.pub").write_text(f"{signer.verifier.text}\n", encoding="utf-8")
    words = (PROGRAM, "init", folder / "log", "--origin", NAME, "--key", folder / "log.key")
    subprocess.run([*map(str, words)], check=True, capture_output=True)
    listen, log = _free(), _free()
    (folder / SETTINGS).write_text(
        f'vault = "vault.keys"\ndatabase = "{address}"\nlisten = "{listen}"\n[lender]\nname = "Bench"\n'
        f'[log]\nurl = "http://{log}"\nkey = "log.pub"\n{OFTEN}',
        encoding="utf-8",
    )
    settings = load_settings(folder / SETTINGS)
    prepare(settings)
    with Database(settings.database) as database, database.transaction() as session:
        add_model(session, MODEL, Files(folder / "opening.json", folder / "keys"), now())
        key = make_key(session, "bench", [Scope.SUBMIT, Scope.READ], now(), now() + LIFE)
    return Place(folder, settings, opening, _rows(opening), key.text, signer)


def _network() -> Any:
    """Return a small network that the sensitive feature sways, a little."""
    network = network_of(SPEC, HIDDEN)
    first = network.layers[0]
    weights = tuple((*row[:-1], 1 << 10) for row in first.weights)
    return replace(network, layers=(replace(first, weights=weights), *network.layers[1:]))


def _rows(opening: Opening) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """Look for an applicant about whom the model decides, and for one whom it leaves to a person."""
    found: dict[bool, Mapping[str, Any]] = {}
    drawn = random.Random(1)  # noqa: S311 -- applicants of a benchmark
    for _ in range(100_000):
        row = {"x0": f"{drawn.gauss(0, 2):.4f}"}
        labels = {opening.network.decide((*SPEC.encode(row), *columns)) for columns in SPEC.domain_table}
        found.setdefault(len(labels) == 1, row)
        if len(found) == 2:
            return found[True], found[False]
    raise BenchError("service-kills: the model decides alike about everybody")


def _free() -> str:
    """Return an address of this machine that nothing listens at."""
    with create_server(("127.0.0.1", 0)) as server:
        return f"127.0.0.1:{server.getsockname()[1]}"


def _provers(worker: int) -> list[int]:
    """Return the processes that prove for a worker, as Linux lists them."""
    found = list[int]()
    for listed in Path(f"/proc/{worker}/task").glob("*/children"):
        with suppress(OSError):
            processes = map(int, listed.read_text().split())
            found += [one for one in processes if b"spawn_main" in Path(f"/proc/{one}/cmdline").read_bytes()]
    return found
