"""Search for evidence of a gain: a large radius of a least gain, or a large gain that holds up to a radius.

Both are searches of scheme `branch` on the network of two copies, with that scheme's evidence and its checker: what is
decided there is that every gain is at least the one that is sought (:mod:`.pair`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil, isfinite
from typing import ClassVar

from equiproof.certify.branch.arrays import Floats
from equiproof.certify.branch.budget import MAX_WORK, Meter, NoTreeError
from equiproof.certify.branch.evidence import BranchEvidence, Row
from equiproof.certify.branch.evidence_check import check as check_branch
from equiproof.certify.branch.search import branch_search
from equiproof.certify.branch.tree import Grower
from equiproof.certify.errors import EvidenceError
from equiproof.certify.gain.pair import gain_at, paired
from equiproof.certify.network import QuantisedNetwork
from equiproof.certify.traversal.search import Counterexample, begin
from equiproof.circuits.branch_parameters import Parameters, pair_parameters
from equiproof.circuits.exit_codes import EXHAUSTED
from equiproof.circuits.spec import Spec

_STEP_BITS = 20
_BALL_SHARE = 1 - 2.0**-12
"""The fractional bits of a point that the relaxation returns, and how much it is drawn inside the ball."""

_PROBES = 24
_BISECTIONS = 10
_FIRST_STEP_BITS = 20
_STEP_GROWTH_BITS = 4
"""Without a bound the first try below the gain at the query is lower by 2^-20 of a logit, each further one by more."""

_PROBE_MARGIN = 1.02
"""A gain is tried so much farther from that at the query than a bound in floats shows."""

_SHARE = 0.25
"""One try takes at most this share of what is left of the budget."""

_GAIN_PRECISION = 200
"""Bisection ends where the gain is known to this part of its distance from that at the query."""


class GainError(Exception):
    """A gain that does not hold, or that no evidence within the budget shows; one line."""

    exit_code: ClassVar[int] = EXHAUSTED


@dataclass(frozen=True)
class Case:
    """Whose gain it is: a network under a spec, a query of n_x integers, two rows of the spec's table, and a label.

    The gain is in every margin of the label, from the first row in place of the second. The repr shows the label and
    the rows: the query is the applicant's, and the network the owner's.
    """

    network: QuantisedNetwork = field(repr=False)
    spec: Spec = field(repr=False)
    query: Row = field(repr=False)
    first: int
    second: int
    label: int

    def __post_init__(self) -> None:
        """Refuse a row or label that the spec does not have, and a row against itself."""
        rows = len(self.spec.domain_table)
        if not (0 <= self.first < rows and 0 <= self.second < rows):
            raise ValueError(f"the spec has {rows} joint values of the sensitive features, numbered from 0")
        if self.first == self.second:
            raise ValueError("a value gains nothing against itself: name two")
        if not 0 <= self.label < len(self.spec.labels):
            raise ValueError(f"the spec has {len(self.spec.labels)} labels, numbered from 0")

    @property
    def row(self) -> Row:
        """The sensitive columns of both copies."""
        table = self.spec.domain_table
        return (*table[self.first], *table[self.second])

    @property
    def parameters(self) -> Parameters:
        """Roundings and widths of keys for this network; raises WidthError where the field does not hold them."""
        return pair_parameters(self.spec, self.network.hidden)

    @property
    def gain(self) -> int:
        """The gain at the query itself, the least over the margins."""
        table = self.spec.domain_table
        return gain_at(self.network, self.query, table[self.first], table[self.second], self.label)

    def pair(self, least_gain: int) -> QuantisedNetwork:
        """Return the network that decides the label where every gain is at least so much."""
        return paired(self.network, self.spec.plain_columns, self.label, least_gain)


@dataclass(frozen=True)
class GainEvidence:
    """Every gain is at least `least_gain` at every point closer than sqrt(radius_squared): `tree` proves it.

    The tree is evidence of scheme `branch` for the network of two copies on its one slice.
    """

    least_gain: int
    tree: BranchEvidence

    @property
    def label(self) -> int:
        """The label that is gained."""
        return self.tree.label

    @property
    def radius_squared(self) -> int:
        """R2, in grid units."""
        return self.tree.radius_squared

    @property
    def size(self) -> int:
        """The number of its leaves, which a key's capacity limits."""
        return len(self.tree.leaves)


@dataclass(frozen=True)
class GainSearch:
    """What a search found. `gain` is that at the query; no gain above `above` can be shown, None if not known.

    A gain is refuted by a point of the ball, of integers or not, that has less; that a tree of so many leaves was not
    found refutes nothing.
    """

    evidence: GainEvidence
    gain: int
    above: int | None


def check(evidence: GainEvidence, case: Case) -> None:
    """Raise EvidenceError, with the first rule that is broken, unless the evidence proves its gain and radius."""
    if evidence.label != case.label:
        raise EvidenceError("R-B-CENTRE", "label", f"label {evidence.label}, want {case.label}")
    check_branch(evidence.tree, case.parameters, case.pair(evidence.least_gain), case.query, [case.row])


def farthest(
    case: Case,
    least_gain: int,
    *,
    max_leaves: int,
    max_radius_squared: int | None = None,
    max_seconds: float | None = None,
) -> GainSearch:
    """Return evidence of the largest radius, of all or up to one, within which every gain is found at least so much.

    Raises GainError where it is less at the query itself, and as :func:`.branch.search.branch_search` does.
    """
    if case.gain < least_gain:
        raise GainError(f"the gain at the query itself is {case.gain}, below {least_gain}")
    search = branch_search(
        case.pair(least_gain),
        case.query,
        [case.row],
        max_radius_squared=case.spec.max_radius_squared if max_radius_squared is None else max_radius_squared,
        max_leaves=max_leaves,
        parameters=case.parameters,
        max_seconds=max_seconds,
    )
    if isinstance(search, Counterexample):
        raise AssertionError("a gain that holds at the query is decided there")
    return GainSearch(GainEvidence(least_gain, search.evidence), case.gain, None)


