"""Branch and bound over the balls of all slices for one radius: a tree whose leaves are proven in integers.

A row is a slice and the signs of some neurons. If the relaxation and the rounded multipliers prove every margin
positive, or the part empty, the row is a leaf; else a neuron is split. The neuron is chosen among those that lose most
of the bound, by bounding both children (strong branching): the one whose children gain most, as a product. The frontier
are the rows that are neither; those with the least bound come first, since they decide whether the leaves suffice.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from equiproof.certify.branch.arrays import Floats
from equiproof.certify.branch.branching import CANDIDATES_OF_ASCENT, Node, choose_by_ascent, score_of, signs_below
from equiproof.certify.branch.budget import Meter, NoTreeError
from equiproof.certify.branch.evidence import BranchEvidence, Leaf, Row, Split
from equiproof.certify.branch.leaves import LeafProver
from equiproof.certify.branch.making import SliceBounds, first_radii_of, slice_bounds
from equiproof.certify.branch.slice_balls import SMALL, SliceBalls
from equiproof.certify.branch.slopes import tight_slopes
from equiproof.certify.polytope import margin_signs
from equiproof.certify.traversal.search import Start
from equiproof.circuits.branch_parameters import Parameters

CANDIDATES_OF_PROGRAMS = 6
"""The number of neurons that programs try before one is split."""

_BATCH = 24
"""The number of rows that are split before their children are bounded together."""

_REUSE_SHARE = 0.95
"""Splits of a tree are reused for a smaller squared radius down to this share."""

_LARGEST_LOSS = 16
"""Larger networks lose no more than this share of the margin at the query for each leaf; else there are too few."""

_LEAST_LOSS = 1e-9
"""A bound is lost where a neuron's share of it is above this part of the margin at the query."""

LookNear = Callable[[int, Row, Row, Floats], int]
"""Looks for a wrong decision near a point of a row: slice, on, off, and the way to it, shape (n_x,) in grid units.

Returns the squared radius that is allowed afterwards.
"""


class Grower:
    """Grows trees for one query, one radius after the other, and remembers the splits."""

    def __init__(self, start: Start, parameters: Parameters, look_near: LookNear) -> None:
        """Begin without memory; `look_near` takes points where a margin may be lost."""
        self.start = start
        self.parameters = parameters
        self.look_near = look_near
        self.network = start.sliced[0].network
        self.margins = margin_signs(self.network.logit_count, start.label)
        self.programs = 0
        self._splits: dict[tuple[int, Row, Row], int] = {}
        self._slopes: list[Floats] | None = None
        self._longer_slopes = False
        self._last_radius_squared = 0

    def climb(self, *, longer: bool) -> None:
        """Set how long the ascent to slopes is, and begin it anew."""
        self._longer_slopes = longer
        self._slopes = None

    def grow(self, radius_squared: int, max_leaves: int, meter: Meter, *, plain: bool = False) -> BranchEvidence:
        """Return evidence of a squared radius, in grid units, within a number of leaves; raises NoTreeError.

        `plain`: with the tighter lower lines, which cost nothing, in place of slopes that are searched for.
        """
        if not _REUSE_SHARE * self._last_radius_squared <= radius_squared <= self._last_radius_squared:
            # The best split of a much larger ball is a bad choice for this one.
            self._splits.clear()
        self._last_radius_squared = radius_squared
        balls = self._balls(radius_squared, meter, plain=plain)
        tree = Tree(balls, self._splits, self.look_near, max_leaves)
        try:
            roots = tree.grow()
        finally:
            self.programs += balls.programs
        return evidence_of(balls, roots, first_radii_of(balls.network, len(self.start.query), radius_squared))

    def least_bound(self, radius_squared: int, meter: Meter) -> float:
        """Return the least bound of a whole ball in floats, as a share of the margin at the query.

        Raises NoTreeError where the meter ends it.
        """
        return min(root.bound for root in self._balls(radius_squared, meter, plain=False).roots())

    def _balls(self, radius_squared: int, meter: Meter, *, plain: bool) -> SliceBalls:
        """Return the balls of all slices; raises NoTreeError where the meter ends it."""
        bounds = self._slice_bounds(radius_squared, meter, plain=plain)
        return SliceBalls(self.start, self.parameters, self.margins, radius_squared, bounds, meter)

    def _slice_bounds(self, radius_squared: int, meter: Meter, *, plain: bool) -> list[SliceBounds]:
        """Return the bounds of every slice, with slopes that make those of deeper layers tight."""
        case = (self.parameters, self.network, self.start.query)
        table = [at_slice.sensitive for at_slice in self.start.sliced]
        slopes: list[tuple[Row, ...]] = [()] * len(table)
        # With few neurons, a few more leaves cost less than slopes.
        is_small = self.network.neurons <= SMALL
        if not plain and not is_small and len(self.network.hidden) > 1 and radius_squared > 0:
            slopes, self._slopes = tight_slopes(
                *case, table, self.margins, radius_squared, self._slopes, meter, longer=self._longer_slopes
            )
        return [
            slice_bounds(*case, row, radius_squared, lower, meter) for row, lower in zip(table, slopes, strict=True)
        ]


