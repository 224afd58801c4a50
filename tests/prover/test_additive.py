"""Additive models are committed, proven at their exact radius, and verified by strangers."""

from dataclasses import replace

import pytest

from equiproof.certify.trees.evidence import AdditiveEvidence
from equiproof.circuits.layout import WitnessError
from equiproof.circuits.schemes import scheme_of
from equiproof.ffi import backend
from equiproof.ffi.errors import MalformedInputError, UnsatisfiedError
from equiproof.prover.errors import KeyStoreError
from equiproof.prover.keys import KeyStore
from equiproof.prover.opening import Opening, OpeningError, parse_opening
from equiproof.prover.prove import Prover
from equiproof.verifier import AllOf, ForContext, ForQuery, ProofError, Verifier, parse_commitment
from tests.conftest import CONTEXT
from tests.kept import kept_keys
from tests.prover.additive_case import Case, additive_model, drawn
from tests.support import LOANS, RATES, key_of, trusting

SLOTS, CAPACITY = 6, 8
ROW = {"income": 36000, "housing": "own"}


def case_of(seed, plain=7, sensitive=1):
    """Return the first drawn case from a seed on whose ball holds several leaves and fits the key."""
    for number in range(seed, seed + 100):
        case = Case(drawn(LOANS, number, plain, sensitive), LOANS, LOANS.encode(ROW))
        if case.label is not None and 0 < case.exact() < LOANS.max_radius_squared:
            evidence = case.evidence(case.exact())
            if len(evidence.slots) <= SLOTS and 2 <= evidence.size <= CAPACITY:
                return case
    raise AssertionError("no such case")


@pytest.fixture(scope="module")
def key():
    """The key of all models of these sizes."""
    return key_of(kept_keys(), case_of(1).shape(SLOTS, CAPACITY))


@pytest.fixture(scope="module")
def case():
    """A model whose ball holds several leaves."""
    return case_of(1)


@pytest.fixture(scope="module")
def owner(case, key):
    """A prover of the model."""
    with Prover(case.opening(), key) as prover:
        yield prover


def verifier_of(case, key, checker):
    """Return a stranger's verifier, who has the public files."""
    return Verifier(parse_commitment(case.opening().public(), "commitment.json"), trusting(key), checker)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("seed", [1, 30, 60, 90])
def test_the_exact_radius_is_proven_and_verified(key, seed):
    """Evidence of the exact radius has a proof, which holds natively and in plain Python."""
    case = case_of(seed)
    with Prover(case.opening(), key) as prover:
        certificate, query = prover.certify(ROW, case.evidence(case.exact()), CONTEXT)
    policy = AllOf(ForQuery(query), ForContext(CONTEXT))
    for checker in ("native", "python"):
        report = verifier_of(case, key, checker).verify(certificate.to_bytes(), policy)
        assert (report.statement.label, report.statement.radius_squared) == (case.label, case.exact())


def test_a_radius_of_0_is_proven(case, key, owner):
    """The decision at the query itself, where every predicate is dead."""
    certificate, query = owner.certify(ROW, case.evidence(0), CONTEXT)
    assert (
        verifier_of(case, key, "native").verify(certificate.to_bytes(), ForQuery(query)).statement.label == case.label
    )


def test_evidence_beyond_the_radius_has_no_proof(case, owner):
    """One more than the exact squared radius, the other label, and leaves that are left out are refused."""
    evidence = case.evidence(case.exact())
    for wrong in (
        replace(evidence, radius_squared=case.exact() + 1),
        replace(evidence, label=1 - case.label),
        replace(evidence, leaves=evidence.leaves[1:]),
        replace(evidence, leaves=(*evidence.leaves, evidence.leaves[0])),
    ):
        with pytest.raises(UnsatisfiedError):
            owner.certify(ROW, wrong, CONTEXT)


