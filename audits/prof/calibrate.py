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

from audits.prof.bounds import SLOPE_RATE, Region, clamp_slopes, feature_points, lines, starting_slopes

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
    """Weights and biases of all layers after the descent, the fairness loss (1 before) and the kept rows' loss."""

    weights: tuple[Floats, ...]
    biases: tuple[Floats, ...]
    fairness: tuple[float, float]
    cross_entropy: tuple[float, float]
    steps: int


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
) -> Calibrated:
    """Run the descent.

    Deterministic: every step takes all points and all rows. Raises ValueError where points are asked for and S(x) is
    not finite.
    """
    if extent == "points" and varied.listed is None:
        raise ValueError("a relaxed number takes too many values to list the similar inputs")
    movable, shifts = ([torch.from_numpy(array.copy()).requires_grad_() for array in arrays[:-1]]
                       for arrays in (weights, biases))  # fmt: skip
    last = torch.from_numpy(weights[-1].copy()), torch.from_numpy(biases[-1].copy())
    inputs, targets = torch.from_numpy(kept.columns), torch.from_numpy(kept.labels)
    slopes = starting_slopes(movable, shifts, varied.region) if extent == "bounds" else []

    def extents() -> Tensor:
        if extent == "bounds":
            return lines(movable, shifts, varied.region, slopes).total()
        assert varied.listed is not None  # noqa: S101 - refused above
        held = feature_points(movable, shifts, varied.listed)
        return (held.amax(dim=1) - held.amin(dim=1)).sum(dim=1)

    def losses() -> tuple[Tensor, Tensor]:
        now = extents()
        share = torch.where(before > 0, now / torch.where(before > 0, before, torch.ones_like(now)), now)
        return share.mean(), _cross_entropy(feature_points(movable, shifts, inputs) @ last[0].T + last[1], targets)

    with torch.no_grad():
        before = extents()
        start = [float(loss) for loss in losses()]
    groups: list[dict[str, Any]] = [{"params": [*movable, *shifts]}]
    groups += [{"params": slopes, "lr": SLOPE_RATE}] if slopes else []
    adam = torch.optim.Adam(groups, lr=rate)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(adam, max(steps, 1))
    for _ in range(steps):
        adam.zero_grad()
        torch.autograd.backward(sum(losses(), torch.zeros((), dtype=torch.float64)))
        adam.step()
        schedule.step()
        clamp_slopes(slopes)
    with torch.no_grad():
        end = [float(loss) for loss in losses()]
        result = [array.detach().numpy().copy() for array in movable]
    return Calibrated(
        (*result, np.array(weights[-1])),
        (*(shift.detach().numpy().copy() for shift in shifts), np.array(biases[-1])),
        (start[0], end[0]),
        (start[1], end[1]),
        steps,
    )


def _cross_entropy(logits: Tensor, targets: Tensor) -> Tensor:
    """Return the mean cross-entropy, 0 of no rows."""
    functional = torch.nn.functional
    if not len(targets):
        return torch.zeros((), dtype=logits.dtype)
    if logits.shape[1] == 1:
        return functional.binary_cross_entropy_with_logits(logits[:, 0], targets.to(logits.dtype))
    return functional.cross_entropy(logits, targets)
