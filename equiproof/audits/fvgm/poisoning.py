"""Poisoned training rows against fairness, and the alarm that the disparate impact raises (section 5).

The attack is simple label flipping; the paper uses the gradient-based attack of Solans, Biggio, Castillo (2020). The
purpose is to see when the alarm goes off, not to rank attacks.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from equiproof.audits.fvgm.scaling import Matrix, Scores


def poison(
    scores: Scores, X: Matrix, disfavored: npt.NDArray[np.bool_], count: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return row numbers to add again to the training data, and the labels to add them with.

    By turns the disfavored row with the best score is added as refused, and the other row with the worst score as
    accepted. Each row is used once before any is used again. Raises ValueError where one side has no rows.
    """
    order = np.argsort(X @ scores.weights, kind="stable")
    worst = order[~disfavored[order]]
    best = order[::-1][disfavored[order[::-1]]]
    if not len(worst) or not len(best):
        raise ValueError("poisoning: the disfavored group and the others need at least one row each")
    rows = [
        int(best[turn // 2 % len(best)] if turn % 2 == 0 else worst[turn // 2 % len(worst)]) for turn in range(count)
    ]
    return np.array(rows, dtype=np.int64), np.array([turn % 2 for turn in range(count)], dtype=np.int64)


def poisoned(
    X: Matrix, labels: npt.NDArray[Any], rows: npt.NDArray[np.int64], wrong: npt.NDArray[np.int64]
) -> tuple[Matrix, npt.NDArray[np.int64]]:
    """Return the training data with the poisoned rows added."""
    return np.concatenate([X, X[rows]]), np.concatenate([np.asarray(labels, dtype=np.int64), wrong])
