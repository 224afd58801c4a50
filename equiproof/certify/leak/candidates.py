"""Which levels a draft compares: few digits at the tenth percentile of radii, the middle, and above."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import ClassVar

from equiproof.certify.leak.certificates import Certificate
from equiproof.circuits.exit_codes import EXHAUSTED
from equiproof.circuits.levels import squares as squared
from equiproof.circuits.spec import Spec
from equiproof.circuits.units import length

_TENTH = 10
_MANTISSAS = ("1", "1.2", "1.5", "2", "2.5", "3", "4", "5", "6", "8")
LEAST_FAIR = 20
"""Fewer fair applicants say nothing about nine in ten."""


class LevelError(Exception):
    """No level can be drafted from these rows; one line with the remedy."""

    exit_code: ClassVar[int] = EXHAUSTED


def candidates(spec: Spec, pool: Sequence[Certificate]) -> list[tuple[str, ...]]:
    """Return lists of levels: one level at the tenth percentile or below it, and more at the middle and above.

    Raises LevelError for too few certificates, and where half of them have no radius.
    """
    if len(pool) < LEAST_FAIR:
        raise LevelError(
            f"levels: {len(pool)} fair applicants, and a draft needs {LEAST_FAIR}; give more rows, or name the levels"
        )
    radii = sorted(one.radius_squared for one in pool)
    # Where more than a tenth stand at a threshold itself, no level reaches nine in ten: those with a radius count.
    some = radii if radii[len(radii) // _TENTH] else [radius for radius in radii if radius]
    first = rounded(spec, length(spec, some[len(some) // _TENTH])) if 2 * len(some) > len(radii) else None
    if first is None:
        raise LevelError(
            "levels: look at the model, or name the levels yourself: half of the fair applicants have no radius above 0"
        )
    central = rounded(spec, length(spec, radii[len(radii) // 2]))
    upper = rounded(spec, length(spec, radii[3 * len(radii) // 4]))
    lists = [(first,), (first, central), (first, central, upper)]
    ordered = [tuple(dict.fromkeys(text for text in texts if text is not None)) for texts in lists]
    return [texts for texts in dict.fromkeys(ordered) if texts]


def rounded(spec: Spec, radius: Decimal) -> str | None:
    """Return the largest level of few digits that is no more than a radius, None where the grid has none above 0."""
    if radius <= 0:
        return None
    exponent = radius.adjusted()
    level = max(one for mantissa in _MANTISSAS if (one := Decimal(mantissa).scaleb(exponent)) <= radius)
    text = f"{level.normalize():f}"
    return text if squared((text,), spec.input_fraction_bits)[0] else None
