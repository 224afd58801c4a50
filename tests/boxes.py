"""A scorecard with a key for boxes, and boxes of it that are decided, for tests of several rooms."""

from __future__ import annotations

from functools import cache

from equiproof.circuits.canonical import canonical_bytes
from equiproof.circuits.shape import box_shape
from equiproof.circuits.spec import Spec
from equiproof.prover import Opening, StoredKey
from equiproof.prover.box import BoxProven, BoxProver
from equiproof.verifier import parse_commitment
from equiproof.verifier.documents import CommitmentDocument
from tests.kept import kept_keys
from tests.prover.additive_case import additive_model
from tests.soundness.box_lies import PREDICATES, SPEC
from tests.support import key_of

ENDS = {"income": (29800, 30400), "savings": ("low", "low"), "housing": ("own", "rent")}
"""Around the mean income, of whom owns and who rents; all have low savings."""
CONTEXT = {"nonce": "5d1c6b0f9e2a47c3b8d4e6f10a2b3c4d", "policy": "loans", "date": "2026-11-30"}


def opening(spec: Spec = SPEC, bias: int = 300) -> Opening:
    """Return an opening of the model of the lies, which grants with so large a bias; its blinding never changes."""
    return Opening.of(additive_model(spec, PREDICATES, bias), spec, 11)


def key(spec: Spec = SPEC) -> StoredKey:
    """Return the kept key of its boxes."""
    return key_of(kept_keys(), box_shape(spec, opening(spec).model.predicates))


def commitment(spec: Spec = SPEC) -> CommitmentDocument:
    """Return its public commitment."""
    return parse_commitment(opening(spec).public(), "commitment.json")


@cache
def granted(disclose: bool = False) -> BoxProven:
    """Return the proof that everybody in the box is granted."""
    with BoxProver(opening(), key()) as prover:
        return prover.prove(ENDS, "granted", CONTEXT, blinding=5, disclose=disclose)


def data(proven: BoxProven) -> bytes:
    """Return the bytes of an opened box."""
    return canonical_bytes(proven.opened)
