"""Step 2 of PROF: the smallest change of the last layer that decides alike over every set of features.

Notation: the last layer is W h + b; the program looks for the smallest |dW|_1 + |db|_1 (equation (8)) such that for
every set there is one label whose margin over each rival is at least `margin` everywhere in the set. z is 1 for the
label that is taken. (PROF, equations (14) and (22); the big M of a label follows from a change that is known to be
enough; :mod:`equiproof.audits.prof.demands` writes the constraints.)

Accuracy, which the paper leaves out of the program, can be one of its constraints: at least `least` of the kept rows
have the margin of their own label. y is 1 for a row that counts, sum y >= `least`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from equiproof.audits.prof.clock import Clock
from equiproof.audits.prof.demands import FREE, Demand, Model, forms, rounded_down
from equiproof.audits.prof.sets import Box, FeatureSet, Points
from equiproof.certify.integer_program import FEASIBILITY

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

_CHOICE_SHARE = 0.8
"""The part of the time left that a choice of labels may take: the linear program for what it chose needs the rest."""


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
    change, and if the time ends first: `demand.seconds` bound all that is solved here. Raises ValueError for `rows` to
    be kept by weights without limit.
    """
    if rows.least and demand.largest == FREE:
        raise ValueError("rows can be kept only where the weights are limited: set Demand.largest")
    step = _Step(weights, biases, sets, demand, rows)
    fixed_labels = None if labels is None else tuple(labels)
    try:
        best = step.fixed(fixed_labels) if fixed_labels is not None else _smallest(step, demand)
        if isinstance(best, NoChange) or step.count_right(best) >= rows.least:
            # The program without the rows is a relaxation: if it has no change, or its smallest one keeps them, this
            # holds.
            return best
        return _accurate(step, demand, best, fixed_labels)
    except TimeoutError as error:
        return NoChange(str(error), certain=False)


def _smallest(step: _Step, demand: Demand) -> Change | NoChange:
    """Return the smallest change without regard to rows, with labels chosen as well."""
    first = step.fixed(step.natural())
    if isinstance(first, Change) and not step.gaps(first.objective):
        # No other label of any set is within reach of a change that small: the first one is the smallest.
        return first
    if isinstance(first, NoChange) and first.certain and demand.largest == FREE:
        # Two sets that meet cannot take different labels; free weights and biases can give all of them the same one.
        first = step.alike()
    reach = first.objective if isinstance(first, Change) else FREE
    if reach == FREE and demand.largest == FREE:
        return first
    return _better(step, demand, first, step.choose(reach, first))


def _accurate(step: _Step, demand: Demand, inaccurate: Change, labels: tuple[int, ...] | None) -> Change | NoChange:
    """Return the smallest change that keeps enough rows, too; `inaccurate` is one that keeps too few."""
    likely = step.likeliest(inaccurate)
    first = step.fixed(inaccurate.labels, likely)
    reach = first.objective if isinstance(first, Change) else FREE
    return _better(step, demand, first, step.choose(reach, first, _RowDemand(labels, likely)))


def _better(step: _Step, demand: Demand, first: Change | NoChange, choice: _Choice) -> Change | NoChange:
    """Return the better one of a first change and of what a program chose, with the program's bound."""
    if choice.labels is None:
        if isinstance(first, Change):
            return replace(first, bound=max(choice.bound, 0.0))
        reason = first.reason if choice.certain else f"no labels were found within {demand.seconds:g} s"
        return NoChange(reason, choice.certain)
    # The linear program for the chosen labels needs no big M, which multiplies the solver's tolerance.
    final = step.fixed(choice.labels, choice.rows)
    best = final if isinstance(first, NoChange) or _is_smaller(final, first) else first
    if isinstance(best, NoChange):
        return best
    return replace(best, bound=min(max(choice.bound, 0.0), best.objective))


@dataclass(frozen=True)
class _Choice:
    """What a program chose: the label of every set, None where it found no values, and the rows that count.

    No change is smaller than `bound`; `certain`: it is proven that no change exists.
    """

    labels: tuple[int, ...] | None
    rows: tuple[int, ...]
    bound: float
    certain: bool


@dataclass(frozen=True)
class _RowDemand:
    """That rows are to be kept: the labels of the sets where they are fixed, and rows that may well be kept."""

    labels: tuple[int, ...] | None
    likely: tuple[int, ...]


def _is_smaller(one: Change | NoChange, other: Change) -> bool:
    """Return whether one is a change, and not larger than another."""
    return isinstance(one, Change) and one.objective <= other.objective


def _largest(columns: Mapping[int, int], values: Floats) -> int:
    """Return the label whose column has the largest value, the first one of equals."""
    return max(columns, key=lambda label: float(values[columns[label]]))


