"""One process of the package for all of its tests."""

import pytest

from tests.web.web import SIGNING, Verifier, built, refuse_or_skip


@pytest.fixture(scope="session")
def bundle(tmp_path_factory):
    """The file that pages load, built from the sources as they are."""
    refuse_or_skip()
    return built(tmp_path_factory.mktemp("web"))


@pytest.fixture(scope="session")
def package(bundle):
    """The package, built and running."""
    started = Verifier(bundle)
    yield started
    started.close()


@pytest.fixture(scope="session")
def signing(bundle):
    """The package's modules with those about signers and gains, running."""
    started = Verifier(bundle.with_name(SIGNING))
    yield started
    started.close()
