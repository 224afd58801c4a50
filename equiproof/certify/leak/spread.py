"""The level that is proposed where nobody's radius is known: a quarter of each number's spread."""

from __future__ import annotations

from equiproof.circuits.levels import squares
from equiproof.circuits.spec import Spec
from equiproof.circuits.units import first_number_moved

_SIZES = {"0.25": "a quarter of each number's spread", "0.5": "a step of the grid", "1": "a step of the grid"}
"""A quarter of a scale, and what stands for it on grids that are too coarse for one, in words."""


def spread_level(spec: Spec) -> str:
    """Return the level as decimal text: a quarter in the spec's units, or a step of a grid that is coarser."""
    return next(text for text in _SIZES if squares((text,), spec.input_fraction_bits)[0])


def spread_note(spec: Spec, level: str, why: str) -> str:
    """Return in words what the level means, and why it is not drafted from radii."""
    means = first_number_moved(spec, squares((level,), spec.input_fraction_bits)[0])
    return f"levels {level}, {_SIZES[level]}: {means}; not drafted from radii: {why}"
