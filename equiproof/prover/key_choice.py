"""Which of several keys a model is proven under, by their metadata alone: no key is loaded for the choice."""

from __future__ import annotations

from equiproof.circuits.proof_systems import PROOF_SYSTEMS
from equiproof.circuits.schemes import Scheme, scheme_of
from equiproof.circuits.shape import fits, fits_additive, fits_box, fits_gain, fits_network_box
from equiproof.circuits.spec import Spec
from equiproof.verifier.documents import KeyDocument


def serves(
    key: KeyDocument, spec: Spec, sizes: tuple[int, ...], capacity: int | None = None, scheme: Scheme | None = None
) -> bool:
    """Return whether a key is for a model's sizes under a spec, and of this capacity and scheme if they are given.

    `sizes` are a network's hidden layers; with scheme trees the numbers of predicates, P_x and P_s, of an ensemble also
    those of trees and nodes, and of each category of which sets are asked its first column and how many.
    """
    shape = key.shape
    if scheme == "trees":
        fitting = len(sizes) >= 2 and fits_additive(shape, spec, *_scored(sizes))
    else:
        fitting = fits(shape, spec, sizes)
    return fitting and capacity in (None, shape.capacity) and scheme in (None, scheme_of(shape.scheme))


def serves_gain(key: KeyDocument, spec: Spec, sizes: tuple[int, ...], capacity: int | None = None) -> bool:
    """Return whether a key proves gains of a network with these hidden layers under a spec."""
    return fits_gain(key.shape, spec, sizes) and capacity in (None, key.shape.capacity)


def serves_box(key: KeyDocument, spec: Spec, sizes: tuple[int, ...], scheme: Scheme | None = None) -> bool:
    """Return whether a key proves boxes of a model with these sizes, as of :func:`serves`."""
    if scheme != "trees":
        return fits_network_box(key.shape, spec, sizes)
    return len(sizes) >= 2 and fits_box(key.shape, spec, *_scored(sizes))


def _scored(sizes: tuple[int, ...]) -> tuple[tuple[int, int], tuple[int, int] | None, dict[int, int]]:
    """Return the numbers of predicates, of trees and nodes, and of sets by the first column of their category."""
    nodes = (sizes[2], sizes[3]) if len(sizes) >= 4 else None
    return (sizes[0], sizes[1]), nodes, dict(zip(sizes[4::2], sizes[5::2], strict=False))


def rank(key: KeyDocument) -> tuple[tuple[int, ...], bool, bool, bool, int]:
    """Return how well a key serves, compared with others that do: the largest is taken."""
    shape = key.shape
    # More room first, since it proves larger radii; then the form that proves faster, as both prove the same.
    passed = shape.passed_count if shape.visits else shape.architecture.node_counts[1]
    size = shape.capacity, shape.slot_count, shape.row_count, passed
    return size, shape.branches, shape.kept, shape.visits, -PROOF_SYSTEMS.index(key.proof_system)
