"""Many proofs in one call: the verdicts are those of the calls one by one, and no bytes make the library crash."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from equiproof.ffi import backend
from equiproof.ffi.errors import BackendError, MalformedInputError, RefusedError
from tests.trapdoor import Trapdoor, digest_bytes

KNOWN = Trapdoor()


@pytest.fixture(scope="module")
def verifier():
    """A loaded key whose secrets are known."""
    with backend.VerifyingKey(KNOWN.key()) as loaded:
        yield loaded


@pytest.fixture(scope="module")
def claims():
    """Digests and proofs that hold for them."""
    return [(digest_bytes(number), KNOWN.forge(number, a=11 + number).data()) for number in range(12)]


def alone(verifier, digest, proof):
    """Return the kind, the reason and the message of what a call for one proof raises; None where it holds."""
    try:
        verifier.verify(digest, proof)
    except (RefusedError, MalformedInputError) as error:
        return type(error), error.reason, str(error)
    return None


def together(verifier, claims, threads=0):
    """Return the same of a call for all of them."""
    found = verifier.verify_many(*zip(*claims, strict=True), threads)
    return [None if error is None else (type(error), error.reason, str(error)) for error in found]


def mixed(claims, seed):
    """Return the claims with some of them false or malformed."""
    rng = random.Random(seed)
    found = list(claims)
    for place in rng.sample(range(len(claims)), 5):
        digest, proof = claims[place]
        bit = rng.randrange(8 * len(proof))
        flipped = bytearray(proof)
        flipped[bit // 8] ^= 1 << bit % 8
        found[place] = rng.choice(
            [
                (digest_bytes(place + 1), proof),
                (digest, bytes(flipped)),
                (digest, proof[:-1]),
                (digest, b""),
                (b"", proof),
                (digest, claims[place - 1][1]),
                (b"\xff" * 32, proof),
                (digest, proof + b"\0" * 300),
            ]
        )
    return found


def test_proofs_that_hold_have_no_error(verifier, claims):
    """Nothing is said of proofs that hold, on any number of threads."""
    for threads in (0, 1, 2, 1000):
        assert together(verifier, claims, threads) == [None] * len(claims)


@pytest.mark.parametrize("seed", range(8))
def test_verdicts_are_those_of_single_calls(verifier, claims, seed):
    """Kind, reason and message of each proof are those that a call for it alone gives, and in its place."""
    some = mixed(claims, seed)
    found = together(verifier, some)
    assert found == [alone(verifier, *claim) for claim in some]
    assert any(found)


def test_a_long_list_takes_several_calls(verifier, claims, monkeypatch):
    """Where the list is longer than one call takes, verdicts stay in their places."""
    monkeypatch.setattr(backend, "_BATCH", 5)
    some = mixed(claims, 3)
    assert together(verifier, some) == [alone(verifier, *claim) for claim in some]


def test_errors_that_cancel_are_refused(verifier):
    """Two proofs whose errors add up to nothing are both refused: random numbers keep them apart."""
    first, second = KNOWN.forge(1), KNOWN.forge(2, a=17)
    for bad in (
        [first.with_(c=first.c + 5), second.with_(c=second.c - 5)],
        [first.with_(knowledge=first.knowledge + 5), second.with_(knowledge=second.knowledge - 5)],
    ):
        claims = [(digest_bytes(number), proof.data()) for number, proof in enumerate(bad, 1)]
        assert [kind for kind, _, _ in together(verifier, claims)] == [RefusedError, RefusedError]


def test_nothing_has_no_verdict(verifier):
    """No proofs have no verdicts."""
    assert verifier.verify_many([], []) == []


def test_lists_of_different_lengths_are_a_fault(verifier, claims):
    """A digest without a proof is the caller's fault."""
    with pytest.raises(ValueError, match="zip"):
        verifier.verify_many([claims[0][0]], [])


@pytest.mark.parametrize("data", ["text", None, 5, [1]], ids=repr)
def test_what_is_no_bytes_is_a_type_error(verifier, claims, data):
    """Only bytes cross the boundary."""
    for digest, proof in ((data, claims[0][1]), (claims[0][0], data)):
        with pytest.raises(TypeError):
            verifier.verify_many([digest], [proof])


def test_a_closed_key_checks_nothing(claims):
    """After the key was closed there is an error, not a verdict."""
    with backend.VerifyingKey(KNOWN.key()) as loaded:
        pass
    with pytest.raises(MalformedInputError, match="no such handle"):
        together(loaded, claims)


@given(data=st.binary(max_size=200))
def test_any_bytes_are_claims_or_malformed(verifier, data):
    """Bytes that are no list of pairs raise, and others give one verdict for each pair."""
    try:
        found = backend._call("ep_verify_many", verifier._handle, 1, *backend._buffer(data))
    except MalformedInputError:
        return
    assert 16 * len(backend._frames(found)) <= len(data)


@pytest.mark.parametrize("status", [2, 4, 99])
def test_a_status_that_no_proof_has_is_no_verdict(verifier, claims, monkeypatch, status):
    """Where the library leaves anything but the three verdicts, the call raises, so that nothing counts as verified."""
    monkeypatch.setattr(backend, "_call", lambda *_: backend._frame(bytes([status]) + b"\x00panic"))
    with pytest.raises(BackendError):
        verifier.verify_many(*zip(*claims[:1], strict=True))


def test_a_missing_verdict_is_no_verdict(verifier, claims, monkeypatch):
    """Where the library leaves fewer verdicts than proofs, or more, the call raises."""
    for count in (0, 1, 3):
        monkeypatch.setattr(backend, "_call", lambda *_, count=count: count * backend._frame(b"\0"))
        with pytest.raises(BackendError, match="verdicts"):
            verifier.verify_many(*zip(*claims[:2], strict=True))
