"""Step 2 of PROF: the smallest change of the last layer that decides alike over every set of features.

Notation: the last layer is W h + b; the program looks for the smallest |dW|_1 + |db|_1 (equation (8)) such that for
every set there is one label whose margin over each rival is at least `margin` everywhere in the set. z is 1 for the
label that is taken. (PROF, equations (14) and (22); the big M of a label follows from a change that is known to be
enough; :mod:`equiproof.audits.prof.demands` writes the constraints.)

Accuracy, which the paper leaves out of the program, can be one of its constraints: at least `least` of the kept rows
have the margin of their own label. y is 1 for a row that counts, sum y >= `least`.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from equiproof.audits.prof.demands import FREE, Demand, Model, forms, taken
from equiproof.audits.prof.linear import FEASIBILITY
from equiproof.audits.prof.sets import Box, FeatureSet, Points

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


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
class Rows:
    """Rows of which at least `least` are to be decided as they are labelled: features (rows, d), labels (rows,)."""

    features: Floats
    labels: Integers
    least: int


NO_ROWS = Rows(np.zeros((0, 0)), np.zeros(0, dtype=np.int64), 0)
"""No constraint on accuracy."""


def repair_layer(
    weights: Floats,
    biases: Floats,
    sets: Sequence[FeatureSet],
    demand: Demand,
    *,
    labels: Sequence[int] | None = None,
    rows: Rows = NO_ROWS,
) -> Change | NoChange:
    """Return the smallest change of a layer, weights (logits, d) and biases (logits,), that keeps the demand.

    `labels` fixes the label of every set; without it, the labels are chosen, too. A NoChange is returned if there is no
    change. Raises ValueError for `rows` to be kept by weights without limit.
    """
    if rows.least and demand.largest == FREE:
        raise ValueError("rows can be kept only where the weights are limited: set Demand.largest")
    step, begun = _Step(weights, biases, sets, demand, rows), time.monotonic()
    best = step.fixed(tuple(labels)) if labels is not None else _chosen(step, demand, begun)
    if isinstance(best, NoChange) or step.right(best) >= rows.least:
        # Without the rows the program asks for less: what it cannot have, or has at least cost, stands.
        return best
    return _accurate(step, demand, best, begun, None if labels is None else tuple(labels))


def _chosen(step: _Step, demand: Demand, begun: float) -> Change | NoChange:
    """Return the smallest change without regard to rows, with labels chosen as well."""
    first = step.fixed(step.natural())
    if isinstance(first, Change) and not step.open(first.objective):
        return first
    if isinstance(first, NoChange) and first.certain and demand.largest == FREE:
        # Two sets that meet cannot take different labels; free weights and biases can give all of them the same one.
        first = step.alike()
    reach = first.objective if isinstance(first, Change) else FREE
    if reach == FREE and demand.largest == FREE:
        return first
    chosen, bound, certain = step.choose(reach, _left(demand, begun), first)
    return _better(step, demand, first, (chosen, bound, certain))


def _accurate(
    step: _Step, demand: Demand, known: Change, begun: float, labels: tuple[int, ...] | None
) -> Change | NoChange:
    """Return the smallest change that keeps enough rows, too; `known` is one that keeps too few."""
    likely = step.likeliest(known)
    first = step.fixed(known.labels, likely)
    reach = first.objective if isinstance(first, Change) else FREE
    found = step.choose(reach, _left(demand, begun), first, _Wanted(labels, likely))
    return _better(step, demand, first, found)


def _left(demand: Demand, begun: float) -> float:
    """Return the seconds that are left for the choice, at least one."""
    return max(demand.seconds - (time.monotonic() - begun), 1.0)


def _better(
    step: _Step, demand: Demand, first: Change | NoChange, found: tuple[_Taken | None, float, bool]
) -> Change | NoChange:
    """Return the better one of a first change and of what a program chose, with the program's bound."""
    chosen, bound, certain = found
    if chosen is None:
        if isinstance(first, Change):
            return replace(first, bound=max(bound, 0.0))
        return NoChange(first.reason if certain else f"no labels were found within {demand.seconds:g} s", certain)
    final = step.fixed(chosen.labels, chosen.rows)
    best = final if isinstance(first, NoChange) or _smaller(final, first) else first
    if isinstance(best, NoChange):
        return best
    return replace(best, bound=min(max(bound, 0.0), best.objective))


