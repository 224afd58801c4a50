"""The binary, and one process of the packages for all of their tests."""

import pytest

from tests.kept import once
from tests.static.build import HERE, Verifier, binary, run


@pytest.fixture(scope="session")
def packages(tmp_path_factory):
    """The packages, built and running."""
    folder = once(tmp_path_factory, "go-driver", lambda part: run("build", "-o", part / "driver", HERE / "driver.go"))
    started = Verifier(folder / "driver")
    yield started
    started.close()


@pytest.fixture(scope="session")
def program(tmp_path_factory):
    """The binary, built as `make static` does."""
    name = "equiproof-verify"
    return once(tmp_path_factory, "static-binary", lambda part: binary(part / name)) / name
