"""Evidence of scheme `traversal` in plain types: a closed set of regions, each a slice and an activation pattern.

:mod:`equiproof.certify.traversal.evidence_check` states what makes a set closed, and checks it.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Region:
    """A slice, counted from 0, and an activation pattern on it (bit i: hidden neuron i, layer by layer, is active)."""

    slice: int
    pattern: int

    def across(self, neuron: int) -> Region:
        """Return the region across the hyperplane of one hidden neuron."""
        return Region(self.slice, self.pattern ^ (1 << neuron))


@dataclass(frozen=True)
class Evidence:
    """A closed set of regions for one query: the label is decided everywhere closer than sqrt(radius_squared).

    `radius_squared` is in grid units, an integer. `regions[s]` is the region of slice s's centre for s < S; further
    regions follow in the order in which the search entered them. Regions reveal something of the weights, so the owner
    keeps them secret.
    """

    label: int
    radius_squared: int
    regions: tuple[Region, ...]

    @property
    def size(self) -> int:
        """The number of its regions, which a key's capacity limits."""
        return len(self.regions)
