"""The rules that all relations of scheme `trees` share: predicates, slots, chains of levels, and the coverage.

Each function checks one rule of docs/relation-trees.md; lookups are membership in a set of tuples, and the coverage is
counted cell by cell where the circuit evaluates one polynomial.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from math import prod

from equiproof.circuits.field import ORDER
from equiproof.circuits.link_shape import LinkShape
from equiproof.circuits.reference.field import RuleError
from equiproof.circuits.shape import Shape

Numbers = Mapping[str, Sequence[int]]
"""Private wires by name, each an integer of the field, of smallest magnitude."""


def bits(rule: str, numbers: Numbers, *names: str) -> None:
    """Refuse wires that are not 0 or 1."""
    for name in names:
        for place, value in enumerate(numbers[name]):
            if value not in (0, 1):
                raise RuleError(rule, f"{name} {place}", f"{value} is no bit")


def ordered(shape: Shape | LinkShape, numbers: Numbers) -> None:
    """R-T-ORDER: predicates ascend strictly by column and threshold, those of plain columns first."""
    plain = shape.architecture.predicate_counts[0]
    columns = numbers["columns"]
    for place, column in enumerate(columns):
        if (place < plain) != (column < shape.architecture.columns):
            raise RuleError("R-T-ORDER", f"predicate {place}", f"it is of column {column}")
    keys = list(zip(columns, numbers["thresholds"], strict=True))
    for place, (one, other) in enumerate(pairwise(keys), start=1):
        if one >= other:
            raise RuleError("R-T-ORDER", f"predicate {place}", "it is not behind the one before")


def compared(shape: Shape, numbers: Numbers) -> None:
    """R-T-SIDE: each predicate is compared with the value of its own column."""
    bits("R-T-SIDE", numbers, "side")
    for place, value in enumerate(numbers["at"]):
        # The order of a kept model's predicates is its link's.
        column = numbers["columns"][place]
        if column >= shape.architecture.columns or value != numbers["inputs"][column]:
            raise RuleError("R-T-SIDE", f"predicate {place}", f"{value} is not the query's value")
        _side(f"predicate {place}", numbers["thresholds"][place], value, numbers["side"][place])
    sliced(shape, numbers)


def sliced(shape: Shape, numbers: Numbers) -> None:
    """R-T-SIDE: each sensitive predicate is compared with the value of every slice in its own column."""
    plain, count = shape.architecture.predicate_counts
    if not count:
        return
    bits("R-T-SIDE", numbers, "side_of_slice")
    for place, value in enumerate(numbers["sensitive_at"]):
        slice_, i = divmod(place, count)
        column = numbers["columns"][plain + i] - shape.architecture.columns
        if column < 0 or value != numbers["table"][slice_ * shape.architecture.sensitive + column]:
            raise RuleError("R-T-SIDE", f"slice {slice_}, predicate {plain + i}", f"{value} is not the slice's value")
        _side(f"slice {slice_}", numbers["thresholds"][plain + i], value, numbers["side_of_slice"][place])


def missing(shape: Shape, numbers: Numbers) -> None:
    """R-T-MISSING: what is the largest integer is missing, nothing else, and all predicates of its column are dead."""
    if not shape.architecture.has_missing:
        return
    bits("R-T-MISSING", numbers, "absent", "away", "dead")
    for column, (value, absent) in enumerate(zip(numbers["query"], numbers["absent"], strict=True)):
        if absent != (value == shape.absent):
            raise RuleError("R-T-MISSING", f"column {column}", f"`absent` is {absent}, and its value is {value}")
    for place, (away, dead) in enumerate(zip(numbers["away"], numbers["dead"], strict=True)):
        column = numbers["columns"][place]
        if away != (numbers["absent"][column] if column < shape.architecture.plain else 0):
            raise RuleError("R-T-MISSING", f"predicate {place}", "`away` is not whether its value is missing")
        if away and not dead:
            raise RuleError("R-T-MISSING", f"predicate {place}", "its value is missing, and it is not dead")


def with_sets(shape: Shape, numbers: dict[str, list[int]]) -> dict[str, list[int]]:
    """R-T-SETS: return the numbers with `inputs`, the query's columns and those of sets behind them.

    A set's column is 1 where the value that the query has is in it. Of each category of which sets are asked, the query
    has one value, or it is missing, and the radius reaches no other one.
    """
    a = shape.architecture
    inputs = list(numbers["query"])
    members = iter(numbers.get("sets", ()))
    if a.asked and not shape.kept:
        bits("R-RANGE", numbers, "sets")
    for category in a.asked:
        place = category.held(numbers["query"])
        if place is None or (place == category.values and not (a.has_missing and numbers["absent"][category.first])):
            raise RuleError("R-T-SETS", f"column {category.first}", "the query has not one value of the category")
        if numbers["radius_squared"][0] > category.apart:
            raise RuleError("R-T-SETS", f"column {category.first}", "another value is inside the ball")
        for _ in range(category.sets):
            own = [next(members) for _ in range(category.members(missing=a.has_missing))]
            inputs.append(own[place])
    return {**numbers, "inputs": inputs}


def _side(where: str, threshold: int, value: int, side: int) -> None:
    """Refuse a side that is not that of a value: 1 where it is at most the threshold."""
    if side != (value <= threshold):
        raise RuleError("R-T-SIDE", where, f"{value} is on the other side of {threshold}")


def _gaps(shape: Shape, numbers: Numbers) -> list[int]:
    """Return the squared gap of each plain predicate."""
    thresholds = numbers["thresholds"][: shape.architecture.predicate_counts[0]]
    return [(x - threshold) ** 2 for x, threshold in zip(numbers["at"], thresholds, strict=True)]


def dead(shape: Shape, numbers: Numbers) -> None:
    """R-T-DEAD: a predicate that is no slot is as far as the radius, or crossed outside the ranges only."""
    ended = shape.ranges or bool(shape.architecture.asked)
    bits("R-T-DEAD", numbers, "dead", *(("beyond",) if ended else ()))
    for place, gap2 in enumerate(_gaps(shape, numbers)):
        beyond = ended and _beyond(shape, numbers, place)
        away = shape.architecture.has_missing and numbers["away"][place]
        if numbers["dead"][place] and not beyond and not away and gap2 < numbers["radius_squared"][0]:
            raise RuleError("R-T-DEAD", f"predicate {place}", "it is crossed inside the ball")


def _beyond(shape: Shape, numbers: Numbers, place: int) -> bool:
    """Return whether a predicate is claimed to be crossed outside the ranges only; refuse a claim that is wrong.

    Without ranges, columns have every value of the width; that of a set has the one that it has at the query.
    """
    side, threshold, end = (numbers[name][place] for name in ("side", "thresholds", "end"))
    column = numbers["columns"][place]
    if column >= shape.architecture.plain:
        last = numbers["inputs"][column]
    elif shape.ranges:
        last = numbers["range_high" if side else "range_low"][column]
    else:
        last = (1 << (shape.input_bits - 1)) - 1 if side else -(1 << (shape.input_bits - 1))
    if end != last:
        raise RuleError("R-T-DEAD", f"predicate {place}", f"{end} is not the end behind its threshold")
    if not numbers["beyond"][place]:
        return False
    if not (threshold >= end if side else threshold < end):
        raise RuleError("R-T-DEAD", f"predicate {place}", "it is crossed inside the ranges")
    return True


def capacity(numbers: Numbers) -> None:
    """R-T-CAPACITY: as many live slots as live predicates."""
    bits("R-T-CAPACITY", numbers, "slot_live")
    if sum(numbers["slot_live"]) != sum(1 - dead for dead in numbers["dead"]):
        raise RuleError("R-T-CAPACITY", "slot_live", "there are more or fewer live slots than live predicates")


@dataclass(frozen=True)
class Slots:
    """What leaves need of the slots: sides, steps, deltas, and the places of each column.

    Sensitive predicates of an ensemble are slots behind the plain ones, each of which is a column alone. Levels of
    `loose` slots count for nothing: a box leaves their category open.
    """

    sides: Sequence[int]
    steps: Sequence[int]
    deltas: Sequence[int]
    columns: Sequence[range]
    loose: frozenset[int] = frozenset()

    def __len__(self) -> int:
        """How many slots there are."""
        return len(self.sides)


@dataclass(frozen=True)
class Terms:
    """What trees add to a leaf, at scale 2^radius_bits: a score, and what their rows charge each slot."""

    score: int
    charges: Sequence[int]


Seen = tuple[int, int, int, int]
"""A plain predicate as the query sees it: its column, its squared gap, its side, and what crossing it adds."""


def seen(shape: Shape, numbers: Numbers) -> list[Seen]:
    """Return the plain predicates of a model as the query sees them."""
    sigma = 2 * numbers["label"][0] - 1
    return [
        (numbers["columns"][place], gap2, side, sigma * (2 * side - 1) * numbers["jumps"][place])
        for place, (gap2, side) in enumerate(zip(_gaps(shape, numbers), numbers["side"], strict=True))
    ]


def read_slots(shape: Shape, numbers: Numbers, predicates: Sequence[Seen]) -> Slots:
    """R-T-SLOT: slots are the live predicates in order, then phantoms, joined where their columns are one."""
    live = [predicate for predicate, dead in zip(predicates, numbers["dead"], strict=True) if not dead]
    rows = {(number, *predicate) for number, predicate in enumerate(live, start=1)}
    count = shape.slot_count
    rows |= {(count + 1 + j, shape.architecture.columns + 1 + j, 0, 1, 0) for j in range(count)}
    facts = [numbers[f"slot_{name}"] for name in ("column", "gap2", "side", "step")]
    for j, (live, *of) in enumerate(zip(numbers["slot_live"], *facts, strict=True)):
        if (j + 1 if live else count + 1 + j, *of) not in rows:
            raise RuleError("R-T-SLOT", f"slot {j}", "it is neither the live predicate of its number nor a phantom")
    bits("R-T-SLOT", numbers, "same")
    for j, (one, other) in enumerate(pairwise(facts[0])):
        if numbers["same"][j] != (one == other) or one > other:
            raise RuleError("R-T-SLOT", f"slot {j + 1}", "`same` is not whether its column is that of the one before")
    return joined(facts[1], facts[2], facts[3], numbers["same"])


def joined(gaps: Sequence[int], sides: Sequence[int], steps: Sequence[int], same: Sequence[int]) -> Slots:
    """Return slots by their squared gaps, sides and steps, and by whether each but the first is joined to the last."""
    count = len(gaps)
    starts = [j for j in range(count) if j == 0 or not same[j - 1]]
    columns = [range(a, b) for a, b in pairwise([*starts, count])]
    return Slots(sides, steps, _deltas(gaps, sides, columns), columns)


def _deltas(gaps: Sequence[int], sides: Sequence[int], columns: Sequence[range]) -> list[int]:
    """Return each squared gap less that of the next nearer slot of its column and side."""
    deltas = list(gaps)
    for column in columns:
        for one, other in pairwise(column):
            if sides[one] == sides[other]:
                near, far = (one, other) if sides[one] else (other, one)
                deltas[far] -= gaps[near]
    return deltas


Span = tuple[int, int]
"""Of a column, the least and the largest number of its thresholds that a leaf's cells are above."""


