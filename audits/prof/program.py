"""Step 2 of PROF: the smallest change of the last layer that decides alike over every set of features.

Notation: the last layer is W h + b with h >= 0; the program looks for the smallest |dW|_1 + |db|_1 (equation (8)) such
that for every set there is one label whose margin over each rival is at least `margin` everywhere in the set. With a
single logit the margin of label 1 is the logit and that of label 0 its negative; else it is a difference of logits, so
that several classes need no bounds of each logit apart. z is 1 for the label that is taken. (PROF, equations (14) and
(22), with these differences: margins and the rounding of weights stand inside the constraints, the big M of a label
follows from a change that is known to be enough, and features whose lines coincide take no multipliers.)

Rounding: a committed weight is off by at most delta, a bias by at most delta_b. Over h >= 0 the least value of
(C + e) h + e_b is that of (C - delta) h - delta_b, so C is taken that much smaller: nothing is estimated.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from equiproof.audits.prof.linear import Program
from equiproof.audits.prof.sets import Box, FeatureSet, Points, Polytope

Floats = npt.NDArray[np.float64]

FREE = float("inf")


@dataclass(frozen=True)
class Demand:
    """What a repaired layer has to keep: a margin, with weights and biases each off by so much, and limits.

    `largest` bounds every |W + dW|, so that the weights still fit their width; `seconds` bound the search.
    """

    margin: float = 0.0
    delta: float = 0.0
    delta_b: float = 0.0
    largest: float = FREE
    seconds: float = 12.0
    seed: int = 0


@dataclass(frozen=True, eq=False)
class Change:
    """A change of the last layer: dW (logits, d), db (logits,), the label of every set, |dW|_1 + |db|_1.

    No change that meets the demand is smaller than `bound`; the change is `proven` minimal if the objective equals it.
    """

    weights: Floats
    biases: Floats
    labels: tuple[int, ...]
    objective: float
    bound: float

    @property
    def proven(self) -> bool:
        """Whether no smaller change exists, to the solver's own relative gap."""
        return self.objective - self.bound <= 1e-5 * max(1.0, abs(self.objective))


@dataclass(frozen=True)
class NoChange:
    """No change was found; `reason` is one line, `certain` if none exists."""

    reason: str
    certain: bool


@dataclass(frozen=True, eq=False)
class Expression:
    """A constant and a coefficient per column."""

    constant: float
    terms: dict[int, float]

    def plus(self, factor: float, other: Expression) -> Expression:
        """Return self + factor * other."""
        terms = dict(self.terms)
        for index, value in other.terms.items():
            terms[index] = terms.get(index, 0.0) + factor * value
        return Expression(self.constant + factor * other.constant, terms)


def forms(label: int, logits: int) -> Floats:
    """Return the margins of a label as rows over the logits: one for a single logit, else one per rival."""
    if logits == 1:
        return np.array([[1.0 if label else -1.0]])
    return np.array([np.eye(logits)[label] - np.eye(logits)[rival] for rival in range(logits) if rival != label])


def repair_layer(
    weights: Floats, biases: Floats, sets: Sequence[FeatureSet], demand: Demand, *, labels: Sequence[int] | None = None
) -> Change | NoChange:
    """Return the smallest change of a layer, weights (logits, d) and biases (logits,), that keeps the demand.

    `labels` fixes the label of every set; without it, the labels are chosen, too. A NoChange is returned if there is no
    change; nothing is raised.
    """
    step = _Step(weights, biases, sets, demand)
    begun = time.monotonic()
    if labels is not None:
        return step.fixed(tuple(labels))
    first = step.fixed(step.natural())
    if isinstance(first, Change) and not step.open(first.objective):
        return first
    if isinstance(first, NoChange) and first.certain and demand.largest == FREE:
        # Two sets that meet cannot take different labels; free weights and biases can give all of them the same one.
        first = step.alike()
    reach = first.objective if isinstance(first, Change) else FREE
    left = demand.seconds - (time.monotonic() - begun)
    if reach == FREE and demand.largest == FREE:
        return first
    chosen, bound, certain = step.choose(reach, max(left, 1.0), first)
    if chosen is None:
        if isinstance(first, Change):
            return Change(first.weights, first.biases, first.labels, first.objective, max(bound, 0.0))
        return NoChange(first.reason if certain else f"no labels were found within {demand.seconds:g} s", certain)
    final = step.fixed(chosen)
    best = final if isinstance(first, NoChange) or _smaller(final, first) else first
    if isinstance(best, NoChange):
        return best
    return Change(best.weights, best.biases, best.labels, best.objective, min(max(bound, 0.0), best.objective))


