"""How many clusters no applicant exceeds: the other end of what a search for the largest k comes to.

A search shows that some applicant has k clusters; branch and bound over the same domain shows that none has more than
K, where every leaf of its tree has room for K buckets at most. Where the two meet, the largest k is known.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from audits.hyfair.branch import Budget, branch
from audits.hyfair.clusters import Judge
from audits.hyfair.grid import Box, Integers
from audits.hyfair.scores import bucket_count
from audits.hyfair.tree import Tree


@dataclass(frozen=True, eq=False)
class Ceiling:
    """No applicant has more than `most` clusters by buckets.

    `tree` is the evidence for :func:`audits.hyfair.tree.check`, None where there are not more assignments or buckets.
    `witness` is an applicant of more clusters than were asked about, if one was met, `boxes` what was bounded.
    """

    most: int
    tree: Tree | None
    witness: Integers | None
    boxes: int
    seconds: float


def ceiling(judge: Judge, box: Box, found: int, budget: Budget, seed: int = 0) -> Ceiling:
    """Bound the largest k of a box from above, given that `found` clusters occur.

    K = `found` is tried first, then one more each time, with equal shares of the budget's seconds and boxes.
    """
    trivial = min(len(judge.forward.grid.table), bucket_count(judge.epsilon))
    clock, boxes, witness = budget.clock, 0, None
    begun = clock()
    tried = range(found, trivial)
    share = replace(budget, boxes=budget.boxes // max(1, len(tried)), seconds=budget.seconds / max(1, len(tried)))
    for most in tried:
        done = branch(judge, most, box, share, seed)
        boxes += done.boxes
        if done.tree is not None:
            return Ceiling(most, done.tree, witness, boxes, clock() - begun)
        if done.witness is not None:
            witness = done.witness
    return Ceiling(trivial, None, witness, boxes, clock() - begun)
