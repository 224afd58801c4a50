"""Branch and bound around a query: evidence of scheme `branch` for the largest radius, or a counterexample.

The search itself is in :mod:`equiproof.certify.branch.radius_search`; here are its entry points and its result. What a
padded network does not use is left out of a search, and joins its evidence.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from equiproof.certify.branch.budget import Ended
from equiproof.certify.branch.evidence import BranchEvidence
from equiproof.certify.branch.evidence_check import check
from equiproof.certify.branch.lifting import lift, same_rounding
from equiproof.certify.branch.radius_search import Progress, RadiusSearch
from equiproof.certify.network import QuantisedNetwork
from equiproof.certify.padding import Idle
from equiproof.certify.traversal.exact import BoundaryPoint
from equiproof.certify.traversal.search import Counterexample, begin
from equiproof.circuits.branch_parameters import Parameters, network_parameters
from equiproof.circuits.spec import Box, Spec


@dataclass(frozen=True)
class BranchSearch:
    """The result of a search: the largest squared radius with evidence, and an upper bound of eps*^2.

    `radius_squared` is in grid units, `evidence` proves it. eps*^2 is at most `upper`, the squared distance of the
    `boundary_point`: both are None where no wrong decision is known. `complete`: no larger integer is possible, or the
    radius is the cap of the search (`capped`), below which no wrong decision lies; else `ended` names what ran out:
    "leaves", "seconds", "work" or "digits" (the integers have too few for a larger radius, which is then larger by 1
    at most). `programs` counts the quadratic programs that were solved.
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
    _search: RadiusSearch = field(repr=False, compare=False)
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
        evidence = self._search.best(capacity, self.radius_squared, max_seconds, max_work).evidence
        return evidence if self._idle is None else lift(evidence, self._idle, self._search.unit)

    def with_idle(self, idle: Idle) -> BranchSearch:
        """Return the search of a reduced network as that of the network with what is idle in it."""
        point = self.boundary_point
        if point is not None:
            point = replace(point, point=idle.appended(point.point, Fraction(0)))
        evidence = lift(self.evidence, idle, self._search.unit)
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
    progress: Progress | None = None,
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
    start = begin(network, query, table, max_radius_squared=max_radius_squared, max_regions=len(table), box=box)
    if isinstance(start, Counterexample):
        return start
    search = RadiusSearch(start, parameters, max_radius_squared, max_seconds, progress)
    bounds = search.best(max_leaves, max_radius_squared)
    return BranchSearch(
        label=start.label,
        radius_squared=bounds.evidence.radius_squared,
        upper=bounds.upper,
        boundary_point=bounds.boundary_point,
        complete=bounds.complete,
        capped=bounds.complete and bounds.upper is None,
        ended=bounds.ended,
        slice_count=len(start.sliced),
        evidence=bounds.evidence,
        programs=search.programs,
        _search=search,
    )


def search_under(
    network: QuantisedNetwork,
    spec: Spec,
    query: Sequence[int],
    *,
    max_leaves: int,
    max_radius_squared: int | None = None,
    max_seconds: float | None = None,
    progress: Progress | None = None,
) -> BranchSearch | Counterexample:
    """Search as :func:`branch_search`; table, ranges, widths, and the largest radius unless one is given, are a spec's.

    What a padded network does not use is left out of the search, and joins its evidence. Raises its errors, and
    WidthError for a network whose numbers the field does not hold.
    """
    idle = Idle.of(network, spec)
    parameters = network_parameters(spec, network.hidden)
    small_network, small_spec = idle.reduced(network, spec)
    small_parameters = network_parameters(small_spec, small_network.hidden)
    if not same_rounding(small_parameters, parameters):
        # Evidence of the reduced network would have other integers than the whole one's: nothing can be left out.
        idle = Idle.nothing(network, spec)
        small_network = network
        small_spec = spec
        small_parameters = parameters
    search = branch_search(
        small_network,
        idle.cut(query),
        small_spec.domain_table,
        max_radius_squared=small_spec.max_radius_squared if max_radius_squared is None else max_radius_squared,
        max_leaves=max_leaves,
        parameters=small_parameters,
        max_seconds=max_seconds,
        progress=progress,
        box=small_spec.box,
    )
    if isinstance(search, Counterexample) or not idle:
        return search
    whole = search.with_idle(idle)
    check(whole.evidence, parameters, network, query, spec.domain_table, spec.box)
    return whole
