"""An upper bound of the largest k over all applicants; a search for the largest k gives a lower bound.

A search shows that some applicant has k clusters. A tree of boxes for the exact checker shows that none has more than
K, in one of two ways. Either all scores lie in K consecutive buckets: a tree over the flat domain, which includes the
protected assignment. Or each leaf of a tree over the applicants has room for at most K buckets. If both bounds are
equal, the largest k is known.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from equiproof.audits.hyfair.branch import Branched, Budget, branch
from equiproof.audits.hyfair.clusters import Judge
from equiproof.audits.hyfair.forward import Forward
from equiproof.audits.hyfair.grid import Integers
from equiproof.audits.hyfair.scores import bucket_count
from equiproof.audits.hyfair.tree import Tree, check

_DRAWN = 20_000
"""The number of points of the flat domain whose scores suggest what to prove."""


@dataclass(frozen=True, eq=False)
class Ceiling:
    """No applicant of the domain has more than `most` clusters by buckets.

    `tree` is the evidence, None if there are no more assignments or buckets than that. It is over the flat domain if
    `scores` are the least and the largest bucket of all scores, over the applicants if they are None; see
    :func:`recheck`.
    """

    most: int
    scores: tuple[int, int] | None
    tree: Tree | None
    boxes: int
    seconds: float


def ceiling(judge: Judge, found: int, budget: Budget, seed: int = 0) -> Ceiling:
    """Bound the largest k of the whole domain from above, given that `found` clusters occur.

    The bound by scores of the flat domain uses the budget first; the bound K = `found` gets the rest.
    """
    grid = judge.forward.grid
    trivial = min(len(grid.table), bucket_count(judge.epsilon))
    begun = budget.clock()
    best = Ceiling(trivial, None, None, 0, 0.0)
    if found < trivial:
        best = _scores(judge, best, budget, seed)
    if found < best.most:
        done = branch(judge, found, grid.whole, _left(budget, best.boxes, begun), seed)
        best = replace(best, boxes=best.boxes + done.boxes)
        if done.tree is not None:
            best = replace(best, most=found, scores=None, tree=done.tree)
    return replace(best, seconds=budget.clock() - begun)


def recheck(judge: Judge, above: Ceiling) -> None:
    """Check the evidence of a bound; raises TreeError if it is not valid."""
    if above.tree is None:
        return
    if above.scores is None:
        check(judge, above.most, judge.forward.grid.whole, above.tree)
    else:
        over = flat(judge)
        check(over, above.scores, over.forward.grid.whole, above.tree)


def flat(judge: Judge) -> Judge:
    """Return the judge of single scores, the protected assignment being one more feature."""
    return Judge(Forward(judge.forward.given, judge.forward.grid.flat), judge.epsilon)


def _scores(judge: Judge, best: Ceiling, budget: Budget, seed: int) -> Ceiling:
    """Bound k by the buckets of all scores; None if the budget does not suffice to prove it."""
    over, begun = flat(judge), budget.clock()
    grid, boxes = over.forward.grid, 0
    places = over.places(_ends(over, grid.draw(np.random.default_rng(seed), _DRAWN)))
    least, most = int(places.min()), int(places.max())
    while most - least + 1 < best.most:
        done: Branched = branch(over, (least, most), grid.whole, _left(budget, boxes, begun), seed)
        boxes += done.boxes
        if done.tree is not None:
            return replace(best, most=most - least + 1, scores=(least, most), tree=done.tree, boxes=boxes)
        if done.counterexample is None:
            break
        place = int(over.places(done.counterexample[None])[0, 0])
        least, most = min(least, place), max(most, place)
    return replace(best, boxes=boxes)


def _left(budget: Budget, boxes: int, begun: float) -> Budget:
    """Return the rest of a budget."""
    return replace(budget, boxes=budget.boxes - boxes, seconds=budget.seconds - (budget.clock() - begun))


def _ends(over: Judge, drawn: Integers) -> Integers:
    """Return points with those that a climb by single features ends at, from the least and the largest margin drawn."""
    grid, found = over.forward.grid, [drawn]
    margins = over.forward.margins(drawn)[:, 0]
    for sign in (-1.0, 1.0):
        point, best, better = drawn[(sign * margins).argmax()], -np.inf, True
        while better:
            better = False
            for f, size in enumerate(grid.sizes):
                moved = np.repeat(point[None], size, axis=0)
                moved[:, f] = np.arange(size)
                values = sign * over.forward.margins(moved)[:, 0]
                if values.max() > best:
                    point, best, better = moved[values.argmax()], float(values.max()), True
        found.append(point[None])
    return np.concatenate(found)
