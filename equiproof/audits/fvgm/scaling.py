"""From real coefficients to whole weights, and the choice of bins and multiplier (sections 3.5 and 4).

A feature's contribution to the decision is what its columns add to the decision function; a value counts with the mean
contribution of the rows that have it, w_c mu_i of the paper. Contributions are divided by the largest spread of any
feature, multiplied by l in {1, ..., 100} and rounded, so that the result does not depend on the units of the columns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from equiproof.audits.fvgm.budget import check
from equiproof.audits.fvgm.learning import Coded
from equiproof.audits.fvgm.linear import Linear

MAX_MULTIPLIER = 100
"""The largest multiplier, as in the paper's experiments (section 4)."""

Matrix = npt.NDArray[np.float64]

_SCALERS = ("MaxAbsScaler", "MinMaxScaler", "RobustScaler", "StandardScaler")


class NotLinearError(ValueError):
    """A model without one coefficient per column; one line naming the model and the requirement."""


@dataclass(frozen=True)
class Scores:
    """A decision function by columns: accept a row x of the matrix where `weights` x + `bias` is at least 0."""

    weights: Matrix
    bias: float

    def accepts(self, X: Matrix) -> npt.NDArray[np.bool_]:
        """Return the decisions on rows."""
        return X @ self.weights + self.bias >= 0


def scores_of(model: Any) -> Scores:
    """Return the decision function of a fitted scikit-learn model with two classes.

    Anything with `coef_` and `intercept_` of one row, such as LogisticRegression or LinearSVC, alone or at the end of a
    pipeline of scalers. Raises NotLinearError for anything else.
    """
    steps = [step for _, step in getattr(model, "steps", [("", model)])]
    scalers = steps[:-1]
    last = steps[-1]
    for step in scalers:
        if type(step).__name__ not in _SCALERS:
            raise NotLinearError(f"a pipeline with {type(step).__name__}: want scalers and a linear model")
    if not (hasattr(last, "coef_") and hasattr(last, "intercept_") and len(getattr(last, "classes_", ())) == 2):
        raise NotLinearError(f"{type(last).__name__}: want a fitted linear model of two classes, with coef_")
    weights = np.asarray(last.coef_, dtype=np.float64).reshape(-1)
    bias = float(np.asarray(last.intercept_).reshape(-1)[0])
    if weights.shape != (last.n_features_in_,):
        raise NotLinearError(f"{type(last).__name__}: {len(weights)} coefficients for {last.n_features_in_} columns")
    zero = np.zeros((1, len(weights)))
    units = np.eye(len(weights))
    for step in scalers:
        # A scaler is affine in each column: its values at 0 and at the unit vectors determine it.
        zero = np.asarray(step.transform(zero))
        units = np.asarray(step.transform(units))
    slopes = np.diag(units) - zero[0]
    return Scores(weights * slopes, bias + float(zero[0] @ weights))


@dataclass(frozen=True)
class Contributions:
    """What each value of each feature adds to the decision function; accept where the sum is at least `threshold`."""

    values: Mapping[str, tuple[float, ...]]
    threshold: float


def contributions(scores: Scores, X: Matrix, blocks: Mapping[str, Sequence[int]], data: Coded) -> Contributions:
    """Return the mean contribution of each value over rows; `blocks` are the columns of X that belong to a feature.

    A value that does not occur counts with the feature's mean.
    """
    by_feature = {}
    for name, values in data.values.items():
        columns = list(blocks[name])
        added = X[:, columns] @ scores.weights[columns]
        codes = data.column(name)
        times = np.bincount(codes, minlength=len(values))
        sums = np.bincount(codes, weights=added, minlength=len(values))
        means = np.where(times > 0, sums / np.maximum(times, 1), added.mean() if len(added) else 0.0)
        by_feature[name] = tuple(means.tolist())
    return Contributions(by_feature, -scores.bias)


def scaled(contributions: Contributions, multiplier: int) -> Linear:
    """Return whole weights: contributions above each feature's least one, in units of the largest spread over l."""
    spreads = [max(values) - min(values) for values in contributions.values.values()]
    unit = max(spreads, default=0.0) or 1.0
    least = sum(min(values) for values in contributions.values.values())
    weights = {
        name: tuple(round(multiplier * (value - min(values)) / unit) for value in values)
        for name, values in contributions.values.items()
    }
    return Linear(weights, round(multiplier * (contributions.threshold - least) / unit))


