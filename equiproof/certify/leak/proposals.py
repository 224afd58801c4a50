"""Proposals of levels: what copies make of each, what it keeps, and how people read it."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from equiproof.certify.digits import number, percent
from equiproof.certify.leak.certificates import Certificate, Levels, interval
from equiproof.certify.leak.curve import Point
from equiproof.circuits.spec import Spec
from equiproof.circuits.units import first_number_moved

MOST_GAIN = {"linear": 4.0, "additive": 3.0, "ensemble": 3.0, "network": 3.0}
"""The most points of percent by which a copy may agree more than one from labels alone."""

_SPARE = 0.5
"""The part of the target that a draft leaves to chance: other people apply later, and other draws copy better."""


@dataclass(frozen=True)
class Copied:
    """What copies from certificates of rows come to, and of chosen applications, None where too few of these have one.

    `most` is the largest gain over labels alone of any draw, in points of percent.
    """

    rows: Point
    chosen: Point | None = None
    most: float = 0.0

    def beside(self, alone: Copied) -> list[tuple[Point, Point]]:
        """Return pairs of a copy and the one from labels alone."""
        pairs = ((self.rows, alone.rows), (self.chosen, alone.chosen))
        return [(copy, labels) for copy, labels in pairs if copy is not None and labels is not None]


@dataclass(frozen=True)
class Proposal:
    """Levels as decimal texts in the spec's units, least first, with their squares in grid units.

    `reached` is the share of fair applicants who have the first level, `kept` the median of the shown radii in parts of
    that of the exact ones, `copies` what copies from the certificates come to. `levels` are empty for exact radii.
    """

    levels: tuple[str, ...]
    squares: Levels | None
    reached: float
    kept: float
    copies: Copied

    def gain(self, labels: Copied) -> float:
        """Return by how many points of percent the stronger copy agrees more than one from labels alone."""
        return max(100 * (copy.agreement - alone.agreement) for copy, alone in self.copies.beside(labels))

    def known(self, labels: Copied) -> int:
        """Return how many more thresholds a copy knows than one from labels alone."""
        return max(max(0, (copy.known or 0) - (alone.known or 0)) for copy, alone in self.copies.beside(labels))

    def holds(self, labels: Copied, most: float) -> bool:
        """Return whether all draws stay within half of the target, and no copy knows more thresholds."""
        return self.copies.most <= _SPARE * most and not self.known(labels)

    def sentence(self, spec: Spec, labels: Copied) -> str:
        """Return what it is, gives away and keeps, in words."""
        means = (
            "exact: every radius as it is"
            if self.squares is None
            else _means(spec, self.levels, self.squares, self.reached)
        )
        (copy, alone), *chosen = self.copies.beside(labels)
        told = (
            f"a copy after {_agrees(copy, 'certificates agrees')}, labels alone would give {percent(alone.agreement)}"
        )
        for other, without in chosen:
            told += f"; after {_agrees(other, 'of chosen applications')}, and {percent(without.agreement)}"
        return f"{means}; {told}"


@dataclass(frozen=True)
class Draft:
    """The proposals, exact radii last if there was time for them, what labels alone give, and the chosen proposal.

    `most` is the target: by how many points of percent a copy may agree more than one from labels alone.
    """

    proposals: tuple[Proposal, ...]
    labels: Copied
    chosen: Proposal
    most: float

    @property
    def levels(self) -> tuple[str, ...]:
        """The levels that are drafted."""
        return self.chosen.levels

    def lines(self, spec: Spec) -> list[str]:
        """Return a line for each proposal, one where the target may be missed, and one that names the draft."""
        said = [one.sentence(spec, self.labels) for one in self.proposals]
        if not self.chosen.holds(self.labels, self.most):
            said.append(
                f"no proposal stays within half of the target of {number(self.most)} points above labels alone: the "
                "least leaking one is drafted"
            )
        return [*said, _named(self.levels, self.chosen.kept)]


@dataclass(frozen=True)
class FirstLevel:
    """The first level alone, as of :class:`Proposal`, where copies say nothing; `why` ends a sentence."""

    levels: tuple[str, ...]
    squares: Levels
    reached: float
    kept: float
    why: str

    def lines(self, spec: Spec) -> list[str]:
        """Return a line for the proposal, and one that names the draft."""
        means = _means(spec, self.levels, self.squares, self.reached)
        return [f"{means}; how well copies agree was not measured: {self.why}", _named(self.levels, self.kept)]


def kept(squares: Levels, pool: Sequence[Certificate]) -> tuple[float, float]:
    """Return the share of fair applicants who have the first level, and the part of the median radius that is shown.

    A median of 0 is kept as a whole.
    """
    exact = [one.radius_squared for one in pool]
    shown = [interval(radius, squares)[0] for radius in exact]
    median = statistics.median(exact)
    part = math.sqrt(statistics.median(shown) / median) if median else 1.0
    return sum(radius > 0 for radius in shown) / len(shown), part


def leaking(one: Proposal, labels: Copied, most: float) -> tuple[bool, int, int, float, int]:
    """Return what a proposal gives away, as numbers to compare: the least leaking one is chosen.

    Those that do not hold the target come last. Thresholds that labels would not name count first, then whole points
    of agreement; of equals, what keeps more.
    """
    gain = max(0, round(one.gain(labels)))
    return not one.holds(labels, most), one.known(labels), gain, -one.kept, len(one.levels)


def _agrees(copy: Point, of: str) -> str:
    """Return what a copy comes to, in words."""
    known = f" and knows {copy.known} thresholds exactly" if copy.known else ""
    return f"{copy.count} {of} with {percent(copy.agreement)}{known}"


def _means(spec: Spec, levels: Sequence[str], squares: Levels, reached: float) -> str:
    """Return in words what levels mean, and who has them."""
    means = f"the first level means {first_number_moved(spec, squares[0])}"
    return f"{', '.join(levels)}: {means}; {percent(reached)} of fair applicants have it"


def _named(levels: Sequence[str], kept: float) -> str:
    """Return the line that names the drafted levels."""
    return f"drafted levels: {', '.join(levels)}; keeps {percent(kept)} of the median radius"
