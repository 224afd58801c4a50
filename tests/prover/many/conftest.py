"""One small run, whose proofs are made once."""

import pytest

from tests.prover.many.world import Many, table_of


@pytest.fixture(scope="session")
def many(tmp_path_factory, loans_tree):
    """Five applicants of the loans model under its key of scheme `branch`."""
    folder = tmp_path_factory.mktemp("many")
    opening = folder / "opening.json"
    opening.write_bytes(loans_tree.opening.secret())
    return Many(loans_tree, table_of(loans_tree, folder / "rows.csv"), opening)


@pytest.fixture(scope="session")
def made(many):
    """What a worker made for each of them."""
    return many.made()
