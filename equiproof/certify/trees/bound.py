"""The bound of one leaf: a box of positions, and the multiplier that proves its part of the ball, in integers.

With r fractional bits of lambda, a leaf is closed where 2^r base + the sum over columns of the least 2^r change +
lambda cost, less lambda R2, is at least 1; or by its distance alone, where even the nearest position of every column
adds up to R2.
"""

from __future__ import annotations

from dataclasses import dataclass

from equiproof.certify.trees.lagrange import Multiplier, Options, best, cheapest, least, lowest, value
from equiproof.certify.trees.oriented import Chain, Oriented, Slot, chains
from equiproof.certify.trees.scale import Scale

Box = tuple[tuple[int, int], ...]
"""The first and the last position of each chain, both included."""


@dataclass(frozen=True)
class Bound:
    """The best bound of a box: `multiplier` is lambda, `worth` the closing sum, which proves the label from 1 on.

    `apart`: the box lies outside the open ball. `nearest` is its least squared distance, `change` the least change of
    the score at that distance.
    """

    multiplier: int
    worth: int
    apart: bool
    nearest: int
    change: int

    @property
    def closed(self) -> bool:
        """Whether the box is proven."""
        return self.apart or self.worth >= 1


@dataclass(frozen=True)
class Ball:
    """The open ball of a squared radius around a query, with its live slots."""

    base: int
    radius_squared: int
    scale: Scale
    slots: tuple[Slot, ...]
    chains: tuple[Chain, ...]

    @classmethod
    def of(cls, oriented: Oriented, radius_squared: int, scale: Scale) -> Ball:
        """Return the ball of a squared radius."""
        slots = oriented.live(radius_squared)
        return cls(oriented.base, radius_squared, scale, slots, chains(slots))

    @property
    def whole(self) -> Box:
        """The box of all positions."""
        return tuple((0, chain.length) for chain in self.chains)

    def bound(self, box: Box) -> Bound:
        """Return the best bound of a box."""
        options = [chain.positions[low : high + 1] for chain, (low, high) in zip(self.chains, box, strict=True)]
        near = cheapest(options)
        # The ball is open. At radius 0 it still holds the query itself, at cost 0, which only the score may close.
        apart = near.cost >= max(1, self.radius_squared)
        multiplier, worth = (0, 0) if apart else self._proven(options)
        return Bound(multiplier, worth, apart, near.cost, near.change)

    def _proven(self, options: Options) -> tuple[int, int]:
        """Return lambda and the closing sum of a box that reaches into the ball."""
        far = lowest(options)
        near = cheapest(options)
        bound = (0, self._sum(options, 0))
        # The sum is concave in lambda, with slope cost - R2 of the least choice: where that is not positive at 0, no
        # lambda is better.
        if far.cost <= self.radius_squared or bound[1] >= 1:
            return bound
        (n, d), _, _ = best(options, far, near, lambda choice: choice.cost > self.radius_squared)
        # The sum is concave in lambda, so that its largest value is at an integer next to the best fraction.
        most = (1 << self.scale.multiplier_bits) - 1
        rounded = min(most, (n << self.scale.fraction_bits) // d)
        tries = (rounded, min(most, rounded + 1))
        return max(((number, self._sum(options, number)) for number in tries), key=lambda entry: entry[1])

    def _sum(self, options: Options, multiplier: int) -> int:
        """Return the closing sum of a box under lambda."""
        by = Multiplier(multiplier, 1 << self.scale.fraction_bits)
        return by.denominator * self.base + value(least(options, by), by) - multiplier * self.radius_squared
