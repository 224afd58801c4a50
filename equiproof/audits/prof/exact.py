"""Decisions of the committed network for whole boxes of inputs, in integers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from equiproof.audits.prof.clock import ENDLESS, Clock
from equiproof.audits.prof.demands import forms
from equiproof.audits.prof.similar import Ends, Similarity
from equiproof.certify.network import QuantisedNetwork, decide

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Big = npt.NDArray[np.object_]

MAX_BOXES = 20_000
"""The most boxes examined for one question."""


@dataclass(frozen=True)
class Alike:
    """All similar inputs are decided alike, with this label."""

    label: int


@dataclass(frozen=True)
class Differing:
    """Two similar inputs, replayed exactly, with different decisions or a tie; `labels` are theirs, None for a tie."""

    inputs: tuple[tuple[int, ...], tuple[int, ...]]
    labels: tuple[int | None, int | None]


@dataclass(frozen=True)
class Unsettled:
    """The budget ended first; `reason` is one line."""

    reason: str


Answer = Alike | Differing | Unsettled


TIME_ENDED = Unsettled("the time ended")


def compare(
    network: QuantisedNetwork, boxes: Sequence[Ends], max_boxes: int = MAX_BOXES, clock: Clock = ENDLESS
) -> Answer:
    """Return whether all integer inputs of some boxes have the same decision, without a tie.

    Points are replayed. A wider box is bounded in integers, and halved if that does not settle it; the grid is finite,
    so a large enough budget of boxes and time answers every question. A tie is not a decision, so inputs with a tie are
    not alike. The search continues after a tie, because two different decisions are the stronger answer.
    """
    comparison = _Comparison(network)
    stack = [*reversed(boxes)]
    count = 0
    while stack:
        low, high = stack.pop()
        count += 1
        if count > max_boxes:
            return comparison.answer() if comparison.tie else Unsettled(f"the limit of {max_boxes} boxes was reached")
        if clock.over:
            return comparison.answer() if comparison.tie else TIME_ENDED
        # A corner often answers the question, and costs less than a bound.
        for corner in dict.fromkeys((low, high)):
            difference = comparison.replay(corner)
            if difference is not None:
                return difference
        if low == high or comparison.holds(low, high):
            continue
        # The first of the widest columns is halved; its lower half comes first.
        widest = max(range(len(low)), key=lambda k: high[k] - low[k])
        middle = (low[widest] + high[widest]) // 2
        stack.append(((*low[:widest], middle + 1, *low[widest + 1 :]), high))
        stack.append((low, (*high[:widest], middle, *high[widest + 1 :])))
    return comparison.answer()


def check(
    network: QuantisedNetwork, similarity: Similarity, queries: Sequence[tuple[int, ...]], clock: Clock = ENDLESS
) -> list[Answer]:
    """Return for every query, n_x integers each, whether all similar inputs are decided alike: in integers.

    Queries that the time does not suffice for are unsettled.
    """
    return [TIME_ENDED if clock.over else compare(network, similarity.boxes(query), clock=clock) for query in queries]


class _Comparison:
    """The state of a comparison: the first decided input and the first tie."""

    def __init__(self, network: QuantisedNetwork) -> None:
        """Begin with nothing."""
        self._network = network
        self._decided: tuple[tuple[int, ...], int] | None = None
        self._margins: list[tuple[int, ...]] = []
        self.tie: tuple[int, ...] | None = None

    def replay(self, inputs: tuple[int, ...]) -> Differing | None:
        """Decide an input; return it with the first decided one if they differ."""
        label = decide(self._network.logits(inputs))
        if label is None:
            self.tie = self.tie or inputs
        elif self._decided is None:
            self._decided = (inputs, label)
            self._margins = [_rows(form) for form in forms(label, self._network.logit_count)]
        else:
            first_inputs, first_label = self._decided
            if label != first_label:
                return Differing((first_inputs, inputs), (first_label, label))
        return None

    def holds(self, low: tuple[int, ...], high: tuple[int, ...]) -> bool:
        """Return whether no input of a box would change the answer."""
        # A second tie would change nothing, so margins of 0 suffice once a tie is known.
        least = 1 if self.tie is None else 0
        return self._decided is not None and all(
            least_margin(self._network, low, high, margin) >= least for margin in self._margins
        )

    def answer(self) -> Answer:
        """Return the answer if no two inputs are decided differently."""
        if self.tie is None:
            return Alike(self._decided[1]) if self._decided else Unsettled("there are no similar inputs")
        if self._decided is None:
            return Differing((self.tie, self.tie), (None, None))
        inputs, label = self._decided
        return Differing((inputs, self.tie), (label, None))


def _rows(form: Floats) -> tuple[int, ...]:
    """Return a margin's row over the logits in integers."""
    return tuple(int(value) for value in form)


def least_margin(network: QuantisedNetwork, low: Sequence[int], high: Sequence[int], margin: Sequence[int]) -> int:
    """Return a lower bound, in integers, of a margin over a box of inputs.

    Linear forms over the inputs are handed on exactly through neurons whose sign is known; a neuron whose sign is not
    becomes a variable of its own, from 0 to its largest value.
    """
    lows = np.array(low, dtype=object)
    highs = np.array(high, dtype=object)
    slopes: Big = np.eye(len(low), dtype=int).astype(object)
    offsets: Big = np.zeros(len(low), dtype=int).astype(object)
    for layer in network.layers[:-1]:
        weights = np.array(layer.weights, dtype=object)
        slopes = weights @ slopes
        offsets = weights @ offsets + np.array(layer.biases, dtype=object)
        least, largest = _ends(slopes, offsets, lows, highs)
        free = np.flatnonzero((least < 0) & (largest > 0))
        # Neurons that are off are 0; free ones become a variable instead of a form.
        for neurons in (largest <= 0, free):
            slopes[neurons] = 0
            offsets[neurons] = 0
        variables = np.zeros((len(slopes), len(free)), dtype=int).astype(object)
        variables[free, np.arange(len(free))] = 1
        slopes = np.concatenate([slopes, variables], axis=1)
        lows = np.concatenate([lows, np.zeros(len(free), dtype=int).astype(object)])
        highs = np.concatenate([highs, largest[free]])
    last = network.layers[-1]
    row = np.array(margin, dtype=object)
    over_features = row @ np.array(last.weights, dtype=object)
    bias = row @ np.array(last.biases, dtype=object)
    least, _ = _ends((over_features @ slopes)[None], np.array([over_features @ offsets + bias]), lows, highs)
    return int(least[0])


def _ends(slopes: Big, offsets: Big, lows: Big, highs: Big) -> tuple[Big, Big]:
    """Return the least and the largest value of linear forms over a box."""
    up = np.maximum(slopes, 0)
    down = np.minimum(slopes, 0)
    return up @ lows + down @ highs + offsets, up @ highs + down @ lows + offsets
