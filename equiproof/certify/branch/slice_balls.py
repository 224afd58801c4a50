"""The balls of all slices for one radius, and lower bounds of the margins on their parts: the bounding of the tree.

Ascent bounds many rows together; the quadratic program is used in small networks, and for rows that are nearly proven.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from equiproof.certify.branch.backward import Signs
from equiproof.certify.branch.branching import Node, signs_below
from equiproof.certify.branch.budget import Meter
from equiproof.certify.branch.crown import Part, bounds
from equiproof.certify.branch.cutting import Room
from equiproof.certify.branch.duals import MarginBound
from equiproof.certify.branch.evidence import Margin, Row
from equiproof.certify.branch.making import Guess, SliceBounds, leaf_margin
from equiproof.certify.branch.relaxation import SliceRelaxation
from equiproof.certify.branch.scaled_ball import reach_of
from equiproof.certify.traversal.search import Start
from equiproof.circuits.branch_parameters import Parameters

SMALL = 24
"""In networks of so many neurons, programs bound all rows: they are as fast as ascent, and exact."""

FEW_FREE = 80
"""Up to so many free neurons, a program for a single row is worth its time."""

_NEAR_MISS = 0.05
"""A bound of ascent so near to 0, as a share of the margin at the query, is worth a program."""

_STEPS = 25
"""The number of steps of ascent for a row."""

_ROOT_STEPS = 100
"""The number of steps of ascent for a whole ball: all rows below it begin at its multipliers."""


class SliceBalls:
    """The balls of all slices for one squared radius (in grid units), with bounds of their neurons and relaxations.

    `margins` are rows over the logits, one for every class but the label; `slice_bounds` the integer bounds by slice.
    """

    def __init__(
        self,
        start: Start,
        parameters: Parameters,
        margins: Sequence[Row],
        radius_squared: int,
        slice_bounds: Sequence[SliceBounds],
        meter: Meter,
        room: Room | None = None,
    ) -> None:
        """Relax the network on every ball; `meter` pays for bounds of rows, and the room is by default of ranges."""
        self.start = start
        self.parameters = parameters
        self.network = start.sliced[0].network
        self.margins = margins
        self.radius_squared = radius_squared
        self.slice_bounds = slice_bounds
        self.meter = meter
        self.is_small = self.network.neurons <= SMALL
        if room is None and start.box is not None:
            room = Room.of(start.query, start.box, reach_of(radius_squared))
        self.relaxations = [
            SliceRelaxation(
                parameters,
                self.network,
                start.query,
                at_slice.sensitive,
                at_bounds,
                radius_squared,
                room,
                meter,
            )
            for at_slice, at_bounds in zip(start.sliced, slice_bounds, strict=True)
        ]

    def proof(self, number: int, signs: Sequence[Signs], logits: Row, guess: Guess) -> Margin | None:
        """Return the integer proof of a margin on a part of slice `number`, None where the guess fails."""
        return leaf_margin(
            self.parameters,
            self.network,
            self.start.query,
            self.start.sliced[number].sensitive,
            self.slice_bounds[number],
            signs,
            logits,
            guess,
            self.radius_squared,
            self.start.box,
        )

    @property
    def programs(self) -> int:
        """The number of solved quadratic programs."""
        return sum(relaxation.programs for relaxation in self.relaxations)

    def roots(self) -> list[Node]:
        """Return the rows of whole balls, one for each slice; raises NoTreeError where the meter ends it."""
        free = (0,) * self.network.neurons
        return [self.rows(number, [(free, free, None)], _ROOT_STEPS)[0] for number in range(len(self.relaxations))]

    def children(self, row: Node, neuron: int) -> list[Node]:
        """Return a row with one more neuron on, and off; raises NoTreeError where the meter ends it."""
        return self.rows(row.slice, [(on, off, row) for on, off in signs_below(row, neuron)])

    def rows(self, number: int, signs: Sequence[tuple[Row, Row, Node | None]], steps: int = _STEPS) -> list[Node]:
        """Bound rows of slice `number`, given by on, off and the row above; raises NoTreeError."""
        by_margin = []
        for place, logits in enumerate(self.margins):
            parts = [Part(on, off, above.bounds[place] if above is not None else None) for on, off, above in signs]
            by_margin.append(self._margin_bounds(number, parts, logits, steps))
        by_row = zip(*by_margin, strict=True)
        return [Node(number, on, off, row_bounds) for (on, off, _), row_bounds in zip(signs, by_row, strict=True)]

    def is_free(self, row: Node, neuron: int) -> bool:
        """Return whether a neuron is neither fixed nor stable in a row."""
        unstable = np.concatenate([layer.unstable for layer in self.relaxations[row.slice].ball.layers])
        return bool(unstable[neuron]) and not row.on[neuron] and not row.off[neuron]

    def has_few_free(self, number: int, on: Row, off: Row) -> bool:
        """Return whether a part of slice `number` has few enough free neurons for a program of its own."""
        return self.relaxations[number].ball.count_free(on, off) <= FEW_FREE

    def _margin_bounds(self, number: int, parts: Sequence[Part], logits: Row, steps: int) -> list[MarginBound]:
        """Bound a margin on parts of one slice: by ascent, where that is nearly enough by a program as well."""
        if self.is_small:
            return [self._program_bound(number, part, logits) for part in parts]
        results = []
        for part, bound in zip(parts, bounds(self.relaxations[number], parts, logits, steps), strict=True):
            if -_NEAR_MISS < bound.bound <= 0 and self.has_few_free(number, part.on, part.off):
                exact = self._program_bound(number, part, logits)
                results.append(exact if exact.bound > bound.bound else bound)
            else:
                results.append(bound)
        return results

    def _program_bound(self, number: int, part: Part, logits: Row) -> MarginBound:
        """Bound a margin on a part by a program, which begins at the penalty of the part above."""
        penalty = part.above.penalty if part.above else 1.0
        return self.relaxations[number].solve(part.on, part.off, logits, penalty)
