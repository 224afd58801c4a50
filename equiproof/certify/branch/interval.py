"""The interval of the largest provable radius: between the incumbent's evidence and the least radius that is ruled out.

Squared radii are integers in grid units. Where both ends are known, the next trial lies between them; where no evidence
is known, trials fall. Only the evidence is a proof: what is ruled out has no evidence that the search would find.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isqrt, sqrt

from equiproof.certify.branch.budget import Ended
from equiproof.certify.branch.evidence import BranchEvidence

_LOGARITHMIC_RATIO = 2
"""Radii further apart than this factor are bisected by their logarithms."""

_PRECISION = 0.002
"""Bisection ends at this relative precision of the radius."""

_UNSPLIT_RATIO = 4
"""Where integers do not prove a ball that floats prove unsplit, the next squared radius is below this part of it."""


@dataclass
class RadiusInterval:
    """The state of one bisection, from the evidence of the `incumbent` (if any) up to `above`, which is excluded.

    `trial` is the squared radius to grow a tree for. Up to `unsplit`, floats prove the balls without a split. `ended`
    is the reason to report for the radii that were ruled out, None where facets alone rule out what is above.
    """

    incumbent: BranchEvidence | None
    above: int
    trial: int
    unsplit: int = 0
    ended: Ended | None = None

    @property
    def is_open(self) -> bool:
        """Whether a squared radius is left between both ends."""
        return self.incumbent is None or self.incumbent.radius_squared + 1 < self.above

    @property
    def is_unsplit(self) -> bool:
        """Whether the ball of the trial is proven unsplit by floats."""
        return self.trial <= self.unsplit

    @property
    def is_narrow(self) -> bool:
        """Whether the incumbent is within the precision of bisection."""
        if self.incumbent is None:
            return False
        return sqrt(self.above) - sqrt(self.incumbent.radius_squared) <= _PRECISION * sqrt(self.above)

    def cut_to_facet(self, allowed: int) -> None:
        """Exclude what a nearer decision facet rules out, the trial included, and try the largest radius left."""
        self.above = min(self.above, self.trial, allowed + 1)
        self.trial = max(0, self.above - 1)

    def rule_out(self, reason: Ended) -> None:
        """Exclude the trial, for which no tree was found."""
        self.above = min(self.above, self.trial)
        self.ended = reported_reason(self.ended, reason)

    def try_unsplit(self, squared: int) -> None:
        """Try a squared radius whose balls floats prove unsplit, 0 for none."""
        self.unsplit = squared
        self.trial = squared

    def unsplit_ceiling(self) -> int:
        """Return below which squared radius to look for balls that floats prove unsplit."""
        return self.trial // _UNSPLIT_RATIO if self.is_unsplit else self.trial

    def bisect(self, incumbent: BranchEvidence, allowed: int) -> None:
        """Try a squared radius between the incumbent's and the least one ruled out; `allowed` is what facets allow."""
        self.trial = next_trial(incumbent.radius_squared, self.above, allowed, self.ended)


def next_trial(low: int, above: int, allowed: int, ended: Ended | None) -> int:
    """Return the next squared radius to try, between one with evidence and one without."""
    if ended == "digits" and above == allowed:
        # Digits are missing at the facet itself; one squared radius less has a margin that integers can prove.
        return above - 1
    low_radius = isqrt(low)
    high_radius = isqrt(above)
    # Far apart, the mean of their logarithms: failing tries cost most.
    if 0 < _LOGARITHMIC_RATIO * low_radius < high_radius:
        middle = isqrt(low_radius * high_radius)
    else:
        middle = (low_radius + high_radius) // 2
    return middle**2 if low < middle**2 < above else (low + above) // 2


def reported_reason(ended: Ended | None, reason: Ended) -> Ended:
    """Return the reason to report of two: a limit that the caller can raise comes before missing digits."""
    order: tuple[Ended, ...] = ("seconds", "work", "leaves")
    return next((limit for limit in order if limit in (ended, reason)), "digits")
