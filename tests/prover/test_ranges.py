"""Statements about neighbors inside ranges, end to end: what they say, whom they convince, and how they are refused."""

import math
import random

import pytest

from equiproof.certify.branch import BranchSearch
from equiproof.certify.network import Layer, QuantisedNetwork
from equiproof.certify.traversal.search import Counterexample
from equiproof.circuits import field
from equiproof.circuits.commitment import domain_digest
from equiproof.circuits.schemes import scheme_of
from equiproof.circuits.shape import branch_shape, traversal_shape
from equiproof.circuits.spec import SpecError
from equiproof.circuits.statement import Statement
from equiproof.prover import KeyStore, KeyStoreError, Opening, Prover
from equiproof.prover.evidence import find_evidence
from equiproof.prover.witness.relation import Secrets, fill
from equiproof.verifier import AllOf, ForContext, ForQuery, ProofError, TrustStore, Verifier
from equiproof.verifier.facts import ABOUT_RANGES
from equiproof.verifier.reading import Reading
from equiproof.verifier.trust import TrustedKey
from tests.circuits.tiny_cases import circuit_accepts, digest_of, free_checkers
from tests.conftest import CONTEXT
from tests.kept import kept_keys
from tests.soundness.cheating_owner import implied
from tests.support import INCOME, KEPT, SEX, Setting, applicant, changed, key_for, network, spec_of, trusting

HIDDEN, CAPACITY = (2, 2), 8
FREE = changed(KEPT, use_ranges=False)
"""The same features; neighbors are not kept to their ranges."""


def setting_of(spec):
    """Return a committed model under a spec, with its key."""
    opening = Opening.of(network(spec, HIDDEN, seed=7), spec, blinding=5)
    return Setting(opening, key_for(kept_keys(), spec, HIDDEN, CAPACITY, "branch"))


@pytest.fixture(scope="module")
def kept():
    """A model whose statements are about neighbors inside ranges."""
    return setting_of(KEPT)


@pytest.fixture(scope="module")
def free():
    """The same network, with statements about all neighbors."""
    return setting_of(FREE)


def searched(setting, row):
    """Search for the evidence of a key's scheme."""
    return find_evidence(setting.opening, setting.shape, setting.spec.encode(row), None, None)


@pytest.fixture(scope="module")
def cut(kept, free):
    """An applicant whose radius is larger inside the ranges, and what is found there."""
    rng = random.Random(1)
    for _ in range(200):
        row = applicant(KEPT, rng)
        inside, outside = searched(kept, row), searched(free, row)
        if not isinstance(inside, Counterexample) and inside.evidence.radius_squared > outside.evidence.radius_squared:
            return row, inside
    raise AssertionError("ranges never matter")


@pytest.fixture(scope="module")
def proven(kept, cut):
    """A certificate about that applicant."""
    with Prover(kept.opening, kept.key) as prover:
        return prover.prove(cut[0], CONTEXT)


def verified(setting, certificate, query, *keys, checker="auto"):
    """Return what an applicant verifies about a certificate."""
    verifier = Verifier(setting.commitment, trusting(setting.key, *keys), checker)
    return verifier.verify(certificate, AllOf(ForQuery(query), ForContext(CONTEXT)))


@pytest.mark.parametrize("checker", ["native", "python"])
def test_both_programs_verify_it(kept, proven, checker):
    """The proof convinces both, of the scheme's third relation, which nobody has named."""
    found = verified(kept, proven.certificate.to_bytes(), proven.query, checker=checker)
    assert found.key.shape.scheme == "branch-ranges"
    assert scheme_of(found.key.shape.scheme) == "branch"
    assert isinstance(proven.search, BranchSearch)
    assert found.statement.radius_squared == proven.evidence.radius_squared
    assert "it covers neighbors inside the spec's ranges, and no others" in found.made
    assert ABOUT_RANGES in found.not_made


