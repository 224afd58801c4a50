"""Of each proof system, the plain-Python check and the native one come to the same verdict on what chance changes.

What people would change is in tests/vectors: both checks are held to every file there by `test_vectors.py`.
"""

import pytest

from equiproof.verifier import pairing, plonk
from tests.random_changes import Published
from tests.trapdoor import KEY_PLACES, PLONK_KEY_PLACES, PLONK_PROOF_PLACES, PROOF_PLACES

SYSTEMS = [
    Published("published", "groth16-bn254", KEY_PLACES, PROOF_PLACES, pairing._PROOF),
    Published("plonk", "plonk-bn254", PLONK_KEY_PLACES, PLONK_PROOF_PLACES, plonk._PROOF),
]


@pytest.fixture(scope="module", params=SYSTEMS, ids=lambda one: one.system)
def published(request):
    """A proof of a real set-up."""
    return request.param


@pytest.mark.parametrize(
    ("proofs", "keys"), [(16, 6), pytest.param(700, 300, marks=pytest.mark.slow)], ids=["few", "many"]
)
def test_random_changes_find_no_difference(published, proofs, keys):
    """Whatever is changed in a proof, its digest or its key, both checks say the same."""
    counts = published.judged(proofs, proofs, keys)
    assert min(counts["refused"], counts["malformed"]) > proofs / 16


@pytest.mark.parametrize("times", [30, pytest.param(5000, marks=pytest.mark.slow)])
def test_both_read_the_same_proofs(published, times):
    """Of proofs changed at random, both checks call the same ones malformed; whether the others hold is not asked."""
    assert min(published.read(times).values()) > times / 8