def decisions(linear: Linear, data: Coded) -> npt.NDArray[np.bool_]:
    """Return the decisions of whole weights on coded rows."""
    total = np.zeros(len(data.codes), dtype=np.int64)
    for name, values in data.values.items():
        total += np.asarray(linear.of(name, values), dtype=np.int64)[data.column(name)]
    return total >= linear.threshold


@dataclass(frozen=True)
class Tuned:
    """The best of a grid: the setting (as the caller named it), multiplier, weights, and how they compare.

    `agreement` is the share of rows decided as the model does, `gap` the largest difference of any group's share
    accepted by the two.
    """

    setting: Any
    multiplier: int
    linear: Linear
    agreement: float
    gap: float


def tuned(
    settings: Iterable[Any],
    prepare: Callable[[Any], tuple[Contributions, Coded]],
    decisions: npt.NDArray[np.bool_],
    groups: npt.NDArray[np.int64],
    multipliers: Iterable[int] = range(1, MAX_MULTIPLIER + 1),
    *,
    deadline: float | None = None,
) -> Tuned:
    """Search the grid of settings and multipliers for the least sum of disagreement and gap.

    `prepare` returns, for a setting such as a number of bins, the contributions and the coded rows to compare on;
    `decisions` are the model's on these, `groups` their groups by number. The gap counts beside the disagreement
    as it is shares of groups that are verified. Of equal ones the first counts.

    Raises OutOfTimeError past the deadline, a moment of `time.monotonic` that is looked at before each setting.
    """
    best: tuple[float, Tuned] | None = None
    candidates = np.array(list(multipliers), dtype=np.int64)
    comparison = _Comparison.of(decisions, groups)
    grid = list(settings)
    for done, setting in enumerate(grid):
        check(deadline, f"whole weights were tuned: {done} of {len(grid)} settings tried")
        contributions, compared = prepare(setting)
        disagreement, gap = comparison.against(contributions, compared, candidates)
        least = int(np.argmin(disagreement + gap))
        loss = float(disagreement[least] + gap[least])
        if best is None or loss < best[0]:
            multiplier = int(candidates[least])
            own = Tuned(
                setting,
                multiplier,
                scaled(contributions, multiplier),
                float(1 - disagreement[least]),
                float(gap[least]),
            )
            best = (loss, own)
    if best is None:
        raise ValueError("tuned: no setting to try")
    return best[1]


@dataclass(frozen=True)
class _Comparison:
    """The model's decisions on rows sorted by group, where each group begins, and how many rows it has."""

    order: npt.NDArray[np.int64]
    decisions: npt.NDArray[np.bool_]
    starts: npt.NDArray[np.int64]
    sizes: npt.NDArray[np.int64]

    @classmethod
    def of(cls, decisions: npt.NDArray[np.bool_], groups: npt.NDArray[np.int64]) -> _Comparison:
        """Sort rows by group."""
        order = np.argsort(groups, kind="stable")
        starts = np.flatnonzero(np.diff(groups[order], prepend=-1))
        return cls(order, decisions[order], starts, np.diff(np.append(starts, len(order))))

    def against(
        self, contributions: Contributions, data: Coded, multipliers: npt.NDArray[np.int64]
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """Return disagreement and gap of the weights of every multiplier, rounded as `scaled` does.

        One multiplier at a time: sums of rows then stay in the processor's cache.
        """
        unit = max((max(values) - min(values) for values in contributions.values.values()), default=0.0) or 1.0
        least = sum(min(values) for values in contributions.values.values())
        above = [np.array(values) - min(values) for values in contributions.values.values()]
        codes = [np.ascontiguousarray(data.column(name)[self.order]) for name in contributions.values]
        # Rows are sorted by group, so each group is one run between two starts.
        counts = np.add.reduceat(self.decisions, self.starts, dtype=np.int64)
        disagreement = np.empty(len(multipliers))
        gap = np.empty(len(multipliers))
        for number, multiplier in enumerate(multipliers):
            total = np.zeros(len(self.order), dtype=np.int64)
            for part, own in zip(above, codes, strict=True):
                total += np.rint(part * multiplier / unit).astype(np.int64)[own]
            accepted = total >= np.rint(multiplier * (contributions.threshold - least) / unit)
            disagreement[number] = (accepted != self.decisions).mean()
            more = np.add.reduceat(accepted, self.starts, dtype=np.int64) - counts
            gap[number] = np.abs(more / self.sizes).max()
        return disagreement, gap
