"""Is the objective positive in all of a box? Cheap bounds first, then a linear program, then branch and bound.

Branch and bound keeps parts of the box that are not settled, the one with the least bound first. A part with many open
neurons is cut in two along the column that blurs their bounds most, at an integer; one with few is cut by the sign of
the neuron whose relaxation errs most at the program's minimum. A part all of whose neurons have a sign is a linear
program without any error, so the search ends, and with it the minimum is known as closely as requested, or as closely
as rounded multipliers can prove it.

Every bound is proven from multipliers in exact numbers (:mod:`equiproof.audits.pba.relaxation`); parts that no input is
in are no exception, their multipliers prove bounds beyond any value. Every value that counts against a bound is exact,
too: at a grid point, or at a fraction with a power of two below.
"""

from __future__ import annotations

import heapq
import itertools
import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Literal

import numpy as np
import numpy.typing as npt

from equiproof.audits.pba import greedy, program
from equiproof.audits.pba.copies import Arrays, copies_of
from equiproof.audits.pba.definition import Number, Question
from equiproof.audits.pba.guess import low_point
from equiproof.audits.pba.integers import Integers
from equiproof.audits.pba.propagate import Style, relax
from equiproof.audits.pba.relaxation import Relaxation, Sides
from equiproof.certify.network import QuantisedNetwork

Floats = npt.NDArray[np.float64]

Answer = Literal["true", "false", "unknown"]
Reason = Literal["parts", "seconds", "rounding", "relaxation"]
Means = Literal["value", "guess", "bound", "program", "search"]
"""What settled it: the value at the person, a guessed point, cheap multipliers, one linear program, or many."""

SIGN_SPLIT_NEURONS = 14
"""Parts with at most this many open neurons are split by their signs, others along a column."""

_POINT_BITS = 24
_PROGRAM_SECONDS = 30.0


@dataclass(frozen=True)
class Budget:
    """What branch and bound may cost for one question: parts that are bounded, and seconds of wall time.

    `until` is the moment of `time.monotonic` at which all questions end: after it, only what costs nothing is tried.
    """

    parts: int = 2000
    seconds: float = 20.0
    until: float = math.inf

    @property
    def left(self) -> float:
        """The seconds until all questions end."""
        return self.until - time.monotonic()


@dataclass(frozen=True)
class Judgement:
    """What is known of the minimum of a question's objective, in units of the integer logits.

    `lower` is an exactly proven bound (None if unknown), `upper` the exact objective at `point`, n_x columns in grid
    units. The answer is "true" if the minimum is above 0, "false" if `point` shows that it is not, and "unknown"
    otherwise. `reason` says why the search ended without a sign or, in :func:`minimum`, without the requested gap.
    `parts` counts the parts of the box that were bounded.
    """

    answer: Answer
    lower: Fraction | None
    upper: Fraction
    point: tuple[Number, ...]
    by: Means
    parts: int = 0
    seconds: float = 0.0
    reason: Reason | None = None


@dataclass(order=True)
class _Part:
    """A part of the box: its columns' ends, its relaxation, the signs that were fixed, and what it is known to be.

    `errors` has, for every open neuron, the error of its relaxation at the program's minimum, in units of the
    objective; None where no program was solved.
    """

    bound: Fraction
    order: int
    lower: Integers = field(compare=False)
    upper: Integers = field(compare=False)
    relaxation: Relaxation = field(compare=False)
    signs: Mapping[int, int] = field(compare=False, default_factory=dict)
    errors: Floats | None = field(compare=False, default=None)

    def z_sides(self) -> Sides:
        """Return the bounds of z of the open neurons under the signs that were fixed."""
        sides = self.relaxation.bounds()
        for neuron, sign in self.signs.items():
            sides[0 if sign > 0 else 1][neuron] = 0
        return sides


def judge(
    arrays: Arrays,
    question: Question,
    *,
    budget: Budget | None = None,
    style: Style = "difference",
    seed: int = 0,
    by_sign: bool = False,
) -> Judgement:
    """Return whether a question's objective is positive in all of its box; see :class:`Judgement`.

    Without a budget, one linear program is the last thing tried, as in the paper. With `by_sign`, parts are split by
    signs of neurons alone, so that those of a proof are the leaves of a tree of signs over one set of bounds.
    """
    return _Search(arrays, question, style, seed, by_sign).decide(budget)


