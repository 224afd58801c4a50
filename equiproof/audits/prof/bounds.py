"""Bounds of the features over all similar inputs: CROWN in torch, differentiable in the weights and in its own slopes.

Notation: z_l = W_l h_(l-1) + b_l, h_l = relu(z_l); v in R^m are the input columns that vary, all others are fixed per
point. A linear form over h_k is carried backwards to v; at a neuron with l < 0 < u it takes the chord
u / (u - l) (z - l) from above and slope a z from below, any a from 0 to 1. Shapes begin with n, the points.

These are floats: sets made of them guide a repair, and what is repaired is judged in integers afterwards. (CROWN: Zhang
and others, 2018; slopes by gradient: Xu and others, 2021; PROF, equations (1), (2), (6) and (15).)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from equiproof.audits.prof.clock import ENDLESS, Clock
from equiproof.audits.prof.sets import Box, Points, Polytope

SLOPE_RATE = 0.05
"""The first step of a slope that is chosen by gradient."""


@dataclass(frozen=True, eq=False)
class Region:
    """The inputs of n points: `fixed` (n, inputs) with the varying columns 0, and their ends (n, m)."""

    fixed: Tensor
    columns: tuple[int, ...]
    low: Tensor
    high: Tensor

    def spans(self, slopes: Tensor, offsets: Tensor) -> tuple[Tensor, Tensor]:
        """Return the least and the largest value of linear forms (n, d, m), (n, d) over the ends."""
        middle = (self.low + self.high) / 2
        half = (self.high - self.low) / 2
        centre = offsets + torch.einsum("ndm,nm->nd", slopes, middle)
        reach = torch.einsum("ndm,nm->nd", slopes.abs(), half)
        return centre - reach, centre + reach


@dataclass(frozen=True, eq=False)
class Lines:
    """z of the last hidden layer between two linear forms of v, and their ends: slopes (n, d, m), the others (n, d)."""

    lower: tuple[Tensor, Tensor]
    upper: tuple[Tensor, Tensor]
    low: Tensor
    high: Tensor

    def widths(self) -> Tensor:
        """Return the widths of the features' box, shape (n, d)."""
        return torch.relu(self.high) - torch.relu(self.low)

    def total(self) -> Tensor:
        """Return the l1 size of the features' box of every point, shape (n,)."""
        return self.widths().sum(dim=1)


Slopes = list[Tensor]
"""Slopes of every hidden layer but the last, for lower and for upper forms: shape (2, n, size)."""


def lines(weights: Sequence[Tensor], biases: Sequence[Tensor], region: Region, slopes: Slopes | None = None) -> Lines:
    """Bound the last of these layers, all hidden ones; without `slopes` each is 0 or 1, whichever loses less."""
    first = weights[0][:, list(region.columns)].expand(len(region.fixed), -1, -1)
    offset = region.fixed @ weights[0].T + biases[0]
    low, high = region.spans(first, offset)
    ends = [(low, high)]
    last = Lines((first, offset), (first, offset), low, high)
    for depth in range(1, len(weights)):
        lower_slopes = None if slopes is None else [layer[0] for layer in slopes]
        upper_slopes = None if slopes is None else [layer[1] for layer in slopes]
        lower = _backward(weights, biases, depth, ends, (first, offset), lower_slopes, upper=False)
        upper = _backward(weights, biases, depth, ends, (first, offset), upper_slopes, upper=True)
        low, _ = region.spans(*lower)
        _, high = region.spans(*upper)
        # Errors of floats may put both ends of an empty interval in the wrong order.
        high = torch.maximum(high, low)
        ends.append((low, high))
        last = Lines(lower, upper, low, high)
    return last


def _backward(
    weights: Sequence[Tensor],
    biases: Sequence[Tensor],
    depth: int,
    ends: Sequence[tuple[Tensor, Tensor]],
    first: tuple[Tensor, Tensor],
    slopes: Slopes | None,
    *,
    upper: bool,
) -> tuple[Tensor, Tensor]:
    """Carry the rows of a layer back to v as lower forms, or upper ones, and return slopes and offsets."""
    sign = -1.0 if upper else 1.0
    rows = (sign * weights[depth]).expand(len(first[1]), -1, -1)
    constant = (sign * biases[depth]).expand(len(first[1]), -1)
    for layer in range(depth - 1, -1, -1):
        low, high = ends[layer]
        free = (low < 0) & (high > 0)
        on = low >= 0
        width = torch.where(free, high - low, torch.ones_like(low))
        chord = torch.where(free, high / width, on.to(low.dtype))
        best = (high >= -low).to(low.dtype) if slopes is None else slopes[layer]
        below = torch.where(free, best, on.to(low.dtype))
        lift = torch.where(free, -low * high / width, torch.zeros_like(low))
        negative = torch.clamp(rows, max=0.0)
        constant = constant + torch.einsum("ndk,nk->nd", negative, lift)
        rows = torch.clamp(rows, min=0.0) * below[:, None, :] + negative * chord[:, None, :]
        if layer:
            constant = constant + rows @ biases[layer]
            rows = rows @ weights[layer]
        else:
            constant = constant + torch.einsum("ndk,nk->nd", rows, first[1])
            rows = torch.einsum("ndk,nkm->ndm", rows, first[0])
    return sign * rows, sign * constant


