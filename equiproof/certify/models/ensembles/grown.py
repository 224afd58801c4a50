"""Puts the nodes of a foreign tree in order, from its root on: splits and leaves apart, as an ensemble has them."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

from equiproof.certify.models.ensembles.ensemble import MAX_NODES, Split
from equiproof.certify.models.importing.errors import ModelImportError


class Fork(NamedTuple):
    """A split as a file has it: what is compared, what stands below and above, and as of Split where else rows go."""

    column: int
    threshold: Fraction
    strict: bool
    below: Any
    above: Any
    missing: bool | None = None
    among: frozenset[int] | None = None


def grown(
    root: Any, node_of: Callable[[Any], Any], where: str, most: int = MAX_NODES
) -> tuple[tuple[Split, ...], tuple[Any, ...]]:
    """Return the splits and the leaves of a tree; `node_of` gives a place's fork, or anything else as its leaf.

    Raises ModelImportError, which names the tree by `where`, for more splits than `most`.
    """
    splits: list[list[Any]] = []
    leaves: list[Any] = []
    waiting: list[tuple[Any, int, int]] = [(root, -1, 0)]
    while waiting:
        place, parent, side = waiting.pop()
        node = node_of(place)
        is_split = isinstance(node, Fork)
        if parent >= 0:
            splits[parent][side] = len(splits) if is_split else ~len(leaves)
        if not is_split:
            leaves.append(node)
            continue
        if len(splits) >= most:
            raise ModelImportError(f"{where}: more than {most} splits")
        waiting += [(node.above, len(splits), 4), (node.below, len(splits), 3)]
        splits.append([*node])
    return tuple(Split(*split) for split in splits), tuple(leaves)
