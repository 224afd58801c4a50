"""Search around a query of an additive model: evidence for the largest radius, or a counterexample.

The nearest wrong decision is found first, exactly. Evidence is then made for its distance. Where leaves, slots, seconds
or work do not suffice, the largest radius that they do suffice for is bisected. The plaintext checker checks the
evidence that is returned.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import isqrt

from equiproof.certify.additive import AdditiveModel
from equiproof.certify.branch.budget import MAX_WORK, Ended, Meter, NoTreeError
from equiproof.certify.errors import CapacityError
from equiproof.certify.traversal.exact import BoundaryPoint
from equiproof.certify.traversal.search import Counterexample
from equiproof.certify.trees.bound import Ball
from equiproof.certify.trees.evidence import AdditiveEvidence, AdditiveLeaf
from equiproof.certify.trees.evidence_check import check
from equiproof.certify.trees.making import WrongError, grow
from equiproof.certify.trees.nearest import Nearest, nearest
from equiproof.certify.trees.oriented import Oriented, orient
from equiproof.certify.trees.scale import Scale, scale_of
from equiproof.circuits.spec import Box, Spec

_BISECTIONS = 14
_RADIUS_PRECISION = 1 / 1024
"""Bisection ends at this relative precision of the radius."""

_FIRST_SHARE = 0.5
_SHARE = 0.5
"""One radius takes at most this share of what is left of the budget: the largest one, tried first, and any other."""


@dataclass(frozen=True)
class GridFlip:
    """The grid point just across the boundary that is nearest to the query, with another decision on one slice.

    `label` is None for a tie.
    """

    distance_squared: int
    point: tuple[int, ...]
    slice: int
    label: int | None


@dataclass(frozen=True)
class AdditiveSearch:
    """The result of a search: the largest squared radius with evidence, and an upper bound of eps*^2.

    `radius_squared` is in grid units, `evidence` proves it. eps*^2 is at most `upper`, the squared distance of the
    `boundary_point`, which lies on the thresholds to cross; `flip` lies one grid step beyond those that are crossed
    upwards. They are None where no wrong decision is known. `complete`: no larger integer is possible, or the radius is
    the cap of the search (`capped`), below which no wrong decision lies; else `ended` names what ran out: "leaves",
    "slots", "seconds" or "work". `needed_slots` is the number of live predicates of the largest radius that may be
    possible; it needs as many leaves as the evidence has where the search is complete.
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
    evidence: AdditiveEvidence
    _finder: _Finder = field(repr=False, compare=False)

    @property
    def leaves(self) -> int:
        """The number of leaves of the evidence."""
        return len(self.evidence.leaves)

    @property
    def needed_leaves(self) -> int | None:
        """The number of leaves of the full radius, None where it is unknown."""
        return self.leaves if self.complete else None

    def evidence_within(
        self, capacity: int, slots: int | None = None, *, max_seconds: float | None = None, max_work: int | None = None
    ) -> AdditiveEvidence:
        """Return evidence of at most so many leaves and slots, of the largest radius that a search finds within them.

        This search has so many seconds, by default as many as the first one, or so much work where seconds are not
        limited. It does not go beyond the first one's radius. Raises CapacityError for no leaf at all.
        """
        if self.leaves <= capacity and (slots is None or len(self.evidence.slots) <= slots):
            return self.evidence
        return self._finder.best(capacity, slots, self.radius_squared, max_seconds, max_work).evidence


