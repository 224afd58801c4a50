"""What a statement says in words and in the features' own units. Integers decide; text is only cut from them."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

import msgspec

from circuits.spec import Feature, Spec


class Reading(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A statement for people, a function of the spec, the label and R2 alone.

    `radius` is eps over grid points, `radius_any` the smaller one that holds for real-valued queries and neighbors too;
    both in the spec's units, cut off after six decimals. `at_least` marks the largest radius that is ever
    stated. `features` gives `radius_any` in each non-sensitive feature's own unit, the others being equal.
    """

    label: str
    sensitive: tuple[str, ...]
    radius: str
    radius_any: str
    at_least: bool
    features: dict[str, str]

    @classmethod
    def of(cls, spec: Spec, label: int, radius_squared: int) -> Reading:
        """Return the reading of a label (an index below the number of label names) and R2."""
        radius_any = radius_of_any(spec, radius_squared)
        return cls(
            label=spec.labels[label],
            sensitive=tuple(feature.name for feature in spec.sensitive_features),
            radius=_cut(Fraction(math.isqrt(radius_squared * 10**12), spec.scale_unit * 10**6)),
            radius_any=_cut(radius_any),
            at_least=radius_squared == spec.max_radius_squared,
            features={feature.name: _in_units(feature, radius_any) for feature in spec.plain_features},
        )

    def sentence(self) -> str:
        """Return what was proven, in one sentence that promises no more than the statement."""
        changes = " and ".join(map(_quoted, self.sensitive))
        if not float(self.radius_any):
            return (
                f"No change of {changes} flips this model's decision for this applicant, the other features staying as "
                f"they are: {_quoted(self.label)}."
            )
        bound = f"{'at least ' if self.at_least else ''}{self.radius_any}"
        return (
            f"No change of {changes}, and no change of the other features closer than {bound} in the spec's units, "
            f"flips this model's decision for this applicant: {_quoted(self.label)}."
        )


def _quoted(name: str) -> str:
    """Return a name, in quotes where it could be read as more than one word of a sentence."""
    return name if name.replace("_", "").replace("-", "").isalnum() else f'"{name}"'


def radius_of_any(spec: Spec, radius_squared: int) -> Fraction:
    """Return the radius that holds for real-valued queries and neighbors: each coordinate may be rounded by a step."""
    return Fraction(max(0, math.isqrt(radius_squared) - _ceil_sqrt(spec.plain_columns)), spec.scale_unit)


def _ceil_sqrt(number: int) -> int:
    """Return the least integer whose square is at least `number`."""
    return math.isqrt(number - 1) + 1


def _cut(number: Fraction) -> str:
    """Write a number that is not negative with six decimals, rounded down."""
    return f"{Decimal(math.floor(number * 10**6)).scaleb(-6):.6f}"


def _in_units(feature: Feature, radius: Fraction) -> str:
    """Write how far one feature alone may move."""
    moved = radius * Fraction(feature.scale)
    if feature.encoding == "scaled":
        return f"+- {_rounded_down(moved)}{' ' + feature.unit if feature.unit else ''}"
    if feature.encoding == "rank":
        # Closer than the radius: a whole radius itself is already too far.
        steps = max(0, math.ceil(moved) - 1)
        if steps >= len(feature.domain) - 1:
            return "any value"
        return f"+- {steps} of {len(feature.domain)} ranks" if steps else "this value only"
    # Two indicators change at once, each by one.
    return "any value" if moved * moved > 2 else "this value only"


def _rounded_down(number: Fraction) -> str:
    """Write a number with three significant digits, never more than it is."""
    if number == 0:
        return "0"
    exponent = Decimal(math.floor(number)).adjusted() if number >= 1 else -len(str(math.ceil(1 / number)))
    kept = math.floor(number / Fraction(10) ** (exponent - 2))
    return f"{Decimal(kept).scaleb(exponent - 2).normalize():,f}"
