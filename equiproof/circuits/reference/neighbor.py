"""R-NEIGHBOR: where a facet is crossed, the region of the same slice that differs in that bit is in the set."""

from __future__ import annotations

from equiproof.circuits.reference.field import GF, RuleError, Wires, elements
from equiproof.circuits.shape import Shape


def neighbor(shape: Shape, wires: Wires) -> None:
    """Refuse a row whose neighbor across a facet is not the row that `neighbor` points to.

    A facet that is not crossed must point to the row itself or to an equal one, as in the circuit.
    """
    neurons = shape.architecture.neurons
    powers = elements(1 << i for i in range(neurons))
    patterns = wires["pattern"].reshape(shape.capacity, neurons)
    keys = wires["slice"] * GF(1 << neurons) + (patterns * powers).sum(axis=1)
    for facet, pointer in enumerate(wires["neighbor"]):
        row, i = divmod(facet, neurons)
        where = f"row {row}, facet {i}"
        if int(pointer) >= shape.capacity:
            raise RuleError("R-NEIGHBOR", where, f"there is no row {int(pointer)}")
        step = wires["crossed"][facet] * (GF(1) - GF(2) * patterns[row, i]) * powers[i]
        if keys[int(pointer)] != keys[row] + step:
            raise RuleError("R-NEIGHBOR", where, f"row {int(pointer)} is not the region across")
