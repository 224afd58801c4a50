"""What the trees of a library compare: a column of the spec, a number behind it, or what a pipeline computes of one.

A pipeline computes in doubles, one rounding for each factor and each shift. Factors and shifts are kept apart, and
curves are computed by the library's own functions, so that the very numbers that it compares can be had for any raw
number.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from equiproof.certify.models.ensembles.columns import scaled
from equiproof.certify.models.ensembles.ensemble import Ensemble, Map
from equiproof.certify.models.ensembles.rays import Ray, before_cast, first_float
from equiproof.certify.models.importing.bind import bent, other_names
from equiproof.certify.models.importing.chain import Affine
from equiproof.certify.models.importing.curves import Curve
from equiproof.certify.models.importing.errors import ModelImportError
from equiproof.certify.models.importing.ordered import first_where
from equiproof.circuits.encodings import ENCODINGS
from equiproof.circuits.spec import Feature, Spec

_LARGEST = float(np.finfo(np.float64).max)


@dataclass(frozen=True, eq=False)
class Source:
    """Where a column of the trees comes from: a column of the spec, `bound` to an input of the model.

    `number` is the feature whose number the input is, where its column is not linear in it; `function` is numpy's name
    of the logarithm that the input is, "" for none, and `shift` what is added to the number before. `steps` are those
    of the pipeline behind the input.
    """

    column: int
    bound: Map
    number: Feature | None = None
    function: str = ""
    shift: float = 0.0
    steps: tuple[Map | Curve, ...] = ()

    @property
    def is_computed(self) -> bool:
        """Whether the library compares something else than a map of the column in exact numbers."""
        return self.number is not None or bool(self.function or self.steps)

    @property
    def rounded(self) -> bool:
        """Whether what the library compares is a double that it computed."""
        return bool(self.function or self.steps)

    @property
    def flipped(self) -> bool:
        """Whether what is compared falls where the spec's column rises."""
        maps = (self._first, *(step for step in self.steps if not isinstance(step, Curve)))
        return sum(factor < 0 for factor, _ in maps) % 2 == 1

    @property
    def _first(self) -> Map:
        """The map from the column to the input; a number that is taken itself rises with its column."""
        return (Fraction(1), Fraction(0)) if self._raw else self.bound

    @property
    def _raw(self) -> bool:
        """Whether the input is the number itself, and no map of its column."""
        return self.number is not None and not self.function

    def before(self, ray: Ray) -> Ray:
        """Return the columns of a ray of what is compared; the lower side where it is flipped."""
        for step in reversed(self.steps):
            ray = before_curve(ray, step) if isinstance(step, Curve) else moved(ray, *step)
        if self.number is None or self.function:
            return moved(ray, *self.bound)
        held = ENCODINGS[self.number.encoding].held(self.number)
        if held is not None and ray.end < held[0]:
            ray = Ray(held[0], closed=True)
        elif held is not None and ray.end > held[1]:
            ray = Ray(held[1], closed=False)
        # Numbers beside the end may share its column, whichever side they are on; those that are known decide.
        return Ray(column_of(self.number, ray.end), ray.closed)

    def compared(self, known: Sequence[tuple[Fraction, Fraction]]) -> list[Fraction]:
        """Return what the library compares for scaled columns and the raw numbers behind them.

        Raises ModelImportError naming the first number for which the pipeline has no value.
        """
        try:
            return computed(self.steps, [self._taken(column, number) for column, number in known])
        except _WithoutValueError as error:
            raise ModelImportError(
                f"leave out rows with the number {float(known[error.place][1]):.12g}, or narrow the range of its "
                "feature: the pipeline has no value for it"
            ) from None

    def takes(self, column: Fraction, number: Fraction) -> bool:
        """Return whether the pipeline has a value for a scaled column and the raw number behind it."""
        try:
            self.compared([(column, number)])
        except ModelImportError:
            return False
        return True

    def _taken(self, column: Fraction, number: Fraction) -> Fraction:
        """Return what the model's input is for a scaled column and the raw number behind it."""
        if self.function:
            return Fraction(float(getattr(np, self.function)(np.array([float(number) + self.shift]))[0]))
        return number if self._raw else self.bound[0] * column + self.bound[1]


