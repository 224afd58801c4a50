"""Evidence of the additive part of scheme `trees` in plain types: leaves that cover the cells of a query's ball.

A predicate whose gap to the query is below the radius is live; live predicates of the plain columns are the slots, in
the order of the model. A neighbor crosses a slot or stays on the query's side of it. Every leaf fixes some slots, and a
Lagrange multiplier proves the label on its part of the ball. Sensitive columns need no slots: scores add up, so the
worst row of the domain table stands for all. Evidence reveals something of the model: the owner keeps it secret.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, repr=False)
class AdditiveLeaf:
    """A part of the ball: `signs` has 1 for each slot that is crossed, -1 for stayed, 0 for free.

    `multiplier` is lambda >= 0 at scale 2^r. `used`: the leaf is closed by the score's bound under lambda; otherwise by
    its distance alone, the crossed slots being as far away as the radius.
    """

    signs: tuple[int, ...]
    multiplier: int
    used: bool


@dataclass(frozen=True, repr=False)
class AdditiveEvidence:
    """Leaves that hold every cell of the slots exactly once; `slots` are the live predicates' places in the model.

    The label is decided strictly at (x', s) for every row s of the domain table and every real x' closer to the query
    than sqrt(`radius_squared`), in grid units, and at the query itself.
    """

    label: int
    radius_squared: int
    slots: tuple[int, ...]
    leaves: tuple[AdditiveLeaf, ...]

    @property
    def size(self) -> int:
        """The number of its leaves, which a key's capacity limits."""
        return len(self.leaves)
