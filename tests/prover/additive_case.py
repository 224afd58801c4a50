"""Additive models small enough to be searched by hand: exact radii and evidence by enumeration of all cells."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

from equiproof.certify.additive import AdditiveModel
from equiproof.certify.trees.evidence import AdditiveEvidence, AdditiveLeaf
from equiproof.circuits.additive_parameters import spec_parameters
from equiproof.circuits.shape import additive_shape
from equiproof.circuits.spec import Spec
from equiproof.prover.opening import Opening

Box = tuple[tuple[int, int], ...]
"""By column with slots, the least and the largest number of its thresholds that a point is above."""


def additive_model(spec: Spec, predicates: Sequence[tuple[int, int, int]], bias: int) -> AdditiveModel:
    """Return a model of (column, threshold, jump) under a spec."""
    columns, thresholds, jumps = zip(*sorted(predicates), strict=True)
    return AdditiveModel(
        columns, thresholds, jumps, bias, spec.plain_columns, spec.sensitive_columns, spec.input_fraction_bits
    )


def drawn(spec: Spec, seed: int, plain: int, sensitive: int, spread: int = 2000) -> AdditiveModel:
    """Return a random model of so many predicates of plain and of sensitive columns."""
    rng, found = random.Random(seed), {}
    while len(found) < plain:
        found[rng.randrange(spec.plain_columns), rng.randrange(-spread, spread)] = rng.randrange(-900, 900)
    while len(found) < plain + sensitive:
        column = spec.plain_columns + rng.randrange(spec.sensitive_columns)
        found[column, rng.randrange(-spread, spread)] = rng.randrange(-200, 200)
    return additive_model(spec, [(*where, jump) for where, jump in found.items()], rng.randrange(-400, 400))


@dataclass(frozen=True)
class Case:
    """A model, a spec and a query of n_x integers."""

    model: AdditiveModel
    spec: Spec
    query: tuple[int, ...]

    @property
    def label(self) -> int | None:
        """The label at the query on all slices; None where they differ or one is a tie."""
        found = {self.model.decide((*self.query, *row)) for row in self.spec.domain_table}
        return found.pop() if len(found) == 1 else None

    def opening(self) -> Opening:
        """Return an opening of the model with a blinding that never changes."""
        return Opening.of(self.model, self.spec, 11)

    def shape(self, slots: int, capacity: int):
        """Return a shape of the model."""
        return additive_shape(self.spec, self.model.predicates, slots, capacity)

    def gap(self, place: int) -> int:
        """Return the distance to the threshold of a plain predicate."""
        return abs(self.query[self.model.columns[place]] - self.model.thresholds[place])

    def above(self, place: int) -> bool:
        """Return whether a plain predicate's threshold is above the query, or at it."""
        return self.query[self.model.columns[place]] <= self.model.thresholds[place]

    def beyond(self, place: int) -> bool:
        """Return whether nobody crosses a plain predicate's threshold, but outside the ranges or with another value."""
        if self.model.lacks(place, self.query):
            return True
        if self.spec.box is None:
            return False
        column, threshold = self.model.columns[place], self.model.thresholds[place]
        low, high = (ends[column] for ends in self.spec.box)
        return threshold >= high if self.above(place) else threshold < low

    def reached(self) -> list[int]:
        """Return the places of the plain predicates that a neighbor may cross."""
        return [p for p in range(self.model.predicates[0]) if not self.beyond(p)]

    def slots(self, radius_squared: int) -> tuple[int, ...]:
        """Return the places of the live predicates."""
        return tuple(p for p in self.reached() if self.gap(p) ** 2 < radius_squared)

    def margin(self, passed: set[int]) -> int:
        """Return the least margin over the slices where exactly these plain predicates are passed."""
        plain, sign = self.model.predicates[0], 2 * self.label - 1
        score = self.model.bias + sum(self.model.jumps[p] for p in passed)
        sensitive = [
            sum(
                jump
                for column, threshold, jump in zip(
                    self.model.columns[plain:], self.model.thresholds[plain:], self.model.jumps[plain:], strict=True
                )
                if row[column - self.model.plain] > threshold
            )
            for row in self.spec.domain_table
        ]
        return min(sign * (score + of) for of in sensitive)

    def columns(self, slots: Sequence[int]) -> list[list[int]]:
        """Return the slots column by column."""
        names = sorted({self.model.columns[p] for p in slots})
        return [[p for p in slots if self.model.columns[p] == name] for name in names]

    def crossed(self, column: Sequence[int], above: int) -> list[int]:
        """Return which slots of a column a point crosses that is above the first `above` of them."""
        return [p for i, p in enumerate(column) if (i < above) == self.above(p)]

    def farthest(self, crossed: Sequence[int]) -> int:
        """Return the least squared distance along a column of points that cross these slots."""
        return max((self.gap(p) ** 2 for p in crossed), default=0)

    def exact(self) -> int:
        """Return the least squared distance of a cell with another label or a tie, by enumeration."""
        columns = self.columns(self.reached())
        stayed = {p for p in range(self.model.predicates[0]) if not self.above(p)}
        best = None
        for cell in product(*(range(len(column) + 1) for column in columns)):
            crossed = [self.crossed(column, above) for column, above in zip(columns, cell, strict=True)]
            if self.margin(stayed ^ {p for row in crossed for p in row}) < 1:
                distance = sum(self.farthest(row) for row in crossed)
                best = distance if best is None else min(best, distance)
        return self.spec.max_radius_squared if best is None else min(best, self.spec.max_radius_squared)

    def evidence(self, radius_squared: int) -> AdditiveEvidence:
        """Return evidence of a radius, by halving boxes that no multiplier closes."""
        slots = self.slots(radius_squared)
        maker = Maker(self, radius_squared, slots)
        leaves = maker.leaves(tuple((0, len(column)) for column in maker.columns))
        return AdditiveEvidence(self.label, radius_squared, slots, tuple(leaves))


