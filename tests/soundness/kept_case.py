"""Kept forms of witnesses: the same evidence about a model that a link opens, and the wires of that link.

Without keys the challenge of the words is FIRST; where a key makes it, it follows from the model's point.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

from equiproof.circuits.commitment import tag
from equiproof.circuits.field import ORDER
from equiproof.circuits.layout import layout
from equiproof.circuits.link_shape import LinkShape, link_shape
from equiproof.circuits.poseidon2 import hash_elements
from equiproof.circuits.shape import Shape, kept_shape
from tests.soundness.additive_told import Told, scored_commitment
from tests.soundness.branch_case import Lie
from tests.soundness.cheating_owner import FIRST, Wires, commitment_of, shown_of

Witness = TypeVar("Witness", Lie, Told)
"""A witness about a network, or about an additive model or an ensemble."""

LINK_BLINDING, KEY = 31, 32


def opened_commitment(shape: Shape | LinkShape, wires: Wires) -> int:
    """Return the commitment that the wires of any model open."""
    return scored_commitment(shape, wires) if shape.additive else commitment_of(shape, wires)


def words_of(shape: Shape | LinkShape, wires: Wires) -> Wires:
    """Return the words of the model that wires open, by run; what follows from its numbers, as they are, is derived."""
    if shape.additive:
        return _score_words(shape, wires)
    layers = len(shape.architecture.layers)
    names = [f"{name}.{layer}" for layer in range(1, layers + 1) for name in ("weights", "biases")]
    words = {name: wires[name] for name in names}
    for layer in range(2, layers):
        words[f"negative_part.{layer}"] = [max(0, -centred(weight)) for weight in wires[f"weights.{layer}"]]
    return words


def _score_words(shape: Shape | LinkShape, wires: Wires) -> Wires:
    """Return those of an additive model or an ensemble."""
    pairs = zip(wires["columns"], wires["thresholds"], strict=True)
    words = {
        "predicates": [number for pair in pairs for number in pair],
        "jumps": wires["jumps"],
        "bias": wires["bias"],
    }
    if not shape.has_nodes:
        return words
    names = ("node_predicate", "node_missing", "node_value", "sets")
    words |= {name: wires[name] for name in names if name in wires}
    (trees, nodes), before, places = shape.architecture.node_counts, 0, []
    kinds = [kind for pair in zip(wires["node_low"], wires["node_high"], strict=True) for kind in pair]
    for number, kind in enumerate(kinds):
        places.append(trees + before if kind else nodes + number - before)
        before += kind
    return {**words, "node_child": places}


def kept_wires(shape: Shape, wires: Wires) -> Wires:
    """Return the wires of the kept form of a relation's witness, with what follows from the model's numbers."""
    kept = {**wires, **words_of(shape, wires)}
    kept |= {"model_commitment": [opened_commitment(shape, wires)], "link_blinding": [LINK_BLINDING]}
    return {name: list(kept[name]) for name, _ in layout(kept_shape(shape))}


def link_wires(shape: Shape, wires: Wires) -> Wires:
    """Return the wires of the link of a witness that opens its model itself."""
    link = {**wires, "key": [KEY], "link_blinding": [LINK_BLINDING], "at": [FIRST]}
    for layer in range(2, len(shape.architecture.hidden) + 1):
        link[f"negative_weight.{layer}"] = [int(centred(weight) < 0) for weight in wires[f"weights.{layer}"]]
    return {name: list(link[name]) for name, _ in layout(link_shape(shape))}


def linked_digest(shape: LinkShape, wires: Wires) -> int:
    """Return the public input of the link that wires open, whatever they hold; parts are bits times weights."""
    words = words_of(shape, wires)
    for name in words:
        if name.startswith("negative_part"):
            layer = name.rpartition(".")[2]
            pairs = zip(wires[f"negative_weight.{layer}"], wires[f"weights.{layer}"], strict=True)
            words[name] = [-bit * weight for bit, weight in pairs]
    commitment, (at,) = opened_commitment(shape, wires), wires["at"]
    shown = shown_of((word for run in words.values() for word in run), wires["link_blinding"][0], commitment, at)
    head = [tag("equiproof.link.statement"), 1, shape.digest]
    return hash_elements([*head, commitment, wires["spec_digest"][0], wires["key"][0], at, shown])


def kept_form(of: Witness) -> Witness:
    """Return the kept form of a witness, under the public input that goes with its wires."""
    kept = replace(of, shape=kept_shape(of.shape), wires=kept_wires(of.shape, of.wires))
    return replace(kept, digest=None) if isinstance(kept, Lie) else kept


def centred(value: int) -> int:
    """Return the integer of smallest magnitude of a residue."""
    residue = value % ORDER
    return residue - ORDER if residue > ORDER // 2 else residue


def linked(of: Lie | Told) -> tuple[LinkShape, Wires]:
    """Return the link of a witness that opens its model itself."""
    return link_shape(of.shape), link_wires(of.shape, of.wires)
