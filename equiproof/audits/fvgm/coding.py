"""From rows of numbers and categories to finite-valued features (section 3.5).

A number falls into one of at most k bins; in the classifier a bin counts with its mean. For the programme a binned
feature is one variable with k values, of which exactly one occurs, where the paper makes k Boolean variables and leaves
it to the network to learn that they exclude each other.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from equiproof.audits.fvgm.learning import Coded, CodingError

MAX_BINS = 10
"""The most bins of a number, as in the paper's experiments (section 4)."""

MAX_VALUES = 16
"""The most values of a non-sensitive category; rare ones are merged."""

OTHER = "(other)"

NOT_STATED = "(not stated)"
"""The value of whoever does not state one; the mark of a bracket keeps it apart from values of the data."""

Cut = Literal["width", "frequency"]
"""Bins of equal width, or of equally many rows."""

Column = npt.NDArray[Any]


@dataclass(frozen=True)
class Binning:
    """Bins of one number: (-inf, edges[0]), [edges[0], edges[1]), ..., [edges[-1], inf).

    Where values are `lacking`, which are nan, these have one more bin, the last one.
    """

    edges: tuple[float, ...]
    lacking: bool = False

    @property
    def labels(self) -> tuple[str, ...]:
        """A name for each bin."""
        last = (NOT_STATED,) if self.lacking else ()
        if not self.edges:
            return ("any", *last)
        texts = [f"{edge:.12g}" for edge in self.edges]
        inner = [f"[{low}, {high})" for low, high in itertools.pairwise(texts)]
        return (f"< {texts[0]}", *inner, f">= {texts[-1]}", *last)

    def codes(self, values: Column) -> npt.NDArray[np.int64]:
        """Return the number of each value's bin."""
        # What is lacking is sorted behind every number.
        places = np.searchsorted(np.asarray(self.edges), values, side="right").astype(np.int64)
        return places + np.isnan(values) if self.lacking else places


def bins(values: Column, count: int, cut: Cut) -> Binning:
    """Return at most `count` bins of the values, none of them empty; each of fewer distinct values has its own bin.

    Values that are nan have one more bin.
    By frequency, a value with at least a bin's share of rows has a bin of its own, and the others share the rest.
    """
    lacking = bool(np.isnan(values).any())
    distinct, times = np.unique(values[~np.isnan(values)], return_counts=True)
    middles = (distinct[1:] + distinct[:-1]) / 2
    if len(distinct) <= count:
        return Binning(tuple(middles.tolist()), lacking)
    if cut == "frequency":
        return Binning(tuple(float(middles[place]) for place in even(times, count)), lacking)
    edges = np.linspace(distinct[0], distinct[-1], count + 1)[1:-1]
    filled = np.unique(np.searchsorted(distinct, edges, side="left"))
    ends = tuple(float(edges[np.searchsorted(distinct, edges, side="left") == place][0]) for place in filled)
    return Binning(ends, lacking)


def even(times: Column, count: int) -> list[int]:
    """Return after which distinct values bins of about equally many rows end; `times` is how often each occurs."""
    ends: list[int] = []
    inside = 0
    rest = int(times.sum())
    for place, rows in enumerate(times.tolist()):
        # A value that fills a bin alone does not join the one begun before it.
        if inside and rows * (count - len(ends)) >= rest and len(ends) < count - 1:
            ends.append(place - 1)
            rest -= inside
            inside = 0
        inside += rows
        if inside * (count - len(ends)) >= rest and len(ends) < count - 1:
            ends.append(place)
            rest -= inside
            inside = 0
    return [end for end in ends if end < len(times) - 1]


@dataclass(frozen=True)
class Coder:
    """How raw columns become codes: a binning for each number, the values for each category, in the order of columns.

    Where the values of a category end in OTHER, it stands for all that are not among them.
    """

    numbers: Mapping[str, Binning]
    categories: Mapping[str, tuple[str, ...]]
    order: tuple[str, ...]

    def coded(self, columns: Mapping[str, Column], ready: Mapping[str, npt.NDArray[np.int64]] | None = None) -> Coded:
        """Return the codes of raw columns; raises CodingError for an unknown category.

        `ready` are codes of categories that are known already.
        """
        ready_codes = ready or {}
        values: dict[str, tuple[str, ...]] = {}
        codes = []
        for name in self.order:
            if name in self.numbers:
                values[name] = self.numbers[name].labels
                codes.append(self.numbers[name].codes(columns[name]))
            else:
                values[name] = self.categories[name]
                own = ready_codes.get(name)
                codes.append(_category_codes(name, columns[name], self.categories[name]) if own is None else own)
        return Coded(values, np.stack(codes, axis=1) if codes else np.zeros((0, 0), dtype=np.int64))


