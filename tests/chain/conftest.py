"""One chain for all tests of contracts."""

import pytest

from tests.chain.chain import Chain, refuse_or_skip


@pytest.fixture(scope="session")
def chain():
    """The chain, running."""
    refuse_or_skip()
    started = Chain()
    yield started
    started.close()
