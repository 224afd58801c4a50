"""The moves of a search: change a few features of an applicant, or go to one of its nearest in a pool."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from equiproof.audits.hyfair.forward import Floats
from equiproof.audits.hyfair.grid import Grid, Integers

_MIN_STEP_LOG = -3.0
_MAX_STEP_LOG = 0.0
"""A step of a number is between 10^-3 and 1 of its range, evenly on a logarithmic scale, and at least one value."""

_ZERO_DISTANCE = 1e-9
"""Squared distances below this are rounding errors: the applicant itself."""

NEAREST = 10
"""How many nearest applicants a move chooses from."""


def near(grid: Grid, applicants: Integers, rng: np.random.Generator, most: int = 3) -> Integers:
    """Return neighbors, one to `most` features of each changed: numbers move by steps, categories anywhere."""
    count, features = applicants.shape
    mask = rng.random((count, features)).argsort(axis=1) < rng.integers(1, most + 1, size=(count, 1))
    lengths = 10.0 ** rng.uniform(_MIN_STEP_LOG, _MAX_STEP_LOG, size=(count, features)) * (grid.sizes - 1)
    steps = np.maximum(1, np.rint(lengths)).astype(np.int64) * rng.choice((-1, 1), size=(count, features))
    neighbors = np.clip(applicants + steps, 0, grid.sizes - 1)
    anywhere = rng.integers(0, grid.sizes, size=(count, features))
    proposed = np.where(np.array(grid.ordered), neighbors, anywhere)
    return np.where(mask, proposed, applicants)


@dataclass(frozen=True, eq=False)
class Pool:
    """Applicants to search among: rows of data, or points of the grid; `members` has shape (P, F)."""

    grid: Grid
    members: Integers

    @cached_property
    def _places(self) -> Floats:
        """The members where distance is measured, shape (P, columns)."""
        return _places(self.grid, self.members)

    def draw(self, rng: np.random.Generator, count: int) -> Integers:
        """Return members drawn evenly."""
        return self.members[rng.integers(0, len(self.members), size=count)]

    def nearest(self, applicants: Integers, rng: np.random.Generator) -> Integers:
        """Return for each applicant one of its nearest members, itself left out."""
        own = _places(self.grid, applicants)
        squares = (self._places**2).sum(axis=1)[None, :] - 2.0 * own @ self._places.T + (own**2).sum(axis=1)[:, None]
        squares[squares < _ZERO_DISTANCE] = np.inf
        count = min(NEAREST, len(self.members))
        closest = np.argpartition(squares, count - 1, axis=1)[:, :count]
        picks = closest[np.arange(len(applicants)), rng.integers(0, count, size=len(applicants))]
        return self.members[picks]


def _places(grid: Grid, applicants: Integers) -> Floats:
    """Return points whose squared distance sums numbers' shares of their range, and 1 for categories that differ."""
    columns = []
    for f, ordered in enumerate(grid.ordered):
        own = applicants[:, f]
        if ordered:
            columns.append(own[:, None] / max(1, int(grid.sizes[f]) - 1))
        else:
            # Two categories differ in two indicators, each of which adds a half to the squared distance.
            columns.append(np.sqrt(0.5) * (own[:, None] == np.arange(grid.sizes[f])[None, :]))
    return np.concatenate(columns, axis=1).astype(np.float64)
