"""One model gives way to the next while the service runs: what is decided, logged and handed out on either side."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from http.client import HTTPConnection
from json import dumps, loads
from pathlib import Path

import pytest

from equiproof.prover.opening import Opening
from equiproof.service.checking import check, unready
from equiproof.service.clients import Scope, make_key
from equiproof.service.clock import now
from equiproof.service.jobs import durable
from equiproof.service.models import Files, ModelError, Models, add_model
from equiproof.service.outbox import Sender
from equiproof.service.public_log import PublicLog
from equiproof.service.settings import load_settings
from equiproof.service.states import State
from equiproof.service.store.database import Database
from equiproof.service.store.tables import Decision, Model
from equiproof.service.vault import make_vault
from equiproof.verifier.entries import parse_entry
from equiproof.verifier.logged import LogPins
from tests.register.log_folder import LogFolder
from tests.service import made
from tests.service.conftest import small
from tests.service.databases import BOTH
from tests.service.test_outbox import SIGNER, Log
from tests.support import LOANS, ROOT, network

MAPPED = Path("/proc/self/maps")
NOT_LOADED = ("libequiproof", "torch", "_native")
"""Files that no process that answers requests has in its memory: Go, torch, and what binds to Go."""


def second(folder):
    """Write the opening of another model over the same spec; return its file."""
    opening = Opening.of(network(LOANS, (2,), 9, sensitivity=1.0), LOANS, blinding=7)
    (folder / "second.json").write_bytes(opening.secret())
    return folder / "second.json"


def roll_over(service, folder):
    """Have another model decide, as `equiproof service model add` does in a process of its own; return its row."""
    with service.shared.database.transaction() as session:
        return add_model(session, "loans", Files(second(folder), folder / "keys"), service.clock())


def models_of(service):
    """Return the model of each decision in the order in which they were made, as the rows say."""
    with service.shared.database.reading() as session:
        rows = session.query(Decision).order_by(Decision.received).all()
        names = {row.id: row.commitment for row in session.query(Model)}
        return [names[row.model_id] for row in rows]


@pytest.fixture
def log(tmp_path):
    """A log in a folder."""
    folder = LogFolder(tmp_path / "log", SIGNER)
    folder.publish()
    return Log(folder, LogPins(SIGNER.verifier))


@pytest.fixture
def step(service, log):
    """A function that does all that the log process can do now, and returns what it says."""
    said = []
    public = PublicLog(str(log.folder.root), log.pins, log.append)
    sender = Sender(service.shared.database, Models(), public, "North Bank", said.append)

    def stepped():
        said.clear()
        while sender.step(service.clock()):
            pass
        return list(said)

    return stepped


def entries(log):
    """Return the log's entries about models."""
    found = (parse_entry(entry, "entry") for entry in log.folder.entries)
    return [entry for entry in found if entry.kind in ("commitment", "key", "link", "retire")]


@BOTH
def test_old_decisions_keep_their_model_and_new_ones_have_the_next(service, rows, tmp_path, log, step):
    """From the next request on; the log has both commitments, and then that the first one is retired for the second."""
    made.key(tmp_path / "keys" / "one")
    before = service.post(rows[0]).json()
    made.end(service, before["id"], State.CERTIFIED)
    step()
    row = roll_over(service, tmp_path)
    assert service.post(rows[0]).status_code == 201
    step()
    first = f"{small().commitment:064x}"
    assert models_of(service) == [first, row.commitment]
    assert [one["commitment"] for one in service.get("/v1/models").json()["models"]] == [row.commitment]
    kinds = [entry.kind for entry in entries(log)]
    assert [kinds.count(kind) for kind in ("commitment", "key", "retire")] == [2, 1, 1]
    old, new = (entry for entry in entries(log) if entry.kind == "commitment")
    retire = entries(log)[-1]
    assert (retire.digest, retire.successor) == (old.commitment, new.commitment)
    # The bundle of the first decision has the first model's commitment and its log proof.
    bundle = service.get(f"/v1/decisions/{before['id']}/bundle")
    assert bundle.status_code == 200
    assert first.encode() in bundle.content
    assert row.commitment.encode() not in bundle.content


