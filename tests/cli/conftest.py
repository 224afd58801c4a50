"""The trip through the command line, once per run, and a runner for commands in this process."""

from __future__ import annotations

import pytest

from equiproof.cli.main import run
from tests.cli.world import Outcome, World, build, shell
from tests.support import locked


@pytest.fixture(scope="session")
def world(shared) -> World:
    """The files of one trip through the command line, shared by all workers; tests leave them as they are."""
    with locked(shared / "command-line.lock"):
        return build(shared / "command-line")


@pytest.fixture(scope="session")
def both(world, shared):
    """A folder of keys of both schemes for one model; set up once per run."""
    keys = shared / "both-keys"
    with locked(shared / "both-keys.lock"):
        if not keys.exists():
            for scheme in ("traversal", "branch"):
                assert shell(*world.setup(keys, "--scheme", scheme)).code == 0
    return keys


@pytest.fixture
def cli(capsys):
    """Run a command in this process."""

    def call(*words: object) -> Outcome:
        capsys.readouterr()
        code = run([str(word) for word in words])
        out, err = capsys.readouterr()
        return Outcome(code, out, err)

    return call