def leaf(
    shape: Shape, numbers: Numbers, slots: Slots, number: int, base: int, terms: Terms | None = None
) -> list[Span]:
    """R-T-LEAF, R-T-CHAIN, R-T-CLOSE and the order of R-T-COVER; return the leaf's cells, column by column.

    `base` is the score at the query for the label.
    """
    where = f"leaf {number}"
    count = len(slots)
    terms = terms or Terms(0, [0] * count)
    signs, taken, level = (numbers[name][number * count :][:count] for name in ("signs", "taken", "level"))
    spans = cells(where, slots, signs)
    bits("R-T-CHAIN", {where: taken}, where)
    costs = zip(slots.steps, slots.deltas, terms.charges, strict=True)
    multiplier = numbers["multiplier"][number]
    scale = shape.radius_bits
    charges = [(step << scale) + multiplier * delta - charge for step, delta, charge in costs]
    total = terms.score
    for column in slots.columns:
        head = _chain(where, slots.sides, column, charges, (signs, taken, level))
        total += 0 if head in slots.loose else level[head]
    distance = sum(delta for delta, sign in zip(slots.deltas, signs, strict=True) if sign == 1)
    _closed(numbers, number, ((base << shape.radius_bits) + total, distance))
    return spans


def cells(where: str, slots: Slots, signs: Sequence[int]) -> list[Span]:
    """R-T-LEAF and the order of R-T-COVER: return the cells that signs allow, column by column."""
    if any(sign not in (-1, 0, 1) for sign in signs):
        raise RuleError("R-T-LEAF", where, "a sign is not -1, 0 or 1")
    above = [sign if side else -sign for sign, side in zip(signs, slots.sides, strict=True)]
    for column in slots.columns:
        if any(above[one] < above[other] for one, other in pairwise(column)):
            raise RuleError("R-T-COVER", where, "above a threshold, and not above a lower one")
    return [(sum(above[j] == 1 for j in at), len(at) - sum(above[j] == -1 for j in at)) for at in slots.columns]


