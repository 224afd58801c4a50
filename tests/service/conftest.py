"""A service over a small model, on each kind of database."""

import random
import shutil
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cache

import pytest

pytest.importorskip("fastapi", reason="the extra `service` is not installed")

from fastapi.testclient import TestClient

from bench.postgres import Server
from equiproof.prover.opening import Opening
from equiproof.service.clients import Scope, make_key
from equiproof.service.decisions import Holders
from equiproof.service.models import Files, Models, add_model, all_models
from equiproof.service.settings import LenderSettings, LimitSettings, Settings
from equiproof.service.store import migrations
from equiproof.service.store.database import Database
from equiproof.service.tracing import tracing_to
from equiproof.service.vault import new_line, parse_vault
from equiproof.service.web.app import create_app
from equiproof.service.web.state import Shared
from tests.service import databases
from tests.support import LOANS, applicant, network

START = 1_790_000_000_000_000


@dataclass
class Clock:
    """A clock that a test moves."""

    now: int = START

    def __call__(self) -> int:
        self.now += 1
        return self.now


@dataclass
class Submitted:
    """Jobs that are only noted."""

    done: list = field(default_factory=list)

    def submit(self, session, jobs):
        self.done += jobs.items()


@dataclass
class Service:
    """An application with a key that may submit and read."""

    shared: Shared
    clock: Clock
    client: TestClient
    opening: Opening
    headers: dict = field(default_factory=dict)
    count: int = 0

    def post(self, features, *, key=None, **more):
        """Ask for a decision, under an idempotency key of its own unless one is given."""
        self.count += 1
        body = {"model": "loans", "features": features, **more}
        headers = {**self.headers, "Idempotency-Key": key or f"request-{self.count:08}"}
        return self.client.post("/v1/decisions", json=body, headers=headers)

    def get(self, path, **params):
        """Ask for what there is."""
        return self.client.get(path, headers=self.headers, params=params or None)

    def key(self, *scopes, client="bank", lives=10**12):
        """Make a key."""
        with self.shared.database.transaction() as session:
            return make_key(session, client, scopes, self.clock.now, self.clock.now + lives)


@pytest.fixture(scope="session")
def postgres():
    """A PostgreSQL server for this process; without its programs the test is skipped, and in CI it fails."""
    databases.refuse_or_skip()
    with Server() as server:
        yield server


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory):
    """A SQLite file with the service's tables and nothing in them."""
    path = tmp_path_factory.mktemp("sqlite") / "template.db"
    migrations.upgrade(f"sqlite:///{path}")
    return path


@pytest.fixture(scope="session")
def postgres_template(postgres):
    """The name of a database with the service's tables and nothing in them."""
    postgres.run("create database template")
    migrations.upgrade(postgres.address("template"))
    return "template"


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.slow)])
def address(request, tmp_path):
    """The address of a fresh database with the service's tables, on each kind of database in turn.

    PostgreSQL is for the slow tests, but where `@databases.BOTH` says that locks, orders or types may differ. A test
    that has to do with one kind only says so: `@pytest.mark.parametrize("address", ["sqlite"], indirect=True)`.
    """
    if request.param == "sqlite":
        shutil.copy(request.getfixturevalue("sqlite_template"), tmp_path / "service.db")
        yield f"sqlite:///{tmp_path / 'service.db'}"
        return
    server, name = request.getfixturevalue("postgres"), databases.fresh_name()
    server.run(f"create database {name} template {request.getfixturevalue('postgres_template')}")
    yield server.address(name)
    server.run(f"drop database {name} with (force)")


@pytest.fixture
def spans():
    """What measures, and what it has measured."""
    exports = pytest.importorskip("opentelemetry.sdk.trace.export", reason="the extra `otel` is not installed")
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    exporter = InMemorySpanExporter()
    with ExitStack() as stack:
        yield tracing_to(exports.SimpleSpanProcessor(exporter), stack, "test"), exporter


@pytest.fixture
def empty(request, tmp_path):
    """A function from a kind to the address of a fresh database without tables; PostgreSQL's go with their server."""

    def made(kind):
        if kind == "sqlite":
            return f"sqlite:///{tmp_path / databases.fresh_name()}.db"
        server, name = request.getfixturevalue("postgres"), databases.fresh_name()
        server.run(f"create database {name}")
        return server.address(name)

    return made


@pytest.fixture
def started(tmp_path):
    """A function that starts an application on a database, and brings its model there unless one is there already."""
    with ExitStack() as stack:

        def start(address, vault_line, jobs=None, opening=None, **more):
            opening = opening or small()
            (tmp_path / "opening.json").write_bytes(opening.secret())
            database, clock = stack.enter_context(Database(address)), Clock()
            with database.transaction() as session:
                for row in all_models(session):
                    row.keys = str(tmp_path / "keys")  # of the machine on which the model was added
                add_model(session, "loans", Files(tmp_path / "opening.json", tmp_path / "keys"), clock())
            vault = parse_vault(vault_line, "vault")
            lender, limits = LenderSettings("North Bank"), LimitSettings(largest_queue=1000)
            settings = Settings(vault="vault.keys", lender=lender, limits=limits, hosts=("testserver",), **more)
            shared = Shared(settings, database, Models(), Holders(vault, jobs or Submitted()), clock)
            client = TestClient(create_app(shared), raise_server_exceptions=False)
            return Service(shared, clock, client, opening)

        yield start


@pytest.fixture
def service(address, started):
    """A running application with a key, on each kind of database in turn."""
    made = started(address, new_line("first"))
    made.headers = {"Authorization": f"Bearer {made.key(Scope.SUBMIT, Scope.READ).text}"}
    return made


@pytest.fixture
def rows():
    """Raw applicants of the model: the model decides the first alike for both values, and the second otherwise."""
    return tuple(dict(row) for row in found_rows())


@cache
def small():
    """Return the model of all these tests."""
    return Opening.of(network(LOANS, (2,), 6, sensitivity=1.0), LOANS, blinding=5)


@cache
def found_rows():
    """Return the applicants of `rows`, looked for once."""
    opening = small()
    found = {}
    for seed in range(10_000):
        row = applicant(LOANS, random.Random(seed))
        labels = {opening.network.decide((*LOANS.encode(row), *values)) for values in LOANS.domain_table}
        found.setdefault(len(labels) == 1, row)
        if len(found) == 2:
            return found[True], found[False]
    raise AssertionError("the model decides all applicants alike")
