"""The lying owner with an honest starting point: every lie is one step away from a proof that holds."""

from __future__ import annotations

import pytest

from equiproof.circuits.statement import context_digest
from tests.conftest import CONTEXT
from tests.soundness.cheating_owner import CheatingOwner


@pytest.fixture(scope="session")
def liar(loans):
    """The lying owner of the loans model."""
    with loans.key.load() as native:
        yield CheatingOwner(loans.shape, native)


@pytest.fixture(scope="session")
def rates_liar(rates):
    """The lying owner of the rates model."""
    with rates.key.load() as native:
        yield CheatingOwner(rates.shape, native)


@pytest.fixture(scope="session")
def blinding(proven):
    """The query's blinding in the honest certificate."""
    return int(proven.query.blinding, 16)


@pytest.fixture
def honest(loans, liar, proven, blinding):
    """The wires of the honest certificate, under its own blindings and digests; the test's to change."""
    return liar.wires(
        loans.opening.network,
        loans.spec.encode(proven.query.features),
        loans.spec.domain_table,
        proven.evidence,
        spec_digest=loans.spec.digest,
        context_digest=context_digest(CONTEXT),
        model_blinding=loans.opening.blinding,
        query_blinding=blinding,
    )
