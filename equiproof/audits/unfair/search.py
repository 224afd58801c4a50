"""The weight of the unfair applicants of a domain, between two bounds that close in on it: branch and bound on boxes.

A box is proven fair if all of it are decided alike, each under all sensitive values; unfair if each of it gets two
labels; a small one is counted applicant by applicant; of others a part may be proven, and they are halved, those first
in which most is open. What is proven and what is open add up to the whole at every step, in whole numbers, and it does
not depend on the number of threads: boxes are judged in batches of one size and booked in the order of the batches.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import prod
from typing import NamedTuple, Protocol

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

    The first half ends at level `ends` of feature `features`. Both are of no meaning for boxes that are proven. `parts`
    are weights in an open box that are fair and unfair at least, by the box's place; nothing is known of the others.
    """

    fair: Flags
    unfair: Flags
    features: Integers
    ends: Integers
    parts: Mapping[int, tuple[int, int]] = field(default_factory=dict)


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
    best = search.share()
    yield best
    boxes = [((0,) * len(model.sizes), tuple(size - 1 for size in model.sizes))]
    with ThreadPoolExecutor(threads) as pool:
        while boxes:
            batches = [np.array(boxes[i : i + _BATCH], dtype=np.int64) for i in range(0, len(boxes), _BATCH)]
            for batch, settled in zip(batches, pool.map(search.settled, batches), strict=True):
                search.book(batch, *settled)
            now = search.share()
            # What parts of a box show may be less than what the whole has shown.
            best = replace(now, unfair=max(best.unfair, now.unfair), fair=max(best.fair, now.fair))
            yield best
            boxes = search.halves(min(_BATCH * _BATCHES, most_boxes - search.judged) // 2)


@dataclass(frozen=True)
class _Counted:
    """The applicants of a small box, by weight, and an unfair one."""

    fair: int
    unfair: int
    tied: int
    example: tuple[int, ...] | None


class _Open(NamedTuple):
    """An open box: the weight that is open in it with a minus, its number, what is shown of it, and where it is cut."""

    order: int
    number: int
    fair: int
    unfair: int
    low: list[int]
    high: list[int]
    feature: int
    end: int


class _Search:
    """The open boxes in a heap, those first in which most is open, and the weights that are settled."""

    def __init__(self, model: Model, weights: Weights) -> None:
        self.model = model
        self.weights = weights
        self.open: list[_Open] = []
        self.pushed = 0
        self.judged = 0
        self.fair = self.unfair = self.tied = 0
        self.example: tuple[int, ...] | None = None

    def halves(self, count: int) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
        """Take the boxes in which most is open from the heap, and return both halves of each that have a weight."""
        found = []
        for _ in range(min(count, len(self.open))):
            one = heapq.heappop(self.open)
            self.fair -= one.fair
            self.unfair -= one.unfair
            left = list(one.high)
            right = list(one.low)
            left[one.feature] = one.end
            right[one.feature] = one.end + 1
            for low, high in ((one.low, left), (right, one.high)):
                if self.weights.box(low, high):
                    found.append((tuple(low), tuple(high)))
        return found

    def settled(self, boxes: Integers) -> tuple[Judged, dict[int, _Counted]]:
        """Judge boxes, shape (B, 2, F), and count the small ones that no bound settles, by their place in the batch."""
        low, high = boxes[:, 0], boxes[:, 1]
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

    def book(self, boxes: Integers, judged: Judged, counted: dict[int, _Counted]) -> None:
        """Add what was found of a batch."""
        self.judged += len(boxes)
        for place, (low, high) in enumerate(boxes.tolist()):
            weight = self.weights.box(low, high)
            if judged.fair[place]:
                self.fair += weight
            elif judged.unfair[place]:
                self.unfair += weight
                self.example = self.example or tuple(low)
            elif place in counted:
                found = counted[place]
                self.fair += found.fair
                self.unfair += found.unfair
                self.tied += found.tied
                self.example = self.example or found.example
            else:
                fair, unfair = judged.parts.get(place, (0, 0))
                self.fair += fair
                self.unfair += unfair
                cut = int(judged.features[place]), int(judged.ends[place])
                heapq.heappush(self.open, _Open(fair + unfair - weight, self.pushed, fair, unfair, low, high, *cut))
                self.pushed += 1

    def share(self) -> Share:
        """Return what is known."""
        total = self.weights.total
        left = len(self.open) if self.judged else 1
        return Share(self.unfair, self.fair, self.tied, total, self.judged, left, self.example)