def evidence_of(balls: SliceBalls, roots: Sequence[Node], first_radii: Row) -> BranchEvidence:
    """Collect the evidence of a finished tree: rows from the roots down."""
    rows: list[Node] = []
    stack = list(reversed(roots))
    while stack:
        rows.append(stack.pop())
        stack += reversed(rows[-1].children)
    return BranchEvidence(
        label=balls.start.label,
        radius_squared=balls.radius_squared,
        first_radii=first_radii,
        bounds=tuple(balls.slice_bounds),
        splits=tuple(Split(row.slice, row.on, row.off, row.neuron) for row in rows if row.neuron is not None),
        leaves=tuple(Leaf(row.slice, row.on, row.off, row.margins) for row in rows if row.margins is not None),
    )


class Tree:
    """One tree over all slices, for one radius."""

    def __init__(
        self, balls: SliceBalls, splits: dict[tuple[int, Row, Row], int], look_near: LookNear, max_leaves: int
    ) -> None:
        """Begin without rows; `splits` remembers the neurons of rows across radii."""
        self._balls = balls
        self._prover = LeafProver(balls)
        self._splits = splits
        self._look_near = look_near
        self._max_leaves = max_leaves

    def grow(self) -> list[Node]:
        """Return the roots of a finished tree; raises NoTreeError."""
        roots = self._balls.roots()
        if not self._balls.is_small and min(root.bound for root in roots) < -_LARGEST_LOSS * self._max_leaves:
            raise NoTreeError("leaves")
        frontier = list(roots)
        leaves = 0
        while frontier:
            # A row that is not proven becomes at least two leaves.
            if leaves + sum(1 if row.bound > 0 else 2 for row in frontier) > self._max_leaves:
                raise NoTreeError("leaves")
            # The least bounds come last, where the batch is taken; rows of equal bounds keep their order.
            frontier.sort(key=lambda row: -row.bound)
            batch = frontier[-_BATCH:]
            unproven = [row for row in batch if not self._prover.prove(row)]
            leaves += len(batch) - len(unproven)
            frontier = frontier[:-_BATCH] + self._split(unproven)
        if not any(row.children for row in roots):
            self._split_needlessly(roots, leaves)
        return roots

    def _split(self, rows: Sequence[Node]) -> list[Node]:
        """Split in each row the neuron whose children gain most; return all children."""
        for row in rows:
            self._look_at_points(row)
        for number in range(len(self._balls.relaxations)):
            slice_rows = [row for row in rows if row.slice == number]
            self._choose([row for row in slice_rows if not self._recall(row)])
            childless = [row for row in slice_rows if not row.children]
            signs = [(on, off, row) for row in childless for on, off in signs_below(row, _chosen_neuron(row))]
            children = iter(self._balls.rows(number, signs))
            for row in childless:
                row.children = [next(children), next(children)]
        return [child for row in rows for child in row.children]

    def _look_at_points(self, row: Node) -> None:
        """Examine points of a row where a margin is negative; raises NoTreeError where the radius is too large."""
        ball = self._balls.relaxations[row.slice].ball
        for logits, bound in zip(self._balls.margins, row.bounds, strict=True):
            if bound.point is None or ball.margin_at(logits, bound.point) > 0:
                continue
            self._refuse_nearer(row, bound.point)

    def _refuse_nearer(self, row: Node, point: Floats) -> None:
        """Raise NoTreeError where a wrong decision near a point is closer than the radius."""
        if self._look_near(row.slice, row.on, row.off, point) < self._balls.radius_squared:
            raise NoTreeError("nearer")

    def _recall(self, row: Node) -> bool:
        """Return whether the same row was split for another radius; if so, choose the same neuron."""
        neuron = self._splits.get((row.slice, row.on, row.off))
        if neuron is None or not self._balls.is_free(row, neuron):
            return False
        row.neuron = neuron
        return True

    def _choose(self, rows: Sequence[Node]) -> None:
        """Choose the neurons to split in rows of one slice; raises NoTreeError where no split can help."""
        if self._balls.is_small:
            for row in rows:
                self._choose_by_programs(row, self._candidates(row, CANDIDATES_OF_PROGRAMS))
        elif rows:
            candidates = [(row, self._candidates(row, CANDIDATES_OF_ASCENT)) for row in rows]
            choose_by_ascent(self._balls.relaxations[rows[0].slice], self._balls.margins, candidates)
        for row in rows:
            if row.neuron is not None:
                self._splits[row.slice, row.on, row.off] = row.neuron

    def _candidates(self, row: Node, count: int) -> list[int]:
        """Return the neurons that lose most of the worst margin; raises NoTreeError where no split can help."""
        worst = row.bounds[row.worst_margin]
        # A stable sort: of equal losses the neuron with the lower number comes first, on every machine.
        order = np.argsort(-worst.losses, kind="stable")
        candidates = [int(neuron) for neuron in order if worst.losses[neuron] > _LEAST_LOSS]
        if candidates:
            return candidates[:count]
        # The relaxation is exact at its worst point, so a margin below 0 there is a wrong decision.
        if worst.point is not None:
            self._refuse_nearer(row, worst.point)
        free = [neuron for neuron in range(self._balls.network.neurons) if self._balls.is_free(row, neuron)]
        if not free:
            raise NoTreeError("digits")
        return free[:count]

    def _choose_by_programs(self, row: Node, candidates: Sequence[int]) -> None:
        """Split the candidate with the largest product of gains; a first one whose children are proven ends it."""
        best_score = None
        for neuron in candidates:
            children = self._balls.children(row, neuron)
            score = score_of(row, [child.bound for child in children])
            if best_score is None or score > best_score:
                best_score = score
                row.neuron = neuron
                row.children = children
            is_proven, _ = score
            if is_proven:
                break

    def _split_needlessly(self, roots: Sequence[Node], leaves: int) -> None:
        """Split one root whose children can both be proven: every constraint system has a split row."""
        if leaves + 1 > self._max_leaves:
            raise NoTreeError("leaves")
        for root in roots:
            for neuron in range(self._balls.network.neurons):
                children = self._balls.children(root, neuron)
                if all(self._prover.prove(child) or self._prover.prove_simply(child, neuron) for child in children):
                    root.neuron = neuron
                    root.children = children
                    root.margins = None
                    return
        raise NoTreeError("digits")


def _chosen_neuron(row: Node) -> int:
    """Return the neuron to split in a row; raises NoTreeError where none was chosen."""
    if row.neuron is None:
        raise NoTreeError("digits")
    return row.neuron
