"""Statistical parity and equalized odds: fairlearn's group metrics, with an interval for each share and each gap.

Signatures are fairlearn's: true labels, decisions, and keyword-only `sensitive_features` in any form that MetricFrame
takes (a sequence, a mapping of names to sequences, a DataFrame). Shares of a group have Wilson's interval. Gaps between
groups have the percentile interval of a bootstrap over rows (:mod:`equiproof.audits.gaps`): a gap of many small groups
is never near zero by chance alone, and the interval says so.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
import numpy.typing as npt

from equiproof.audits import gaps
from equiproof.audits.gaps import DRAWS, IMPACT, ODDS, PARITY, Counts
from equiproof.audits.intervals import share
from equiproof.audits.records import Estimate
from equiproof.certify.many.point import Assignment

if TYPE_CHECKING:
    from fairlearn.metrics import MetricFrame

Flags = npt.NDArray[np.bool_]


def statistical_parity(
    y_true: Any, y_pred: Any, *, sensitive_features: Any, label: Any = 1, seed: int = 0, draws: int = DRAWS
) -> tuple[Estimate, ...]:
    """Return the share that gets `label`, over all and by group, with the gap and the ratio between groups.

    The gap is `fairlearn.metrics.demographic_parity_difference`, the ratio, disparate impact, is
    `demographic_parity_ratio`. `y_true` is not looked at, and may be None.
    """
    del y_true
    groups = _Groups(sensitive_features, len(y_pred))
    counts = groups.counted(np.asarray(y_pred) == label)
    return (
        *groups.shares("selection rate", counts),
        gaps.estimated(PARITY, gaps.parity, counts, seed=seed, draws=draws),
        gaps.estimated(IMPACT, gaps.impact, counts, seed=seed, draws=draws),
    )


def equalized_odds(
    y_true: Any, y_pred: Any, *, sensitive_features: Any, label: Any = 1, seed: int = 0, draws: int = DRAWS
) -> tuple[Estimate, ...]:
    """Return the rates at which `label` is decided rightly and wrongly, over all and by group, with their gaps.

    The last one is `fairlearn.metrics.equalized_odds_difference`, the larger one of both gaps. A group without rows of
    a true label has no such rate, and no part in its gap; fairlearn counts it as 0.
    """
    groups = _Groups(sensitive_features, len(y_pred))
    counts = groups.counted(np.asarray(y_true) == label, np.asarray(y_pred) == label)
    names = {1: "true positive rate", 0: "false positive rate"}
    return (
        *(one for true, name in names.items() for one in groups.shares(name, counts[:, true])),
        *(_of_label(f"{name} difference", true, counts, seed, draws) for true, name in names.items()),
        gaps.estimated(ODDS, gaps.odds, counts, seed=seed, draws=draws),
    )


def _of_label(measure: str, true: int, counts: Counts, seed: int, draws: int) -> Estimate:
    """Return the gap of the rates of one true label; rows of both are drawn anew, as for odds."""
    gap = gaps.estimated(measure, lambda sample: gaps.parity(sample[:, true]), counts, seed=seed, draws=draws)
    return msgspec.structs.replace(gap, n=gaps.smallest(counts[:, true]))


class _Groups:
    """The groups of rows, by fairlearn's MetricFrame, in the order of its index."""

    def __init__(self, features: Any, rows: int) -> None:
        """Group the rows."""
        counts = _frame({"n": len, "positions": list}, np.arange(rows), features).by_group
        self._names = [_assignment(counts.index.names, key) for key in counts.index]
        self._codes = np.zeros(rows, dtype=np.int64)
        for number, positions in enumerate(counts["positions"]):
            # Of several features, MetricFrame lists also the values that do not occur.
            if isinstance(positions, list):
                self._codes[positions] = number

    def counted(self, *flags: Flags) -> Counts:
        """Return how many rows there are by group and by each flag, shape (groups, 2, ...)."""
        counts = np.zeros((len(self._names), *(2 for _ in flags)), dtype=np.int64)
        np.add.at(counts, (self._codes, *(one.astype(np.int64) for one in flags)), 1)
        return counts

    def shares(self, measure: str, counts: Counts) -> list[Estimate]:
        """Return the selected share over all and in each group that has rows at all; `counts` are (groups, 2)."""
        refused, selected = counts.sum(axis=0).tolist()
        present = np.bincount(self._codes, minlength=len(counts))
        return [share(measure, selected, refused + selected)] + [
            share(measure, int(counts[number, 1]), int(counts[number].sum()), group=group)
            for number, group in enumerate(self._names)
            if present[number]
        ]


def _frame(metrics: dict[str, Callable[..., Any]], values: Any, features: Any) -> MetricFrame:
    """Return fairlearn's frame of metrics that look at one sequence of values."""
    from fairlearn.metrics import MetricFrame

    looked = {name: _of_first(metric) for name, metric in metrics.items()}
    return MetricFrame(metrics=looked, y_true=values, y_pred=values, sensitive_features=features)


def _of_first(metric: Callable[..., Any]) -> Callable[[Any, Any], Any]:
    """Return a metric of true labels and decisions that looks at the first alone."""
    return lambda y_true, _y_pred: metric(y_true)


def _assignment(names: Sequence[Any], key: Any) -> Assignment:
    """Return the group of a key of MetricFrame's index."""
    values = key if isinstance(key, tuple) else (key,)
    return tuple((str(name), str(value)) for name, value in zip(names, values, strict=True))
