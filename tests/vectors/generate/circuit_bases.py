"""Write honest wires of the sub-circuits of scheme `branch`: `python -m tests.vectors.generate.circuit_bases`.

They come from a search in floats, which other machines may end with other trees. So they are written on purpose only,
where the wires of a gadget change; the vectors around them are made of what stands there.
"""

from __future__ import annotations

import msgspec

from circuits.subcircuit import subcircuit
from tests.circuits.branch_cases import BRANCHING, having
from tests.vectors.vector import FOLDER, CircuitBase

SEED = 79
"""Two neurons under one, one logit, two slices, each split once."""


def write() -> None:
    """Write a base for every gadget."""
    for gadget in BRANCHING:
        of = having(gadget, SEED)
        circuit = subcircuit(gadget, of.shape)
        wires = {name: [str(value) for value in values] for name, values in of.alone(circuit, 0).items()}
        base = msgspec.json.encode(CircuitBase(circuit, wires))
        (FOLDER / "base" / f"{gadget}.json").write_bytes(msgspec.json.format(base, indent=1) + b"\n")


if __name__ == "__main__":
    write()
