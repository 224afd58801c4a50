"""Calls in which something is changed: whatever the contract accepts, the native check accepts, and nothing else.

Every run makes the same changes; `EQUIPROOF_FUZZ=n` draws n times as many from a fresh seed.
"""

import os
import random

import pytest
from py_ecc.optimized_bn128 import FQ2, add, multiply, neg, normalize

from equiproof.ffi import backend
from equiproof.verifier.calldata import points_of
from tests.chain.chain import Chain, call_of, key_of, statement_call
from tests.trapdoor import ORDER, PRIME, Trapdoor, digest_bytes, off_curve, outside_subgroup
from tests.two_checks import verdict
from tests.vectors.vector import proof_base

TIMES = int(os.environ.get("EQUIPROOF_FUZZ", "0"))
KNOWN, DIGEST = Trapdoor(), 7
CEREMONY = Trapdoor(gamma=1, generator=1)
WORDS = ("A.x", "A.y", "B.xi", "B.x", "B.yi", "B.y", "C.x", "C.y", "D.x", "D.y", "k.x", "k.y", "digest")
POINTS = {"A": (0, 2), "B": (2, 6), "C": (6, 8), "D": (8, 10), "k": (10, 12)}


def words_of(proof, digest):
    """Return the thirteen numbers of a call."""
    data = b"".join(points_of(proof)) + digest
    return [int.from_bytes(data[at : at + 32], "big") for at in range(0, len(data), 32)]


def called(words):
    """Return a call of thirteen numbers."""
    return call_of((word.to_bytes(32, "big") for word in words[:-1]), words[-1].to_bytes(32, "big"))


@pytest.fixture(scope="module", params=["ceremony", pytest.param("published", marks=pytest.mark.slow)])
def case(request, chain):
    """A contract with a proof that it accepts: of a key in a ceremony's form, and of one that a single party made."""
    if request.param == "ceremony":
        key, digest, proof = CEREMONY.key(), digest_bytes(DIGEST), CEREMONY.forge(DIGEST).data()
    else:
        base = proof_base(request.param)
        key, digest, proof = (bytes.fromhex(base[name]) for name in ("key", "digest", "proof"))
    contract, words = chain.contract(key_of(key)), words_of(proof, digest)
    assert contract.verdict(called(words)) == "accepted"
    return contract, words


@pytest.mark.parametrize("place", range(13), ids=WORDS)
def test_no_word_can_be_changed(case, place):
    """One more or less, the modulus of either field more, nothing or all ones: each word has one value.

    A coordinate changed by one is off the curve; the other square root is a well-formed point.
    """
    contract, words = case
    coordinate = place < 12
    changes = {1: "malformed" if coordinate else "refused", -1: "malformed" if coordinate else "refused"}
    changes |= {PRIME: "malformed", ORDER: "malformed"}
    for by, expected in changes.items():
        altered = [*words[:place], words[place] + by, *words[place + 1 :]]
        if 0 <= altered[place] < 1 << 256:
            assert contract.verdict(called(altered)) == expected, by
    for value in (0, (1 << 256) - 1, PRIME, ORDER, 1 << 255):
        altered = [*words[:place], value, *words[place + 1 :]]
        assert contract.verdict(called(altered)) in ("malformed", "refused"), value
    if WORDS[place].endswith("y") and WORDS[place] != "B.y":
        altered = [*words[:place], PRIME - words[place], *words[place + 1 :]]
        assert contract.verdict(called(altered)) == "refused"


def test_points_cannot_change_places(case):
    """Any two points of G1 swapped, any point at infinity, and any point replaced by the generator are refused."""
    contract, words = case
    names = [name for name in POINTS if name != "B"]
    for name, (first, end) in POINTS.items():
        altered = [*words[:first], *[0] * (end - first), *words[end:]]
        assert contract.verdict(called(altered)) == "refused", name
    for name in names:
        first, end = POINTS[name]
        assert contract.verdict(called([*words[:first], 1, 2, *words[end:]])) == "refused", name
        for other in names[: names.index(name)]:
            left, right = POINTS[other]
            altered = [*words[:left], *words[first:end], *words[right:first], *words[left:right], *words[end:]]
            assert contract.verdict(called(altered)) == "refused", (name, other)
    halves = [words[3], words[2], words[5], words[4]]
    assert contract.verdict(called([*words[:2], *halves, *words[6:]])) == "malformed"


