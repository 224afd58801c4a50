"""The rows of an ensemble around a query: nodes whose threshold a neighbor may cross, as the trees lead to them."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from equiproof.certify.ensemble import Child, EnsembleModel


def stays_low(model: EnsembleModel, node: int, query: Sequence[int]) -> bool:
    """Return whether the query goes low at a node, as it always counts where its predicate is sensitive."""
    sensitive = model.additive.columns[model.nodes.predicates[node]] >= model.plain
    return sensitive or not model.goes_high(node, query)


def children_of(model: EnsembleModel, node: int, query: Sequence[int]) -> tuple[Child, Child]:
    """Return a node's child where a neighbor stays on the query's side of the threshold, and that where it crosses."""
    low, high = model.nodes.children[node]
    return (low, high) if stays_low(model, node, query) else (high, low)


def resolved(model: EnsembleModel, child: Child, query: Sequence[int], slots: Collection[int]) -> Child:
    """Return what a child stands for: behind nodes that nobody in the ball crosses, a live node or a leaf's value."""
    while child.is_node:
        place = model.nodes.predicates[child.number]
        if place in slots or model.additive.columns[place] >= model.plain:
            return child
        # Nobody in the ball crosses a dead threshold: the query's side is that of every neighbor.
        child = children_of(model, child.number, query)[0]
    return child


def live_rows(model: EnsembleModel, query: Sequence[int], slots: Sequence[int]) -> tuple[int, ...]:
    """Return the nodes that are reached from the roots without crossing a dead threshold, and are live; ascending.

    `slots` are the places of the live predicates of plain columns; all sensitive ones are live.
    """
    live = frozenset(slots)
    nodes = set[int]()
    ahead = [Child(True, root) for root in range(model.nodes.roots)]
    while ahead:
        child = resolved(model, ahead.pop(), query, live)
        if child.is_node:
            nodes.add(child.number)
            ahead += model.nodes.children[child.number]
    return tuple(sorted(nodes))
