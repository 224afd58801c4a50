"""Trees of several columns in exact numbers: their branches ask the steps of a score."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt

from equiproof.certify.additive import EnsembleError

MAX_DEPTH = 256
"""The most splits on the way to a leaf of a tree that reads several columns."""

_AT_ONCE = 8
"""How many branches rows are led through before those at a leaf are dropped."""

Places = npt.NDArray[np.int64]


class Branch(NamedTuple):
    """A row on the ray of step number `step` goes to `high`, else to `low`.

    A child from 0 is a branch of the tree, behind this one; ~i is leaf i. `up`: a row without the value goes to `high`.
    """

    step: int
    low: int
    high: int
    up: bool = False


class ExactTree(NamedTuple):
    """Branches, the root first, and the values of the leaves."""

    branches: tuple[Branch, ...]
    leaves: tuple[Fraction, ...]


class TreeDocument(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A tree in a file: [step, low, high] of each branch, the leaves as fractions, and the branches that are `up`."""

    branches: tuple[tuple[int, int, int], ...]
    leaves: tuple[str, ...]
    ups: tuple[int, ...] | msgspec.UnsetType = msgspec.UNSET

    def __repr__(self) -> str:
        """Show the sizes only: the tree is secret."""
        return f"TreeDocument({len(self.branches)} branches)"


def check_tree(tree: ExactTree, steps: int, number: int) -> None:
    """Raise EnsembleError naming the tree unless each branch and leaf has one parent, and every step exists."""
    children = sorted(child for branch in tree.branches for child in (branch.low, branch.high))
    references = [*(~leaf for leaf in reversed(range(len(tree.leaves)))), *range(1, len(tree.branches))]
    if not tree.branches or children != references:
        raise EnsembleError(f"tree {number}: its branches do not form one tree")
    depths = [1] * len(tree.branches)
    for place, (step, low, high, _) in enumerate(tree.branches):
        if not 0 <= step < steps:
            raise EnsembleError(f"tree {number}: branch {place + 1} has no threshold")
        for child in (low, high):
            if 0 <= child <= place:
                raise EnsembleError(f"tree {number}: branch {place + 1} has a child that stands before it")
            if child >= 0:
                depths[child] = depths[place] + 1
    if max(depths) > MAX_DEPTH:
        raise EnsembleError(f"tree {number} is {max(depths)} splits deep; at most {MAX_DEPTH}: train with less depth")


class Asked(NamedTuple):
    """What each branch of some trees asks: whether a column is above a limit.

    `next` has where each of the two answers leads, first that of no. Leaves stand behind the `branches`, and lead to
    themselves.
    """

    column: Places
    limit: Places
    next: Places
    branches: int

    @classmethod
    def of(cls, branches: Places, columns: Places, limits: Places) -> Asked:
        """Take branches as rows (predicate, low, high), and the column and the limit of each predicate.

        A child from 0 is a branch, and ~i is leaf i.
        """
        count = len(branches)
        predicate, ahead = branches[:, 0], branches[:, 1:3]
        leaves = np.arange(count, count - int(ahead.min()))
        zeros = np.zeros(len(leaves), dtype=np.int64)
        return cls(
            np.concatenate([columns[predicate], zeros]),
            np.concatenate([limits[predicate], zeros]),
            np.concatenate([np.where(ahead < 0, count + ~ahead, ahead).ravel(), np.repeat(leaves, 2)]),
            count,
        )

    def reached(self, root: int, inputs: Places) -> Places:
        """Return the leaf that each row reaches from a branch, shape (rows, columns) to (rows,)."""
        # One long array is read faster than rows and columns are.
        values = np.ascontiguousarray(inputs).ravel()
        starts = np.arange(len(inputs)) * inputs.shape[1]
        leaves = np.empty(len(inputs), dtype=np.int64)
        rows: slice | Places = slice(None)
        place = np.full(len(inputs), root, dtype=np.int64)
        ahead = np.ones(len(inputs), dtype=np.bool_)
        while True:
            # To drop the rows that are at a leaf takes longer than to lead them to where they are.
            for _ in range(_AT_ONCE):
                passed = values.take(starts + self.column.take(place)) > self.limit.take(place)
                place = self.next.take(2 * place + passed)
                ahead = place < self.branches
                if not ahead.any():
                    leaves[rows] = place - self.branches
                    return leaves
            leaves[rows] = place - self.branches  # replaced for those that are ahead of theirs
            rows = np.arange(len(inputs))[rows][ahead]
            place, starts = place[ahead], starts[ahead]


def ups_of(document: TreeDocument) -> frozenset[int]:
    """Return the places of the branches that send missing values high."""
    return frozenset() if isinstance(document.ups, msgspec.UnsetType) else frozenset(document.ups)


def read_trees_of(documents: Sequence[TreeDocument], leaves: Sequence[Sequence[Fraction]]) -> tuple[ExactTree, ...]:
    """Return the trees of a file with their leaves as numbers."""
    trees = []
    for document, some in zip(documents, leaves, strict=True):
        ups = ups_of(document)
        branches = tuple(Branch(*branch, place in ups) for place, branch in enumerate(document.branches))
        trees.append(ExactTree(branches, tuple(some)))
    return tuple(trees)
