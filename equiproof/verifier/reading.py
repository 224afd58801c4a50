"""A statement in words and in the features' own units. Integers decide; the text is derived from them, rounded down."""

from __future__ import annotations

from typing import TypedDict

import msgspec

from equiproof.circuits.names import quoted
from equiproof.circuits.spec import Spec
from equiproof.circuits.tables import say
from equiproof.circuits.units import at_least, cut, in_units, kept_to, length, radius_of_any


class Lengths(TypedDict):
    """What R2 means in the spec's units, as a reading has it."""

    radius: str
    radius_any: str
    at_least: bool
    features: dict[str, str]


def lengths(spec: Spec, radius_squared: int) -> Lengths:
    """Return R2 in the spec's units and in each non-sensitive feature's own."""
    radius_any = radius_of_any(spec, radius_squared)
    # Both are rounded down to six decimals already: the format only writes the zeros at their end.
    return Lengths(
        radius=f"{length(spec, radius_squared):.6f}",
        radius_any=f"{cut(radius_any):.6f}",
        at_least=at_least(spec, radius_squared),
        features={feature.name: in_units(feature, radius_any) for feature in spec.plain_features},
    )


def bound_in_units(radius: str, *, at_least: bool) -> str:
    """Return a radius in words; `at_least` marks one that may be larger."""
    return say("reading.in_units", at_least=f"{say('word.at_least')} " if at_least else "", radius=radius)


class Reading(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A statement for people, a function of the spec, the label and R2 alone.

    `radius` is eps over grid points, `radius_any` the smaller one that holds for real-valued queries and neighbors too;
    both in the spec's units, cut off after six decimals. `at_least` marks the largest radius that is ever stated, and
    every radius under a spec with levels. `features` gives `radius_any` in each non-sensitive feature's own unit, the
    others being equal. `ranges` is present where the spec restricts neighbors to the ranges of these features: the
    statement is silent about others.
    """

    label: str
    sensitive: tuple[str, ...]
    radius: str
    radius_any: str
    at_least: bool
    features: dict[str, str]
    ranges: dict[str, str] | msgspec.UnsetType = msgspec.UNSET

    @classmethod
    def of(cls, spec: Spec, label: int, radius_squared: int) -> Reading:
        """Return the reading of a label (an index below the number of label names) and R2."""
        return cls(
            label=spec.labels[label],
            sensitive=tuple(feature.name for feature in spec.sensitive_features),
            **lengths(spec, radius_squared),
            ranges={feature.name: kept_to(spec, feature) for feature in spec.plain_features}
            if spec.use_ranges
            else msgspec.UNSET,
        )

    def sentence(self) -> str:
        """Return one sentence that promises no more than the statement."""
        changes = f" {say('word.and')} ".join(map(quoted, self.sensitive))
        # A radius that is 0 after rounding down promises nothing of changes to other features.
        if not float(self.radius_any):
            return say("reading.alone_unflipped", changes=changes, label=quoted(self.label))
        bound = bound_in_units(self.radius_any, at_least=self.at_least)
        if self.ranges is not msgspec.UNSET:
            bound += " " + say("reading.keeps_inside_ranges")
        return say("reading.unflipped", changes=changes, bound=bound, label=quoted(self.label))
