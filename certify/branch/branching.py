"""Rows of a growing tree, and which neuron of a row is best split: that whose children gain most, as a product.

Strong branching, where all children of many rows are tried at once by a few steps of ascent (filtered smart branching,
De Palma and others 2021).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from certify.branch.crown import Part, bounds
from certify.branch.evidence import Margin, Row
from certify.branch.relaxed import Relaxed, SliceRelaxation

TRIED = 16
"""How many neurons are tried by ascent before one is split."""

_TRIAL_STEPS = 8
"""Steps of ascent on a child that is tried."""


@dataclass
class Node:
    """A row of the growing tree, its relaxed margins, and its children once it is split."""

    slice: int
    on: Row
    off: Row
    relaxed: tuple[Relaxed, ...]
    margins: tuple[Margin, ...] | None = None
    neuron: int | None = None
    children: list[Node] = field(default_factory=list)

    @property
    def bound(self) -> float:
        """The least bound of its margins."""
        return min(found.bound for found in self.relaxed)


def choose_by_ascent(
    relaxation: SliceRelaxation, margins: Sequence[Row], tried: Sequence[tuple[Node, list[int]]]
) -> None:
    """Choose the neuron of each row, all of one slice, among its candidates: for its worst margin."""
    for place, logits in enumerate(margins):
        here = [(row, neurons) for row, neurons in tried if _worst(row) == place]
        parts = [Part(*signs, row.relaxed[place]) for row, neurons in here for i in neurons for signs in below(row, i)]
        if not parts:
            continue
        found = iter(bounds(relaxation, parts, logits, _TRIAL_STEPS))
        for row, neurons in here:
            scores = [(score_of(row, [next(found).bound, next(found).bound]), -rank) for rank in range(len(neurons))]
            row.neuron = neurons[-max(scores)[1]]


def _worst(row: Node) -> int:
    """Return which margin of a row has the least bound."""
    return min(range(len(row.relaxed)), key=lambda place: row.relaxed[place].bound)


def score_of(row: Node, below: Sequence[float]) -> tuple[bool, float]:
    """Return how good a split is, by the bounds of its children: both proven, or the product of what they gain."""
    gains = [max(min(bound, 0.0) - row.bound, 1e-6) for bound in below]
    return all(bound > 0 for bound in below), gains[0] * gains[1]


def below(row: Node, neuron: int) -> list[tuple[Row, Row]]:
    """Return on and off of the children of a row where a neuron is split."""
    return [(_with(row.on, neuron), row.off), (row.on, _with(row.off, neuron))]


def _with(bits: Row, neuron: int) -> Row:
    """Return bits with one more set."""
    return (*bits[:neuron], 1, *bits[neuron + 1 :])
