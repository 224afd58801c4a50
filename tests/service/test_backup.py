"""The page's commands bring a service back from a copy that was made while it decided, on both kinds of database."""

import re
import shlex
import sqlite3
import subprocess
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from pathlib import Path

import pytest
from sqlalchemy import func, select, table

from equiproof.service.clients import Scope
from equiproof.service.jobs import durable
from equiproof.service.states import State
from equiproof.service.store import migrations
from equiproof.service.store.tables import Decision, Outgoing, Request, Transition
from equiproof.service.vault import new_line
from tests.service.databases import name_of
from tests.support import ROOT

pytestmark = pytest.mark.slow

PAGE = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
COPY, BACK, SERVER = (
    block.strip().splitlines()
    for block in re.findall(r"```sh\n(.*?)```", PAGE.partition("## Backup")[2], re.DOTALL)[:3]
)
"""The page's commands: a copy of SQLite, the way back, and both on PostgreSQL."""


def copy_of_sqlite(folder):
    """Do what the page's command does, with Python's SQLite instead of its program."""
    (line,) = COPY
    program, file, statement = shlex.split(line)
    assert program == "sqlite3"
    with closing(sqlite3.connect(folder / file, isolation_level=None)) as connection:
        connection.execute(statement.replace("'copy.db'", f"'{folder / 'copy.db'}'"))


def on_the_server(server, line, folder, database):
    """Run a command of the page on the tests' server."""
    words = [word.replace("copy.dump", str(folder / "copy.dump")) for word in shlex.split(line)]
    return server.call(*[database if word == "equiproof" else word for word in words])


def while_deciding(service, rows, act):
    """Do something once ten of fifty decisions are made; return the answers, and how many there were before it."""
    with ThreadPoolExecutor(3) as pool:
        said = [pool.submit(service.post, rows[n % 2], key=f"before-{n:04}", reference=str(n)) for n in range(50)]
        for one in said[:10]:
            one.result()
        done = [one.done() for one in said]
        act()
        return {f"before-{n:04}": (one.result(), done[n]) for n, one in enumerate(said)}


def refuse_half(session, jobs):
    """Each decision has its receipt, its history, its answer and its job, and none of them is there without it."""
    decisions = Counter(session.scalars(select(Decision.id)))
    waiting = session.scalar(select(func.count()).where(Decision.state == State.DECIDED))
    assert session.scalar(select(func.count()).select_from(jobs)) == waiting > 0
    assert Counter(session.scalars(select(Outgoing.decision_id))) == decisions
    assert Counter(session.scalars(select(Transition.decision_id))) == decisions
    assert len(session.scalars(select(Request.key)).all()) == decisions.total()


def gone_on(service, rows, answers, jobs):
    """What was answered before the copy has the same answer; everything else is decided once more, and so is more."""
    with service.shared.database.transaction() as session:
        refuse_half(session, jobs)
    for number, (key, (answer, was_before)) in enumerate(answers.items()):
        again = service.post(rows[number % 2], key=key, reference=str(number))
        assert again.status_code == 201, again.text
        assert not was_before or again.content == answer.content
    assert service.post(rows[0], key="after-it-all").status_code == 201


@pytest.fixture
def lender(started):
    """A function that starts a service with real jobs, under the same vault and API key each time."""
    line, headers = new_line("first"), {}
    with ExitStack() as stack:

        def start(address):
            durable.migrate(address)
            client = durable.Client(address)
            stack.callback(client.close)
            service = started(address, line, client)
            headers.update(headers or {"Authorization": f"Bearer {service.key(Scope.SUBMIT).text}"})
            service.headers = headers
            return service

        yield start


@pytest.mark.parametrize("address", ["sqlite"], indirect=True)
def test_sqlite_from_a_copy(address, lender, rows, tmp_path):
    """What is left of the database that is gone does no harm, as the page removes it."""
    service = lender(address)
    answers = while_deciding(service, rows, lambda: copy_of_sqlite(tmp_path))
    wal = Path(f"{name_of(address)}-wal").read_bytes()
    service.shared.database.engine.dispose()
    Path(name_of(address)).write_bytes(b"gone")
    Path(f"{name_of(address)}-wal").write_bytes(wal)
    for line in BACK:
        subprocess.run(["sh", "-c", line], cwd=tmp_path, check=True)
    migrations.refuse_other(address)
    gone_on(lender(address), rows, answers, table("workflow_status"))


@pytest.mark.parametrize("address", ["postgres"], indirect=True)
def test_postgresql_from_a_copy(postgres, address, lender, rows, tmp_path):
    """The way back leads into a new database."""
    dump, *back = SERVER
    answers = while_deciding(lender(address), rows, lambda: on_the_server(postgres, dump, tmp_path, name_of(address)))
    for line in back:
        on_the_server(postgres, line, tmp_path, name_of(address))
    restored = postgres.address("restored")
    migrations.refuse_other(restored)
    gone_on(lender(restored), rows, answers, table("workflow_status", schema="dbos"))
