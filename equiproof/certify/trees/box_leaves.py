"""Ensembles on a box: leaves that show that everybody in it is decided alike, by the native search of balls.

The least end of the box stands for the query. Predicates that some of the box pass are at some distance from it, which
grows along a column: a radius beyond all of them holds every cell, and no multiplier gains anything. An open category
is a group with a row for each value, at no distance.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence, Set
from dataclasses import dataclass, field
from typing import Any

from equiproof.certify.ensemble import EnsembleModel
from equiproof.certify.people import Box, BoxError
from equiproof.certify.trees.ensemble_evidence import EnsembleEvidence, EnsembleLeaf
from equiproof.certify.trees.problem import slots_of, text_of
from equiproof.certify.trees.rows import live_rows
from equiproof.certify.trees.scale import ensemble_scale
from equiproof.ffi import search as native

MAX_BOXES = 50_000
"""The most boxes of cells that a search for leaves looks at."""


@dataclass(frozen=True)
class Undecided:
    """Why there are no leaves.

    `reason` is "wrong" where somebody is decided otherwise, at a point and a row of the table; "leaves", "slots" or
    "rows" where the room of a key does not do, of which `needed` would; or "time".
    """

    reason: str
    needed: int
    point: tuple[int, ...] | None = field(default=None, repr=False)
    row: tuple[int, ...] | None = None


def box_leaves(
    model: EnsembleModel,
    box: Box,
    table: Sequence[Sequence[int]],
    label: int,
    room: tuple[int, int, int],
    milliseconds: int | None = None,
) -> EnsembleEvidence | Undecided:
    """Return leaves that decide a label on a box, or why there are none; `room` is of leaves, slots and rows.

    Everybody has one value of each category. Raises BoxError for an open category of whose values the model asks sets.
    """
    for one in model.sets:
        columns = range(one.category.first, one.category.first + one.category.values)
        if any(box.low[column] != box.high[column] for column in columns):
            raise BoxError(f"column {columns.start}: name one value: the model asks for sets of this category's values")
    query = tuple(model.additive.seen(box.low))
    inside = [_inside(model, box, place) for place in range(model.predicates[0])]
    slots = tuple(place for place, one in enumerate(inside) if one)
    capacity, most_slots, most_rows = room
    if len(slots) > most_slots:
        return Undecided("slots", len(slots))
    if (rows := len(live_rows(model, query, slots))) > most_rows:
        return Undecided("rows", rows)
    groups = _groups(model, box, slots)
    gaps = _gaps(model, inside, {column for group in groups for column in group["columns"]})
    text = text_of(model, query, table, 2 * label - 1, slots_of(gaps), groups=[*map(json.dumps, groups)])
    own = ensemble_scale(model)
    scale = native.Scale(own.fraction_bits, own.value_bits, own.multiplier_bits)
    found = native.leaves(text, len(slots) + 1, capacity, scale, milliseconds=milliseconds, nodes=MAX_BOXES)
    if found.reason is not None:
        wrong = found.signs is not None and found.slice is not None
        point = _point(model, box, found.signs or ()) if wrong else None
        return Undecided(found.reason, found.needed, point, tuple(table[found.slice or 0]) if wrong else None)
    leaves = tuple(
        # A multiplier that is not 0 would be of no use: the radius is beyond every cell.
        EnsembleLeaf(leaf.signs, leaf.sensitive, leaf.slices, 0, True, leaf.charges)
        for leaf in found.leaves
    )
    return EnsembleEvidence(label, 0, found.slots, leaves)


def _gaps(model: EnsembleModel, inside: Sequence[bool], grouped: Set[int]) -> list[int | None]:
    """Return for each plain predicate which one inside of its column it is, counted from 1; None where it is not.

    Those of grouped columns are at no distance.
    """
    seen: dict[int, int] = {}
    gaps: list[int | None] = []
    for column, one in zip(model.additive.columns, inside, strict=False):
        seen[column] = seen.get(column, 0) + one
        gaps.append((column not in grouped) * seen[column] if one else None)
    return gaps


def _groups(model: EnsembleModel, box: Box, slots: Sequence[int]) -> list[dict[str, Any]]:
    """Return of each open category that has slots their columns, and where everybody with one of its values is."""
    live = {model.additive.columns[place] for place in slots}
    thresholds = defaultdict(list)
    for column, threshold in zip(model.additive.columns, model.additive.thresholds, strict=True):
        thresholds[column].append(threshold)
    found = []
    for choice in box.choices:
        values = box.open(choice)
        if columns := [column for column in values if column in live]:
            above = [[sum(at < end for at in thresholds[of]) for end in (choice.low, choice.high)] for of in columns]
            rows = [[ends[of == value] for of, ends in zip(columns, above, strict=True)] for value in values]
            found.append({"columns": columns, "rows": rows, "costs": [0] * len(rows)})
    return found


def _point(model: EnsembleModel, box: Box, signs: Sequence[int]) -> tuple[int, ...]:
    """Return the person of a cell: at the least end, and just above the thresholds that are crossed.

    Of an open category the person has the value whose column is crossed, or one whose column has no slot.
    """
    own = model.additive
    point = list(box.low)
    live = {own.columns[place] for place in range(model.predicates[0]) if _inside(model, box, place)}
    crossed = [place for place, sign in enumerate(signs) if sign == 1]
    for place in crossed:
        point[own.columns[place]] = own.thresholds[place] + 1
    had = {own.columns[place] for place in crossed}
    for choice in box.choices:
        if values := box.open(choice):
            of_one = [column for column in values if column in had] or [
                column for column in values if column not in live
            ]
            point[of_one[0]] = choice.high
    return tuple(point)


def _inside(model: EnsembleModel, box: Box, place: int) -> bool:
    """Return whether some of a box pass a plain predicate, and some do not."""
    column, threshold = model.additive.columns[place], model.additive.thresholds[place]
    return column < len(box.low) and box.low[column] <= threshold < box.high[column]
