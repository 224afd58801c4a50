"""`equiproof serve` as an operator runs it, with the example front end before it: kills, and nothing left behind."""

import html
import http.client
import os
import re
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import urlencode

import pytest

pytest.importorskip("fastapi", reason="the extra `service` is not installed")

from equiproof.circuits.shape import shape_of
from equiproof.cli.main import run
from equiproof.prover.opening import Opening
from equiproof.register.errors import LogError
from equiproof.register.program import find
from equiproof.service.clients import Scope, add_client
from equiproof.service.clock import now
from equiproof.service.settings import load_settings
from equiproof.service.store.database import Database
from tests.support import LOANS, ROOT, copied_key, network

pytestmark = pytest.mark.slow

LENDER = ROOT / "examples" / "lender" / "lender.py"


def free():
    """Return an address of this machine with a free port."""
    with socket.create_server(("127.0.0.1", 0)) as held:
        return f"127.0.0.1:{held.getsockname()[1]}"


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder with a service that has a model with a key, and a client whose key lies in a file."""
    folder = tmp_path_factory.mktemp("serving")
    opening = Opening.of(network(LOANS, (2,), 6, sensitivity=1.0), LOANS, blinding=5)
    (folder / "opening.json").write_bytes(opening.secret())
    copied_key(folder / "keys", shape_of("traversal", LOANS, (2,), 4))
    settings = folder / "service" / "service.toml"
    known = ("--settings", str(settings))
    assert run(["service", "init", str(settings.parent), "--lender", "North Bank", "--listen", free()]) == 0
    # Provers that wait until nothing else runs would take minutes beside other tests.
    text = settings.read_text()
    assert '\nprover_priority = "idle"\n' in text
    settings.write_text(text.replace('prover_priority = "idle"', 'prover_priority = "normal"'))
    words = ["--opening", str(folder / "opening.json"), "--keys", str(folder / "keys"), *known]
    assert run(["service", "model", "add", "loans", *words]) == 0
    with Database(load_settings(settings).database) as database, database.transaction() as session:
        made = add_client(session, "front-end", [Scope.SUBMIT, Scope.READ], now(), now() + 10**12)
    (folder / "client.key").write_text(f"{made.text}\n")
    return folder


@contextmanager
def started(*words):
    """Run a program of ours until the block ends; yields it once it has said its first line."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(
        [sys.executable, *map(str, words)], env=environment, stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    try:
        assert process.stdout.readline().startswith(("SERVING", "FORM"))
        yield process
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def serving(place, settings=None):
    """Run the service, under other settings where these are given."""
    return started("-m", "equiproof", "serve", "--settings", settings or place / "service" / "service.toml")


def below(pid):
    """Return the processes that a process has started, by the last word of their module, and all below them."""
    parents, names = {}, {}
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            names[int(entry.name)] = (entry / "cmdline").read_bytes().decode().split("\0")
    children = {one for one, parent in parents.items() if parent == pid}
    found = {names[one][2].rpartition(".")[2]: one for one in children if len(names[one]) > 2}
    everything, fresh = set(children), set(children)
    while fresh := {one for one, parent in parents.items() if parent in fresh}:
        everything |= fresh
    return found, everything


def alive(pids):
    """Return those of some processes that are there and no zombies."""
    found = set()
    for pid in pids:
        with suppress(OSError):
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z":
                found.add(pid)
    return found


def wait(true, seconds=600):
    end = time.monotonic() + seconds
    while not (found := true()):
        assert time.monotonic() < end
        time.sleep(0.1)
    return found


def asked(address, method, path, form=None):
    """Make a request as a browser does; return status, headers and page."""
    connection = http.client.HTTPConnection(address, timeout=30)
    try:
        headers = {"Content-Type": "application/x-www-form-urlencoded", "Origin": f"http://{address}"}
        connection.request(method, path, None if form is None else urlencode(form), headers)
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read().decode()
    finally:
        connection.close()


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks at processes in /proc")
def test_an_applicant_is_served_though_processes_are_killed(place, rows):
    """The form asks for no sensitive feature; sent twice it is one application; web and worker come back."""
    at = free()
    address = load_settings(place / "service" / "service.toml").listen
    form = ("--service", f"http://{address}", "--key-file", place / "client.key", "--listen", at, "--model", "loans")
    with serving(place) as service, started(LENDER, *form):
        _, _, page = asked(at, "GET", "/")
        names = set(re.findall(r'name="([^"]+)"', page))
        assert {"request", *rows[0]} <= names
        assert "sex" not in names
        application = {"request": "an-application-1", "identity": "L01X 00T47", **rows[0]}
        sent = [asked(at, "POST", "/apply", application) for _ in range(2)]
        assert [status for status, _, _ in sent] == [303, 303]
        (here,) = {headers["Location"] for _, headers, _ in sent}
        found, everything = below(service.pid)
        assert set(found) == {"web", "worker"}
        for name in ("worker", "web"):
            os.kill(found[name], signal.SIGKILL)
            wait(lambda name=name: below(service.pid)[0].get(name, found[name]) != found[name])
        page = wait(lambda: (said := asked(at, "GET", here))[0] == 200 and "Show my certificate" in said[2] and said[2])
        assert "Our decision: " in page
        _, _, page = asked(at, "POST", f"{here}/link", {})
        assert re.search(r"http://127\.0\.0\.1:\d+/a#[0-9A-Z-]{20,}", html.unescape(page))
        status, headers, letter = asked(at, "GET", f"{here}/letter")
        assert (status, "script" in letter, "North Bank" in letter) == (200, False, True)
        assert headers["Content-Security-Policy"].startswith("default-src 'none'")
        everything |= below(service.pid)[1]
        service.send_signal(signal.SIGTERM)
        assert service.wait(60) == 0
        wait(lambda: not alive(everything), 10)
        status, _, page = asked(at, "GET", here)
        assert (status, "does not answer" in page) == (503, True)


