"""PLONK's plain-Python check and the native one come to the same verdict on what chance changes.

What people would change is in tests/vectors: both checks are held to every file there by `test_vectors.py`.
"""

import random

import pytest

from equiproof.circuits.field import ORDER
from equiproof.ffi.errors import MalformedInputError
from equiproof.verifier import plonk
from equiproof.verifier.parts import read_parts
from tests.trapdoor import INFINITY_G1, INFINITY_G2, PLONK_KEY_PLACES, PLONK_PROOF_PLACES
from tests.two_checks import agreed, verdict
from tests.vectors.vector import proof_base

SYSTEM = "plonk-bn254"
VALUES = ("linear", "l", "r", "o", "s1", "s2", "qcp", "z")


@pytest.fixture(scope="module")
def published():
    """A key, a statement digest and a proof of a real set-up."""
    return tuple(bytes.fromhex(proof_base("plonk")[name]) for name in ("key", "digest", "proof"))


def mutated(rng, data, places):
    """Return data with one bit, byte, flag, point or value changed at random."""
    changed = bytearray(data)
    kind = rng.randrange(6)
    at, width = rng.choice(list(places.values()))
    alike = [place for place in places.values() if place[1] == width]
    if kind == 0:
        changed[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    elif kind == 1:
        changed[rng.randrange(len(data))] = rng.choice((0, 0x40, 0x7F, 0x80, 0xBF, 0xC0, 0xFF))
    elif kind == 2:
        changed[at] ^= rng.choice((0x40, 0x80, 0xC0))
    elif kind == 3:
        changed[at : at + width] = {32: INFINITY_G1, 64: INFINITY_G2, 8: bytes(8)}[width]
    elif kind == 4:
        changed[at : at + width] = rng.randrange(min(ORDER, 1 << (8 * width))).to_bytes(width, "big")
    else:
        other, size = rng.choice(alike)
        changed[at : at + width] = data[other : other + size]
    return bytes(changed)


def chance(published, seed, proofs, keys):
    """Compare both checks on random changes of a real proof, its digest and its key, and count the verdicts."""
    rng = random.Random(seed)
    key, digest, proof = published
    counts = {"accepted": 0, "refused": 0, "malformed": 0}
    for number in range(proofs):
        if number % 10:
            counts[agreed(key, digest, mutated(rng, proof, PLONK_PROOF_PLACES), SYSTEM)] += 1
        else:
            counts[agreed(key, mutated(rng, digest, {"digest": (0, 32)}), proof, SYSTEM)] += 1
    for _ in range(keys):
        counts[agreed(mutated(rng, key, PLONK_KEY_PLACES), digest, proof, SYSTEM)] += 1
    return counts


@pytest.mark.parametrize(
    ("proofs", "keys"), [(30, 10), pytest.param(1000, 200, marks=pytest.mark.slow)], ids=["few", "many"]
)
def test_random_changes_find_no_difference(published, proofs, keys):
    """Whatever is changed in a proof, its digest or its key, both checks say the same."""
    counts = chance(published, proofs, proofs, keys)
    assert min(counts["refused"], counts["malformed"]) > proofs / 8


@pytest.mark.parametrize("times", [50, pytest.param(5000, marks=pytest.mark.slow)])
def test_both_read_the_same_proofs(published, times):
    """Of proofs changed at random, both checks call the same ones malformed; whether the others hold is not asked."""
    rng = random.Random(times)
    key, digest, proof = published
    found = {True: 0, False: 0}
    for _ in range(times):
        lie = mutated(rng, proof, PLONK_PROOF_PLACES)
        try:
            read_parts(lie, plonk._PROOF, "proof")
            malformed = False
        except MalformedInputError:
            malformed = True
        assert (verdict("native", key, digest, lie, SYSTEM)[0] == "malformed") == malformed, lie.hex()
        found[malformed] += 1
    assert min(found.values()) > times / 8


@pytest.mark.parametrize("name", [pytest.param(name, id=name) for name in ("linear", "qcp", "z")])
def test_values_of_a_proof_that_holds_cannot_be_exchanged(published, name):
    """No value of the proof may be another one: the relation holds seven of them, an opening each of them."""
    key, digest, proof = published
    at, width = PLONK_PROOF_PLACES[name]
    for other in VALUES:
        if other != name:
            start, _ = PLONK_PROOF_PLACES[other]
            lie = proof[:at] + proof[start : start + width] + proof[at + width :]
            assert verdict("native", key, digest, lie, SYSTEM)[0] == "refused"


def test_a_refused_key_stays_refused(published):
    """A key is judged anew each time it is refused, and a good one is read again and again."""
    for _ in range(2):
        with pytest.raises(MalformedInputError):
            plonk.VerifyingKey(published[0][:-1] + b"\0")
        plonk.VerifyingKey(published[0])


@pytest.mark.parametrize("data", ["text", None, 5, [1]], ids=repr)
def test_what_is_no_bytes_is_a_type_error(published, data):
    """Only bytes are checked: anything else is a fault of the caller's."""
    with plonk.VerifyingKey(published[0]) as loaded:
        for words in ((data, published[2]), (published[1], data)):
            with pytest.raises(TypeError):
                loaded.verify(*words)


@pytest.mark.parametrize("other", ["groth16-bn254", "plonk-bn254"])
def test_no_key_is_read_as_one_of_another_proof_system(published, other):
    """Bytes of a key are refused under the other proof system's name, by both programs."""
    key = published[0] if other != SYSTEM else bytes.fromhex(proof_base("published")["key"])
    for name in ("native", "python"):
        assert verdict(name, key, published[1], published[2], other) == ("malformed", "wrong-length")
