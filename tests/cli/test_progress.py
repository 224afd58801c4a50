"""What stands on a terminal while commands run: recorded from a pseudo-terminal as bytes; pipes get nothing of it."""

import json
import os
import pty
import re
import subprocess
import sys
import threading
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from io import StringIO

import pytest

from equiproof.certify.data import load
from equiproof.cli.main import run
from equiproof.prover import estimate
from tests.cli.foreign import COLUMNS, npz
from tests.cli.world import command as piped


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    """A file with the first rows of the data set."""
    path = tmp_path_factory.mktemp("rows") / "rows.json"
    path.write_text(json.dumps([dict(row) for row in load("lending").rows[:40]]))
    return path


@contextmanager
def terminal():
    """A pseudo-terminal's end to write to, and the list that receives all that was written once the block is over."""
    ours, theirs = pty.openpty()
    seen = []

    def read():
        while True:
            try:
                data = os.read(ours, 4096)
            except OSError:  # Linux says so at the end of a pseudo-terminal
                return
            if not data:
                return
            seen.append(data)

    reader = threading.Thread(target=read)
    reader.start()
    try:
        yield theirs, seen
    finally:
        os.close(theirs)
        reader.join()
        os.close(ours)


def recorded(words):
    """Run a command whose standard error is a terminal; return what a person sees of it, and standard output."""
    program = [sys.executable, "-m", "equiproof", *map(str, words)]
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "100"}
    with terminal() as (screen, seen):
        done = subprocess.run(program, stdout=subprocess.PIPE, stderr=screen, env=environment, check=True)
    return b"".join(seen).decode(), done.stdout.decode()


def recorded_here(monkeypatch, words, codes=frozenset({0, 3, 4})):
    """The same in this process, which ends with one of the codes."""
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")
    with (
        terminal() as (screen, seen),
        os.fdopen(os.dup(screen), "w") as written,
        redirect_stderr(written),
        redirect_stdout(StringIO()) as out,
    ):
        assert run([str(word) for word in words]) in codes
    return b"".join(seen).decode(), out.getvalue()


def test_a_terminal_shows_the_stages_and_the_time_left(world, rows, tmp_path):
    """`predict` and `commit` name what goes on, with elapsed time and time left, and leave nothing of it behind."""
    for words, stages in (
        (("predict", world.model, rows), ("reading the model", "deciding them")),
        (
            ("commit", world.model, "--rows", rows, "--out", tmp_path / "out"),
            ("comparing it with its integers", "deciding the rows", "committing"),
        ),
    ):
        screen, out = recorded(words)
        assert all(stage in screen for stage in stages), screen
        assert " left " in screen
        assert "\x1b[2K" in screen.rpartition(" left ")[2], "the last line is wiped"
        assert not any(stage in out for stage in stages)


def test_a_pipe_gets_nothing_of_progress(world, rows):
    """Where standard error is a pipe, `predict` writes nothing there."""
    words = [sys.executable, "-m", "equiproof", "predict", str(world.model), str(rows)]
    done = subprocess.run(words, capture_output=True, check=True)
    assert done.stderr == b""


@pytest.fixture
def commands(world, rows, tmp_path):
    """Commands that work for long, each with its stages."""
    npz(tmp_path / "net.npz")
    table = [dict(row) | {"decision": "yn"[number % 2]} for number, row in enumerate(json.loads(rows.read_bytes()))]
    (tmp_path / "table.json").write_text(json.dumps(table))
    bound = ("--dataset", "lending", "--units", "raw", "--columns", ",".join(COLUMNS), "--allow-loss")
    drafted = ("--label", "decision", "--sensitive", "sex", "--out", tmp_path / "spec.json")
    return {
        "inspect": (
            ("inspect", world.model, "--rows", rows, "--sample", "3"),
            ("reading the model", "comparing it with its integers", "searching"),
        ),
        "import": (
            ("import", tmp_path / "net.npz", *bound, "--rows", rows, "--out", tmp_path / "model"),
            ("reading the model", "reading the rows", "binding it, and deciding the rows", "comparing it with its"),
        ),
        "spec": (("spec", tmp_path / "table.json", *drafted), ("reading the table", "drafting the spec")),
        "audit": (("audit", "run", "groups", "--opening", world.opening, "--rows", rows), ("groups",)),
    }


