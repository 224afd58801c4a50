"""Stochastic subset sum: the share of a group that a linear classifier accepts, by dynamic programming.

The programme of the paper (section 3.2) goes through the features one by one and keeps, for every sum of weights that
is still undecided, the probability of that sum. Sums that the features to come can no longer change are decided at once
(equation 4). Correlated features (section 3.3) are the paper's exponential part: it enumerates all 2^|V| assignments of
the network. Here a value is kept beside the sum only while a child of its feature is still to come, so that the cost is
exponential in the number of values open at a time, not in the size of the network.

Notation: T is the array of probabilities, one axis for each open feature and the last one for sums.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from equiproof.audits.fvgm.bounds import Bounds, OpenError
from equiproof.audits.fvgm.linear import Linear
from equiproof.audits.fvgm.network import Chance, Group, Network

Arithmetic = Literal["float", "exact"]

MAX_CELLS = 30_000_000
"""The most numbers that one step may keep."""

_ROUNDING = Fraction(1, 1 << 53)
_UNDERFLOW = Fraction(1, 1 << 960)  # more than 2^100 operations that each lose less than 2^-1074


class ProgrammeSizeError(OpenError):
    """A step would keep more numbers than allowed; it leaves fairness open."""

    def __init__(self, cells: int, allowed: int, name: str) -> None:
        """Say where, how many, and how to avoid it."""
        super().__init__(
            f"feature {name!r}: {cells} numbers to keep, at most {allowed} are allowed; learn the network with fewer "
            "parents, or use fewer bins or a smaller multiplier"
        )


def acceptance(
    linear: Linear,
    network: Network,
    group: Group,
    *,
    mediators: Collection[str] = (),
    favored: Group | None = None,
    arithmetic: Arithmetic = "float",
    max_cells: int = MAX_CELLS,
) -> Bounds:
    """Return Pr[accepted | group], the paper's PPV of a group.

    "float" computes in 64-bit floats and returns rational ends that enclose the true value: only products and sums of
    numbers of one sign occur, so the relative error is at most m u / (1 - m u), with m roundings of each number and
    u = 2^-53. "exact" computes in whole numbers over a common denominator, and both ends are equal. With `favored`, the
    `mediators` read their sensitive parents as that group (path-specific causal fairness, appendix B.1).

    Raises NetworkError for what does not fit together, ProgrammeSizeError past `max_cells` numbers in one step.
    """
    linear.check(network)
    network.check_group(group)
    if favored is not None:
        network.check_group(favored)
    below, threshold = _shifted(linear, network, group)
    chances = _sorted(network, below)
    run = _Run(threshold, [max(below[chance.name]) for chance in chances], arithmetic, max_cells)
    pending = {chance.name: len(network.children[chance.name]) for chance in chances}
    for chance in chances:
        if run.decided:
            break
        source = favored if favored is not None and chance.name in mediators else group
        run.add(chance.name, below[chance.name], _table(network, chance, source), pending[chance.name] > 0)
        for parent in chance.parents:
            if parent in pending:
                pending[parent] -= 1
                if not pending[parent]:
                    run.close(parent)
    return run.result()


def extreme(
    linear: Linear, network: Network, quantifier: Literal["exists", "forall"], *, arithmetic: Arithmetic = "float"
) -> tuple[dict[str, str], Bounds]:
    """Return the most ("exists") or the least ("forall") favored group and its share accepted (equations 2 and 3).

    A choice without children is set by its weights alone; the others are enumerated, as their children depend on them.
    If the arithmetic cannot separate several groups, the first is returned; the bounds always enclose the extreme.
    """
    linear.check(network)
    pick = max if quantifier == "exists" else min
    fixed = {}
    for choice in network.choices:
        if not network.children[choice.name]:
            weights = linear.of(choice.name, choice.values)
            fixed[choice.name] = choice.values[weights.index(pick(weights))]
    groups = [group for group in network.groups() if all(group[name] == value for name, value in fixed.items())]
    shares = [acceptance(linear, network, group, arithmetic=arithmetic) for group in groups]
    best = pick(range(len(groups)), key=lambda index: shares[index].low)
    low = pick(one.low for one in shares)
    high = pick(one.high for one in shares)
    return groups[best], Bounds(low, high)


def cells(linear: Linear, network: Network) -> int:
    """Return how many numbers a step of the programme keeps at most, whatever the group: open values times sums."""
    below, _ = _shifted(linear, network, next(network.groups()))
    chances = _sorted(network, below)
    spreads = [max(below[chance.name]) for chance in chances]
    pending = {chance.name: len(network.children[chance.name]) for chance in chances}
    reached = 0
    rest = sum(spreads)
    sizes = {}
    most = 1
    for chance, spread in zip(chances, spreads, strict=True):
        reached += spread
        rest -= spread
        if pending[chance.name]:
            sizes[chance.name] = len(chance.values)
        most = max(most, math.prod(sizes.values()) * (min(reached, rest) + 1))
        for parent in set(chance.parents) & set(pending):
            pending[parent] -= 1
            if not pending[parent]:
                del sizes[parent]
    return most


def _shifted(linear: Linear, network: Network, group: Group) -> tuple[dict[str, tuple[int, ...]], int]:
    """Return weights of the chances from 0 up, and the threshold that is left for them once the group is fixed."""
    threshold = linear.threshold
    weights = {}
    for choice in network.choices:
        threshold -= linear.of(choice.name, choice.values)[choice.values.index(group[choice.name])]
    for chance in network.chances:
        own_weights = linear.of(chance.name, chance.values)
        threshold -= min(own_weights)
        weights[chance.name] = tuple(weight - min(own_weights) for weight in own_weights)
    return weights, threshold


def _sorted(network: Network, weights: dict[str, tuple[int, ...]]) -> list[Chance]:
    """Return the chances with edges in the network's order, the others after them, the largest spread first."""
    roots = {choice.name for choice in network.choices}
    alone = [c for c in network.order if not network.children[c.name] and set(c.parents) <= roots]
    edged = [chance for chance in network.order if chance not in alone]
    # The sooner the rest of the spreads falls, the fewer sums stay undecided.
    return edged + sorted(alone, key=lambda chance: -max(weights[chance.name]))


