"""The finite domain of an audit: every value that each feature may take, as the integers of the quantised network.

An applicant is a vector of indices, one per plain (not protected) feature: `levels[f][i]` are the columns of the i-th
level of feature f, a value or an interval of values that the network cannot tell apart. The protected values are the
spec's domain table. So one-hot groups, ranks and numbers are treated alike, and a neighbor is the next level of one
feature.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal, InvalidOperation
from functools import cached_property
from math import prod

import numpy as np
import numpy.typing as npt

from equiproof.audits.dated import shown
from equiproof.audits.hyfair.levels import GridError, Levels, Number, levels_of
from equiproof.circuits.spec import Feature, Spec

Integers = npt.NDArray[np.int64]
Box = tuple[Integers, Integers]
"""The least and the largest index of every feature, both included: shape (F,) each."""


@dataclass(frozen=True, eq=False)
class Grid:
    """The domain of an audit.

    `features[f]` are the levels of feature f, `values[f]` the first raw value of each and `levels[f]` their columns,
    shape (levels, width); `table` are the protected assignments, shape (S, n_s), and `groups` the same as raw values.
    `ordered[f]` is whether neighbors of a level are the ones beside it (numbers) or all others (categories). `order`
    are the network's columns in the grid's order, those of `levels` first and those of `table` last. `dated` are the
    features by name whose numbers count days from a start.
    """

    names: tuple[str, ...]
    features: tuple[Levels, ...]
    ordered: tuple[bool, ...]
    table: Integers
    groups: tuple[tuple[str, ...], ...]
    protected: tuple[str, ...]
    order: tuple[int, ...]
    dated: Mapping[str, Feature] = field(default_factory=dict)

    @cached_property
    def values(self) -> tuple[tuple[str, ...], ...]:
        """The first raw value of every level, feature by feature."""
        return tuple(feature.first for feature in self.features)

    @cached_property
    def levels(self) -> tuple[Integers, ...]:
        """The columns of every level, feature by feature."""
        return tuple(feature.columns for feature in self.features)

    @cached_property
    def sizes(self) -> Integers:
        """The number of levels of every feature, shape (F,)."""
        return np.array([len(level) for level in self.levels], dtype=np.int64)

    @cached_property
    def size(self) -> int:
        """The number of applicants in raw values, protected values apart."""
        return prod(feature.count for feature in self.features)

    @property
    def whole(self) -> Box:
        """The box of all applicants."""
        return np.zeros_like(self.sizes), self.sizes - 1

    def columns(self, applicants: Integers) -> Integers:
        """Return the plain columns, shape (n, n_x), of applicants of shape (n, F)."""
        return np.concatenate([level[applicants[:, f]] for f, level in enumerate(self.levels)], axis=1)

    def draw(self, rng: np.random.Generator, count: int, box: Box | None = None) -> Integers:
        """Return applicants drawn evenly from a box, the whole domain by default; shape (count, F)."""
        low, high = self.whole if box is None else box
        return rng.integers(low, high + 1, size=(count, len(self.levels)))

    def row(self, applicant: Integers) -> dict[str, str]:
        """Return one applicant's raw values by name."""
        return {name: self.values[f][int(applicant[f])] for f, name in enumerate(self.names)}

    def shown(self, name: str, value: str) -> str:
        """Return a raw value of a feature as people read it: one that counts days as its date."""
        return shown(self.dated[name], value) if name in self.dated else value

    def find(self, row: Mapping[str, object]) -> Integers:
        """Return the indices of a raw row, shape (F,); raises GridError for a value that the domain does not have."""
        indices = []
        for name, feature in zip(self.names, self.features, strict=True):
            if name not in row:
                raise GridError(f"feature {name!r} is missing in the row")
            text = str(row[name])
            place = _place(feature, text)
            if place is None:
                raise GridError(f"feature {name!r}: widen its range: {text[:40]!r} is not in the audited domain")
            indices.append(place)
        return np.array(indices, dtype=np.int64)

    @cached_property
    def _numbers(self) -> tuple[npt.NDArray[np.float64] | None, ...]:
        """The values of every number, None for categories."""
        return tuple(
            np.array([float(value) for value in values]) if ordered else None
            for values, ordered in zip(self.values, self.ordered, strict=True)
        )

    def within(self, **ranges: tuple[int, int]) -> Box:
        """Return the box of the applicants whose named numbers lie in ranges, both ends included."""
        low, high = self.whole
        for name, (least, most) in ranges.items():
            if name not in self.names:
                raise GridError(f"the domain has no feature {name!r}")
            f = self.names.index(name)
            if (numbers := self._numbers[f]) is None:
                raise GridError(
                    f"leave feature {name!r} out of the box: it is a category, and a box is narrowed by numbers"
                )
            inside = np.flatnonzero((numbers >= least) & (numbers <= most))
            if not len(inside):
                raise GridError(f"feature {name!r}: no value lies in {least} to {most}")
            low[f] = inside[0]
            high[f] = inside[-1]
        return low, high

    @cached_property
    def flat(self) -> Grid:
        """The same domain with the protected assignment as one more feature: a single score of every point."""
        groups = tuple(", ".join(group) for group in self.groups)
        return replace(
            self,
            names=(*self.names, ", ".join(self.protected)),
            features=(*self.features, Levels(groups, groups, self.table, len(groups))),
            ordered=(*self.ordered, False),
            table=self.table[:1, :0],
            groups=((),),
            protected=(),
        )

    def restricted(self, groups: Integers) -> Grid:
        """Return the same domain with some of the protected assignments only, by number."""
        return replace(self, table=self.table[groups], groups=tuple(self.groups[g] for g in groups.tolist()))


