"""Flips where the label changes: applicants of both labels, and halves between them, until protected values disagree.

A protected value changes a label only where the margin is close to 0. Where a model decides nearly everybody alike, few
random applicants are there. So applicants are moved towards the rarer label until some have it; between one of each
label there are two neighbors with different ones, and by halving the way from one to the other such a place is found.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from equiproof.audits.hyfair.clusters import Flags, Judge
from equiproof.audits.hyfair.forward import Floats
from equiproof.audits.hyfair.grid import Box, Integers

WALKERS = 64
"""Applicants that move side by side."""

_MAX_REDRAWS = 3
"""The most features that one move draws anew."""

_BATCH = 1024
"""Applicants whose margins are computed at once: memory grows with the protected values and the neurons."""

_START_COUNT = 8
"""Applicants of the rarer label to walk from."""


def crossing(judge: Judge, box: Box, count: int, rng: np.random.Generator) -> Integers | None:
    """Return an applicant of a box, shape (F,), whose label changes with a protected value.

    None if `count` applicants, and as many again to find both labels, have none; that shows nothing about others.
    """
    walk = _Walk(judge, box, rng)
    ends = walk.both_labels(count)
    if isinstance(ends, tuple):
        ends = walk.between(*ends, count)
    return ends


def _places(people: Integers) -> list[int]:
    """Return where batches begin, but for the first."""
    return list(range(_BATCH, len(people), _BATCH))


@dataclass(frozen=True, eq=False)
class _Walk:
    """Applicants on their way; an applicant whose label changes ends it."""

    judge: Judge
    box: Box
    rng: np.random.Generator

    def both_labels(self, count: int) -> tuple[Integers, Integers] | Integers | None:
        """Return applicants without and with the label, or one whose label changes, or None if all have one label."""
        sample = self._sample(max(WALKERS, count))
        margins = np.concatenate([self.judge.forward.margins(part) for part in np.split(sample, _places(sample))])
        if (flip := self._flipped(sample, margins)) is not None:
            return flip
        have = margins[:, 0] > 0
        sign = 1.0 if 2 * have.sum() < len(have) else -1.0
        nearest = np.argsort(-sign * margins.mean(axis=1), kind="stable")[:WALKERS]
        people = sample[nearest]
        margins = margins[nearest]
        for _ in range(count // WALKERS):
            if (sign * margins[:, 0] > 0).sum() >= _START_COUNT:
                break
            people, margins = self._moved(people, margins, sign)
            if (flip := self._flipped(people, margins)) is not None:
                return flip
        rare = people[(margins[:, 0] > 0) == (sign > 0)]
        usual = sample[have != (sign > 0)]
        if not len(rare):
            return None
        return (usual, rare) if sign > 0 else (rare, usual)

    def between(self, without: Integers, having: Integers, count: int) -> Integers | None:
        """Halve ways between applicants of both labels until one is found whose label changes."""
        low, high = self._paired(without, having)
        for _ in range(max(1, count // WALKERS)):
            # Of an odd difference, each feature's half is rounded up or down at random: ways from one pair differ.
            middle = low + (high - low + self.rng.integers(0, 2, size=low.shape)) // 2
            margins = self.judge.forward.margins(middle)
            if (flip := self._flipped(middle, margins)) is not None:
                return flip
            have = margins[:, 0] > 0
            low[~have] = middle[~have]
            high[have] = middle[have]
            near = abs(high - low).sum(axis=1) <= 1
            again = self._paired(without, having)
            low[near] = again[0][near]
            high[near] = again[1][near]
        return None

    def _sample(self, count: int = WALKERS) -> Integers:
        return self.judge.forward.grid.draw(self.rng, count, self.box)

    def _moved(self, people: Integers, margins: Floats, sign: float) -> tuple[Integers, Floats]:
        """Draw a few features of each anew, and keep what brings its margins further towards a sign."""
        proposals = people.copy()
        mask = self.rng.random(people.shape).argsort(axis=1) < self.rng.integers(1, _MAX_REDRAWS + 1, size=(WALKERS, 1))
        proposals[mask] = self._sample()[mask]
        new_margins = self.judge.forward.margins(proposals)
        better = sign * new_margins.mean(axis=1) >= sign * margins.mean(axis=1)
        # One whose label changes is kept, so that it is seen.
        better |= self._mixed(new_margins)
        return np.where(better[:, None], proposals, people), np.where(better[:, None], new_margins, margins)

    def _paired(self, without: Integers, having: Integers) -> tuple[Integers, Integers]:
        """Return random applicants of each label."""
        low, high = (side[self.rng.integers(len(side), size=WALKERS)] for side in (without, having))
        return low, high

    def _flipped(self, people: Integers, margins: Floats) -> Integers | None:
        """Return the first applicant whose label changes exactly, of those for whom it does in floats."""
        for applicant in people[self._mixed(margins)]:
            if self.judge.has("flipped", applicant):
                flip: Integers = applicant
                return flip
        return None

    def _mixed(self, margins: Floats) -> Flags:
        """Return whose margins are on both sides of 0 in floats."""
        return np.asarray((margins > 0).any(axis=1) & (margins <= 0).any(axis=1))