def test_mistakes_at_the_form_are_told_there(place, rows):
    """What does not fit a feature comes back with the form; somebody else's form, and unknown pages, do not pass."""
    at = free()
    address = load_settings(place / "service" / "service.toml").listen
    form = ("--service", f"http://{address}", "--key-file", place / "client.key", "--listen", at, "--model", "loans")
    with serving(place), started(LENDER, *form):
        application = {"request": "an-application-2", "identity": "L01X 00T47", **rows[0]}
        status, _, page = asked(at, "POST", "/apply", {**application, "income": "<b>much"})
        assert status == 422
        assert 'role="alert"' in page
        assert "<b>much" not in page
        status, _, page = asked(at, "POST", "/apply", {**application, "identity": " - "})
        assert (status, "Please give the number of your identity card." in page) == (422, True)
        for path in ("/x", f"/application/{'0' * 32}"):
            assert asked(at, "GET", path)[0] == 404
        connection = http.client.HTTPConnection(at, timeout=30)
        connection.request("POST", "/apply", "income=1", {"Origin": "http://elsewhere.example"})
        assert connection.getresponse().status == 400
        connection.close()


def test_one_person_is_one_pseudonym_however_the_number_is_spaced(place, rows):
    """The service counts them as one, and never gets the number; above the limit the applicant is told to call."""
    at = free()
    settings = place / "service" / "service.toml"
    limited = place / "service" / "limited.toml"
    limited.write_text(f"{settings.read_text()}\n[persons]\ndecisions = 2\ndays = 30\n")
    form = ("--service", f"http://{load_settings(settings).listen}", "--key-file", place / "client.key")
    with serving(place, limited), started(LENDER, *form, "--listen", at, "--model", "loans"):
        numbers = ("L02Z 00Q47", "l02z00q47", "L02Z-00Q47", "L02Z 00Q48")
        sent = [{"request": f"request-of-{n}", "identity": number, **rows[1]} for n, number in enumerate(numbers)]
        answers = [asked(at, "POST", "/apply", one) for one in sent]
        assert [status for status, _, _ in answers] == [303, 303, 409, 303]
        assert "Please call us." in answers[2][2]
    assert len((place / "person.key").read_text()) == 65
    assert (place / "person.key").stat().st_mode & 0o077 == 0


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks at processes in /proc")
def test_a_killed_service_leaves_nothing_running(place):
    """kill -9 of the first process ends all others; a second service at the same address is refused in one line."""
    with serving(place) as service:
        words = [sys.executable, "-m", "equiproof", "serve", "--settings", str(place / "service" / "service.toml")]
        second = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False, timeout=60)
        assert (second.returncode, second.stderr.count("\n")) == (2, 1)
        assert "Address already in use" in second.stderr
        wait(lambda: set(below(service.pid)[0]) == {"web", "worker"})
        _, everything = below(service.pid)
        service.kill()
        service.wait()
        wait(lambda: not alive(everything))


def test_the_demo_serves_three_applicants(tmp_path, monkeypatch):
    """Log, witness, service and form run, all receipts are public, and nothing is left when it ends."""
    try:
        find()
    except LogError as error:
        pytest.skip(str(error))
    monkeypatch.chdir(tmp_path)
    words = [sys.executable, "-m", "equiproof", "service", "demo", "--out", "demo", "--form", str(LENDER), "--once"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False, timeout=900)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    ends = re.findall(r"decision [0-9a-f]{32}: (.*) \((.*)\)", done.stdout)
    assert [states.split(", ")[-1] for _, states in ends] == ["certified", "certified", "review"]
    assert ends[-1][0] == "a person decides"
    assert done.stdout.count("the applicant's page: http://127.0.0.1:") == 3
    checkpoint = (tmp_path / "demo" / "log" / "checkpoint").read_text()
    assert int(checkpoint.splitlines()[1]) >= 3
    assert "witness.example/w1" in checkpoint
