"""`/readyz` says what keeps the service from its work, in words, and goes back by itself when it is over."""

import resource
import sqlite3
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

pytest.importorskip("fastapi", reason="the extra `service` is not installed")

from sqlalchemy import update

from equiproof.circuits.shape import shape_of
from equiproof.service.settings import LogSettings
from equiproof.service.store.tables import Decision, Heartbeat, Outgoing
from equiproof.service.vault import make_vault
from equiproof.service.web import readiness
from equiproof.service.web.readiness import Readiness
from equiproof.verifier.documents import KEY_FILE, PROVING_FILE
from tests.support import LOANS, copied_key

SQLITE = pytest.mark.parametrize("address", ["sqlite"], indirect=True)


@pytest.fixture
def faults(service, monkeypatch, tmp_path):
    """A function that looks anew, and returns what is told; the keys lie there, as for every service."""
    monkeypatch.setattr(readiness, "LOOK_SECONDS", -1.0)
    make_vault(tmp_path / "vault.keys", "k1")
    copied_key(tmp_path / "keys", shape_of("traversal", LOANS, (2,), 4))
    settings = msgspec.structs.replace(service.shared.settings, vault=str(tmp_path / "vault.keys"))
    object.__setattr__(service.shared, "settings", settings)
    return Readiness(service.shared).faults


def changed(service, table, **values):
    """Change each row of a table."""
    with service.shared.database.transaction() as session:
        session.execute(update(table).values(**values))


def path_of(service):
    """Return the file of the service's database."""
    return Path(service.shared.database.engine.url.database)


def test_a_service_at_work_is_ready(service, rows, faults):
    """With a decision that waits since a moment ago."""
    service.post(rows[0])
    assert faults() == ()


@SQLITE
def test_a_writer_that_does_not_end_is_told(service, faults, monkeypatch):
    """While another program holds the database, and no longer."""
    monkeypatch.setattr("equiproof.service.store.database.BUSY_SECONDS", 0.1)
    with closing(sqlite3.connect(path_of(service), isolation_level=None)) as other:
        other.execute("begin immediate")
        assert faults() == ("end the program that writes to the database: decisions wait for it",)
        other.execute("rollback")
        assert faults() == ()


@SQLITE
def test_a_full_disk_is_told(service, faults):
    """Where no file may grow any more; what is read is still read."""
    assert faults() == ()
    service.shared.database.engine.dispose()
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, before[1]))
    try:
        (told,) = faults()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert told in ("make room on the disk of the database: it is full", "look at the database: it keeps nothing now")
    assert faults() == ()


def test_a_vault_key_that_is_gone_is_told(service, faults):
    """Nothing new can be sealed, and nothing read anew; the words name no file."""
    vault = Path(service.shared.settings.vault)
    hidden = vault.with_suffix(".away")
    vault.rename(hidden)
    assert faults() == ("put the file of the vault's key back: it cannot be read",)
    hidden.rename(vault)
    assert faults() == ()


@pytest.mark.parametrize("name", [PROVING_FILE, KEY_FILE])
def test_a_proving_key_that_is_moved_away_is_told(service, rows, faults, tmp_path, name):
    """After the start as well, whichever of its files it is; decisions go on, and it is over by itself."""
    assert faults() == ()
    (path,) = (tmp_path / "keys").glob(f"*/{name}")
    path.rename(tmp_path / "away")
    told = "put the key folder of model loans back: there is no proving key, and certificates wait"
    assert faults() == (told,)
    assert service.post(rows[0]).status_code == 201
    (tmp_path / "away").rename(path)
    assert faults() == ()


def test_an_opening_that_is_moved_away_is_told(service, rows, faults, tmp_path):
    """This process has read it, and decides; the next one that is started could not."""
    assert service.post(rows[0]).status_code == 201
    path = tmp_path / "opening.json"
    path.rename(tmp_path / "away")
    assert faults() == ("put the opening of model loans back: it cannot be read",)
    (tmp_path / "away").rename(path)
    assert faults() == ()


def test_provers_without_a_processor_are_told(service, rows, faults):
    """Where all workers that live say so, and a certificate waits."""
    starved = "leave the provers a processor, or set prover_priority: other programs take it, and certificates wait"
    with service.shared.database.transaction() as session:
        session.add(Heartbeat(name="w", started=1, beat=service.clock(), starved=1))
    assert faults() == ()
    service.post(rows[0])
    changed(service, Decision, received=service.clock() - readiness.SILENCE - 1)
    assert faults() == (starved,)
    with service.shared.database.transaction() as session:
        session.add(Heartbeat(name="v", started=1, beat=service.clock(), starved=0))
    assert faults() == ()
    changed(service, Heartbeat, starved=1)
    assert faults() == (starved,)
    changed(service, Heartbeat, starved=0)
    assert faults() == ()


def test_a_log_that_takes_nothing_is_told(service, rows, faults):
    """Refused receipts, or receipts that nobody has sent, both after ten seconds; without a log none is missed."""
    service.post(rows[0])
    changed(service, Outgoing, created=service.clock() - readiness.SILENCE - 1)
    assert faults() == ()
    settings = msgspec.structs.replace(service.shared.settings, log=LogSettings("http://127.0.0.1:1", "log.pub"))
    object.__setattr__(service.shared, "settings", settings)
    assert faults() == ("start the log process: nobody sends receipts to the public log",)
    changed(service, Outgoing, attempts=1)
    assert faults() == ("look at the public log: it does not take receipts, and they wait",)
    changed(service, Outgoing, done=1)
    assert faults() == ()


def test_certificates_that_nobody_makes_are_told(service, rows, faults):
    """Where one waits and no worker has lived for ten seconds; a worker that lives is enough."""
    service.post(rows[0])
    long_ago = service.clock() - readiness.SILENCE - 1
    changed(service, Decision, received=long_ago)
    assert faults() == ("start a worker: none lives, and certificates wait",)
    with service.shared.database.transaction() as session:
        session.add(Heartbeat(name="w", started=1, beat=service.clock()))
    assert faults() == ()
    changed(service, Heartbeat, beat=long_ago)
    assert faults() == ("start a worker: none lives, and certificates wait",)


def test_strangers_do_not_make_it_look_again_and_again(service):
    """A look holds for two seconds, whoever asks."""
    times = [0.0]
    looks = []

    class Counted(Readiness):
        def _look(self):
            looks.append(1)
            return iter(())

    counted = Counted(service.shared, lambda: times[0])
    for _ in range(5):
        assert counted.faults() == ()
    assert len(looks) == 1
    times[0] = readiness.LOOK_SECONDS
    assert counted.faults() == ()
    assert len(looks) == 2
