"""The nearest wrong decision of an additive model, exactly: a multiple-choice knapsack.

One position is chosen for each column, at its squared distance; wanted is the least sum of these at which the score is
no longer decided, sgn F <= 0. Columns are added one by one. Of the choices made so far only those are kept that no
other one beats in both cost and change, and that may still lead to a lower cost than the best complete choice: bounds
by Lagrangian multipliers for the columns that are left say so. All numbers are integers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from operator import itemgetter

from equiproof.certify.branch.budget import Ended, Meter, NoTreeError
from equiproof.certify.trees.lagrange import Choice, Multiplier, best, cheapest, least, lowest, value
from equiproof.certify.trees.oriented import Chain, Oriented, Position, chains

_CHOICES = 200
"""About as many choices are a unit of work."""

_Path = tuple["_Path", int] | None
_Prefix = tuple[int, int, _Path]
"""A choice for the columns so far: cost, change, and the positions, the last one first."""


@dataclass(frozen=True)
class Nearest:
    """The nearest wrong decision that is known, and what is certain of nearer ones.

    `squared` is its squared distance, an infimum where a threshold is crossed upwards, and None where no wrong decision
    is known below the largest radius; `positions` has one position for each of the `chains`. No wrong decision is
    nearer than `lower`: where `ended` is None, `lower` is `squared`, or the largest radius.
    """

    squared: int | None
    lower: int
    chains: tuple[Chain, ...]
    positions: tuple[int, ...] | None
    ended: Ended | None


def nearest(oriented: Oriented, max_radius_squared: int, meter: Meter) -> Nearest:
    """Return the nearest wrong decision below a squared radius, or what is known of it where the meter ends."""
    return cheapest_choice(oriented.base, max_radius_squared, chains(oriented.slots), meter)


def cheapest_choice(base: int, limit: int, chains: tuple[Chain, ...], meter: Meter) -> Nearest:
    """Return the cheapest choice of one position of each chain that changes a score by -base, or what is known of it.

    It costs less than `limit`. The costs, which are not negative, are those that a result calls squared distances.
    """
    knapsack = _Knapsack(base, limit, chains)
    ended: Ended | None = None
    try:
        knapsack.solve(meter)
    except NoTreeError:
        ended = "seconds" if meter.is_timed else "work"
    squared = None if knapsack.path is None else knapsack.limit
    return Nearest(
        squared=squared,
        lower=knapsack.lower if ended else knapsack.limit,
        chains=knapsack.chains,
        positions=knapsack.positions,
        ended=ended,
    )


@dataclass
class _Knapsack:
    """The state of a search: `limit` is the least cost of a complete choice so far, with its `path`."""

    base: int
    limit: int
    chains: tuple[Chain, ...]
    lower: int = 0
    path: _Path = None
    _bounds: list[tuple[Multiplier, list[int]]] = field(default_factory=list)

    @property
    def positions(self) -> tuple[int, ...] | None:
        """The position of each chain in the best complete choice; columns after its last one stay."""
        if self.path is None:
            return None
        positions: list[int] = []
        link: _Path = self.path
        while link is not None:
            link, position = link
            positions.append(position)
        return (*reversed(positions), *(chain.own for chain in self.chains[len(positions) :]))

    def solve(self, meter: Meter) -> None:
        """Find the best complete choice; raises NoTreeError where the meter ends first."""
        options = [[step for _, step in _undominated(chain)] for chain in self.chains]
        far = lowest(options)
        near = cheapest(options)
        # Not even the largest change of every column makes the decision wrong, so none lies below the limit.
        if far.change > -self.base:
            return
        if near.change > -self.base:
            _, multipliers, met = best(options, far, near, self._is_wrong)
            self._bounds = [(by, _rests(options, by)) for by in multipliers]
            # The columns find a choice of this cost again, and its positions with it.
            self.limit = min(self.limit, 1 + min(choice.cost for choice in met if self._is_wrong(choice)))
        # Any wrong choice changes the score by -base at least: n cost >= bound + d base.
        for by, rests in self._bounds:
            self.lower = max(self.lower, -(-(rests[0] + by.denominator * self.base) // by.numerator))
        self.lower = min(self.lower, self.limit)
        choices: list[_Prefix] = [(0, 0, None)]
        for number, chain in enumerate(self.chains):
            meter.pay(1 + len(choices) * len(chain.positions) // _CHOICES)
            choices = self._extended(choices, chain, number + 1)

    def _extended(self, prefixes: Sequence[_Prefix], chain: Chain, done: int) -> list[_Prefix]:
        """Return the choices that one more column allows, cheapest first; complete ones lower the limit."""
        steps = _undominated(chain)
        reached = [
            (cost + step.cost, change + step.change, path, position)
            for cost, change, path in prefixes
            for position, step in steps
            if cost + step.cost < self.limit
        ]
        reached.sort(key=itemgetter(0, 1))
        choices: list[_Prefix] = []
        least_change: int | None = None
        for cost, change, path, position in reached:
            # By ascending cost: no later choice can lower the limit.
            if cost >= self.limit:
                break
            if least_change is not None and change >= least_change:
                continue
            least_change = change
            if change <= -self.base:
                self.limit = cost
                self.path = (path, position)
                break
            if self._may_win(cost, change, done):
                choices.append((cost, change, (path, position)))
        return choices

    def _is_wrong(self, choice: Choice) -> bool:
        """Return whether the score is no longer decided."""
        return choice.change <= -self.base

    def _may_win(self, cost: int, change: int, done: int) -> bool:
        """Return whether the columns that are left may complete a choice at a lower cost than the limit."""
        for (n, d), rests in self._bounds:
            # A completion adds at least rests[done] to d change + n cost. A wrong one below the limit ends with change
            # <= -base and cost < limit, so that the sum would be negative.
            if d * (change + self.base) + n * (cost - self.limit) + rests[done] >= 0:
                return False
        return True


def _undominated(chain: Chain) -> list[tuple[int, Position]]:
    """Return the positions of a chain that no other one beats in both cost and change, cheapest first."""
    front: list[tuple[int, Position]] = []
    for position, step in sorted(enumerate(chain.positions), key=lambda entry: entry[1]):
        if not front or step.change < front[-1][1].change:
            front.append((position, step))
    return front


def _rests(options: Sequence[Sequence[Position]], by: Multiplier) -> list[int]:
    """Return the least d change + n cost of the columns from each one on, and 0 behind the last."""
    each = [value(least([column], by), by) for column in options]
    return [*accumulate(reversed(each), initial=0)][::-1]
