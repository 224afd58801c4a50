"""Doubles as places in their own order: where a function that never falls first has a property."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from equiproof.certify.models.importing.curves import Doubles

Places = npt.NDArray[np.int64]

_PARTS = 512
"""Into how many parts an interval is divided at a time: functions are fast on arrays, and slow to call."""


def first_where(holds: Callable[[Doubles], npt.NDArray[np.bool_]], low: float, high: float) -> float:
    """Return the first double from `low` to `high` for which a property holds; it holds for `high`, and stays."""
    if low < 0 < high:
        # Of places on one side of 0, the difference fits an integer of 64 bits.
        low, high = (low, 0.0) if holds(np.zeros(1))[0] else (0.0, high)
    below, last = _place(low) - 1, _place(high)
    # The property does not hold at `below`, or is not asked there, and holds at `last`.
    while last - below > 1:
        step = -(-(last - below) // _PARTS)
        places = np.arange(below + step, last, step, dtype=np.int64)
        held = np.flatnonzero(holds(_doubles(places)))
        first = int(held[0]) if len(held) else len(places)
        below, last = below + step * first, int(places[first]) if first < len(places) else last
    return float(_doubles(np.array([last], dtype=np.int64))[0])


def _place(number: float) -> int:
    """Return the place of a double: neighbors have neighboring ones, and 0 has 0."""
    raw = int(np.float64(abs(number)).view(np.int64))
    return raw if number >= 0 else -raw


def _doubles(places: Places) -> Doubles:
    """Return the doubles of places."""
    sizes = np.abs(places).view(np.float64)
    return np.where(places < 0, -sizes, sizes)
