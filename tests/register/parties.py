"""Processes around a log: its writer, a witness, monitors and owners, each the real command line."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager

import pytest

from equiproof.register.errors import LogError
from equiproof.register.program import find
from equiproof.verifier.notes import Signer
from tests.cli.world import shell

PATIENCE = 60.0
"""Seconds until something that must happen counts as not happening."""

COMMAND = (sys.executable, "-m", "equiproof")


@pytest.fixture(scope="session")
def program():
    """The program that writes logs."""
    try:
        return find()
    except LogError as error:
        pytest.skip(str(error))


@contextmanager
def running(*words, errors=None):
    """Run a command as a process until the block ends; yields it and its first line."""
    process = subprocess.Popen(
        [*COMMAND, *map(str, words)], stdout=subprocess.PIPE, stderr=errors, text=True, start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),  # noqa: PLW1509  # shells may ignore it
    )  # fmt: skip
    try:
        yield process, process.stdout.readline()
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def identity(folder, name):
    """Make a signing key and the file of its verifier key; return the signer and both paths."""
    signer = Signer.new(name)
    secret, public = folder / f"{name.replace('/', '-')}.key", folder / f"{name.replace('/', '-')}.pub"
    secret.touch(0o600)
    secret.write_text(f"{signer.text}\n")
    public.write_text(f"{signer.verifier.text}\n")
    return signer, secret, public


def url_of(line):
    """Return the URL in the first line of a server."""
    return next(word for word in line.split() if word.startswith("http://")).removesuffix("/add-checkpoint")


def until(true):
    """Wait until something is so; return it."""
    ends = time.monotonic() + PATIENCE
    while not (found := true()):
        assert time.monotonic() < ends
        time.sleep(0.05)
    return found


def entry(folder, data):
    """Write an entry to a file."""
    path = folder / f"entry-{os.urandom(4).hex()}.json"
    path.write_bytes(data)
    return path


def documents(outcome):
    """Return the JSON objects that a command printed."""
    assert outcome.code == 0, outcome.err
    return [json.loads(line) for line in outcome.out.splitlines()]


def command(*words):
    """Run a command to its end."""
    return shell(*words)
