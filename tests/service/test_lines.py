"""What each process of the service writes: lines of one form, which say what it is when it begins and when it ends."""

import base64
import json
import signal
import subprocess
import sys
from importlib.metadata import version
from threading import Timer

import pytest

from equiproof.service.initial import Choice, make_service
from equiproof.service.settings import LenderSettings, LogSettings
from equiproof.service.starting import prepare
from equiproof.service.stopping import teller
from tests.node import PATIENCE
from tests.service.test_private import written  # noqa: F401 -- a fixture
from tests.service.test_public_log import FIRST, LOG
from tests.service.test_web_process import free

KINDS = {"web": "Started server", "worker": "begins", "log": "begins", "webhooks": "begins"}
"""Each kind of process, and how the line starts after which it takes a signal."""


@pytest.fixture
def settings(tmp_path):
    """The settings of a service with a public log and an endpoint, neither of which is there."""
    for name, text in (("log.pub", LOG), ("witness.pub", FIRST)):
        (tmp_path / name).write_text(f"{text}\n")
    (tmp_path / "hook").write_text(base64.b64encode(bytes(32)).decode())
    (tmp_path / "hook").chmod(0o600)
    log = LogSettings("http://127.0.0.1:9", "log.pub", ("witness.pub",))
    prepare(make_service(tmp_path / "service", Choice(LenderSettings("Bank"), free(), log=log)))
    path = tmp_path / "service" / "service.toml"
    text = path.read_text().replace('"log.pub"', '"../log.pub"').replace('"witness.pub"', '"../witness.pub"')
    hook = '[webhooks.bank]\nurl = "http://127.0.0.1:9/hook"\nsecret = "../hook"\n'
    path.write_text(f"{text}\n{hook}".replace("provers = ", "provers = 1 # ", 1))
    return path


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_each_process_writes_lines_of_one_form(kind, settings):
    """Time, level, from whom and what; at first its name and release, and at last that it ends."""
    command = [sys.executable, "-m", f"equiproof.service.{kind}", str(settings)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        said = []
        for line in process.stderr:
            said.append(line)
            if json.loads(line).get("event", "").startswith(KINDS[kind]):
                break
        process.send_signal(signal.SIGTERM)
        late = Timer(PATIENCE, process.kill)
        late.start()
        said += process.stderr.readlines()
        late.cancel()
    lines = [json.loads(line) for line in said]
    assert all({"time", "level", "from"} <= line.keys() for line in lines)
    (first,) = [line for line in lines if line.get("event") == "begins"]
    assert (first["from"], first["version"]) == (f"equiproof.service.{kind}", version("equiproof"))
    assert first["process"].split()[::2] == [kind, str(process.pid)]
    assert [line["process"] for line in lines if line.get("event") == "ends"] == [first["process"]]


def test_what_serve_says_of_its_processes_is_such_a_line(written):  # noqa: F811
    """One collector reads the standard error of all."""
    teller("serve")("worker ended with 1; it is started again")
    (line,) = map(json.loads, written.getvalue().splitlines())
    assert (line["from"], line["event"]) == ("equiproof.serve", "worker ended with 1; it is started again")