def test_the_certificate_says_which_neighbors_it_is_about(kept, proven):
    """Its words name the ranges; those of a spec without them are what they were."""
    reading = proven.certificate.reading
    assert reading.ranges == {
        "income": "0 to 60,000 EUR",
        "savings": "any of its 3 values",
        "housing": "any of its 2 values",
    }
    assert "in the spec's units that keeps each of them inside its range, flips" in reading.sentence()
    assert b'"ranges":{' in proven.certificate.to_bytes()
    without = changed(proven.certificate, reading=changed(reading, ranges={}))
    with pytest.raises(ProofError, match="words do not match"):
        verified(kept, without.to_bytes(), proven.query)


def test_a_number_without_a_range_is_not_said_to_be_any():
    """What the words allow was proven: 11 bits end this number at 41,988, and nothing is known of a flip at 42,891."""
    spec = spec_of(INCOME, changed(SEX, scale="1"), bits=(10, 11), name="narrow", use_ranges=True)
    falls = QuantisedNetwork((Layer(((1, 0), (0, 0)), (2000, 0)), Layer(((-1, 0),), (3100,))), 10, (0, 0))
    setting = Setting(Opening.of(falls, spec, blinding=5), key_for(kept_keys(), spec, (2,), 4, "branch"))
    with Prover(setting.opening, setting.key) as prover:
        proven = prover.prove({"income": 41_000}, CONTEXT)
    found = verified(setting, proven.certificate.to_bytes(), proven.query)
    assert found.reading.at_least
    least, to, most = found.reading.ranges["income"].removesuffix(" EUR").replace(",", "").partition(" to ")
    low, high = (float(least), float(most)) if to else (-math.inf, math.inf)
    tried = 0
    for income in range(0, 60_000, 500):
        x = round((income - 30_000) / 12_000 * 1024)
        holds = all(falls.logits((x, *row))[0] > 0 for row in spec.domain_table)
        assert holds or not low <= income <= high
        tried += holds
    assert 0 < tried < 120


def test_radii_are_no_smaller_than_without_ranges(kept, free):
    """A cut ball is a part of the ball."""
    rng, larger = random.Random(2), 0
    for _ in range(12):
        row = applicant(KEPT, rng)
        inside, outside = searched(kept, row), searched(free, row)
        assert isinstance(inside, Counterexample) == isinstance(outside, Counterexample)
        if not isinstance(inside, Counterexample) and outside.search.complete:
            assert inside.evidence.radius_squared >= outside.evidence.radius_squared or not inside.search.complete
            larger += inside.evidence.radius_squared > outside.evidence.radius_squared
    assert larger


def test_the_key_is_that_of_the_spec(kept, free):
    """A spec decides which relation its keys are of: either key is refused for the other spec, whatever else fits."""
    assert (kept.shape.scheme, free.shape.scheme) == ("branch-ranges", "branch")
    assert changed(kept.shape, scheme="branch") == free.shape
    assert kept.shape.digest != free.shape.digest
    assert branch_shape(KEPT, HIDDEN, CAPACITY) == kept.shape
    with pytest.raises(SpecError, match=r"spec .kept. restricts neighbors to ranges.*want --scheme branch"):
        traversal_shape(KEPT, HIDDEN, CAPACITY)


def test_a_key_without_ranges_proves_nothing_under_a_spec_with_them(kept, free, proven):
    """And the other way round: the verifier says what the key proves and what the spec wants."""
    with Prover(free.opening, free.key) as prover:
        other = prover.prove(proven.query.features, CONTEXT)
    for setting, certificate, foreign, said in (
        (
            kept,
            proven.certificate,
            free.key,
            "about all neighbors, the spec requires statements about neighbors inside",
        ),
        (
            free,
            other.certificate,
            kept.key,
            "about neighbors inside ranges only, the spec requires statements about all",
        ),
    ):
        moved = changed(certificate, key=changed(certificate.key, fingerprint=foreign.document.fingerprint))
        with pytest.raises(ProofError, match=said):
            verified(setting, moved.to_bytes(), proven.query, foreign)
    with pytest.raises(KeyStoreError, match="needs --hidden 2,2 --scheme branch"):
        KeyStore(free.key.folder.parent).find(KEPT, HIDDEN, None)


