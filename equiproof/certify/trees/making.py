"""Evidence for one squared radius: boxes are split along a column until each is closed, or none is left to close.

A split is chosen by trying each place of every column: the bounds of both halves decide (strong branching). The box
with the worst bound is split first, so that a wrong decision inside the ball shows early.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator

from equiproof.certify.branch.budget import Meter, NoTreeError
from equiproof.certify.trees.bound import Ball, Bound, Box
from equiproof.certify.trees.evidence import AdditiveLeaf

_STEPS = 40
"""About as many positions, of one bound, are a unit of work."""

_Open = tuple[int, int, Box, Bound]
"""A box to split: its closing sum, a number that breaks ties, and its bound."""


class WrongError(Exception):
    """A box of one position per column inside the open ball where the decision is wrong; `squared` is its distance."""

    def __init__(self, squared: int) -> None:
        """Keep the squared distance."""
        super().__init__(squared)
        self.squared = squared


def grow(ball: Ball, most: int, meter: Meter) -> tuple[AdditiveLeaf, ...]:
    """Return at most so many leaves that prove a ball.

    Raises NoTreeError ("leaves", or what the meter says) where they do not suffice, WrongError for a wrong decision.
    """
    work = 1 + len(ball.slots) // _STEPS
    meter.pay(work)
    ahead: list[_Open] = []
    leaves: list[AdditiveLeaf] = []
    boxes: list[tuple[Box, Bound]] = [(ball.whole, ball.bound(ball.whole))]
    count = 0
    while boxes or ahead:
        for box, bound in boxes:
            count += 1
            if bound.closed:
                leaves.append(_leaf(ball, box, bound))
            elif all(low == high for low, high in box):
                raise WrongError(bound.nearest)
            else:
                heapq.heappush(ahead, (bound.worth, count, box, bound))
        # Every open box needs two leaves at least.
        if len(leaves) + 2 * len(ahead) > most:
            raise NoTreeError("leaves")
        if not ahead:
            break
        worth, _, box, _ = heapq.heappop(ahead)
        boxes = _split(ball, box, worth, meter, work)
    return tuple(leaves)


def _split(ball: Ball, box: Box, worth: int, meter: Meter, work: int) -> list[tuple[Box, Bound]]:
    """Return the two halves of a box that are closest to being closed, both or one of them."""
    pair: list[tuple[Box, Bound]] = []
    best = (-1, -1)
    for halves in _halves(box):
        meter.pay(2 * work)
        bounded = [(half, ball.bound(half)) for half in halves]
        # How far each half comes on the way from the box's sum to a closed one. The worse half counts first, since both
        # have to be closed in the end.
        gains = sorted((1 - worth if bound.closed else bound.worth - worth) for _, bound in bounded)
        if (gains[0], gains[1]) > best:
            best = (gains[0], gains[1])
            pair = bounded
    return pair


def _halves(box: Box) -> Iterator[tuple[Box, Box]]:
    """Yield both halves of every split of a box between two positions."""
    for number, (low, high) in enumerate(box):
        for cut in range(low, high):
            yield (
                (*box[:number], (low, cut), *box[number + 1 :]),
                (*box[:number], (cut + 1, high), *box[number + 1 :]),
            )


def _leaf(ball: Ball, box: Box, bound: Bound) -> AdditiveLeaf:
    """Return the leaf of a closed box."""
    signs: list[int] = []
    for chain, (low, high) in zip(ball.chains, box, strict=True):
        for number in range(chain.length):
            over = 1 if number < low else -1 if number >= high else 0
            signs.append(over if ball.slots[chain.first + number].above else -over)
    return AdditiveLeaf(tuple(signs), bound.multiplier, not bound.apart)