def test_an_earlier_model_that_is_lost_holds_up_nothing_of_the_next(service, rows, tmp_path, log, step, caplog):
    """The next one decides and is logged; what needs the lost file says so, and the log names it."""
    before = service.post(rows[0]).json()
    row = roll_over(service, tmp_path)
    (tmp_path / "opening.json").unlink()
    service.shared.models._known.clear()  # as after a restart
    assert service.post(rows[0]).status_code == 201
    said = step()
    assert [line for line in said if "put the opening of the model loans back" in line and "opening.json" in line]
    assert [entry.kind for entry in entries(log)] == ["commitment"]
    with service.shared.database.reading() as session:
        assert session.get_one(Model, row.id).entry is not None
    lost = service.get(f"/v1/decisions/{before['id']}")
    assert (lost.status_code, lost.json()["type"]) == (503, "urn:equiproof:no-model")
    assert "opening.json" not in lost.text
    assert "Retry-After" in lost.headers
    (cause,) = [record.fields["cause"] for record in caplog.records if record.msg == "no model"]
    assert cause.startswith(
        "put the opening of the model loans back, or tell where it is by `equiproof service model add`"
    )
    assert cause.endswith(f": {tmp_path / 'opening.json'}: No such file or directory")


def test_one_that_was_retired_before_it_was_proven_is_proven(service, rows, tmp_path, log, step):
    """Witnesses that were away while models changed: bundles of both have a log proof."""
    made.key(tmp_path / "keys" / "one")
    service.post(rows[0])
    newest, log.folder.publish = log.folder.publish, lambda: None
    step()
    roll_over(service, tmp_path)
    log.folder.publish = newest
    log.folder.publish()
    step()
    with service.shared.database.reading() as session:
        assert all(row.proof for row in session.query(Model))


def test_the_file_of_an_opening_is_not_written_over(service, tmp_path):
    """The earlier decisions need it, and provers have it loaded under its name."""
    second(tmp_path)
    shutil.move(tmp_path / "second.json", tmp_path / "opening.json")
    with (
        service.shared.database.transaction() as session,
        pytest.raises(ModelError, match=r"^put the opening of .* back to .*opening\.json, and keep the new one in ano"),
    ):
        add_model(session, "loans", Files(tmp_path / "opening.json", tmp_path / "keys"), service.clock())


def test_the_files_of_a_retired_model_can_move(service, rows, tmp_path):
    """As after a restore on another machine: it stays retired, and its decisions are shown again."""
    before = service.post(rows[0]).json()["id"]
    row = roll_over(service, tmp_path)
    shutil.move(tmp_path / "opening.json", tmp_path / "moved.json")
    service.shared.models._known.clear()
    assert service.get(f"/v1/decisions/{before}").status_code == 503
    files = Files(tmp_path / "moved.json", tmp_path / "keys")
    with service.shared.database.transaction() as session:
        assert add_model(session, "loans", files, service.clock()).retired is not None
    assert service.get(f"/v1/decisions/{before}").status_code == 200
    assert [one["commitment"] for one in service.get("/v1/models").json()["models"]] == [row.commitment]
    with service.shared.database.transaction() as session, pytest.raises(ModelError, match="commit anew"):
        add_model(session, "loans", files, service.clock())


@pytest.fixture
def place(tmp_path):
    """A folder with a service that has a model, and an API key."""
    (tmp_path / "opening.json").write_bytes(small().secret())
    made.key(tmp_path / "keys" / "one")
    make_vault(tmp_path / "vault.keys", "first")
    with socket.create_server(("127.0.0.1", 0)) as held:
        at = f"127.0.0.1:{held.getsockname()[1]}"
    text = f'vault = "vault.keys"\nlisten = "{at}"\npublic_url = "http://{at}"\n[lender]\nname = "North Bank"\n'
    (tmp_path / "service.toml").write_text(text)
    return tmp_path


