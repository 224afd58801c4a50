"""Rules of forms in the plaintext checker: the backward pass, the radius, and the checks of widths.

Every private number is checked against its width by the first rule that uses it; only plain integers pass.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from equiproof.certify.branch.backward import (
    FinalForm,
    Signs,
    Slopes,
    final_form,
    leaf_parts,
    round_down,
    slopes_of,
    squared,
    through,
)
from equiproof.certify.branch.evidence import LayerBounds, Margin, Pass, Row
from equiproof.certify.errors import EvidenceError
from equiproof.certify.network import QuantisedNetwork
from equiproof.circuits.branch_parameters import Parameters
from equiproof.circuits.spec import Box


@dataclass(frozen=True)
class Centre:
    """A slice's centre: the query's n_x integers and the slice's n_s."""

    query: Sequence[int]
    row: Sequence[int]


def backward(
    network: QuantisedNetwork,
    parameters: Parameters,
    top: int,
    start: tuple[Row, int],
    descent: Pass | Margin,
    layers: Sequence[LayerBounds],
    signs: Sequence[Signs],
    where: str,
) -> tuple[Row, int]:
    """R-B-BACKWARD: carry a form over h_(L-1) down to the inputs, layer by layer, j = L-1 .. 1.

    At each: divide by 2^k and round down; lambda = P - Q with P, Q >= 0 on free neurons; take the slopes of the signs;
    multiply by the weights. At leaves signs are listed from layer 1 up, and the excess, which is Q on free neurons and
    beta on others, and A are the margin's; bounds have free neurons only.
    """
    coefficients, constant = start
    for place, j in enumerate(range(top - 1, 0, -1)):
        coefficients, constant = round_down(coefficients, constant, parameters.rounding[top - 2][j - 1])
        bits = parameters.form(top).split_bits[j - 1]
        bounds = layers[j - 1]
        at_layer = f"{where}, layer {j}"
        if isinstance(descent, Pass):
            layer_signs = None
            lower = bounds.lower
            positive = descent.positive[place]
            negative = descent.negative[place]
            beta: Row = ()
            hold_parts(coefficients, positive, negative, bits, at_layer)
        else:
            layer_signs = signs[j - 1]
            lower = descent.lower[place]
            positive, negative, beta = leaf_parts(coefficients, layer_signs, descent.excess[place])
            hold_row("R-B-BACKWARD", f"{at_layer}, P", positive, len(coefficients), 0, bits)
        slopes = Slopes(lower, bounds.upper, bounds.offset)
        mu, offset = slopes_of(coefficients, positive, negative, layer_signs, slopes, beta, parameters.unit)
        coefficients, constant = through(network.layers[j - 1], mu, parameters.unit * constant - offset)
    return coefficients, constant


def radius(
    form: FinalForm, descent: Pass | Margin, parameters: Parameters, top: int, radius_squared: int, where: str
) -> int:
    """R-B-RADIUS: r, rho >= 0 with r^2 >= R2 |c'|^2 and rho^2 >= R2 |e|^2, c = 2^kc c' + e; returns 2^kc r + rho.

    The form changes by at most this on the ball. e is the remainder of rounding to the nearest. A margin without
    roundings has no r of its own: its centre, which is at least 1, serves as r, and is then trivially no less than r.
    """
    widths = parameters.form(top)
    kc = parameters.coefficient_rounding[top - 2]
    hold_integer("R-B-RADIUS", where, descent.radius, 0, widths.radius_bits)
    hold_integer("R-B-RADIUS", where, descent.remainder_radius, 0, widths.remainder_radius_bits)
    r = form.centre if isinstance(descent, Margin) and not kc else descent.radius
    if r < 0 or r**2 < radius_squared * squared(form.coarse):
        raise EvidenceError("R-B-RADIUS", where, "the radius is too small for the form's coefficients")
    if descent.remainder_radius**2 < radius_squared * squared(form.rest):
        raise EvidenceError("R-B-RADIUS", where, "the radius is too small for the remainder of rounding")
    return (r << kc) + descent.remainder_radius


