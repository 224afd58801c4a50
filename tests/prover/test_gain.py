"""Gains are proven: what is sought holds, is bound into the statement, and is doubted before anyone sees it."""

import math
import random
from fractions import Fraction

import pytest

from equiproof.certify.gain import GainError, gain_at
from equiproof.circuits.shape import gain_shape
from equiproof.circuits.spec import SpecError
from equiproof.prover import KeyStore, KeyStoreError, Opening
from equiproof.prover.gain import GainProver, Sought
from equiproof.prover.key_choice import serves, serves_gain
from equiproof.verifier import (
    AllOf,
    CertificateFormatError,
    ForContext,
    ForQuery,
    GainOf,
    GainVerifier,
    MinRadius,
    parse_commitment,
)
from equiproof.verifier.documents import parse_key
from tests.conftest import CONTEXT, HIDDEN, LOANS_SEED
from tests.kept import kept_keys
from tests.prover.additive_case import drawn
from tests.support import KEPT, LOANS, RATES, applicant, key_of, network, trusting
from tests.vectors.vector import KEY, certificate_base

MALE, FEMALE = {"sex": "m"}, {"sex": "f"}
ROW = applicant(LOANS, random.Random(3))


@pytest.fixture(scope="module")
def prover(gains):
    """The honest prover of gains."""
    with GainProver(gains.opening, gains.key) as made:
        yield made


def sought(**numbers):
    """Return the gain of one value over the other."""
    return Sought("declined", MALE, FEMALE, **numbers)


def test_the_largest_gain_up_to_a_radius(prover, gains):
    """The certificate verifies for its applicant and context, and the radius is as large as demanded."""
    proven = prover.prove(ROW, sought(radius="0.3"), CONTEXT)
    policy = AllOf(ForQuery(proven.query), ForContext(CONTEXT), MinRadius("0.3"), GainOf("declined", MALE, FEMALE))
    verified = GainVerifier(gains.commitment, trusting(gains.key)).verify(proven.certificate.to_bytes(), policy)
    assert verified.statement.least_gain == proven.search.evidence.least_gain <= proven.search.gain
    assert verified.document()["statement"] == proven.document()["statement"]
    assert proven.certificate.query is None


def test_the_largest_radius_of_a_gain(prover, gains):
    """A gain that is sought is rounded up to the model's numbers, and holds at points of the ball."""
    proven = prover.prove(ROW, sought(least_gain="-0.1"), disclose=True)
    unit = gains.opening.network.logit_fraction_bits
    least, squared = proven.search.evidence.least_gain, proven.search.evidence.radius_squared
    assert Fraction(least - 1, 1 << unit) < Fraction("-0.1") <= Fraction(least, 1 << unit)
    assert proven.certificate.query == proven.query
    query, table, rng, half = LOANS.encode(ROW), LOANS.domain_table, random.Random(1), math.isqrt(squared) // 2
    for _ in range(200):
        point = tuple(x + rng.randint(-half, half) for x in query)
        if sum((x - y) ** 2 for x, y in zip(point, query, strict=True)) < squared:
            assert gain_at(gains.opening.network, point, table[1], table[0], 0) >= least


def test_radius_0_is_about_the_applicant_alone(prover):
    """Then the gain is that at the applicant's own data, to the last number."""
    proven = prover.prove(ROW, sought(radius="0"))
    assert proven.certificate.statement.radius_squared == 0
    assert proven.search.evidence.least_gain == proven.search.gain
    assert "the other features staying as they are" in proven.document()["statement"]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (Sought("maybe", MALE, FEMALE, radius="0.1"), "label 'maybe' is unknown: want one of declined, granted"),
        (Sought("declined", {"sex": "x"}, FEMALE, radius="0.1"), "first: name one of f, m: sex has no value 'x'"),
        (Sought("declined", MALE, {"race": "x"}, radius="0.1"), "second: name one of sex: 'race' is not a"),
        (Sought("declined", MALE, {}, radius="0.1"), "second: the value of sex is missing"),
        (Sought("declined", MALE, MALE, radius="0.1"), "first and second are the same values"),
        (Sought("declined", MALE, FEMALE, radius="17"), "the radius is not between 0 and 15"),
        (Sought("declined", MALE, FEMALE, radius="-1"), "the radius is not between 0 and 15"),
    ],
)
def test_what_the_spec_lacks_is_refused(prover, wrong, message):
    """A label, values or a radius that the spec does not have are refused in words."""
    with pytest.raises(SpecError, match=message):
        prover.prove(ROW, wrong)


