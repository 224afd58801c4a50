"""Step 1 of PROF: gradient descent that makes the features of similar inputs alike, with the last layer left alone.

The loss is the mean over the repair points of |box now|_1 / |box before|_1, the boxes being bounds of the features over
all similar inputs, plus the cross-entropy on rows to keep. Slopes of the bounds take part in the descent. (PROF,
algorithm 1, T = 200 steps of Adam.)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from equiproof.audits.prof.bounds import SLOPE_RATE, Region, clamp_slopes, feature_points, lines, starting_slopes
from equiproof.audits.prof.clock import ENDLESS, Clock

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

Extent = Literal["bounds", "points"]
"""What the descent makes small: the bounds of the paper, or the exact extent of the features, where S(x) is finite."""

STEPS = 200
RATE = 0.03
"""The first step of a weight, over columns in the spec's units; it falls to 0 by a cosine.

The paper's 0.001 is for columns in raw units, where one step means more the larger the column's numbers are.
"""


@dataclass(frozen=True, eq=False)
class Kept:
    """Rows whose decisions the descent keeps: columns (rows, inputs) in the spec's units, labels (rows,)."""

    columns: Floats
    labels: Integers


@dataclass(frozen=True, eq=False)
class Calibrated:
    """Weights and biases of all layers after the descent, the fairness loss (1 before) and the kept rows' loss.

    `losses` are both before every step.
    """

    weights: tuple[Floats, ...]
    biases: tuple[Floats, ...]
    fairness: tuple[float, float]
    cross_entropy: tuple[float, float]
    steps: int
    losses: tuple[tuple[float, float], ...] = ()


@dataclass(frozen=True, eq=False)
class Varied:
    """The similar inputs of n points: their hull, and all of them, shape (n, k, inputs), where there are finitely many.

    Points with fewer similar inputs than others repeat one.
    """

    region: Region
    listed: Tensor | None


def calibrate(
    weights: Sequence[Floats],
    biases: Sequence[Floats],
    varied: Varied,
    kept: Kept,
    *,
    steps: int = STEPS,
    rate: float = RATE,
    extent: Extent = "bounds",
    clock: Clock = ENDLESS,
) -> Calibrated:
    """Run the descent from weights (outputs, inputs) and biases (outputs,) of all layers, the last one left alone.

    Deterministic: every step takes all points and all rows. The descent stops where the time ends. Raises ValueError if
    points are requested and S(x) is not finite.
    """
    if extent == "points" and varied.listed is None:
        raise ValueError("a relaxed number takes too many values to list the similar inputs")
    descent = _Descent(weights, biases, varied, kept, extent)
    start = descent.measured()
    groups: list[dict[str, Any]] = [{"params": [*descent.weights, *descent.biases]}]
    if descent.slopes:
        groups.append({"params": descent.slopes, "lr": SLOPE_RATE})
    adam = torch.optim.Adam(groups, lr=rate)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(adam, max(steps, 1))
    losses = []
    for _ in range(steps):
        if clock.over:
            break
        adam.zero_grad()
        fairness, cross_entropy = descent.losses()
        losses.append((float(fairness.detach()), float(cross_entropy.detach())))
        torch.autograd.backward(fairness + cross_entropy)
        adam.step()
        schedule.step()
        clamp_slopes(descent.slopes)
    end = descent.measured()
    return Calibrated(
        weights=(*(array.detach().numpy().copy() for array in descent.weights), np.array(weights[-1])),
        biases=(*(array.detach().numpy().copy() for array in descent.biases), np.array(biases[-1])),
        fairness=(start[0], end[0]),
        cross_entropy=(start[1], end[1]),
        steps=len(losses),
        losses=tuple(losses),
    )


class _Descent:
    """The hidden layers on their way, and the loss that they follow."""

    def __init__(
        self, weights: Sequence[Floats], biases: Sequence[Floats], varied: Varied, kept: Kept, extent: Extent
    ) -> None:
        """Take the layers over, and measure the features' extents before."""
        self.weights = [torch.from_numpy(array.copy()).requires_grad_() for array in weights[:-1]]
        self.biases = [torch.from_numpy(array.copy()).requires_grad_() for array in biases[:-1]]
        self._last_weights = torch.from_numpy(weights[-1].copy())
        self._last_biases = torch.from_numpy(biases[-1].copy())
        self._inputs = torch.from_numpy(kept.columns)
        self._targets = torch.from_numpy(kept.labels)
        self._varied = varied
        self._extent = extent
        self.slopes = starting_slopes(self.weights, self.biases, varied.region) if extent == "bounds" else []
        with torch.no_grad():
            self._before = self._extents()

    def losses(self) -> tuple[Tensor, Tensor]:
        """Return the fairness loss, a point whose extent was 0 counting with its own, and the kept rows' loss."""
        extents = self._extents()
        is_wide = self._before > 0
        share = torch.where(is_wide, extents / torch.where(is_wide, self._before, torch.ones_like(extents)), extents)
        features = feature_points(self.weights, self.biases, self._inputs)
        logits = features @ self._last_weights.T + self._last_biases
        return share.mean(), _cross_entropy(logits, self._targets)

    def measured(self) -> tuple[float, float]:
        """Return both losses as numbers."""
        with torch.no_grad():
            fairness, cross_entropy = self.losses()
        return float(fairness), float(cross_entropy)

    def _extents(self) -> Tensor:
        """Return the l1 extent of the features of every point, by bounds or over all similar inputs, shape (n,)."""
        if self._extent == "bounds" or self._varied.listed is None:
            return lines(self.weights, self.biases, self._varied.region, self.slopes).total()
        features = feature_points(self.weights, self.biases, self._varied.listed)
        return (features.amax(dim=1) - features.amin(dim=1)).sum(dim=1)


def _cross_entropy(logits: Tensor, targets: Tensor) -> Tensor:
    """Return the mean cross-entropy, 0 of no rows."""
    functional = torch.nn.functional
    if not len(targets):
        return torch.zeros((), dtype=logits.dtype)
    if logits.shape[1] == 1:
        return functional.binary_cross_entropy_with_logits(logits[:, 0], targets.to(logits.dtype))
    return functional.cross_entropy(logits, targets)
