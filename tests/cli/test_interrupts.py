"""Ctrl-C and sudden death: one line at most, and never a key, certificate or query that is not whole."""

import json
import os
import random
import signal
import subprocess
import sys
import time

import pytest

from equiproof.circuits.canonical import canonical_bytes
from equiproof.ffi import backend
from equiproof.prover import Opening
from equiproof.prover.opening import load_opening
from equiproof.verifier.documents import PROVING_FILE, VERIFYING_FILE, load_commitment, parse_key
from tests.cli.world import Outcome, listing, shell
from tests.support import RATES, ROOT, applicant, network

ANNOUNCED = """
import sys
from equiproof.ffi import backend
call = backend._call
def announced(name, *arguments):
    if name == "ep_setup":
        print("begun", flush=True)
    return call(name, *arguments)
backend._call = announced
from equiproof.cli.main import main
main()
"""
"""The command line, with a word on standard output when the native set-up begins."""

DYING = """
import os, pathlib, signal, sys
from equiproof.ffi import backend
moment, folder, *words = sys.argv[1:]
name, count = moment.split("-")
left = [int(count)]
def dying(original):
    def call(*arguments, **named):
        left[0] -= 1
        if not left[0]:
            os.kill(os.getpid(), signal.SIGKILL)
        return original(*arguments, **named)
    return call
if name == "fsync":
    os.fsync = dying(os.fsync)
elif name == "rename":
    pathlib.Path.rename = dying(pathlib.Path.rename)
elif name == "link":
    os.link = dying(os.link)
elif name == "replace":
    pathlib.Path.replace = dying(pathlib.Path.replace)
if folder != "-":
    from equiproof.verifier.documents import parse_key
    folder = pathlib.Path(folder)
    document = parse_key((folder / "key.json").read_bytes(), "key.json")
    description = backend.Description(document.constraints, document.system_digest, (), (), ())
    keys = backend.Keys(description, (folder / "verifying.key").read_bytes(), (folder / "proving.key").read_bytes())
    backend.setup = lambda *given: keys
sys.argv[1:] = words
from equiproof.cli.main import main
main()
"""
"""The command line that is killed at the n-th call of a system function; keys are taken from a folder, or made."""


ENTERED = """
import sys
from equiproof import __main__ as entrance
class Announcing:
    def find_spec(name, path, target=None):
        if name == "equiproof.cli":
            print("entered", flush=True)
sys.meta_path.insert(0, Announcing)
entrance.main()
"""
"""The program, with a word on standard output at its first import of the command line."""

LOST = """
import os, signal, sys, time, weakref
from equiproof.cli import main
signal.signal(signal.SIGINT, signal.default_int_handler)
class Thing: pass
def called_back(_):
    os.kill(os.getpid(), signal.SIGINT)
    for _ in range(1000): pass
def run(arguments):
    thing = Thing()
    kept = weakref.ref(thing, called_back)
    del thing
    signal.alarm(60)
    while True:
        time.sleep(0.1)
main.run = run
main.main()
"""
"""The command line, with a command in which Ctrl-C falls into a callback of the interpreter's."""

WRAPPED = """
import os, signal
from equiproof.cli import main
class Field:
    def __set_name__(self, owner, name):
        os.kill(os.getpid(), signal.SIGINT)
        for _ in range(1000): pass
def built(*_):
    class Thing:
        field = Field()
main._commands = built
main.main()
"""
"""The command line, with Ctrl-C while a class is built, where Python 3.11 makes a `RuntimeError` of it."""


def later(*values):
    """Mark further moments as slow: each of them costs a process or two."""
    return [pytest.param(value, marks=pytest.mark.slow) for value in values]


def entered(*words):
    """Start the program in a process group of its own and return as soon as it runs."""
    process = subprocess.Popen(
        [sys.executable, "-c", ENTERED, *map(str, words)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),  # noqa: PLW1509  # shells may ignore it
    )
    assert process.stdout.readline() == "entered\n"
    return process


def interrupted(process, seconds, times=2):
    """Send Ctrl-C to a whole process group after so many seconds, again soon after, and return how it ended."""
    time.sleep(seconds)
    for _ in range(times):
        os.killpg(process.pid, signal.SIGINT)
        time.sleep(0.03)
    try:
        out, err = process.communicate(timeout=20)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
    return Outcome(process.returncode, out, err)


