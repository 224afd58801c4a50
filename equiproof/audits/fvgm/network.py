"""Bayesian networks over finite-valued features: sensitive features are choices, all others are chances.

A choice has no distribution and no parents: it is set to every group in turn (Ghosh, Basu, Meel, "Algorithmic Fairness
Verification with Graphical Models", AAAI 2022, section 3.3). A chance has a table of exact probabilities, one row for
each assignment of its parents. Boolean features are those with two values.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

Group = Mapping[str, str]
"""A value for every choice: a compound sensitive group."""

BOOLEAN = ("0", "1")


class NetworkError(ValueError):
    """A network that has no single meaning, or a group it does not know; one line naming the variable."""


@dataclass(frozen=True)
class Choice:
    """A sensitive feature with its values."""

    name: str
    values: tuple[str, ...]


@dataclass(frozen=True)
class Chance:
    """A feature with values, parents, and a row of probabilities over the values for each assignment of the parents.

    Rows stand in the order of `itertools.product` over the parents' values, the last parent fastest.
    """

    name: str
    values: tuple[str, ...]
    parents: tuple[str, ...]
    table: tuple[tuple[Fraction, ...], ...]


@dataclass(frozen=True)
class Network:
    """Choices and chances without a cycle; raises NetworkError for names, parents or tables that do not fit."""

    choices: tuple[Choice, ...]
    chances: tuple[Chance, ...]

    def __post_init__(self) -> None:
        """Refuse what has no single meaning."""
        variables: list[Choice | Chance] = [*self.choices, *self.chances]
        names = [variable.name for variable in variables]
        if len(set(names)) != len(names):
            raise NetworkError("two variables of the network have the same name")
        for variable in variables:
            if not variable.values or len(set(variable.values)) != len(variable.values):
                raise NetworkError(f"{variable.name}: values are missing or named twice")
        for chance in self.chances:
            self._check_table(chance, set(names))
        _ = self.order

    def _check_table(self, chance: Chance, names: set[str]) -> None:
        """Refuse unknown parents, a table of another shape, and rows that are no distributions."""
        if unknown := [name for name in chance.parents if name not in names]:
            raise NetworkError(f"{chance.name}: no variable is called {unknown[0]!r}")
        if len(set(chance.parents)) != len(chance.parents):
            raise NetworkError(f"{chance.name}: a parent is named twice")
        if len(chance.table) != math.prod(len(self.values[name]) for name in chance.parents):
            raise NetworkError(
                f"{chance.name}: the table has {len(chance.table)} rows, not one per parents' assignment"
            )
        for row in chance.table:
            if len(row) != len(chance.values) or min(row) < 0 or sum(row) != 1:
                raise NetworkError(f"{chance.name}: a row of the table is not a distribution over the values")

    @cached_property
    def values(self) -> Mapping[str, tuple[str, ...]]:
        """The values of every variable by name."""
        variables: list[Choice | Chance] = [*self.choices, *self.chances]
        return {variable.name: variable.values for variable in variables}

    @cached_property
    def children(self) -> Mapping[str, tuple[str, ...]]:
        """The chances that have each variable as a parent."""
        return {name: tuple(chance.name for chance in self.chances if name in chance.parents) for name in self.values}

    @cached_property
    def order(self) -> tuple[Chance, ...]:
        """The chances, parents first, so that few values are open at a time; those without edges come last.

        A value is open from its variable until its last child. Greedy: of the chances whose parents are done, the one
        that leaves the fewest joint open values. Raises NetworkError for a cycle.
        """
        roots = {choice.name for choice in self.choices}
        alone = [c for c in self.chances if not self.children[c.name] and set(c.parents) <= roots]
        queue = [c for c in self.chances if c not in alone]
        done = set(roots)
        order = []
        while queue:
            ready = [chance for chance in queue if set(chance.parents) <= done]
            if not ready:
                raise NetworkError(f"{queue[0].name}: the edges of the network have a cycle")
            best = min(ready, key=lambda chance: self._open_size(done | {chance.name}))
            order.append(best)
            queue.remove(best)
            done.add(best.name)
        return (*order, *alone)

    def _open_size(self, done: set[str]) -> float:
        """Return the logarithm of the number of joint values of chances that are done and still have children to do."""
        chances = (chance for chance in self.chances if chance.name in done)
        return sum(math.log(len(c.values)) for c in chances if not set(self.children[c.name]) <= done)

    def above(self, names: Collection[str]) -> Network:
        """Return the network of some variables, their parents, theirs and so on, and every choice.

        The joint distribution of these is the same: what is below them or apart adds up to 1.
        """
        parents = {chance.name: chance.parents for chance in self.chances}
        ancestors: set[str] = set()
        queue = list(names)
        while queue:
            name = queue.pop()
            if name not in ancestors:
                ancestors.add(name)
                queue += parents.get(name, ())
        return Network(self.choices, tuple(chance for chance in self.chances if chance.name in ancestors))

    def groups(self) -> Iterator[dict[str, str]]:
        """Yield every compound group, the last choice fastest."""
        for values in itertools.product(*(choice.values for choice in self.choices)):
            yield dict(zip((choice.name for choice in self.choices), values, strict=True))

    def row(self, chance: Chance, values: Mapping[str, str]) -> tuple[Fraction, ...]:
        """Return the distribution of a chance for the values of its parents."""
        return chance.table[self._index(chance, values)]

    def _index(self, chance: Chance, values: Mapping[str, str]) -> int:
        """Return the row of the table for the values of the parents."""
        index = 0
        for name in chance.parents:
            index = index * len(self.values[name]) + self.values[name].index(values[name])
        return index

    def check_group(self, group: Group) -> None:
        """Raise NetworkError unless a group gives every choice, and nothing else, one of its values."""
        if set(group) != {choice.name for choice in self.choices}:
            raise NetworkError(f"a group names {', '.join(choice.name for choice in self.choices)}, and nothing else")
        for choice in self.choices:
            if group[choice.name] not in choice.values:
                raise NetworkError(f"{choice.name}: {group[choice.name]!r} is not one of {', '.join(choice.values)}")


def boolean(name: str, parents: Sequence[str] = (), *, true: Sequence[Fraction | str | int]) -> Chance:
    """Return a Boolean chance whose probability of 1 is given for each assignment of its Boolean parents."""
    rows = tuple((1 - Fraction(p), Fraction(p)) for p in true)
    return Chance(name, BOOLEAN, tuple(parents), rows)
