"""Optimised pre-processing: a randomised map of features and labels (Calmon et al., NeurIPS 2017), as a linear program.

Of the maps q(x', y' | d, x, y) under which Pr[y' | d] is within a factor 1 +- epsilon of Pr[y'] for every group d, and
no row is moved further than allowed on average, the one that changes the joint distribution of (x, y) least in total
variation. HiGHS solves it. The map is a repair, not a verdict: what it achieves is verified afterwards.

Notation: P is the joint distribution, shape (groups, cells, 2).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from equiproof.audits.fvgm.learning import Coded

Array = npt.NDArray[Any]


class InfeasibleError(Exception):
    """No map meets the demands; one line saying which to loosen."""


@dataclass(frozen=True)
class Map:
    """Moves with their probabilities: from (group, cell, label) to (cell, label); each start's probabilities add to 1.

    `distance` is the total variation between the joint distributions of cells and labels before and after.
    """

    features: tuple[str, ...]
    sizes: tuple[int, ...]
    moves: dict[tuple[int, int, int], list[tuple[int, int, float]]]
    distance: float

    def sampled(
        self, data: Coded, groups: Array, labels: Array, generator: np.random.Generator
    ) -> tuple[Coded, npt.NDArray[np.int64]]:
        """Return rows and labels moved at random; features that are not mapped stay as they are."""
        cells = cells_of(data, self.features)
        new_cells = cells.copy()
        new_labels = np.asarray(labels, dtype=np.int64).copy()
        for start, ends in self.moves.items():
            rows = np.flatnonzero((groups == start[0]) & (cells == start[1]) & (np.asarray(labels) == start[2]))
            if len(rows):
                shares = np.array([share for _, _, share in ends])
                draws = generator.choice(len(ends), size=len(rows), p=shares / shares.sum())
                new_cells[rows] = np.array([cell for cell, _, _ in ends])[draws]
                new_labels[rows] = np.array([label for _, label, _ in ends])[draws]
        codes = data.codes.copy()
        for name, column in zip(self.features, np.unravel_index(new_cells, self.sizes), strict=True):
            codes[:, data.names.index(name)] = column
        return Coded(data.values, codes), new_labels


def cells_of(data: Coded, features: Sequence[str]) -> npt.NDArray[np.int64]:
    """Return the number of each row's joint value of features, the last one fastest."""
    index = np.zeros(len(data.codes), dtype=np.int64)
    for name in features:
        index = index * len(data.values[name]) + data.column(name)
    return index


def optimised(
    data: Coded,
    features: Sequence[str],
    groups: Array,
    labels: Array,
    *,
    epsilon: float = 0.1,
    max_distortion: float = 0.5,
) -> Map:
    """Solve for the map over features whose codes are ordered; `groups` and `labels` are codes by row.

    A feature moves by at most one step and a label may flip; each costs 1, and a start's mean cost is at most
    `max_distortion`. Raises InfeasibleError where no map meets both demands.
    """
    sizes = tuple(len(data.values[name]) for name in features)
    cells = cells_of(data, features)
    P = np.zeros((int(groups.max()) + 1, math.prod(sizes), 2))
    np.add.at(P, (groups, cells, labels), 1 / len(labels))
    problem = _Problem(P, sizes, _moves(P, sizes))
    shares, distance = problem.solved(epsilon, max_distortion)
    moves: dict[tuple[int, int, int], list[tuple[int, int, float]]] = {}
    for (start, (cell, label, _)), share in zip(problem.moves, shares, strict=True):
        # The solver's zeros are zeros up to its tolerance.
        if share > 1e-9:
            moves.setdefault(start, []).append((cell, label, float(share)))
    return Map(tuple(features), sizes, moves, distance)


_Move = tuple[tuple[int, int, int], tuple[int, int, int]]