def no_process_left(group):
    """Tell whether a process group is empty, after a short while at most."""
    for _ in range(100):
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.05)
    return False


@pytest.fixture
def taken(world, monkeypatch):
    """Set-ups in this process take the world's key, as those do that are killed: writing it is what matters here."""
    document = parse_key((world.key / "key.json").read_bytes(), "key.json")
    description = backend.Description(document.constraints, document.system_digest, (), (), ())
    keys = backend.Keys(description, *((world.key / name).read_bytes() for name in (VERIFYING_FILE, PROVING_FILE)))
    monkeypatch.setattr(backend, "setup", lambda *_: keys)


@pytest.fixture(scope="module")
def long_run(tmp_path_factory):
    """The words of a run with two workers that takes longer than any test waits."""
    folder, rng = tmp_path_factory.mktemp("long"), random.Random(2)
    rows, opening = folder / "rows.json", folder / "opening.json"
    rows.write_text(json.dumps([applicant(RATES, rng) for _ in range(60)]))
    opening.write_bytes(Opening.of(network(RATES, (24, 16), 4, sensitivity=0.02), RATES, blinding=5).secret())
    return ["certify", rows, "--opening", opening, "--jobs", "2", "--scheme", "traversal", "--max-regions", "600"]


@pytest.mark.parametrize("tenths", [0, 4, 10, 16, *later(2, 6, 8, 13, 20, 25)])
def test_ctrl_c_twice_ends_workers_at_any_moment(long_run, tenths):
    """A whole process group is interrupted twice: one line, no traceback, soon, and no worker outlives the command."""
    process = entered(*long_run)
    assert interrupted(process, tenths / 10).complaint(130) == "equiproof: interrupted\n"
    assert no_process_left(process.pid)


@pytest.mark.parametrize("milliseconds", [0, 50, 140, 300, *later(20, 90, 200)])
def test_ctrl_c_during_imports_is_one_line(milliseconds):
    """Ctrl-C while the command line itself is still being imported is no traceback of its imports."""
    process = entered("data", "list")
    assert interrupted(process, milliseconds / 1000, times=1).err in ("equiproof: interrupted\n", "")
    assert process.returncode in (130, 0)


def test_ctrl_c_in_a_callback_is_not_lost():
    """Ctrl-C that falls where exceptions are dropped, as in a callback of an import, ends the command all the same."""
    assert shell(code=LOST).complaint(130) == "equiproof: interrupted\n"


def test_ctrl_c_while_a_class_is_built_is_one_line():
    """Ctrl-C that became another error on its way, as in an import, is still no fault of the program."""
    assert shell(code=WRAPPED).complaint(130) == "equiproof: interrupted\n"


def begun(*words):
    """Start a set-up in a process of its own and return when the native part has begun."""
    process = subprocess.Popen(
        [sys.executable, "-c", ANNOUNCED, *map(str, words)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),  # noqa: PLW1509  # shells may ignore it
    )
    assert process.stdout.readline() == "begun\n"
    return process


def visible(folder):
    """Return the names that are not hidden; hidden ones are what was not finished."""
    return [path.name for path in folder.iterdir() if not path.name.startswith(".")] if folder.exists() else []


@pytest.mark.parametrize("more", [[], ["--json"]])
def test_ctrl_c_during_setup_ends_with_130(world, tmp_path, more):
    """Ctrl-C ends a set-up with 130 and one line, and leaves nothing behind, hidden or not."""
    process = begun(*world.setup(tmp_path / "keys", *more, hidden="8,4", capacity=32))
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=300)
    assert Outcome(process.returncode, out, err).complaint(130) == "equiproof: interrupted\n"
    assert not list(tmp_path.glob("keys/*"))


def test_death_during_setup_leaves_no_key(world, tmp_path):
    """A set-up that is killed while it computes leaves no key."""
    process = begun(*world.setup(tmp_path / "keys", hidden="8,4", capacity=32))
    process.kill()
    process.communicate(timeout=300)
    assert process.returncode == -signal.SIGKILL
    assert not visible(tmp_path / "keys")


