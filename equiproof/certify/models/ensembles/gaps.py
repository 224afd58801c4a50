"""Where the comparisons of a model and the committed ones differ: between a threshold and its rounding to the grid."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

from equiproof.certify.additive import AdditiveModel
from equiproof.certify.ensemble import EnsembleModel
from equiproof.certify.models.ensembles.columns import exact_columns, placed
from equiproof.certify.models.ensembles.rays import Ray
from equiproof.circuits.spec import Spec, SpecError

if TYPE_CHECKING:  # openings are read without numpy
    from equiproof.certify.models.ensembles.score import Score, Step

_HALF = Fraction(1, 2)


class BetweenError(SpecError):
    """A raw row in a gap: the committed model may decide otherwise than the one that it was made of."""


class Gap(NamedTuple):
    """The scaled numbers of a column that lie on `low` and not on `high`: some comparison of them is not committed."""

    column: int
    low: Ray
    high: Ray


def gaps(score: Score, model: AdditiveModel | EnsembleModel, spec: Spec) -> tuple[Gap, ...]:
    """Return the gaps of a score at the thresholds of its committed model, by column.

    A feature with a domain has none, as all its values are compared alike.
    """
    additive = model.additive if isinstance(model, EnsembleModel) else model
    predicates = set(zip(additive.columns, additive.thresholds, strict=True))
    gaps = []
    for feature, first in placed(spec, score.set_count):
        for column in range(first, first + feature.width) if not feature.domain else ():
            rays: dict[int, list[Ray]] = {}
            for step in score.by_column.get(column, ()):
                rays.setdefault(step.threshold, [committed_ray(step, spec)]).append(step.ray)
            for threshold, some in rays.items():
                low, *_, high = sorted(some, key=lambda ray: (ray.end, not ray.closed))
                if low != high and (column, threshold) in predicates:
                    gaps.append(Gap(column, low, high))
    return tuple(gaps)


def committed_ray(step: Step, spec: Spec) -> Ray:
    """Return the scaled numbers whose integers pass the committed threshold of a step."""
    return Ray((step.threshold + _HALF) / spec.scale_unit, closed=True)


def refuse_between(known: Iterable[Gap], spec: Spec, row: Mapping[str, Any]) -> None:
    """Raise BetweenError naming the first feature of a raw row that lies in a gap; the row fits the spec."""
    by_column: dict[int, list[Gap]] = {}
    for gap in known:
        by_column.setdefault(gap.column, []).append(gap)
    for feature, first in placed(spec) if by_column else ():
        own = range(first, first + feature.width)
        if by_column.keys().isdisjoint(own) or row[feature.name] is None:
            continue
        for column, value in enumerate(exact_columns(feature, row[feature.name], 1), start=first):
            if any(value in gap.low and value not in gap.high for gap in by_column.get(column, ())):
                raise BetweenError(
                    f"feature {feature.name!r}: {str(row[feature.name])[:40]} lies between a threshold of the model "
                    "and its rounding to the grid, where the committed model may decide otherwise: enlarge "
                    "input_fraction_bits of the spec, or import with this row among the rows"
                )
