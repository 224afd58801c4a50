"""How far each feature of an applicant may move, as geometry in percent of a line; the words stand beside it.

The numbers are those of letters and of every other picture: whole hundredths of a percent, never beyond what was
certified.
"""

from __future__ import annotations

from dataclasses import dataclass

from equiproof.circuits.reach import Reach, reach
from equiproof.circuits.spec import Feature, Spec

BOXES = 8
"""The most values of a category that are drawn as boxes."""


@dataclass(frozen=True)
class Box:
    """A value of a category: whether it is covered, and whether it is the applicant's own."""

    value: str
    covered: bool
    own: bool


@dataclass(frozen=True)
class Bar:
    """A bar from `low` to `high` on a line from 0 to 100, the applicant's own value at `own`; or boxes for a category.

    `caps` say at which end the bar stops inside the line.
    """

    low: float = 0.0
    high: float = 0.0
    own: float = 0.0
    caps: tuple[bool, bool] = (False, False)
    boxes: tuple[Box, ...] = ()


def bar(spec: Spec, feature: Feature, radius_squared: int, value: str | float) -> Bar | None:
    """Return the bar of a feature that alone may move within a squared radius; None where there is nothing to draw."""
    span = reach(spec, feature, radius_squared, value)
    if not span.of_domain:
        return _line(span) if span.moves else None
    if len(feature.domain) > BOXES:
        return None
    return Bar(
        boxes=tuple(
            Box(one, span.low <= place <= span.high, place == span.own) for place, one in enumerate(feature.domain)
        )
    )


def _line(span: Reach) -> Bar:
    """Return the bar of a number, on a line over its range, or somewhat longer than the bar where it has none."""
    places = span.places()
    low, high, own = (places[name] / 100 for name in ("low", "high", "you"))
    return Bar(low, high, own, (places["caps"][0], places["caps"][1]))
