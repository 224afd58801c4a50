"""Randomized search for the applicant whose protected values split its scores into the most clusters (Algorithm 1).

All chains of a search move at once and are judged by one batched forward pass. Three searches, as in the paper:
`walk` accepts every neighbor; `anneal` proposes a neighbor with probability p, else an applicant of the pool, and
accepts by Metropolis; `nearest` does the same with one of the nearest applicants of the pool. The fitness is k, and
among applicants of one k the share of the scores that they span, which lets a search climb where k is flat.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from equiproof.audits.hyfair.clusters import Flags, Judge, Judged, Property
from equiproof.audits.hyfair.forward import Floats
from equiproof.audits.hyfair.grid import Integers
from equiproof.audits.hyfair.moves import Pool, near

Kind = Literal["walk", "anneal", "nearest"]
Clustering = Literal["buckets", "gaps"]
Refuse = Callable[[Integers], Flags]
Clock = Callable[[], float]

KINDS: tuple[Kind, ...] = ("walk", "anneal", "nearest")


@dataclass(frozen=True)
class Plan:
    """Settings of a search: its moves, the k to maximise, the property of an instance, and when to stop.

    `stay` is the paper's p. The temperature falls from `hot` to `cold` in units of k over the budget, which is
    `seconds` of the clock, `evaluations` of applicants, or both. `target` ends it at the first applicant of that k.
    `clock` measures the seconds, wall time by default.
    """

    kind: Kind = "anneal"
    clustering: Clustering = "buckets"
    instance: Property = "apart"
    chains: int = 256
    seconds: float | None = 10.0
    evaluations: int | None = None
    target: int | None = None
    stay: float = 0.9
    hot: float = 1.0
    cold: float = 0.05
    pool: int = 2048
    clock: Clock = time.perf_counter

    def __post_init__(self) -> None:
        """Raise ValueError for a search without a limit."""
        if self.seconds is None and self.evaluations is None:
            raise ValueError("a search needs a limit: give seconds or evaluations")


@dataclass(eq=False)
class SearchRecord:
    """The result of a search. Numbers count evaluated applicants; `instances` counts distinct ones with the property.

    `best` is an applicant of `max_k` clusters, `top` up to 1000 different ones of the largest k found, `first` the
    first instance. `first_seconds` and `best_seconds` are None without one; `refused` counts applicants that a
    guardrail stopped, which are not evaluated. `marks` are numbers that identify the instances across searches.
    """

    evaluations: int = 0
    refused: int = 0
    hits: int = 0
    instances: int = 0
    mean_k: float = 0.0
    max_k: int = 0
    at_max: int = 0
    settled: int = 0
    first_k: int = 0
    first: Integers | None = None
    best: Integers | None = None
    first_seconds: float | None = None
    best_seconds: float | None = None
    seconds: float = 0.0
    marks: Integers = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    top: Integers = field(default_factory=lambda: np.empty((0, 0), dtype=np.int64))
    sample: Integers = field(default_factory=lambda: np.empty((0, 0), dtype=np.int64))

    @property
    def success_rate(self) -> float:
        """The share of instances among the proposed applicants; refused ones are included in the total."""
        return self.hits / max(1, self.evaluations + self.refused)


_TOP_SIZE = 1000
_SAMPLE_SIZE = 2000
_BATCH_SIZE = 8


def search(
    judge: Judge,
    plan: Plan,
    rng: np.random.Generator,
    *,
    pool: Integers | None = None,
    seeds: Integers | None = None,
    refuse: Refuse | None = None,
) -> SearchRecord:
    """Search and return the result; the same seed and number of evaluations give the same applicants.

    `pool` are applicants to draw from, by default the grid's; `seeds` are starting points of some chains; `refuse` is a
    guardrail, whose applicants are never evaluated.
    """
    return _Run(judge, plan, rng, pool, refuse).done(seeds)


class _Run:
    """One search on its way."""

    def __init__(
        self, judge: Judge, plan: Plan, rng: np.random.Generator, pool: Integers | None, refuse: Refuse | None
    ) -> None:
        self.judge = judge
        self.plan = plan
        self.rng = rng
        self.refuse = refuse
        self.grid = judge.forward.grid
        applicants = self.grid.draw(rng, plan.pool) if pool is None else pool
        self.pool = Pool(self.grid, applicants)
        self.from_grid = pool is None
        self.record = SearchRecord()
        self.begun = plan.clock()
        self.marks: list[Integers] = []
        self.sample: list[Integers] = []
        self.clusters = 0
        self.top: dict[bytes, Integers] = {}
        # The same for every search of a grid, so that common findings of two searches are recognised.
        numbers = np.random.default_rng(len(self.grid.names)).integers(-(1 << 62), 1 << 62, size=len(self.grid.names))
        # Applicants are marked by the sum of their indices times these, modulo 2^64: different ones hardly ever share a
        # mark.
        self.odd = numbers * 2 + 1

    def done(self, seeds: Integers | None) -> SearchRecord:
        """Move until the budget ends and sum up."""
        state = self._fresh(self.plan.chains)
        if seeds is not None and len(seeds):
            state[: len(seeds)] = seeds[: len(state)]
        fitness = self._evaluate(state)
        while (share := self._spent()) < 1.0:
            proposed = self._propose(state)
            fresh = self._evaluate(proposed)
            accepted = self._accepted(fitness, fresh, share)
            state[accepted] = proposed[accepted]
            fitness[accepted] = fresh[accepted]
        totals = self.record
        if self.marks:
            totals.marks = np.unique(np.concatenate(self.marks))
        totals.instances = len(totals.marks)
        totals.mean_k = self.clusters / totals.hits if totals.hits else 0.0
        totals.top = np.array(list(self.top.values()), dtype=np.int64).reshape(-1, len(self.grid.names))
        if self.sample:
            applicants = np.unique(np.concatenate(self.sample), axis=0)
            totals.sample = applicants[self.rng.permutation(len(applicants))[:_SAMPLE_SIZE]]
        totals.seconds = self.plan.clock() - self.begun
        return totals

    def _spent(self) -> float:
        """Return the share of the budget that is spent, 1 at its end."""
        plan = self.plan
        share = 0.0
        if plan.target is not None and self.record.max_k >= plan.target:
            return 1.0
        if plan.evaluations is not None:
            share = (self.record.evaluations + self.record.refused) / plan.evaluations
        if plan.seconds is not None:
            share = max(share, (self.plan.clock() - self.begun) / plan.seconds)
        return min(share, 1.0)

    def _fresh(self, count: int) -> Integers:
        """Draw applicants: of the whole grid, or of the pool that was given."""
        return self.grid.draw(self.rng, count) if self.from_grid else self.pool.draw(self.rng, count)

    def _propose(self, state: Integers) -> Integers:
        """Return one candidate per chain."""
        if self.plan.kind == "walk":
            return near(self.grid, state, self.rng)
        fresh = self._fresh(len(state))
        if self.plan.kind == "anneal":
            neighbors = near(self.grid, state, self.rng)
        else:
            neighbors = self.pool.nearest(state, self.rng)
        return np.where(self.rng.random(len(state))[:, None] < self.plan.stay, neighbors, fresh)

    def _accepted(self, old: Floats, new: Floats, share: float) -> Flags:
        """Return which candidates are accepted: all evaluated ones, or by Metropolis."""
        if self.plan.kind == "walk":
            return np.isfinite(new)
        temperature = self.plan.hot * (self.plan.cold / self.plan.hot) ** share
        gain = np.where(np.isfinite(old), new - np.where(np.isfinite(old), old, 0.0), 0.0)
        gain = np.where(np.isfinite(new), gain, -np.inf)
        accepted: Flags = np.log(self.rng.random(len(old))) * temperature <= gain
        return accepted

    def _evaluate(self, applicants: Integers) -> Floats:
        """Judge applicants, keep what counts, and return their fitness; minus infinity for refused ones."""
        fitness = np.full(len(applicants), -np.inf)
        allowed = np.arange(len(applicants))
        if self.refuse is not None:
            allowed = np.flatnonzero(~self.refuse(applicants))
            self.record.refused += len(applicants) - len(allowed)
        if len(allowed):
            judgement = self.judge.judge(applicants[allowed])
            self._keep(applicants[allowed], judgement)
            margins = judgement.margins
            span = np.tanh(margins.max(axis=1) / 2) - np.tanh(margins.min(axis=1) / 2)
            # The span of the scores is below 1: it orders applicants of the same k.
            fitness[allowed] = getattr(judgement, self.plan.clustering) + span / 2
        return fitness

    def _keep(self, applicants: Integers, judgement: Judged) -> None:
        """Count instances, and keep the first, the best and those of the largest k."""
        totals = self.record
        now = self.plan.clock() - self.begun
        totals.evaluations += len(applicants)
        totals.settled += judgement.settled
        hits = np.flatnonzero(getattr(judgement, self.plan.instance))
        if not len(hits):
            return
        k = getattr(judgement, self.plan.clustering)
        totals.hits += len(hits)
        self.clusters += int(k[hits].sum())
        self.marks.append((applicants[hits] * self.odd).sum(axis=1))
        self.sample.append(applicants[hits[:: max(1, len(hits) // _BATCH_SIZE)]])
        if totals.first is None:
            totals.first = applicants[hits[0]].copy()
            totals.first_seconds = now
            totals.first_k = int(k[hits[0]])
        best = int(k[hits].max())
        if best > totals.max_k:
            totals.max_k = best
            totals.best_seconds = now
            totals.at_max = 0
            totals.best = applicants[hits[k[hits].argmax()]].copy()
            self.top.clear()
        if best == totals.max_k and len(self.top) < _TOP_SIZE:
            for index in hits[k[hits] == best]:
                self.top.setdefault(applicants[index].tobytes(), applicants[index].copy())
        totals.at_max = len(self.top)
