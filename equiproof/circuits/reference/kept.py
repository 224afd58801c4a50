"""R-K-FIRST, R-K-POLY and R-K-SHOWN: what is shown of a kept model's words (docs/relation-kept.md).

Words of a certificate have no widths here: they are field elements as they stand, and a negative part is no other
number than the wire that is called so. Where words have the widths that their link proves, this is what the circuit
accepts; for others the circuit promises nothing, and there is no link. The challenge of the first commitment is given:
that this one is of the words in order, the model commitment and a mask is a matter of the compiled system.
"""

from __future__ import annotations

from collections.abc import Sequence

from equiproof.circuits.commitment import tag
from equiproof.circuits.field import ORDER
from equiproof.circuits.poseidon2 import hash_elements
from equiproof.circuits.reference.field import GF, Elements, Wires, residues
from equiproof.circuits.shape import Shape


def with_predicates(shape: Shape, numbers: dict[str, list[int]]) -> dict[str, list[int]]:
    """Return numbers about a model of scheme `trees` with columns and thresholds by name, of a kept one, too."""
    if not shape.kept:
        return numbers
    pairs = numbers["predicates"]
    return {**numbers, "columns": pairs[::2], "thresholds": pairs[1::2]}


def shown(wires: Wires, names: Sequence[str], commitment: Elements, r: Elements) -> Elements:
    """Return what is shown: the hash of a blinding and of the polynomial of a commitment and the named words at r."""
    value, point = int(commitment), int(r)
    # In plain integers: galois takes as long for a word as for a layer.
    for word in (word for name in names for word in residues(wires[name])):
        value = (value * point + word) % ORDER
    return GF(hash_elements([tag("equiproof.link"), 1, int(wires["link_blinding"][0]), value]))