def additive_search(
    model: AdditiveModel,
    query: Sequence[int],
    table: Sequence[Sequence[int]],
    *,
    max_radius_squared: int,
    max_leaves: int,
    max_slots: int | None = None,
    max_seconds: float | None = None,
    progress: Callable[[int, int], None] | None = None,
    box: Box | None = None,
) -> AdditiveSearch | Counterexample:
    """Search around a query of n_x integers on the S slices of a table of shape (S, n_s), up to a squared radius.

    With a `box`, only neighbors inside it count. `max_leaves` and `max_slots` are the capacities of a key (None: any
    number of slots); `max_seconds` ends the search with the radius certain by that time. Without it, work is counted
    instead, up to a budget of about a minute, so that the result does not depend on the machine. `progress` is called
    with leaves and squared radius of each evidence. Raises CapacityError for no leaf, ValueError for lengths that do
    not fit, TypeError for numbers that are not integers, EvidenceError where the search is wrong.
    """
    oriented = orient(model, query, table, max_radius_squared=max_radius_squared, box=box)
    if isinstance(oriented, Counterexample):
        return oriented
    rows = tuple(tuple(row) for row in table)
    finder = _Finder(model, rows, box, oriented, max_radius_squared, max_seconds, progress)
    return finder.best(max_leaves, max_slots, max_radius_squared)