def minimum(
    arrays: Arrays,
    question: Question,
    *,
    gap: Number = 1,
    budget: Budget | None = None,
    style: Style = "difference",
    seed: int = 0,
) -> Judgement:
    """Return the minimum of a question's objective, between `lower` and `upper` at most `gap` integer logits apart.

    Where they are further apart, `reason` names why, whatever the answer: "parts" or "seconds" if the budget ended
    first; "rounding" if every neuron of a part has a sign and the rounding of its multipliers, or of its point, leaves
    more than the gap. With large logits a gap of 1 is often less than that rounding. The answer is "unknown" where 0
    lies between `lower` and `upper`.
    """
    return _Search(arrays, question, style, seed).enclose(budget or Budget(), Fraction(gap))


class _Search:
    """One question: the least exact value so far, and where it is."""

    def __init__(self, arrays: Arrays, question: Question, style: Style, seed: int, by_sign: bool = False) -> None:
        """Begin at the person's own values."""
        self._begun = time.perf_counter()
        self._by_sign = by_sign
        self._question = question
        self._style = style
        self._seed = seed
        self._copies = copies_of(arrays, question)
        self._point: tuple[Number, ...] = question.query
        self._upper = self._copies.value([int(value) for value in self._copies.query])
        self._parts = 0
        self._order = itertools.count()
        self._stuck: list[Fraction] = []
        self._seconds = math.inf
        self._closing = False

    def decide(self, budget: Budget | None) -> Judgement:
        """Try one thing after the other until the sign of the minimum is known."""
        if self._upper <= 0:
            return self._judgement("value", None)
        self._see(low_point(self._copies, self._seed), 0)
        if self._upper <= 0:
            return self._judgement("guess", None)
        if budget is not None:
            self._seconds = budget.left
            if budget.left <= 0:
                return self._judgement("guess", None, "seconds")
        root = self._whole()
        by = self._bound(root, lambda bound: bound > 0)
        if root.bound > 0 or self._upper <= 0:
            return self._judgement(by, root.bound)
        if budget is None:
            return self._judgement(by, root.bound, "relaxation")
        return self._branch(root, budget, lambda bound: bound > 0, lambda: self._upper <= 0)

    def enclose(self, budget: Budget, gap: Fraction) -> Judgement:
        """Branch until the minimum is known up to a gap."""
        self._closing = True
        self._see(low_point(self._copies, self._seed), 0)
        root = self._whole()
        self._bound(root, lambda bound: bound >= self._upper - gap)
        return self._branch(root, budget, lambda bound: bound >= self._upper - gap, lambda: False)

    def _whole(self) -> _Part:
        """Return the whole box."""
        lower = self._copies.lower
        upper = self._copies.upper
        return self._part(lower, upper)

    def _part(self, lower: Integers, upper: Integers) -> _Part:
        """Return a part of the box with a relaxation of its own."""
        relaxation = relax(self._copies, lower, upper, self._style)
        return _Part(Fraction(0), next(self._order), lower, upper, relaxation)

    def _branch(
        self, root: _Part, budget: Budget, enough: Callable[[Fraction], bool], over: Callable[[], bool]
    ) -> Judgement:
        """Cut parts in two until all are settled, the search is over, or the budget ends."""
        heap = [root]
        reason: Reason | None = None
        self._seconds = min(budget.seconds, time.perf_counter() - self._begun + budget.left)
        while heap and not enough(heap[0].bound) and not over():
            if self._parts >= budget.parts:
                reason = "parts"
            elif time.perf_counter() - self._begun > self._seconds:
                reason = "seconds"
            if reason is not None:
                break
            part = heapq.heappop(heap)
            children = self._cut(part)
            if not children:
                self._stuck.append(part.bound)
            for child in children:
                self._bound(child, enough)
                # What is proven of a part holds inside it.
                child.bound = max(child.bound, part.bound)
                heapq.heappush(heap, child)
        # Every point of the box lies in a part of the heap or in one that cannot be cut.
        lower = min([self._upper, *self._stuck, *(part.bound for part in heap)])
        if reason is None and self._stuck and not enough(min(self._stuck)):
            reason = "rounding"
        return self._judgement("search", lower, reason)

    def _cut(self, part: _Part) -> list[_Part]:
        """Cut a part in two; return none where every neuron has a sign: only rounding keeps it from being settled."""
        open_neurons = part.relaxation.open - len(part.signs)
        column = _blurred(part) if open_neurons > SIGN_SPLIT_NEURONS and not part.signs and not self._by_sign else None
        if column is not None:
            middle = (int(part.lower[column]) + int(part.upper[column])) // 2
            ends = (part.lower.copy(), part.upper.copy())
            # Points between those of the grid count too, so both parts hold the cut.
            ends[0][column] = ends[1][column] = middle
            return [self._part(part.lower, ends[1]), self._part(ends[0], part.upper)]
        if not open_neurons:
            return []
        neuron = _erring(part)
        return [
            replace(part, order=next(self._order), signs={**part.signs, neuron: sign}, errors=None) for sign in (1, -1)
        ]

    def _bound(self, part: _Part, enough: Callable[[Fraction], bool]) -> Means:
        """Prove what can be proven of a part, cheap means first, and look where its minimum seems to be."""
        self._parts += 1
        relaxation = part.relaxation
        z_sides = part.z_sides()
        rows = relaxation.rows(z_sides)
        bounds = [
            relaxation.prove(rows, z_sides, greedy.multipliers(relaxation, rows, z_sides, tied=tied))
            for tied in ((True, False) if relaxation.difference else (False,))
        ]
        part.bound = max(bounds)
        if enough(part.bound):
            return "bound"
        if not relaxation.open:
            self._see([int(end) for end in np.where(relaxation.objective > 0, part.lower, part.upper)], 0)
            return "bound"
        remainder = self._begun + self._seconds - time.perf_counter()
        solution = program.solve(relaxation, rows, z_sides, max(0.1, min(remainder, _PROGRAM_SECONDS)))
        if solution is None:
            return "bound"
        part.bound = max(part.bound, relaxation.prove(rows, z_sides, solution.multipliers))
        if not solution.feasible:
            return "program"
        chords = solution.multipliers[1 : 2 * relaxation.open : 2]
        part.errors = np.maximum(solution.gaps, 0.0) * chords
        self._look(part, solution.columns)
        return "program"

    def _look(self, part: _Part, columns: Floats) -> None:
        """Look at the program's minimum: at the grid point beside it, and at itself."""
        lower = part.lower.astype(np.float64)
        upper = part.upper.astype(np.float64)
        there = np.clip(columns, lower, upper)
        near = np.clip(np.rint(there), lower, upper)
        values = self._copies.floats(np.vstack([near, there]))
        if values[0] <= float(self._upper):
            self._see([int(value) for value in near], 0)
        if values[1] < float(self._upper) and (self._closing or self._upper > 0):
            scaled = [int(value) for value in np.rint(there * (1 << _POINT_BITS))]
            self._see(scaled, _POINT_BITS)

    def _see(self, point: Sequence[int], shift: int) -> None:
        """Keep a point of the box where it is the least so far."""
        value = self._copies.value(point, shift)
        if value < self._upper:
            self._upper = value
            self._point = self._copies.whole([Fraction(number, 1 << shift) for number in point])

    def _judgement(self, by: Means, lower: Fraction | None, reason: Reason | None = None) -> Judgement:
        """Return what is known; a value that counts against a bound is replayed by the network itself."""
        if self._question.at(self._network, self._point) != self._upper or not self._question.contains(self._point):
            raise ArithmeticError("the network gives another value at the point that was found")
        answer: Answer = "unknown"
        if self._upper <= 0:
            # A point settles the sign whatever ended the search, but it does not close a requested gap.
            answer = "false"
            reason = reason if self._closing else None
        elif lower is not None and lower > 0:
            answer = "true"
        seconds = time.perf_counter() - self._begun
        return Judgement(answer, lower, self._upper, self._point, by, self._parts, seconds, reason)

    @property
    def _network(self) -> QuantisedNetwork:
        """The network itself."""
        return self._copies.network


