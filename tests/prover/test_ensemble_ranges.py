"""Statements about neighbors inside ranges, of ensembles: what they say, whom they convince, what is refused."""

from dataclasses import replace

import pytest

from equiproof.certify.errors import EvidenceError
from equiproof.certify.trees.ensemble_check import check
from equiproof.certify.trees.ensemble_search import search_under
from equiproof.certify.trees.scale import ensemble_scale
from equiproof.circuits.schemes import scheme_of
from equiproof.circuits.shape import ensemble_shape
from equiproof.ffi.errors import UnsatisfiedError
from equiproof.prover import KeyStoreError, Opening, Prover
from equiproof.prover.evidence import find_evidence
from equiproof.prover.keys import KeyStore
from equiproof.verifier import AllOf, ForContext, ForQuery, ProofError, Verifier, parse_commitment
from tests.certify.trees.ensembles import ensemble
from tests.conftest import CONTEXT
from tests.kept import kept_keys
from tests.support import KEPT, changed, key_of, trusting

ROW = {"income": 30000, "savings": "low", "housing": "own"}
PREDICATES = ((0, -30, 4), (0, 45, 0), (1, 15, -4), (2, 500, 0), (2, 1024, -50), (3, -1, 60), (4, 0, -5))
"""Around (0, 0, 1024, 0): thresholds of the columns of `housing`, from 0 to 1024, are beyond them."""

TREES = [
    (1, (2, 9, -30), (4, -9, -200)),
    (3, (5, 0, 4), (0, -3, 7)),
    (6, (1, 2, -20), (3, 0, 6)),
    (4, (2, 5, 1), -300),
]
"""The last begins with a node that is dead inside the ranges alone; the third asks the sensitive predicate."""

MODEL, QUERY = ensemble(KEPT, PREDICATES, TREES, -32), KEPT.encode(ROW)
EXACT = 30**2 + 15**2
"""The squared radius inside the ranges: both (0, -30) and (1, 15) are to be crossed."""

OPENING = Opening.of(MODEL, KEPT, 11)
FREE = Opening.of(MODEL, changed(KEPT, use_ranges=False), 11)
"""The same model, with statements about all neighbors."""

SHAPE = ensemble_shape(KEPT, MODEL.predicates, MODEL.nodes.sizes, 4, 8, 4)


@pytest.fixture(scope="module")
def key():
    """The key of the model's shape."""
    return key_of(kept_keys(), SHAPE)


@pytest.fixture(scope="module")
def proven(key):
    """A certificate about the applicant, whose evidence the product finds."""
    with Prover(OPENING, key) as prover:
        return prover.prove(ROW, CONTEXT)


@pytest.mark.slow
@pytest.mark.parametrize("checker", ["native", "python"])
def test_both_programs_verify_it(key, proven, checker):
    """The exact radius inside the ranges is larger than the one without, and convinces both programs."""
    verifier = Verifier(parse_commitment(OPENING.public(), "commitment.json"), trusting(key), checker)
    found = verifier.verify(proven.certificate.to_bytes(), AllOf(ForQuery(proven.query), ForContext(CONTEXT)))
    assert found.key.shape.scheme == "trees-ranges"
    assert scheme_of(found.key.shape.scheme) == "trees"
    assert found.statement.radius_squared == EXACT
    assert search_under(MODEL, FREE.spec, QUERY, max_leaves=4).radius_squared == 0
    assert "it covers neighbors inside the spec's ranges, and no others" in found.made


def test_evidence_is_that_of_the_ranges():
    """The checker accepts the evidence inside the ranges, and refuses it without them, or with a query outside."""
    found = find_evidence(OPENING, SHAPE, QUERY, None, None).evidence
    scale, table = ensemble_scale(MODEL), KEPT.domain_table
    check(found, scale, MODEL, QUERY, table, KEPT.box)
    with pytest.raises(EvidenceError, match="R-T-DEAD"):
        check(found, scale, MODEL, QUERY, table, None)
    with pytest.raises(EvidenceError, match="R-B-RANGES"):
        check(found, scale, MODEL, QUERY, table, ((1, -1, 0, 0), KEPT.box[1]))


@pytest.mark.slow
def test_a_larger_radius_has_no_proof(key):
    """One more than the exact squared radius is refused."""
    evidence = search_under(MODEL, KEPT, QUERY, max_leaves=4).evidence
    assert evidence.radius_squared == EXACT
    with Prover(OPENING, key) as prover, pytest.raises(UnsatisfiedError):
        prover.certify(ROW, replace(evidence, radius_squared=EXACT + 1), CONTEXT)


@pytest.mark.slow
def test_keys_of_the_other_relation_do_not_fit(key, proven):
    """A key with ranges is none for a model whose spec has none, and its certificates are none of that model."""
    with pytest.raises(KeyStoreError, match="no key of scheme trees"):
        KeyStore(key.folder.parent).find_for(FREE)
    verifier = Verifier(parse_commitment(FREE.public(), "commitment.json"), trusting(key), "native")
    with pytest.raises(ProofError):
        verifier.verify(proven.certificate.to_bytes(), ForQuery(proven.query))
