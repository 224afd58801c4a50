"""The weight of the unfair applicants of a domain, between two bounds that close in on it: branch and bound on boxes.

A box is proven fair if all of it are decided alike, each under all sensitive values; unfair if each of it gets two
labels; otherwise it is halved, and a small one is counted applicant by applicant. The heaviest boxes come first. What
is proven and what is open add up to the whole at every step, in whole numbers, and it does not depend on the number of
threads: boxes are judged in batches of one size and booked in the order of the batches.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from fractions import Fraction
from math import prod
from typing import Protocol

import numpy as np

from equiproof.audits.hyfair.clusters import Flags
from equiproof.audits.hyfair.grid import Integers
from equiproof.audits.unfair.weights import Weights

_BATCH = 64
_BATCHES = 4
"""Batches of a round, after which a search may be stopped. Results depend on both numbers, so they are fixed."""


@dataclass(frozen=True)
class Judged:
    """What is proven of boxes, shape (B,) each, and where to halve each of the others.

    The next box ends at level `ends` of feature `features`. Both are of no meaning for boxes that are proven.
    """

    fair: Flags
    unfair: Flags
    features: Integers
    ends: Integers


class Model(Protocol):
    """A model on a domain of levels, as the search sees it."""

    @property
    def sizes(self) -> tuple[int, ...]:
        """The number of levels of each feature."""

    @property
    def most_counted(self) -> int:
        """The most applicants of a box that are counted one by one, 1 at least."""

    def boxes(self, low: Integers, high: Integers) -> Judged:
        """Judge boxes of levels, shape (B, F) each, both ends included; proofs are exact."""

    def applicants(self, places: Integers) -> tuple[Flags, Flags]:
        """Return who of applicants, shape (n, F), is fair and who is unfair, exactly; the others have a tie."""


@dataclass(frozen=True)
class Share:
    """What is known of a domain: the weights that are proven fair and unfair, and those of ties, of `total`.

    Fair are applicants with the same decision under all sensitive values, unfair those who get two labels. Who gets one
    label and a tie is neither, and counts only at the upper end. `boxes` were judged, `open_boxes` are left;
    `example` is an unfair applicant, as levels.
    """

    unfair: int
    fair: int
    tied: int
    total: int
    boxes: int
    open_boxes: int
    example: tuple[int, ...] | None = None

    @property
    def lower(self) -> Fraction:
        """The least share that may be unfair."""
        return Fraction(self.unfair, self.total)

    @property
    def upper(self) -> Fraction:
        """The largest share that may be unfair."""
        return Fraction(self.total - self.fair, self.total)

    @property
    def width(self) -> Fraction:
        """The upper end less the lower one."""
        return self.upper - self.lower


def narrowing(model: Model, weights: Weights, most_boxes: int, threads: int = 1) -> Iterator[Share]:
    """Yield what is known after each round of boxes, until no box is open or `most_boxes` were judged."""
    search = _Search(model, weights)
    yield search.share()
    with ThreadPoolExecutor(threads) as pool:
        while search.open and search.judged < most_boxes:
            batches = search.taken(min(_BATCH * _BATCHES, most_boxes - search.judged))
            for (low, high), found in zip(batches, pool.map(lambda one: search.settled(*one), batches), strict=True):
                search.book(low, high, *found)
            yield search.share()


@dataclass(frozen=True)
class _Counted:
    """The applicants of a small box, by weight, and an unfair one."""

    fair: int
    unfair: int
    tied: int
    example: tuple[int, ...] | None


class _Search:
    """The open boxes in a heap, heaviest and oldest first, and the weights that are settled."""

    def __init__(self, model: Model, weights: Weights) -> None:
        self.model = model
        self.weights = weights
        self.open: list[tuple[int, int, tuple[int, ...], tuple[int, ...]]] = []
        self.pushed = 0
        self.judged = 0
        self.fair = self.unfair = self.tied = 0
        self.example: tuple[int, ...] | None = None
        self.push((0,) * len(model.sizes), tuple(size - 1 for size in model.sizes))

    def push(self, low: tuple[int, ...], high: tuple[int, ...]) -> None:
        """Add an open box; one without weight is of no interest."""
        weight = self.weights.box(low, high)
        if weight:
            heapq.heappush(self.open, (-weight, self.pushed, low, high))
            self.pushed += 1

    def taken(self, count: int) -> list[tuple[Integers, Integers]]:
        """Take the heaviest boxes from the heap, in batches."""
        boxes = [heapq.heappop(self.open)[2:] for _ in range(min(count, len(self.open)))]
        self.judged += len(boxes)
        ends = np.array(boxes, dtype=np.int64)
        return [(part[:, 0], part[:, 1]) for part in np.split(ends, range(_BATCH, len(boxes), _BATCH))]

    def settled(self, low: Integers, high: Integers) -> tuple[Judged, dict[int, _Counted]]:
        """Judge boxes, and count the small ones that no bound settles, by their place in the batch."""
        judged = self.model.boxes(low, high)
        counted = {}
        for place in np.flatnonzero(~(judged.fair | judged.unfair)).tolist():
            if prod((high[place] - low[place] + 1).tolist()) <= self.model.most_counted:
                counted[place] = self.counted(low[place], high[place])
        return judged, counted

    def counted(self, low: Integers, high: Integers) -> _Counted:
        """Count the applicants of a box one by one."""
        ranges = [np.arange(first, last + 1) for first, last in zip(low, high, strict=True)]
        places = np.stack(np.meshgrid(*ranges, indexing="ij"), axis=-1).reshape(-1, len(ranges))
        fair, unfair = self.model.applicants(places)
        weights = self.weights.applicants(places)
        sums = [int(weights[flags].sum()) for flags in (fair, unfair, ~(fair | unfair))]
        example = tuple(places[unfair.argmax()].tolist()) if unfair.any() else None
        return _Counted(sums[0], sums[1], sums[2], example)

    def book(self, low: Integers, high: Integers, judged: Judged, counted: dict[int, _Counted]) -> None:
        """Add what was found of a batch, and halve what is open."""
        for place, (first, last) in enumerate(zip(low.tolist(), high.tolist(), strict=True)):
            if judged.fair[place]:
                self.fair += self.weights.box(first, last)
            elif judged.unfair[place]:
                self.unfair += self.weights.box(first, last)
                self.example = self.example or tuple(first)
            elif place in counted:
                found = counted[place]
                self.fair += found.fair
                self.unfair += found.unfair
                self.tied += found.tied
                self.example = self.example or found.example
            else:
                self.halve(first, last, int(judged.features[place]), int(judged.ends[place]))

    def halve(self, low: list[int], high: list[int], feature: int, end: int) -> None:
        """Push both parts of a box."""
        left = list(high)
        right = list(low)
        left[feature] = end
        right[feature] = end + 1
        self.push(tuple(low), tuple(left))
        self.push(tuple(right), tuple(high))

    def share(self) -> Share:
        """Return what is known."""
        total = self.weights.total
        return Share(self.unfair, self.fair, self.tied, total, self.judged, len(self.open), self.example)