def inside(query: Sequence[int], box: Box) -> None:
    """R-B-RANGES: the query lies inside the ranges, column by column."""
    for column, (value, low, high) in enumerate(zip(query, *box, strict=True)):
        if not low <= value <= high:
            raise EvidenceError("R-B-RANGES", f"column {column}", f"the query's {value} is not from {low} to {high}")


def cut(
    margin: Margin, over_columns: tuple[Row, int], parameters: Parameters, at: Centre, box: Box | None, where: str
) -> FinalForm:
    """R-B-CUT: subtract from the form only what is never negative inside the ranges; returns the form.

    `over_columns` has the form's coefficients and its constant. Per column `cut` times (x' - low) is subtracted where
    it is positive, `-cut` times (high - x') where it is negative. The cut has signed bits of its width. Without ranges
    there is none.
    """
    hold_count("R-B-CUT", f"{where}, cut", margin.cut, 0 if box is None else parameters.sizes.plain)
    for value in margin.cut:
        limit = 1 << (parameters.cut_bits - 1)
        if type(value) is not int or not -limit <= value < limit:
            raise EvidenceError("R-B-CUT", f"{where}, cut", f"{value!r} leaves its width")
    rounding = parameters.coefficient_rounding[-1]
    return final_form(*over_columns, at.query, at.row, rounding, cut=margin.cut, box=box)


def hold_bounds(rule: str, here: LayerBounds, parameters: Parameters, number: int, depth: int) -> None:
    """Check l and u of a layer against their width."""
    size = parameters.sizes.hidden[depth - 1]
    limit = 1 << (parameters.bound_bits[depth - 1] - 1)
    for what, row in (("low", here.low), ("high", here.high)):
        hold_count(rule, f"slice {number}, layer {depth}, {what}", row, size)
        for value in row:
            if type(value) is not int or not -limit <= value < limit:
                raise EvidenceError(rule, f"slice {number}, layer {depth}, {what}", f"{value!r} leaves its width")


def hold_parts(coefficients: Row, positive: Row, negative: Row, bits: int, where: str) -> None:
    """R-B-BACKWARD: lambda = P - Q with both from 0 to 2^bits - 1."""
    hold_row("R-B-BACKWARD", f"{where}, P", positive, len(coefficients), 0, bits)
    hold_row("R-B-BACKWARD", f"{where}, Q", negative, len(coefficients), 0, bits)
    if any(c != p - q for c, p, q in zip(coefficients, positive, negative, strict=True)):
        raise EvidenceError("R-B-BACKWARD", where, "P - Q is not the form's coefficients")


def hold_slopes(rule: str, where: str, row: Sequence[int], size: int, unit: int) -> None:
    """Check that slopes, or M, are in 0 .. 2^q."""
    hold_count(rule, where, row, size)
    if any(type(value) is not int or not 0 <= value <= unit for value in row):
        raise EvidenceError(rule, where, f"a slope or multiplier is not an integer from 0 to {unit}")


def hold_row(rule: str, where: str, row: Sequence[int], size: int, low: int, bits: int) -> None:
    """Check the size of a row, and that its integers are in low .. 2^bits - 1."""
    hold_count(rule, where, row, size)
    for value in row:
        hold_integer(rule, where, value, low, bits)


def hold_integer(rule: str, where: str, value: int, low: int, bits: int) -> None:
    """Check that a number is a plain integer in low .. 2^bits - 1; floats and fixed-width integers are refused."""
    if type(value) is not int or not low <= value < 1 << bits:
        raise EvidenceError(rule, where, f"{value!r} is not an integer from {low} to 2^{bits} - 1")


def hold_count(rule: str, where: str, rows: Sequence[object], size: int) -> None:
    """Check the length of a sequence."""
    if len(rows) != size:
        raise EvidenceError(rule, where, f"{len(rows)} entries, want {size}")
