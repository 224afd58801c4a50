"""HyFair's alternation (Algorithm 1) of a solver, which certifies or gives a start, and randomized search for the most.

Whether any applicant has the property is decided by cheap means first: rows, random applicants, for flips the places
where the label changes, then the mixed-integer program, then branch and bound, which alone can prove a model fair. Once
there is an instance, rounds of search follow; after a round without improvement the solver finds a new point to start
from.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace

import numpy as np

from equiproof.audits.hyfair.branch import Branched, Budget, branch
from equiproof.audits.hyfair.clusters import Judge, Property
from equiproof.audits.hyfair.crossing import crossing
from equiproof.audits.hyfair.grid import Box, Integers
from equiproof.audits.hyfair.milp import ask
from equiproof.audits.hyfair.search import Clock, Plan, SearchRecord, search
from equiproof.audits.hyfair.tree import Aim, Tree, has
from equiproof.certify.many.point import Verdict

_CONFIRMATION_DRAWS = 16
"""How often applicants are drawn for a counterexample that holds before and after rounding."""


@dataclass(frozen=True)
class Limits:
    """Limits for the question of 2-fairness: applicants drawn, seconds of the solver and of branch and bound.

    `clock` measures the reported seconds; limits are wall time.
    """

    draws: int = 20_000
    solver_seconds: float = 10.0
    branch: Budget = field(default_factory=Budget)
    clock: Clock = time.perf_counter


@dataclass(frozen=True, eq=False)
class Settled:
    """Whether a box is 2-fair: "fair" with a checked `tree`, "unfair" with a replayed `counterexample`, or a `reason`.

    `by` is what settled it: "rows", "draws", "crossing", "solver" or "branch"; `first_seconds` is when a counterexample
    was found.
    """

    verdict: Verdict
    by: str
    counterexample: Integers | None
    tree: Tree | None
    reason: str | None
    branched: Branched | None
    first_seconds: float | None
    seconds: float


@dataclass(frozen=True, eq=False)
class Alternated:
    """The rounds of search together: the best of them, summed counts, and the solver's points among the starts."""

    record: SearchRecord
    rounds: int
    solver_points: int
    solver_seconds: float


def settle(
    judge: Judge, aim: Aim, box: Box, limits: Limits, rng: np.random.Generator, rows: Integers | None = None
) -> Settled:
    """Decide whether any applicant of a box has what is wanted; the solver takes part for properties only.

    `rows` are applicants of the box that are tried first, shape (m, F): an example that occurs says more than one that
    combines values at random.
    """
    begun = limits.clock()

    def unfair(by: str, counterexample: Integers, branched: Branched | None = None) -> Settled:
        now = limits.clock() - begun
        return Settled("unfair", by, counterexample, None, None, branched, now, now)

    if rows is not None and len(hits := rows[has(judge, aim, rows)]):
        return unfair("rows", hits[0])
    if (draw := _draw(judge, aim, box, limits.draws, rng)) is not None:
        return unfair("draws", draw)
    (own,) = rng.spawn(1)  # how many draws there are must not decide what follows
    if aim == "flipped" and limits.draws and (applicant := crossing(judge, box, limits.draws, own)) is not None:
        return unfair("crossing", applicant)
    if limits.solver_seconds > 0 and isinstance(aim, str):
        answer = ask(judge, aim, box, rng, limits.solver_seconds)
        if answer.counterexample is not None:
            return unfair("solver", answer.counterexample)
    branched = branch(judge, aim, box, limits.branch, int(rng.integers(1 << 30)))
    if branched.counterexample is not None:
        return unfair("branch", branched.counterexample, branched)
    verdict: Verdict = "undecided" if branched.tree is None else "fair"
    seconds = limits.clock() - begun
    return Settled(verdict, "branch", None, branched.tree, branched.reason, branched, None, seconds)


