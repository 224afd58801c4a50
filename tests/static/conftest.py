"""The binary, and one process of the packages for all of their tests."""

import pytest

from tests.static.build import HERE, Verifier, binary, run


@pytest.fixture(scope="session")
def packages(tmp_path_factory):
    """The packages, built and running."""
    program = tmp_path_factory.mktemp("go") / "driver"
    run("build", "-o", program, HERE / "driver.go")
    started = Verifier(program)
    yield started
    started.close()


@pytest.fixture(scope="session")
def program(tmp_path_factory):
    """The binary, built as `make static` does."""
    return binary(tmp_path_factory.mktemp("static") / "equiproof-verify")
