"""Decisions of the committed network for whole boxes of inputs, in integers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

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


def compare(network: QuantisedNetwork, boxes: Sequence[Ends], max_boxes: int = MAX_BOXES) -> Answer:
    """Return whether all integer inputs of some boxes have the same decision, without a tie.

    Points are replayed. A wider box is bounded in integers, and halved if that does not settle it; the grid is finite,
    so a large enough budget answers every question. A tie is not a decision, so inputs with a tie are not alike. The
    search continues after a tie, because two different decisions are the stronger answer.
    """
    known = _Known(network)
    waiting, seen = [*reversed(boxes)], 0
    while waiting:
        low, high = waiting.pop()
        seen += 1
        if seen > max_boxes:
            return known.answer() if known.tie else Unsettled(f"the limit of {max_boxes} boxes was reached")
        for end in dict.fromkeys((low, high)):
            if (found := known.replay(end)) is not None:
                return found
        if low == high or known.holds(low, high):
            continue
        widest = max(range(len(low)), key=lambda k: high[k] - low[k])
        middle = (low[widest] + high[widest]) // 2
        waiting.append(((*low[:widest], middle + 1, *low[widest + 1 :]), high))
        waiting.append((low, (*high[:widest], middle, *high[widest + 1 :])))
    return known.answer()


def check(network: QuantisedNetwork, similarity: Similarity, queries: Sequence[tuple[int, ...]]) -> list[Answer]:
    """Return for every query, n_x integers each, whether all similar inputs are decided alike: in integers."""
    return [compare(network, similarity.boxes(query)) for query in queries]


class _Known:
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
            self._decided = inputs, label
            self._margins = [_rows(form) for form in forms(label, self._network.logit_count)]
        elif label != self._decided[1]:
            return Differing((self._decided[0], inputs), (self._decided[1], label))
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
        inputs, label = self._decided or (self.tie, None)
        return Differing((inputs, self.tie), (label, None))


def _rows(form: Floats) -> tuple[int, ...]:
    """Return a margin's row over the logits in integers."""
    return tuple(int(value) for value in form)


def least_margin(network: QuantisedNetwork, low: Sequence[int], high: Sequence[int], margin: Sequence[int]) -> int:
    """Return a lower bound, in integers, of a margin over a box of inputs.

    Linear forms over the inputs are handed on exactly through neurons whose sign is known; a neuron whose sign is not
    becomes a variable of its own, from 0 to its largest value.
    """
    lows, highs = np.array(low, dtype=object), np.array(high, dtype=object)
    slopes: Big = np.eye(len(low), dtype=int).astype(object)
    offsets: Big = np.zeros(len(low), dtype=int).astype(object)
    for layer in network.layers[:-1]:
        weights = np.array(layer.weights, dtype=object)
        slopes, offsets = weights @ slopes, weights @ offsets + np.array(layer.biases, dtype=object)
        least, most = _ends(slopes, offsets, lows, highs)
        slopes[most <= 0], offsets[most <= 0] = 0, 0
        free = np.flatnonzero((least < 0) & (most > 0))
        fresh = np.zeros((len(slopes), len(free)), dtype=int).astype(object)
        for place, neuron in enumerate(free):
            slopes[neuron], offsets[neuron], fresh[neuron, place] = 0, 0, 1
        slopes = np.concatenate([slopes, fresh], axis=1)
        lows = np.concatenate([lows, np.zeros(len(free), dtype=int).astype(object)])
        highs = np.concatenate([highs, most[free]])
    last, row = network.layers[-1], np.array(margin, dtype=object)
    over = row @ np.array(last.weights, dtype=object)
    bias = row @ np.array(last.biases, dtype=object)
    return int(_ends((over @ slopes)[None], np.array([over @ offsets + bias]), lows, highs)[0][0])


def _ends(slopes: Big, offsets: Big, lows: Big, highs: Big) -> tuple[Big, Big]:
    """Return the least and the largest value of linear forms over a box."""
    up, down = np.maximum(slopes, 0), np.minimum(slopes, 0)
    return up @ lows + down @ highs + offsets, up @ highs + down @ lows + offsets