def starting_slopes(weights: Sequence[Tensor], biases: Sequence[Tensor], region: Region) -> Slopes:
    """Return slopes to be chosen by gradient, each 0 or 1 where its layer's own bounds lose less."""
    slopes = []
    with torch.no_grad():
        for depth in range(len(weights) - 1):
            ends = lines(weights[: depth + 1], biases[: depth + 1], region)
            best = (ends.high >= -ends.low).to(ends.low.dtype)
            slopes.append(torch.stack([best, best]).clone().requires_grad_())
    return slopes


def clamp_slopes(slopes: Slopes) -> None:
    """Put slopes back between 0 and 1 after a step: any of these is sound, and no other."""
    with torch.no_grad():
        for layer in slopes:
            layer.clamp_(0.0, 1.0)


def tightened(
    weights: Sequence[Tensor], biases: Sequence[Tensor], region: Region, steps: int, clock: Clock = ENDLESS
) -> Lines:
    """Bound as :func:`lines`, with the slopes that gradient descent on the boxes' size finds in this many steps.

    The best of each point over all steps is kept: it is never larger than with slopes of 0 and 1. The descent stops
    where the time ends.
    """
    slopes = starting_slopes(weights, biases, region)
    with torch.no_grad():
        best = lines(weights, biases, region, slopes)
    if not slopes or not steps:
        return best
    best_slopes = [layer.detach().clone() for layer in slopes]
    best_sizes = best.total()
    adam = torch.optim.Adam(slopes, lr=SLOPE_RATE)
    for _ in range(steps):
        if clock.over:
            break
        sizes = lines(weights, biases, region, slopes).total()
        with torch.no_grad():
            better = sizes < best_sizes
            best_sizes = torch.where(better, sizes, best_sizes)
            for old, new in zip(best_slopes, slopes, strict=True):
                old[:, better] = new[:, better]
        adam.zero_grad()
        torch.autograd.backward(sizes.sum(), inputs=slopes)
        adam.step()
        clamp_slopes(slopes)
    with torch.no_grad():
        return lines(weights, biases, region, best_slopes)


def feature_points(weights: Sequence[Tensor], biases: Sequence[Tensor], inputs: Tensor) -> Tensor:
    """Return the features of inputs, shape (..., inputs) to (..., d)."""
    values = inputs
    for weight, bias in zip(weights, biases, strict=True):
        values = torch.relu(values @ weight.T + bias)
    return values


def boxes(last: Lines) -> list[Box]:
    """Return the box of the features of every point, from the lines of the last hidden layer."""
    lows = torch.relu(last.low).detach().numpy()
    highs = torch.relu(last.high).detach().numpy()
    return [Box(low, high) for low, high in zip(lows, highs, strict=True)]


def polytopes(last: Lines, region: Region) -> list[Polytope]:
    """Return the polytope of the features of every point: both lines of the last ReLU, and the box.

    h >= z and h >= 0 both hold, so the last hidden layer needs no slope of its own.
    """
    low = last.low.detach()
    high = last.high.detach()
    free = (low < 0) & (high > 0)
    chord = torch.where(free, high / torch.where(free, high - low, torch.ones_like(low)), (low >= 0).to(low.dtype))
    lift = torch.where(free, -chord * low, torch.zeros_like(low))
    lower_slopes = last.lower[0].detach().numpy()
    lower_offsets = last.lower[1].detach().numpy()
    upper_slopes = (last.upper[0].detach() * chord[:, :, None]).numpy()
    upper_offsets = (last.upper[1].detach() * chord + lift).numpy()
    inputs = [Box(start, end) for start, end in zip(region.low.numpy(), region.high.numpy(), strict=True)]
    lower = zip(lower_slopes, lower_offsets, strict=True)
    upper = zip(upper_slopes, upper_offsets, strict=True)
    return [Polytope(*parts) for parts in zip(boxes(last), inputs, lower, upper, strict=True)]


def points(features: Sequence[np.ndarray]) -> list[Points]:
    """Return sets of given features, each of shape (points, d), every point once."""
    return [Points(np.unique(rows, axis=0)) for rows in features]


@contextmanager
def one_thread() -> Iterator[None]:
    """Run torch on one thread within the block: sums have one order, and small networks gain nothing from more."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)