def grid_of(
    spec: Spec,
    ranges: Mapping[str, tuple[Number, Number]] | None = None,
    protected: Sequence[str] | None = None,
    decimals: Mapping[str, int] | None = None,
) -> Grid:
    """Return the finite domain of a spec; `ranges` bounds numbers that the spec leaves open, or narrows its own.

    `protected` are the sensitive features that vary, all of them by default; others are features like the plain ones.
    A number takes every multiple of 10^-d in its range, d being 0 or what `decimals` names: whole values by default.
    Raises GridError for a number without a range, naming the feature.
    """
    bounds = ranges or {}
    digits = decimals or {}
    sensitive = [feature.name for feature in spec.sensitive_features]
    chosen = sensitive if protected is None else list(protected)
    if unknown := [name for name in chosen if name not in sensitive]:
        raise GridError(f"no sensitive feature is called {unknown[0]!r}; there are {', '.join(sensitive)}")
    if not chosen:
        raise GridError(f"choose a protected feature from {', '.join(sensitive)}: none is named")
    known = {feature.name for feature in spec.plain_features}
    if unknown := [name for name in bounds if name not in known]:
        raise GridError(f"no plain feature is called {unknown[0]!r}; the domain cannot be narrowed by it")
    if unknown := [name for name in digits if name not in known]:
        raise GridError(f"no plain feature is called {unknown[0]!r}; it cannot have decimals")
    others = tuple(feature for feature in spec.sensitive_features if feature.name not in chosen)
    plain = (*spec.plain_features, *others)
    table, groups, columns = _varied(spec, chosen)
    width = spec.plain_columns + spec.sensitive_columns
    return Grid(
        names=tuple(feature.name for feature in plain),
        features=tuple(levels_of(spec, one, bounds.get(one.name), digits.get(one.name, 0)) for one in plain),
        ordered=tuple(feature.kind == "numeric" for feature in plain),
        table=table,
        groups=groups,
        protected=tuple(name for name in sensitive if name in chosen),
        order=(*(column for column in range(width) if column not in columns), *columns),
        dated={feature.name: feature for feature in plain if isinstance(feature.start, str)},
    )


def _varied(spec: Spec, chosen: Sequence[str]) -> tuple[Integers, tuple[tuple[str, ...], ...], tuple[int, ...]]:
    """Return the assignments of the chosen sensitive features, as columns and raw values, and the network's columns."""
    places: list[int] = []
    columns: list[int] = []
    place = spec.plain_columns
    for index, feature in enumerate(spec.sensitive_features):
        if feature.name in chosen:
            places.append(index)
            columns += range(place, place + feature.width)
        place += feature.width
    groups = []
    rows = []
    for values, row in zip(spec.domain_values, spec.domain_table, strict=True):
        group = tuple(values[index] for index in places)
        if group not in groups:
            groups.append(group)
            rows.append([row[column - spec.plain_columns] for column in columns])
    return np.array(rows, dtype=np.int64), tuple(groups), tuple(columns)


def _place(feature: Levels, text: str) -> int | None:
    """Return the level of a raw value, None if it has none."""
    if text in feature.first:
        return feature.first.index(text)
    if not feature.merged:
        return None
    try:
        place = bisect_right(feature.first, Decimal(text), key=Decimal) - 1
        return place if place >= 0 and Decimal(text) <= Decimal(feature.last[place]) else None
    except InvalidOperation:
        return None
