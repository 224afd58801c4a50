"""The largest squared radius with evidence around one query, for any capacity of leaves: bounds from both sides.

From above comes the nearest known decision facet, from below the incumbent: the evidence of the largest radius so far.
If the tree for the upper bound fits the leaves, the search is complete. Where leaves, seconds or work do not suffice, a
radius that floats prove without a split comes first, and the rest is bisected. In deep networks, where leaves were too
few, it is bisected once more with slopes that took longer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

from equiproof.certify.branch.budget import MAX_WORK, Ended, Meter, NoTreeError
from equiproof.certify.branch.evidence import BranchEvidence, Row
from equiproof.certify.branch.evidence_check import check
from equiproof.certify.branch.interval import RadiusInterval, next_trial, reported_reason
from equiproof.certify.branch.nearest_facet import NearestFacet
from equiproof.certify.branch.slopes import unsplit_radius
from equiproof.certify.branch.tree import Grower
from equiproof.certify.errors import CapacityError
from equiproof.certify.network import QuantisedNetwork
from equiproof.certify.traversal.exact import BoundaryPoint
from equiproof.certify.traversal.search import Counterexample, Start, begin
from equiproof.circuits.branch_parameters import Parameters
from equiproof.circuits.exit_codes import EXHAUSTED
from equiproof.circuits.spec import Box

_FIRST_SHARE = 0.25
"""A radius takes at most this share of the rest of the budget as long as there is no evidence of any."""

_SHARE = 0.5
"""A radius takes at most this share of the rest of the budget once there is evidence of another."""

_UNSPLIT_LEAVES = 8
"""How many leaves more than slices the first evidence may have, whose balls floats prove unsplit."""

_SHALLOW_DEPTH = 2
"""Up to this many hidden layers, slopes are of one layer only, and a longer ascent does not change them."""

_BISECTIONS = 12
"""The most radii that are tried between evidence and what is ruled out."""

Progress = Callable[[int, int], None]
"""Takes the number of leaves and the squared radius of each evidence."""


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
class RadiusBounds:
    """What a search knows of eps*^2 in grid units: the checked evidence of the largest radius, and an upper bound.

    `upper` is the squared distance of the `boundary_point`; both are None where no wrong decision is known. `complete`:
    no larger squared radius is allowed. Otherwise `ended` names what ran out.
    """

    evidence: BranchEvidence
    upper: Fraction | None
    boundary_point: BoundaryPoint | None
    complete: bool
    ended: Ended | None


class RadiusSearch:
    """The searches around one query, for any capacity; all share the upper bound and the memory of splits."""

    def __init__(
        self,
        start: Start,
        parameters: Parameters,
        cap: int,
        max_seconds: float | None,
        progress: Progress | None,
    ) -> None:
        """Keep the case; the attack runs on first use. `cap` is the largest squared radius."""
        self._start = start
        self._parameters = parameters
        self._cap = cap
        self._max_seconds = max_seconds
        self._progress = progress
        self._network = start.sliced[0].network
        self._table = [at_slice.sensitive for at_slice in start.sliced]
        self._facet = NearestFacet(start, cap)

    def __reduce__(self) -> tuple[Callable[..., RadiusSearch], tuple[object, ...]]:
        """Pickle the case alone: another process learns the bound and the splits again, and reports no progress."""
        return _restore, (
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

    @property
    def programs(self) -> int:
        """The number of quadratic programs that were solved so far."""
        return self._grower.programs

    @cached_property
    def _grower(self) -> Grower:
        """The grower of the trees."""
        return Grower(self._start, self._parameters, self._facet.look_near)

    def best(
        self, capacity: int, ceiling: int, max_seconds: float | None = None, max_work: int | None = None
    ) -> RadiusBounds:
        """Return the largest squared radius up to a ceiling with evidence of at most so many leaves.

        `max_seconds` of None are those of the case, `max_work` of None is the usual one. Raises CapacityError where the
        roots of all slices and one split do not fit, PrecisionError where rounding leaves nothing to prove, and
        EvidenceError where the checker refuses the evidence.
        """
        seconds = self._max_seconds if max_seconds is None else max_seconds
        work = MAX_WORK if max_work is None else max_work
        meter = Meter(seconds, work)
        least_leaves = len(self._table) + 1
        if capacity < least_leaves:
            raise CapacityError(least_leaves, capacity, None, "leaves")
        self._grower.climb(longer=False)
        incumbent, ended = self._bisect(capacity, ceiling, meter, None)
        if ended == "leaves" and not meter.is_spent and len(self._network.hidden) > _SHALLOW_DEPTH:
            self._grower.climb(longer=True)
            incumbent, reason = self._bisect(capacity, ceiling, meter, incumbent)
            ended = reason and reported_reason(ended, reason)
        # The search is not trusted: only what the plaintext checker accepts is returned.
        check(incumbent, self._parameters, self._network, self._start.query, self._table, self._start.box)
        complete = incumbent.radius_squared == self._facet.allowed
        return RadiusBounds(
            evidence=incumbent,
            upper=self._facet.upper,
            boundary_point=self._facet.boundary_point,
            complete=complete,
            ended=None if complete else ended,
        )

    def _bisect(
        self, capacity: int, ceiling: int, meter: Meter, incumbent: BranchEvidence | None
    ) -> tuple[BranchEvidence, Ended | None]:
        """Return evidence no worse than the incumbent, and what ended the search; None if no radius is left."""
        interval = self._first_interval(ceiling, incumbent)
        bisections = 0
        while interval.is_open:
            is_unsplit = interval.is_unsplit
            try:
                interval.incumbent = self._grow(interval, capacity, meter)
            except NoTreeError as error:
                if error.reason == "nearer":
                    interval.cut_to_facet(self._facet.allowed)
                    continue
                if interval.trial == 0:
                    raise PrecisionError from error
                # That the tighter lower lines fail shows nothing about other slopes.
                if not is_unsplit:
                    interval.rule_out(error.reason)
            if interval.incumbent is None:
                # An unsplit ball took its time whatever the budget; once it is spent, only radius 0 is left to try.
                spent = is_unsplit and meter.is_spent
                interval.try_unsplit(0 if spent else self._unsplit_radius(interval.unsplit_ceiling(), meter))
                continue
            if meter.is_spent or bisections >= _BISECTIONS or interval.is_narrow:
                break
            bisections += 1
            interval.bisect(interval.incumbent, self._facet.allowed)
        if interval.incumbent is None:
            raise AssertionError("an interval without evidence is open")
        return interval.incumbent, interval.ended

    def _first_interval(self, ceiling: int, incumbent: BranchEvidence | None) -> RadiusInterval:
        """Return the interval up to what facet and ceiling allow; without an incumbent the largest radius comes first.

        The largest radius completes the search at once, if its tree fits the leaves.
        """
        allowed = self._facet.allowed
        above = min(allowed, ceiling) + 1
        trial = above - 1 if incumbent is None else next_trial(incumbent.radius_squared, above, allowed, None)
        return RadiusInterval(incumbent, above, trial)

    def _unsplit_radius(self, above: int, meter: Meter) -> int:
        """Return a squared radius below another that floats prove for every ball unsplit, or 0."""
        meter.allow()
        case = (self._network, self._start.query, self._table, self._grower.margins, self._start.box)
        return unsplit_radius(*case, above, meter)

    def _grow(self, interval: RadiusInterval, capacity: int, meter: Meter) -> BranchEvidence:
        """Return evidence of the interval's trial; raises NoTreeError."""
        if interval.is_unsplit:
            # This needs hardly a split, and without any evidence the search has no result: it is finished in any case.
            meter.allow()
            capacity = min(capacity, len(self._table) + _UNSPLIT_LEAVES)
        else:
            meter.allot(_FIRST_SHARE if interval.incumbent is None else _SHARE)
        evidence = self._grower.grow(interval.trial, capacity, meter, plain=interval.is_unsplit)
        if self._progress is not None:
            self._progress(len(evidence.leaves), interval.trial)
        return evidence


def _restore(
    network: QuantisedNetwork,
    query: Row,
    table: Sequence[Row],
    cap: int,
    parameters: Parameters,
    max_seconds: float | None,
    box: Box | None,
) -> RadiusSearch:
    """Return the search of a case that is known to be fair at the query."""
    start = begin(network, query, table, max_radius_squared=cap, max_regions=len(table), box=box)
    if isinstance(start, Counterexample):
        raise TypeError("cannot load the search of a query without one decision on all slices")
    return RadiusSearch(start, parameters, cap, max_seconds, None)
