"""Branch and bound on a box: evidence that a network decides a label for everybody in it, or somebody it does not.

The search in floats is that of balls, on the ball that holds the box, with the room of the box. Bounds and leaves are
made in integers on the box itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from equiproof.certify.branch.arrays import Floats
from equiproof.certify.branch.backward import Signs
from equiproof.certify.branch.box_bounds import bounds_on_box, margin_on_box
from equiproof.certify.branch.box_room import BoxRoom
from equiproof.certify.branch.budget import MAX_WORK, Ended, Meter, NoTreeError
from equiproof.certify.branch.evidence import BranchEvidence, Margin, Row
from equiproof.certify.branch.making import Guess
from equiproof.certify.branch.scaled_ball import reach_of
from equiproof.certify.branch.slice_balls import SliceBalls
from equiproof.certify.branch.tree import Tree, evidence_of
from equiproof.certify.network import QuantisedNetwork, decide
from equiproof.certify.people import Box
from equiproof.certify.polytope import margin_signs, slices
from equiproof.certify.traversal.search import Start
from equiproof.circuits.branch_parameters import Parameters


@dataclass(frozen=True)
class Undecided:
    """Why there is no evidence: somebody, on a row of the table, is decided otherwise, or what ended the search."""

    ended: Ended | None
    point: Row | None = field(default=None, repr=False)
    row: Row | None = None


def decide_on_box(
    parameters: Parameters,
    network: QuantisedNetwork,
    box: Box,
    table: Sequence[Sequence[int]],
    label: int,
    max_leaves: int,
    meter: Meter | None = None,
) -> BranchEvidence | Undecided:
    """Return evidence, of so many leaves at most, that a label is decided on a box on every row of a table (S, n_s).

    `parameters` are those of a shape of boxes. By default the work of `meter` is limited.
    """
    meter = meter or Meter(max_work=MAX_WORK)
    meter.allot(1.0)
    search = _Search(network, box, [tuple(row) for row in table], label)
    wrong = search.look(search.people())
    if wrong is not None:
        return wrong
    balls = _BoxSlices(parameters, search, meter)
    try:
        tree = Tree(balls, {}, search.look_near, max_leaves)
        return evidence_of(balls, tree.grow(), ())
    except NoTreeError as error:
        if search.found is not None:
            return search.found
        return Undecided("digits" if error.reason == "nearer" else error.reason)


class _Search:
    """What is known of a box, and whoever was found in it that is decided otherwise."""

    def __init__(self, network: QuantisedNetwork, box: Box, table: list[Row], label: int) -> None:
        self.network = network
        self.box = box
        self.table = table
        self.label = label
        self.centre = self.person([(low + high) / 2 for low, high in zip(box.low, box.high, strict=True)])
        self.found: Undecided | None = None

    def person(self, place: Sequence[float]) -> Row:
        """Return the person of the box who is nearest to a place: of an open category the value that is most there."""
        ends = zip(place, self.box.low, self.box.high, strict=True)
        point = [min(max(round(value), low), high) for value, low, high in ends]
        for choice in self.box.choices:
            if columns := self.box.open(choice):
                own = max(columns, key=lambda column: place[column])
                for column in choice.columns:
                    point[column] = choice.high if column == own else choice.low
        return tuple(point)

    def people(self) -> list[Row]:
        """Return people at the middle and at both ends of the box."""
        return [self.centre, self.person(self.box.low), self.person(self.box.high)]

    def look(self, people: Sequence[Row]) -> Undecided | None:
        """Return the first of some people, and the row, who is not decided so."""
        for point in people:
            for row in self.table:
                if decide(self.network.logits((*point, *row))) != self.label:
                    return Undecided(None, point, row)
        return None

    def look_near(self, number: int, _on: Row, _off: Row, way: Floats) -> int:
        """Look at the person nearest to the end of a way from the centre, on a slice; return -1 for a wrong one."""
        place = np.array([float(value) for value in self.centre]) + way
        point = self.person(place.tolist())
        row = self.table[number]
        if decide(self.network.logits((*point, *row))) == self.label:
            return self.radius_squared
        self.found = Undecided(None, point, row)
        return -1

    @property
    def radius_squared(self) -> int:
        """The squared radius of a ball around the centre that holds the box."""
        ends = zip(self.centre, self.box.low, self.box.high, strict=True)
        return sum(max(value - low, high - value) ** 2 for value, low, high in ends)


class _BoxSlices(SliceBalls):
    """The box on every slice, inside the ball that holds it."""

    def __init__(self, parameters: Parameters, search: _Search, meter: Meter) -> None:
        """Bound the network on the box of every slice; `meter` pays for the bounds of rows."""
        squared = search.radius_squared
        super().__init__(
            Start(search.centre, slices(search.network, search.table), search.label),
            parameters,
            margin_signs(search.network.logit_count, search.label),
            squared,
            [bounds_on_box(parameters, search.network, search.box, row) for row in search.table],
            meter,
            BoxRoom.around(search.centre, search.box, reach_of(squared)),
        )
        self._box = search.box

    def proof(self, number: int, signs: Sequence[Signs], logits: Row, guess: Guess) -> Margin | None:
        """Return the integer proof of a margin on a part of slice `number`, None where the guess fails."""
        row = self.start.sliced[number].sensitive
        at_slice = self.slice_bounds[number]
        return margin_on_box(self.parameters, self.network, self._box, row, at_slice, signs, logits, guess)
