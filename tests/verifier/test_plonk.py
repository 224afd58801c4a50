"""PLONK's plain-Python check: values that are exchanged, keys that are refused or of another proof system.

What else people would change is in tests/vectors, and what chance changes in `test_random_changes.py`.
"""

import pytest

from equiproof.circuits.field import ORDER
from equiproof.ffi.errors import MalformedInputError
from equiproof.verifier import plonk
from equiproof.verifier.programs import load
from tests.trapdoor import PLONK_PROOF_PLACES
from tests.two_checks import verdict
from tests.vectors.vector import proof_base

SYSTEM = "plonk-bn254"
VALUES = ("linear", "l", "r", "o", "s1", "s2", "qcp", "z")


@pytest.fixture(scope="module")
def published():
    """A key, a statement digest and a proof of a real set-up."""
    return tuple(bytes.fromhex(proof_base("plonk")[name]) for name in ("key", "digest", "proof"))


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


@pytest.mark.parametrize("number", [0, 1, ORDER - 2])
def test_the_second_opening_is_always_checked(published, monkeypatch, number):
    """Whatever is drawn, both openings count: the one of z at the next place is not left out by a factor of 0."""
    asked = []
    monkeypatch.setattr(plonk.secrets, "randbelow", lambda most: asked.append(most) or number)
    key, digest, proof = published
    at, width = PLONK_PROOF_PLACES["W'"]
    start, _ = PLONK_PROOF_PLACES["W"]
    lie = proof[:at] + proof[start : start + width] + proof[at + width :]
    assert verdict("python", key, digest, proof, SYSTEM)[0] == "accepted"
    assert verdict("python", key, digest, lie, SYSTEM) == ("refused", "pairings-differ")
    assert asked == [ORDER - 1] * 2


@pytest.mark.parametrize("system", ["groth16-bn254", SYSTEM])
def test_lists_of_different_lengths_are_a_fault(system):
    """A digest without a proof, or a proof without a digest, has no verdict: nothing is left out in silence."""
    parts = proof_base("plonk" if system == SYSTEM else "published")
    key, digest, proof = (bytes.fromhex(parts[name]) for name in ("key", "digest", "proof"))
    with load("python", system, key) as loaded:
        assert loaded.verify_many([digest], [proof]) == [None]
        for digests, proofs in (([digest], []), ([], [proof]), ([digest], [proof, proof])):
            with pytest.raises(ValueError, match="zip"):
                loaded.verify_many(digests, proofs)
