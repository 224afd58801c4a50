"""The least value of a linear form on a ball that is cut by the ranges of its columns, and the cut that proves it.

With y the way from the query in units of the radius, a column can go down by `below` and up by `above`. The least c.y
over |y| <= 1 inside them is where every y_i is -c_i / tau, or at the end of its range if that is nearer; tau is such
that |y| = 1, or 0 where every column reaches its end (the optimality conditions of Karush, Kuhn and Tucker). A cut that
reduces each coefficient to at most tau times the way to its end leaves a form whose norm proves this value. So cuts
follow from forms, without a search. The computation is in floats: it affects the quality of a cut, not its validity.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np

from equiproof.certify.branch.arrays import Floats
from equiproof.certify.branch.evidence import Row
from equiproof.circuits.spec import Box

_LEAST_WAY = 1e-9
"""A way to an end is 0 or longer: one step of the grid on the largest ball is."""


@dataclass(frozen=True)
class Room:
    """The way of each column down and up from the query, in units of the radius and at most 1; shapes (n_x,)."""

    below: Floats
    above: Floats

    @classmethod
    def of(cls, query: Sequence[int], box: Box, reach: float) -> Room:
        """Return the room of a query inside a box on a ball of radius `reach`, which is above 0."""
        low, high = (np.array([float(v) for v in row]) for row in box)
        centre = np.array([float(v) for v in query])
        return cls(np.minimum((centre - low) / reach, 1.0), np.minimum((high - centre) / reach, 1.0))

    def clip(self, ways: Floats) -> Floats:
        """Return ways cut off at the ends of their columns."""
        return np.clip(ways, -self.below, self.above)

    def least(self, forms: Floats) -> tuple[Floats, Floats]:
        """Return what :func:`least` does."""
        sizes = np.abs(forms)
        ends = np.where(forms > 0, self.below, self.above)
        tau = _steepness(sizes, ends)
        free = sizes < tau[:, None] * ends
        ways = -np.sign(forms) * np.where(free, sizes / np.where(tau > 0, tau, 1.0)[:, None], ends)
        return (forms * ways).sum(axis=1), ways

    def rows(self, width: int) -> list[Floats]:
        """Return rows of a program, of so many columns, that keep ways inside; those from below first."""
        blocks = []
        for ends, sign in ((self.below, 1.0), (self.above, -1.0)):
            # The ball itself keeps every column within 1 of the query: an end at 1 needs no row.
            columns = np.flatnonzero(ends < 1.0)
            rows = np.zeros((len(columns), width))
            rows[np.arange(len(columns)), columns] = sign
            rows[:, -1] = ends[columns]
            blocks.append(rows)
        return blocks


def least(forms: Floats, room: Room | None) -> tuple[Floats, Floats]:
    """Return the least value of each of (m, n_x) forms c.y, shape (m,), and its place, shape (m, n_x)."""
    if room is not None:
        return room.least(forms)
    lengths = np.linalg.norm(forms, axis=1)
    return -lengths, -forms / np.where(lengths > 0, lengths, 1.0)[:, None]


def cut_of(coefficients: Row, query: Sequence[int], box: Box, radius_squared: int) -> Row:
    """Return the best cut of a form, in the integers of its coefficients, one per column.

    Any cut is sound, since what it subtracts is never negative inside the box: rounding may go either way.
    """
    if not radius_squared:
        return (0,) * len(coefficients)
    room = Room.of(query, box, sqrt(radius_squared))
    sizes = np.array([[float(abs(c)) for c in coefficients]])
    ends = np.where(np.array([c > 0 for c in coefficients]), room.below, room.above)
    remainders = float(_steepness(sizes, ends[None])[0]) * ends
    cut = []
    for c, size, remainder in zip(coefficients, sizes[0], remainders, strict=True):
        amount = abs(c) - round(float(remainder)) if remainder < size else 0
        cut.append(max(amount, 0) * (1 if c > 0 else -1))
    return tuple(cut)


def _steepness(sizes: Floats, ends: Floats) -> Floats:
    """Return tau of (m, n_x) forms of coefficients of these sizes, whose columns run into ends so far away; shape (m,).

    tau is 0 where every column reaches its end.
    """
    # Columns reach their ends in this order as tau falls; a stable sort keeps equal ones in their order everywhere.
    order = np.argsort(-(sizes / np.maximum(ends, _LEAST_WAY)), axis=1, kind="stable")
    sizes = np.take_along_axis(sizes, order, axis=1)
    ends = np.take_along_axis(ends, order, axis=1)
    # With the first k columns at their ends: the rest of |y|^2 = 1 for the others, and their |c|^2.
    way_rest = 1.0 - np.cumsum(ends**2, axis=1) + ends**2
    form_rest = np.cumsum((sizes**2)[:, ::-1], axis=1)[:, ::-1]
    tau = np.sqrt(form_rest / np.where(way_rest > 0, way_rest, np.inf))
    # The right k is the first whose next column does not reach its end.
    is_right = (sizes <= tau * ends) & (way_rest > 0)
    first = is_right.argmax(axis=1)
    return np.where(is_right.any(axis=1), np.take_along_axis(tau, first[:, None], axis=1)[:, 0], 0.0)