def _moves(P: Array, sizes: tuple[int, ...]) -> list[_Move]:
    """Return every allowed move of a start that occurs: to neighboring cells and to either label, with its cost."""
    moves = []
    for group, cell, label in np.argwhere(P > 0).tolist():
        here = np.unravel_index(cell, sizes)
        near = [
            [step for step in (-1, 0, 1) if 0 <= place + step < size] for place, size in zip(here, sizes, strict=True)
        ]
        for steps in itertools.product(*near):
            there = [int(place) + step for place, step in zip(here, steps, strict=True)]
            to = int(np.ravel_multi_index(there, sizes))
            cost = sum(abs(step) for step in steps)
            moves += [((group, cell, label), (to, new, cost + (new != label))) for new in (0, 1)]
    return moves


@dataclass(frozen=True)
class _Problem:
    """The linear program over the shares of moves, and one excess and one lack for each cell and label."""

    P: Array
    sizes: tuple[int, ...]
    moves: list[_Move]

    def solved(self, epsilon: float, max_distortion: float) -> tuple[Array, float]:
        """Return the shares of the moves and the total variation."""
        from scipy.optimize import linprog
        from scipy.sparse import csr_array

        cells = self.P.shape[1]
        count = len(self.moves)
        starts = {start: number for number, start in enumerate(dict.fromkeys(start for start, _ in self.moves))}
        mass = np.array([self.P[start] for start, _ in self.moves])
        columns = np.arange(count)
        own = np.array([starts[start] for start, _ in self.moves])
        target = np.array([2 * cell + label for _, (cell, label, _) in self.moves])
        excess = np.arange(2 * cells)
        equal = csr_array(
            (
                np.concatenate([np.ones(count), mass, -np.ones(2 * cells), np.ones(2 * cells)]),
                (
                    np.concatenate([own, len(starts) + target, len(starts) + excess, len(starts) + excess]),
                    np.concatenate([columns, columns, count + excess, count + 2 * cells + excess]),
                ),
            ),
            shape=(len(starts) + 2 * cells, count + 4 * cells),
        )
        joint = self.P.sum(axis=0).reshape(-1)
        costs = np.array([float(cost) for _, (_, _, cost) in self.moves])
        distortion = csr_array((costs, (own, columns)), shape=(len(starts), count + 4 * cells))
        parity, sides = self._parity(epsilon, mass, count + 4 * cells)
        from scipy.sparse import vstack

        solution = linprog(
            # The total variation is half the sum of absolute differences, each of which is an excess or a lack.
            np.concatenate([np.zeros(count), np.full(4 * cells, 0.5)]),
            A_ub=vstack([distortion, parity]),
            b_ub=np.concatenate([np.full(len(starts), max_distortion), sides]),
            A_eq=equal,
            b_eq=np.concatenate([np.ones(len(starts)), joint]),
            bounds=(0, None),
            method="highs",
        )
        if solution.x is None:
            raise InfeasibleError(f"no map has epsilon {epsilon:g} and distortion {max_distortion:g}; loosen one")
        return np.maximum(solution.x[:count], 0), float(solution.fun)

    def _parity(self, epsilon: float, mass: Array, width: int) -> tuple[Any, Array]:
        """Return the rows that hold Pr[y' | d] within (1 +- epsilon) Pr[y'] for every group and label."""
        from scipy.sparse import csr_array

        overall = self.P.sum(axis=(0, 1))
        rows = []
        sides = []
        for group in np.flatnonzero(self.P.sum(axis=(1, 2)) > 0):
            inside = self.P[group].sum()
            for label in (0, 1):
                arrivals = np.array([s[0] == group and end[1] == label for s, end in self.moves])
                share = np.concatenate([np.where(arrivals, mass / inside, 0.0), np.zeros(width - len(self.moves))])
                rows += [share, -share]
                sides += [(1 + epsilon) * overall[label], -(1 - epsilon) * overall[label]]
        return csr_array(np.array(rows)), np.array(sides)
