"""Branch and bound over the balls of all slices for one radius: a tree whose leaves are proven in integers.

A row is a slice and the signs of some neurons. If the relaxation and the rounded multipliers prove every margin
positive, or the part empty, the row is a leaf; else a neuron is split. The neuron is chosen among those that lose most
of the bound, by bounding both children (strong branching): the one whose children gain most, as a product. Ascent
bounds many rows together; the quadratic program is used in small networks, and for rows that are nearly proven.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np

from equiproof.certify.branch.backward import Signs
from equiproof.certify.branch.branching import TRIED, Node, below, choose_by_ascent, score_of
from equiproof.certify.branch.budget import Meter, NoTreeError, integer_work
from equiproof.certify.branch.crown import Part, bounds
from equiproof.certify.branch.evidence import BranchEvidence, Leaf, Margin, Row, Split
from equiproof.certify.branch.making import Guess, SliceBounds, first_radii_of, leaf_margin, slice_bounds
from equiproof.certify.branch.relaxed import Floats, Relaxed, SliceRelaxation
from equiproof.certify.branch.slopes import tight_slopes
from equiproof.certify.polytope import margin_signs
from equiproof.certify.traversal.search import Start
from equiproof.circuits.branch_parameters import Parameters

CANDIDATES = 6
"""The number of neurons that programs try before one is split."""

SMALL = 24
"""In networks of so many neurons, programs bound all rows: they are as fast as ascent, and exact."""

_NEAR, _SOME = 0.05, 80
"""A bound of ascent so near to 0, as a share of the margin at the query, is worth a program up to so many neurons."""

_STEPS, _ROOT_STEPS = 25, 100
"""The numbers of steps of ascent for a row and for a whole ball."""

_TOGETHER = 24
"""The number of rows that are split before their children are bounded together."""

_ALIKE = 0.95
"""Splits of a tree are reused for a smaller squared radius down to this share."""

_HOPELESS = 16
"""Larger networks lose no more than this share of the margin at the query for each leaf; else there are too few."""

_EXACT = 1e-9
"""A bound is lost where a neuron's share of it is above this part of the margin at the query."""


class Grower:
    """Grows trees for one query, one radius after the other, and remembers the splits."""

    def __init__(self, start: Start, parameters: Parameters, nearer: Callable[[int, Row, Row, Floats], int]) -> None:
        """Begin without memory; `nearer` takes points where a margin may be lost, and returns the radius allowed."""
        self.start = start
        self.parameters = parameters
        self.nearer = nearer
        self.network = start.sliced[0].network
        self.over = margin_signs(self.network.logit_count, start.label)
        self.chosen: dict[tuple[int, Row, Row], int] = {}
        self.slopes: list[Floats] | None = None
        self.longer = False
        self._last = 0
        self.programs = 0

    def climb(self, *, longer: bool) -> None:
        """Set how long the ascent to slopes is, and begin it anew."""
        self.longer, self.slopes = longer, None

    def grow(self, radius_squared: int, max_leaves: int, meter: Meter, *, plain: bool = False) -> BranchEvidence:
        """Return evidence of a squared radius within a number of leaves; raises NoTreeError.

        `plain`: with the tighter lower lines, which cost nothing, in place of slopes that are searched for.
        """
        if not _ALIKE * self._last <= radius_squared <= self._last:
            # The best split of a much larger ball is a bad choice for this one.
            self.chosen.clear()
        self._last = radius_squared
        tree = _Tree(self, radius_squared, max_leaves, meter, plain=plain)
        try:
            roots = tree.grown()
        finally:
            self.programs += tree.programs
        return self._evidence(radius_squared, tree.bounds, roots)

    def bound(self, radius_squared: int, meter: Meter) -> float:
        """Return the least bound of a whole ball in floats, as a share of the margin at the query.

        Raises NoTreeError where the meter ends it.
        """
        return min(root.bound for root in _Tree(self, radius_squared, 0, meter, plain=False).roots())

    def _evidence(self, radius_squared: int, bounds: Sequence[SliceBounds], roots: Sequence[Node]) -> BranchEvidence:
        """Collect the evidence: rows from the roots down."""
        rows: list[Node] = []
        stack = list(reversed(roots))
        while stack:
            rows.append(stack.pop())
            stack += reversed(rows[-1].children)
        splits = tuple(Split(row.slice, row.on, row.off, row.neuron) for row in rows if row.neuron is not None)
        leaves = tuple(Leaf(row.slice, row.on, row.off, row.margins) for row in rows if row.margins is not None)
        return BranchEvidence(
            label=self.start.label,
            radius_squared=radius_squared,
            first_radii=first_radii_of(self.network, len(self.start.query), radius_squared),
            bounds=tuple(bounds),
            splits=splits,
            leaves=leaves,
        )


