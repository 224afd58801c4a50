"""Statements about neighbors inside ranges, of additive models: what they say, whom they convince, what is refused."""

from dataclasses import replace

import pytest

from equiproof.certify.errors import EvidenceError
from equiproof.certify.trees.evidence_check import check
from equiproof.certify.trees.scale import scale_of
from equiproof.circuits.schemes import scheme_of
from equiproof.ffi.errors import UnsatisfiedError
from equiproof.prover import KeyStoreError, Prover
from equiproof.prover.evidence import find_evidence
from equiproof.prover.keys import KeyStore
from equiproof.verifier import AllOf, ForContext, ForQuery, ProofError, Verifier, parse_commitment
from tests.conftest import CONTEXT
from tests.kept import kept_keys
from tests.prover.additive_case import Case, additive_model
from tests.support import KEPT, changed, key_of, trusting

ROW = {"income": 30000, "savings": "low", "housing": "own"}
PREDICATES = ((0, -30, 40), (0, 45, -70), (1, 15, -40), (2, 1024, -500), (2, 500, -50), (3, -1, 500), (4, 0, -5))
"""Around (0, 0, 1024, 0): thresholds of the columns of `housing`, from 0 to 1024, are beyond them."""

CASE = Case(additive_model(KEPT, PREDICATES, -390), KEPT, KEPT.encode(ROW))
FREE = Case(CASE.model, changed(KEPT, use_ranges=False), CASE.query)
"""The same model, with statements about all neighbors."""


@pytest.fixture(scope="module")
def key():
    """The key of the model's shape."""
    return key_of(kept_keys(), CASE.shape(4, 4))


@pytest.fixture(scope="module")
def proven(key):
    """A certificate about the applicant, whose evidence the product finds."""
    with Prover(CASE.opening(), key) as prover:
        return prover.prove(ROW, CONTEXT)


@pytest.mark.parametrize("checker", ["native", "python"])
def test_both_programs_verify_it(key, proven, checker):
    """The exact radius inside the ranges is larger than the one without, and convinces both programs."""
    verifier = Verifier(parse_commitment(CASE.opening().public(), "commitment.json"), trusting(key), checker)
    found = verifier.verify(proven.certificate.to_bytes(), AllOf(ForQuery(proven.query), ForContext(CONTEXT)))
    assert found.key.shape.scheme == "additive-ranges"
    assert scheme_of(found.key.shape.scheme) == "trees"
    assert found.statement.radius_squared == CASE.exact() == 45**2 + 15**2
    assert FREE.exact() == 0
    assert "it covers neighbors inside the spec's ranges, and no others" in found.made


def test_evidence_is_that_of_the_ranges():
    """The checker accepts the evidence inside the ranges, and refuses it without them."""
    found = find_evidence(CASE.opening(), CASE.shape(4, 4), CASE.query, None, None).evidence
    scale = scale_of(CASE.model)
    check(found, scale, CASE.model, CASE.query, KEPT.domain_table, KEPT.box)
    with pytest.raises(EvidenceError, match="R-T-DEAD"):
        check(found, scale, CASE.model, CASE.query, KEPT.domain_table, None)


def test_a_larger_radius_has_no_proof(key):
    """One more than the exact squared radius is refused."""
    evidence = CASE.evidence(CASE.exact())
    with Prover(CASE.opening(), key) as prover, pytest.raises(UnsatisfiedError):
        prover.certify(ROW, replace(evidence, radius_squared=CASE.exact() + 1), CONTEXT)


def test_keys_of_the_other_relation_do_not_fit(key, proven):
    """A key with ranges is none for a model whose spec has none, and its certificates are none of that model."""
    with pytest.raises(KeyStoreError, match="no key of scheme trees"):
        KeyStore(key.folder.parent).find(FREE.spec, FREE.model.predicates, None, "trees")
    verifier = Verifier(parse_commitment(FREE.opening().public(), "commitment.json"), trusting(key), "native")
    with pytest.raises(ProofError):
        verifier.verify(proven.certificate.to_bytes(), ForQuery(proven.query))
