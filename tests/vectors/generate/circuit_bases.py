"""Write honest wires of the sub-circuits of scheme `branch`: `python -m tests.vectors.generate.circuit_bases`.

They come from a search in floats, which other machines may end with other trees. So they are written on purpose only,
where the wires of a gadget change; the vectors around them are made of what stands there.
"""

from __future__ import annotations

import re

import msgspec

from equiproof.circuits.subcircuit import subcircuit
from tests.circuits.branch_cases import BRANCHING, having, kept
from tests.vectors.vector import FOLDER, CircuitBase

SEED = 79
"""Two neurons under one, one logit, two slices, each split once; inside ranges, a leaf that nothing is cut off."""


WIDE = 280
"""Two neurons under two, three logits, two plain columns: what is alone in its row elsewhere has a neighbor here."""

DEEP = 83
"""One neuron in each of three layers, so that the order of layers counts."""

MANY = 10
"""So many slices that a leaf looks up the lines of its own."""


def write() -> None:
    """Write two bases for every gadget, and some for what those leave out."""
    cases = {gadget: having(gadget, SEED) for gadget in BRANCHING}
    cases |= {"leaf_inside": kept(SEED), "leaf_inside_wide": kept(WIDE)}
    cases |= {f"{gadget}_wide": having(gadget, WIDE) for gadget in BRANCHING}
    cases |= {"bounds_deep": having("bounds", DEEP), "leaf_many": having("leaf", MANY)}
    for name, of in cases.items():
        circuit = subcircuit(re.sub("(_inside)?(_wide|_deep|_many)?$", "", name), of.shape)
        wires = {name: [str(value) for value in values] for name, values in of.alone(circuit, 0).items()}
        base = msgspec.json.encode(CircuitBase(circuit, wires))
        (FOLDER / "base" / f"{name}.json").write_bytes(msgspec.json.format(base, indent=1) + b"\n")


if __name__ == "__main__":
    write()
