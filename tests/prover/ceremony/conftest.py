"""Ceremonies that tests copy: made once per run."""

from __future__ import annotations

import pytest

from equiproof.prover.ceremony.checked import CACHE_VARIABLE
from tests.prover.ceremony.parties import ANNA, BEN, CAROL, powers_ceremony


@pytest.fixture(autouse=True)
def own_records(tmp_path, monkeypatch):
    """Keep the records of checks out of the user's folders, and of other tests."""
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "checked"))


@pytest.fixture(scope="session")
def three(tmp_path_factory):
    """A phase 1 with the contributions of Anna, Ben and Carol, still open."""
    return powers_ceremony(tmp_path_factory.mktemp("three") / "powers", ANNA, BEN, CAROL)