class _WithoutValueError(Exception):
    """A number at a place of a list for which a curve has no value."""

    def __init__(self, place: int) -> None:
        """Keep the place."""
        super().__init__(place)
        self.place = place


def computed(steps: Sequence[Map | Curve], values: Sequence[Fraction]) -> list[Fraction]:
    """Return what a pipeline makes of numbers, rounding by rounding; raises an error of the place for no value."""
    for step in steps:
        if isinstance(step, Curve):
            values = _on_curve(step, values)
            continue
        factor, shift = step
        # Where the numbers are doubles, a product, a quotient and a sum of doubles are rounded as the exact ones are.
        if _is_double(shift) and _is_double(factor):
            values = [Fraction(float(value) * float(factor) + float(shift)) for value in values]
        elif _is_double(shift) and _is_double(1 / factor):
            values = [Fraction(float(value) / float(1 / factor) + float(shift)) for value in values]
        else:
            products = (Fraction(float(Fraction(float(value)) * factor)) for value in values)
            values = [Fraction(float(product + shift)) for product in products]
    return list(values)


def _is_double(number: Fraction) -> bool:
    """Return whether a double is exactly this number."""
    return abs(number) <= _LARGEST and float(number) == number


def _on_curve(curve: Curve, values: Sequence[Fraction]) -> list[Fraction]:
    """Return the values of a curve, the largest float for an infinite one."""
    # Some objects of the library refuse a table without rows.
    if not values:
        return []
    doubles = np.array([float(value) for value in values])
    outside = (doubles < curve.low) | (doubles > curve.high)
    inside = np.where(outside, min(max(0.0, curve.low), curve.high), doubles)
    results = np.where(outside, np.nan, curve.compute(inside))
    if len(odd := np.flatnonzero(np.isnan(results))):
        raise _WithoutValueError(int(odd[0]))
    return [Fraction(value) for value in np.clip(results, -_LARGEST, _LARGEST).tolist()]


class Library:
    """An ensemble bound to a spec; `spec` is None where the model takes the spec's columns themselves."""

    def __init__(self, ensemble: Ensemble, binding: Affine, names: Sequence[str], spec: Spec | None) -> None:
        """Keep the parts; `names` are those of the model's inputs."""
        self.ensemble = ensemble
        self._binding = binding
        self._names = names
        self._bent = {} if spec is None else bent(spec)
        self._others = {} if spec is None else {name: feature for name, (feature, _) in other_names(spec).items()}
        self._sources: dict[int, Source] = {}
        self.columns = binding.inputs

    def source(self, column: int) -> Source:
        """Return where a column of the trees comes from; raises ModelImportError where it is not a single input."""
        if column not in self._sources:
            self._sources[column] = self._source(column)
        return self._sources[column]

    def _source(self, column: int) -> Source:
        """Find where a column comes from, the first time that it is needed."""
        place, steps = self.ensemble.way(column)
        ((bound, factor),) = self._binding.rows[place].items()
        name = self._names[place]
        own = self._bent.get(name)
        other = None if own is not None else self._others.get(name)
        function = "" if other is None else name.partition("(")[0]
        # The function log1p adds 1 itself.
        shift = float(other.offset) if other is not None and isinstance(other.offset, str) else 0.0
        return Source(
            bound,
            (factor, self._binding.biases[place]),
            own or other,
            function,
            0.0 if function == "log1p" else shift,
            tuple(steps),
        )


def column_of(feature: Feature, number: Fraction) -> Fraction:
    """Return the scaled column of a raw number; raises EncodingError where it has none."""
    return scaled(feature, ENCODINGS[feature.encoding].level(feature, number))


def before_curve(ray: Ray, curve: Curve) -> Ray:
    """Return the numbers whose doubles a curve takes onto a ray, those beyond its ends with the end next to them."""
    least = float(first_float(ray, "double"))
    if not curve.compute(np.array([curve.high]))[0] >= least:
        return Ray(Fraction(curve.high), closed=False)
    first = first_where(lambda values: curve.compute(values) >= least, curve.low, curve.high)
    return before_cast(Ray(Fraction(first), closed=True), "double")


def moved(ray: Ray, factor: Fraction, shift: Fraction) -> Ray:
    """Return the ray of v for a ray of shift + factor v; for a factor below 0 the rest of the numbers."""
    return Ray((ray.end - shift) / factor, ray.closed != (factor < 0))
