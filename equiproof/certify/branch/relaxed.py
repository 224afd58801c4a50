"""A lower bound of the margin on a part of a slice's ball, from its relaxation: a guess in floats.

Free neurons h = relu(z) become h >= 0, h >= z and h <= (K z + T) / 2^q; fixed ones are linear. With y the way from the
query in units of the radius, the problem is to minimise the margin over the relaxation and |y| <= 1, inside the ranges
where neighbors are restricted to them. For t > 0 the quadratic program "margin + t/2 |y|^2" bounds it from below, best
where its solution has |y| = 1, and its multipliers are those of a leaf: beta of the signs, A from the shares of the
lower sides of a neuron. The bound that these multipliers prove is then computed separately: the least value on the ball
of the final form of the backward pass (l2 CROWN with optimal alpha and beta). An empty part has multipliers of Farkas,
with M = 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import compress, pairwise
from math import sqrt
from operator import add

import daqp
import numpy as np
import numpy.typing as npt

from equiproof.certify.branch.budget import Meter
from equiproof.certify.branch.cutting import Room, least
from equiproof.certify.branch.making import Guess, SliceBounds
from equiproof.certify.network import QuantisedNetwork
from equiproof.certify.polytope import Row
from equiproof.circuits.branch_parameters import Parameters
from equiproof.circuits.spec import Box

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]

_OPTIMAL = 1
_INFEASIBLE = -1
_NO_BOUND = 1e30
_SOFT = 1e-3
"""The weight of h relative to y: the solver needs a strictly convex program."""

_TOLERANCE, _LOOSE = 1e-10, 1e-7
_STEPS = 4
"""The number of tried t; mostly the first is enough."""

_LEAST_PULL, _LARGEST_PULL = 1e-3, 1e6
"""The least and largest t that floats resolve: margins are 1 at the query, and fall by about t on the ball."""

_PROVEN = 1e-12
"""A bound above this exceeds the error of floats."""

_SHARED = 1e-9
"""P and Q overlap where the smaller is above this share of the larger."""

_AT_END = 1e-9
"""A column is at an end of its range within this share of the radius."""

_PROGRAM = 10
"""The work of a program without any free neuron."""

_NEAR = 0.1
"""Bounds within this share of the margin at the query are worth the program without t."""


@dataclass(frozen=True)
class Relaxed:
    """The result for one part and one class.

    `bound` is the lower bound of the margin that the multipliers prove, as a share of the margin at the query (of M
    times the margin, where M is not 1): positive where the part is proven or empty. `point` is where the relaxation has
    its least margin, in grid units from the query, None where there is none. `losses` has, for each hidden neuron, the
    part of the bound that its relaxation loses. `pull` is the t of the solution.
    """

    bound: float
    guess: Guess
    point: Floats | None
    losses: Floats
    pull: float


@dataclass(frozen=True, repr=False)
class _Program:
    """The constraints of a part over (y, h of free neurons, 1), with the kind of each row."""

    matrix: Floats
    kinds: list[tuple[str, int, npt.NDArray[np.intp]]]
    pre: list[Floats]
    post: list[Floats]
    free: list[Bools]
    centre: Floats
    on: Bools
    off: Bools


@dataclass(frozen=True, repr=False)
class Objective:
    """A margin over the scaled h of the last layer, divided by `unit`, its value at the query."""

    row: Floats
    bias: float
    unit: float


class SliceRelaxation:
    """The relaxation of one slice's ball for one squared radius, ready to be solved on any part of it."""

    def __init__(
        self,
        parameters: Parameters,
        network: QuantisedNetwork,
        query: Sequence[int],
        row: Sequence[int],
        at_slice: SliceBounds,
        radius_squared: int,
        box: Box | None = None,
        meter: Meter | None = None,
    ) -> None:
        """Scale all layers: y by R, every neuron by its largest bound."""
        self.meter = meter or Meter()
        self.sizes = network.hidden
        starts = np.cumsum([0, *self.sizes])
        self.parts = [slice(int(a), int(b)) for a, b in pairwise(starts)]
        self.reach = sqrt(max(1, radius_squared))
        self.room = None if box is None else Room.of(query, box, self.reach)
        self._columns = len(query)
        self._top = network.layers[-1]
        self.weights: list[Floats] = []
        self.biases: list[Floats] = []
        self.upper: list[Floats] = []
        self.offset: list[Floats] = []
        self.scales: list[Floats] = []
        self.unstable: list[Bools] = []
        self.active: list[Bools] = []
        below = np.full(self._columns, self.reach)
        for depth, (layer, here) in enumerate(zip(network.layers[:-1], at_slice, strict=True)):
            scale = np.array([float(max(1, abs(a), abs(b))) for a, b in zip(here.low, here.high, strict=True)])
            weights, biases = np.array(layer.weights, dtype=np.float64), np.array([float(v) for v in layer.biases])
            if depth == 0:
                weights, biases = weights[:, : self._columns], np.array([float(v) for v in layer((*query, *row))])
            self.weights.append(weights * below / scale[:, None])
            self.biases.append(biases / scale)
            self.upper.append(np.array(here.upper, dtype=np.float64) / parameters.unit)
            self.offset.append(np.array([float(t) for t in here.offset]) / parameters.unit / scale)
            self.unstable.append(np.array([a < 0 < b for a, b in zip(here.low, here.high, strict=True)], dtype=bool))
            self.active.append(np.array([a >= 0 for a in here.low], dtype=bool))
            self.scales.append(scale)
            below = scale
        self._loose = [int(bit) for bits in self.unstable for bit in bits]
        self.solved = 0

    def count_free(self, on: Row, off: Row) -> int:
        """Return the number of neurons of a part that are neither stable nor fixed."""
        fixed: Iterator[int] = compress(map(add, on, off), self._loose)
        return sum(self._loose) - sum(fixed)

    def margin_at(self, logits: Row, way: Floats) -> float:
        """Return about the network's own margin at query + way, in grid units, as a share of that at the query."""
        goal = self.objective(logits)
        return float(goal.row @ self._last_layer(way / self.reach)) + goal.bias

    def _last_layer(self, value: Floats) -> Floats:
        """Return about the scaled h of the last layer at a point."""
        for weights, biases in zip(self.weights, self.biases, strict=True):
            value = np.maximum(weights @ value + biases, 0.0)
        return value

    def objective(self, logits: Row) -> Objective:
        """Return a margin over the scaled last layer, divided by its value at the query."""
        signs = np.array(logits, dtype=np.float64)
        row = signs @ np.array(self._top.weights, dtype=np.float64) * self.scales[-1]
        bias = float(sum(s * b for s, b in zip(logits, self._top.biases, strict=True)))
        # A strict margin is an integer of at least 1, also where floats cancel: that of a gain begins there.
        unit = max(1.0, float(row @ self._last_layer(np.zeros(self._columns))) + bias)
        return Objective(row / unit, bias / unit, unit)

    def solve(self, on: Sequence[int], off: Sequence[int], logits: Row, pull: float = 1.0) -> Relaxed:
        """Return the least relaxed margin, a row over the logits, on the part of these signs.

        `pull` is a guess of t: that of the row above.
        """
        program = self._program(np.asarray(on, dtype=bool), np.asarray(off, dtype=bool))
        goal = self.objective(logits)
        objective = goal.row @ program.post[-1]
        objective[-1] += goal.bias
        best: Relaxed | None = None
        length = 0.0
        for step in range(_STEPS):
            self._count(program)
            solved = _minimise(program.matrix, objective[:-1], self._columns, program.centre, pull)
            if solved is None:
                break
            multipliers, solution = solved
            found = self._read(program, goal, 1.0, multipliers, solution, pull)
            # The point is the latest, whose length is nearest to 1; the bound is the best.
            best = found if best is None or found.bound >= best.bound else replace(best, point=found.point)
            length = float(np.linalg.norm(solution[: self._columns]))
            if best.bound > _PROVEN or abs(length - 1.0) < 1e-6 or (step and length < 1.0 and objective @ solution < 0):
                break
            pull = min(max(pull * self._stretch(solution[: self._columns]), _LEAST_PULL), _LARGEST_PULL)
        if best is None or (best.bound <= _PROVEN and (best.bound > -_NEAR or length > 1.0)):
            last = self._nearest(program, goal)
            if best is None:
                return last
            if last.bound > _PROVEN:
                return replace(last, point=best.point, losses=best.losses, pull=best.pull)
        return best

    def _count(self, program: _Program) -> None:
        """Count a program before it is solved; raises NoTreeError where the budget has no room for it."""
        self.meter.pay(_PROGRAM + len(program.centre))
        self.solved += 1

    def _stretch(self, way: Floats) -> float:
        """Return the factor by which a way exceeds the unit ball, in the columns that are not at an end."""
        if self.room is None:
            return float(np.linalg.norm(way))
        ended = (way < -self.room.below + _AT_END) | (way > self.room.above - _AT_END)
        fixed, loose = float(way[ended] @ way[ended]), float(way[~ended] @ way[~ended])
        return sqrt(loose / (1.0 - fixed)) if fixed < 1.0 and loose > 0 else float(np.linalg.norm(way))

    def nearest(self, on: Sequence[int], off: Sequence[int], logits: Row) -> Relaxed:
        """Return the multipliers of the nearest point of a part with margin <= 0, whatever the radius."""
        program = self._program(np.asarray(on, dtype=bool), np.asarray(off, dtype=bool))
        return self._nearest(program, self.objective(logits))

    def _program(self, on: Bools, off: Bools) -> _Program:
        """Return the constraints of a part."""
        free = [u & ~on[p] & ~off[p] for u, p in zip(self.unstable, self.parts, strict=True)]
        n, width = self._columns, self._columns + sum(int(f.sum()) for f in free) + 1
        inputs = np.zeros((n, width))
        inputs[:, :n] = np.eye(n)
        start, value = n, np.zeros(n)
        rows: list[Floats] = []
        kinds: list[tuple[str, int, npt.NDArray[np.intp]]] = []
        centre, pre, post = list[Floats](), list[Floats](), list[Floats]()
        for depth, part in enumerate(self.parts):
            z = self.weights[depth] @ inputs
            z[:, -1] += self.biases[depth]
            here = self.weights[depth] @ value + self.biases[depth]
            linear = (self.active[depth] | on[part]) & ~off[part] & ~free[depth]
            h = np.where(linear[:, None], z, 0.0)
            loose = np.flatnonzero(free[depth])
            h[loose] = 0.0
            h[loose, start + np.arange(len(loose))] = 1.0
            start += len(loose)
            value = np.where(free[depth], np.maximum(here, 0), np.where(linear, here, 0.0))
            centre.append(value[loose])
            above = self.upper[depth][loose, None] * z[loose] - h[loose]
            above[:, -1] += self.offset[depth][loose]
            fixed_on, fixed_off = np.flatnonzero(on[part]), np.flatnonzero(off[part])
            for kind, numbers, block in (
                ("zero", loose, h[loose]),
                ("line", loose, h[loose] - z[loose]),
                ("chord", loose, above),
                ("beta", fixed_on, z[fixed_on]),
                ("beta", fixed_off, -z[fixed_off]),
            ):
                rows.append(block)
                kinds.append((kind, depth, numbers))
            pre.append(z)
            post.append(h)
            inputs = h
        if self.room is not None:
            # What can be reached inside the ball needs no row.
            for ends, sign in ((self.room.below, 1.0), (self.room.above, -1.0)):
                short = np.flatnonzero(ends < 1.0)
                block = np.zeros((len(short), width))
                block[np.arange(len(short)), short], block[:, -1] = sign, ends[short]
                rows.append(block)
        return _Program(np.concatenate(rows), kinds, pre, post, free, np.concatenate(centre), on, off)

    def _read(
        self,
        program: _Program,
        goal: Objective,
        weight: float,
        multipliers: Floats,
        solution: Floats | None,
        pull: float,
    ) -> Relaxed:
        """Turn multipliers into those of a leaf, and compute the bound that they prove by a backward pass."""
        found = self._by_kind(program, multipliers)
        coefficients, constant = weight * goal.row, weight * goal.bias
        lower, overlap, losses = list[list[float]](), list[list[float]](), list[Floats]()
        for depth in range(len(self.sizes) - 1, -1, -1):
            zero, line, chord = (found[kind][depth] for kind in ("zero", "line", "chord"))
            total = zero + line
            slope = np.where(total > 0, line / np.where(total > 0, total, 1.0), self.active[depth].astype(float))
            both = np.minimum(total, chord)
            both = np.where(both > _SHARED * np.maximum(total, chord), both, 0.0)
            positive, negative = np.maximum(coefficients, 0.0) + both, np.maximum(-coefficients, 0.0) + both
            part, beta = self.parts[depth], found["beta"][depth]
            on, off = program.on[part], program.off[part]
            mu = slope * positive - self.upper[depth] * negative
            mu = np.where(on, coefficients - beta, np.where(off, beta, mu))
            taken = np.where(on | off, 0.0, negative * self.offset[depth])
            constant += float(mu @ self.biases[depth] - taken.sum())
            if solution is not None:
                z = program.pre[depth] @ solution
                relaxed = mu * z - taken
                losses.append(np.where(program.free[depth], coefficients * np.maximum(z, 0.0) - relaxed, 0.0))
            coefficients = mu @ self.weights[depth]
            lower.append(slope.tolist())
            overlap.append((both / self.scales[depth] * goal.unit).tolist())
        signs = tuple((row / scale * goal.unit).tolist() for row, scale in zip(found["beta"], self.scales, strict=True))
        # The best cut follows from the form: multipliers of ranges are not read.
        fall, _ = least(coefficients[None], self.room)
        return Relaxed(
            bound=constant + float(fall[0]),
            guess=Guess(weight, signs, tuple(reversed(lower)), tuple(reversed(overlap))),
            point=None if solution is None else self._inside(solution[: self._columns]),
            losses=np.concatenate(losses[::-1]) if losses else np.zeros(sum(self.sizes)),
            pull=pull,
        )

    def _by_kind(self, program: _Program, multipliers: Floats) -> dict[str, list[Floats]]:
        """Return multipliers by the kind of their row, layer and neuron; 0 without a row. Ranges come last."""
        found = {kind: [np.zeros(size) for size in self.sizes] for kind in ("zero", "line", "chord", "beta")}
        at = 0
        for kind, depth, numbers in program.kinds:
            found[kind][depth][numbers] = multipliers[at : at + len(numbers)]
            at += len(numbers)
        return found

    def _inside(self, way: Floats) -> Floats:
        """Return a way from the query in grid units, cut off at the ball, outside of which the bound need not hold."""
        return way * (self.reach / max(1.0, float(np.linalg.norm(way))))

    def _nearest(self, program: _Program, goal: Objective) -> Relaxed:
        """Return the multipliers of the nearest point of the part with margin <= 0; M = 0 if no such point exists.

        Where the bound is near 0 they prove more than those of any t; where the part is empty they are those of Farkas.
        """
        self._count(program)
        margin = goal.row @ program.post[-1]
        margin[-1] += goal.bias
        matrix = np.vstack([program.matrix, -margin])
        found = _project(matrix, self._columns, program.centre)
        if found is None and self.room is not None:
            # With ranges the cone may be almost a single ray, which the solver mistakes for an empty cone.
            found = _project(matrix, self._columns, program.centre, _LOOSE)
        if found is None:
            nothing = tuple([0.0] * size for size in self.sizes)
            return Relaxed(-1.0, Guess(0.0, nothing, nothing, nothing), None, np.zeros(sum(self.sizes)), 1.0)
        return self._read(program, goal, float(found[-1]), found[:-1], None, 1.0)


