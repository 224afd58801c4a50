"""Copies at several lists of levels, beside those from labels alone, made as long as there is time."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial

from equiproof.certify.leak.certificates import Certificate, Levels
from equiproof.certify.leak.curve import LABELS_ALONE, Point, Target, attack, middle
from equiproof.certify.leak.proposals import Copied

CERTIFICATES = 100
"""How many certificates the copies of a draft are made from."""


class Copies:
    """Copies at levels, all of the same `draws` of certificates, made as long as there is time."""

    def __init__(
        self,
        target: Target,
        pools: Sequence[Sequence[Certificate]],
        seed: int,
        limits: tuple[float | None, float | None],
        progress: Callable[[], None] | None,
    ) -> None:
        """Take what is attacked, certificates of rows and of chosen applications, processor seconds and deadline."""
        self._attacks = [partial(attack, target, pool, count=min(CERTIFICATES, len(pool)), seed=seed) for pool in pools]
        (self._seconds, self._deadline), self._progress = limits, progress
        self._begun = time.process_time()
        self._longest = 0.0
        self.draws = 1
        self._found: dict[Levels | None, list[list[Point]]] = {}

    def have_time_for(self, count: int) -> bool:
        """Return whether so many draws, each as long as the longest so far, end in time."""
        spent = time.process_time() - self._begun
        has_seconds = self._seconds is None or spent + count * self._longest <= self._seconds
        return has_seconds and self.in_time(count)

    def in_time(self, count: int) -> bool:
        """Return whether so many draws, each as long as the longest so far, end by the deadline."""
        return self._deadline is None or time.monotonic() + count * self._longest <= self._deadline

    def add(self, levels: Levels | None) -> None:
        """Make the copies at levels, as many as there are at others."""
        self._found[levels] = []
        for draw in range(self.draws):
            self._make(levels, draw)
        if self._progress is not None:
            self._progress()

    def repeat(self, draws: int) -> None:
        """Make copies of more draws at all levels, up to so many."""
        while self.draws < draws and self.have_time_for(len(self._found)):
            for levels in self._found:
                self._make(levels, self.draws)
            self.draws += 1

    def middle(self, levels: Levels | None) -> Copied:
        """Return the middle of the copies at levels of each pool, and the most that one gains."""
        found, alone = self._found[levels], self._found[LABELS_ALONE]
        gains = [
            100 * (copy.agreement - labels.agreement)
            for copies, others in zip(found, alone, strict=True)
            for copy, labels in zip(copies, others, strict=True)
        ]
        rows, *others = (middle(column) for column in zip(*found, strict=True))
        return Copied(rows, others[0] if others else None, max(gains))

    def _make(self, levels: Levels | None, draw: int) -> None:
        """Make a copy from each pool."""
        begun = time.process_time()
        self._found[levels].append([copied(levels=levels, draw=draw) for copied in self._attacks])
        self._longest = max(self._longest, time.process_time() - begun)
