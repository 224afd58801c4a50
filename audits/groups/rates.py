"""Statistical parity and equalized odds: fairlearn's group metrics, with an interval for each share and each gap.

Signatures are fairlearn's: true labels, decisions, and keyword-only `sensitive_features` in any form that MetricFrame
takes (a sequence, a mapping of names to sequences, a DataFrame). Shares of a group have Wilson's interval. Gaps between
groups have the percentile interval of a bootstrap over rows: a gap of many small groups is never near zero by chance
alone, and the interval says so.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
import numpy.typing as npt

from equiproof.audits.intervals import bootstrap, share
from equiproof.audits.records import Estimate
from equiproof.certify.many.point import Assignment

if TYPE_CHECKING:
    from fairlearn.metrics import MetricFrame

Flags = npt.NDArray[np.bool_]

DRAWS = 1000
"""Resamples of a bootstrap."""


def statistical_parity(
    y_true: Any, y_pred: Any, *, sensitive_features: Any, label: Any = 1, seed: int = 0, draws: int = DRAWS
) -> tuple[Estimate, ...]:
    """Return the share that gets `label`, over all and by group, with the gap and the ratio between groups.

    The gap is `fairlearn.metrics.demographic_parity_difference`, the ratio `demographic_parity_ratio`. `y_true` is not
    looked at, and may be None.
    """
    del y_true
    selected = np.asarray(y_pred) == label
    rows = np.ones(len(selected), dtype=bool)
    found = _Rates("selection rate", selected, rows, sensitive_features, seed, draws)
    return (*found.shares(), found.gap("statistical parity difference"), found.ratio("statistical parity ratio"))


def equalized_odds(
    y_true: Any, y_pred: Any, *, sensitive_features: Any, label: Any = 1, seed: int = 0, draws: int = DRAWS
) -> tuple[Estimate, ...]:
    """Return the rates at which `label` is decided rightly and wrongly, over all and by group, with their gaps.

    The last one is `fairlearn.metrics.equalized_odds_difference`, the larger one of both gaps. A group without rows of
    a true label has no such rate, and no part in its gap; fairlearn counts it as 0.
    """
    true, selected = np.asarray(y_true) == label, np.asarray(y_pred) == label
    rates = [
        _Rates(name, selected, rows, sensitive_features, seed, draws)
        for name, rows in (("true positive rate", true), ("false positive rate", ~true))
    ]
    gaps = [one.gap(f"{one.measure} difference") for one in rates]
    # NaN, where there are no two groups to compare, is not equal to itself.
    largest = bootstrap(
        "equalized odds difference",
        lambda rows: max((gap for one in rates if (gap := one.gap_of(rows)) == gap), default=np.nan),
        len(selected),
        seed=seed,
        draws=draws,
    )
    return (*rates[0].shares(), *rates[1].shares(), *gaps, largest)


class _Rates:
    """The share of selected rows among some rows, in each group."""

    def __init__(self, measure: str, selected: Flags, rows: Flags, features: Any, seed: int, draws: int) -> None:
        """Group the rows by fairlearn's MetricFrame."""
        self.measure = measure
        self._seed, self._draws = seed, draws
        self._selected, self._rows = selected, rows
        counts = _frame({"n": len, "positions": list}, np.arange(len(selected)), features).by_group
        self._groups = [_assignment(counts.index.names, key) for key in counts.index]
        self._codes = np.zeros(len(selected), dtype=np.int64)
        for number, positions in enumerate(counts["positions"]):
            # Of several features, MetricFrame lists also the values that do not occur.
            if isinstance(positions, list):
                self._codes[positions] = number

    def shares(self) -> list[Estimate]:
        """Return the share over all and in each group that has rows at all."""
        hits, counts = self._counts(np.arange(len(self._codes)))
        present = np.bincount(self._codes, minlength=len(self._groups))
        return [share(self.measure, int(hits.sum()), int(counts.sum()))] + [
            share(self.measure, int(hits[number]), int(counts[number]), group=group)
            for number, group in enumerate(self._groups)
            if present[number]
        ]

    def gap(self, measure: str) -> Estimate:
        """Return the largest share of a group minus the least one."""
        return self._estimate(measure, self.gap_of)

    def ratio(self, measure: str) -> Estimate:
        """Return the least share of a group by the largest one."""
        return self._estimate(measure, self._ratio_of)

    def gap_of(self, rows: npt.NDArray[np.int64]) -> float:
        """Return the gap on some rows; NaN with fewer than two groups."""
        return self._between(rows, lambda low, high: high - low)

    def _estimate(self, measure: str, statistic: Callable[[npt.NDArray[np.int64]], float]) -> Estimate:
        """Return a statistic of all rows; it rests on those that count."""
        found = bootstrap(measure, statistic, len(self._codes), seed=self._seed, draws=self._draws)
        return msgspec.structs.replace(found, n=int(self._rows.sum()))

    def _ratio_of(self, rows: npt.NDArray[np.int64]) -> float:
        """Return the ratio on some rows; NaN with fewer than two groups, or if no one is selected."""
        return self._between(rows, lambda low, high: low / high if high else np.nan)

    def _between(self, rows: npt.NDArray[np.int64], compare: Callable[[float, float], float]) -> float:
        """Compare the least and the largest share of a group on some rows."""
        hits, counts = self._counts(rows)
        there = counts > 0
        shares = hits[there] / counts[there]
        return compare(float(shares.min()), float(shares.max())) if len(shares) > 1 else np.nan

    def _counts(self, rows: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Return how many of some rows are selected and how many count, in each group."""
        kept = rows[self._rows[rows]]
        codes = self._codes[kept]
        hits = np.bincount(codes[self._selected[kept]], minlength=len(self._groups))
        return hits, np.bincount(codes, minlength=len(self._groups))


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