def _blurred(part: _Part) -> int | None:
    """Return the column along which a part's bounds are blurred most, None where no column can be cut at an integer."""
    relaxation = part.relaxation
    sides = relaxation.bounds()
    spans = (sides.upper - sides.lower).astype(np.float64)
    errors = part.errors if part.errors is not None and part.errors.any() else np.ones(relaxation.open)
    weights = errors / spans
    slopes = np.vstack(
        [np.abs(block.z[:, : relaxation.inputs].astype(np.float64)) for block in relaxation.blocks if block.count]
    )
    widths = (part.upper - part.lower).astype(np.float64)
    blur = (weights @ slopes) * np.where(widths > 1, widths, 0.0)
    return int(blur.argmax()) if blur.any() else None


def _erring(part: _Part) -> int:
    """Return the open neuron without a sign whose relaxation errs most."""
    relaxation = part.relaxation
    sides = relaxation.bounds()
    reach = np.minimum(sides.upper, -sides.lower).astype(np.float64)
    # If the program's minimum gives no hint, the neuron with the most balanced bounds.
    tiny = 1e-12 * reach / reach.max()
    scores = tiny if part.errors is None else part.errors / max(part.errors.max(), 1e-300) + tiny
    scores[list(part.signs)] = -1.0
    return int(scores.argmax())
