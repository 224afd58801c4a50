"""The values of each column that are known without a model, and the thresholds that decide all of them as a library.

Known are the values of given rows, those that a spec declares, 0, and the whole numbers of a feature of whole numbers.
Notation is that of :mod:`~equiproof.certify.models.ensembles.additive`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt

from equiproof.certify.data.dataset import Row
from equiproof.certify.data.spec_builder import most_fraction_bits
from equiproof.certify.models.ensembles.columns import exact_columns, placed, scaled
from equiproof.certify.models.ensembles.compared import Source, column_of
from equiproof.certify.models.ensembles.rays import Ray, first_float
from equiproof.certify.models.ensembles.score import first_on
from equiproof.certify.models.importing.bind import bent
from equiproof.certify.models.importing.errors import CoarseGridError, ModelImportError
from equiproof.circuits.arguments import argument
from equiproof.circuits.encodings import ENCODINGS
from equiproof.circuits.numbers import read_number
from equiproof.circuits.spec import Feature, Spec

_LARGEST = (1 << 53) - 1
"""The largest integer of a threshold, far beyond every width: JSON has no larger ones."""

_FINE_BITS = 64
"""The bits of a grid that is finer than any that a spec has."""


class _Compared(NamedTuple):
    """What a library compares for known numbers, and the places of their scaled columns; `doubles` if it rounds it."""

    places: npt.NDArray[np.int64]
    exact: list[Fraction]
    doubles: npt.NDArray[np.float64] | None


class Settled:
    """The known values of each column, and the integer thresholds that agree with all of them."""

    def __init__(self, spec: Spec, rows: Iterable[Row]) -> None:
        """Collect the values that the spec declares and those of the rows."""
        self._spec = spec
        self._features: dict[int, Feature] = {}
        self._known: dict[int, list[Fraction]] = {}
        self._numbers: dict[int, dict[Fraction, set[Fraction]]] = {}
        self._zeros: set[tuple[int, Fraction]] = set()
        self._agreed: dict[tuple[Source, Ray], Ray] = {}
        self._by_source: dict[Source, _Compared] = {}
        self._whole: dict[tuple[int, Fraction], list[tuple[Fraction, Fraction]]] = {}
        raw_rows = list(rows)
        curved = bent(spec)
        for feature, first in placed(spec):
            value_sets = [set(some) for some in _declared(feature)]
            if not feature.domain:
                # Libraries put thresholds next to 0, the value that many rows have: it is known without any row.
                if _takes_zero(feature):
                    self._zeros |= {(first, value) for value in exact_columns(feature, 0, 1)}
                    value_sets[0].update(exact_columns(feature, 0, 1))
                for number, value in _distinct(raw_rows, feature):
                    value_sets[0].update(exact_columns(feature, value, number))
            for offset, values in enumerate(value_sets):
                self._features[first + offset] = feature
                self._known[first + offset] = sorted(values)
            if feature.name in curved:
                self._numbers[first] = _numbers_of(feature, raw_rows)

    def agreeing(self, source: Source, compared: Ray) -> Ray:
        """Return the ray of a column on which just those of the known numbers lie that the library has on `compared`.

        Beside what the library rounds, these are the columns of that ray. Raises ModelImportError where numbers of one
        column are on both sides.
        """
        place = (source, compared)
        if place not in self._agreed:
            self._agreed[place] = self._agreeing(source, compared)
        return self._agreed[place]

    def _agreeing(self, source: Source, compared: Ray) -> Ray:
        """Find the same, the first time that a threshold is needed."""
        ray = self._held(source.before(compared))
        values = self._known[source.column]
        place = first_on(ray, values)
        own = self._compared(source)
        first, last = np.searchsorted(own.places, (place - 2, place + 2)).tolist()
        near_by = {*range(first, last)}
        if own.doubles is not None:
            # Beside the end, and wherever else the library puts a number otherwise than the ray.
            on = (own.doubles >= float(first_float(compared, "double"))) != source.flipped
            near_by |= {*np.flatnonzero(on != (own.places >= place)).tolist()}
        near = [(values[own.places[index]], (own.exact[index] in compared) != source.flipped) for index in near_by]
        whole = [one for one in self._whole_neighbors(source.column, ray.end) if source.takes(*one)]
        sides = ((number in compared) != source.flipped for number in source.compared(whole))
        near += [(value, side) for (value, _), side in zip(whole, sides, strict=True)]
        above = {value for value, side in near if side}
        below = {value for value, side in near if not side}
        if above and below and max(below) >= min(above):
            name = self._features[source.column].name
            raise ModelImportError(
                f"feature {name!r}: move a threshold of the model, or leave out rows that lie so close to it: "
                f"numbers beside {self._raw(source.column, max(below))} have one column, however fine the grid is"
            )
        if any(value in ray for value in below):
            return Ray(max(below), closed=False)
        return ray if all(value in ray for value in above) else Ray(min(above), closed=True)

    def _held(self, ray: Ray) -> Ray:
        """Return a ray whose end no column passes as one whose end a wider column could hold."""
        most = Fraction(1 << self._spec.input_bits, self._spec.scale_unit)
        if ray.end > most:
            return Ray(most, closed=False)
        return Ray(-most, closed=True) if ray.end < -most else ray

    def _compared(self, source: Source) -> _Compared:
        """Return what the library compares for the known numbers of a column."""
        if source not in self._by_source:
            known = [
                (place, value, number)
                for place, value in enumerate(self._known[source.column])
                for number in self._behind(source, value)
                # A pipeline may have no value for 0, which is known without a row that has it.
                if (source.column, value) not in self._zeros or source.takes(value, number)
            ]
            try:
                own = source.compared([(value, number) for _, value, number in known])
            except ModelImportError as error:
                raise ModelImportError(f"feature {self._features[source.column].name!r}: {error}") from None
            places = np.array([place for place, _, _ in known], dtype=np.int64)
            doubles = np.array([float(one) for one in own]) if source.rounded else None
            self._by_source[source] = _Compared(places, own, doubles)
        return self._by_source[source]

    def _behind(self, source: Source, value: Fraction) -> Iterable[Fraction]:
        """Return the known raw numbers of a scaled column."""
        feature = self._features[source.column]
        linear = Fraction(feature.mean) + Fraction(feature.scale) * value
        return self._numbers.get(source.column, {}).get(value, (linear,))

    def refuse_coarse(self, places: Iterable[tuple[int, Ray]]) -> None:
        """Raise ModelImportError for the first threshold whose two sides the grid makes one, naming the grid to use."""
        neighbors = [(column, *self._beside(column, ray)) for column, ray in places]
        sides = [
            (column, below, above) for column, below, above in neighbors if below is not None and above is not None
        ]
        own = self._spec.input_fraction_bits
        most = most_fraction_bits(self._spec)
        for column, below, above in sides:
            if self._grid(below) < self._grid(above):
                continue
            finer = (
                bits
                for bits in range(own + 1, most + 1)
                if all(_rounded(low, 1 << bits) < _rounded(high, 1 << bits) for _, low, high in sides)
            )
            bits = next(finer, None)
            mend = (
                f"use {argument('input_fraction_bits', bits)}, or that many input_fraction_bits in the spec"
                if bits
                else f"even {most} input_fraction_bits do not tell all such values apart: move the threshold, or leave "
                "out rows that lie so close to it"
            )
            feature = self._features[column]
            raise CoarseGridError(
                f"feature {feature.name!r}: a threshold of the model lies between {self._raw(column, below)} and "
                f"{self._raw(column, above)}, which become the same integer: {mend}",
                bits,
            )

    def threshold(self, column: int, nominal: Ray, exact: Ray) -> int:
        """Return the integer that committed columns pass; `refuse_coarse` has not refused the threshold."""
        below, above = self._beside(column, exact)
        on = self._grid(exact.end)
        # The threshold as written decides the grid point of the end itself; casts move an end by far less than a step,
        # so that only n - 1 and n are possible.
        threshold = min(max(self._grid(nominal.end) - nominal.closed, on - 1), on)
        if above is not None:
            # Known values decide before the rule of the end: the least value on the ray passes the threshold, the
            # largest one off it does not.
            threshold = min(threshold, self._grid(above) - 1)
        threshold = threshold if below is None else max(threshold, self._grid(below))
        return max(-_LARGEST, min(threshold, _LARGEST))

    def _beside(self, column: int, ray: Ray) -> tuple[Fraction | None, Fraction | None]:
        """Return the largest known value that is not on a ray, and the least that is; None where there is none."""
        values = self._known[column]
        near = [value for value, _ in self._whole_neighbors(column, ray.end)]
        place = first_on(ray, values)
        below = max([*values[max(0, place - 1) : place], *(one for one in near if one not in ray)], default=None)
        above = min([*values[place : place + 1], *(one for one in near if one in ray)], default=None)
        return below, above

    def _whole_neighbors(self, column: int, end: Fraction) -> list[tuple[Fraction, Fraction]]:
        """Return the scaled columns and numbers of the whole numbers next to the end of a ray, within their range.

        They are known values even where no row has them: of two neighbors one is on each side.
        """
        feature = self._features[column]
        if feature.whole is not True:
            return []
        if (column, end) in self._whole:
            return self._whole[column, end]
        encoding = ENCODINGS[feature.encoding]
        fine = msgspec.structs.replace(self._spec, input_fraction_bits=_FINE_BITS)
        first = encoding.begin(fine, feature, math.ceil(end * fine.scale_unit), Fraction(1)) or 0
        near = [Fraction(first + step) for step in (-2, -1, 0, 1)]
        ends = [encoding.held(feature), None if feature.range is None else tuple(map(Fraction, feature.range))]
        near = [number for number in near if all(one is None or one[0] <= number <= one[1] for one in ends)]
        self._whole[column, end] = [(column_of(feature, number), number) for number in near]
        return self._whole[column, end]

    def _raw(self, column: int, value: Fraction) -> str:
        """Write a raw number of a scaled column."""
        feature = self._features[column]
        for number in self._numbers.get(column, {}).get(value, ()):
            return f"{float(number):.12g}"
        unit = self._spec.scale_unit
        return ENCODINGS[feature.encoding].decoded(feature, [value * unit], unit, lambda one, _: f"{float(one):.12g}")

    def _grid(self, value: Fraction) -> int:
        """Return the committed integer of a scaled column."""
        return _rounded(value, self._spec.scale_unit)


def _rounded(value: Fraction, unit: int) -> int:
    """Return the integer of a scaled column on a grid of so many steps a unit."""
    return int((value * unit + Fraction(1, 2)) // 1)


def _declared(feature: Feature) -> list[list[Fraction]]:
    """Return the scaled values of each column that the spec declares: its domain, or the ends of its range."""
    encoding = ENCODINGS[feature.encoding]
    if feature.domain:
        rows = [[scaled(feature, one) for one in encoding.raw_columns(feature, value)] for value in feature.domain]
        return [list(column) for column in zip(*rows, strict=True)]
    return [[scaled(feature, end) for end in ends or ()] for ends in encoding.ends(feature)]


def _takes_zero(feature: Feature) -> bool:
    """Return whether 0 is a value of a number: inside its range, and one that its encoding has a column for."""
    ends = [ENCODINGS[feature.encoding].held(feature), None if feature.range is None else map(Fraction, feature.range)]
    return all(low <= 0 <= high for low, high in (one for one in ends if one is not None))


def _numbers_of(feature: Feature, rows: Sequence[Row]) -> dict[Fraction, set[Fraction]]:
    """Return the known raw numbers of each scaled column of a feature: those that it declares, and those of rows."""
    own = [value for _, value in _distinct(rows, feature)] if not feature.domain else []
    if not feature.domain and _takes_zero(feature):
        own.append(0)
    numbers: dict[Fraction, set[Fraction]] = {}
    for value in {*own, *feature.domain, *(feature.range or ())}:
        number = read_number(value)
        numbers.setdefault(column_of(feature, number), set()).add(number)
    return numbers


def _distinct(rows: Sequence[Row], feature: Feature) -> list[tuple[int, Any]]:
    """Return each value of a feature once, with the number of the first row that has it; none that may be missing."""
    first_rows: dict[Any, int] = {}
    for number, row in enumerate(rows, start=1):
        first_rows.setdefault(row.get(feature.name), number)
    return [(number, value) for value, number in first_rows.items() if value is not None or not feature.may_miss]