@pytest.fixture
def settings(place, sqlite_template):
    """Its settings, over a database with tables."""
    shutil.copy(sqlite_template, place / "service.db")
    found = load_settings(place / "service.toml")
    durable.migrate(found.database)
    return found


@pytest.fixture
def key(place, settings):
    """An API key; the model is added with it."""
    with Database(settings.database) as database, database.transaction() as session:
        add_model(session, "loans", Files(place / "opening.json", place / "keys"), now())
        return make_key(session, "bank", [Scope.SUBMIT, Scope.READ], now(), now() + 10**12).text


@pytest.fixture
def web(place, settings, key):
    """The process that answers requests, ready."""
    process = subprocess.Popen(
        [sys.executable, "-m", "equiproof.service.web", str(place / "service.toml")],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stderr=subprocess.DEVNULL,
    )
    try:
        end = time.monotonic() + 60
        while True:
            try:
                assert asked(settings, key, "GET", "/healthz")[0] == 200
                break
            except OSError:
                assert process.poll() is None
                assert time.monotonic() < end
                time.sleep(0.05)
        yield process
        process.send_signal(signal.SIGTERM)
        process.wait(30)
    finally:
        process.kill()
        process.wait()


def asked(settings, key, method, path, body=None, name=""):
    """Make a request; return status and body."""
    host, _, port = settings.listen.rpartition(":")
    connection = HTTPConnection(host, int(port), timeout=30)
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json", "Idempotency-Key": name}
    try:
        connection.request(method, path, None if body is None else dumps(body), headers)
        answer = connection.getresponse()
        return answer.status, loads(answer.read())
    finally:
        connection.close()


@pytest.mark.skipif(not MAPPED.exists(), reason="looks at a process's memory in /proc")
def test_the_running_web_process_takes_the_next_model_and_loads_neither_go_nor_torch(web, place, settings, key, rows):
    """One process decides under both models, one after the other; its memory has no file of Go or torch."""

    def decide(name):
        return asked(settings, key, "POST", "/v1/decisions", {"model": "loans", "features": rows[0]}, name)

    status, before = decide("request-1")
    assert status == 201
    with Database(settings.database) as database, database.transaction() as session:
        row = add_model(session, "loans", Files(second(place), place / "keys"), now())
    assert decide("request-2")[0] == 201
    assert decide("request-1") == (201, before)
    with Database(settings.database) as database, database.reading() as session:
        used = [one.model_id for one in session.query(Decision).order_by(Decision.received)]
    assert used[1:] == [row.id]
    assert used[0] != row.id
    _, shown = asked(settings, key, "GET", "/v1/models")
    assert [one["commitment"] for one in shown["models"]] == [row.commitment]
    assert web.poll() is None
    mapped = {Path(line.split()[-1]).name for line in Path(f"/proc/{web.pid}/maps").read_text().splitlines()}
    assert [name for name in mapped if name.startswith("_sqlite3")]  # the look sees what is loaded
    assert not [name for name in mapped if name.startswith(NOT_LOADED)]


def test_the_check_names_what_an_earlier_model_lacks(place, settings, key):
    """One without decisions needs nothing; of one with decisions the opening is missed by its name."""
    with Database(settings.database) as database, database.transaction() as session:
        add_model(session, "loans", Files(second(place), place / "keys"), now())
    (place / "opening.json").unlink()
    assert not [one for one in check(settings) if one.text.startswith("earlier model")]
    with Database(settings.database) as database, database.transaction() as session:
        (first,) = session.query(Model).filter(Model.retired.is_not(None))
        session.add(
            Decision(
                id="0" * 32,
                client="bank",
                model_id=first.id,
                state="failed",
                received=1,
                query_commitment="0" * 64,
                receipt="0" * 64,
            )
        )
    (found,) = [one for one in check(settings) if one.text.startswith("earlier model")]
    assert found in [*unready(settings)]  # `equiproof serve` says it too, and begins
    assert not found.good
    assert "put the opening of the model loans back" in found.text
