"""Search around a query of an ensemble: evidence for the largest radius, or a counterexample.

The nearest wrong decision is found first, exactly where the budget suffices. Evidence is then made for its distance.
Where leaves, slots, rows or the budget do not suffice, the largest radius that they do suffice for is bisected. The
searches are the native library's; the plaintext checker checks the evidence that is returned.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from equiproof.certify.branch.budget import Ended
from equiproof.certify.ensemble import EnsembleModel
from equiproof.certify.errors import CapacityError, SearchBudgetError
from equiproof.certify.sets import reach, seen_box
from equiproof.certify.traversal.exact import BoundaryPoint
from equiproof.certify.traversal.search import Counterexample
from equiproof.certify.trees.ensemble_check import check
from equiproof.certify.trees.ensemble_evidence import EnsembleEvidence, EnsembleLeaf
from equiproof.certify.trees.problem import Problem, problem_of
from equiproof.certify.trees.rows import live_rows, passed_nodes
from equiproof.certify.trees.scale import EnsembleScale, ensemble_scale
from equiproof.certify.trees.search import GridFlip, closely, middle_of
from equiproof.circuits.spec import Box, Spec
from equiproof.ffi import search as native

_BISECTIONS = 14

_FIRST_SHARE = 0.5
_SHARE = 0.5
"""One search takes at most this share of what is left of the seconds: that of the nearest wrong decision, any other."""

MAX_LEAVES = 1 << 16
"""How many leaves are looked for where only their number is asked."""

_FIRST_TRIES = 6
_FIRST_STEP = 16
"""How many radii are tried where leaves do not suffice for the query alone, and how far apart: the squared ones."""

MAX_BOXES = 20_000
"""How many boxes a search may look at where seconds are not limited: so the result does not depend on the machine."""


@dataclass(frozen=True)
class EnsembleSearch:
    """The result of a search; fields are those of :class:`equiproof.certify.trees.search.AdditiveSearch`.

    `ended` may also be "rows", and `needed_rows` is the number of live rows of the largest radius that may be possible.
    """

    label: int
    radius_squared: int
    upper: Fraction | None
    boundary_point: BoundaryPoint | None
    flip: GridFlip | None
    complete: bool
    capped: bool
    ended: Ended | None
    slice_count: int
    needed_slots: int
    needed_rows: int
    evidence: EnsembleEvidence
    _finder: _Finder = field(repr=False, compare=False)

    @property
    def leaves(self) -> int:
        """The number of leaves of the evidence."""
        return len(self.evidence.leaves)

    @property
    def rows(self) -> int:
        """The number of live rows of the evidence."""
        return len(self.evidence.leaves[0].charges)

    @property
    def needed_leaves(self) -> int | None:
        """The number of leaves of the full radius, None where it is unknown."""
        return self.leaves if self.complete else None

    def evidence_within(
        self,
        capacity: int,
        slots: int | None = None,
        rows: int | None = None,
        *,
        max_seconds: float | None = None,
        max_work: int | None = None,
    ) -> EnsembleEvidence:
        """Return evidence of at most so many leaves, slots and rows, of the largest radius that is found within them.

        Nodes that are passed are not counted.

        This search has so many seconds, by default as many as the first one, or looks at `max_work` boxes. It does not
        go beyond the first one's radius. Raises CapacityError for room that not even the query alone fits.
        """
        fits = slots is None or len(self.evidence.slots) <= slots
        if fits and self.leaves <= capacity and (rows is None or self.rows <= rows):
            return self.evidence
        return self._finder.best((capacity, slots, rows, None), self.radius_squared, max_seconds, max_work).evidence


def ensemble_search(
    model: EnsembleModel,
    query: Sequence[int],
    table: Sequence[Sequence[int]],
    *,
    max_radius_squared: int,
    max_leaves: int,
    max_slots: int | None = None,
    max_rows: int | None = None,
    max_passed: int | None = None,
    max_seconds: float | None = None,
    progress: Callable[[int, int], None] | None = None,
    box: Box | None = None,
) -> EnsembleSearch | Counterexample:
    """Search around a query of n_x integers on the S slices of a table of shape (S, n_s), up to a squared radius.

    With a `box`, only neighbors inside it count. `max_leaves`, `max_slots`, `max_rows` and `max_passed`, of the dead
    nodes on the way, are the capacities of a key (None: any number); `max_seconds` ends the search with the radius
    certain by that time. Without it, boxes are counted instead. `progress` is called with leaves and squared radius of
    each evidence.

    Raises CapacityError for fewer leaves, rows or passed nodes than the query alone needs, SearchBudgetError where the
    budget ends before these are found, ValueError for lengths that do not fit, TypeError for numbers that are not
    integers, EvidenceError where the search is wrong.
    """
    if (farthest := reach(model.sets)) is not None:
        max_radius_squared = min(max_radius_squared, farthest)
    seen, seen_ranges = model.additive.seen(query), seen_box(model.sets, query, box)
    problem = problem_of(model, seen, table, max_radius_squared=max_radius_squared, box=seen_ranges)
    if isinstance(problem, Counterexample):
        return problem
    finder = _Finder(problem, box, max_radius_squared, max_seconds, progress)
    return finder.best((max_leaves, max_slots, max_rows, max_passed), max_radius_squared)


def search_under(
    model: EnsembleModel,
    spec: Spec,
    query: Sequence[int],
    *,
    max_leaves: int,
    max_slots: int | None = None,
    max_rows: int | None = None,
    max_passed: int | None = None,
    max_radius_squared: int | None = None,
    max_seconds: float | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> EnsembleSearch | Counterexample:
    """Search as :func:`ensemble_search`; table, ranges and largest radius, unless one is given, are those of a spec."""
    return ensemble_search(
        model,
        query,
        spec.domain_table,
        max_radius_squared=spec.max_radius_squared if max_radius_squared is None else max_radius_squared,
        max_leaves=max_leaves,
        max_slots=max_slots,
        max_rows=max_rows,
        max_passed=max_passed,
        max_seconds=max_seconds,
        progress=progress,
        box=spec.box,
    )


@dataclass
class _Clock:
    """What is left of the seconds, or the boxes of each search where they are not limited."""

    seconds: float | None
    boxes: int
    begun: float = field(default_factory=time.monotonic)

    @property
    def spent(self) -> bool:
        """Whether no second is left."""
        return self.seconds is not None and time.monotonic() - self.begun >= self.seconds

    @property
    def reason(self) -> Ended:
        """What runs out."""
        return "work" if self.seconds is None else "seconds"

    def milliseconds(self, share: float) -> int | None:
        """Return a share of what is left, at least one millisecond; None where seconds are not limited."""
        if self.seconds is None:
            return None
        return max(1, int(1e3 * share * (self.seconds - (time.monotonic() - self.begun))))

    @property
    def nodes(self) -> int | None:
        """How many boxes one search may look at; None where seconds are limited."""
        return self.boxes if self.seconds is None else None


@dataclass
class _Finder:
    """The case of one query, for any capacity; all share the nearest wrong decision."""

    problem: Problem
    box: Box | None
    cap: int
    max_seconds: float | None
    progress: Callable[[int, int], None] | None
    nearest: native.Nearest | None = None

    def __getstate__(self) -> dict[str, object]:
        """Pickle everything but the progress, which another process does not report."""
        return self.__dict__ | {"progress": None}

    @property
    def scale(self) -> EnsembleScale:
        """The scale of the evidence."""
        return ensemble_scale(self.problem.model)

    def best(
        self,
        room: tuple[int, int | None, int | None, int | None],
        ceiling: int,
        max_seconds: float | None = None,
        max_work: int | None = None,
    ) -> EnsembleSearch:
        """Return the largest squared radius up to a ceiling with evidence of at most so many leaves, slots and rows.

        The fourth number of the room is of passed nodes.

        `max_seconds` of None are those of the case, `max_work` of None is MAX_BOXES.
        """
        capacity, slots, rows, passed = room
        self._refuse_little(capacity, rows, passed)
        clock = _Clock(
            self.max_seconds if max_seconds is None else max_seconds, MAX_BOXES if max_work is None else max_work
        )
        if self.nearest is None or not self.nearest.complete:
            self.nearest = native.nearest(
                self.problem.text, self.cap, milliseconds=clock.milliseconds(_FIRST_SHARE), nodes=clock.nodes
            )
        wrong: native.Nearest | native.Partition = self.nearest
        allowed = self.cap if wrong.upper2 is None else wrong.upper2
        aim = min(allowed, ceiling)
        ended: Ended | None = None if self.nearest.complete else clock.reason
        fitting = self.problem.radius_within(slots, rows, aim, passed)
        if fitting < aim:
            ended = self._lacking(slots, rows, aim)
            aim = fitting
        evidence, fell_short, nearer = self._bisected(aim, capacity, clock)
        if nearer is not None and nearer.upper2 is not None and nearer.upper2 < allowed:
            wrong = nearer
            allowed = nearer.upper2
        check(evidence, self.scale, self.problem.model, self._query, self.problem.table, self.box)
        complete = evidence.radius_squared == allowed
        upper = wrong.upper2
        signs = wrong.signs
        row = wrong.slice
        live = self.problem.slots(allowed)
        return EnsembleSearch(
            label=self.problem.label,
            radius_squared=evidence.radius_squared,
            upper=None if upper is None else Fraction(upper),
            boundary_point=self._boundary_point(signs, row),
            flip=self._flip(signs, row),
            complete=complete,
            capped=complete and upper is None,
            ended=None if complete else fell_short or ended,
            slice_count=len(self.problem.table),
            needed_slots=len(live),
            needed_rows=len(live_rows(self.problem.model, self.problem.query, live)),
            evidence=evidence,
            _finder=self,
        )

    @property
    def _query(self) -> tuple[int, ...]:
        """The n_x integers of the query, without the columns of sets."""
        return self.problem.query[: self.problem.model.stated]

    def _refuse_little(self, capacity: int, rows: int | None, passed: int | None) -> None:
        """Raise CapacityError for room that not even the query alone fits."""
        if capacity < 1:
            raise CapacityError(1, capacity, None, "leaves")
        least = len(live_rows(self.problem.model, self.problem.query, ()))
        if rows is not None and least > rows:
            raise CapacityError(least, rows, None, "rows")
        if passed is not None and (least := len(passed_nodes(self.problem.model, self.problem.query, ()))) > passed:
            raise CapacityError(least, passed, None, "passed")

    def _lacking(self, slots: int | None, rows: int | None, aim: int) -> Ended:
        """Return what there is too little of for a squared radius."""
        live = self.problem.slots(aim)
        if slots is not None and len(live) > slots:
            return "slots"
        if rows is not None and len(live_rows(self.problem.model, self.problem.query, live)) > rows:
            return "rows"
        return "passed"

    def _bisected(
        self, aim: int, capacity: int, clock: _Clock
    ) -> tuple[EnsembleEvidence, Ended | None, native.Partition | None]:
        """Return evidence of the largest radius up to an aim that capacity and budget suffice for.

        With it what ran out, and the nearest wrong decision that was met on the way.
        """
        # The query alone is proven outside the budget, so that a search always has a result.
        evidence = self._first(aim, capacity)
        above = aim + 1
        ended: Ended | None = None
        nearer: native.Partition | None = None
        for _ in range(_BISECTIONS):
            if evidence.radius_squared + 1 >= above or closely(evidence.radius_squared, above) or clock.spent:
                break
            target = above - 1 if above == aim + 1 else middle_of(evidence.radius_squared, above)
            partition = self._partition(target, capacity, clock.milliseconds(_SHARE), clock.nodes)
            if partition.reason is None:
                evidence = self._evidence(target, partition)
            elif partition.reason == "wrong" and partition.upper2 is not None:
                # The ball is open: its squared radius may equal the distance of the wrong decision, and not exceed it.
                above = min(target, partition.upper2 + 1)
                nearer = partition
            else:
                above = target
                ended = "leaves" if partition.reason == "leaves" else clock.reason
        if evidence.radius_squared == aim:
            return evidence, None, nearer
        return evidence, ended or clock.reason, nearer

    def _first(self, aim: int, capacity: int) -> EnsembleEvidence:
        """Return evidence of some radius up to an aim: of 0, or of the first that fits where its leaves do not.

        Leaves are found by a rule of thumb, and a larger ball may well have fewer. Raises CapacityError with the least
        number that is found where none fits, SearchBudgetError where there is no evidence at all in so many boxes.
        """
        target = 0
        for _ in range(_FIRST_TRIES):
            partition = self._partition(target, capacity, None, MAX_BOXES)
            if partition.reason is None:
                return self._evidence(target, partition)
            if (target := aim if target == 0 else target // _FIRST_STEP) == 0:
                break
        unbounded = [self._partition(squared, MAX_LEAVES, None, MAX_BOXES) for squared in (0, aim)]
        sizes = [partition.needed for partition in unbounded if partition.reason is None]
        if not sizes:
            raise SearchBudgetError(0, unbounded[0].needed, f"{MAX_BOXES} boxes")
        raise CapacityError(min(sizes), capacity, None, "leaves")

    def _partition(
        self, radius_squared: int, capacity: int, milliseconds: int | None, nodes: int | None
    ) -> native.Partition:
        """Ask for leaves that prove a radius."""
        own = self.scale
        scale = native.Scale(own.fraction_bits, own.value_bits, own.multiplier_bits)
        return native.leaves(self.problem.text, radius_squared, capacity, scale, milliseconds=milliseconds, nodes=nodes)

    def _evidence(self, radius_squared: int, partition: native.Partition) -> EnsembleEvidence:
        """Return the evidence of leaves."""
        if self.progress is not None:
            self.progress(len(partition.leaves), radius_squared)
        leaves = tuple(
            EnsembleLeaf(leaf.signs, leaf.sensitive, leaf.slices, leaf.multiplier, leaf.used, leaf.charges)
            for leaf in partition.leaves
        )
        return EnsembleEvidence(self.problem.label, radius_squared, partition.slots, leaves)

    def _boundary_point(self, signs: Sequence[int] | None, row: int | None) -> BoundaryPoint | None:
        """Return a wrong decision as a point on the thresholds that it crosses."""
        if signs is None or row is None:
            return None
        crossed = self._crossed(signs)
        point = (Fraction(crossed.get(column, (x, False))[0]) for column, x in enumerate(self._query))
        return BoundaryPoint(row, tuple(point))

    def _flip(self, signs: Sequence[int] | None, row: int | None) -> GridFlip | None:
        """Return the grid point just across, one step beyond a threshold that is crossed upwards."""
        if signs is None or row is None:
            return None
        crossed = self._crossed(signs)
        query = self._query
        ends = (crossed.get(column, (x, False)) for column, x in enumerate(query))
        point = tuple(end + above for end, above in ends)
        distance = sum((end - x) ** 2 for end, x in zip(point, query, strict=True))
        return GridFlip(distance, point, row, self.problem.model.decide((*point, *self.problem.table[row])))

    def _crossed(self, signs: Sequence[int]) -> dict[int, tuple[int, bool]]:
        """Return, by column, the farthest threshold that is crossed, and whether upwards."""
        own = self.problem.model.additive
        crossings = dict[int, tuple[int, bool]]()
        for place, sign in enumerate(signs):
            column = own.columns[place]
            threshold = own.thresholds[place]
            above = self.problem.query[column] <= threshold
            # Thresholds ascend: the farthest one is the last that is crossed upwards, the first that is downwards.
            if sign == 1 and (above or column not in crossings):
                crossings[column] = (threshold, above)
        return crossings
