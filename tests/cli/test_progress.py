"""What stands on a terminal while commands run: recorded from a pseudo-terminal as bytes; pipes get nothing of it."""

import json
import os
import pty
import subprocess
import sys
import threading

import pytest

from equiproof.certify.data import load


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    """A file with the first rows of the data set."""
    path = tmp_path_factory.mktemp("rows") / "rows.json"
    path.write_text(json.dumps([dict(row) for row in load("lending").rows[:40]]))
    return path


def recorded(words):
    """Run a command whose standard error is a terminal; return what a person sees of it, and standard output."""
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
    program = [sys.executable, "-m", "equiproof", *map(str, words)]
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "100"}
    done = subprocess.run(program, stdout=subprocess.PIPE, stderr=theirs, env=environment, check=True)
    os.close(theirs)
    reader.join()
    os.close(ours)
    return b"".join(seen).decode(), done.stdout.decode()


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