def _chain(
    where: str,
    sides: Sequence[int],
    column: range,
    charges: Sequence[int],
    claimed: tuple[Sequence[int], Sequence[int], Sequence[int]],
) -> int:
    """R-T-CHAIN: hold the levels of a column, and return the slot that no other one leads to."""
    signs, taken, level = claimed
    upper = [j for j in column if sides[j]]
    lower = [j for j in reversed(column) if not sides[j]]
    for j, beyond, beside in (*_links(upper, None), *_links(lower, upper[0] if upper else None)):
        stay = level[beside] if beside is not None else 0
        cross = charges[j] + (level[beyond] if beyond is not None else 0)
        right = (cross - stay) % ORDER > ORDER // 2 if signs[j] == 0 else signs[j] == 1
        if taken[j] != right or (level[j] - (cross if right else stay)) % ORDER:
            raise RuleError("R-T-CHAIN", f"{where}, slot {j}", "its level is not the least charged sum")
    return (lower or upper)[0]


def _links(outwards: Sequence[int], other: int | None) -> Iterator[tuple[int, int | None, int | None]]:
    """Yield each slot of one side, the next one outwards, and for the nearest one that of the other side."""
    for place, j in enumerate(outwards):
        yield j, outwards[place + 1] if place + 1 < len(outwards) else None, None if place else other


