"""The plain-Python check and the native one come to the same verdict on what chance changes.

What people would change is in tests/vectors: both checks are held to every file there by `test_vectors.py`.
"""

import random

import pytest

from equiproof.ffi.errors import MalformedInputError
from equiproof.verifier import pairing
from equiproof.verifier.parts import read_parts
from tests.trapdoor import (
    INFINITY_G1,
    INFINITY_G2,
    KEY_PLACES,
    PROOF_PLACES,
    Trapdoor,
    digest_bytes,
)
from tests.two_checks import CHECKS, agreed, verdict
from tests.vectors.vector import proof_base

KNOWN = Trapdoor()
KEY = KNOWN.key()
DIGEST = 7
PROOF = KNOWN.forge(DIGEST)


@pytest.mark.parametrize("data", ["text", None, 5, [1]], ids=repr)
def test_what_is_no_bytes_is_a_type_error(data):
    """Only bytes are checked: anything else is a fault of the caller's, with both checks."""
    for check in CHECKS.values():
        with check(KEY) as loaded:
            for words in ((data, PROOF.data()), (digest_bytes(DIGEST), data)):
                with pytest.raises(TypeError):
                    loaded.verify(*words)


def test_a_refused_key_stays_refused():
    """A key is judged anew each time it is refused, and a good one is read again and again."""
    for _ in range(2):
        with pytest.raises(MalformedInputError):
            pairing.VerifyingKey(KEY[:-1] + b"\0")
        pairing.VerifyingKey(KEY)


def mutated(rng, data, places):
    """Return data with one bit, byte, flag or point changed at random."""
    changed = bytearray(data)
    kind = rng.randrange(5)
    at, width = rng.choice(list(places.values()))
    if kind == 0:
        changed[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    elif kind == 1:
        changed[rng.randrange(len(data))] = rng.choice((0, 0x40, 0x7F, 0x80, 0xBF, 0xC0, 0xFF))
    elif kind == 2:
        changed[at] ^= rng.choice((0x40, 0x80, 0xC0))
    elif kind == 3:
        changed[at : at + width] = INFINITY_G1 if width == 32 else INFINITY_G2
    else:
        other, size = rng.choice([place for place in places.values() if place[1] == width])
        changed[at : at + width] = data[other : other + size]
    return bytes(changed)


@pytest.fixture(scope="module")
def published():
    """A key, a statement digest and a proof of a real set-up."""
    return tuple(bytes.fromhex(proof_base("published")[name]) for name in ("key", "digest", "proof"))


def chance(published, seed, proofs, keys):
    """Compare both checks on random changes of a real proof, its digest and its key, and count the verdicts."""
    rng = random.Random(seed)
    key, digest, proof = published
    counts = {"accepted": 0, "refused": 0, "malformed": 0}
    for number in range(proofs):
        if number % 10:
            counts[agreed(key, digest, mutated(rng, proof, PROOF_PLACES))] += 1
        else:
            counts[agreed(key, mutated(rng, digest, {"digest": (0, 32)}), proof)] += 1
    for _ in range(keys):
        counts[agreed(mutated(rng, key, KEY_PLACES), digest, proof)] += 1
    return counts


@pytest.mark.slow
def test_random_changes_find_no_difference(published):
    """Whatever is changed in a proof, its digest or its key, both checks say the same."""
    counts = chance(published, 1, proofs=10, keys=6)
    assert min(counts["refused"], counts["malformed"]) > 1


@pytest.mark.parametrize("times", [20, pytest.param(5000, marks=pytest.mark.slow)])
def test_both_read_the_same_proofs(published, times):
    """Of proofs changed at random, both checks call the same ones malformed; whether the others hold is not asked."""
    rng = random.Random(times)
    key, digest, proof = published
    found = {True: 0, False: 0}
    for _ in range(times):
        lie = mutated(rng, proof, PROOF_PLACES)
        try:
            read_parts(lie, pairing._PROOF, "proof")
            malformed = False
        except MalformedInputError:
            malformed = True
        assert (verdict("native", key, digest, lie)[0] == "malformed") == malformed, lie.hex()
        found[malformed] += 1
    assert min(found.values()) > times / 8


@pytest.mark.slow
def test_a_thousand_random_changes_find_no_difference(published):
    """The same on a thousand changes."""
    counts = chance(published, 2, proofs=700, keys=300)
    assert min(counts["refused"], counts["malformed"]) > 200