def _smaller(one: Change | NoChange, other: Change) -> bool:
    """Return whether one is a change, and not larger than another."""
    return isinstance(one, Change) and one.objective <= other.objective


def _largest(chosen: Mapping[int, int], values: Floats) -> int:
    """Return the label whose column has the largest value."""
    return max(chosen, key=lambda label: float(values[chosen[label]]))


class _Step:
    """One layer, its sets and what is demanded."""

    def __init__(self, weights: Floats, biases: Floats, sets: Sequence[FeatureSet], demand: Demand) -> None:
        """Keep them; labels are 0 and 1 for a single logit, else one per logit."""
        self._weights, self._biases, self._sets, self._demand = weights, biases, sets, demand
        self._logits = len(biases)
        self._labels = range(max(2, self._logits))
        self._margins: Floats | None = None

    def margins(self) -> Floats:
        """Return the least margin of every label over every set before any change, shape (sets, labels)."""
        if self._margins is None:
            self._margins = np.array([[self._margin(held, label) for label in self._labels] for held in self._sets])
        return self._margins

    def natural(self) -> tuple[int, ...]:
        """Return for every set the label that is nearest to being decided everywhere."""
        return tuple(int(label) for label in self.margins().argmax(axis=1))

    def open(self, reach: float) -> dict[tuple[int, int], float]:
        """Return, for every (set, other label) that a change of that size may bring about, how far its margin is."""
        found = {}
        for i, label in enumerate(self.natural()):
            steepest = max(1.0, float(self._sets[i].high.max(initial=0.0)))
            for other in self._labels:
                gap = self._demand.margin - self.margins()[i, other]
                if other != label and gap <= reach * steepest:
                    found[i, other] = gap
        return found

    def fixed(self, labels: Sequence[int]) -> Change | NoChange:
        """Solve the linear program for given labels."""
        model = _Model(self._weights, self._biases, self._demand)
        for held, label in zip(self._sets, labels, strict=True):
            for form in forms(label, self._logits):
                model.demand(held, form)
        solved = model.program.solve(self._demand.seconds, seed=self._demand.seed)
        if solved.values is None:
            certain = solved.status == "infeasible"
            said = "no change within the limits keeps these labels" if certain else "the solver reached its limit"
            return NoChange(said, certain)
        weights, biases = model.read(solved.values)
        return Change(weights, biases, tuple(labels), solved.objective, max(solved.bound, 0.0))

    def alike(self) -> Change | NoChange:
        """Return the smallest change that gives every set the same label: one exists where nothing is limited."""
        found = [self.fixed((label,) * len(self._sets)) for label in self._labels]
        changes = [one for one in found if isinstance(one, Change)]
        if not changes:
            return NoChange("the solver reached its limit", certain=False)
        return min(changes, key=lambda one: one.objective)

    def choose(
        self, reach: float, seconds: float, start: Change | NoChange
    ) -> tuple[tuple[int, ...] | None, float, bool]:
        """Solve the program with labels free, none costing more than `reach`.

        Returns the labels, a lower bound of every change, and whether it is proven that no labels exist.
        """
        model, natural, open_ = _Model(self._weights, self._biases, self._demand), self.natural(), None
        if reach < FREE:
            # The solver's own tolerance must not shut out the change that the reach was taken from.
            reach = reach * (1 + 1e-7) + 1e-12
            model.program.row(dict.fromkeys(model.changes(), 1.0), 0.0, reach)
            open_ = self.open(reach)
        within = reach if reach < FREE else self._widest()
        choices: list[dict[int, int]] = []
        for i, held in enumerate(self._sets):
            labels = [natural[i], *(k for k in self._labels if k != natural[i] and (open_ is None or (i, k) in open_))]
            choices.append({k: model.program.column(0, 1, integer=True) for k in labels} if len(labels) > 1 else {})
            if not choices[i]:
                self._demand_all(model, held, natural[i], None, 0.0)
                continue
            model.program.row(dict.fromkeys(choices[i].values(), 1.0), 1.0, 1.0)
            for k, column in choices[i].items():
                big = within * max(1.0, float(held.high.max(initial=0.0)))
                self._demand_all(model, held, k, column, big)
        known = start.labels if isinstance(start, Change) else natural
        hints = {column: float(k == known[i]) for i, chosen in enumerate(choices) for k, column in chosen.items()}
        solved = model.program.solve(seconds, hints, seed=self._demand.seed)
        if solved.values is None:
            return None, max(solved.bound, 0.0), solved.status == "infeasible" and reach == FREE
        taken = [_largest(chosen, solved.values) if chosen else natural[i] for i, chosen in enumerate(choices)]
        return tuple(taken), solved.bound, False

    def _demand_all(self, model: _Model, held: FeatureSet, label: int, column: int | None, big: float) -> None:
        """Demand every margin of a label over a set, unless its column is 0."""
        for form in forms(label, self._logits):
            # A box bounds every set from below, so this much always suffices where the label is not taken.
            low = Box(np.zeros_like(held.high), held.high).least(_taken(self._weights, form, self._demand.delta))
            off = self._demand.delta_b * float(np.abs(form).sum())
            free = big + self._demand.margin - low - float(form @ self._biases) + off
            model.demand(held, form, None if column is None else (column, max(free, 0.0)))

    def _margin(self, held: FeatureSet, label: int) -> float:
        """Return the least margin of a label over a set before any change, rounding inside."""
        demand = self._demand
        return min(
            held.least(_taken(self._weights, form, demand.delta))
            + float(form @ self._biases)
            - demand.delta_b * float(np.abs(form).sum())
            for form in forms(label, self._logits)
        )

    def _widest(self) -> float:
        """Return what a smallest change within the limits cannot exceed, for any labels that can be had.

        Weights move by twice the limit at most; biases need not do more than outweigh all of them.
        """
        largest = self._demand.largest
        outweighed = 2 * largest * max(float(held.high.sum()) for held in self._sets) + float(
            np.abs(self._biases).max()
        )
        return 2 * largest * self._weights.size + self._logits * (self._demand.margin + 2 * outweighed)


