"""From an application to a verified certificate, with a real key, a real worker process, and kills."""

import os
import signal
import subprocess
import sys
import time
from contextlib import ExitStack

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from equiproof.circuits.shape import shape_of
from equiproof.prover.keys import KeyStore
from equiproof.prover.opening import Opening, load_opening
from equiproof.service.clients import Scope, make_key
from equiproof.service.clock import now
from equiproof.service.decisions import opened
from equiproof.service.models import Files, add_model
from equiproof.service.settings import load_settings
from equiproof.service.starting import prepare
from equiproof.service.store.database import Database
from equiproof.service.store.tables import Decision, Heartbeat
from equiproof.service.vault import load_vault, make_vault
from equiproof.service.web.serving import application
from equiproof.verifier import AllOf, ForContext, ForQuery, Verifier
from equiproof.verifier.bundle import parse_bundle
from equiproof.verifier.documents import parse_commitment
from tests.support import LOANS, ROOT, copied_key, network, trusting

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder with opening, key, vault and settings."""
    folder = tmp_path_factory.mktemp("service")
    opening = Opening.of(network(LOANS, (2,), 6, sensitivity=1.0), LOANS, blinding=5)
    (folder / "opening.json").write_bytes(opening.secret())
    copied_key(folder / "keys", shape_of("traversal", LOANS, (2,), 4))
    make_vault(folder / "vault.keys", "first")
    # Provers that wait until nothing else runs would take minutes beside other tests.
    settings = 'vault = "vault.keys"\nprover_priority = "normal"\n[lender]\nname = "North Bank"\n'
    (folder / "service.toml").write_text(settings)
    return folder


def worker(folder):
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.Popen(
        [sys.executable, "-m", "equiproof.service.worker", str(folder / "service.toml")],
        env=environment,
        start_new_session=True,
    )


def kill(process):
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def test_every_decision_ends_though_workers_are_killed(place, rows):
    """Two workers are killed -9 at work; each decision is certified once, and each certificate verifies."""
    settings = load_settings(place / "service.toml")
    (stored,) = KeyStore(place / "keys").all()
    opening = load_opening(place / "opening.json")
    verifier = Verifier(parse_commitment(opening.public(), "commitment"), trusting(stored))
    prepare(settings)
    with ExitStack() as stack:
        client = TestClient(application(settings, stack), base_url="http://127.0.0.1:8080")
        with Database(settings.database) as database, database.transaction() as session:
            add_model(session, "loans", Files(place / "opening.json", place / "keys"), now())
            key = make_key(session, "bank", [Scope.SUBMIT, Scope.READ], now(), now() + 10**12)
        headers = {"Authorization": f"Bearer {key.text}"}

        def ask(number):
            return client.post(
                "/v1/decisions",
                json={"model": "loans", "features": rows[0], "reference": str(number)},
                headers={**headers, "Idempotency-Key": f"request-{number}"},
            ).json()["id"]

        made = [ask(number) for number in range(6)]

        def certified():
            pages = client.get("/v1/decisions", headers=headers, params={"state": "certified"}).json()
            return len(pages["decisions"])

        for most in (1, 3):
            process = worker(place)
            try:
                wait(lambda least=most: certified() >= least)
            finally:
                kill(process)
        process = worker(place)
        try:
            wait(lambda: certified() == len(made))
            last = ask("last")
            wait(lambda: client.get(f"/v1/decisions/{last}", headers=headers).json()["state"] != "decided")
            process.send_signal(signal.SIGTERM)
            assert process.wait(90) == 0
        except BaseException:
            kill(process)
            raise
        # What had begun has ended, rather than being left to the next worker.
        assert certified() == len([*made, last])
        with stack.enter_context(Database(settings.database)).transaction() as session:
            (beat,) = session.scalars(select(Heartbeat))
            assert beat.beat > beat.started
        for identifier in made:
            said = client.get(f"/v1/decisions/{identifier}", headers=headers).json()
            assert [step["state"] for step in said["history"]] == ["decided", "certifying", "certified"]
            with stack.enter_context(Database(settings.database)).transaction() as session:
                kept = opened(session.get(Decision, identifier), load_vault(place / "vault.keys"))
            body = client.get(f"/v1/decisions/{identifier}/certificate", headers=headers).content
            verifier.verify(body, AllOf(ForQuery(kept.query), ForContext(kept.context)))
        papers = {
            name: client.get(f"/v1/decisions/{made[0]}/{name}", headers=headers)
            for name in ("bundle", "letter", "package", "receipt")
        }
        assert {name: said.status_code for name, said in papers.items()} == dict.fromkeys(papers, 200)
        own = parse_bundle(papers["bundle"].content, "bundle")
        assert (own.certificate, own.receipt) == (
            client.get(f"/v1/decisions/{made[0]}/certificate", headers=headers).content,
            papers["receipt"].content,
        )


def wait(true, seconds=600):
    """Wait for something; on a busy machine it takes its time."""
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end
        time.sleep(0.1)
