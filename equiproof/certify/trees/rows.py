"""The rows of an ensemble around a query: nodes whose threshold a neighbor may cross, as the trees lead to them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

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
        if _is_live(model, child.number, slots):
            return child
        # Nobody in the ball crosses a dead threshold: the query's side is that of every neighbor.
        child = children_of(model, child.number, query)[0]
    return child


def passed_nodes(model: EnsembleModel, query: Sequence[int], slots: Sequence[int]) -> tuple[int, ...]:
    """Return the nodes that everybody in the ball passes on one side, on the way to :func:`live_rows` and to leaves."""
    live = frozenset(slots)
    passed = set[int]()
    ahead = [Child(True, root) for root in range(model.nodes.roots)]
    ahead += [child for row in live_rows(model, query, slots) for child in model.nodes.children[row]]
    while ahead:
        child = ahead.pop()
        if child.is_node and not _is_live(model, child.number, live):
            passed.add(child.number)
            ahead.append(children_of(model, child.number, query)[0])
    return tuple(sorted(passed))


def counts_of_passed(
    model: EnsembleModel, query: Sequence[int], gaps: Sequence[int | None], most: int
) -> Iterator[tuple[int, int]]:
    """Yield how many :func:`passed_nodes` balls up to a squared radius `most` have, as (from, count), ascending.

    Balls larger than `from` have as many up to the next one; from 0 these are the query's own cell's. `gaps` are the
    squared distances of the plain predicates, None for those that nobody crosses. Larger balls may have fewer again:
    nodes that become live are no longer passed.
    """
    near = sorted({gap for gap in gaps if gap is not None and gap < most})
    waiting: dict[int, list[int]] = {}
    live = set[int]()
    count = 0

    def reach(child: Child) -> None:
        """Go on from a child to all nodes that the ball reaches by now."""
        nonlocal count
        ahead = [child]
        while ahead:
            if not (child := ahead.pop()).is_node:
                continue
            if _is_live(model, child.number, live):
                ahead += model.nodes.children[child.number]
                continue
            count += 1
            waiting.setdefault(model.nodes.predicates[child.number], []).append(child.number)
            ahead.append(children_of(model, child.number, query)[0])

    for root in range(model.nodes.roots):
        reach(Child(True, root))
    yield 0, count
    # Balls up to a gap do not have its predicates yet.
    for gap in near:
        crossed = [place for place, own in enumerate(gaps) if own == gap]
        live.update(crossed)
        found = [node for place in crossed for node in waiting.pop(place, ())]
        count -= len(found)
        for node in found:
            reach(children_of(model, node, query)[1])
        yield gap, count


def radius_of_passed(
    model: EnsembleModel, query: Sequence[int], gaps: Sequence[int | None], passed: int, most: int
) -> int | None:
    """Return the largest squared radius up to `most` such that no ball up to it has more :func:`passed_nodes`.

    None where the query's own cell has more. `gaps` are those of :func:`counts_of_passed`.
    """
    counts = counts_of_passed(model, query, gaps, most)
    if next(counts)[1] > passed:
        return None
    return next((gap for gap, count in counts if count > passed), most)


def _is_live(model: EnsembleModel, node: int, live: Collection[int]) -> bool:
    """Return whether a neighbor may go either way at a node."""
    place = model.nodes.predicates[node]
    return place in live or model.additive.columns[place] >= model.plain


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
