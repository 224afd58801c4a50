"""What the trees of a library compare: a column of the spec, a number behind it, or what a pipeline computes of one.

A pipeline computes in doubles, one rounding for each factor and each shift. Factors and shifts are kept apart, so that
the very numbers that the library compares can be had for any raw number.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from equiproof.certify.models.ensembles.columns import scaled
from equiproof.certify.models.ensembles.ensemble import Ensemble
from equiproof.certify.models.ensembles.rays import Ray
from equiproof.certify.models.importing.bind import bent, other_names
from equiproof.certify.models.importing.chain import Affine
from equiproof.circuits.encodings import ENCODINGS
from equiproof.circuits.spec import Feature, Spec

Map = tuple[Fraction, Fraction]
"""A factor, and the shift that is added behind it."""


@dataclass(frozen=True)
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
    steps: tuple[Map, ...] = ()

    @property
    def is_computed(self) -> bool:
        """Whether the library compares something else than a map of the column in exact numbers."""
        return self.number is not None or bool(self.function or self.steps)

    @property
    def flipped(self) -> bool:
        """Whether what is compared falls where the spec's column rises."""
        return sum(factor < 0 for factor, _ in (self._first, *self.steps)) % 2 == 1

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
        for factor, shift in reversed(self.steps):
            ray = moved(ray, factor, shift)
        if self.number is None or self.function:
            return moved(ray, *self.bound)
        held = ENCODINGS[self.number.encoding].held(self.number)
        if held is not None and ray.end < held[0]:
            ray = Ray(held[0], closed=True)
        elif held is not None and ray.end > held[1]:
            ray = Ray(held[1], closed=False)
        # Numbers beside the end may share its column, whichever side they are on; those that are known decide.
        return Ray(column_of(self.number, ray.end), ray.closed)

    def compared(self, column: Fraction, number: Fraction) -> Fraction:
        """Return what the library compares for a scaled column and the raw number behind it."""
        if self.function:
            value = Fraction(float(getattr(np, self.function)(np.array([float(number) + self.shift]))[0]))
        elif self._raw:
            value = number
        else:
            value = self.bound[0] * column + self.bound[1]
        for factor, shift_behind in self.steps:
            value = Fraction(float(Fraction(float(value)) * factor))
            value = Fraction(float(value + shift_behind))
        return value


class Library:
    """An ensemble bound to a spec; `spec` is None where the model takes the spec's columns themselves."""

    def __init__(self, ensemble: Ensemble, binding: Affine, names: Sequence[str], spec: Spec | None) -> None:
        """Keep the parts; `names` are those of the model's inputs."""
        self.ensemble = ensemble
        self._binding = binding
        self._names = names
        self._bent = {} if spec is None else bent(spec)
        self._others = {} if spec is None else {name: feature for name, (feature, _) in other_names(spec).items()}

    def source(self, column: int) -> Source:
        """Return where a column of the trees comes from; raises ModelImportError where it is not a single input."""
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


def moved(ray: Ray, factor: Fraction, shift: Fraction) -> Ray:
    """Return the ray of v for a ray of shift + factor v; for a factor below 0 the rest of the numbers."""
    return Ray((ray.end - shift) / factor, ray.closed != (factor < 0))
