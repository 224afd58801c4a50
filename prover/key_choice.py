"""Which of several keys a model is proven under, by their metadata alone: no key is loaded for the choice."""

from __future__ import annotations

from equiproof.circuits.proof_systems import PROOF_SYSTEMS
from equiproof.circuits.schemes import Scheme, scheme_of
from equiproof.circuits.shape import fits
from equiproof.circuits.spec import Spec
from equiproof.verifier.documents import KeyDocument


def serves(
    key: KeyDocument, spec: Spec, hidden: tuple[int, ...], capacity: int | None = None, scheme: Scheme | None = None
) -> bool:
    """Return whether a key is for a model's sizes under a spec, and of this capacity and scheme if they are given."""
    shape = key.shape
    return (
        fits(shape, spec, hidden) and capacity in (None, shape.capacity) and scheme in (None, scheme_of(shape.scheme))
    )


def rank(key: KeyDocument) -> tuple[int, bool, int]:
    """Return how well a key serves, compared with others that do: the largest is taken."""
    shape = key.shape
    return shape.capacity, shape.branches, -PROOF_SYSTEMS.index(key.proof_system)