def most(case: Case, radius_squared: int, *, max_leaves: int, max_seconds: float | None = None) -> GainSearch:
    """Return evidence of nearly the largest gain that holds up to a radius, with at most so many leaves.

    It ends where the next gain that is tried and not shown is near, to a part of its distance from that at the query,
    or where the budget does. Raises GainError where no gain is shown within it.
    """
    if not 0 <= radius_squared <= case.spec.max_radius_squared:
        raise ValueError(f"squared radius {radius_squared} is above that of the spec")
    meter = Meter(max_seconds, MAX_WORK)
    gain = case.gain
    above = gain
    open_from = gain + 1
    step = 0
    evidence = None
    least = _first_step(case, radius_squared, meter)
    for _ in range(_PROBES):
        evidence, refuted = _proven(case, gain - step, radius_squared, max_leaves, meter)
        if evidence is not None or meter.is_spent:
            break
        open_from = gain - step
        above = gain - step - 1 if refuted else above
        step = _STEP_GROWTH_BITS * step if step else least
    if evidence is None:
        raise GainError(
            f"no gain is shown up to this radius with {max_leaves} leaves: more of them, or a smaller radius"
        )
    for _ in range(_BISECTIONS):
        if open_from - evidence.least_gain <= 1 + (gain - evidence.least_gain) // _GAIN_PRECISION or meter.is_spent:
            break
        middle = (evidence.least_gain + open_from) // 2
        better, refuted = _proven(case, middle, radius_squared, max_leaves, meter)
        if better is None:
            open_from = middle
            above = middle - 1 if refuted else above
        else:
            evidence = better
    return GainSearch(evidence, gain, above)


def first_of(
    case: Case, gains: Sequence[int], radius_squared: int, *, max_leaves: int, max_seconds: float | None = None
) -> GainSearch:
    """Return evidence of the largest of these gains that is shown up to a radius; raises as :func:`most`."""
    meter = Meter(max_seconds, MAX_WORK)
    for gain in sorted(gains, reverse=True):
        evidence, _ = _proven(case, gain, radius_squared, max_leaves, meter)
        if evidence is not None:
            return GainSearch(evidence, case.gain, None)
        if meter.is_spent:
            break
    raise GainError(
        f"none of the spec's levels of gains is shown up to this radius with {max_leaves} leaves: "
        "more of them, a smaller radius, or a larger level in gain_levels"
    )


def _first_step(case: Case, radius_squared: int, meter: Meter) -> int:
    """Return how far below the gain at the query a bound of the whole ball lies, in floats and with some room.

    A gain of so much less needs hardly a split. Where there is no such bound it is a small part of a logit.
    """
    unit = 1 << case.network.logit_fraction_bits
    least = max(1, unit >> _FIRST_STEP_BITS)
    meter.allot(_SHARE)
    try:
        share = _grower(case, case.gain - unit, radius_squared).least_bound(radius_squared, meter)
    except NoTreeError:
        return least
    return max(least, ceil(_PROBE_MARGIN * (1 - share) * unit)) if isfinite(share) else least


def _grower(case: Case, least_gain: int, radius_squared: int) -> Grower:
    """Return what grows trees that prove a gain up to a radius, of a gain that holds at the query."""
    table = case.spec.domain_table

    def nearer(_slice: int, _on: Row, _off: Row, way: Floats) -> int:
        """Return the radius, or less of it where the gain is too small at a point of the ball."""
        steps = [Fraction(round(float(step) * _BALL_SHARE * (1 << _STEP_BITS)), 1 << _STEP_BITS) for step in way]
        # A point is evidence only inside the ball; its rounded fractions are checked exactly.
        if sum(step * step for step in steps) >= radius_squared:
            return radius_squared
        point = [x + step for x, step in zip(case.query, steps, strict=True)]
        gain = gain_at(case.network, point, table[case.first], table[case.second], case.label)  # type: ignore[arg-type]
        # The pair keeps its label where gain > least_gain - 1: at points of the grid, where it is at least least_gain.
        return radius_squared - 1 if gain <= least_gain - 1 else radius_squared

    pair = case.pair(least_gain)
    start = begin(pair, case.query, [case.row], max_radius_squared=radius_squared, max_regions=1)
    if isinstance(start, Counterexample) or start.label != case.label:
        raise AssertionError("a gain that holds at the query is decided there")
    return Grower(start, case.parameters, nearer)


def _proven(
    case: Case, least_gain: int, radius_squared: int, max_leaves: int, meter: Meter
) -> tuple[GainEvidence | None, bool]:
    """Return evidence of a gain up to a radius, None where none is found, and whether a point refutes it."""
    if case.gain < least_gain:
        return None, True
    grower = _grower(case, least_gain, radius_squared)
    # A tree without the costlier bounds is often enough, and found faster.
    for plain in (True, False):
        meter.allot(_SHARE)
        try:
            tree = grower.grow(radius_squared, max_leaves, meter, plain=plain)
        except NoTreeError as error:
            if error.reason == "nearer":
                return None, True
            continue
        check_branch(tree, case.parameters, case.pair(least_gain), case.query, [case.row])
        return GainEvidence(least_gain, tree), False
    return None, False
