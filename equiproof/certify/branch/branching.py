"""Rows of a growing tree, and the choice of the neuron to split: the one whose children gain most, as a product.

Strong branching: a few steps of ascent try all children of many rows at once (filtered smart branching, De Palma and
others 2021).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from equiproof.certify.branch.crown import Part, bounds
from equiproof.certify.branch.evidence import Margin, Row
from equiproof.certify.branch.relaxed import Relaxed, SliceRelaxation

TRIED = 16
"""The number of neurons that ascent tries before one is split."""

_TRIAL_STEPS = 8
"""The number of steps of ascent on each tried child."""


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
        found = iter(bounds(relaxation, parts, logits, _TRIAL_STEPS))
        for row, neurons in here:
            scores = [(score_of(row, [next(found).bound, next(found).bound]), -rank) for rank in range(len(neurons))]
            row.neuron = neurons[-max(scores)[1]]


def _worst(row: Node) -> int:
    """Return the number of the margin with the least bound in a row."""
    return min(range(len(row.relaxed)), key=lambda place: row.relaxed[place].bound)


def score_of(row: Node, below: Sequence[float]) -> tuple[bool, float]:
    """Return the score of a split from the bounds of its children: both proven, or the product of their gains."""
    gains = [max(min(bound, 0.0) - row.bound, 1e-6) for bound in below]
    return all(bound > 0 for bound in below), gains[0] * gains[1]


def below(row: Node, neuron: int) -> list[tuple[Row, Row]]:
    """Return on and off of the children of a row where a neuron is split."""
    return [(_with(row.on, neuron), row.off), (row.on, _with(row.off, neuron))]


def _with(bits: Row, neuron: int) -> Row:
    """Return bits with one more set."""
    return (*bits[:neuron], 1, *bits[neuron + 1 :])
