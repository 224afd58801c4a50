"""R-B-BOUND: a deeper neuron's bounds are no nearer than the forms of its passes show.

With R-B-BACKWARD, and R-B-RADIUS or on a box R-X-FALL.

2^(q (L-1)) l <= 2^(sum of k) (centre - reach), and with the negated row -u in place of l; both sides are divided by the
power of two that they share.
"""

from __future__ import annotations

from equiproof.circuits.branch_layout import shape_parameters
from equiproof.circuits.reference.falls import fall_of, hold_signs
from equiproof.circuits.reference.field import GF, Elements, Wires, require_non_negative
from equiproof.circuits.reference.passes import Lines, Start, descend, one_of, reach, weights_of
from equiproof.circuits.shape import Shape


def bounds(shape: Shape, wires: Wires) -> None:
    """Refuse bounds of the hidden layers from 2 up, on one slice, that the stated passes do not prove."""
    hidden = shape.architecture.hidden
    lines = [
        Lines(*(wires[f"{name}.{layer}"] for name in ("lower", "upper", "offset"))) for layer in range(1, len(hidden))
    ]
    for top in range(2, len(hidden) + 1):
        weights = weights_of(shape, wires, top)
        positive_parts, negative_parts = _parts(shape, wires, top)
        for number in range(2 * hidden[top - 1]):
            i, upper = divmod(number, 2)
            sign = -GF(1) if upper else GF(1)
            where = f"layer {top}, neuron {i}, {'upper' if upper else 'lower'} bound"
            # The upper bound is the negated lower one of the negated row, whose P is the row's Q.
            positive = negative_parts[i] if upper else positive_parts[i]
            start = Start(top, sign * weights[i], positive, sign * wires[f"biases.{top}"][i])
            take = one_of(wires, 2 * hidden[top - 1], number)
            coefficients, centre = descend(shape, wires, take, start, lines, wires["row"], where)
            if shape.boxes:
                far = fall_of(shape, wires, take, top, coefficients, where)
            else:
                far = reach(shape, take, top, coefficients, wires["radius_squared"][0], where)
            claim = sign * wires[f"{'high' if upper else 'low'}.{top}"][i]
            shift = shape_parameters(shape).shift(top)
            above = (centre - far) * GF(1 << max(shift, 0)) - claim * GF(1 << max(-shift, 0))
            require_non_negative("R-B-BOUND", where, above)


def _parts(shape: Shape, wires: Wires, top: int) -> tuple[Elements, Elements]:
    """Return the positive and the negative parts of a layer's weights; refuse bits that are not those of their signs.

    A kept model's words have the negative parts, which its link holds to the weights.
    """
    weights = weights_of(shape, wires, top)
    if shape.kept:
        negative = wires[f"negative_part.{top}"].reshape(weights.shape)
        return weights + negative, negative
    bits = wires[f"negative_weight.{top}"].reshape(weights.shape)
    hold_signs("R-B-BACKWARD", f"layer {top}, weights", weights.ravel(), bits.ravel())
    return (GF.Ones(bits.shape) - bits) * weights, -bits * weights
