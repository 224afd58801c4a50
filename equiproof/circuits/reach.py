"""How far a feature alone may move with the same decision: the numbers of every bar, in exact fractions.

Answers, letters, pages, pictures and the report of audits take them from here; verifier/bars.py adds the words.
Statements are about changes that are closer than the radius, so that a change by the radius itself does not count.
What a value may become is its encoding's to say.
"""

from __future__ import annotations

from equiproof.circuits.encodings import ENCODINGS, Reach
from equiproof.circuits.encodings.reached import WHOLE_TRACK
from equiproof.circuits.spec import Feature, Spec
from equiproof.circuits.units import radius_of_any

__all__ = ["WHOLE_TRACK", "Reach", "reach"]


def reach(spec: Spec, feature: Feature, radius_squared: int, value: str | float) -> Reach:
    """Return what a non-sensitive feature of this value alone may be under a certificate of this R2."""
    return ENCODINGS[feature.encoding].reach(spec, feature, radius_of_any(spec, radius_squared), value)
