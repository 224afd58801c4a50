"""The upper bound of eps*: the nearest decision facet that is known, from an attack and from points of the search.

eps* is the distance of the nearest point that is not decided as the query. A facet's distance is exact, so that no
evidence exists for a larger radius (:mod:`equiproof.certify.traversal.exact`).
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cached_property
from math import floor

from equiproof.certify.branch.arrays import Floats
from equiproof.certify.branch.evidence import Row
from equiproof.certify.traversal.attack import last_decided
from equiproof.certify.traversal.descent import flips
from equiproof.certify.traversal.evidence import Region
from equiproof.certify.traversal.exact import Boundary, BoundaryPoint
from equiproof.certify.traversal.search import Start

_STEP_BITS = 20
"""The fractional bits of a point that the relaxation returns."""

_FACET_RATIO = 1.02
"""A point with another decision is examined up to this multiple of the least squared distance: its facet is nearer."""


class NearestFacet:
    """The nearest known decision facet of a query on all slices, up to a squared radius, the cap of the search."""

    def __init__(self, start: Start, cap: int) -> None:
        """Keep the case; the attack runs on first use."""
        self._start = start
        self._cap = cap
        self._network = start.sliced[0].network

    @cached_property
    def _boundary(self) -> Boundary:
        """The nearest known decision facet, initially that of an attack."""
        return Boundary(self._start, self._cap, self._attack())

    @property
    def allowed(self) -> int:
        """The largest squared radius that the facet allows, in grid units: the cap where none is known."""
        upper = self.upper
        # Evidence holds on the open ball, so a radius of exactly eps* is allowed: the floor excludes no provable one.
        return self._cap if upper is None else min(self._cap, floor(upper))

    @property
    def upper(self) -> Fraction | None:
        """The exact squared distance of the facet, None where none is known."""
        return self._boundary.found.upper

    @property
    def boundary_point(self) -> BoundaryPoint | None:
        """The facet's point nearest to the query, None where none is known."""
        return self._boundary.found.boundary_point

    def look_near(self, number: int, on: Row, off: Row, way: Floats) -> int:
        """Search for a facet around a point of a row of slice `number`; return the squared radius now allowed.

        `way` leads from the query to the point, shape (n_x,) in grid units.
        """
        pattern = self._pattern(number, way)
        self._boundary.look(Region(number, pattern))
        # The point may lie on hyperplanes of neurons that the row has fixed to the other side.
        row_pattern = (pattern | _pattern_of(on)) & ~_pattern_of(off)
        if row_pattern != pattern:
            self._boundary.look(Region(number, row_pattern))
        return self.allowed

    def _attack(self) -> Iterator[Region]:
        """Yield regions around points of other decisions from descent, if they may lead to a nearer facet."""
        regions = set[Region]()
        points = flips(self._start, self._cap)
        for squared, number, way in points:
            # Points come by distance.
            if squared > _FACET_RATIO * points[0][0]:
                break
            region = Region(number, self._pattern(number, way))
            if region not in regions:
                yield region
            regions.add(region)

    def _pattern(self, number: int, way: Floats) -> int:
        """Return the last pattern on the way from the query on a slice whose points are decided as the query."""
        row = self._start.sliced[number].sensitive
        steps = [round(float(step) * (1 << _STEP_BITS)) for step in way]
        return last_decided(self._network, self._start.query, steps, row, self._start.label, _STEP_BITS)


def _pattern_of(bits: Row) -> int:
    """Return bits as a pattern: bit i is that of hidden neuron i."""
    return sum(bit << i for i, bit in enumerate(bits))
