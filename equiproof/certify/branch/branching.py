"""Rows of a growing tree, and the choice of the neuron to split: the one whose children gain most, as a product.

Strong branching: a few steps of ascent try all children of many rows at once (filtered smart branching, De Palma and
others 2021).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from equiproof.certify.branch.crown import Part, bounds
from equiproof.certify.branch.duals import MarginBound
from equiproof.certify.branch.evidence import Margin, Row
from equiproof.certify.branch.relaxation import SliceRelaxation

CANDIDATES_OF_ASCENT = 16
"""The number of neurons that ascent tries before one is split."""

_TRIAL_STEPS = 8
"""The number of steps of ascent on each tried child."""

_LEAST_GAIN = 1e-6
"""A gain counts as at least this, as a share of the margin at the query: a product must not forget the other child."""


@dataclass
class Node:
    """A row of the growing tree, the bounds of its margins, and its children once it is split.

    `margins` are the integer proofs of a leaf, None for other rows; `neuron` is the one that is split, or to be split.
    """

    slice: int
    on: Row
    off: Row
    bounds: tuple[MarginBound, ...]
    margins: tuple[Margin, ...] | None = None
    neuron: int | None = None
    children: list[Node] = field(default_factory=list)

    @property
    def bound(self) -> float:
        """The least bound of its margins, as a share of the margin at the query."""
        return min(margin.bound for margin in self.bounds)

    @property
    def worst_margin(self) -> int:
        """The number of the margin with the least bound, the first one of equals."""
        return min(range(len(self.bounds)), key=lambda place: self.bounds[place].bound)


def choose_by_ascent(
    relaxation: SliceRelaxation, margins: Sequence[Row], candidates: Sequence[tuple[Node, list[int]]]
) -> None:
    """Choose the neuron of each row, all of one slice, among its candidates: for its worst margin."""
    for place, logits in enumerate(margins):
        rows = [(row, neurons) for row, neurons in candidates if row.worst_margin == place]
        parts = [
            Part(on, off, row.bounds[place])
            for row, neurons in rows
            for neuron in neurons
            for on, off in signs_below(row, neuron)
        ]
        children = iter(bounds(relaxation, parts, logits, _TRIAL_STEPS))
        for row, neurons in rows:
            scores = [score_of(row, [next(children).bound, next(children).bound]) for _ in neurons]
            # Of equal scores the first one wins: candidates come in the order of what they lose.
            row.neuron = neurons[scores.index(max(scores))]


def score_of(row: Node, children: Sequence[float]) -> tuple[bool, float]:
    """Return the score of a split from the bounds of its children: both proven, or the product of their gains."""
    # Beyond 0 a bound gains nothing: the child is a leaf then.
    gains = [max(min(bound, 0.0) - row.bound, _LEAST_GAIN) for bound in children]
    return all(bound > 0 for bound in children), gains[0] * gains[1]


def signs_below(row: Node, neuron: int) -> list[tuple[Row, Row]]:
    """Return on and off of the children of a row where a neuron is split: that with the neuron on comes first."""
    return [(_with_bit(row.on, neuron), row.off), (row.on, _with_bit(row.off, neuron))]


def _with_bit(bits: Row, neuron: int) -> Row:
    """Return bits with one more set."""
    return (*bits[:neuron], 1, *bits[neuron + 1 :])