def test_points_outside_the_group_of_g2_are_malformed(case):
    """The contract leaves the subgroup of B to the precompiled pairing, which refuses all other points of the twist."""
    contract, words = case
    stranger = outside_subgroup()
    own = (FQ2([words[3], words[2]]), FQ2([words[5], words[4]]), FQ2.one())
    for point in (stranger, add(own, multiply(stranger, ORDER)), neg(stranger)):
        x, y = ([int(half) % PRIME for half in value.coeffs] for value in normalize(point))
        altered = [*words[:2], x[1], x[0], y[1], y[0], *words[6:]]
        assert contract.verdict(called(altered)) == "malformed"


def test_points_off_the_curve_are_malformed(case):
    """Of a number that no point has as its x, no y makes a point."""
    contract, words = case
    number = int.from_bytes(off_curve(), "big") & ((1 << 254) - 1)
    for name, (first, end) in POINTS.items():
        if name != "B":
            altered = [*words[:first], number, words[first + 1], *words[end:]]
            assert contract.verdict(called(altered)) == "malformed", name


def test_calls_have_one_length(case):
    """A call that is cut anywhere or goes on is malformed, of either function; so is one of no function."""
    contract, words = case
    call = called(words)
    for length in (0, 3, 4, 36, 68, 388, 419):
        assert contract.verdict(call[:length]) == "malformed", length
    for more in (b"\0", bytes(32), bytes(384)):
        assert contract.verdict(call + more) == "malformed"
    points = [word.to_bytes(32, "big") for word in words[:12]]
    other = statement_call(points, [1, 2, 3, 4, 5, 6, 7])
    assert contract.verdict(other) == "refused"
    for length in (4, 388, 420, 611):
        assert contract.verdict(other[:length]) == "malformed", length
    assert contract.verdict(other + b"\0") == "malformed"
    assert contract.verdict(bytes(4) + call[4:]) == "malformed"


def test_little_gas_accepts_nothing(case):
    """With less gas than a check takes, whatever it is, no proof is accepted, and no false one with any."""
    contract, words = case
    needed = contract.call(called(words))["gas"]
    false = [*words[:-1], words[-1] - 1]
    for part in range(16):
        gas = needed * part // 16
        for numbers in (words, false):
            assert contract.call(called(numbers), gas)["failed"] is not None, gas
    assert contract.call(called(false), needed * 2)["output"] == "8ac5ff0b"


@pytest.mark.slow
def test_a_chain_without_a_precompiled_contract_accepts_nothing(chain):
    """A call of an address without a contract succeeds and returns nothing: that is no answer."""
    code = chain.code(key_of(CEREMONY.key()))
    call = call_of(points_of(CEREMONY.forge(DIGEST, a=1).data()), DIGEST)
    for address in ("0x02", "0x06", "0x07", "0x08"):
        lacking = Chain(address)
        try:
            assert lacking.deployed(code).verdict(call) == "malformed", address
        finally:
            lacking.close()
    assert chain.deployed(code).verdict(call) == "accepted"


def drawn(rng, key):
    """Return a proof and a digest: often true, often with one part of another, or of nothing in particular."""
    digest = rng.choice((0, 1, DIGEST, ORDER - 1, rng.randrange(ORDER)))
    parts = {name: rng.choice((0, 1, rng.randrange(ORDER))) for name in ("a", "b", "commitment")}
    proof = key.forge(digest, **parts)
    if rng.random() < 0.6:
        name = rng.choice(("a", "b", "c", "commitment", "knowledge"))
        value = rng.choice((0, 1, ORDER - 1, proof.a, proof.c, proof.knowledge, -getattr(proof, name)))
        proof = proof.with_(**{name: value})
    return proof, digest if rng.random() < 0.8 else (digest + 1) % ORDER


@pytest.mark.slow
@pytest.mark.skipif(not backend.available(), reason="the native library is not built")
def test_drawn_proofs_have_the_verdict_of_the_native_check(chain):
    """Proofs with drawn points at their edges are accepted by the contract where the native check accepts them."""
    rng, seen = random.Random(None if TIMES else "proofs"), set()
    for _ in range(12 * (TIMES or 1)):
        key = rng.choice((KNOWN, CEREMONY))
        proof, digest = drawn(rng, key)
        said = verdict("native", key.key(), digest_bytes(digest), proof.data())[0]
        call = call_of(points_of(proof.data()), digest)
        assert chain.contract(key_of(key.key())).verdict(call) == said, (key, proof, digest)
        seen.add(said)
    assert TIMES or seen == {"accepted", "refused"}  # fresh seeds may draw fewer