def search_under(
    model: AdditiveModel,
    spec: Spec,
    query: Sequence[int],
    *,
    max_leaves: int,
    max_slots: int | None = None,
    max_radius_squared: int | None = None,
    max_seconds: float | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> AdditiveSearch | Counterexample:
    """Search as :func:`additive_search`; table, ranges and largest radius, unless one is given, are those of a spec."""
    return additive_search(
        model,
        query,
        spec.domain_table,
        max_radius_squared=spec.max_radius_squared if max_radius_squared is None else max_radius_squared,
        max_leaves=max_leaves,
        max_slots=max_slots,
        max_seconds=max_seconds,
        progress=progress,
        box=spec.box,
    )


@dataclass
class _Finder:
    """The case of one query, for any capacity; all share the nearest wrong decision."""

    model: AdditiveModel
    table: tuple[tuple[int, ...], ...]
    box: Box | None
    oriented: Oriented
    cap: int
    max_seconds: float | None
    progress: Callable[[int, int], None] | None
    nearest: Nearest | None = None

    def __getstate__(self) -> dict[str, object]:
        """Pickle everything but the progress, which another process does not report."""
        return self.__dict__ | {"progress": None}

    @property
    def scale(self) -> Scale:
        """The scale of multipliers."""
        return scale_of(self.model)

    def best(
        self,
        capacity: int,
        slots: int | None,
        ceiling: int,
        max_seconds: float | None = None,
        max_work: int | None = None,
    ) -> AdditiveSearch:
        """Return the largest squared radius up to a ceiling with evidence of at most so many leaves and slots.

        `max_seconds` of None are those of the case, `max_work` of None is the usual one.
        """
        if capacity < 1:
            raise CapacityError(1, capacity, None, "leaves")
        meter = Meter(
            self.max_seconds if max_seconds is None else max_seconds, MAX_WORK if max_work is None else max_work
        )
        if self.nearest is None or self.nearest.ended:
            meter.allot(_FIRST_SHARE)
            self.nearest = nearest(self.oriented, self.cap, meter)
        wrong = self.nearest
        allowed = self.cap if wrong.squared is None else wrong.squared
        fitting = None if slots is None else self.oriented.radius_within(slots)
        aim = min(allowed, ceiling)
        ended: Ended | None = None
        if fitting is not None and fitting < aim:
            aim = fitting
            ended = "slots"
        evidence, fell_short = self._bisected(aim, capacity, meter)
        ended = fell_short or ended
        check(evidence, self.scale, self.model, self.oriented.query, self.table, self.box)
        # A search that ended early may know a wrong decision; evidence up to its distance shows that none is nearer.
        complete = evidence.radius_squared == allowed and (wrong.ended is None or wrong.squared is not None)
        return AdditiveSearch(
            label=self.oriented.label,
            radius_squared=evidence.radius_squared,
            upper=None if wrong.squared is None else Fraction(wrong.squared),
            boundary_point=self._boundary_point(wrong),
            flip=self._flip(wrong),
            complete=complete,
            capped=complete and wrong.squared is None,
            ended=None if complete else ended or wrong.ended,
            slice_count=len(self.table),
            needed_slots=len(self.oriented.live(allowed)),
            evidence=evidence,
            _finder=self,
        )

    def _bisected(self, aim: int, capacity: int, meter: Meter) -> tuple[AdditiveEvidence, Ended | None]:
        """Return evidence of the largest radius up to an aim that leaves and budget suffice for, and what ran out."""
        # The query alone is proven outside the budget, so that a search always has a result.
        evidence = self._evidence(0, grow(Ball.of(self.oriented, 0, self.scale), capacity, Meter()))
        above = aim + 1
        ended: Ended | None = None
        for _ in range(_BISECTIONS):
            if evidence.radius_squared + 1 >= above or closely(evidence.radius_squared, above) or meter.is_spent:
                break
            target = above - 1 if above == aim + 1 else middle_of(evidence.radius_squared, above)
            meter.allot(_SHARE)
            try:
                leaves = grow(Ball.of(self.oriented, target, self.scale), capacity, meter)
            except NoTreeError as error:
                above = target
                ended = _worst(ended, error.reason)
            except WrongError as error:
                # The ball is open: its squared radius may equal the distance of the wrong decision, and not exceed it.
                above = min(target, error.squared + 1)
            else:
                evidence = self._evidence(target, leaves)
        if evidence.radius_squared == aim:
            return evidence, None
        return evidence, ended or ("seconds" if meter.is_timed else "work")

    def _evidence(self, radius_squared: int, leaves: tuple[AdditiveLeaf, ...]) -> AdditiveEvidence:
        """Return the evidence of leaves."""
        if self.progress is not None:
            self.progress(len(leaves), radius_squared)
        places = tuple(slot.place for slot in self.oriented.live(radius_squared))
        return AdditiveEvidence(self.oriented.label, radius_squared, places, leaves)

    def _boundary_point(self, wrong: Nearest) -> BoundaryPoint | None:
        """Return the nearest wrong decision as a point on the thresholds that it crosses."""
        crossed = self._crossed(wrong)
        if crossed is None:
            return None
        point = (Fraction(crossed.get(column, (x, False))[0]) for column, x in enumerate(self.oriented.query))
        return BoundaryPoint(self.oriented.row, tuple(point))

    def _flip(self, wrong: Nearest) -> GridFlip | None:
        """Return the grid point just across, one step beyond a threshold that is crossed upwards."""
        crossed = self._crossed(wrong)
        if crossed is None:
            return None
        query = self.oriented.query
        row = self.oriented.row
        ends = (crossed.get(column, (x, False)) for column, x in enumerate(query))
        point = tuple(end + above for end, above in ends)
        distance = sum((end - x) ** 2 for end, x in zip(point, query, strict=True))
        return GridFlip(distance, point, row, self.model.decide((*point, *self.table[row])))

    def _crossed(self, wrong: Nearest) -> dict[int, tuple[int, bool]] | None:
        """Return, by column, the farthest threshold that the nearest wrong decision crosses, and whether upwards."""
        if wrong.positions is None:
            return None
        crossings = {}
        for chain, position in zip(wrong.chains, wrong.positions, strict=True):
            if position != chain.own:
                slot = self.oriented.slots[chain.first + position - (position > chain.own)]
                crossings[chain.column] = (self.model.thresholds[slot.place], slot.above)
        return crossings


def middle_of(low: int, above: int) -> int:
    """Return a squared radius between two others, in the middle of their radii where an integer allows it."""
    # The precision of bisection is that of the radius, so radii are halved and not their squares.
    middle = ((isqrt(low) + isqrt(above)) // 2) ** 2
    return middle if low < middle < above else (low + above) // 2


def closely(low: int, above: int) -> bool:
    """Return whether two squared radii are within the precision of bisection."""
    return isqrt(above) - isqrt(low) <= _RADIUS_PRECISION * isqrt(above) and low > 0


def _worst(ended: Ended | None, reason: str) -> Ended:
    """Return the reason to report of two."""
    # Less time is the caller's choice; only where it sufficed were the leaves too few.
    order: tuple[Ended, ...] = ("seconds", "work", "leaves")
    return next(candidate for candidate in order if candidate in (ended, reason))
