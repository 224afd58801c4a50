"""R-L-OPEN, R-L-RANGE, R-L-DERIVED, R-L-POLY and R-L-SHOWN: that a kept model is the committed one.

The order of predicates and the forest of nodes break rules of their own, R-T-ORDER and R-T-NODE.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from equiproof.circuits.commitment import tag
from equiproof.circuits.layout import link_segments, word_segments
from equiproof.circuits.link_shape import LinkShape
from equiproof.circuits.node_words import NodeWords
from equiproof.circuits.poseidon2 import hash_elements
from equiproof.circuits.reference.commitment import in_turn, opened_model
from equiproof.circuits.reference.ensembles import child_places
from equiproof.circuits.reference.falls import hold_signs
from equiproof.circuits.reference.field import GF, Elements, RuleError, Wires, elements, integers, require_equal
from equiproof.circuits.reference.kept import shown
from equiproof.circuits.reference.ranges import hold_widths
from equiproof.circuits.reference.slots import ordered


def link(shape: LinkShape, digest: int, wires: Mapping[str, Sequence[int]]) -> None:
    """Raise RuleError unless the wires satisfy the circuit of links under a public input."""
    field_wires = {segment.name: elements(wires[segment.name]) for segment in link_segments(shape)}
    # 1. Every number has its width, predicates and nodes their order, and what is derived follows from them.
    hold_widths("R-L-RANGE", link_segments(shape), field_wires)
    words = {**field_wires, **(_scored(shape, field_wires) if shape.additive else _parts(shape, field_wires))}
    # 2. They open the commitment, and are shown at the point.
    commitment = opened_model(shape, field_wires)
    names = [segment.name for segment in word_segments(shape)]
    stated = [commitment, *(field_wires[name][0] for name in ("spec_digest", "key", "at"))]
    stated.append(shown(words, names, commitment, field_wires["at"][0]))
    head = [tag("equiproof.link.statement"), 1, shape.digest]
    require_equal("R-L-SHOWN", "digest", elements([digest])[0], GF(hash_elements([*head, *map(int, stated)])))


def _scored(shape: LinkShape, wires: Wires) -> dict[str, Elements]:
    """Return the predicates by column and threshold, and the places of nodes' children; R-T-ORDER and R-T-NODE."""
    numbers = integers(wires)
    ordered(shape, numbers)
    pairs = {"predicates": in_turn(wires, "columns", "thresholds")}
    if not shape.has_nodes:
        return pairs
    places = child_places(shape, numbers)
    if not shape.visits:
        return {**pairs, "node_child": elements(places)}
    return {**pairs, "node_word": elements(_node_words(shape, numbers, places))}


def _node_words(shape: LinkShape, numbers: Mapping[str, Sequence[int]], places: Sequence[int]) -> list[int]:
    """R-L-DERIVED: return the words of the nodes; refuse references of children that are not those of their places.

    R-T-NODE: certificates look up the number of a visited node only. So all of them are below P here.
    """
    if max(numbers["node_predicate"]) >= sum(shape.architecture.predicate_counts):
        raise RuleError("R-T-NODE", "node_predicate", "there is no such predicate")
    words = NodeWords.of(shape)
    count = shape.architecture.node_counts[1]
    for child, place in enumerate(places):
        node, high = divmod(child, 2)
        name = ("low_reference", "high_reference")[high]
        reference = words.span * (place + 1) if place < count else numbers["node_value"][place - count]
        if numbers[name][node] != reference:
            raise RuleError("R-L-DERIVED", f"{name} {node}", "it is that of another child")
    highs = numbers.get("node_missing", ())
    return words.of_nodes(numbers["node_predicate"], highs, numbers["low_reference"], numbers["high_reference"])


def _parts(shape: LinkShape, wires: Wires) -> dict[str, Elements]:
    """Return the negative parts of the weights; refuse bits that are not those of their signs."""
    parts = {}
    for layer in range(2, len(shape.architecture.hidden) + 1):
        weights, negative = wires[f"weights.{layer}"], wires[f"negative_weight.{layer}"]
        hold_signs("R-L-DERIVED", f"layer {layer}, weights", weights, negative)
        parts[f"negative_part.{layer}"] = -negative * weights
    return parts
