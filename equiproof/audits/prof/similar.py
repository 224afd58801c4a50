"""S(x): the inputs similar to one, as boxes of integers in the columns of the committed network.

Similar inputs have any values of the sensitive features. If the relation is relaxed, named plain features may also
differ by up to eps_j: in raw units of a number, in ranks of a category. (PROF, section II, both definitions of S(x),
which includes x itself.)

A sensitive feature has finitely many values, so has a rank: each joint value is a box. A relaxed number takes every
point of the grid of 2^-f_x between its ends, rounded outward, so that every raw value as near is in, and cut at its
range and at what `input_bits` hold. Which points these are is the encoding's to say.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
import numpy.typing as npt

from equiproof.audits.errors import AuditError
from equiproof.circuits.encodings import ENCODINGS, on_grid
from equiproof.circuits.spec import Feature, Spec

Integers = npt.NDArray[np.int64]
Ends = tuple[tuple[int, ...], tuple[int, ...]]


class SimilarityError(AuditError):
    """An invalid relaxation; one line naming the feature."""


@dataclass(frozen=True)
class Similarity:
    """Which inputs are similar under a spec; `relaxed` gives eps_j >= 0 of plain features by name.

    Raises SimilarityError for a name that is not a plain feature, a one-hot feature, and a negative eps_j.
    """

    spec: Spec
    relaxed: tuple[tuple[str, Fraction], ...] = ()

    @classmethod
    def of(cls, spec: Spec, relaxed: Mapping[str, int | str | Fraction] | None = None) -> Similarity:
        """Make a relation from exact numbers by feature."""
        return cls(spec, tuple((name, Fraction(value)) for name, value in (relaxed or {}).items()))

    def __post_init__(self) -> None:
        """Raise SimilarityError for features that cannot be relaxed."""
        features = {feature.name: feature for feature in self.spec.plain_features}
        for name, reach in self.relaxed:
            if name not in features:
                raise SimilarityError(f"relax plain features of the spec only: {name!r} is none")
            if not ENCODINGS[features[name].encoding].ordered:
                raise SimilarityError(
                    f"leave {name!r} out of what is relaxed: it has no order, so it does not move by {reach}"
                )
            if features[name].width != 1:
                raise SimilarityError(
                    f"leave {name!r} out of what is relaxed: it takes several columns, so it does not move by {reach}"
                )
            if reach < 0:
                raise SimilarityError(f"feature {name!r}: want 0 or more, not {reach}")

    @cached_property
    def finite(self) -> bool:
        """Whether every input similar to one is listed by :meth:`boxes` as a point."""
        return all(not reach or _is_listed(feature) for _, feature, reach in self._places)

    @cached_property
    def columns(self) -> tuple[int, ...]:
        """The columns that vary among similar inputs, in the spec's order."""
        relaxed = [start for start, _, reach in self._places if reach]
        sensitive = range(self.spec.plain_columns, self.spec.plain_columns + self.spec.sensitive_columns)
        return (*relaxed, *sensitive)

    def boxes(self, query: Sequence[int]) -> list[Ends]:
        """Return the boxes of the inputs similar to a query of n_x integers: least and largest of n_x + n_s columns."""
        plain = [self._moved(query, place) for place in self._places]
        boxes = []
        for ends in itertools.product(*plain):
            low = list(query)
            high = list(query)
            for (start, _, _), (least, largest) in zip(self._places, ends, strict=True):
                low[start] = least
                high[start] = largest
            boxes += [((*low, *row), (*high, *row)) for row in self.spec.domain_table]
        return boxes

    def points(self, query: Sequence[int]) -> Integers:
        """Return every similar input, shape (points, n_x + n_s); raises ValueError where the relation is not finite."""
        if not self.finite:
            raise ValueError("a relaxed number takes too many values to list them")
        return np.array([low for low, _ in self.boxes(query)], dtype=np.int64)

    def hull(self, query: Sequence[int]) -> tuple[Integers, Integers]:
        """Return the ends of the smallest box around all similar inputs, shapes (n_x + n_s,): the continuous S(x)."""
        boxes = self.boxes(query)
        lows = np.array([low for low, _ in boxes], dtype=np.int64)
        highs = np.array([high for _, high in boxes], dtype=np.int64)
        return lows.min(axis=0), highs.max(axis=0)

    @cached_property
    def _places(self) -> tuple[tuple[int, Feature, Fraction], ...]:
        """The column, the feature and eps_j of every relaxed feature, in column order."""
        reaches = dict(self.relaxed)
        places = []
        start = 0
        for feature in self.spec.plain_features:
            if feature.name in reaches:
                places.append((start, feature, reaches[feature.name]))
            start += feature.width
        return tuple(places)

    def _moved(self, query: Sequence[int], place: tuple[int, Feature, Fraction]) -> list[tuple[int, int]]:
        """Return the intervals of a relaxed column: one for a number, one per rank near enough for a category."""
        start, feature, reach = place
        value = query[start]
        unit = self.spec.scale_unit
        if _is_listed(feature):
            ranks = self._ranks(feature)
            # Ranks that coincide after rounding are all the applicant's.
            own_ranks = [rank for rank, end in enumerate(ranks) if end == value]
            return [(end, end) for rank, end in enumerate(ranks) if min(abs(rank - own) for own in own_ranks) <= reach]
        encoding = ENCODINGS[feature.encoding]
        ((low, high),) = encoding.around(self.spec, feature, [value], reach)
        limit = 1 << (self.spec.input_bits - 1)
        low = max(low, -limit)
        high = min(high, limit - 1)
        for ends in encoding.ends(feature):
            if ends is not None:
                # The query itself stays in, also where it lies outside the range.
                low = min(value, max(low, on_grid(feature, ends[0], unit)))
                high = max(value, min(high, on_grid(feature, ends[1], unit)))
        return [(low, high)]

    def _ranks(self, feature: Feature) -> list[int]:
        """Return the column's integer of every rank."""
        encoding = ENCODINGS[feature.encoding]
        columns = [encoding.raw_columns(feature, value) for value in feature.domain]
        return [on_grid(feature, number, self.spec.scale_unit) for (number,) in columns]


def _is_listed(feature: Feature) -> bool:
    """Return whether the values of a feature are those of a list, and no numbers in between."""
    return ENCODINGS[feature.encoding].step(feature) is None