@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        ({}, "want a radius or a least gain"),
        ({"radius": "1", "least_gain": "1"}, "want a radius or a least gain"),
        ({"radius": "far"}, "radius: 'far' is not a decimal number"),
        ({"least_gain": "1e3"}, "least gain: '1e3' is not a decimal number"),
    ],
)
def test_one_number_is_sought(numbers, message):
    """A search takes a radius or a gain, as decimal text."""
    with pytest.raises(SpecError, match=message):
        sought(**numbers)


def test_a_gain_that_the_applicant_does_not_have_is_not_proven(prover):
    """The message has the gain at the applicant's own data."""
    with pytest.raises(GainError, match=r"the gain at the person's own data is -?[0-9.]+, below 50: want no more"):
        prover.prove(ROW, sought(least_gain="50"))


def test_a_context_that_can_be_guessed_is_refused(prover):
    """As for certificates, a context needs a nonce."""
    with pytest.raises(CertificateFormatError, match="nonce"):
        prover.prove(ROW, sought(radius="0.1"), {"date": "2026-01-31"})


@pytest.mark.slow
@pytest.mark.parametrize(
    ("spec", "seed", "proof_system", "first", "second"),
    [
        (KEPT, 3, "groth16-bn254", MALE, FEMALE),
        (RATES, 13, "groth16-bn254", {"gender": "m", "age": "40"}, {"gender": "f", "age": "60"}),
        (LOANS, LOANS_SEED, "plonk-bn254", FEMALE, MALE),
    ],
    ids=["ranges", "three labels", "plonk"],
)
def test_gains_of_other_models(spec, seed, proof_system, first, second):
    """Ranges of a spec play no part, several sensitive features are compared together, and PLONK proves the same."""
    opening = Opening.of(network(spec, (2,), seed), spec, blinding=7)
    key, row = key_of(kept_keys(), gain_shape(spec, (2,), 4), proof_system), applicant(spec, random.Random(4))
    with GainProver(opening, key) as prover:
        proven = prover.prove(row, Sought(spec.labels[-1], first, second, radius="0.05"))
    verifier = GainVerifier(parse_commitment(opening.public(), "commitment"), trusting(key))
    policy = AllOf(ForQuery(proven.query), MinRadius("0.05"), GainOf(spec.labels[-1], first, second))
    verified = verifier.verify(proven.certificate.to_bytes(), policy)
    assert (verified.reading.first, verified.reading.second) == (first, second)


def test_keys_of_gains_and_of_decisions_serve_nothing_else(gains):
    """A key proves gains or decisions, never both, and the store finds each by its kind."""
    sizes = gains.opening.sizes
    assert serves_gain(gains.key.document, LOANS, sizes)
    assert not serves(gains.key.document, LOANS, sizes)
    of_decisions = parse_key(certificate_base("loans-branch")[KEY], KEY)
    assert serves(of_decisions, LOANS, HIDDEN)
    assert not serves_gain(of_decisions, LOANS, HIDDEN)
    store = KeyStore(gains.key.folder.parent)
    assert store.find_gain(gains.opening).document == store.find_gain(gains.opening, 4).document == gains.key.document
    with pytest.raises(KeyStoreError, match=r"it needs --hidden 2; there are 2 \(gain, K = 4\)"):
        store.find_for(gains.opening)
    with pytest.raises(KeyStoreError, match=r"no key of gains for this model.*--hidden 2 --capacity 8; .*setup --gain"):
        store.find_gain(gains.opening, 8)


def test_gains_are_of_networks(gains):
    """An additive model has no key of gains, and the message says so."""
    with pytest.raises(KeyStoreError, match="gain: networks only, and the opening is of an additive model"):
        KeyStore(gains.key.folder.parent).find_gain(Opening.of(drawn(LOANS, 1, 2, 1), LOANS, blinding=5))


def test_reprs_hide_what_is_private(prover):
    """The query, the search and the spec's numbers do not stand in logs and tracebacks."""
    proven = prover.prove(ROW, sought(radius="0"))
    assert "GainSearch" not in repr(proven)
    assert str(ROW["income"]) not in repr(proven)
