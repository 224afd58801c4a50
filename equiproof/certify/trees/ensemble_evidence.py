"""Evidence about an ensemble in plain types: leaves that cover the cells of a query's ball on every slice.

Slots and signs are those of :mod:`equiproof.certify.trees.evidence`. Besides, a leaf says of each sensitive predicate
whether a point is above it, serves some rows of the domain table, and lets the free rows of the trees charge. A row is
a node whose threshold a neighbor may cross. Charges move value between trees that ask the same predicate.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, repr=False)
class EnsembleLeaf:
    """A part of the ball, on the rows `slices` of the domain table, ascending.

    `signs` has 1 for each slot that is crossed, -1 for stayed, 0 for free; `sensitive` 1 for each sensitive predicate
    that is passed, -1 for one that is not, 0 for either. `multiplier` is lambda >= 0 at scale 2^(q + r). `charges` are
    gamma >= 0 at scale 2^q for each row, 0 where its slot is not free. `used`: closed by the score, else by distance.
    """

    signs: tuple[int, ...]
    sensitive: tuple[int, ...]
    slices: tuple[int, ...]
    multiplier: int
    used: bool
    charges: tuple[int, ...]


@dataclass(frozen=True, repr=False)
class EnsembleEvidence:
    """Leaves that hold every cell of the slots exactly once on every slice; `slots` are places in the model.

    It states what :class:`equiproof.certify.trees.evidence.AdditiveEvidence` does.
    """

    label: int
    radius_squared: int
    slots: tuple[int, ...]
    leaves: tuple[EnsembleLeaf, ...]

    @property
    def size(self) -> int:
        """The number of its leaves, which a key's capacity limits."""
        return len(self.leaves)
