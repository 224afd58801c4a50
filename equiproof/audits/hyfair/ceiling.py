"""An upper bound of the largest k over all applicants; a search for the largest k gives a lower bound.

A search shows that some applicant has k clusters. A tree of boxes for the exact checker shows that none has more than
K, in one of two ways. Either all scores lie in K consecutive buckets: a tree over the flat domain, which includes the
protected assignment. Or each leaf of a tree over the applicants has room for at most K buckets. If both bounds are
equal, the largest k is known.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import msgspec
import numpy as np

from equiproof.audits.hyfair.bounds import corners
from equiproof.audits.hyfair.branch import Branched, Budget, branch
from equiproof.audits.hyfair.clusters import Judge
from equiproof.audits.hyfair.forward import Forward
from equiproof.audits.hyfair.grid import Integers
from equiproof.audits.hyfair.margin import Layers
from equiproof.audits.hyfair.scores import bucket_count
from equiproof.audits.hyfair.sign_search import MAX_NEURONS, neurons, prove
from equiproof.audits.hyfair.signs import Ends, Signs
from equiproof.audits.hyfair.signs import check as check_signs
from equiproof.audits.hyfair.tree import Tree, TreeError, bucket_of, check

_SAMPLE_POINTS = 20_000
"""The number of points of the flat domain whose scores suggest what to prove."""


class BySigns(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Evidence by signs that no margin is above a bucket, and that no negated one is above that of another."""

    sides: tuple[Signs, Signs]

    @property
    def leaves(self) -> int:
        """The number of leaves of both."""
        return sum(signs.leaves for signs in self.sides)


@dataclass(frozen=True, eq=False)
class Ceiling:
    """No applicant of the domain has more than `most` clusters by buckets.

    `tree` is the evidence, None if there are no more assignments or buckets than that. It is over the flat domain if
    `scores` are the least and the largest bucket of all scores, over the applicants if they are None; see
    :func:`recheck`. A pair is evidence by signs, for the largest bucket and for the least.
    """

    most: int
    scores: tuple[int, int] | None
    tree: Tree | BySigns | None
    boxes: int
    seconds: float


def ceiling(judge: Judge, lower: int, budget: Budget, seed: int = 0) -> Ceiling:
    """Bound the largest k of the whole domain from above, given that `lower` clusters occur.

    The bound by scores of the flat domain uses the budget first; the bound K = `lower` gets the rest.
    """
    grid = judge.forward.grid
    trivial = min(len(grid.table), bucket_count(judge.epsilon))
    begun = budget.clock()
    best = Ceiling(trivial, None, None, 0, 0.0)
    if lower < trivial:
        best = _scores(judge, best, budget, seed)
    if lower < best.most:
        done = branch(judge, lower, grid.whole, _remainder(budget, best.boxes, begun), seed)
        best = replace(best, boxes=best.boxes + done.boxes)
        if done.tree is not None:
            best = replace(best, most=lower, scores=None, tree=done.tree)
    return replace(best, seconds=budget.clock() - begun)


def recheck(judge: Judge, above: Ceiling) -> None:
    """Check the evidence of a bound; raises TreeError if it is not valid."""
    if above.tree is None:
        return
    if isinstance(above.tree, Tree) and above.scores is None:
        check(judge, above.most, judge.forward.grid.whole, above.tree)
    elif above.scores is None:
        raise TreeError("evidence by signs is about scores")
    else:
        over = flat(judge)
        if isinstance(above.tree, Tree):
            check(over, above.scores, over.forward.grid.whole, above.tree)
            return
        for side, signs in enumerate(above.tree.sides):
            layers, ends, allowed = _side(over, above.scores, side)
            check_signs(layers, ends, signs, allowed)


def flat(judge: Judge) -> Judge:
    """Return the judge of single scores, the protected assignment being one more feature."""
    return Judge(Forward(judge.forward.given, judge.forward.grid.flat), judge.epsilon)


def _scores(judge: Judge, best: Ceiling, budget: Budget, seed: int) -> Ceiling:
    """Bound k by the buckets of all scores; None if the budget does not suffice to prove it."""
    over = flat(judge)
    begun = budget.clock()
    grid = over.forward.grid
    boxes = 0
    places = over.places(_ends(over, grid.draw(np.random.default_rng(seed), _SAMPLE_POINTS)))
    least = int(places.min())
    most = int(places.max())
    while most - least + 1 < best.most:
        if (signs := _by_signs(over, (least, most), _remainder(budget, boxes, begun))) is not None:
            return replace(best, most=most - least + 1, scores=(least, most), tree=signs, boxes=boxes)
        done: Branched = branch(over, (least, most), grid.whole, _remainder(budget, boxes, begun), seed)
        boxes += done.boxes
        if done.tree is not None:
            return replace(best, most=most - least + 1, scores=(least, most), tree=done.tree, boxes=boxes)
        if done.counterexample is None:
            break
        # A counterexample has its score outside: each turn widens the buckets, so the loop ends.
        place = int(over.places(done.counterexample[None])[0, 0])
        least = min(least, place)
        most = max(most, place)
    return replace(best, boxes=boxes)


def _by_signs(over: Judge, scores: tuple[int, int], budget: Budget) -> BySigns | None:
    """Return evidence by signs that all scores are in buckets from the first to the second, of a small network."""
    if neurons(over.forward.margin.layers) > MAX_NEURONS:
        return None
    begun = budget.clock()
    evidence = []
    for side in (0, 1):
        signs = prove(*_side(over, scores, side), lambda: budget.clock() - begun > budget.seconds / 2)
        if signs is None:
            return None
        evidence.append(signs)
    return BySigns((evidence[0], evidence[1]))


def _side(over: Judge, scores: tuple[int, int], side: int) -> tuple[Layers, Ends, Callable[[int], bool]]:
    """Return what evidence by signs is about: layers, the box, and which margins are allowed.

    Side 0 is the largest bucket, side 1 the least, of which the layers have the negated margin.
    """
    grid = over.forward.grid
    layers = over.forward.margin.layers
    low, high = corners(grid, (grid.whole[0][None], grid.whole[1][None]))
    ends = tuple(map(int, low[0])), tuple(map(int, high[0]))
    if not side:
        return layers, ends, lambda most: bucket_of(over, most) <= scores[1]
    ((row,), (bias,)) = layers[-1]
    negated = (*layers[:-1], ((tuple(-weight for weight in row),), (-bias,)))
    return negated, ends, lambda most: bucket_of(over, -most) >= scores[0]


def _remainder(budget: Budget, boxes: int, begun: float) -> Budget:
    """Return the rest of a budget."""
    return replace(budget, boxes=budget.boxes - boxes, seconds=budget.seconds - (budget.clock() - begun))


def _ends(over: Judge, sample: Integers) -> Integers:
    """Return points with those that a climb by single features ends at, from the least and the largest margin drawn."""
    grid = over.forward.grid
    points = [sample]
    margins = over.forward.margins(sample)[:, 0]
    for sign in (-1.0, 1.0):
        point = sample[(sign * margins).argmax()]
        best = -np.inf
        better = True
        while better:
            better = False
            for f, size in enumerate(grid.sizes):
                moved = np.repeat(point[None], size, axis=0)
                moved[:, f] = np.arange(size)
                values = sign * over.forward.margins(moved)[:, 0]
                if values.max() > best:
                    point = moved[values.argmax()]
                    best = float(values.max())
                    better = True
        points.append(point[None])
    return np.concatenate(points)
