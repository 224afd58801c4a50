"""Grid points at which the objective may be small, guessed in floats; only their exact values count."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from equiproof.audits.pba.copies import Copies

_START_POINTS = 48
_ROUNDS = 3
_STEPS = 7

Floats = npt.NDArray[np.float64]


def low_point(copies: Copies, seed: int) -> tuple[int, ...]:
    """Return d integers of the box with a small objective, or the person's own values if nothing smaller is found.

    Corners and random points first, then from the best of them along one column after the other.
    """
    lower = copies.lower.astype(np.float64)
    upper = copies.upper.astype(np.float64)
    generator = np.random.default_rng(seed)
    places = generator.random((_START_POINTS, len(lower)))
    places[: _START_POINTS // 2] = np.round(places[: _START_POINTS // 2])
    best = np.vstack([copies.query.astype(np.float64)[None, :], np.rint(lower + places * (upper - lower))])
    value, point = _best(copies, best)
    for _ in range(_ROUNDS):
        before = value
        for column in range(len(point)):
            points = np.repeat(point[None, :], _STEPS, axis=0)
            points[:, column] = np.rint(np.linspace(lower[column], upper[column], _STEPS))
            minimum, there = _best(copies, points)
            if minimum < value:
                value = minimum
                point = there
        if value == before:
            break
    return tuple(int(number) for number in point)


def _best(copies: Copies, points: Floats) -> tuple[float, Floats]:
    """Return the least value of points, and where it is."""
    values = copies.floats(points)
    number = int(values.argmin())
    return float(values[number]), points[number].copy()
