"""A lower bound of a margin on any part of a slice's ball, from its relaxation: a guess in floats.

Free neurons h = relu(z) become h >= 0, h >= z and h <= (K z + T) / 2^q; fixed ones are linear. With y the way from the
query in units of the radius, the problem is to minimise the margin over the relaxation and |y| <= 1, inside the ranges
where neighbors are restricted to them. For t > 0 the quadratic program "margin + t/2 |y|^2" bounds it from below, best
where its solution has |y| = 1, and its multipliers are those of a leaf: beta of the signs, A from the shares of the
lower sides of a neuron. The bound that these multipliers prove is then computed separately: the least value on the ball
of the final form of the backward pass (l2 CROWN with optimal alpha and beta). An empty part has multipliers of Farkas,
with M = 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import sqrt

import numpy as np

from equiproof.certify.branch.arrays import Floats
from equiproof.certify.branch.budget import Meter
from equiproof.certify.branch.constraints import Constraints, constraints_of
from equiproof.certify.branch.cutting import Room
from equiproof.certify.branch.duals import MarginBound, margin_bound, no_bound
from equiproof.certify.branch.making import SliceBounds
from equiproof.certify.branch.quadratic import LOOSE_TOLERANCE, minimise, project
from equiproof.certify.branch.scaled_ball import Objective, ScaledBall
from equiproof.certify.network import QuantisedNetwork
from equiproof.certify.polytope import Row
from equiproof.circuits.branch_parameters import Parameters

_PENALTIES = 4
"""The number of tried t; mostly the first is enough."""

_LEAST_PENALTY = 1e-3
"""The least t that floats resolve: margins are 1 at the query, and fall by about t on the ball."""

_LARGEST_PENALTY = 1e6
"""The largest t that floats resolve."""

_PROOF = 1e-12
"""A bound above this exceeds the error of floats."""

_SPHERE = 1e-6
"""A solution whose length differs from 1 by less than this lies on the sphere: t is the best one."""

_RANGE_END = 1e-9
"""A column is at an end of its range within this share of the radius."""

_PROGRAM_WORK = 10
"""The work of a program without any free neuron."""

_NEAR_MISS = 0.1
"""Bounds within this share of the margin at the query are worth the program without t."""


class SliceRelaxation:
    """The relaxation of one slice's ball, ready to be solved on any part of it. `programs` counts those solved."""

    def __init__(
        self,
        parameters: Parameters,
        network: QuantisedNetwork,
        query: Sequence[int],
        row: Sequence[int],
        at_slice: SliceBounds,
        radius_squared: int,
        room: Room | None = None,
        meter: Meter | None = None,
    ) -> None:
        """Scale the ball; `meter` pays for programs, by default without a limit."""
        self.ball = ScaledBall(parameters, network, query, row, at_slice, radius_squared, room)
        self.meter = meter or Meter()
        self.programs = 0

    def solve(self, on: Sequence[int], off: Sequence[int], logits: Row, penalty: float = 1.0) -> MarginBound:
        """Return a bound of the margin, a row over the logits, on the part of these signs (a bit per hidden neuron).

        `penalty` is a guess of t: that of the row above. Raises NoTreeError where the budget has no room for it.
        """
        constraints = self._constraints(on, off)
        objective = self.ball.objective(logits)
        best, length = self._best_penalty(constraints, objective, penalty)
        if best is None:
            return self._nearest(constraints, objective)
        # One more program is worth its time where a proof is near, or where no t has brought y into the ball.
        if best.bound <= _PROOF and (best.bound > -_NEAR_MISS or length > 1.0):
            nearest = self._nearest(constraints, objective)
            if nearest.bound > _PROOF:
                return replace(nearest, point=best.point, losses=best.losses, penalty=best.penalty)
        return best

    def nearest(self, on: Sequence[int], off: Sequence[int], logits: Row) -> MarginBound:
        """Return the multipliers of the nearest point of a part with margin <= 0, whatever the radius.

        Raises NoTreeError where the budget has no room for it.
        """
        return self._nearest(self._constraints(on, off), self.ball.objective(logits))

    def _constraints(self, on: Sequence[int], off: Sequence[int]) -> Constraints:
        """Return the constraints of the part of these signs."""
        return constraints_of(self.ball, np.asarray(on, dtype=bool), np.asarray(off, dtype=bool))

    def _best_penalty(
        self, constraints: Constraints, objective: Objective, penalty: float
    ) -> tuple[MarginBound | None, float]:
        """Return the best bound over a few t, and |y| of the last solution; None where no program has a solution."""
        row = objective.row @ constraints.post[-1]
        row[-1] += objective.bias
        best: MarginBound | None = None
        length = 0.0
        for attempt in range(_PENALTIES):
            self._pay(constraints)
            optimum = minimise(constraints.matrix, row[:-1], self.ball.columns, constraints.centre, penalty)
            if optimum is None:
                break
            multipliers, solution = optimum
            latest = margin_bound(
                self.ball, constraints, objective, 1.0, multipliers, solution=solution, penalty=penalty
            )
            # The point is the latest, whose length is nearest to 1; the bound is the best.
            best = latest if best is None or latest.bound >= best.bound else replace(best, point=latest.point)
            way = solution[: self.ball.columns]
            length = float(np.linalg.norm(way))
            if best.bound > _PROOF or abs(length - 1.0) < _SPHERE:
                break
            # After a step, a point inside the ball with a negative relaxed margin shows that no bound is positive.
            if attempt and length < 1.0 and row @ solution < 0:
                break
            penalty = min(max(penalty * self._stretch(way), _LEAST_PENALTY), _LARGEST_PENALTY)
        return best, length

    def _pay(self, constraints: Constraints) -> None:
        """Count a program before it is solved; raises NoTreeError where the budget has no room for it."""
        self.meter.pay(_PROGRAM_WORK + len(constraints.centre))
        self.programs += 1

    def _stretch(self, way: Floats) -> float:
        """Return the factor by which a way exceeds the unit ball, in the columns that are not at an end.

        Without rows, y of the program is proportional to 1/t: t times this factor brings it to |y| = 1.
        """
        room = self.ball.room
        if room is None:
            return float(np.linalg.norm(way))
        at_end = (way < -room.below + _RANGE_END) | (way > room.above - _RANGE_END)
        fixed = float(way[at_end] @ way[at_end])
        movable = float(way[~at_end] @ way[~at_end])
        if fixed < 1.0 and movable > 0:
            return sqrt(movable / (1.0 - fixed))
        return float(np.linalg.norm(way))

    def _nearest(self, constraints: Constraints, objective: Objective) -> MarginBound:
        """Return the multipliers of the nearest point of the part with margin <= 0; M = 0 if no such point exists.

        Where the bound is near 0 they prove more than those of any t; where the part is empty they are those of Farkas.
        """
        self._pay(constraints)
        margin = objective.row @ constraints.post[-1]
        margin[-1] += objective.bias
        matrix = np.vstack([constraints.matrix, -margin])
        multipliers = project(matrix, self.ball.columns, constraints.centre)
        if multipliers is None and self.ball.room is not None:
            # With ranges the cone may be almost a single ray, which the solver mistakes for an empty cone.
            multipliers = project(matrix, self.ball.columns, constraints.centre, LOOSE_TOLERANCE)
        if multipliers is None:
            return no_bound(self.ball)
        # The multiplier of the last row, the margin's own, is M.
        return margin_bound(self.ball, constraints, objective, float(multipliers[-1]), multipliers[:-1])