@dataclass(frozen=True)
class _Taken:
    """What a program chose: the label of every set, and the rows that count."""

    labels: tuple[int, ...]
    rows: tuple[int, ...] = ()


@dataclass(frozen=True)
class _Wanted:
    """That rows are to be kept: the labels of the sets where they are fixed, and rows that may well be kept."""

    labels: tuple[int, ...] | None
    likely: tuple[int, ...]


def _smaller(one: Change | NoChange, other: Change) -> bool:
    """Return whether one is a change, and not larger than another."""
    return isinstance(one, Change) and one.objective <= other.objective


def _largest(chosen: Mapping[int, int], values: Floats) -> int:
    """Return the label whose column has the largest value."""
    return max(chosen, key=lambda label: float(values[chosen[label]]))


class _Step:
    """One layer, its sets, what is demanded, and the rows to keep."""

    def __init__(self, weights: Floats, biases: Floats, sets: Sequence[FeatureSet], demand: Demand, rows: Rows) -> None:
        """Keep them; labels are 0 and 1 for a single logit, else one per logit."""
        self._weights, self._biases, self._sets, self._demand = weights, biases, sets, demand
        self._rows = [Points(features[None]) for features in rows.features]
        self._row_labels, self._least = rows.labels.tolist(), rows.least
        self._logits = len(biases)
        self._labels = range(max(2, self._logits))

    @cached_property
    def margins(self) -> Floats:
        """The least margin of every label over every set before any change, shape (sets, labels)."""
        return np.array([[self._margin(held, label) for label in self._labels] for held in self._sets])

    def natural(self) -> tuple[int, ...]:
        """Return for every set the label that is nearest to being decided everywhere."""
        return tuple(int(label) for label in self.margins.argmax(axis=1))

    def open(self, reach: float) -> dict[tuple[int, int], float]:
        """Return, for every (set, other label) that a change of that size may bring about, how far its margin is."""
        found = {}
        for i, label in enumerate(self.natural()):
            for other in self._labels:
                gap = self._demand.margin - self.margins[i, other]
                if other != label and gap <= _moved(reach, self._sets[i]):
                    found[i, other] = gap
        return found

    def right(self, change: Change) -> int:
        """Return how many rows have the margin of their own label after a change."""
        return int((self._row_margins(change) >= self._demand.margin - FEASIBILITY).sum())

    def likeliest(self, change: Change) -> tuple[int, ...]:
        """Return the rows that are nearest to counting after a change, as many as are to be kept."""
        return tuple(np.argsort(-self._row_margins(change), kind="stable")[: self._least].tolist())

    def fixed(self, labels: Sequence[int], rows: Sequence[int] = ()) -> Change | NoChange:
        """Solve the linear program for given labels of the sets, and for rows that are to be right."""
        model = Model(self._weights, self._biases, self._demand)
        wanted = [*zip(self._sets, labels, strict=True), *((self._rows[r], self._row_labels[r]) for r in rows)]
        for held, label in wanted:
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
        self, reach: float, seconds: float, start: Change | NoChange, wanted: _Wanted | None = None
    ) -> tuple[_Taken | None, float, bool]:
        """Solve the program with labels free, none costing more than `reach`; with `wanted`, rows are kept.

        Returns the choice, a lower bound of every change, and whether it is proven that there is none.
        """
        model = Model(self._weights, self._biases, self._demand)
        labels = None if wanted is None else wanted.labels
        natural, open_ = labels or self.natural(), None
        if reach < FREE:
            # The solver's own tolerance must not shut out the change that the reach was taken from.
            reach = reach * (1 + 1e-7) + 1e-12
            model.program.row(dict.fromkeys(model.changes(), 1.0), 0.0, reach)
            open_ = self.open(reach)
        within = reach if reach < FREE else self._widest()
        others = {} if labels is not None else {
            i: [k for k in self._labels if k != natural[i] and (open_ is None or (i, k) in open_)]
            for i in range(len(self._sets))
        }  # fmt: skip
        choices = [
            self._label_columns(model, held, [natural[i], *others.get(i, ())], within)
            for i, held in enumerate(self._sets)
        ]
        counted = {} if wanted is None else self._row_columns(model, within)
        known = start.labels if isinstance(start, Change) else natural
        hints = {column: float(k == known[i]) for i, chosen in enumerate(choices) for k, column in chosen.items()}
        hints |= {column: float(wanted is not None and row in wanted.likely) for row, column in counted.items()}
        solved = model.program.solve(seconds, hints, seed=self._demand.seed)
        if solved.values is None:
            return None, max(solved.bound, 0.0), solved.status == "infeasible" and reach == FREE
        values = solved.values
        taken_labels = [_largest(chosen, values) if chosen else natural[i] for i, chosen in enumerate(choices)]
        rows = tuple(row for row, column in counted.items() if values[column] > 1 / 2)
        return _Taken(tuple(taken_labels), rows), solved.bound, False

    def _label_columns(self, model: Model, held: FeatureSet, labels: Sequence[int], within: float) -> dict[int, int]:
        """Demand one of some labels over a set; return the column of each, none for a single label."""
        if len(labels) == 1:
            self._demand_all(model, held, labels[0], None, 0.0)
            return {}
        chosen = {k: model.program.column(0, 1, integer=True) for k in labels}
        model.program.row(dict.fromkeys(chosen.values(), 1.0), 1.0, 1.0)
        for k, column in chosen.items():
            self._demand_all(model, held, k, column, _moved(within, held))
        return chosen

    def _row_columns(self, model: Model, within: float) -> dict[int, int]:
        """Demand that enough rows are right; return the column of every row that a change may turn either way."""
        sure, found = 0, {}
        for r, (held, label) in enumerate(zip(self._rows, self._row_labels, strict=True)):
            gap, moved = self._demand.margin - self._margin(held, label), _moved(within, held)
            if gap <= -moved:
                sure += 1
            elif gap <= moved:
                found[r] = model.program.column(0, 1, integer=True)
                self._demand_all(model, held, label, found[r], moved)
        model.program.row(dict.fromkeys(found.values(), 1.0), self._least - sure)
        return found

    def _demand_all(self, model: Model, held: FeatureSet, label: int, column: int | None, big: float) -> None:
        """Demand every margin of a label over a set, unless its column is 0."""
        for form in forms(label, self._logits):
            # A box bounds every set from below, so this much always suffices where the label is not taken.
            low = Box(np.zeros_like(held.high), held.high).least(taken(self._weights, form, self._demand.delta))
            off = self._demand.delta_b * float(np.abs(form).sum())
            free = big + self._demand.margin - low - float(form @ self._biases) + off
            model.demand(held, form, None if column is None else (column, max(free, 0.0)))

    def _margin(self, held: FeatureSet, label: int, change: Change | None = None) -> float:
        """Return the least margin of a label over a set before any change, or after one, rounding inside."""
        weights, biases, demand = self._weights, self._biases, self._demand
        if change is not None:
            weights, biases = weights + change.weights, biases + change.biases
        return min(
            held.least(taken(weights, form, demand.delta))
            + float(form @ biases)
            - demand.delta_b * float(np.abs(form).sum())
            for form in forms(label, self._logits)
        )

    def _row_margins(self, change: Change) -> Floats:
        """Return the margin of every row's own label after a change, shape (rows,)."""
        return np.array(
            [self._margin(*row, change) for row in zip(self._rows, self._row_labels, strict=True)], dtype=np.float64
        )

    def _widest(self) -> float:
        """Return what a smallest change within the limits cannot exceed, for any labels that can be had.

        Weights move by twice the limit at most; biases need not do more than outweigh all of them.
        """
        largest = self._demand.largest
        outweighed = 2 * largest * max(float(held.high.sum()) for held in (*self._sets, *self._rows)) + float(
            np.abs(self._biases).max()
        )
        return 2 * largest * self._weights.size + self._logits * (self._demand.margin + 2 * outweighed)


def _moved(change: float, held: FeatureSet) -> float:
    """Return how far a change of a size moves a margin over a set at most."""
    return change * max(1.0, float(held.high.max(initial=0.0)))
