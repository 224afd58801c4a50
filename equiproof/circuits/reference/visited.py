"""R-T-RESOLVE where certificates of a kept ensemble visit nodes (docs/relation-visited.md)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from equiproof.circuits.node_words import NodeWords
from equiproof.circuits.reference.fact import Fact
from equiproof.circuits.reference.field import RuleError
from equiproof.circuits.shape import Shape

CHILD = ("value", "node", "behind", "row")


def visited(shape: Shape, numbers: Mapping[str, Sequence[int]], facts: Sequence[Fact]) -> dict[str, Sequence[int]]:
    """Refuse rows and passed nodes that are not the model's, or that do not lead on to others, to rows or to leaves.

    Return the numbers with the values that children of rows stand for, as leaves see them.
    """
    words = NodeWords.of(shape)
    trees, count = shape.architecture.node_counts
    known = dict(enumerate(numbers["node_word"], start=1))
    known[count + 1] = words.pack(words.empty, 0, 0)
    asked = _asked(shape, words, facts)
    passed_values = [sum(pair) for pair in zip(numbers["passed_value"], numbers["passed_behind"], strict=True)]
    ends = {(0, 0, 0)}
    ends |= {(place, 0, node) for place, node in enumerate(numbers["row_id"], start=1)}
    ends |= set(zip(numbers["passed_row"], passed_values, numbers["passed_id"], strict=True))

    for name, length in (("stay", shape.row_count), ("cross", shape.row_count), ("passed", shape.passed_count)):
        half = words.span >> 1
        for i in range(length):
            value, node, behind, row = (numbers[f"{name}_{part}"][i] for part in CHILD)
            if not -half <= value < half or (row, behind, node) not in ends:
                raise RuleError("R-T-RESOLVE", f"{name} {i}", "it leads to no leaf, row or passed node")
    for i, other in enumerate(numbers["passed_other"]):
        if not words.reference.low <= other <= words.reference.high:
            raise RuleError("R-T-RESOLVE", f"passed_other {i}", "no reference has so many bits")
    for name, length in (("row", shape.row_count), ("passed", shape.passed_count)):
        for i in range(length):
            slot = numbers["row_slot"][i] if name == "row" else 0
            stay = _reference(words, numbers, "stay" if name == "row" else "passed", i)
            cross = _reference(words, numbers, "cross", i) if name == "row" else numbers["passed_other"][i]
            number, side = numbers[f"{name}_number"][i], numbers[f"{name}_side"][i]
            if (number, slot, side) not in asked:
                raise RuleError("R-T-RESOLVE", f"{name} {i}", "slot or side are not its predicate's")
            low, high = (stay, cross) if side else (cross, stay)
            if known.get(numbers[f"{name}_id"][i]) != words.pack(number, low, high):
                raise RuleError("R-T-RESOLVE", f"{name} {i}", "it is no node, and not empty")
    for tree, root in enumerate(zip(numbers["root_row"], numbers["root_value"], range(1, trees + 1), strict=True)):
        if root not in ends:
            raise RuleError("R-T-RESOLVE", f"tree {tree}", "its root is no row and not passed, or leads elsewhere")
    return {
        **numbers,
        **{
            f"{name}_value": [
                sum(pair) for pair in zip(numbers[f"{name}_value"], numbers[f"{name}_behind"], strict=True)
            ]
            for name in ("stay", "cross")
        },
    }


def _reference(words: NodeWords, numbers: Mapping[str, Sequence[int]], name: str, i: int) -> int:
    """Return the reference that a child's value and node make."""
    return numbers[f"{name}_value"][i] + words.span * numbers[f"{name}_node"][i]


def _asked(shape: Shape, words: NodeWords, facts: Sequence[Fact]) -> set[tuple[int, int, int]]:
    """Return (number, slot, side) of each number under which nodes find a predicate, and of empty places."""
    asked = {(words.empty, 0, 1)}
    for place, fact in enumerate(facts):
        if not shape.architecture.has_missing:
            asked.add((place, fact.slot, fact.side))
            continue
        # A missing value goes where the node says: low is side 1, and the number behind all first ones says high.
        asked.add((place, fact.slot, 1 if fact.away else fact.side))
        asked.add((words.second + place, fact.slot, 0 if fact.away else fact.side))
    return asked
