"""Categories of whose values an ensemble's nodes ask sets: each set is one more column of the query.

A category with one column a value is in the shape with its first column, the number of its values, what stands in the
columns of a value that somebody has not (`low`) and has (`high`), and how many sets are asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache

import msgspec

from equiproof.circuits.encodings import ENCODINGS
from equiproof.circuits.spec import Spec, SpecError

MAX_SETS = 4096
"""The most sets of a model that has a circuit."""


class Choice(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A category with one column a value, as a box knows it."""

    first: int
    values: int
    low: int
    high: int

    @property
    def columns(self) -> range:
        """The columns of its values."""
        return range(self.first, self.first + self.values)


class Category(Choice, frozen=True, forbid_unknown_fields=True):
    """A category and the number of its sets, as an architecture has it."""

    sets: int

    @property
    def apart(self) -> int:
        """The squared distance of two values: two columns change."""
        return 2 * (self.high - self.low) ** 2

    def members(self, *, missing: bool) -> int:
        """Return how many bits a set has: one for each value, and one for a missing one where values can be missing."""
        return self.values + missing

    def held(self, query: Sequence[int]) -> int | None:
        """Return the place of the value in a query, `values` where it is missing; None where it is neither."""
        columns = list(query[self.first : self.first + self.values])
        places = [place for place, column in enumerate(columns) if column == self.high]
        if len(places) == 1 and columns.count(self.low) == self.values - 1:
            return places[0]
        return self.values if len({*columns}) == 1 and columns[0] not in (self.low, self.high) else None


def categories_of(spec: Spec) -> Iterator[Category]:
    """Yield the non-sensitive categories of a spec with one column a value, each with one set.

    One whose columns do not fit the spec's integers is left out: nobody's query has it.
    """
    first = 0
    for feature in spec.plain_features:
        # A mark, which says that a value is missing, is none of the values.
        values = ENCODINGS[feature.encoding].width(feature)
        if feature.kind == "categorical" and not ENCODINGS[feature.encoding].ordered and values > 1:
            with suppress(SpecError):
                high, low, *_ = spec.columns_of(feature, feature.domain[0])
                yield Category(first, values, low, high, 1)
        first += feature.width


@lru_cache(maxsize=1 << 6)
def choices_of(spec: Spec) -> tuple[Choice, ...]:
    """Return the non-sensitive categories of a spec with one column a value, of which a box leaves some open."""
    return tuple(Choice(one.first, one.values, one.low, one.high) for one in categories_of(spec))


def with_sets(spec: Spec, counts: Mapping[int, int]) -> tuple[Category, ...]:
    """Return the categories of a spec of which sets are asked; `counts` has how many, by the first column.

    A column at which no such category begins is left out.
    """
    return tuple(
        msgspec.structs.replace(one, sets=counts[one.first])
        for one in categories_of(spec)
        if counts.get(one.first, 0) > 0
    )


def counts_of(categories: Iterable[Category]) -> dict[int, int]:
    """Return how many sets are asked of each category of an architecture, by its first column."""
    return {one.first: one.sets for one in categories}
