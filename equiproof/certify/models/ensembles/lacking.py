"""Values that can be missing, as the trees of a library treat them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

from equiproof.certify.models.ensembles.columns import placed
from equiproof.certify.models.ensembles.ensemble import BEYOND, Split, Tree
from equiproof.certify.models.importing.errors import ModelImportError
from equiproof.circuits.spec import Spec


class Placed(Protocol):
    """A threshold in a column of the spec."""

    @property
    def column(self) -> int:
        """The column."""


Bound = TypeVar("Bound", bound=Placed)


class Lacking:
    """The columns of a spec whose value can be missing."""

    def __init__(self, spec: Spec) -> None:
        self._names = {
            column: feature.name
            for feature, first in placed(spec)
            if feature.may_miss
            for column in range(first, first + feature.width)
        }
        self.columns = frozenset(self._names)

    def read(self, tree: Tree, bind: Callable[[Split], Bound]) -> tuple[Tree, Sequence[Bound]]:
        """Return a tree with the threshold of each of its splits, without those that only part missing values.

        Such splits stay where a value of their column can be missing. Raises ModelImportError naming a feature whose
        value can be missing, and of which the model does not say where it goes then.
        """
        bounds = [bind(split) for split in tree.splits]
        for split, bound in zip(tree.splits, bounds, strict=True):
            if split.missing is None and bound.column in self.columns:
                raise says_nothing_of(self._names[bound.column])
        idle = {
            place
            for place, split in enumerate(tree.splits)
            if split.threshold == BEYOND and bounds[place].column not in self.columns
        }
        return (passing(tree, idle), _kept(tree, idle, bounds)) if idle else (tree, bounds)


def says_nothing_of(name: str) -> ModelImportError:
    """Return the error of a feature of which the model does not say where a missing value goes."""
    return ModelImportError(
        f"leave missing out of feature {name!r}: this model does not say where a missing value of it goes"
    )


def _order(tree: Tree, idle: set[int]) -> tuple[list[int], list[int]]:
    """Return the splits and the leaves that are reached when idle splits lead below, in the order of the tree."""
    splits, leaves, waiting = [], [], [0]
    while waiting:
        place = _behind(tree, idle, waiting.pop())
        if place < 0:
            leaves.append(~place)
            continue
        splits.append(place)
        waiting += [tree.splits[place].above, tree.splits[place].below]
    return splits, leaves


def _behind(tree: Tree, idle: set[int], place: int) -> int:
    """Return a place, or what stands below it where it is idle."""
    while place in idle:
        place = tree.splits[place].below
    return place


def passing(tree: Tree, idle: set[int]) -> Tree:
    """Return a tree without its idle splits: what stands below them takes their place."""
    splits, leaves = _order(tree, idle)
    at = {place: number for number, place in enumerate(splits)} | {~leaf: ~number for number, leaf in enumerate(leaves)}
    moved = []
    for place in splits:
        of = tree.splits[place]
        below, above = (at[_behind(tree, idle, child)] for child in (of.below, of.above))
        moved.append(Split(of.column, of.threshold, of.strict, below, above, of.missing))
    return Tree(tuple(moved), tuple(tree.leaves[leaf] for leaf in leaves))


def _kept(tree: Tree, idle: set[int], bounds: Sequence[Bound]) -> list[Bound]:
    """Return the thresholds of the splits that are left."""
    return [bounds[place] for place in _order(tree, idle)[0]]
