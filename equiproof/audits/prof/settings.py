"""How a repair is made: the settings of both steps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from equiproof.audits.prof.calibrate import RATE, STEPS, Extent

Sets = Literal["points", "symbolic", "concrete"]
"""The sets that hold the features of similar inputs: all points, a polytope, or a box."""

TIGHTER: Mapping[Sets, tuple[Sets, ...]] = {
    "concrete": ("concrete", "symbolic", "points"),
    "symbolic": ("symbolic", "points"),
    "points": ("points", "symbolic"),
}
"""Which sets are tried in turn; points are left out where S(x) is not finite."""


@dataclass(frozen=True)
class Settings:
    """How a repair is made.

    `sets` are the features' sets of step 2, `extent` what step 1 makes small. `steps` 0 leaves step 1 out, `last_layer`
    False leaves step 2 out. `slope_steps` choose the slopes of the bounds of step 2. `seconds` bound the choice of
    labels in step 2. Both steps are taken at most `passes` times. At least `least_right` of the kept rows are decided
    correctly afterwards.
    """

    sets: Sets = "symbolic"
    extent: Extent = "bounds"
    steps: int = STEPS
    rate: float = RATE
    slope_steps: int = 50
    seconds: float = 12.0
    seed: int = 0
    passes: int = 3
    last_layer: bool = True
    least_right: int = 0


DEFAULTS = Settings()
