"""Of each proof system, the plain-Python check and the native one come to the same verdict on what chance changes.

What people would change is in tests/vectors: both checks are held to every file there by `test_vectors.py`.
"""

import pytest

from equiproof.verifier import pairing, plonk
from tests.random_changes import Published
from tests.trapdoor import KEY_PLACES, PLONK_KEY_PLACES, PLONK_PROOF_PLACES, PROOF_PLACES

SYSTEMS = [
    Published("published", "groth16-bn254", KEY_PLACES, PROOF_PLACES, pairing._proof_parts(1)),
    Published("plonk", "plonk-bn254", PLONK_KEY_PLACES, PLONK_PROOF_PLACES, plonk._PROOF),
]


@pytest.fixture(scope="module", params=SYSTEMS, ids=lambda one: one.system)
def published(request):
    """A proof of a real set-up."""
    return request.param


FEW, MORE, MANY = 16, range(1000, 1025), range(2000, 2020)
"""Seeds: of what every run tries, and of blocks of a thousand changes and of five thousand."""


def block(seed):
    """Return a seed that is slow, of which every run has a sample."""
    return pytest.param(seed, marks=(pytest.mark.slow, pytest.mark.sampled(2)))


@pytest.mark.parametrize("seed", [FEW, *map(block, MORE)])
def test_random_changes_find_no_difference(published, seed):
    """Whatever is changed in a proof, its digest or its key, both checks say the same."""
    proofs, keys = (16, 6) if seed == FEW else (28, 12)
    counts = published.judged(seed, proofs, keys)
    assert min(counts["refused"], counts["malformed"]) > proofs / 16


@pytest.mark.parametrize("seed", [FEW, *map(block, MANY)])
def test_both_read_the_same_proofs(published, seed):
    """Of proofs changed at random, both checks call the same ones malformed; whether the others hold is not asked."""
    times = 30 if seed == FEW else 250
    assert min(published.read(seed, times).values()) > times / 8
