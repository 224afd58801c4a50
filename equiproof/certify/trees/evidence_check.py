"""The plaintext checker of additive evidence: one function per rule, in exact integers; the search is not trusted.

Why the rules suffice: a point of the open ball crosses no dead predicate, so it is above or not above the thresholds of
the slots only, and lies in exactly one leaf. Its squared distance is at least D, the sum of delta over the slots that
it crosses, since these are the nearest ones of each column on one side and their deltas add up to the largest squared
gap. A leaf that is closed by distance has D >= R2, so the point is not in it. In any other leaf, lambda (R2 - D) is
above 0 where lambda is, and the closing inequality leaves a score of at least 1.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from math import prod
from types import MappingProxyType
from typing import Any

from equiproof.certify.additive import AdditiveModel
from equiproof.certify.branch.forms import inside
from equiproof.certify.errors import EvidenceError
from equiproof.certify.trees.ensemble_evidence import EnsembleEvidence
from equiproof.certify.trees.evidence import AdditiveEvidence, AdditiveLeaf
from equiproof.certify.trees.oriented import ranged
from equiproof.certify.trees.scale import Scale
from equiproof.circuits.spec import Box

Facts = tuple[int, bool, int, int]
"""Of a slot: its column, whether it is crossed upwards, its squared gap, and what crossing adds to sgn F."""


def check(
    evidence: AdditiveEvidence,
    scale: Scale,
    model: AdditiveModel,
    query: Sequence[int],
    table: Sequence[Sequence[int]],
    box: Box | None = None,
) -> None:
    """Raise EvidenceError, with the first rule that is broken, unless the evidence proves its label and radius.

    `query` holds the n_x non-sensitive integers, `table` the S rows of n_s sensitive ones, `box` the ranges that
    neighbors are restricted to. Raises ValueError where model, query, table and box do not fit together.
    """
    _refuse_misfit(model, query, table, box)
    if box is not None:
        inside(ranged(model, query, box), box)
    widths(evidence, scale)
    order(evidence, model)
    facts = [_facts(evidence.label, model, query, place) for place in evidence.slots]
    dead(evidence, model, query, box)
    for number, leaf in enumerate(evidence.leaves):
        chains(leaf, facts, f"leaf {number}")
    cover(evidence, facts)
    sign = 2 * evidence.label - 1
    base = min(sign * model.score((*query, *row)) for row in table)
    for number, leaf in enumerate(evidence.leaves):
        close(leaf, facts, base, evidence.radius_squared, scale, f"leaf {number}")


def widths(evidence: AdditiveEvidence, scale: Scale) -> None:
    """R-T-RANGE: the label and use are bits, signs are -1, 0 or 1, R2 and lambda are unsigned and fit their widths."""
    _integer(evidence.label, 0, 1, "label")
    _integer(evidence.radius_squared, 0, (1 << scale.radius_bits) - 1, "radius")
    for number, leaf in enumerate(evidence.leaves):
        where = f"leaf {number}"
        if len(leaf.signs) != len(evidence.slots):
            raise EvidenceError("R-T-RANGE", where, f"{len(leaf.signs)} signs for {len(evidence.slots)} slots")
        for slot, sign in enumerate(leaf.signs):
            _integer(sign, -1, 1, f"{where}, slot {slot}")
        _integer(leaf.multiplier, 0, (1 << scale.multiplier_bits) - 1, f"{where}, multiplier")
        if type(leaf.used) is not bool:
            raise EvidenceError("R-T-RANGE", where, "use is not a bit")


def order(evidence: AdditiveEvidence, model: AdditiveModel) -> None:
    """R-T-SLOT: slots are predicates of plain columns, each once, in the order of the model."""
    plain = model.predicates[0]
    for number, place in enumerate(evidence.slots):
        if type(place) is not int or not 0 <= place < plain:
            raise EvidenceError("R-T-SLOT", f"slot {number}", f"there are {plain} predicates of plain columns")
    for number, (one, other) in enumerate(pairwise(evidence.slots), start=1):
        if one >= other:
            raise EvidenceError("R-T-SLOT", f"slot {number}", "slots are not in the order of the model")


def dead(
    evidence: AdditiveEvidence | EnsembleEvidence, model: AdditiveModel, query: Sequence[int], box: Box | None
) -> None:
    """R-T-DEAD: a plain predicate without a slot has a squared gap of at least R2, or is crossed outside the ranges.

    R-T-MISSING: one of a missing value has no slot.
    """
    slots = frozenset(evidence.slots)
    if any(model.lacks(place, query) for place in slots):
        raise EvidenceError("R-T-MISSING", "slots", "a predicate of a missing value has one")
    for place in range(model.predicates[0]):
        if place in slots:
            continue
        column = model.columns[place]
        threshold = model.thresholds[place]
        x = query[column]
        if model.lacks(place, query):
            continue
        if box is not None and (threshold >= box[1][column] if x <= threshold else threshold < box[0][column]):
            continue
        if (x - threshold) ** 2 < evidence.radius_squared:
            raise EvidenceError("R-T-DEAD", f"predicate {place}", "it can be crossed inside the ball, and has no slot")


def chains(leaf: AdditiveLeaf, facts: Sequence[Facts], where: str) -> None:
    """R-T-COVER: along a column, the signs "above", free, "not above" stand in this order."""
    over = _absolute(leaf, facts)
    for slot, (one, other) in enumerate(pairwise(range(len(facts))), start=1):
        if facts[one][0] == facts[other][0] and over[one] < over[other]:
            raise EvidenceError("R-T-COVER", f"{where}, slot {slot}", "above this threshold, and not above a lower one")


def cover(evidence: AdditiveEvidence, facts: Sequence[Facts]) -> None:
    """R-T-COVER: every cell is in exactly one leaf: no two leaves share a cell, and their cells add up to all.

    A cell is one position per column: above so many of its slots.
    """
    starts = [slot for slot in range(len(facts)) if not slot or facts[slot - 1][0] != facts[slot][0]]
    columns = list(pairwise([*starts, len(facts)]))
    spans = [[_span(_absolute(leaf, facts)[a:b]) for a, b in columns] for leaf in evidence.leaves]
    # Of each column and position, the leaves that have it, one bit each.
    holders = [[0] * (b - a + 1) for a, b in columns]
    for number, span in enumerate(spans):
        for column, (low, high) in enumerate(span):
            for position in range(low, high + 1):
                holders[column][position] |= 1 << number
    everything = (1 << len(spans)) - 1
    for number, span in enumerate(spans):
        shared = everything
        for column, (low, high) in enumerate(span):
            touched = 0
            for position in range(low, high + 1):
                touched |= holders[column][position]
            shared &= touched
        if shared != 1 << number:
            raise EvidenceError("R-T-COVER", f"leaf {number}", "another leaf has a cell of this one")
    # Leaves share no cell, so their numbers of cells add up to all exactly where no cell is missing.
    cells = sum(prod(high - low + 1 for low, high in span) for span in spans)
    if cells != prod(b - a + 1 for a, b in columns):
        raise EvidenceError("R-T-COVER", "leaves", "a cell is in none of them")


def close(leaf: AdditiveLeaf, facts: Sequence[Facts], base: int, radius_squared: int, scale: Scale, where: str) -> None:
    """R-T-CLOSE: with use, 2^r base + sum of H - lambda R2 >= 1; without, D >= R2 and D >= 1.

    Outwards along each column and side: H = 0 behind the last slot and where the slot is stayed; crossed 2^r w +
    lambda delta + H of the next one; free the same, or 0 if that is less. A column has the H of its crossed side, else
    the smaller one of both.
    """
    distance = 0
    total = base << scale.fraction_bits
    for column in dict.fromkeys(fact[0] for fact in facts):
        below = [slot for slot, fact in enumerate(facts) if fact[0] == column and not fact[1]]
        above = [slot for slot, fact in enumerate(facts) if fact[0] == column and fact[1]]
        sides = []
        for outwards in (below[::-1], above):
            crossed, h = _side(leaf, facts, outwards, scale)
            distance += crossed
            sides.append(h)
        inner = [side[0] for side in (below[::-1], above) if side]
        # Where one side is crossed, the other one is stayed, and its H is 0.
        total += sum(sides) if any(leaf.signs[slot] == 1 for slot in inner) else min(sides)
    if not leaf.used and distance < max(1, radius_squared):
        raise EvidenceError("R-T-CLOSE", where, "it is closed by distance, and reaches into the ball")
    if leaf.used and total - leaf.multiplier * radius_squared < 1:
        raise EvidenceError("R-T-CLOSE", where, "the bound of the score is below 1")


RULES: MappingProxyType[str, tuple[Callable[..., Any], ...]] = MappingProxyType(
    {
        "R-T-RANGE": (widths,),
        "R-T-SLOT": (order,),
        "R-T-DEAD": (dead,),
        "R-T-COVER": (chains, cover),
        "R-T-CLOSE": (close,),
        "R-B-RANGES": (inside,),
    }
)
"""Permanent rule id -> the functions that check it."""


def _side(leaf: AdditiveLeaf, facts: Sequence[Facts], outwards: Sequence[int], scale: Scale) -> tuple[int, int]:
    """Return the distance of the crossed slots of one side of a column, and its H."""
    distance = h = 0
    for place in reversed(range(len(outwards))):
        slot = outwards[place]
        delta = facts[slot][2] - (facts[outwards[place - 1]][2] if place else 0)
        sign = leaf.signs[slot]
        crossed = (facts[slot][3] << scale.fraction_bits) + leaf.multiplier * delta + h
        h = 0 if sign == -1 else crossed if sign == 1 else min(0, crossed)
        distance += delta if sign == 1 else 0
    return distance, h


def _facts(label: int, model: AdditiveModel, query: Sequence[int], place: int) -> Facts:
    """Return what the query makes of a slot."""
    column = model.columns[place]
    threshold = model.thresholds[place]
    jump = model.jumps[place]
    x = query[column]
    sign = (2 * label - 1) * (1 if x <= threshold else -1)
    return column, x <= threshold, (x - threshold) ** 2, sign * jump


def _absolute(leaf: AdditiveLeaf, facts: Sequence[Facts]) -> list[int]:
    """Return the signs of a leaf as 1 above the threshold, -1 not above, 0 free."""
    return [sign if above else -sign for sign, (_, above, _, _) in zip(leaf.signs, facts, strict=True)]


def _span(over: Sequence[int]) -> tuple[int, int]:
    """Return the first and the last position of a column that its absolute signs allow."""
    return sum(sign == 1 for sign in over), len(over) - sum(sign == -1 for sign in over)


def _integer(number: object, least: int, most: int, where: str) -> None:
    """Raise EvidenceError unless a number is a plain integer within bounds."""
    if type(number) is not int or not least <= number <= most:
        raise EvidenceError("R-T-RANGE", where, f"want an integer from {least} to {most}")


def _refuse_misfit(model: AdditiveModel, query: Sequence[int], table: Sequence[Sequence[int]], box: Box | None) -> None:
    """Raise ValueError for arguments that do not fit together: a mistake of the caller, not of the evidence."""
    if len(query) != model.plain or not table or any(len(row) != model.sensitive for row in table):
        raise ValueError("query or table have other lengths than the model")
    if any(len(row) != model.plain for row in box or ()):
        raise ValueError("a box has both ends of every column")
