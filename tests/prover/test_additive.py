"""Additive models are committed, proven at their exact radius, and verified by strangers."""

from dataclasses import replace

import pytest

from equiproof.certify.trees.evidence import AdditiveLeaf
from equiproof.ffi.errors import UnsatisfiedError
from equiproof.prover.keys import KeyStore, KeyStoreError
from equiproof.prover.opening import OpeningError, parse_opening
from equiproof.prover.prove import Prover
from equiproof.verifier import AllOf, ForContext, ForQuery, Verifier, parse_commitment
from tests.conftest import CONTEXT
from tests.prover.additive_case import Case, additive_model, drawn
from tests.support import LOANS, changed, locked, trusting

SLOTS, CAPACITY = 6, 8
ROW = {"income": 36000, "housing": "own"}


def case_of(seed, plain=7, sensitive=1):
    """Return the first drawn case from a seed on whose label is one on all slices, of a ball that is not trivial."""
    for number in range(seed, seed + 100):
        case = Case(drawn(LOANS, number, plain, sensitive), LOANS, LOANS.encode(ROW))
        if case.label is not None and 0 < case.exact() < LOANS.max_radius_squared:
            evidence = case.evidence(case.exact())
            if len(evidence.slots) <= SLOTS and 2 <= evidence.size <= CAPACITY:
                return case
    raise AssertionError("no such case")


@pytest.fixture(scope="module")
def case():
    """A model whose ball holds several leaves."""
    return case_of(1)


@pytest.fixture(scope="session")
def key(tmp_path_factory):
    """The key of all models of these sizes."""
    folder = tmp_path_factory.getbasetemp().parent / "additive-key"
    folder.mkdir(exist_ok=True)
    with locked(folder / ".lock"):
        store = KeyStore(folder)
        return store.all()[0] if store.all() else store.setup(case_of(1).shape(SLOTS, CAPACITY))


@pytest.fixture(scope="module")
def owner(case, key):
    """A prover of the model."""
    with Prover(case.opening(), key) as prover:
        yield prover


@pytest.mark.parametrize("seed", [1, 30, 60, 90])
def test_the_exact_radius_is_proven_and_verified(key, seed):
    """Evidence of the exact radius has a proof, which holds natively and for a stranger who has the public files."""
    case = case_of(seed)
    evidence = case.evidence(case.exact())
    with Prover(case.opening(), key) as prover:
        certificate, query = prover.certify(ROW, evidence, CONTEXT)
    commitment = parse_commitment(case.opening().public(), "commitment.json")
    policy = AllOf(ForQuery(query), ForContext(CONTEXT))
    report = Verifier(commitment, trusting(key)).verify(certificate.to_bytes(), policy)
    assert (report.statement.label, report.statement.radius_squared) == (case.label, case.exact())
