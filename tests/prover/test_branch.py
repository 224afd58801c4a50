"""Certificates of scheme `branch`: the radius is the exact one, and the verifier asks for nothing new."""

import random
from math import floor

import pytest

from equiproof.certify.branch import BranchSearch, check
from equiproof.certify.traversal.exact import exact_search
from equiproof.certify.traversal.search import Counterexample, Search
from equiproof.circuits.branch_layout import shape_parameters
from equiproof.circuits.shape import branch_shape
from equiproof.prover import KeyStore, KeyStoreError, Opening, Prover
from equiproof.verifier import AllOf, ForContext, ForQuery, ProofError, UntrustedKeyError, Verifier
from tests.conftest import CAPACITY, CONTEXT
from tests.kept import kept_keys
from tests.support import LOANS, RATES, Setting, applicant, changed, key_for, network, trusting


@pytest.fixture(scope="module")
def owner_of_tree(loans_tree):
    """The honest prover under the key of scheme `branch`."""
    with Prover(loans_tree.opening, loans_tree.key) as prover:
        yield prover


@pytest.fixture(scope="module")
def grown(loans_tree, owner_of_tree):
    """An honest certificate of a tree of several leaves."""
    for row, found in loans_tree.applicants(seed=1):
        if isinstance(found, Search):
            proven = owner_of_tree.prove(row, CONTEXT)
            if len(proven.evidence.leaves) > 3:
                return proven
    raise AssertionError("applicants never end")


def verified(setting, proven, checker="native"):
    """Return what an applicant verifies about a certificate, from its bytes."""
    policy = AllOf(ForQuery(proven.query), ForContext(CONTEXT))
    verifier = Verifier(setting.commitment, trusting(setting.key), checker)
    return verifier.verify(proven.certificate.to_bytes(), policy)


def exact_squared(setting, row):
    """Return the squared distance of the nearest wrong decision, the cap of the spec where it is farther."""
    spec, network = setting.spec, setting.opening.network
    limit = spec.max_radius_squared
    found = exact_search(
        network, spec.encode(row), spec.domain_table, max_radius_squared=limit, max_regions=4096, max_seconds=None
    )
    return limit if found.upper is None else found.upper


def test_applicants_get_the_exact_radius(loans_tree, owner_of_tree):
    """R2 = floor(eps*^2), one less at worst, where the tree fits; never below what regions prove; flips get nothing."""
    complete, rng = 0, random.Random(3)
    while complete < 3:
        row = applicant(LOANS, rng)
        walked, proven = loans_tree.search(row), owner_of_tree.prove(row, CONTEXT)
        if isinstance(walked, Counterexample):
            assert proven == walked
            continue
        radius = verified(loans_tree, proven).statement.radius_squared
        assert radius == proven.evidence.radius_squared
        assert radius >= walked.radius_for(CAPACITY)
        if proven.search.complete:
            complete += 1
            assert radius in (floor(exact := exact_squared(loans_tree, row)), exact - 1)


def test_the_evidence_is_the_checkers(loans_tree, grown):
    """What was proven is what the plaintext checker passes under the key's shape, within its capacity."""
    opening, spec = loans_tree.opening, loans_tree.spec
    assert isinstance(grown.search, BranchSearch)
    assert grown.evidence.size == len(grown.evidence.leaves) <= CAPACITY
    integers = spec.encode(grown.query.features)
    check(grown.evidence, shape_parameters(loans_tree.shape), opening.network, integers, spec.domain_table)


@pytest.mark.parametrize("checker", ["native", "python"])
def test_both_programs_verify_it(loans_tree, grown, checker):
    """A certificate of this scheme is verified as any other, by the library and in plain Python."""
    known = verified(loans_tree, grown, checker)
    assert known.checker == checker
    assert known.key.shape.scheme == "branch"
    assert known.statement.radius_squared == grown.evidence.radius_squared
    assert len(grown.certificate.proof_bytes) <= 200


def test_a_certificate_belongs_to_its_scheme(loans, loans_tree, grown, proven):
    """The scheme enters the statement: under the other scheme's key the same statement has another digest."""
    with pytest.raises(UntrustedKeyError, match="not among the 1 trusted keys"):
        Verifier(loans.commitment, trusting(loans.key)).verify(grown.certificate, AllOf(ForContext(CONTEXT)))
    for setting, other, result in ((loans, loans_tree, grown), (loans_tree, loans, proven)):
        reference = changed(result.certificate.key, fingerprint=setting.key.document.fingerprint)
        moved = changed(result.certificate, key=reference)
        both = Verifier(setting.commitment, trusting(setting.key, other.key))
        with pytest.raises(ProofError, match="does not hold"):
            both.verify(moved, AllOf(ForContext(CONTEXT)))


def test_several_classes_and_sensitive_features():
    """Three logits, six slices: every margin of every leaf is proven."""
    opening = Opening.of(network(RATES, (2,), seed=13), RATES, blinding=7)
    setting, rng = Setting(opening, key_for(kept_keys(), RATES, (2,), 8, "branch")), random.Random(2)
    with Prover(opening, setting.key) as prover:
        for _ in range(40):
            proven = prover.prove(applicant(RATES, rng), CONTEXT)
            if not isinstance(proven, Counterexample) and proven.evidence.radius_squared:
                assert verified(setting, proven).statement.radius_squared == proven.evidence.radius_squared
                return
    raise AssertionError("no applicant is treated fairly")


@pytest.mark.slow
def test_a_deep_network_that_no_walk_could_prove():
    """Seven hidden layers, whose coefficients are rounded: proven and verified like any other."""
    hidden, rng = (2,) * 7, random.Random(5)
    for seed in range(40):
        opening = Opening.of(network(LOANS, hidden, seed), LOANS, blinding=7)
        setting = Setting(opening, key_for(kept_keys(), LOANS, hidden, 4, "branch"))
        with Prover(opening, setting.key) as prover:
            proven = prover.prove(applicant(LOANS, rng), CONTEXT)
        if not isinstance(proven, Counterexample) and proven.evidence.radius_squared:
            assert any(any(row) for row in shape_parameters(setting.shape).rounding)
            assert verified(setting, proven).statement.label == proven.evidence.label
            return
    raise AssertionError("no applicant is treated fairly")


def test_a_proof_is_doubted_as_any_other(owner_of_tree, grown, monkeypatch):
    """A proof that does not hold never becomes a certificate."""
    good = grown.certificate.proof_bytes
    monkeypatch.setattr(owner_of_tree, "_native", type("Native", (), {"prove": lambda self, witness: good})())
    with pytest.raises(
        KeyStoreError, match=r"proving\.key: remove the folder, .*: not usable as a key \(.*does not hold"
    ):
        owner_of_tree.prove(grown.query.features, CONTEXT | {"other": "context"})


def test_a_budget_of_no_time_still_certifies(owner_of_tree, grown):
    """The search is anytime: without seconds there is a certificate of what is certain by then."""
    hurried = owner_of_tree.prove(grown.query.features, CONTEXT, max_seconds=0.0)
    assert 0 <= hurried.evidence.radius_squared <= grown.evidence.radius_squared


def test_a_key_without_room_is_never_made(tmp_path):
    """Two slices need two leaves and one split: capacity 2 has no circuit."""
    with pytest.raises(KeyStoreError, match="capacity is 2, want 3 to"):
        KeyStore(tmp_path).setup(branch_shape(LOANS, (2, 2), 2))
    assert not list(tmp_path.iterdir())
