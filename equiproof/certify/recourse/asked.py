"""What a search for recourse is asked, and what it answers: the same for every class of models."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from equiproof.certify.people import Box
from equiproof.certify.recourse.moves import Mover, Option
from equiproof.circuits.categories import Choice


@dataclass(frozen=True)
class Asked:
    """Somebody who was refused: n_x integers, the table's rows of n_s integers, the wanted label, and what can change.

    `choices` are the spec's categories with one column a value.
    """

    query: tuple[int, ...] = field(repr=False)
    table: tuple[tuple[int, ...], ...]
    label: int
    movers: tuple[Mover, ...]
    choices: tuple[Choice, ...] = ()

    @property
    def sign(self) -> int:
        """1 where label 1 is wanted, else -1: the score of a model with one counts as sign F."""
        return 2 * self.label - 1

    def without(self, features: Collection[str]) -> Asked:
        """Return the same for somebody of whom these features stay as they are."""
        return replace(self, movers=tuple(one for one in self.movers if not set(features) & set(one.features)))

    def point(self, taken: Sequence[Option]) -> tuple[int, ...]:
        """Return the integers of who takes one option of each mover."""
        found = list(self.query)
        for mover, option in zip(self.movers, taken, strict=True):
            for column, integer in zip(mover.columns, option.point, strict=True):
                found[column] = integer
        return tuple(found)

    def box(self, taken: Sequence[Option]) -> Box:
        """Return the box of everybody who takes one option of each mover, or more of a number."""
        low, high = list(self.query), list(self.query)
        for mover, option in zip(self.movers, taken, strict=True):
            for column, least, most in zip(mover.columns, option.low, option.high, strict=True):
                low[column], high[column] = least, most
        return Box(tuple(low), tuple(high), self.choices)


@dataclass(frozen=True)
class Cheapest:
    """The cheapest choice that was found, an option of each mover, None where there is none; and its cost.

    No choice costs less than `lower`. Where the search is `complete`, that is the cost, or without a choice there is
    none at any cost; else a budget ended it.
    """

    taken: tuple[Option, ...] | None = field(repr=False)
    lower: Fraction
    complete: bool

    @property
    def cost(self) -> Fraction | None:
        """What the choice costs."""
        return None if self.taken is None else cost_of(self.taken)


def cost_of(taken: Iterable[Option]) -> Fraction:
    """Return what options cost together."""
    return sum((option.cost for option in taken), Fraction(0))
