"""The plaintext checker of evidence about ensembles: one function per rule, in exact integers; no search is trusted.

Why the rules suffice: take a slice and a point of the open ball, with z = 1 for each slot that it crosses and each
sensitive predicate that it passes. Its cell is in exactly one leaf that serves the slice. On the way through a tree the
value of a row is at most the tree's leaf plus what the point pays: at a free row alpha where it crosses, else beta.
So the sum of the trees, less all betas, is at most their score plus what crossed slots bring in, and the levels take
exactly that from the budget lambda delta. What is left is the additive argument (:mod:`certify.trees.evidence_check`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from math import prod
from types import MappingProxyType
from typing import Any, NamedTuple

from equiproof.certify.branch.forms import inside
from equiproof.certify.ensemble import Child, EnsembleModel
from equiproof.certify.errors import EvidenceError
from equiproof.certify.sets import seen_box
from equiproof.certify.trees.ensemble_evidence import EnsembleEvidence, EnsembleLeaf
from equiproof.certify.trees.evidence_check import dead
from equiproof.certify.trees.oriented import ranged
from equiproof.certify.trees.rows import children_of, live_rows, resolved
from equiproof.certify.trees.scale import EnsembleScale
from equiproof.circuits.spec import Box


class _Slot(NamedTuple):
    """A slot or a sensitive predicate: its place, column, whether it is crossed upwards, squared gap, and step."""

    place: int
    column: int
    above: bool
    gap2: int
    step: int


class _Case(NamedTuple):
    """What is checked, with what follows from it."""

    evidence: EnsembleEvidence
    scale: EnsembleScale
    model: EnsembleModel
    query: Sequence[int]
    table: Sequence[Sequence[int]]
    slots: tuple[_Slot, ...]
    sensitive: tuple[_Slot, ...]
    rows: tuple[int, ...]

    @property
    def sign(self) -> int:
        """1 for label 1, -1 for label 0."""
        return 2 * self.evidence.label - 1


def check(
    evidence: EnsembleEvidence,
    scale: EnsembleScale,
    model: EnsembleModel,
    query: Sequence[int],
    table: Sequence[Sequence[int]],
    box: Box | None = None,
) -> None:
    """Raise EvidenceError, with the first rule that is broken, unless the evidence proves its label and radius.

    `query` holds the n_x non-sensitive integers, `table` the S rows of n_s sensitive ones, `box` the ranges that
    neighbors are restricted to. Raises ValueError where model, query and table do not fit together.
    """
    if len(query) != model.stated or not table or any(len(row) != model.sensitive for row in table):
        raise ValueError("query or table have other lengths than the model")
    if box is not None:
        inside(ranged(model.additive, query, box), box)
    numbers(evidence, scale)
    sets(evidence, model)
    query, box = model.additive.seen(query), seen_box(model.sets, query, box)
    order(evidence, model)
    dead(evidence, model.additive, query, box)
    places = range(model.predicates[0], sum(model.predicates))
    sign = 2 * evidence.label - 1
    slots = tuple(_slot(model, query, place, sign) for place in evidence.slots)
    sensitive = tuple(
        _Slot(place, model.additive.columns[place], True, 0, sign * model.additive.jumps[place]) for place in places
    )
    rows = live_rows(model, query, evidence.slots)
    case = _Case(evidence, scale, model, query, table, slots, sensitive, rows)
    for number, leaf in enumerate(evidence.leaves):
        lengths(case, leaf, f"leaf {number}")
        chains(case, leaf, f"leaf {number}")
        slices(case, leaf, f"leaf {number}")
    cover(case)
    for number, leaf in enumerate(evidence.leaves):
        close(case, leaf, f"leaf {number}")


def sets(evidence: EnsembleEvidence, model: EnsembleModel) -> None:
    """R-T-SETS: nobody in the ball has another value of a category of which sets are asked."""
    if any(evidence.radius_squared > one.category.apart for one in model.sets):
        raise EvidenceError("R-T-SETS", "radius", "somebody with another value of a category is inside the ball")


def numbers(evidence: EnsembleEvidence, scale: EnsembleScale) -> None:
    """R-T-RANGE: label and use are bits, signs are -1, 0 or 1, R2, lambda and charges are unsigned within widths."""
    _integer(evidence.label, 0, 1, "label")
    _integer(evidence.radius_squared, 0, (1 << scale.radius_bits) - 1, "radius")
    for number, leaf in enumerate(evidence.leaves):
        where = f"leaf {number}"
        for sign in (*leaf.signs, *leaf.sensitive):
            _integer(sign, -1, 1, f"{where}, signs")
        for gamma in leaf.charges:
            _integer(gamma, 0, (1 << scale.charge_bits) - 1, f"{where}, charges")
        _integer(leaf.multiplier, 0, (1 << scale.multiplier_bits) - 1, f"{where}, multiplier")
        if type(leaf.used) is not bool:
            raise EvidenceError("R-T-RANGE", where, "use is not a bit")


def order(evidence: EnsembleEvidence, model: EnsembleModel) -> None:
    """R-T-SLOT: slots are predicates of plain columns, each once, in the order of the model."""
    plain = model.predicates[0]
    for number, place in enumerate(evidence.slots):
        if type(place) is not int or not 0 <= place < plain:
            raise EvidenceError("R-T-SLOT", f"slot {number}", f"there are {plain} predicates of plain columns")
    for number, (one, other) in enumerate(pairwise(evidence.slots), start=1):
        if one >= other:
            raise EvidenceError("R-T-SLOT", f"slot {number}", "slots are not in the order of the model")


def lengths(case: _Case, leaf: EnsembleLeaf, where: str) -> None:
    """R-T-RANGE: a sign for each slot and sensitive predicate, a charge for each row."""
    for name, values, places in (
        ("signs", leaf.signs, case.slots),
        ("signs of sensitive predicates", leaf.sensitive, case.sensitive),
        ("charges", leaf.charges, case.rows),
    ):
        if len(values) != len(places):
            raise EvidenceError("R-T-RANGE", where, f"{len(values)} {name}, want {len(places)}")


def chains(case: _Case, leaf: EnsembleLeaf, where: str) -> None:
    """R-T-COVER: along a column, the signs "above", free, "not above" stand in this order."""
    over = _absolute(case, leaf)
    for slot, (one, other) in enumerate(pairwise(range(len(over))), start=1):
        if case.slots[one].column == case.slots[other].column and over[one] < over[other]:
            raise EvidenceError("R-T-COVER", f"{where}, slot {slot}", "above this threshold, and not above a lower one")


def slices(case: _Case, leaf: EnsembleLeaf, where: str) -> None:
    """R-T-COVER: a leaf serves rows of the table, each once, that have its signs where it is not free."""
    own = case.model.additive
    if any(type(row) is not int or not 0 <= row < len(case.table) for row in leaf.slices):
        raise EvidenceError("R-T-COVER", where, f"it serves an unknown slice; there are {len(case.table)}")
    if any(one >= other for one, other in pairwise(leaf.slices)):
        raise EvidenceError("R-T-COVER", where, "its slices are not in order")
    for row in leaf.slices:
        for sign, slot in zip(leaf.sensitive, case.sensitive, strict=True):
            is_above = case.table[row][slot.column - case.model.plain] > own.thresholds[slot.place]
            if sign and (sign == 1) != is_above:
                raise EvidenceError("R-T-COVER", where, f"it serves slice {row}, which has another value")


def cover(case: _Case) -> None:
    """R-T-COVER: on every slice, every cell is in exactly one of the leaves that serve it.

    A cell is one position per column: above so many of its slots.
    """
    slots = case.slots
    starts = [slot for slot in range(len(slots)) if not slot or slots[slot - 1].column != slots[slot].column]
    columns = list(pairwise([*starts, len(slots)]))
    for row in range(len(case.table)):
        leaves = [leaf for leaf in case.evidence.leaves if row in leaf.slices]
        spans = [[_span(_absolute(case, leaf)[a:b]) for a, b in columns] for leaf in leaves]
        for number, span in enumerate(spans):
            for other in spans[:number]:
                if all(a <= d and c <= b for (a, b), (c, d) in zip(span, other, strict=True)):
                    raise EvidenceError("R-T-COVER", f"slice {row}", "two leaves have a cell in common")
        # Leaves share no cell, so their numbers of cells add up to all exactly where no cell is missing.
        cells = sum(prod(high - low + 1 for low, high in span) for span in spans)
        if cells != prod(b - a + 1 for a, b in columns):
            raise EvidenceError("R-T-COVER", f"slice {row}", "a cell is in none of its leaves")


def close(case: _Case, leaf: EnsembleLeaf, where: str) -> None:
    """R-T-CLOSE: with use, 2^r (2^q base + trees - loss) + levels - lambda R2 >= 1; without, D >= R2 and D >= 1.

    A leaf that serves no slice is closed like any other: it stands for nothing, but the search makes none.
    """
    trees, charges, loss = values(case, leaf, where)
    scale = case.scale
    own = case.model.additive
    places_below = (
        place for place in range(case.model.predicates[0]) if case.query[own.columns[place]] > own.thresholds[place]
    )
    base = case.sign * (own.bias + sum(own.jumps[place] for place in places_below))
    levels = 0
    distance = 0
    pairs = list(zip(leaf.signs, case.slots, strict=True))
    columns = [
        [pair for pair in pairs if pair[1].column == column]
        for column in dict.fromkeys(slot.column for slot in case.slots)
    ]
    # Each sensitive predicate is alone in its column: what passing one brings in is bounded without the others.
    columns += [[pair] for pair in zip(leaf.sensitive, case.sensitive, strict=True)]
    for column in columns:
        level, crossed = _column(case, leaf, column, charges)
        levels += level
        distance += crossed
    if not leaf.used:
        if distance < max(1, case.evidence.radius_squared):
            raise EvidenceError("R-T-CLOSE", where, "it is closed by distance, and reaches into the ball")
        return
    total = ((base << scale.value_bits) + trees - loss) << scale.fraction_bits
    if total + levels - leaf.multiplier * case.evidence.radius_squared < 1:
        raise EvidenceError("R-T-CLOSE", where, "the bound of the score is below 1")


def values(case: _Case, leaf: EnsembleLeaf, where: str) -> tuple[int, dict[int, int], int]:
    """R-T-LEAF, R-T-CHARGE: the sum of the trees at scale 2^q, the charges (alpha - beta) by place, and all betas."""
    signs = dict(
        zip((slot.place for slot in (*case.slots, *case.sensitive)), (*leaf.signs, *leaf.sensitive), strict=True)
    )
    sums: dict[int, int] = {}
    charges = dict.fromkeys(signs, 0)
    loss = 0

    def value(child: Child) -> int:
        """Return the value of a child, whose rows stand behind the row that asks."""
        child = resolved(case.model, child, case.query, case.evidence.slots)
        return sums[child.number] if child.is_node else case.sign * child.number << case.scale.value_bits

    # Nodes are numbered in level order, children after their parent: backwards, both children are known.
    for node, gamma in zip(reversed(case.rows), reversed(leaf.charges), strict=True):
        place = case.model.nodes.predicates[node]
        stay, cross = (value(child) for child in children_of(case.model, node, case.query))
        if signs[place]:
            if gamma:
                raise EvidenceError("R-T-LEAF", f"{where}, node {node}", "it charges, and its slot is not free")
            sums[node] = cross if signs[place] == 1 else stay
            continue
        if gamma > abs(stay - cross):
            raise EvidenceError("R-T-LEAF", f"{where}, node {node}", "it charges more than its children differ by")
        # A free node is worth at least the lesser child, and a charge raises that by gamma. Where crossing lowers the
        # value, the slot pays gamma when it is crossed. Where crossing raises it, the loss takes gamma off, and the
        # slot returns it when it is crossed.
        sums[node] = min(stay, cross) + gamma
        charges[place] += gamma if cross <= stay else -gamma
        loss += 0 if cross <= stay else gamma
    return sum(value(Child(True, root)) for root in range(case.model.nodes.roots)), charges, loss


RULES: MappingProxyType[str, tuple[Callable[..., Any], ...]] = MappingProxyType(
    {
        "R-T-RANGE": (numbers, lengths),
        "R-T-SLOT": (order,),
        "R-T-DEAD": (dead,),
        "R-T-COVER": (chains, slices, cover),
        "R-T-LEAF": (values,),
        "R-T-CHARGE": (values,),
        "R-T-CLOSE": (close,),
        "R-B-RANGES": (inside,),
    }
)
"""Permanent rule id -> the functions that check it."""


def _column(
    case: _Case, leaf: EnsembleLeaf, pairs: Sequence[tuple[int, _Slot]], charges: dict[int, int]
) -> tuple[int, int]:
    """Return the level of a column, as R-T-CHAIN has it, and the distance that the leaf crosses along it."""
    below = [pair for pair in pairs if not pair[1].above][::-1]
    above = [pair for pair in pairs if pair[1].above]
    sides = []
    distance = 0
    for outwards in (below, above):
        level = 0
        deltas = [
            one[1].gap2 - nearer for one, nearer in zip(outwards, [0, *(one[1].gap2 for one in outwards)], strict=False)
        ]
        for (sign, slot), delta in zip(reversed(outwards), reversed(deltas), strict=True):
            step = (slot.step << case.scale.value_bits) - charges[slot.place] << case.scale.fraction_bits
            crossed = step + leaf.multiplier * delta + level
            level = 0 if sign == -1 else crossed if sign == 1 else min(0, crossed)
            distance += delta if sign == 1 else 0
        sides.append(level)
    # Where one side is crossed, the other one is stayed, and its level is 0.
    fixed = any(side and side[0][0] == 1 for side in (below, above))
    return (sum(sides) if fixed else min(sides)), distance


def _slot(model: EnsembleModel, query: Sequence[int], place: int, sign: int) -> _Slot:
    """Return what the query makes of a plain predicate."""
    own = model.additive
    column = own.columns[place]
    threshold = own.thresholds[place]
    jump = own.jumps[place]
    above = query[column] <= threshold
    return _Slot(place, column, above, (query[column] - threshold) ** 2, sign * (jump if above else -jump))


def _absolute(case: _Case, leaf: EnsembleLeaf) -> list[int]:
    """Return the signs of a leaf as 1 above the threshold, -1 not above, 0 free."""
    return [sign if slot.above else -sign for sign, slot in zip(leaf.signs, case.slots, strict=True)]


def _span(over: Sequence[int]) -> tuple[int, int]:
    """Return the first and the last position of a column that its absolute signs allow."""
    return sum(sign == 1 for sign in over), len(over) - sum(sign == -1 for sign in over)


def _integer(number: object, least: int, most: int, where: str) -> None:
    """Raise EvidenceError unless a number is a plain integer within bounds."""
    if type(number) is not int or not least <= number <= most:
        raise EvidenceError("R-T-RANGE", where, f"want an integer from {least} to {most}")
