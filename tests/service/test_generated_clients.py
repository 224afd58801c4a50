"""The clients in examples/clients are those of today's interface, and work against a server."""

import importlib.util
import json
import subprocess
import threading
import time

import pytest
import uvicorn

from equiproof.service.clients import Scope
from equiproof.service.states import State
from scripts import clients
from tests import node
from tests.service import made
from tests.support import LOANS, ROOT

pytestmark = pytest.mark.parametrize("address", ["sqlite"], indirect=True)

PACKAGES = ROOT / "web" / "verifier" / "node_modules"

SCRIPT = """
import { Client, ServiceError } from "./client.mjs";
const [address, key, features] = process.argv.slice(2);
const client = new Client(address, key);
const models = await client.models();
const body = { model: models.models[0].name, features: JSON.parse(features) };
const made = await client.decide(body, { idempotencyKey: "from-node-1" });
const again = await client.decide(body, { idempotencyKey: "from-node-1" });
const listed = await client.decisions({ limit: 1 });
const receipt = JSON.parse(new TextDecoder().decode(await client.receipt(made.id)));
const link = await client.makeLink(made.id, { days: 3 });
await client.revokeLinks(made.id);
const refused = await client.certificate(made.id).catch((error) => error);
console.log(JSON.stringify({
  same: made.id === again.id && listed.decisions[0].id === made.id, state: made.state, format: receipt.format,
  link: link.url, refused: [refused instanceof ServiceError, refused.status, refused.kind],
}));
"""


@pytest.fixture
def running(service):
    """The address of a server over a socket, with a key that may do everything."""
    config = uvicorn.Config(service.client.app, port=0, log_config=None, lifespan="off")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    yield f"http://127.0.0.1:{port}", service.key(*Scope).text
    server.should_exit = True
    thread.join()


def test_the_files_are_those_of_todays_interface(address):
    """Made again, they are the same to the byte."""
    del address
    kept = {name: (clients.FOLDER / name).read_text() for name in clients.files()}
    assert kept == clients.files(), "run scripts/clients.py"


def test_the_client_in_python(service, rows, running):
    """From an application to a certificate; a refusal is an error with its kind."""
    spec = importlib.util.spec_from_file_location("equiproof_client", clients.FOLDER / "equiproof_client.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    client = module.Client(*running)
    assert [model["name"] for model in client.models()["models"]] == ["loans"]
    body = {"model": "loans", "features": rows[0], "reference": "a/b?"}
    decision = client.decide(body, idempotency_key="from-python-1")
    assert client.decide(body, idempotency_key="from-python-1") == decision
    with pytest.raises(module.ServiceError) as refused:
        client.letter(decision["id"])
    assert (refused.value.status, refused.value.kind) == (409, "held")
    made.end(service, decision["id"], State.CERTIFIED)
    assert json.loads(client.certificate(decision["id"]))["format"] == "equiproof-certificate"
    assert client.decision(decision["id"])["state"] == "certified"
    assert client.decisions(state="certified", limit=1)["decisions"][0]["id"] == decision["id"]
    assert client.revoke_links(decision["id"]) is None
    review = client.decide({**body, "features": rows[1], "reference": None}, idempotency_key="from-python-2")
    given = {"label": LOANS.labels[1], "reason": "payslips", "name": "M. Okafor"}
    assert client.override(review["id"], given)["outcome"] == LOANS.labels[1]
    asked = {"asked": review["received"][:10], "request": "another income", "name": "M. Okafor"}
    assert client.ask_for_correction(decision["id"], asked, idempotency_key="from-python-3")["closed"] is None
    second = {"second": review["id"], "name": "M. Okafor"}
    closed = client.correct(decision["id"], second, idempotency_key="from-python-4")
    assert client.corrections(review["id"])["corrections"] == [closed]


@pytest.mark.slow
def test_the_client_in_typescript(rows, running, tmp_path):
    """Its types hold by the strictest rules, and it does the same in Node."""
    node.refuse_or_skip(None if (PACKAGES / ".bin" / "esbuild").exists() else "no packages of npm", "web")
    source = clients.FOLDER / "equiproof-client.ts"
    rules = ["--noEmit", "--strict", "--target", "es2022", "--module", "esnext", "--moduleResolution", "bundler"]
    subprocess.run([PACKAGES / ".bin" / "tsc", *rules, "--lib", "es2022,dom", source], check=True, timeout=120)
    built = [PACKAGES / ".bin" / "esbuild", source, "--format=esm", f"--outfile={tmp_path / 'client.mjs'}"]
    subprocess.run([*built, "--log-level=error"], check=True, timeout=60)
    (tmp_path / "script.mjs").write_text(SCRIPT)
    words = ["node", tmp_path / "script.mjs", *running, json.dumps(rows[0])]
    said = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
    assert said.returncode == 0, said.stderr
    found = json.loads(said.stdout)
    assert found["link"].startswith("http://127.0.0.1:8080/a#")
    assert found["refused"] == [True, 404, "no-certificate"]
    assert (found["same"], found["state"], found["format"]) == (True, "decided", "equiproof-receipt")
