"""R-POLYTOPE: the forms of a region are those of the committed network with exactly its pattern's neurons on.

The circuit has only values and products of rows; here the coefficients of every form are computed: C_1 = W_1 over the
n_x columns and C_(l+1) = W diag(v) C_l, with the constants beside them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from equiproof.circuits.reference.field import GF, Elements, Wires, require_equal
from equiproof.circuits.shape import Shape


@dataclass(frozen=True)
class Forms:
    """Values at the centre and squared norms: of the hidden neurons layer by layer, then of the margins."""

    value: Elements
    norm_squared: Elements


def polytope(shape: Shape, wires: Wires) -> None:
    """Refuse stated values and squared norms that are not those of the region's forms."""
    computed = forms(shape, wires)
    for number in range(len(computed.value)):
        require_equal("R-POLYTOPE", f"value {number}", wires["value"][number], computed.value[number])
        require_equal(
            "R-POLYTOPE", f"norm_squared {number}", wires["norm_squared"][number], computed.norm_squared[number]
        )


def forms(shape: Shape, wires: Wires) -> Forms:
    """Return the forms of a region: of `weights.l`, `biases.l`, `query`, `row`, `pattern` and `label`."""
    a = shape.architecture
    # A form is a row of n_x coefficients and the constant; the inputs' own forms are the columns themselves.
    rows = GF(np.zeros((a.plain + a.sensitive, a.plain + 1), dtype=object))
    rows[: a.plain, : a.plain] = GF.Identity(a.plain)
    rows[a.plain :, a.plain] = wires["row"]
    layer_rows: list[Elements] = []
    bits = wires["pattern"]
    for number, (outputs, inputs) in enumerate(a.layers, start=1):
        weights = wires[f"weights.{number}"].reshape(outputs, inputs)
        biases = wires[f"biases.{number}"]
        if number == len(a.layers):
            weights, biases = _margins(wires["label"], weights, biases)
        rows = weights @ rows
        rows[:, a.plain] += biases
        layer_rows.append(rows)
        active, bits = bits[:outputs], bits[outputs:]
        if number < len(a.layers):
            rows = rows * active.reshape(-1, 1)
    every = GF(np.concatenate(layer_rows))
    coefficients = every[:, : a.plain]
    constants = every[:, a.plain]
    return Forms(coefficients @ wires["query"] + constants, (coefficients * coefficients).sum(axis=1))


def _margins(label: Elements, weights: Elements, biases: Elements) -> tuple[Elements, Elements]:
    """Return the layer of the margins: (2y - 1) logit for one logit, else logit_y - logit_c for every c."""
    if len(label) == 1:
        sign = GF(2) * label[0] - GF(1)
        return sign * weights, sign * biases
    return label @ weights - weights, label @ biases - biases
