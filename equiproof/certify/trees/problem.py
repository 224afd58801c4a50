"""An ensemble around one query as the native search reads it (go-gnark/search/problem.go), oriented by the label."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from operator import index
from typing import Any

from equiproof.certify.ensemble import Child, EnsembleModel
from equiproof.certify.traversal.search import Counterexample, common_label
from equiproof.certify.trees.oriented import refuse_outside
from equiproof.certify.trees.rows import children_of, is_low, live_rows
from equiproof.circuits.spec import Box


@dataclass(frozen=True, repr=False)
class Problem:
    """The ensemble around a query of n_x integers on S slices, up to a squared radius; `text` is what the search reads.

    `gaps` are the squared gaps of the plain predicates, None for those that no neighbor crosses: beyond the radius,
    outside the ranges, or of a missing value.
    """

    label: int
    model: EnsembleModel
    query: tuple[int, ...]
    table: tuple[tuple[int, ...], ...]
    gaps: tuple[int | None, ...]
    text: str

    def slots(self, radius_squared: int) -> tuple[int, ...]:
        """Return the places of the live plain predicates of a ball."""
        return tuple(place for place, gap in enumerate(self.gaps) if gap is not None and gap < radius_squared)

    def radius_within(self, slots: int | None, rows: int | None, most: int) -> int:
        """Return the largest squared radius up to `most` whose ball has at most so many live predicates and rows."""
        steps = sorted({gap for gap in self.gaps if gap is not None and gap < most})

        def fits(radius_squared: int) -> bool:
            live = self.slots(radius_squared)
            if slots is not None and len(live) > slots:
                return False
            return rows is None or len(live_rows(self.model, self.query, live)) <= rows

        # Balls up to steps[0] have no slot, those up to steps[i] the gaps below it. More slots lead to more rows.
        ends = [*steps, most]
        low = 0
        high = len(ends)
        while low < high:
            middle = (low + high) // 2
            low, high = (middle + 1, high) if fits(ends[middle]) else (low, middle)
        return ends[low - 1] if low else 0


def problem_of(
    model: EnsembleModel,
    query: Sequence[int],
    table: Sequence[Sequence[int]],
    *,
    max_radius_squared: int,
    box: Box | None = None,
) -> Problem | Counterexample:
    """Return the ensemble around a query of n_x integers, or the rows of a table (S, n_s) that show it unfair there.

    Raises ValueError for lengths that do not fit, a negative radius and a query outside its box, TypeError for numbers
    that are not integers.
    """
    query = tuple(map(index, query))
    rows = tuple(tuple(map(index, row)) for row in table)
    if len(query) != model.plain or not rows or any(len(row) != model.sensitive for row in rows):
        raise ValueError("query or table have other lengths than the model")
    if index(max_radius_squared) < 0:
        raise ValueError("max_radius_squared must be at least 0")
    refuse_outside(model.additive, query, box)
    label = common_label([(model.score((*query, *row)),) for row in rows])
    if isinstance(label, Counterexample):
        return label
    gaps = tuple(_gap(model, query, place, max_radius_squared, box) for place in range(model.predicates[0]))
    return Problem(label, model, query, rows, gaps, json.dumps(document(model, query, rows, gaps, 2 * label - 1)))


def _gap(model: EnsembleModel, query: Sequence[int], place: int, most: int, box: Box | None) -> int | None:
    """Return the squared gap of a plain predicate, None where no neighbor crosses it."""
    column = model.additive.columns[place]
    threshold = model.additive.thresholds[place]
    x = query[column]
    if model.additive.lacks(place, query):
        return None
    if box is not None and (threshold >= box[1][column] if x <= threshold else threshold < box[0][column]):
        return None
    gap = (x - threshold) ** 2
    return gap if gap < most else None


def document(
    model: EnsembleModel,
    query: Sequence[int],
    table: Sequence[Sequence[int]],
    gaps: Sequence[int | None],
    sign: int,
) -> dict[str, Any]:
    """Return the document of the search: the ensemble around a query, oriented by the label's sign."""
    own = model.additive
    plain = model.predicates[0]
    sides = [is_low(model, place, query) for place in range(plain)]
    sensitive = range(plain, sum(model.predicates))

    def reference(child: Child) -> list[int]:
        return [1, child.number] if child.is_node else [0, sign * child.number]

    return {
        "base": sign * (own.bias + sum(jump for jump, low in zip(own.jumps, sides, strict=False) if not low)),
        "slots": [
            {
                "column": own.columns[p],
                "above": low,
                "gap2": gaps[p],
                "step": sign * (own.jumps[p] if low else -own.jumps[p]),
            }
            for p, low in enumerate(sides)
        ],
        # Each alone in a column: relation `trees` bounds what they bring in one by one.
        "sensitive": [{"column": place, "step": sign * own.jumps[place]} for place in sensitive],
        "slices": [[int(row[own.columns[p] - model.plain] > own.thresholds[p]) for p in sensitive] for row in table],
        "nodes": [
            dict(zip(("stay", "cross"), map(reference, children_of(model, node, query)), strict=True)) | {"slot": place}
            for node, place in enumerate(model.nodes.predicates)
        ],
        "roots": [[1, root] for root in range(model.nodes.roots)],
    }
