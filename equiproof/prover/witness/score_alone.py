"""What sub-circuits of scheme `trees` state that their relations compute, from the wires of a relation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from equiproof.circuits.shape import Shape
from equiproof.circuits.trees_parameters import VALUE_BITS

BY_LEAF = frozenset(
    (
        "leaf_live", "used", "multiplier", "signs", "taken", "level", "charged", "free", "way", "charge", "stay",
        "cross", "gain", "value_stayed", "value_crossed", "least",
    )
)  # fmt: skip
"""The wires that every leaf has of its own."""

Wires = Mapping[str, Sequence[int]]
"""Private wires by name."""


def alone(shape: Shape, wires: Wires, leaf: int) -> dict[str, list[int]]:
    """Return the wires that no relation of scheme `trees` has by these names, for one leaf."""
    centre = _centre(shape, wires)
    return centre | _facts(shape, wires) | {"score": [_score(shape, wires, leaf)]} if shape.has_nodes else centre


def part(wires: Wires, name: str, length: int, leaf: int) -> list[int]:
    """Return the wires of a name: those of one leaf, where each leaf has so many, or else the first ones."""
    first = length * leaf if name in BY_LEAF and len(wires[name]) > length else 0
    return list(wires[name][first : first + length])


def _centre(shape: Shape, wires: Wires) -> dict[str, list[int]]:
    """Return squared gaps, what crossing each predicate adds, and the score at the query for the label."""
    plain = shape.architecture.predicate_counts[0]
    sigma = 2 * wires["label"][0] - 1
    sides = wires["side"]
    jumps = wires["jumps"]
    # On a box nothing is at a distance.
    gaps = zip(wires.get("at", ()), wires["thresholds"], strict=False)
    passed = sum(jump for jump, side in zip(jumps, sides, strict=False) if not side)
    return {
        "gap2": [(value - threshold) ** 2 for value, threshold in gaps],
        "step": [sigma * (2 * side - 1) * jump for side, jump in zip(sides, jumps, strict=False)],
        "sensitive_step": [sigma * jump for jump in jumps[plain:]],
        "base": [sigma * (wires["bias"][0] + passed) + sum(wires.get("worst", ()))],
    }


def _facts(shape: Shape, wires: Wires) -> dict[str, list[int]]:
    """Return slot (from 1, or 0), side and life of every predicate; sensitive ones are live and on side 1.

    Where values can be missing, whether this one is as well; a sensitive one never is.
    """
    sensitive = shape.architecture.predicate_counts[1]
    numbers = []
    before = 0
    for dead in wires["dead"]:
        before += 1 - dead
        numbers.append((1 - dead) * before)
    aways = {"predicate_away": [*wires["away"], *[0] * sensitive]} if shape.architecture.has_missing else {}
    return aways | {
        "predicate_slot": numbers + [shape.slot_count + 1 + i for i in range(sensitive)],
        "predicate_side": [*wires["side"], *[1] * sensitive],
        "predicate_live": [*(1 - dead for dead in wires["dead"]), *[1] * sensitive],
    }


def _score(shape: Shape, wires: Wires, leaf: int) -> int:
    """Return what trees add to a leaf: constant trees and marked rows, less what staying pays."""
    sigma = 2 * wires["label"][0] - 1
    rows = shape.row_count
    names = ("way", "charge", "stay", "cross")
    score = sigma * sum(wires["root_value"]) << VALUE_BITS
    leaves = zip(wires["stay_value"], wires["cross_value"], strict=True)
    worth = zip(wires["row_root"], leaves, *(part(wires, name, rows, leaf) for name in names), strict=True)
    for root, (stays, crosses), way, charge, stay, cross in worth:
        staying = (sigma * stays << VALUE_BITS) + stay
        crossing = (sigma * crosses << VALUE_BITS) + cross
        score += root * (staying + way * (crossing - staying) + charge) - (1 - way) * charge
    return score
