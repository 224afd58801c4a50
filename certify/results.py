"""What is known of many applicants after a run: frozen results, one per row, that travel as one JSON document."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Literal, overload

import msgspec
import rfc8785

from certify.errors import RunError
from circuits.schemes import DEFAULT_SCHEME, MAX_LEAVES, MAX_REGIONS, Scheme
from circuits.spec import Spec, SpecError, checked

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FORMAT = ("equiproof-results", 2)

_WITHOUT_SCHEME = 1
"""The version before there were two schemes: what it says is of scheme traversal."""

Verdict = Literal["fair", "unfair", "undecided"]

Assignment = tuple[tuple[str, str], ...]
"""The sensitive features with one value each, in the spec's order."""


class Limits(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What a search may cost per applicant, and what else is asked for: see :class:`certify.certifier.Certifier`.

    `max_regions` is the budget of scheme traversal, `max_leaves` that of scheme branch.
    """

    scheme: Scheme = DEFAULT_SCHEME
    max_regions: int = MAX_REGIONS
    max_leaves: int = MAX_LEAVES
    max_seconds: float | None = 60.0
    capacity: int | None = None
    exact: bool = False

    @property
    def budget(self) -> tuple[str, int]:
        """The name and number of the budget that the scheme counts in."""
        if self.scheme == "branch":
            return "max_leaves", self.max_leaves
        return "max_regions", self.max_regions


class Case(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One slice of a counterexample: its number from 0, sensitive values, decision (None: a tie) and integer logits.

    Logits outgrow what JSON numbers hold everywhere, so they are decimal text.
    """

    slice: int
    sensitive: Assignment
    label: str | None
    logits: tuple[str, ...]


class NearFlip(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A grid point that is decided otherwise (label None: a tie), under these sensitive values.

    `distance`, rounded up, is an upper bound of every radius: a nearer flip may exist.
    """

    distance: Decimal
    distance_squared: int
    sensitive: Assignment
    label: str | None


class Interval(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where the decision's boundary is: between `lower`, rounded down, and `upper`, rounded up (None: unknown).

    The squares are exact rationals "n/d" in grid units. `capped`: no boundary within the largest radius that is ever
    stated. `complete`: nothing ended the search too early; with scheme branch, no larger integer is possible below.
    """

    lower: Decimal
    upper: Decimal | None
    lower_squared: str
    upper_squared: str | None
    complete: bool
    capped: bool

    @property
    def gap(self) -> Decimal | None:
        """How far apart the ends are; None where the upper one is unknown."""
        return None if self.upper is None else self.upper - self.lower


class PointResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What is known of one applicant. Lengths are in the spec's units, cut off after six decimals.

    `row` counts from 1. fair: every value of the sensitive features leads to `label`, and so does every real-valued
    neighbor closer than `radius`, or grid point closer than `radius_grid`, the root of the integer `radius_squared`;
    the evidence was checked. `capped`: no decision hyperplane is nearer than the largest radius that is ever stated.
    unfair: the `cases` are slices with different decisions. undecided: `reason` is "tie" (the case has no decision),
    or what ended first, the budget "regions" or "seconds"; the radius is then what was certain by then.

    Scheme traversal: `regions` is the size of the radius' evidence, or where the budget ended first the regions that
    were entered. Scheme branch: evidence of any radius is evidence, so a point is fair as soon as one stands; `reason`
    then says what kept a larger radius from being found, "leaves", "seconds" or "digits" (the integers have too few),
    None where there is none, and `exact` holds the rest. `leaves` is the size of the evidence, `programs` counts the
    quadratic programs of the search. "digits" without a radius: undecided, they prove not even the query itself.
    The radii at capacity are those that a key of as many rows as were asked for certifies.
    """

    row: int
    verdict: Verdict
    seconds: float
    reason: Literal["tie", "regions", "leaves", "seconds", "digits"] | None = None
    label: str | None = None
    radius: Decimal | None = None
    radius_grid: Decimal | None = None
    radius_squared: int | None = None
    capped: bool = False
    regions: int | None = None
    leaves: int | None = None
    programs: int | None = None
    radius_at_capacity: Decimal | None = None
    radius_squared_at_capacity: int | None = None
    flip: NearFlip | None = None
    cases: tuple[Case, ...] = ()
    exact: Interval | None = None

    @property
    def needed_capacity(self) -> int | None:
        """The least capacity, a power of two, that holds the radius' evidence; None where none is known."""
        size = self.leaves or self.regions
        return None if self.verdict != "fair" or size is None else 1 << (size - 1).bit_length()


class Results(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The results of a run, a sequence in the order of its rows, with the spec and the limits they were found under."""

    format: str
    version: int
    spec: Spec
    limits: Limits
    points: tuple[PointResult, ...]

    def __len__(self) -> int:
        return len(self.points)

    def __iter__(self) -> Iterator[PointResult]:
        return iter(self.points)

    @overload
    def __getitem__(self, index: int) -> PointResult: ...
    @overload
    def __getitem__(self, index: slice) -> Results: ...
    def __getitem__(self, index: int | slice) -> PointResult | Results:
        if isinstance(index, slice):
            return msgspec.structs.replace(self, points=self.points[index])
        return self.points[index]

    def __repr__(self) -> str:
        counts = ", ".join(f"{len(self.having(verdict))} {verdict}" for verdict in ("fair", "unfair", "undecided"))
        return f"<Results of {len(self)} rows of {self.spec.name}: {counts}>"

    def having(self, verdict: Verdict) -> tuple[PointResult, ...]:
        """Return the points of one verdict."""
        return tuple(point for point in self.points if point.verdict == verdict)

    def to_frame(self) -> pd.DataFrame:
        """Return one line per row; lengths become floats, and counterexamples stay in the results."""
        from certify.report import frame

        return frame(self)

    def summary(self) -> str:
        """Return a few lines for people."""
        from certify.report import summary

        return summary(self)

    def plot(self, axes: Axes | None = None) -> Figure:
        """Draw the radii of the fair as a histogram, with the unfair and undecided counted apart.

        Without `axes`, into a figure that pyplot does not know of: save it with `savefig`, there is nothing to close.
        """
        from certify.report import plot

        return plot(self, axes)

    def to_json(self) -> str:
        """Return the JSON document, canonical (RFC 8785) unless an integer is beyond 2^53; digits are never lost."""
        document = msgspec.to_builtins(self)
        try:
            return rfc8785.dumps(document).decode()
        except rfc8785.CanonicalizationError:
            return json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str | bytes, where: str = "results") -> Results:
        """Read what :meth:`to_json` wrote, now or in version 1; raises RunError naming `where` for anything else."""
        try:
            results = msgspec.json.decode(text, type=cls)
            checked(results.spec)
        except (msgspec.MsgspecError, UnicodeError, RecursionError, SpecError) as error:
            # A document's own names may break a line.
            raise RunError(f"{where}: no document of results: {' '.join(str(error).split())}") from None
        if (results.format, results.version) == (FORMAT[0], _WITHOUT_SCHEME):
            limits = msgspec.structs.replace(results.limits, scheme="traversal")
            return msgspec.structs.replace(results, version=FORMAT[1], limits=limits)
        if (results.format, results.version) != FORMAT:
            found = f"{results.format[:40]!r} version {results.version}"
            raise RunError(f"{where}: this is {found}, not {FORMAT[0]!r} version {FORMAT[1]}")
        return results


Sequence.register(Results)