@pytest.mark.parametrize("command", ["inspect", "import", "spec", "audit"])
def test_long_commands_show_their_stages(monkeypatch, commands, command):
    """Each names what goes on with the time left, and wipes it; a pipe in the terminal's place gets nothing."""
    words, stages = commands[command]
    screen, out = recorded_here(monkeypatch, words)
    assert all(stage in screen for stage in stages), screen
    assert re.search(r" left (-:--:--|[0-9]:[0-9]{2}:[0-9]{2})", re.sub("\x1b\\[[0-9;]*m", "", screen)), screen
    assert "\x1b[2K" in screen.rpartition(" left ")[2], "the last line is wiped"
    assert not any(f"{stage}\n" in out for stage in stages)
    with redirect_stderr(StringIO()) as err, redirect_stdout(StringIO()):
        run([*map(str, words), *(["--force"] if "--out" in words else [])])
    assert err.getvalue() == ""


@pytest.mark.parametrize("shape", ["traversal", "trees", "plonk", "powers", "kept"])
def test_setup_has_a_forecast_for_every_scheme(monkeypatch, world, tmp_path, shape):
    """Of PLONK, for which nothing is fitted, it says that of Groth16, and what was measured of both.

    Of a kept key it says what the key for links takes, too.
    """
    words = {
        "traversal": ("--opening", world.opening, "--scheme", "traversal"),
        "trees": ("--commitment", world.commitment, "--scheme", "trees", "--predicates", "6", "--slots", "4"),
        "plonk": ("--opening", world.opening, "--proof-system", "plonk-bn254"),
        "kept": ("--opening", world.opening, "--kept"),
        "powers": ("--opening", world.opening, "--proof-system", "plonk-bn254", "--powers", world.row),
    }

    def set_up(*_):
        raise FileNotFoundError(2, "reached", "here")

    monkeypatch.setattr("equiproof.prover.keys.set_up", set_up)
    monkeypatch.setattr("equiproof.prover.ceremony.origin.followed", set_up)
    screen, _ = recorded_here(monkeypatch, ("setup", *words[shape], "--keys", tmp_path / "keys"), codes={2})
    told, _, end = screen.replace("\r", "").partition("equiproof: check the path: here: reached")
    assert end == "\n"
    said = " ".join(re.sub("\x1b\\[[0-9;?]*[A-Za-z]", "", told).split())
    assert re.search(r"about [0-9,]+ s for [0-9,]+ constraints, and a key of [0-9,]+ MB; each proof about", said), said
    assert ("6 to 8 times as long" in said) == (shape in {"plonk", "powers"})
    links = re.search(r"once for the model, the key for links, about [0-9,]+ s for [0-9,]+ constraints", said)
    assert (links is not None) == (shape == "kept")


def test_setup_says_what_keys_take_before_it_makes_them(monkeypatch, world, tmp_path):
    """A terminal shows the forecast of `inspect` before the keys are made; of a shape that is too large, why not."""
    words = ("setup", "--opening", world.opening, "--keys", tmp_path / "keys", "--capacity", "8")

    def set_up(*_):
        raise FileNotFoundError(2, "reached", "here")

    monkeypatch.setattr("equiproof.prover.keys.set_up", set_up)
    screen, _ = recorded_here(monkeypatch, words, codes={2})
    told, _, end = screen.replace("\r", "").partition("equiproof: check the path: here: reached")
    assert end == "\n"
    line = next(line for line in told.splitlines() if "of memory" in line)
    costs = json.loads(piped("inspect", world.model, "--sample", "0", "--json").out)["capacities"]
    cost = next(one for one in costs if one["capacity"] == 8)
    assert f"{cost['constraints']:,} constraints" in line
    assert f"about {cost['setup_seconds']:.0f} s for " in line
    assert "counting constraints" in told
    assert not re.search(r"counting constraints, about", told)
    monkeypatch.setattr(estimate, "SECONDS_PER_NEED", {"branch": 1.0})
    screen, _ = recorded_here(monkeypatch, words, codes={2})
    counting = re.search(r"counting constraints, about [0-9,]+ s", screen)
    assert counting is not None
    assert counting.start() < screen.index("of memory")
    monkeypatch.setattr(estimate, "MAX_WIRES", 10)
    screen, _ = recorded_here(monkeypatch, words, codes={2})
    assert "how long this takes is not forecast: capacity 8 needs more than" in screen
