"""Leaves of the tree: rows whose multipliers, rounded to the circuit's integers, prove every margin positive."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise

from equiproof.certify.branch.backward import Signs
from equiproof.certify.branch.branching import Node
from equiproof.certify.branch.budget import integer_work
from equiproof.certify.branch.evidence import Margin
from equiproof.certify.branch.making import Guess
from equiproof.certify.branch.slice_balls import SliceBalls


class LeafProver:
    """Proves rows of the balls of one radius in integers."""

    def __init__(self, balls: SliceBalls) -> None:
        """Keep the balls."""
        self._balls = balls
        self._layer_ends = list(pairwise(accumulate(balls.network.hidden, initial=0)))

    def prove(self, row: Node) -> bool:
        """Make a leaf of a row where its multipliers, rounded, prove every margin; return whether they do.

        Raises NoTreeError where the meter ends it.
        """
        if not self._balls.radius_squared:
            # The ball is its centre: floats have nothing to add to the margin itself.
            row.margins = self._margins(row, [self._margin_alone(row.slice)] * len(self._balls.margins))
            return row.margins is not None
        if row.bound <= 0:
            return False
        row.margins = self._margins(row, [bound.guess for bound in row.bounds])
        if row.margins is None and self._balls.has_few_free(row.slice, row.on, row.off):
            # Where a bound is near 0, the multipliers of the nearest point prove more than those of any penalty.
            relaxation = self._balls.relaxations[row.slice]
            bounds = [relaxation.nearest(row.on, row.off, logits) for logits in self._balls.margins]
            row.margins = self._margins(row, [bound.guess for bound in bounds])
        return row.margins is not None

    def prove_simply(self, row: Node, neuron: int) -> bool:
        """Make a leaf of a row with multipliers that need no solver: of the margin alone, or of one sign alone."""
        for guess in (self._margin_alone(row.slice), self._sign_alone(row.slice, neuron)):
            row.margins = self._margins(row, [guess] * len(self._balls.margins))
            if row.margins is not None:
                return True
        return False

    def _margins(self, row: Node, guesses: Sequence[Guess]) -> tuple[Margin, ...] | None:
        """Return the proofs of all margins on a row, None where one fails."""
        balls = self._balls
        signs = [Signs(row.on[start:end], row.off[start:end]) for start, end in self._layer_ends]
        margins = []
        for logits, guess in zip(balls.margins, guesses, strict=True):
            balls.meter.pay(integer_work(balls.network.layers, 1))
            margin = balls.proof(row.slice, signs, logits, guess)
            if margin is None:
                return None
            margins.append(margin)
        return tuple(margins)

    def _margin_alone(self, number: int) -> Guess:
        """Return M = 1 without multipliers of signs and with slopes 0 of free neurons."""
        return self._guess(number, 1.0, None)

    def _sign_alone(self, number: int, neuron: int) -> Guess:
        """Return M = 0 with beta = 1 of one neuron: it proves a part empty whose sign contradicts the bounds."""
        return self._guess(number, 0.0, neuron)

    def _guess(self, number: int, multiplier: float, neuron: int | None) -> Guess:
        """Return the guess with M and one beta of 1 or none; slopes are those of stable neurons."""
        beta = [[float(i == neuron) for i in range(start, end)] for start, end in self._layer_ends]
        no_overlap = [[0.0] * (end - start) for start, end in self._layer_ends]
        layers = self._balls.relaxations[number].ball.layers
        lower = [layer.active.astype(float).tolist() for layer in layers]
        return Guess(multiplier, tuple(beta), tuple(lower), tuple(no_overlap))
