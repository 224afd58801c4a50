"""A real worker whose prover hangs: it is ended from the console's page, and the worker goes on."""

import os
import signal
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path

import pytest

from equiproof.service.clients import Scope
from equiproof.service.console.officers import Role
from equiproof.service.decisions import history
from equiproof.service.jobs import durable
from equiproof.service.vault import make_vault
from tests.service.console.people import sign_in
from tests.service.test_attempts import row, told
from tests.support import ROOT

pytestmark = pytest.mark.slow

WORKER = """
import os, sys, time
from pathlib import Path
from equiproof.service.stopping import run_until_stopped
from equiproof.service.worker import provers
from equiproof.service.worker.child import Outcome
from equiproof.service.worker.running import work

def prove(order):
    folder = Path(sys.argv[1]).parent
    marks = folder / order.decision
    if not marks.exists():
        marks.write_text(str(os.getpid()))
        time.sleep(600)
    return Outcome("undecided", reason="of a test")

provers.prove = prove

def run(settings, stack, stopped):
    work(settings, stack, sys.argv[2])
    stopped.wait()

if __name__ == "__main__":
    run_until_stopped(sys.argv[1], run)
"""


@pytest.fixture
def address(tmp_path, sqlite_template):
    """A fresh SQLite file."""
    path = tmp_path / "service.db"
    path.write_bytes(sqlite_template.read_bytes())
    durable.migrate(f"sqlite:///{path}")
    return f"sqlite:///{path}"


@pytest.fixture
def start(tmp_path, address):
    """A function that starts a worker of a name; all end with the test."""
    (tmp_path / "worker.py").write_text(WORKER)
    (tmp_path / "service.toml").write_text(
        f'vault = "vault.keys"\ndatabase = "{address}"\n[lender]\nname = "North Bank"\n'
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with ExitStack() as stack:

        def started(name):
            words = [sys.executable, tmp_path / "worker.py", tmp_path / "service.toml", name]
            process = subprocess.Popen(words, env=environment, start_new_session=True)
            stack.callback(process.wait, 60)
            stack.callback(os.killpg, process.pid, signal.SIGKILL)
            return process

        yield started


def wait(true, seconds=120):
    """Wait for something."""
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end
        time.sleep(0.1)


def runs(process):
    """Return whether a process is there and no zombie."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_the_page_ends_provers_of_two_workers(start, started, address, tmp_path, rows):
    """One decision fails, the other one waits again and is proven; no other prover and no worker ends with them."""
    make_vault(tmp_path / "vault.keys", "first")
    service = started(address, (tmp_path / "vault.keys").read_text(), durable.Client(address))
    service.headers = {"Authorization": f"Bearer {service.key(Scope.SUBMIT).text}"}
    first, second = (service.post(rows[0]).json()["id"] for _ in range(2))
    processes = [start("one"), start("two")]
    wait(lambda: all((tmp_path / one).exists() for one in (first, second)))
    wait(lambda: all((tmp_path / one).read_text() for one in (first, second)))
    provers = [int((tmp_path / one).read_text()) for one in (first, second)]
    assert {row(service, one)[1] for one in (first, second)} == {"one", "two"}
    admin = sign_in(service, Role.ADMIN)
    assert admin.get("workers").text.count("/cancel") == 2
    assert admin.post(f"workers/{first}/cancel", then="failed").status_code == 303
    wait(lambda: told(service, first) == ("failed", "ended by an admin"), 20)
    wait(lambda: not runs(provers[0]), 20)
    assert runs(provers[1])
    assert admin.post(f"workers/{second}/cancel", then="decided").status_code == 303
    wait(lambda: not runs(provers[1]), 20)
    wait(lambda: told(service, second) == ("undecided", "of a test"))
    with service.shared.database.reading() as session:
        assert "ended by an admin; it waits again" in [one.reason for one in history(session, second)]
    assert admin.post(f"decisions/{first}/again").status_code == 303
    wait(lambda: told(service, first) == ("undecided", "of a test"))
    assert [one.poll() for one in processes] == [None, None]