class _Step:
    """One layer, its sets, what is demanded, and the rows to keep."""

    def __init__(self, weights: Floats, biases: Floats, sets: Sequence[FeatureSet], demand: Demand, rows: Rows) -> None:
        """Keep them; labels are 0 and 1 for a single logit, else one per logit."""
        self._weights = weights
        self._biases = biases
        self._sets = sets
        self._demand = demand
        self._rows = [Points(features[None]) for features in rows.features]
        self._row_labels: list[int] = rows.labels.tolist()
        self._least_right = rows.least
        self._clock: Clock = demand.clock.within(demand.seconds)
        self._logits = len(biases)
        self._labels = range(max(2, self._logits))

    @cached_property
    def margins(self) -> Floats:
        """The least margin of every label over every set before any change, shape (sets, labels)."""
        return np.array([self._set_margins(features) for features in self._sets])

    def _set_margins(self, features: FeatureSet) -> list[float]:
        """Return the least margin of every label over one set; raises TimeoutError once the time has ended."""
        self._clock.refuse_over()
        return [self._margin(features, label) for label in self._labels]

    def natural(self) -> tuple[int, ...]:
        """Return for every set the label that is nearest to being decided everywhere."""
        return tuple(int(label) for label in self.margins.argmax(axis=1))

    def gaps(self, reach: float) -> dict[tuple[int, int], float]:
        """Return, for every (set, other label) that a change of that size may bring about, how far its margin is."""
        gaps = {}
        for i, label in enumerate(self.natural()):
            for other in self._labels:
                gap = self._demand.margin - self.margins[i, other]
                if other != label and gap <= _largest_move(reach, self._sets[i]):
                    gaps[i, other] = gap
        return gaps

    def count_right(self, change: Change) -> int:
        """Return how many rows have the margin of their own label after a change, up to the solver's tolerance."""
        return int((self._row_margins(change) >= self._demand.margin - FEASIBILITY).sum())

    def likeliest(self, change: Change) -> tuple[int, ...]:
        """Return the rows that are nearest to counting after a change, as many as are to be kept."""
        return tuple(np.argsort(-self._row_margins(change), kind="stable")[: self._least_right].tolist())

    def fixed(self, labels: Sequence[int], rows: Sequence[int] = ()) -> Change | NoChange:
        """Solve the linear program for given labels of the sets, and for rows that are to be right."""
        model = Model(self._weights, self._biases, self._demand)
        labelled_rows = ((self._rows[row], self._row_labels[row]) for row in rows)
        for features, label in (*zip(self._sets, labels, strict=True), *labelled_rows):
            if self._clock.over:
                return NoChange("the time ended", certain=False)
            for form in forms(label, self._logits):
                model.demand(features, form)
        solved = model.program.solve(self._clock.rest, seed=self._demand.seed)
        if solved.values is None:
            if solved.status == "infeasible":
                return NoChange("no change within the limits keeps these labels", certain=True)
            return NoChange("the solver reached its limit", certain=False)
        weights, biases = model.read(solved.values)
        return Change(weights, biases, tuple(labels), solved.objective, max(solved.bound, 0.0))

    def alike(self) -> Change | NoChange:
        """Return the smallest change that gives every set the same label: one exists where nothing is limited."""
        outcomes = [self.fixed((label,) * len(self._sets)) for label in self._labels]
        changes = [outcome for outcome in outcomes if isinstance(outcome, Change)]
        if not changes:
            return NoChange("the solver reached its limit", certain=False)
        # Of equal changes, that of the lowest label.
        return min(changes, key=lambda change: change.objective)

    def choose(self, reach: float, start: Change | NoChange, row_demand: _RowDemand | None = None) -> _Choice:
        """Solve the program with labels free, none costing more than `reach`; with `row_demand`, rows are kept."""
        try:
            return self._chosen(reach, start, row_demand)
        except TimeoutError:
            return _Choice(None, (), 0.0, certain=False)

    def _chosen(self, reach: float, start: Change | NoChange, row_demand: _RowDemand | None) -> _Choice:
        """Do so; raises TimeoutError if the time ends before the program is written."""
        clock = self._clock.share(_CHOICE_SHARE)
        model = Model(self._weights, self._biases, self._demand)
        if reach < FREE:
            # The solver's own tolerance must not shut out the change that the reach was taken from.
            reach = reach * (1 + 1e-7) + 1e-12
            model.program.row(dict.fromkeys(model.changes(), 1.0), 0.0, reach)
        largest_change = reach if reach < FREE else self._largest_change()
        fixed_labels = None if row_demand is None else row_demand.labels
        labels = fixed_labels or self.natural()
        others = {} if fixed_labels is not None else self._other_labels(reach)
        label_columns = [
            self._label_columns(model, features, [labels[i], *others.get(i, ())], largest_change)
            for i, features in enumerate(self._sets)
        ]
        row_columns = {} if row_demand is None else self._row_columns(model, largest_change)
        known_labels = start.labels if isinstance(start, Change) else labels
        hints = _label_hints(label_columns, known_labels)
        if row_demand is not None:
            hints |= {column: float(row in row_demand.likely) for row, column in row_columns.items()}
        clock.refuse_over()
        solved = model.program.solve(clock.rest, hints, seed=self._demand.seed)
        if solved.values is None:
            return _Choice(None, (), max(solved.bound, 0.0), solved.status == "infeasible" and reach == FREE)
        values = solved.values
        chosen_labels = [
            _largest(columns, values) if columns else label
            for columns, label in zip(label_columns, labels, strict=True)
        ]
        # Columns of rows are 0 or 1 up to the solver's tolerance.
        chosen_rows = tuple(row for row, column in row_columns.items() if values[column] > 1 / 2)
        return _Choice(tuple(chosen_labels), chosen_rows, solved.bound, certain=False)

    def _other_labels(self, reach: float) -> dict[int, list[int]]:
        """Return for every set the labels besides its natural one that a change of that size may bring about."""
        gaps = None if reach == FREE else self.gaps(reach)
        return {
            i: [other for other in self._labels if other != label and (gaps is None or (i, other) in gaps)]
            for i, label in enumerate(self.natural())
        }

    def _label_columns(
        self, model: Model, features: FeatureSet, labels: Sequence[int], largest_change: float
    ) -> dict[int, int]:
        """Demand one of some labels over a set; return the column of each, none for a single label."""
        if len(labels) == 1:
            self._demand_all(model, features, labels[0], None, 0.0)
            return {}
        columns = {label: model.program.column(0, 1, integer=True) for label in labels}
        model.program.row(dict.fromkeys(columns.values(), 1.0), 1.0, 1.0)
        for label, column in columns.items():
            self._demand_all(model, features, label, column, _largest_move(largest_change, features))
        return columns

    def _row_columns(self, model: Model, largest_change: float) -> dict[int, int]:
        """Demand that enough rows are right; return the column of every row that a change may turn either way."""
        always_right = 0
        columns = {}
        for row, (features, label) in enumerate(zip(self._rows, self._row_labels, strict=True)):
            gap = self._demand.margin - self._margin(features, label)
            move = _largest_move(largest_change, features)
            if gap <= -move:
                always_right += 1
            elif gap <= move:
                columns[row] = model.program.column(0, 1, integer=True)
                self._demand_all(model, features, label, columns[row], move)
        model.program.row(dict.fromkeys(columns.values(), 1.0), self._least_right - always_right)
        return columns

    def _demand_all(self, model: Model, features: FeatureSet, label: int, column: int | None, move: float) -> None:
        """Demand every margin of a label over a set, unless its column is 0; a change moves margins by `move` at most.

        Raises TimeoutError once the time has ended.
        Where the column is 0, big M makes the demand void: M is the gap to the margin before any change and the move.
        """
        self._clock.refuse_over()
        for form in forms(label, self._logits):
            # A box from 0 contains every set, so the least value over it is never too large, and M never too small.
            box = Box(np.zeros_like(features.high), features.high)
            low = box.least(rounded_down(self._weights, form, self._demand.delta))
            bias_error = self._demand.delta_b * float(np.abs(form).sum())
            big = move + self._demand.margin - low - float(form @ self._biases) + bias_error
            model.demand(features, form, None if column is None else (column, max(big, 0.0)))

    def _margin(self, features: FeatureSet, label: int, change: Change | None = None) -> float:
        """Return the least margin of a label over a set before any change, or after one, rounding inside."""
        demand = self._demand
        weights = self._weights
        biases = self._biases
        if change is not None:
            weights = weights + change.weights
            biases = biases + change.biases
        return min(
            features.least(rounded_down(weights, form, demand.delta))
            + float(form @ biases)
            - demand.delta_b * float(np.abs(form).sum())
            for form in forms(label, self._logits)
        )

    def _row_margins(self, change: Change) -> Floats:
        """Return the margin of every row's own label after a change, shape (rows,)."""
        rows = zip(self._rows, self._row_labels, strict=True)
        return np.array([self._margin(features, label, change) for features, label in rows], dtype=np.float64)

    def _largest_change(self) -> float:
        """Return what a smallest change within the limits cannot exceed, for any labels that can be had.

        Weights move by twice the limit at most; biases need not do more than outweigh all of them.
        """
        largest = self._demand.largest
        largest_sum = max(float(features.high.sum()) for features in (*self._sets, *self._rows))
        largest_logit = 2 * largest * largest_sum + float(np.abs(self._biases).max())
        return 2 * largest * self._weights.size + self._logits * (self._demand.margin + 2 * largest_logit)


def _label_hints(label_columns: Sequence[Mapping[int, int]], labels: Sequence[int]) -> dict[int, float]:
    """Return values to start from: 1 for the columns of these labels of the sets, 0 for others."""
    return {
        column: float(label == labels[i])
        for i, columns in enumerate(label_columns)
        for label, column in columns.items()
    }


def _largest_move(change: float, features: FeatureSet) -> float:
    """Return how far a change of a size moves a margin over a set at most.

    A change of 1 in a weight moves it by the feature, which is 0 or more, a change of 1 in a bias by 1.
    """
    return change * max(1.0, float(features.high.max(initial=0.0)))