def _taken(weights: Floats, form: Floats, delta: float) -> Floats:
    """Return the coefficients over the features of a form over the logits, less what rounding may take."""
    return np.asarray(form @ weights - delta * np.abs(form).sum())


def _room(largest: float, weight: float) -> tuple[float, float]:
    """Return how far a weight has to go up, and may, so that it is at most `largest` in size."""
    return max(0.0, -largest - weight), max(0.0, largest - weight)


class _Model:
    """The program: the columns of the change, and the rows of every demand."""

    def __init__(self, weights: Floats, biases: Floats, demand: Demand) -> None:
        """Add the columns: each weight and bias may go up and down, at cost 1."""
        self.program, self._weights, self._biases, self._demand = Program(), weights, biases, demand
        room = demand.largest
        self._up = np.array([[self.program.column(*_room(room, w), 1.0) for w in row] for row in weights])
        self._down = np.array([[self.program.column(*_room(room, -w), 1.0) for w in row] for row in weights])
        self._bias_up = np.array([self.program.column(0, FREE, 1.0) for _ in biases])
        self._bias_down = np.array([self.program.column(0, FREE, 1.0) for _ in biases])

    def changes(self) -> list[int]:
        """Return the columns of the change."""
        parts = (self._up.ravel(), self._down.ravel(), self._bias_up, self._bias_down)
        return [int(column) for part in parts for column in part]

    def read(self, values: Floats) -> tuple[Floats, Floats]:
        """Return dW and db of the columns' values."""
        return values[self._up] - values[self._down], values[self._bias_up] - values[self._bias_down]

    def demand(self, held: FeatureSet, form: Floats, unless: tuple[int, float] | None = None) -> None:
        """Demand that a form over the logits is at least the margin over a set.

        `unless` is (column, big): where that column is 0 the demand is less by `big`.
        """
        bias = self._form_of(form, self._biases, self._bias_up, self._bias_down, self._demand.delta_b)
        lows = self._points(held, form) if isinstance(held, Points) else [self._least(held, form)]
        for low in lows:
            total = bias.plus(1.0, low)
            if unless is not None:
                total = total.plus(unless[1], Expression(1.0, {unless[0]: -1.0}))
            self.program.row(total.terms, self._demand.margin - total.constant)

    def _form_of(self, form: Floats, held: Floats, up: Floats, down: Floats, off: float) -> Expression:
        """Return a form over numbers that may go up and down and are off by at most `off` afterwards."""
        terms: dict[int, float] = {}
        for factor, one, other in zip(form, up, down, strict=True):
            if factor:
                terms[int(one)], terms[int(other)] = factor, -factor
        return Expression(float(form @ held - off * np.abs(form).sum()), terms)

    def _coefficients(self, form: Floats) -> list[Expression]:
        """Return C, one expression per feature."""
        columns = zip(self._weights.T, self._up.T, self._down.T, strict=True)
        return [self._form_of(form, *column, self._demand.delta) for column in columns]

    def _points(self, held: Points, form: Floats) -> list[Expression]:
        """Return C h of every point."""
        fixed = held.features @ _taken(self._weights, form, self._demand.delta)
        used = np.flatnonzero(form)
        columns = np.concatenate([self._up[used].ravel(), self._down[used].ravel()]).tolist()
        found = []
        for h, constant in zip(held.features, fixed, strict=True):
            gains = np.concatenate([factor * h for factor in form[used]])
            terms = dict(zip(columns, np.concatenate([gains, -gains]).tolist(), strict=True))
            found.append(Expression(float(constant), terms))
        return found

    def _least(self, held: Box | Polytope, form: Floats) -> Expression:
        """Return an expression that is at most the least C h, and reaches it: equations (13) and (20)."""
        coefficients = self._coefficients(form)
        if isinstance(held, Box):
            return self._ends(coefficients, held)
        d, m = held.lower[0].shape
        total, slopes = Expression(0.0, {}), [Expression(0.0, {}) for _ in range(m)]
        for j in range(d):
            total, slopes = self._feature(held, j, coefficients[j], total, slopes)
        return total.plus(1.0, self._ends(slopes, held.inputs))

    def _ends(self, coefficients: Sequence[Expression], box: Box) -> Expression:
        """Return the least of a form over a box: each coordinate takes the worse of its ends, equation (12)."""
        total = Expression(0.0, {})
        for coefficient, low, high in zip(coefficients, box.low.tolist(), box.high.tolist(), strict=True):
            if low == high or not (coefficient.terms or coefficient.constant):
                total = total.plus(low, coefficient)
                continue
            worst = self.program.column(-FREE, FREE)
            for end in (low, high):
                bound = Expression(0.0, {worst: -1.0}).plus(end, coefficient)
                self.program.row(bound.terms, -bound.constant)
            total = total.plus(1.0, Expression(0.0, {worst: 1.0}))
        return total

    def _feature(
        self, held: Polytope, j: int, coefficient: Expression, total: Expression, slopes: list[Expression]
    ) -> tuple[Expression, list[Expression]]:
        """Add the part of one feature to the dual: multipliers of its two lines and of its two ends.

        C_j is their signed sum (stationarity in h_j); each line hands its slopes, times its multiplier, on to x.
        """
        lines = ((held.lower[0][j], held.lower[1][j]), (held.upper[0][j], held.upper[1][j]))
        if held.box.low[j] == held.box.high[j]:
            return total.plus(float(held.box.low[j]), coefficient), slopes
        if np.array_equal(*(line[0] for line in lines)) and lines[0][1] == lines[1][1]:
            slopes = [slope.plus(float(a), coefficient) for slope, a in zip(slopes, lines[0][0], strict=True)]
            return total.plus(float(lines[0][1]), coefficient), slopes
        balance = coefficient
        for side, (a, offset) in zip((1.0, -1.0), lines, strict=True):
            end = float(held.box.low[j] if side > 0 else held.box.high[j])
            line, edge = (Expression(0.0, {self.program.column(0, FREE): 1.0}) for _ in range(2))
            balance = balance.plus(-side, line).plus(-side, edge)
            total = total.plus(side * float(offset), line).plus(side * end, edge)
            slopes = [slope.plus(side * float(value), line) for slope, value in zip(slopes, a, strict=True)]
        self.program.row(balance.terms, -balance.constant, -balance.constant)
        return total, slopes
