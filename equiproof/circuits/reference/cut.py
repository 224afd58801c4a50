"""R-B-CUT: what is taken off a form is never negative inside the ranges."""

from __future__ import annotations

from equiproof.circuits.reference.field import GF, Elements, Wires, centered, require_equal
from equiproof.circuits.reference.passes import Take
from equiproof.circuits.shape import Shape


def cut(
    shape: Shape, wires: Wires, take: Take, coefficients: Elements, centre: Elements, where: str
) -> tuple[Elements, Elements]:
    """Return the coefficients and the value at the centre of a form after its cut; refuse signs that are not the cut's.

    Each column contributes the cut times the distance to the least value where the cut is positive, to the largest
    value where it is negative.
    """
    values = take("cut")
    negative = take("negative_cut")
    for column in range(shape.architecture.plain):
        below = GF(int(centered(values[column]) < 0))
        require_equal("R-B-CUT", f"{where}, sign of column {column}", negative[column], below)
        end = wires["range_high" if below else "range_low"][column]
        centre -= values[column] * (wires["query"][column] - end)
    return coefficients - values, centre