class _Tree:
    """One tree over all slices, for one radius."""

    def __init__(self, grower: Grower, radius_squared: int, max_leaves: int, meter: Meter, *, plain: bool) -> None:
        self._grower = grower
        self._start = grower.start
        self._parameters = grower.parameters
        self._network = grower.network
        self._over = grower.over
        self._small = self._network.neurons <= SMALL
        self._radius_squared = radius_squared
        self._max_leaves = max_leaves
        self._meter = meter
        self._sliced = self._start.sliced
        self.bounds = self._bounds(plain=plain)
        self._relaxations = [
            SliceRelaxation(
                self._parameters,
                self._network,
                self._start.query,
                here.sensitive,
                bounds,
                radius_squared,
                self._start.box,
                meter,
            )
            for here, bounds in zip(self._sliced, self.bounds, strict=True)
        ]
        cuts = np.cumsum([0, *self._network.hidden])
        self._cuts = [(int(a), int(b)) for a, b in pairwise(cuts)]

    def _bounds(self, *, plain: bool) -> list[SliceBounds]:
        """Return the bounds of every slice, with slopes that make those of deeper layers tight."""
        case, table = (self._parameters, self._network, self._start.query), [here.sensitive for here in self._sliced]
        slopes: list[tuple[Row, ...]] = [()] * len(table)
        # With few neurons, a few more leaves cost less than slopes.
        if not plain and len(self._network.hidden) > 1 and not self._small and self._radius_squared > 0:
            slopes, self._grower.slopes = tight_slopes(
                *case,
                table,
                self._over,
                self._radius_squared,
                self._grower.slopes,
                self._meter,
                longer=self._grower.longer,
            )
        return [
            slice_bounds(*case, row, self._radius_squared, lower, self._meter)
            for row, lower in zip(table, slopes, strict=True)
        ]

    @property
    def programs(self) -> int:
        """The number of solved quadratic programs."""
        return sum(relaxation.solved for relaxation in self._relaxations)

    def grown(self) -> list[Node]:
        """Return the roots of a finished tree; raises NoTreeError."""
        roots = self.roots()
        if not self._small and min(root.bound for root in roots) < -_HOPELESS * self._max_leaves:
            raise NoTreeError("leaves")
        open_rows, leaves = [*roots], 0
        while open_rows:
            # A row that is not proven becomes at least two leaves.
            if leaves + sum(1 if row.bound > 0 else 2 for row in open_rows) > self._max_leaves:
                raise NoTreeError("leaves")
            open_rows.sort(key=lambda row: -row.bound)
            together = open_rows[-_TOGETHER:]
            unproven = [row for row in together if not self._prove(row)]
            leaves += len(together) - len(unproven)
            open_rows = open_rows[:-_TOGETHER] + self._split(unproven)
        if not any(row.children for row in roots):
            self._split_needlessly(roots, leaves)
        return roots

    def roots(self) -> list[Node]:
        """Return the rows of whole balls."""
        free = (0,) * self._network.neurons
        return [self._rows(number, [(free, free, None)], _ROOT_STEPS)[0] for number in range(len(self._sliced))]

    def _rows(self, number: int, signs: Sequence[tuple[Row, Row, Node | None]], steps: int = _STEPS) -> list[Node]:
        """Bound rows of one slice, given by on, off and the row above."""
        found = []
        for place, logits in enumerate(self._over):
            parts = [Part(on, off, above.relaxed[place] if above is not None else None) for on, off, above in signs]
            found.append(self._bounded(number, parts, logits, steps))
        return [
            Node(number, on, off, relaxed)
            for (on, off, _), relaxed in zip(signs, zip(*found, strict=True), strict=True)
        ]

    def _bounded(self, number: int, parts: Sequence[Part], logits: Row, steps: int) -> list[Relaxed]:
        """Bound a margin on parts of one slice: by ascent, where that is nearly enough by a program as well."""
        relaxation = self._relaxations[number]
        ascended = [None] * len(parts) if self._small else bounds(relaxation, parts, logits, steps)
        found = []
        for part, bound in zip(parts, ascended, strict=True):
            if bound is None or (-_NEAR < bound.bound <= 0 and relaxation.count_free(part.on, part.off) <= _SOME):
                solved = relaxation.solve(part.on, part.off, logits, part.above.pull if part.above else 1.0)
                found.append(solved if bound is None or solved.bound > bound.bound else bound)
            else:
                found.append(bound)
        return found

    def _prove(self, row: Node) -> bool:
        """Make a leaf of a row where its multipliers, rounded, prove every margin."""
        if row.bound <= 0 and self._radius_squared:
            return False
        guesses = [found.guess for found in row.relaxed]
        if not self._radius_squared:
            guesses = [self._plain(row.slice, 1.0, None)] * len(self._over)
        row.margins = self._margins(row, guesses)
        few = self._relaxations[row.slice].count_free(row.on, row.off) <= _SOME
        if row.margins is None and self._radius_squared and few:
            nearest = [self._relaxations[row.slice].nearest(row.on, row.off, logits).guess for logits in self._over]
            row.margins = self._margins(row, nearest)
        return row.margins is not None

    def _margins(self, row: Node, guesses: Sequence[Guess]) -> tuple[Margin, ...] | None:
        """Return the proofs of all margins on a row, None where one fails."""
        signs = [Signs(row.on[a:b], row.off[a:b]) for a, b in self._cuts]
        margins = []
        for logits, guess in zip(self._over, guesses, strict=True):
            self._meter.pay(integer_work(self._network.layers, 1))
            margin = leaf_margin(
                self._parameters,
                self._network,
                self._start.query,
                self._sliced[row.slice].sensitive,
                self.bounds[row.slice],
                signs,
                logits,
                guess,
                self._radius_squared,
                self._start.box,
            )
            if margin is None:
                return None
            margins.append(margin)
        return tuple(margins)

    def _look_nearer(self, row: Node) -> None:
        """Examine points of a row where a margin is negative; raises NoTreeError where the radius is too large."""
        for logits, found in zip(self._over, row.relaxed, strict=True):
            if found.point is None or self._relaxations[row.slice].margin_at(logits, found.point) > 0:
                continue
            if self._grower.nearer(row.slice, row.on, row.off, found.point) < self._radius_squared:
                raise NoTreeError("nearer")

    def _split(self, rows: Sequence[Node]) -> list[Node]:
        """Split in each row the neuron whose children gain most; return all children."""
        for row in rows:
            self._look_nearer(row)
        for number in range(len(self._sliced)):
            here = [row for row in rows if row.slice == number]
            self._choose([row for row in here if not self._is_known(row)])
            waiting = [row for row in here if not row.children]
            signs = [(on, off, row) for row in waiting for on, off in self._signs_below(row)]
            children = iter(self._rows(number, signs))
            for row in waiting:
                row.children = [next(children), next(children)]
        return [child for row in rows for child in row.children]

    def _is_known(self, row: Node) -> bool:
        """Return whether the same row was split for another radius; if so, split it in the same way."""
        known = self._grower.chosen.get((row.slice, row.on, row.off))
        if known is None or not self._is_open(row, known):
            return False
        row.neuron = known
        return True

    def _choose(self, rows: Sequence[Node]) -> None:
        """Choose the neurons to split in rows of one slice; raises NoTreeError where no split can help."""
        if self._small:
            for row in rows:
                row.neuron, row.children = self._best(row, self._candidates(row, CANDIDATES))
        elif rows:
            tried = [(row, self._candidates(row, TRIED)) for row in rows]
            choose_by_ascent(self._relaxations[rows[0].slice], self._over, tried)
        for row in rows:
            if row.neuron is not None:
                self._grower.chosen[row.slice, row.on, row.off] = row.neuron

    def _signs_below(self, row: Node) -> list[tuple[Row, Row]]:
        """Return on and off of the children of a row with a chosen neuron."""
        if row.neuron is None:
            raise NoTreeError("digits")
        return below(row, row.neuron)

    def _is_open(self, row: Node, neuron: int) -> bool:
        """Return whether a neuron is neither fixed nor stable in a row."""
        unstable = np.concatenate(self._relaxations[row.slice].unstable)
        return bool(unstable[neuron]) and not row.on[neuron] and not row.off[neuron]

    def _candidates(self, row: Node, count: int) -> list[int]:
        """Return the neurons that lose most of the worst margin; raises NoTreeError where no split can help."""
        worst = min(row.relaxed, key=lambda found: found.bound)
        rest = [i for i in range(self._network.neurons) if self._is_open(row, i)]
        order = [int(i) for i in np.argsort(-worst.losses, kind="stable") if worst.losses[i] > _EXACT]
        if order:
            return order[:count]
        if worst.point is not None:
            allowed = self._grower.nearer(row.slice, row.on, row.off, worst.point)
            if allowed < self._radius_squared:
                raise NoTreeError("nearer")
        if not rest:
            raise NoTreeError("digits")
        return rest[:count]

    def _best(self, row: Node, candidates: Sequence[int]) -> tuple[int, list[Node]]:
        """Return the candidate with the largest product of gains, and its children."""
        best = None
        for neuron in candidates:
            children = self._children(row, neuron)
            score = score_of(row, [child.bound for child in children])
            if best is None or score > best[0]:
                best = score, neuron, children
            if score[0] or len(candidates) == 1:
                break
        if best is None:
            raise NoTreeError("digits")
        return best[1], best[2]

    def _children(self, row: Node, neuron: int) -> list[Node]:
        """Return a row with one more neuron on, and off."""
        return self._rows(row.slice, [(on, off, row) for on, off in below(row, neuron)])

    def _split_needlessly(self, roots: Sequence[Node], leaves: int) -> None:
        """Split one root whose children can both be proven: every constraint system has a split row."""
        if leaves + 1 > self._max_leaves:
            raise NoTreeError("leaves")
        for root in roots:
            for neuron in range(self._network.neurons):
                children = self._children(root, neuron)
                if all(self._prove(child) or self._prove_plainly(child, neuron) for child in children):
                    root.neuron, root.children, root.margins = neuron, children, None
                    return
        raise NoTreeError("digits")

    def _prove_plainly(self, row: Node, neuron: int) -> bool:
        """Make a leaf of a row with multipliers that need no solver: of the margin alone, or of one sign alone."""
        for guess in (self._plain(row.slice, 1.0, None), self._plain(row.slice, 0.0, neuron)):
            row.margins = self._margins(row, [guess] * len(self._over))
            if row.margins is not None:
                return True
        return False

    def _plain(self, number: int, multiplier: float, neuron: int | None) -> Guess:
        """Return the guess with M and one beta of 1 or none; slopes are those of stable neurons."""
        beta = [[float(a + i == neuron) for i in range(b - a)] for a, b in self._cuts]
        zero = [[0.0] * (b - a) for a, b in self._cuts]
        lower = [active.astype(float).tolist() for active in self._relaxations[number].active]
        return Guess(multiplier, tuple(beta), tuple(lower), tuple(zero))
