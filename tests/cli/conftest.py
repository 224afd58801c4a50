"""The trip through the command line, kept between runs, and a runner for commands in this process."""

from __future__ import annotations

import shutil

import pytest

from equiproof.cli.main import run
from tests.cli.world import CAPACITY, Outcome, World, build, command, keep, kept_outcome
from tests.kept import kept, locked

MAKES_WORLD = ("equiproof", "tests/cli/conftest.py", "tests/cli/world.py", "tests/support.py")
"""What the trip is made of, beside the library and the packages."""


@pytest.fixture(scope="session")
def world() -> World:
    """The files of one trip through the command line, kept between runs; tests leave them as they are."""
    folder = kept("command-line", *MAKES_WORLD)
    with locked(folder / ".lock"):
        return build(folder / "world")


@pytest.fixture(scope="session")
def both(world):
    """A folder of keys of both schemes for one model, kept beside the world: its own key, and one for its opening."""
    folder = world.root.parent
    keys, done = folder / "both", folder / "said-of-both.json"
    with locked(folder / ".lock"):
        if not done.exists():
            shutil.rmtree(keys, ignore_errors=True)
            shutil.copytree(world.keys, keys)
            words = ("setup", "--opening", world.opening, "--keys", keys, "--scheme", "traversal")
            keep(command(*words, "--capacity", CAPACITY, "--json"), done)
    return keys


@pytest.fixture(scope="session")
def setups(world, both) -> dict[str, Outcome]:
    """What the two set-ups said: the world's in words, and that of `both` as JSON."""
    said = {"text": world.said_of_setup, "json": world.root.parent / "said-of-both.json"}
    return {form: kept_outcome(path) for form, path in said.items()}


@pytest.fixture
def cli(capsys):
    """Run a command in this process."""

    def call(*words: object) -> Outcome:
        capsys.readouterr()
        code = run([str(word) for word in words])
        out, err = capsys.readouterr()
        return Outcome(code, out, err)

    return call
