"""The trip through the command line, kept between runs, and a runner for commands in this process."""

from __future__ import annotations

import shutil

import pytest

from equiproof.cli.main import run
from tests.cli.world import Outcome, World, build, command
from tests.kept import kept, locked

MAKES_WORLD = ("equiproof", "tests/cli/world.py", "tests/support.py")
"""What the trip is made of, beside the library and the packages."""


@pytest.fixture(scope="session")
def world() -> World:
    """The files of one trip through the command line, kept between runs; tests leave them as they are."""
    folder = kept("command-line", *MAKES_WORLD)
    with locked(folder / ".lock"):
        return build(folder / "world")


@pytest.fixture(scope="session")
def both(world):
    """A folder of keys of both schemes for one model, kept beside the world."""
    folder = world.root.parent
    keys, done = folder / "both", folder / "both-done"
    with locked(folder / ".lock"):
        if not done.exists():
            shutil.rmtree(keys, ignore_errors=True)
            for scheme in ("traversal", "branch"):
                assert command(*world.setup(keys, "--scheme", scheme)).code == 0
            done.touch()
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
