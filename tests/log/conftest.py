"""The program, built once."""

import pytest

from tests.log.running import Log, program


@pytest.fixture(scope="session")
def equiproof_log(tmp_path_factory):
    """The program, built as `make log` does."""
    return program(tmp_path_factory.mktemp("go-log") / "equiproof-log")


@pytest.fixture
def log(equiproof_log, tmp_path):
    """An empty log."""
    made = Log(equiproof_log, tmp_path / "log")
    made.make()
    return made


@pytest.fixture(scope="module")
def empty(equiproof_log, tmp_path_factory):
    """An empty log that stays so, for tests of what is refused."""
    made = Log(equiproof_log, tmp_path_factory.mktemp("empty") / "log")
    made.make()
    return made
