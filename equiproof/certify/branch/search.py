"""Branch and bound around a query: evidence of scheme `branch` for the largest radius, or a counterexample.

The distance of the nearest decision facet that an attack finds is an upper bound of eps*. If the tree for that radius
fits the number of leaves, the search is complete. If it meets a nearer facet, the bound falls and a new tree grows.
Where leaves, seconds or work do not suffice, a radius that floats prove without a split comes first, and the rest is
bisected. In deep networks, where leaves were too few, it is bisected once more with slopes that took longer. The
plaintext checker checks the evidence that is returned.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from math import floor, isqrt, sqrt
from typing import ClassVar

from equiproof.certify.branch.budget import MAX_WORK, Ended, Meter, NoTreeError
from equiproof.certify.branch.evidence import BranchEvidence, Row
from equiproof.certify.branch.evidence_check import check
from equiproof.certify.branch.lifting import lifted, same_rounding
from equiproof.certify.branch.relaxed import Floats
from equiproof.certify.branch.slopes import whole_radius
from equiproof.certify.branch.tree import Grower
from equiproof.certify.errors import CapacityError
from equiproof.certify.network import QuantisedNetwork
from equiproof.certify.padding import Idle
from equiproof.certify.traversal.attack import last_decided
from equiproof.certify.traversal.descent import flips
from equiproof.certify.traversal.evidence import Region
from equiproof.certify.traversal.exact import Boundary, BoundaryPoint
from equiproof.certify.traversal.search import Counterexample, Start, begin
from equiproof.circuits.branch_parameters import Parameters, network_parameters
from equiproof.circuits.exit_codes import EXHAUSTED
from equiproof.circuits.spec import Box, Spec

_STEP_BITS = 20
"""The fractional bits of a point that the relaxation returns."""

_WORTH = 1.02
"""A point with another decision is examined up to this multiple of the least squared distance: its facet is nearer."""

_FIRST_SHARE, _SHARE = 0.25, 0.5
"""One radius takes at most this share of what is left of the budget: the largest one, tried first, and any other."""

_FEW_LEAVES = 8
"""How many leaves more than slices the first evidence may have, whose balls floats prove unsplit."""

_FAR = 2
"""Radii further apart than this factor are bisected by their logarithms."""

_SHALLOW = 2
"""Up to this many hidden layers, slopes are of one layer only, and a longer ascent does not change them."""

_BISECTIONS = 12
_CLOSE = 0.002
"""Bisection ends at this relative precision of the radius."""


class PrecisionError(Exception):
    """The integers of the shape cannot prove even the radius 0; nothing is known about fairness."""

    exit_code: ClassVar[int] = EXHAUSTED

    def __init__(self) -> None:
        """Compose the message, with the remedy."""
        super().__init__(
            "rounding leaves no digits of this margin: not even the query itself can be proven; weights of more bits, "
            "fewer layers or parameters that keep more bits have room"
        )


@dataclass(frozen=True)
class BranchSearch:
    """The result of a search: the largest squared radius with evidence, and an upper bound of eps*^2.

    `radius_squared` is in grid units, `evidence` proves it. eps*^2 is at most `upper`, the squared distance of the
    `boundary_point`: both are None where no wrong decision is known. `complete`: no larger integer is possible, or the
    radius is the cap of the search (`capped`), below which no wrong decision lies; else `ended` names what ran out:
    "leaves", "seconds", "work" or "digits" (the integers have too few for a larger radius, which is then larger by 1
    at most).
    """

    label: int
    radius_squared: int
    upper: Fraction | None
    boundary_point: BoundaryPoint | None
    complete: bool
    capped: bool
    ended: Ended | None
    slice_count: int
    evidence: BranchEvidence
    programs: int
    _finder: _Finder = field(repr=False, compare=False)
    _idle: Idle | None = field(default=None, repr=False)

    @property
    def leaves(self) -> int:
        """The number of leaves of the evidence."""
        return len(self.evidence.leaves)

    def evidence_within(
        self, capacity: int, *, max_seconds: float | None = None, max_work: int | None = None
    ) -> BranchEvidence:
        """Return evidence with at most `capacity` leaves, of the largest radius that a search finds within them.

        This search has so many seconds, by default as many as the first one, or so much work where seconds are not
        limited. It does not go beyond the first one's radius; after pickling it starts from scratch. Raises
        CapacityError where not even the slices' roots and one split fit.
        """
        if capacity >= self.leaves:
            return self.evidence
        found = self._finder.best(capacity, self.radius_squared, max_seconds, max_work).evidence
        return found if self._idle is None else lifted(found, self._idle, self._finder.unit)

    def whole(self, idle: Idle) -> BranchSearch:
        """Return the search of a reduced network as that of the network with what is idle in it."""
        known = self.boundary_point
        point = known and replace(known, point=idle.appended(known.point, Fraction(0)))
        evidence = lifted(self.evidence, idle, self._finder.unit)
        return replace(self, boundary_point=point, evidence=evidence, _idle=idle)


def branch_search(
    network: QuantisedNetwork,
    query: Sequence[int],
    table: Sequence[Sequence[int]],
    *,
    max_radius_squared: int,
    max_leaves: int,
    parameters: Parameters,
    max_seconds: float | None = None,
    progress: Callable[[int, int], None] | None = None,
    box: Box | None = None,
) -> BranchSearch | Counterexample:
    """Search around a query of n_x integers on the S slices of a table of shape (S, n_s), up to a squared radius.

    With a `box`, only neighbors inside it count; the parameters must then be those of a shape with ranges. `max_leaves`
    is the capacity, over all slices; `max_seconds` ends the search with the radius certain by that time (a radius that
    floats prove without a split is tried in any case). Without it, work is counted instead, up to a budget of about a
    minute, so that the result does not depend on how fast or busy the machine is; infinity sets no limit. `progress` is
    called with leaves and squared radius of each evidence. Raises CapacityError where the leaves have no room for every
    slice's root and one split, ValueError for lengths that do not fit, TypeError for numbers that are not integers,
    PrecisionError where rounding leaves nothing to prove, and EvidenceError where the search is wrong.
    """
    begun = begin(network, query, table, max_radius_squared=max_radius_squared, max_regions=len(table), box=box)
    if isinstance(begun, Counterexample):
        return begun
    return _Finder(begun, parameters, max_radius_squared, max_seconds, progress).best(max_leaves, max_radius_squared)


def search_under(
    network: QuantisedNetwork,
    spec: Spec,
    query: Sequence[int],
    *,
    max_leaves: int,
    max_seconds: float | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> BranchSearch | Counterexample:
    """Search as :func:`branch_search`; table, ranges, largest radius and widths are those of a spec.

    What a padded network does not use is left out of the search, and joins its evidence. Raises its errors, and
    WidthError for a network whose numbers the field does not hold.
    """
    idle, parameters = Idle.of(network, spec), network_parameters(spec, network.hidden)
    small, own = idle.reduced(network, spec)
    fewer = network_parameters(own, small.hidden)
    if not same_rounding(fewer, parameters):
        idle, small, own, fewer = Idle.nothing(network, spec), network, spec, parameters
    found = branch_search(
        small,
        idle.cut(query),
        own.domain_table,
        max_radius_squared=own.max_radius_squared,
        max_leaves=max_leaves,
        parameters=fewer,
        max_seconds=max_seconds,
        progress=progress,
        box=own.box,
    )
    if isinstance(found, Counterexample) or not idle:
        return found
    whole = found.whole(idle)
    check(whole.evidence, parameters, network, query, spec.domain_table, spec.box)
    return whole


class _Finder:
    """The trees of one query, for any capacity; all share the upper bound and the memory of splits."""

    def __init__(
        self,
        start: Start,
        parameters: Parameters,
        cap: int,
        max_seconds: float | None,
        progress: Callable[[int, int], None] | None,
    ) -> None:
        """Keep the case; the attack runs on first use."""
        self._start = start
        self._parameters = parameters
        self._cap = cap
        self._max_seconds = max_seconds
        self._progress = progress
        self._network = start.sliced[0].network
        self._table = [here.sensitive for here in start.sliced]

    def __reduce__(self) -> tuple[Callable[..., _Finder], tuple[object, ...]]:
        """Pickle the case alone: another process learns the bound and the splits again, and reports no progress."""
        return _finder_of, (
            self._network,
            self._start.query,
            self._table,
            self._cap,
            self._parameters,
            self._max_seconds,
            self._start.box,
        )

    @property
    def unit(self) -> int:
        """2^q, the slope of an active neuron."""
        return self._parameters.unit

    @cached_property
    def _boundary(self) -> Boundary:
        """The nearest known decision facet, initially that of an attack."""
        return Boundary(self._start, self._cap, self._guesses())

    @cached_property
    def _grower(self) -> Grower:
        """The grower of the trees."""
        return Grower(self._start, self._parameters, self._nearer)

    def best(
        self, capacity: int, ceiling: int, max_seconds: float | None = None, max_work: int | None = None
    ) -> BranchSearch:
        """Return the largest squared radius up to a ceiling with evidence of at most so many leaves.

        `max_seconds` of None are those of the case, `max_work` of None is the usual one.
        """
        meter = Meter(
            self._max_seconds if max_seconds is None else max_seconds, MAX_WORK if max_work is None else max_work
        )
        slices = len(self._table)
        if capacity < slices + 1:
            raise CapacityError(slices + 1, capacity, None, "leaves")
        self._grower.climb(longer=False)
        found, ended = self._bisected(capacity, ceiling, meter, None)
        if ended == "leaves" and not meter.is_spent and len(self._network.hidden) > _SHALLOW:
            self._grower.climb(longer=True)
            found, again = self._bisected(capacity, ceiling, meter, found)
            ended = again and _worst(ended, again)
        check(found, self._parameters, self._network, self._start.query, self._table, self._start.box)
        complete = found.radius_squared == self._allowed()
        known = self._boundary.found
        return BranchSearch(
            label=self._start.label,
            radius_squared=found.radius_squared,
            upper=known.upper,
            boundary_point=known.boundary_point,
            complete=complete,
            capped=complete and known.upper is None,
            ended=None if complete else ended,
            slice_count=len(self._table),
            evidence=found,
            programs=self._grower.programs,
            _finder=self,
        )

    def _bisected(
        self, capacity: int, ceiling: int, meter: Meter, found: BranchEvidence | None
    ) -> tuple[BranchEvidence, Ended | None]:
        """Return evidence no worse than what is `found`, and what ended the search; None if no radius is left."""
        ended: Ended | None = None
        above = min(self._allowed(), ceiling) + 1
        aim = above - 1 if found is None else self._next(found.radius_squared, above, None)
        bisections = sure = 0
        while found is None or found.radius_squared + 1 < above:
            plain = aim <= sure
            try:
                found = self._grown(aim, capacity, meter, plain=plain, known=found is not None)
            except NoTreeError as error:
                if error.reason == "nearer":
                    above = min(above, aim, self._allowed() + 1)
                    aim = max(0, above - 1)
                    continue
                if aim == 0:
                    raise PrecisionError from error
                if not plain:
                    above, ended = min(above, aim), _worst(ended, error.reason)
            if found is None:
                # That the plain lines fail says nothing of others.
                aim = sure = 0 if plain and meter.is_spent else self._whole(aim // 4 if plain else aim, meter)
                continue
            if meter.is_spent or bisections >= _BISECTIONS or _close(found.radius_squared, above):
                break
            bisections += 1
            aim = self._next(found.radius_squared, above, ended)
        return found, ended

    def _next(self, low: int, above: int, ended: str | None) -> int:
        """Return the next squared radius to try, between one with evidence and one without."""
        if ended == "digits" and above == self._allowed():
            return above - 1
        least, most = isqrt(low), isqrt(above)
        # Far apart, the mean of their logarithms: failing tries cost most.
        middle = isqrt(least * most) if 0 < _FAR * least < most else (least + most) // 2
        return middle**2 if low < middle**2 < above else (low + above) // 2

    def _whole(self, above: int, meter: Meter) -> int:
        """Return a squared radius below another that floats prove for every ball unsplit, or 0."""
        meter.allow()
        case = self._network, self._start.query, self._table, self._grower.over, self._start.box
        return whole_radius(*case, above, meter)

    def _grown(self, radius_squared: int, capacity: int, meter: Meter, *, plain: bool, known: bool) -> BranchEvidence:
        """Return evidence; raises NoTreeError. What is `plain` needs hardly a split, and is finished in any case.

        `known`: there is evidence of a smaller radius.
        """
        if plain:
            meter.allow()
            capacity = min(capacity, len(self._table) + _FEW_LEAVES)
        else:
            meter.allot(_SHARE if known else _FIRST_SHARE)
        evidence = self._grower.grow(radius_squared, capacity, meter, plain=plain)
        if self._progress is not None:
            self._progress(len(evidence.leaves), radius_squared)
        return evidence

    def _allowed(self) -> int:
        """Return the largest squared radius that the nearest known decision facet allows."""
        upper = self._boundary.found.upper
        return self._cap if upper is None else min(self._cap, floor(upper))

    def _guesses(self) -> Iterator[Region]:
        """Yield regions around points of other decisions from descent, if they may lead to a nearer facet."""
        seen = set[Region]()
        found = flips(self._start, self._cap)
        for squared, number, way in found:
            if squared > _WORTH * found[0][0]:
                break
            region = Region(number, self._pattern(number, way))
            if region not in seen:
                yield region
            seen.add(region)

    def _pattern(self, number: int, way: Floats) -> int:
        """Return the last pattern on the way from the query on a slice whose points are decided as the query."""
        row = self._start.sliced[number].sensitive
        steps = [round(float(step) * (1 << _STEP_BITS)) for step in way]
        return last_decided(self._network, self._start.query, steps, row, self._start.label, _STEP_BITS)

    def _nearer(self, number: int, on: Row, off: Row, offset: Floats) -> int:
        """Search for a decision facet around a point of a row of the tree; return the squared radius now allowed."""
        pattern = self._pattern(number, offset)
        self._boundary.look(Region(number, pattern))
        # The point may lie on hyperplanes of neurons that the row has fixed to the other side.
        fixed = (pattern | _packed(on)) & ~_packed(off)
        if fixed != pattern:
            self._boundary.look(Region(number, fixed))
        return self._allowed()


def _finder_of(
    network: QuantisedNetwork,
    query: Row,
    table: Sequence[Row],
    cap: int,
    parameters: Parameters,
    max_seconds: float | None,
    box: Box | None,
) -> _Finder:
    """Return the finder of a case that is known to be fair at the query."""
    begun = begin(network, query, table, max_radius_squared=cap, max_regions=len(table), box=box)
    if isinstance(begun, Counterexample):
        raise TypeError("cannot load the search of a query without one decision on all slices")
    return _Finder(begun, parameters, cap, max_seconds, None)


def _packed(bits: Row) -> int:
    """Return bits as a pattern: bit i is that of hidden neuron i."""
    return sum(bit << i for i, bit in enumerate(bits))


def _worst(ended: Ended | None, reason: str) -> Ended:
    """Return the reason to report of two."""
    order: tuple[Ended, ...] = ("seconds", "work", "leaves")
    return next((known for known in order if known in (ended, reason)), "digits")


def _close(low: int, above: int) -> bool:
    """Return whether two squared radii are within the precision of bisection."""
    return sqrt(above) - sqrt(low) <= _CLOSE * sqrt(above)