def test_certificates_are_about_one_model(case, key, owner):
    """A certificate of one model is none of another one of the same sizes."""
    certificate, query = owner.certify(ROW, case.evidence(0), CONTEXT)
    with pytest.raises(ProofError, match="another model"):
        verifier_of(case_of(60), key, "native").verify(certificate.to_bytes(), ForQuery(query))


def test_the_opening_file_opens_the_same_commitment(case):
    """An opening is read back as it was written, and shows no number of the model."""
    opening = case.opening()
    assert parse_opening(opening.secret(), "opening.json") == opening
    assert opening.sizes == case.model.predicates
    assert opening.additive == case.model
    assert str(case.model.bias) not in repr(opening)
    with pytest.raises(OpeningError, match="of scheme trees"):
        _ = opening.network


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda spec: additive_model(spec, [(0, 1 << 20, 3)], 0), "does not fit 18 signed bits"),
        (lambda spec: additive_model(spec, [(3, 0, 3)], 0), "want at least one predicate of plain columns"),
        (lambda spec: replace(additive_model(spec, [(0, 0, 3)], 0), input_fraction_bits=9), "input_fraction_bits"),
        (lambda _: additive_model(RATES, [(0, 0, 3)], 0), "columns, the spec wants"),
    ],
)
def test_models_that_do_not_fit_the_spec_are_refused(change, message):
    """A threshold that is too wide, a model without plain predicates, another scale and other columns."""
    with pytest.raises(OpeningError, match=message):
        Opening.of(change(LOANS), LOANS, 5)


def test_several_labels_are_refused():
    """An additive model has one logit."""
    with pytest.raises(OpeningError, match="one logit"):
        Opening.of(additive_model(RATES, [(0, 0, 3)], 0), RATES, 5)


def test_keys_are_found_by_predicates(case, key):
    """The store finds a key by P_x and P_s; shapes of networks are not taken for one."""
    assert scheme_of(key.document.shape.scheme) == "trees"
    store = KeyStore(key.folder.parent)
    assert store.find(LOANS, case.model.predicates, None, "trees").folder == key.folder
    for sizes in ((7, 2), (2, 2, 2)):
        with pytest.raises(KeyStoreError, match="no key of scheme trees"):
            store.find(LOANS, sizes, None, "trees")
    with pytest.raises(KeyStoreError, match="no key for this model"):
        store.find(LOANS, case.model.predicates, None)


def test_names_and_documents_of_shapes(case):
    """The name says all sizes; a network's shape has neither `predicates` nor `slots`."""
    shape = case.shape(SLOTS, CAPACITY)
    assert shape.name.startswith("additive-3+1-p7+1-v6-s2-k8-")
    assert b'"predicates":[7,1]' in shape.document
    assert b'"slots":6' in shape.document


def test_relations_that_are_not_known_are_refused(case):
    """A scheme of another name has no circuit."""
    document = case.shape(1, 1).document.replace(b'"additive"', b'"additive-other"')
    with pytest.raises(MalformedInputError, match="scheme additive-other is not known"):
        backend.describe(document)


@pytest.mark.parametrize(
    ("evidence", "message"),
    [
        (AdditiveEvidence(1, 0, tuple(range(7)), ()), "0 leaves"),
        (AdditiveEvidence(1, 0, (7,), ()), "0 leaves"),
    ],
)
def test_evidence_that_does_not_fit_the_shape_is_refused(owner, evidence, message):
    """What the shape has no room for is refused before anything is proven."""
    with pytest.raises(WitnessError, match=message):
        owner.certify(ROW, evidence, CONTEXT)


def test_more_live_predicates_than_slots_are_refused(case, owner):
    """A ball that holds more thresholds than the key has slots."""
    evidence = case.evidence(case.exact())
    wide = replace(evidence, slots=tuple(range(7)))
    with pytest.raises(WitnessError, match="7 live predicates do not fit"):
        owner.certify(ROW, wide, CONTEXT)
