"""The real prover of each relation proves what is true and none of the lies in the same shape, whatever the key.

Every lie is put to its compiled circuit by the tests about its relation, and those of relation `traversal` to a prover
in test_cheating_owner.py. Here are a few more: that a key adds nothing to the circuit is the same in each relation.
"""

from __future__ import annotations

import pytest

from equiproof.circuits.field import to_bytes
from equiproof.circuits.layout import encode, layout
from equiproof.circuits.proof_systems import DEFAULT_PROOF_SYSTEM
from equiproof.ffi import backend
from equiproof.ffi.errors import UnsatisfiedError
from tests.soundness import additive_lies, additive_told, trees_lies, trees_told
from tests.soundness.branch_case import tell
from tests.soundness.branch_lies import LIES
from tests.soundness.composed import one_layer
from tests.soundness.gain_lies import GAIN_LIES, GAINS_BROKEN, gain_of_one_layer
from tests.soundness.range_lies import KEPT, RANGE_LIES

RELATIONS = {
    "branch": (one_layer, lambda: map(tell, LIES), 20),
    "branch-ranges": (lambda: KEPT, lambda: map(tell, RANGE_LIES), 6),
    "gain": (gain_of_one_layer, lambda: map(tell, (*GAIN_LIES, *GAINS_BROKEN)), 14),
    "additive": (
        additive_lies.honest,
        lambda: map(
            additive_told.told, ("a-level-of-ones-choice", "half-of-the-cells", "the-better-slice", "half-a-leaf")
        ),
        3,
    ),
    "trees": (
        trees_told.ample,
        lambda: map(
            trees_lies.told, ("no-row-with-a-value", "an-empty-row-of-no-id", "marks-that-cancel", "a-larger-radius")
        ),
        3,
    ),
}
"""Of each relation a true claim, lies, and more than so many of them have the same shape."""


def witness(of):
    """Return the bytes of a witness."""
    return encode(of.shape, of.public, [of.wires[name] for name, _ in layout(of.shape)])


def no_lie_is_proven(relation, proof_system):
    """Make keys, prove and verify the truth, and ask for proofs of the lies."""
    make, lies, least = RELATIONS[relation]
    truth, tried = make(), 0
    document = truth.shape.document
    keys = backend.setup(document, proof_system)
    with backend.ProvingKey(document, keys.proving, proof_system) as key:
        proof = key.prove(witness(truth))
        with backend.VerifyingKey(keys.verifying, proof_system) as verifier:
            verifier.verify(to_bytes(truth.public), proof)
        for claim in lies():
            if claim.shape == truth.shape:
                tried += 1
                with pytest.raises(UnsatisfiedError):
                    key.prove(witness(claim))
    assert tried > least


@pytest.mark.slow
@pytest.mark.parametrize("relation", RELATIONS)
def test_no_prover_of_any_relation_proves_lies(relation):
    """Proofs of what is true verify, and what is false has no proof."""
    no_lie_is_proven(relation, DEFAULT_PROOF_SYSTEM)


@pytest.mark.slow
def test_the_prover_of_plonk_proves_no_lies_either():
    """The values of what is no row, an empty row with the id of leaves, marks: under a key of the other system."""
    no_lie_is_proven("trees", "plonk-bn254")