def confirmed(
    settled: Settled,
    judge: Judge,
    original: Judge,
    aim: Property,
    box: Box,
    limits: Limits,
    rng: np.random.Generator,
    rows: Integers | None = None,
) -> Settled:
    """Return the result with a counterexample that the float model has, too, if rows or a few more draws have one.

    They take as long as the solver and branch and bound may, at most. Rounding may move a narrow flip to the next
    applicant: both models are then unfair, but not to the same person.
    """
    if settled.counterexample is None or original.has(aim, settled.counterexample):
        return settled
    begun = limits.clock()
    most = limits.solver_seconds + limits.branch.seconds
    for row in () if rows is None else rows[has(judge, aim, rows)]:
        if original.has(aim, row):
            return replace(settled, counterexample=row, by="rows", seconds=settled.seconds + limits.clock() - begun)
    (own,) = rng.spawn(1)  # how many draws there are must not decide what follows
    for _ in range(_CONFIRMATION_DRAWS):
        draw = _draw(judge, aim, box, limits.draws, own)
        if draw is not None and original.has(aim, draw):
            return replace(settled, counterexample=draw, by="draws", seconds=settled.seconds + limits.clock() - begun)
        if limits.clock() - begun > most:
            break
    return replace(settled, seconds=settled.seconds + limits.clock() - begun)


def alternate(
    judge: Judge,
    plan: Plan,
    rng: np.random.Generator,
    *,
    rounds: int = 4,
    solver_seconds: float = 10.0,
    seeds: Integers | None = None,
    pool: Integers | None = None,
) -> Alternated:
    """Search in rounds of `plan` with equal shares of its budget, using the solver after rounds without improvement.

    It ends at the plan's target, or when every protected assignment has a cluster of its own.
    """
    most = min(len(judge.forward.grid.table), plan.target or len(judge.forward.grid.table))
    share = replace(
        plan,
        seconds=None if plan.seconds is None else plan.seconds / rounds,
        evaluations=None if plan.evaluations is None else plan.evaluations // rounds,
        target=most,
    )
    starts = seeds
    whole = SearchRecord()
    points = 0
    spent = 0.0
    done = 0
    offset = 0.0
    for done in range(1, rounds + 1):
        latest = search(judge, share, rng, seeds=starts, pool=pool)
        better = latest.max_k > whole.max_k
        whole = together(whole, latest, offset)
        offset += latest.seconds
        if whole.max_k >= most:
            break
        starts = whole.top
        if not better and solver_seconds > 0 and done < rounds:
            answer = ask(judge, share.instance, judge.forward.grid.whole, rng, solver_seconds)
            spent += answer.seconds
            offset += answer.seconds
            if answer.counterexample is not None:
                points += 1
                starts = np.concatenate([answer.counterexample[None], starts])
    return Alternated(whole, done, points, spent)


def together(one: SearchRecord, other: SearchRecord, offset: float) -> SearchRecord:
    """Return two searches as one; the second began `offset` seconds after the first."""
    better = max((one, other), key=lambda part: part.max_k)
    hits = one.hits + other.hits

    def late(seconds: float | None, part: SearchRecord) -> float | None:
        return seconds if seconds is None or part is one else seconds + offset

    first = one if one.first is not None else other
    at_max = (one, other) if one.max_k == other.max_k else (better,)
    top = [part.top for part in at_max if part.top.size]
    joined = np.unique(np.concatenate(top), axis=0) if top else one.top
    # An applicant that both searches found counts once.
    marks = np.union1d(one.marks, other.marks)
    return SearchRecord(
        evaluations=one.evaluations + other.evaluations,
        refused=one.refused + other.refused,
        hits=hits,
        instances=len(marks),
        marks=marks,
        mean_k=(one.mean_k * one.hits + other.mean_k * other.hits) / hits if hits else 0.0,
        max_k=better.max_k,
        at_max=len(joined),
        settled=one.settled + other.settled,
        first_k=first.first_k,
        first=first.first,
        best=better.best,
        first_seconds=late(first.first_seconds, first),
        best_seconds=late(better.best_seconds, better),
        seconds=one.seconds + other.seconds,
        top=joined,
        sample=np.concatenate([part.sample for part in (one, other) if part.sample.size] or [one.sample]),
    )


def _draw(judge: Judge, aim: Aim, box: Box, count: int, rng: np.random.Generator) -> Integers | None:
    """Draw this many applicants and return the first that has what is wanted."""
    size = 64
    while count > 0:
        applicants = judge.forward.grid.draw(rng, min(size, count), box)
        hits = np.flatnonzero(has(judge, aim, applicants))
        if len(hits):
            first: Integers = applicants[hits[0]]
            return first
        count -= size
        size = min(2 * size, 4096)
    return None