def test_a_key_that_calls_itself_another_relations_holds_for_none_of_its_proofs(kept, free, proven):
    """The circuit hashes its own relation and shape: no proof holds under a key in the other one's clothes."""
    with Prover(free.opening, free.key) as prover:
        other = prover.prove(proven.query.features, CONTEXT)
    assert ABOUT_RANGES not in verified(free, other.certificate, other.query).not_made
    for worn, real, honest in ((free, kept, proven), (kept, free, other)):
        document = changed(real.key.document, shape=worn.shape)
        store = TrustStore([TrustedKey(document, real.key.verifying)])
        query = honest.query.commitment(worn.spec)
        assert query == int(honest.certificate.statement.query_commitment, 16)
        statement = changed(
            honest.certificate.statement,
            model_commitment=worn.commitment.model_commitment,
            spec_digest=field.to_hex(worn.spec.digest),
            domain_digest=field.to_hex(domain_digest(worn.spec)),
        )
        lie = changed(
            honest.certificate,
            statement=statement,
            reading=Reading.of(worn.spec, statement.label, statement.radius_squared),
            key=changed(honest.certificate.key, fingerprint=document.fingerprint),
        )
        with pytest.raises(ProofError, match="does not hold"):
            Verifier(worn.commitment, store).verify(lie.to_bytes(), ForQuery(honest.query))


def test_a_row_outside_its_range_has_no_query(kept):
    """Rows are refused by the feature, never moved into their range."""
    row = applicant(KEPT, random.Random(1)) | {"income": 60_001}
    with Prover(kept.opening, kept.key) as prover, pytest.raises(SpecError, match="'income': 60001 is outside 0 to"):
        prover.prove(row, CONTEXT)


def filled(setting, row, found, **changes):
    """Return the wires of honest evidence, with some of them changed."""
    opening, spec = setting.opening, setting.spec
    secrets = Secrets.of(opening, spec.encode(row), 4)
    blank = Statement(0, spec.digest, 0, 0, found.evidence.label, found.evidence.radius_squared, 6)
    return fill(setting.shape, blank, secrets, found.evidence) | changes


def accepted(setting, wires, digest=None):
    """Tell whether the circuit is satisfied, by default behind the digest of the statement that the wires open."""
    return circuit_accepts(setting.shape, digest_of(setting.shape, wires) if digest is None else digest, wires)


def test_what_an_owner_could_gain_by_other_ranges(kept, cut):
    """Ends of his own choice are another domain digest than the spec's; behind the spec's own they are refused."""
    row, found = cut
    wires = filled(kept, row, found)
    assert accepted(kept, wires)
    assert implied(kept.shape, wires).domain_digest == domain_digest(KEPT)
    own = wires["query"]
    narrow = wires | {"range_low": own, "range_high": own, "cut": [0] * len(wires["cut"])}
    narrow |= {"negative_cut": [0] * len(wires["cut"])}
    assert implied(kept.shape, narrow).domain_digest != domain_digest(KEPT)
    assert not accepted(kept, narrow, digest_of(kept.shape, wires))
    free_checkers()


def test_a_query_outside_the_ranges_has_no_proof(kept, cut):
    """The circuit holds the query inside, whatever the ends are that the statement names."""
    row, found = cut
    wires = filled(kept, row, found)
    for name, step in (("range_low", 1), ("range_high", -1)):
        for column, value in enumerate(wires["query"]):
            ends = [*wires[name]]
            ends[column] = value + step
            assert not accepted(kept, wires | {name: ends})
    free_checkers()


def test_lies_about_cuts_have_no_proof(kept, cut):
    """A sign that is not the number's, a sign that is no bit, and a number beyond its width are refused."""
    row, found = cut
    wires = filled(kept, row, found)
    at = next(i for i, value in enumerate(wires["cut"]) if value)
    for value in (1 - wires["negative_cut"][at], 2, -1):
        signs = [*wires["negative_cut"]]
        signs[at] = value
        assert not accepted(kept, wires | {"negative_cut": signs})
    huge = [*wires["cut"]]
    huge[at] += 1 << 200
    assert not accepted(kept, wires | {"cut": huge})
    free_checkers()
