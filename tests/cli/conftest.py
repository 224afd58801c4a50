"""The trip through the command line, once per run, and a runner for commands in this process."""

from __future__ import annotations

import pytest

from equiproof.cli import run
from tests.cli.world import Outcome, World, build
from tests.support import locked


@pytest.fixture(scope="session")
def world(shared) -> World:
    """The files of one trip through the command line, shared by all workers; tests leave them as they are."""
    with locked(shared / "command-line.lock"):
        return build(shared / "command-line")


@pytest.fixture
def cli(capsys):
    """Run a command in this process."""

    def call(*words: object) -> Outcome:
        capsys.readouterr()
        code = run([str(word) for word in words])
        out, err = capsys.readouterr()
        return Outcome(code, out, err)

    return call
