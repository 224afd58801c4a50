"""Sets of the values of categories that an ensemble's nodes ask: each is a column behind those of the query.

A set's column is 1 where the value that somebody has is in it, else 0. Nobody in a ball has another value than its
middle: a certificate's radius ends where the nearest one begins.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from equiproof.circuits.categories import Category
from equiproof.circuits.spec import Box

if TYPE_CHECKING:
    from equiproof.certify.models.network import Integers


class Sets(NamedTuple):
    """A category and its sets: of each a bit for each value, and one for a missing one where values can be missing."""

    category: Category
    members: tuple[tuple[int, ...], ...]

    def columns(self, query: Sequence[int]) -> list[int]:
        """Return the columns of the sets at a query; raises ValueError for one without one value of the category."""
        place = self.category.held(query)
        if place is None or (self.members and place >= len(self.members[0])):
            raise ValueError(f"column {self.category.first}: the query has not one value of the category")
        return [members[place] for members in self.members]


def seen(sets: Sequence[Sets], inputs: Sequence[int], plain: int) -> tuple[int, ...]:
    """Return inputs of n_x integers, or more, with the columns of the sets behind the n_x = `plain` of the query."""
    columns = (column for one in sets for column in one.columns(inputs))
    return (*inputs[:plain], *columns, *inputs[plain:])


def seen_box(sets: Sequence[Sets], query: Sequence[int], box: Box | None, limit: int = 1 << 62) -> Box | None:
    """Return the ranges of the columns at a query: in those of sets nobody moves. Without sets, the box itself.

    Without a box, other columns have the integers from -limit to limit - 1.
    """
    if not sets:
        return box
    low, high = box or ((-limit,) * len(query), (limit - 1,) * len(query))
    columns = tuple(column for one in sets for column in one.columns(query))
    return (*low, *columns), (*high, *columns)


def seen_rows(sets: Sequence[Sets], inputs: Integers, plain: int) -> Integers:
    """Return rows of inputs with the columns of the sets; shape (rows, n_x + n_s) to (rows, n_x + sets + n_s)."""
    # Openings are read, as by `equiproof status`, without numpy.
    import numpy as np

    columns = []
    for category, members in sets:
        block = inputs[:, category.first : category.first + category.values]
        places = np.where(
            (block == category.high).any(axis=1), (block == category.high).argmax(axis=1), category.values
        )
        columns += [np.array([*bits, 0], dtype=inputs.dtype)[places] for bits in members]
    return np.hstack([inputs[:, :plain], *(column[:, None] for column in columns), inputs[:, plain:]])


def reach(sets: Sequence[Sets]) -> int | None:
    """Return the largest squared radius of a ball in which nobody has another value; None without sets."""
    return min((one.category.apart for one in sets), default=None)