def _minimise(
    matrix: Floats, objective: Floats, columns: int, centre: Floats, pull: float
) -> tuple[Floats, Floats] | None:
    """Minimise objective + pull/2 |y|^2 over matrix (y, h, 1) >= 0: multipliers of the rows, and (y, h, 1).

    None where no such point exists, or the solver failed.
    """
    roots = np.concatenate([np.full(columns, sqrt(pull)), np.full(len(centre), _SOFT)])
    # v = roots (x - origin), where the objective alone has its least value.
    origin = np.concatenate([np.zeros(columns), centre]) - objective / roots**2
    problem = matrix[:, :-1] / roots
    lower = -(matrix[:, -1] + matrix[:, :-1] @ origin)
    found = _least(problem, lower)
    if found is None:
        return None
    multipliers, solution = found
    return multipliers, np.concatenate([origin + solution / roots, [1.0]])


def _project(matrix: Floats, columns: int, centre: Floats, tolerance: float = _TOLERANCE) -> Floats | None:
    """Return the multipliers of the nearest point of matrix (y, h, 1) >= 0, or those of Farkas.

    The constants are multiplied by tau, the share of them that a point takes, and (tau - 1)^2 joins the norm: the cone
    always has a nearest point, its apex where the set is empty. (As in :mod:`equiproof.certify.traversal.facet`.)
    """
    constants = matrix[:, -1] + matrix[:, columns:-1] @ centre
    problem = np.concatenate([matrix[:, :columns], matrix[:, columns:-1] / _SOFT, constants[:, None]], axis=1)
    found = _least(problem, -constants, tolerance)
    return None if found is None else found[0]


def _least(problem: Floats, lower: Floats, tolerance: float = _TOLERANCE) -> tuple[Floats, Floats] | None:
    """Return multipliers and solution of: the least |v| with problem v >= lower; None where the solver failed."""
    norms = np.linalg.norm(problem, axis=1)
    used = np.flatnonzero(norms > 1e-13 * max(1.0, float(norms.max(initial=0.0))))
    result = np.zeros(len(problem))
    rest = np.setdiff1d(np.arange(len(problem)), used)
    if (lower[rest] > 0).any():
        return None
    if not len(used):
        return result, np.zeros(problem.shape[1])
    rows = np.ascontiguousarray(problem[used] / norms[used, None])
    upper, sense = np.full(len(used), _NO_BOUND), np.zeros(len(used), dtype=np.intc)
    solution, _, flag, info = daqp.solve(
        None, None, rows, upper, lower[used] / norms[used], sense, primal_tol=tolerance
    )
    multipliers = -np.asarray(info["lam"])
    if flag != _OPTIMAL or not np.isfinite(multipliers).all():
        return None
    result[used] = np.maximum(multipliers, 0.0) / norms[used]
    return result, np.asarray(solution)
