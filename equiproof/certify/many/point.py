"""The result of a run for one applicant."""

from __future__ import annotations

from decimal import Decimal
from typing import Literal

import msgspec

from equiproof.circuits.schemes import DEFAULT_SCHEME, MAX_LEAVES, MAX_REGIONS, Scheme
from equiproof.circuits.spec import Spec

Verdict = Literal["fair", "unfair", "undecided"]

Assignment = tuple[tuple[str, str], ...]
"""The sensitive features with one value each, in the spec's order."""


class Limits(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The budgets of a search per applicant; :class:`equiproof.certify.many.certifier.Certifier` explains each field.

    `max_regions` is the budget of scheme traversal, `max_leaves` that of schemes branch and trees. `slots` belongs to
    the capacity of a key of scheme trees.
    """

    scheme: Scheme = DEFAULT_SCHEME
    max_regions: int = MAX_REGIONS
    max_leaves: int = MAX_LEAVES
    max_seconds: float | None = None
    capacity: int | None = None
    slots: int | None = None
    rows: int | None = None
    exact: bool = False

    @property
    def budget(self) -> tuple[str, int]:
        """The name and value of the budget that the scheme counts in."""
        if self.scheme == "traversal":
            return "max_regions", self.max_regions
        return "max_leaves", self.max_leaves


class SliceDecision(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One slice of a counterexample: its number from 0, sensitive values, decision (None: a tie) and integer logits.

    Logits can exceed what every JSON reader keeps exactly, so they are decimal text.
    """

    slice: int
    sensitive: Assignment
    label: str | None
    logits: tuple[str, ...]


class NearFlip(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A grid point with another decision (label None: a tie) under these sensitive values.

    `distance`, rounded up, is an upper bound of every radius: a nearer flip may exist.
    """

    distance: Decimal
    distance_squared: int
    sensitive: Assignment
    label: str | None


class Interval(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The distance of the decision's boundary: from `lower`, rounded down, to `upper`, rounded up (None: unknown).

    The squares are exact rationals "n/d" in grid units. `capped`: no boundary within the largest radius that is ever
    stated. `complete`: the search was not ended early; with scheme branch, no larger integer is possible as
    `lower_squared`.
    """

    lower: Decimal
    upper: Decimal | None
    lower_squared: str
    upper_squared: str | None
    complete: bool
    capped: bool

    @property
    def gap(self) -> Decimal | None:
        """The distance between the ends; None where the upper one is unknown."""
        return None if self.upper is None else self.upper - self.lower


class PointResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The result for one applicant. Lengths are in the spec's units, cut off after six decimals.

    `row` counts from 1. fair: every value of the sensitive features leads to `label`, and so does every real-valued
    neighbor closer than `radius` and every grid point closer than `radius_grid`, the root of the integer
    `radius_squared`; the evidence was checked. `capped`: no decision hyperplane is nearer than the radius, which is the
    largest that is ever stated, or :meth:`ends_at_a_value`. unfair: the `cases` are slices with different decisions.
    undecided: `reason` is "tie" (a slice without a decision), or the budget that ended first, "regions" or "seconds";
    the radius is then the one certified by that time.

    Scheme traversal: `regions` is the size of the evidence of the radius, or the number of regions entered where the
    budget ended first. Scheme branch: a point is fair as soon as any radius has evidence; `reason` then names what kept
    the search from a larger radius, "leaves", "seconds", "work" (counted where no seconds are given) or "digits" (the
    integers have too few), or is None where no larger radius exists, and `exact` holds the rest. `leaves` is the size
    of the evidence, `programs` counts the quadratic programs of the search. "digits" without a radius: undecided, since
    the integers have too few digits to prove even the query itself. The radii at capacity are those that a key with the
    requested number of rows certifies.

    Scheme trees: as scheme branch, without "digits". `slots` counts the thresholds within the radius, `rows` the nodes
    of an ensemble that ask them, which a key has to hold as well. "leaves" or "rows" without a radius: undecided, since
    the query alone needs so many of them.
    """

    row: int
    verdict: Verdict
    seconds: float
    reason: Literal["tie", "regions", "leaves", "slots", "rows", "seconds", "work", "digits"] | None = None
    label: str | None = None
    radius: Decimal | None = None
    radius_grid: Decimal | None = None
    radius_squared: int | None = None
    capped: bool = False
    regions: int | None = None
    leaves: int | None = None
    slots: int | None = None
    rows: int | None = None
    programs: int | None = None
    radius_at_capacity: Decimal | None = None
    radius_squared_at_capacity: int | None = None
    flip: NearFlip | None = None
    cases: tuple[SliceDecision, ...] = ()
    exact: Interval | None = None

    @property
    def needed_capacity(self) -> int | None:
        """The least capacity, a power of two, that holds the evidence of the radius; None where it is unknown."""
        size = self.leaves or self.regions
        return None if self.verdict != "fair" or size is None else 1 << (size - 1).bit_length()

    def ends_at_a_value(self, spec: Spec) -> bool:
        """Return whether the radius ends where another value of a category begins, of which the trees ask sets."""
        return self.capped and self.radius_squared != spec.max_radius_squared
