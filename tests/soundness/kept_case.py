"""Kept forms of witnesses: the same evidence about a model that a link opens, and the wires of that link.

Without keys the challenge of the words is FIRST; where a key makes it, it follows from the model's point.
"""

from __future__ import annotations

from dataclasses import replace

from equiproof.circuits.field import ORDER
from equiproof.circuits.layout import layout
from equiproof.circuits.link_shape import LinkShape, link_shape
from equiproof.circuits.shape import Shape, kept_shape
from tests.soundness.branch_case import Lie
from tests.soundness.cheating_owner import FIRST, Wires, commitment_of

LINK_BLINDING, KEY = 31, 32


def kept_wires(shape: Shape, wires: Wires) -> Wires:
    """Return the wires of the kept form of a relation's witness, with the negative parts that its weights have."""
    kept = {**wires, "model_commitment": [commitment_of(shape, wires)], "link_blinding": [LINK_BLINDING]}
    for layer in range(2, len(shape.architecture.hidden) + 1):
        kept[f"negative_part.{layer}"] = [max(0, -centred(weight)) for weight in wires[f"weights.{layer}"]]
    return {name: list(kept[name]) for name, _ in layout(kept_shape(shape))}


def link_wires(shape: Shape, wires: Wires) -> Wires:
    """Return the wires of the link of a witness that opens its model itself."""
    link = {**wires, "key": [KEY], "link_blinding": [LINK_BLINDING], "at": [FIRST]}
    for layer in range(2, len(shape.architecture.hidden) + 1):
        link[f"negative_weight.{layer}"] = [int(centred(weight) < 0) for weight in wires[f"weights.{layer}"]]
    return {name: list(link[name]) for name, _ in layout(link_shape(shape))}


def kept_form(lie: Lie) -> Lie:
    """Return the kept form of a witness, under the public input that goes with its wires."""
    return replace(lie, shape=kept_shape(lie.shape), wires=kept_wires(lie.shape, lie.wires), digest=None)


def centred(value: int) -> int:
    """Return the integer of smallest magnitude of a residue."""
    residue = value % ORDER
    return residue - ORDER if residue > ORDER // 2 else residue


def linked(lie: Lie) -> tuple[LinkShape, Wires]:
    """Return the link of a witness that opens its model itself."""
    return link_shape(lie.shape), link_wires(lie.shape, lie.wires)