def _closed(numbers: Numbers, number: int, sums: tuple[int, int]) -> None:
    """R-T-CLOSE: a live leaf is closed by its score, or by its distance."""
    bits("R-T-CLOSE", numbers, "leaf_live", "used")
    if not numbers["leaf_live"][number]:
        return
    radius = numbers["radius_squared"][0]
    score, distance = sums
    if numbers["used"][number] and score - numbers["multiplier"][number] * radius < 1:
        raise RuleError("R-T-CLOSE", f"leaf {number}", "the bound of the score is below 1")
    if not numbers["used"][number] and distance < max(1, radius):
        raise RuleError("R-T-CLOSE", f"leaf {number}", "it reaches into the ball")


def base_of(shape: Shape, numbers: Numbers) -> int:
    """Return the score at the query for the label, on the worst slice as it is claimed."""
    passed = zip(numbers["jumps"][: shape.architecture.predicate_counts[0]], numbers["side"], strict=True)
    score = numbers["bias"][0] + sum(jump for jump, side in passed if not side)
    return (2 * numbers["label"][0] - 1) * score + sum(numbers.get("worst", ()))


def cover(slots: Slots, boxes: Iterable[list[Span]]) -> None:
    """R-T-COVER: every cell is in exactly one live leaf: none is in two, and they are as many as there are."""
    boxes = list(boxes)
    for one, other in combinations(boxes, 2):
        if all(max(a[0], b[0]) <= min(a[1], b[1]) for a, b in zip(one, other, strict=True)):
            raise RuleError("R-T-COVER", "leaves", "a cell is in two of them")
    cell_count = sum(prod(high - low + 1 for low, high in box) for box in boxes)
    if cell_count != prod(len(column) + 1 for column in slots.columns):
        raise RuleError("R-T-COVER", "leaves", "a cell is in none of them")