@pytest.mark.parametrize("moment", ["rename-1", *later("fsync-1", "fsync-2", "fsync-3")])
def test_death_while_a_key_is_written_leaves_no_key(world, taken, cli, tmp_path, moment):
    """A set-up that dies at any moment of writing leaves nothing that counts as a key, and a later one succeeds."""
    keys, words = tmp_path / "keys", world.setup(tmp_path / "keys")
    assert shell(moment, world.key, *words, code=DYING).code == -signal.SIGKILL
    assert not visible(keys)
    result = tmp_path / "result"
    assert "no key" in cli(*world.verify(keys=keys)).complaint(2, keys)
    assert "no key" in cli(*world.prove(result, keys=keys)).complaint(2, keys)
    assert cli(*words).code == 0
    assert cli(*world.verify(keys=keys)).code == 0
    assert cli(*world.prove(result, keys=keys)).code == 0


@pytest.mark.parametrize("moment", ["rename-1", *later("fsync-1", "fsync-3")])
def test_death_while_a_key_is_replaced_leaves_no_half_key(world, taken, cli, tmp_path, moment):
    """A forced set-up that dies before its folder is in place leaves the old key in use."""
    words = world.setup(tmp_path / "keys")
    assert cli(*words).code == 0
    assert shell(moment, world.key, *words, "--force", code=DYING).code == -signal.SIGKILL
    assert cli(*world.verify(keys=tmp_path / "keys")).code == 0


@pytest.mark.parametrize("moment", ["link-2", *later("fsync-1", "fsync-2", "link-1")])
def test_death_while_a_certificate_is_written_leaves_no_half_of_it(world, cli, tmp_path, moment):
    """A proof that dies at any moment of writing leaves whole files or none, and never a certificate alone."""
    assert shell(moment, "-", *world.prove(tmp_path), code=DYING).code == -signal.SIGKILL
    assert "certificate.json" not in visible(tmp_path)
    for name in visible(tmp_path):
        assert (tmp_path / name).read_bytes().endswith(b"}")
    assert cli(*world.prove(tmp_path, "--force")).code == 0
    assert sorted(visible(tmp_path)) == ["certificate.json", "query.json"]


@pytest.mark.parametrize("moment", ["replace-2", *later("fsync-3", "fsync-4", "replace-1")])
def test_death_while_a_pair_is_replaced_leaves_one_that_belongs_together(world, cli, tmp_path, moment):
    """A forced proof that dies between its files leaves a query that opens its certificate, in two folders too."""
    there = ["--query-out", tmp_path / "secret" / "query.json"]
    assert cli(*world.prove(tmp_path, *there)).code == 0
    assert shell(moment, "-", *world.prove(tmp_path, *there, "--force", row=world.other_row), code=DYING).code == -9
    pair = {"certificate": tmp_path / "certificate.json", "query": tmp_path / "secret" / "query.json"}
    assert cli(*world.verify(**pair)).code == 0
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["certificate.json", "query.json", "secret"]


@pytest.mark.parametrize("moment", ["replace-2", *later("fsync-3", "fsync-4", "replace-1")])
def test_death_while_a_commitment_is_replaced_leaves_its_own_opening(world, cli, tmp_path, moment):
    """A forced commitment that dies between its files leaves an opening of the commitment, old or new."""
    assert cli("commit", world.model, "--out", tmp_path).code == 0
    assert shell(moment, "-", "commit", world.model, "--out", tmp_path, "--force", code=DYING).code == -9
    opening, public = load_opening(tmp_path / "opening.json"), load_commitment(tmp_path / "commitment.json")
    assert opening.public() == canonical_bytes(public)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["commitment.json", "opening.json"]


def test_a_failing_disk_leaves_nothing(world, taken, cli, tmp_path, monkeypatch):
    """Where the disk is full, neither file is there, not even hidden, and the message is one line."""

    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    cli(*world.prove(tmp_path)).complaint(2, "No space left")
    cli(*world.setup(tmp_path / "keys")).complaint(2, "No space left")
    assert [name for name in listing(tmp_path) if name != "keys"] == []