def coder(
    columns: Mapping[str, Column],
    *,
    bins_of: int = MAX_BINS,
    cut: Cut = "frequency",
    edges: Mapping[str, Sequence[float]] | None = None,
    whole: Collection[str] = (),
    categories: Mapping[str, tuple[str, ...]] | None = None,
) -> Coder:
    """Return a coder of columns: numeric arrays are binned, others are categories with the values that occur.

    A number that is nan is lacking, and has a bin of its own.
    `edges` fixes the bins of some numbers, such as {"age": [25]} for two groups. A category of more than MAX_VALUES
    values keeps the most frequent ones and OTHER, unless it is one of `whole`; `categories` are values found before.
    """
    numbers = {}
    categories_of = dict(categories or {})
    for name, values in columns.items():
        if edges is not None and name in edges:
            lacking = numeric(values) and bool(np.isnan(values).any())
            numbers[name] = Binning(tuple(sorted(float(edge) for edge in edges[name])), lacking)
        elif numeric(values):
            numbers[name] = bins(np.asarray(values, dtype=np.float64), bins_of, cut)
        elif name not in categories_of:
            categories_of[name] = _categories([str(value) for value in values], None if name in whole else MAX_VALUES)
    return Coder(numbers, categories_of, tuple(columns))


def median_edges(values: Column) -> list[float]:
    """Return the cuts of a sensitive number without edges: its median, or no cut if it has a single value."""
    numbers = np.asarray(values, dtype=np.float64)
    distinct = np.unique(numbers)
    middle = float(np.median(numbers))
    # A cut at the smallest value would have no rows below it.
    return [middle] if middle > distinct[0] else [float(value) for value in distinct[1:2]]


def numeric(values: Column) -> bool:
    """Return whether a column holds numbers, and not categories."""
    return bool(np.issubdtype(np.asarray(values).dtype, np.number))


def design(columns: Mapping[str, Column]) -> tuple[npt.NDArray[np.float64], dict[str, list[int]]]:
    """Return a matrix to fit a linear model on, and which of its columns belong to which feature.

    Numbers are standardised, categories of two values become one column of 0 and 1, others one for each value.
    """
    matrix: list[npt.NDArray[np.float64]] = []
    blocks: dict[str, list[int]] = {}
    for name, values in columns.items():
        first = len(matrix)
        if numeric(values):
            number = np.asarray(values, dtype=np.float64)
            matrix.append((number - number.mean()) / (number.std() or 1.0))
        else:
            text = np.array([str(value) for value in values])
            categories_there = np.unique(text)
            matrix += [
                (text == value).astype(np.float64)
                for value in (categories_there[1:] if len(categories_there) == 2 else categories_there)
            ]
        blocks[name] = list(range(first, len(matrix)))
    return np.stack(matrix, axis=1), blocks


def _categories(values: Sequence[str], most: int | None) -> tuple[str, ...]:
    """Return the values of a category, sorted; if there are too many, the most frequent ones and OTHER."""
    times = Counter(values)
    if most is None or len(times) <= most:
        return tuple(sorted(times))
    frequent = sorted(times, key=lambda value: (-times[value], value))[: most - 1]
    return (*sorted(frequent), OTHER)


def _category_codes(name: str, values: Column, categories: tuple[str, ...]) -> npt.NDArray[np.int64]:
    """Return the number of each category; raises CodingError for an unknown one."""
    place = {value: number for number, value in enumerate(categories)}
    other = place.get(OTHER)
    try:
        return np.array(
            [place[str(value)] if other is None else place.get(str(value), other) for value in values], dtype=np.int64
        )
    except KeyError as error:
        raise CodingError(f"{name}: {error.args[0]!r} is not one of {', '.join(categories)}") from None
