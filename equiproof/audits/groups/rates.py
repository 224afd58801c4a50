"""Statistical parity and equalized odds: fairlearn's group metrics, with an interval for each share and each gap.

Signatures are fairlearn's: true labels, decisions, and keyword-only `sensitive_features` in any form that MetricFrame
takes (a sequence, a mapping of names to sequences, a DataFrame). Shares of a group have Wilson's interval. Gaps between
groups of at least `least` rows have an interval that holds for all pairs of groups together, and a p value of equal
rates beside it (:mod:`equiproof.audits.gaps`); a smaller group has its share, and no part in a gap.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from equiproof.audits import gaps
from equiproof.audits.gaps import DRAWS, IMPACT, ODDS, PARITY, Counts
from equiproof.audits.intervals import share
from equiproof.audits.records import SMALL_GROUP, Estimate
from equiproof.certify.many.point import Assignment

if TYPE_CHECKING:
    from fairlearn.metrics import MetricFrame

Flags = npt.NDArray[np.bool_]


EQUAL_RATES = "p value of equal selection rates"
EQUAL_ERRORS = "p value of equal true and false positive rates"


def statistical_parity(
    y_true: Any,
    y_pred: Any,
    *,
    sensitive_features: Any,
    label: Any = 1,
    least: int = SMALL_GROUP,
    seed: int = 0,
    draws: int = DRAWS,
) -> tuple[Estimate, ...]:
    """Return the share that gets `label`, over all and by group, with the gap and the ratio between groups.

    With `least` 1, the gap is `fairlearn.metrics.demographic_parity_difference`, the ratio, disparate impact, is
    `demographic_parity_ratio`. `y_true` is not looked at, and may be None.
    """
    del y_true
    groups = _Groups(sensitive_features, len(y_pred))
    counts = groups.counted(np.asarray(y_pred) == label)
    compared = gaps.compared(counts, least)
    return (
        *groups.shares("selection rate", counts),
        gaps.parity(PARITY, compared),
        gaps.impact(IMPACT, compared),
        gaps.equality(EQUAL_RATES, compared, seed=seed, draws=draws),
    )


def equalized_odds(
    y_true: Any,
    y_pred: Any,
    *,
    sensitive_features: Any,
    label: Any = 1,
    least: int = SMALL_GROUP,
    seed: int = 0,
    draws: int = DRAWS,
) -> tuple[Estimate, ...]:
    """Return the rates at which `label` is decided rightly and wrongly, over all and by group, with their gaps.

    The larger of both is, with `least` 1, `fairlearn.metrics.equalized_odds_difference`. A group with fewer rows of a
    true label has no part in its gap; of none it has no such rate, which fairlearn counts as 0.
    """
    groups = _Groups(sensitive_features, len(y_pred))
    counts = groups.counted(np.asarray(y_true) == label, np.asarray(y_pred) == label)
    compared = gaps.compared(counts, least)
    names = {1: "true positive rate", 0: "false positive rate"}
    return (
        *(one for true, name in names.items() for one in groups.shares(name, counts[:, true])),
        *(gaps.parity(f"{name} difference", compared[:, true]) for true, name in names.items()),
        gaps.odds(ODDS, compared),
        gaps.equality(EQUAL_ERRORS, compared, seed=seed, draws=draws),
    )


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
