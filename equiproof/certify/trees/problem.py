"""An ensemble around one query as the native search reads it (go-gnark/search/problem.go), oriented by the label."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from operator import index

from equiproof.certify.ensemble import Child, EnsembleModel
from equiproof.certify.traversal.search import Counterexample, common_label
from equiproof.certify.trees.oriented import refuse_outside
from equiproof.certify.trees.rows import counts_of_passed, live_rows, radius_of_passed, stays_low
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

    def radius_within(self, slots: int | None, rows: int | None, most: int, passed: int | None = None) -> int:
        """Return the largest squared radius up to `most` whose ball has at most so many live predicates and rows.

        Nor does any ball up to it pass more than `passed` dead nodes.
        """
        if passed is not None:
            most = radius_of_passed(self.model, self.query, self.gaps, passed, most) or 0
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

    def most_passed(self, radius_squared: int) -> int:
        """Return how many dead nodes the ball up to a squared radius passes that passes most."""
        return max(count for _, count in counts_of_passed(self.model, self.query, self.gaps, radius_squared))


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
    return Problem(label, model, query, rows, gaps, text_of(model, query, rows, 2 * label - 1, slots_of(gaps)))


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


@dataclass(frozen=True)
class Slot:
    """Plain predicates of one column that are crossed at once: their places, and the squared gap, None for nobody."""

    places: tuple[int, ...]
    gap: int | None


def slots_of(gaps: Iterable[int | None]) -> list[Slot]:
    """Return a slot for each plain predicate, from their squared gaps."""
    return [Slot((place,), gap) for place, gap in enumerate(gaps)]


def text_of(
    model: EnsembleModel,
    query: Sequence[int],
    table: Sequence[Sequence[int]],
    sign: int,
    slots: Sequence[Slot],
    *,
    margin: int = 0,
    groups: Sequence[str] = (),
    every: bool = False,
) -> str:
    """Return what the search reads: the ensemble around a query, oriented by the label's sign.

    The slots hold all plain predicates, ascending. A decision is wrong where its margin is at most 0 when `margin` is
    added to it, and with `every` where that is so on every slice. `groups` are texts.
    """
    form = _form(model, sign)
    own = model.additive
    plain = model.predicates[0]
    sides = [query[column] <= end for column, end in zip(own.columns[:plain], own.thresholds[:plain], strict=True)]
    written, numbers = [], [""] * plain
    for number, slot in enumerate(slots):
        first = slot.places[0]
        step = sum(form.jumps[place] for place in slot.places)
        above, step = ("true", step) if sides[first] else ("false", -step)
        gap = "null" if slot.gap is None else slot.gap
        written.append(f'{{"column":{own.columns[first]},"above":{above},"gap2":{gap},"step":{step}}}')
        for place in slot.places:
            numbers[place] = str(number)
    base = margin + sign * own.bias + sum(form.jumps[place] for place in range(plain) if not sides[place])
    sensitive = range(plain, len(own.columns))
    numbers += [str(len(slots) + place - plain) for place in sensitive]
    sides += [True for _ in sensitive]
    nodes = (
        [(low if sides[place] else high) + numbers[place] for place, low, high in form.nodes]
        if own.absent is None or own.absent not in query
        else [
            (low if stays_low(model, node, query) else high) + numbers[place]
            for node, (place, low, high) in enumerate(form.nodes)
        ]
    )
    slices = [
        [int(row[own.columns[place] - model.plain] > own.thresholds[place]) for place in sensitive] for row in table
    ]
    others = json.dumps({"base": base, "slices": slices, "every": every})
    lists = (("groups", groups), ("slots", written), ("nodes", nodes))
    members = ",".join(f'"{name}":[{",".join(texts)}]' for name, texts in lists)
    return f"{others[:-1]},{members},{form.rest}}}"


@dataclass(frozen=True)
class _Form:
    """What is the same for every query: jumps by the label's sign, and texts.

    `nodes` have of each node its predicate, and the numbers of its children for those who go low there and for the
    others; `rest` is the text of sensitive predicates and of roots.
    """

    jumps: tuple[int, ...]
    nodes: tuple[tuple[int, str, str], ...]
    rest: str


@lru_cache(maxsize=8)
def _form(model: EnsembleModel, sign: int) -> _Form:
    """Return the form of a model, which is made once for many queries."""
    own = model.additive

    def written(*children: Child) -> str:
        """Return the numbers of a node whose child of those who stay is the first, with a comma behind each."""
        return "".join(f"{int(one.is_node)},{one.number if one.is_node else sign * one.number}," for one in children)

    nodes = tuple(
        (place, written(low, high), written(high, low))
        for place, (low, high) in zip(model.nodes.predicates, model.nodes.children, strict=True)
    )
    jumps = tuple(sign * jump for jump in own.jumps)
    # Each alone in a column: relation `trees` bounds what they bring in one by one.
    sensitive = [{"column": place, "step": jumps[place]} for place in range(model.predicates[0], len(own.columns))]
    roots = [[1, root] for root in range(model.nodes.roots)]
    return _Form(jumps, nodes, f'"sensitive":{json.dumps(sensitive)},"roots":{json.dumps(roots)}')