class Maker:
    """Halves boxes of one ball until each is closed."""

    def __init__(self, case: Case, radius_squared: int, slots: tuple[int, ...]) -> None:
        self.case, self.radius_squared, self.slots = case, radius_squared, slots
        self.columns = case.columns(slots)
        parameters = spec_parameters(case.spec, case.model.predicates, max(1, len(slots)))
        self.scale, self.most = parameters.scale, (1 << parameters.multiplier_bits) - 1
        self.base = case.margin({p for p in range(case.model.predicates[0]) if not case.above(p)})

    def leaves(self, box: Box) -> list[AdditiveLeaf]:
        """Return the leaves of a box."""
        signs = self.signs(box)
        multiplier = self.best(box)
        if self.bound(box, multiplier) >= 1:
            return [AdditiveLeaf(signs, multiplier, used=True)]
        if self.distance(box) >= max(1, self.radius_squared):
            return [AdditiveLeaf(signs, 0, used=False)]
        at = max(range(len(box)), key=lambda c: box[c][1] - box[c][0])
        low, high = box[at]
        assert low < high, "the cell cannot be closed"
        middle = (low + high) // 2
        halves = [(low, middle), (middle + 1, high)]
        return [leaf for half in halves for leaf in self.leaves((*box[:at], half, *box[at + 1 :]))]

    def signs(self, box: Box) -> tuple[int, ...]:
        """Return the signs of a box: 1 crossed, -1 stayed, 0 free."""
        found = {}
        for column, (low, high) in zip(self.columns, box, strict=True):
            for i, p in enumerate(column):
                absolute = 1 if i < low else -1 if i >= high else 0
                found[p] = absolute if self.case.above(p) else -absolute
        return tuple(found[p] for p in self.slots)

    def bound(self, box: Box, multiplier: int) -> int:
        """Return the closing sum of a box, by enumeration of every column."""
        total = (self.base << self.scale) - multiplier * self.radius_squared
        sign = 2 * self.case.label - 1
        for column, (low, high) in zip(self.columns, box, strict=True):
            costs = []
            for above in range(low, high + 1):
                crossed = self.case.crossed(column, above)
                steps = sum(sign * self.case.model.jumps[p] * (1 if self.case.above(p) else -1) for p in crossed)
                costs.append((steps << self.scale) + multiplier * self.case.farthest(crossed))
            total += min(costs)
        return total

    def best(self, box: Box) -> int:
        """Return the multiplier of the largest bound, which is concave in it."""
        low, high = 0, self.most
        while high - low > 2:
            one, other = low + (high - low) // 3, high - (high - low) // 3
            if self.bound(box, one) < self.bound(box, other):
                low = one
            else:
                high = other
        return max(range(low, high + 1), key=lambda multiplier: self.bound(box, multiplier))

    def distance(self, box: Box) -> int:
        """Return what the crossed slots of a box add up to."""
        total = 0
        for column, (low, high) in zip(self.columns, box, strict=True):
            total += min(self.case.farthest(self.case.crossed(column, above)) for above in range(low, high + 1))
        return total