@dataclass(frozen=True)
class _Table:
    """Probabilities of a chance by its parents that are chances, shape (values of these ..., values)."""

    parents: tuple[str, ...]
    entries: npt.NDArray[Any]


def _table(network: Network, chance: Chance, source: Group) -> _Table:
    """Return the table of a chance for a group, exact."""
    sizes = [len(network.values[name]) for name in chance.parents]
    entries = np.empty((len(chance.table), len(chance.values)), dtype=object)
    for row, probabilities in enumerate(chance.table):
        entries[row] = probabilities
    entries = entries.reshape(*sizes, len(chance.values))
    choices = {choice.name: choice.values for choice in network.choices}
    index = tuple(choices[p].index(source[p]) if p in choices else slice(None) for p in chance.parents)
    return _Table(tuple(name for name in chance.parents if name not in choices), entries[index])


@dataclass
class _Run:
    """One pass: T over open features and undecided sums `start`, `start` + 1, ...; what is accepted, and roundings."""

    threshold: int
    spreads: Sequence[int]
    arithmetic: Arithmetic
    max_cells: int
    open: list[str] = field(default_factory=list)
    accepted: Any = 0
    denominator: int = 1
    start: int = 0
    steps: int = 0
    roundings: int = 0
    T: npt.NDArray[Any] = field(init=False)

    def __post_init__(self) -> None:
        """Begin with the empty sum, and decide at once if nothing can change the decision."""
        self.T = np.ones(1) if self.arithmetic == "float" else np.array([1], dtype=object)
        self.rest = sum(self.spreads)
        self.decided = self.threshold <= 0 or self.threshold > self.rest
        self.accepted = 1 if self.threshold <= 0 else 0

    def add(self, name: str, weights: Sequence[int], table: _Table, stays: bool) -> None:
        """Go over one feature: split every number by its values; keep the value apart where children are to come."""
        self.rest -= self.spreads[self.steps]
        self.steps += 1
        # A smaller sum stays below the threshold even with all that is to come; from the threshold on a sum is
        # accepted, since weights are not negative.
        low = max(self.start, self.threshold - self.rest)
        high = min(self.threshold - 1, self.start + self.T.shape[-1] - 1 + max(weights))
        shape = (*self.T.shape[:-1], *((len(weights),) if stays else ()), max(high - low + 1, 0))
        if math.prod(shape) > self.max_cells:
            raise ProgrammeSizeError(math.prod(shape), self.max_cells, name)
        factors = self._factors(table)
        new = np.zeros(shape, dtype=self.T.dtype)
        gained: Any = 0
        for value, weight in enumerate(weights):
            part = self.T * factors[..., value, None]
            cut = max(self.threshold - self.start - weight, 0)
            gained += part[..., cut:].sum()
            self.roundings += part[..., cut:].size
            first = max(low - self.start - weight, 0)
            last = min(cut, part.shape[-1])
            if last > first:
                begin = self.start + weight + first - low
                target = new[..., value, :] if stays else new
                target[..., begin : begin + last - first] += part[..., first:last]
        self.accepted = self.accepted * self._scale + gained
        # Of each number: the factor's own rounding, a product, the sum with what was accepted before, and for each
        # value of the feature at most one sum in T and one in what is gained.
        self.roundings += 3 + 2 * len(weights)
        self.T = new
        self.start = low
        self.open += [name] if stays else []
        self.decided = new.shape[-1] == 0

    def _factors(self, table: _Table) -> npt.NDArray[Any]:
        """Return a table shaped for T's open axes and the values last: floats, or whole numbers over a new scale."""
        order = sorted(range(len(table.parents)), key=lambda axis: self.open.index(table.parents[axis]))
        entries = np.transpose(table.entries, (*order, len(order)))
        is_parent = [name in table.parents for name in self.open]
        sizes = iter(entries.shape[:-1])
        shaped = entries.reshape(*(next(sizes) if has else 1 for has in is_parent), entries.shape[-1])
        if self.arithmetic == "float":
            self._scale = 1
            return shaped.astype(np.float64)
        self._scale = math.lcm(*(entry.denominator for entry in shaped.flat))
        self.denominator *= self._scale
        whole: Callable[[Fraction], int] = lambda entry: int(entry * self._scale)  # noqa: E731 - shaped by numpy
        return np.frompyfunc(whole, 1, 1)(shaped)  # type: ignore[no-any-return]

    def close(self, name: str) -> None:
        """Add up over a feature all of whose children are done."""
        axis = self.open.index(name)
        self.roundings += self.T.shape[axis]
        self.T = self.T.sum(axis=axis)
        self.open.remove(name)

    def result(self) -> Bounds:
        """Return what is accepted, between ends that enclose every rounding."""
        if self.arithmetic == "exact":
            return Bounds.of(Fraction(self.accepted, self.denominator))
        value = Fraction(float(self.accepted))
        if not self.steps:
            return Bounds.of(value)
        share = self.roundings * _ROUNDING
        error = value * share / (1 - share) + _UNDERFLOW
        return Bounds(max(value - error, Fraction(0)), min(value + error, Fraction(1)))
