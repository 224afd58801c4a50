"""Decisions of the committed network, exact for any number of inputs, and for whole boxes of them.

Notation: z_l = W_l h_(l-1) + b_l in integers. Floats sort out what is far from a tie: with e_l >= |error of h_l|,
gamma (|W| |h| + |b|) + |W| e covers the rounding of one layer, gamma = (terms + 2) 2^-52. What they cannot tell is
computed in Python's integers, so no answer rests on a float.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from audits.prof.program import forms
from audits.prof.similar import Ends
from certify.network import QuantisedNetwork, decide

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Big = npt.NDArray[np.object_]

TIE = -1
"""The label of an input that no label is decided for strictly."""

_CHUNK = 1 << 15
MAX_BOXES = 20_000
"""The budget of one question over boxes, in boxes looked at."""


class Decider:
    """The network in floats with their error, and in integers where that matters."""

    def __init__(self, network: QuantisedNetwork) -> None:
        """Prepare both forms."""
        self._network = network
        self._weights = [np.array(layer.weights, dtype=np.float64) for layer in network.layers]
        self._biases = [np.array([float(bias) for bias in layer.biases]) for layer in network.layers]

    def labels(self, rows: Integers) -> Integers:
        """Return the strictly decided label of every row (rows, n_x + n_s), TIE where there is none."""
        parts = [self._labels(rows[start : start + _CHUNK]) for start in range(0, len(rows), _CHUNK)]
        return np.concatenate(parts) if parts else np.zeros(0, dtype=np.int64)

    def labels_under(self, queries: Integers, table: Integers) -> Integers:
        """Return the label of every query (rows, n_x) under every assignment (S, n_s), shape (S, rows)."""
        found = np.empty((len(table), len(queries)), dtype=np.int64)
        for number, assignment in enumerate(table):
            wide = np.broadcast_to(assignment, (len(queries), len(assignment)))
            found[number] = self.labels(np.concatenate([queries, wide], axis=1))
        return found

    def _labels(self, rows: Integers) -> Integers:
        """Decide one chunk."""
        values, error = rows.astype(np.float64), np.zeros(rows.shape[1])
        for depth, (weights, biases) in enumerate(zip(self._weights, self._biases, strict=True)):
            largest = np.abs(values).max(axis=0) + error
            gamma = (weights.shape[1] + 2) * 2.0**-52
            error = np.abs(weights) @ error + gamma * (np.abs(weights) @ largest + np.abs(biases))
            values = values @ weights.T + biases
            if depth < len(self._weights) - 1:
                np.maximum(values, 0.0, out=values)
        found, sure = _told(values, error)
        for row in np.flatnonzero(~sure):
            label = self._network.decide([int(value) for value in rows[row]])
            found[row] = TIE if label is None else label
        return found


def _told(logits: Floats, error: Floats) -> tuple[Integers, npt.NDArray[np.bool_]]:
    """Return the labels of float logits, and where their error cannot change them (twice over)."""
    if logits.shape[1] == 1:
        return (logits[:, 0] > 0).astype(np.int64), np.abs(logits[:, 0]) > 2 * error[0]
    order = np.sort(logits, axis=1)
    return logits.argmax(axis=1).astype(np.int64), order[:, -1] - order[:, -2] > 4 * error.max()


@dataclass(frozen=True)
class Alike:
    """All similar inputs are decided alike, with this label."""

    label: int


@dataclass(frozen=True)
class Differing:
    """Two similar inputs, replayed exactly, that are not both decided alike; `labels` are theirs, None for a tie."""

    inputs: tuple[tuple[int, ...], tuple[int, ...]]
    labels: tuple[int | None, int | None]


@dataclass(frozen=True)
class Unsettled:
    """The budget ended first; `reason` is one line."""

    reason: str


Answer = Alike | Differing | Unsettled


def compare(network: QuantisedNetwork, boxes: Sequence[Ends], max_boxes: int = MAX_BOXES) -> Answer:
    """Tell whether all integer inputs of some boxes are decided alike, strictly.

    Points are replayed. A wider box is bounded in integers, and halved where that does not settle it; the grid is
    finite, so with budget enough every question is answered. A tie counts as a difference: it is no decision.
    """
    first = boxes[0][0]
    label = decide(network.logits(first))
    if label is None:
        return Differing((first, boxes[-1][1]), (None, decide(network.logits(boxes[-1][1]))))
    margins = [_rows(form) for form in forms(label, network.logit_count)]
    waiting, seen = [*reversed(boxes)], 0
    while waiting:
        low, high = waiting.pop()
        seen += 1
        if seen > max_boxes:
            return Unsettled(f"{max_boxes} boxes were not enough")
        for end in {low, high}:
            other = decide(network.logits(end))
            if other != label:
                return Differing((first, end), (label, other))
        if low == high or all(least_margin(network, low, high, margin) > 0 for margin in margins):
            continue
        widest = max(range(len(low)), key=lambda k: high[k] - low[k])
        middle = (low[widest] + high[widest]) // 2
        waiting.append(((*low[:widest], middle + 1, *low[widest + 1 :]), high))
        waiting.append((low, (*high[:widest], middle, *high[widest + 1 :])))
    return Alike(label)


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
