"""Makes evidence in the circuit's integers from guesses in floats: bounds of a slice for a radius, proofs of leaves.

Every slope and multiplier is rounded to its integer first; bounds, splits and radii then follow exactly, rounded to the
safe side. The result is valid by construction, or None; the checker checks it again all the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isqrt

from equiproof.certify.branch.backward import (
    FinalForm,
    Signs,
    Slopes,
    final_form,
    leaf_parts,
    margin_start,
    round_down,
    slopes_of,
    squared,
    through,
)
from equiproof.certify.branch.budget import Meter, integer_work
from equiproof.certify.branch.cutting import cut_of
from equiproof.certify.branch.descents import descents
from equiproof.certify.branch.evidence import LayerBounds, Margin, Pass, Row
from equiproof.certify.network import QuantisedNetwork
from equiproof.circuits.branch_parameters import Parameters
from equiproof.circuits.spec import Box

SliceBounds = tuple[LayerBounds, ...]

_WIDTH_SHARE = 1 - 2.0**-40
"""The share of its width that a multiplier may take: products of floats are rounded, and none may exceed the width."""


@dataclass(frozen=True)
class Guess:
    """Multipliers of a leaf for one class as floats, unscaled: M, then per layer 1..H beta, A in 0..1 and overlap.

    The overlap is the common part of P and Q; it is positive where both relaxed sides of a neuron hold with equality.
    """

    multiplier: float
    beta: tuple[list[float], ...]
    lower: tuple[list[float], ...]
    overlap: tuple[list[float], ...]


def root_up(square: int) -> int:
    """Return the least r >= 0 with r^2 >= square: a radius is rounded up, since it is subtracted from a bound."""
    return isqrt(square - 1) + 1 if square > 0 else 0


def first_radii_of(network: QuantisedNetwork, columns: int, radius_squared: int) -> Row:
    """Return the radii of layer 1: how far each neuron moves on the ball at most, rounded up."""
    return tuple(root_up(radius_squared * squared(row[:columns])) for row in network.layers[0].weights)


def neuron_lines(low: int, high: int, unit: int) -> tuple[int, int, int]:
    """Return A, K, T of a neuron on low..high: the chord rounded outwards, and the tighter lower line.

    `unit` is 2^q; A and K are slopes with q fractional bits.
    """
    if low >= 0:
        return unit, unit, 0
    if high <= 0:
        return 0, 0, 0
    # K is rounded up, T is what the rounded K needs at both ends: the line is above 2^q relu(z) at l and at u, and so
    # in between, since relu is convex.
    chord = -(-unit * high // (high - low))
    offset = max(-chord * low, (unit - chord) * high)
    tighter = unit if high > -low else 0
    return tighter, chord, offset


def slice_bounds(
    parameters: Parameters,
    network: QuantisedNetwork,
    query: Sequence[int],
    row: Sequence[int],
    radius_squared: int,
    slopes: Sequence[Row] = (),
    meter: Meter | None = None,
) -> SliceBounds:
    """Return bounds and relaxations of every hidden layer on the ball of one slice, of a squared radius in grid units.

    `slopes` are A of layers 1..H-1 in place of the tighter ones; stable neurons keep theirs. Raises NoTreeError where
    the meter ends it.
    """
    meter = meter or Meter()
    # The last hidden layer has no A: only leaves go through it, each with its own.
    layer_slopes: list[Row | None] = [*slopes, None] if slopes else [None] * len(network.hidden)
    radii = first_radii_of(network, len(query), radius_squared)
    values = network.layers[0]((*query, *row))
    low = [value - r for value, r in zip(values, radii, strict=True)]
    high = [value + r for value, r in zip(values, radii, strict=True)]
    layers = [layer_of(parameters, low, high, (), (), layer_slopes[0], last=len(network.hidden) == 1)]

    def proven(top: int, coefficients: Row, constant: int, rows: Sequence[tuple[Row, Row]]) -> tuple[int, Pass]:
        rounding = parameters.coefficient_rounding[top - 2]
        form = final_form(coefficients, constant, query, row, rounding)
        descent = _with_radii(form, rows, radius_squared)
        return form.centre - (descent.radius << rounding) - descent.remainder_radius, descent

    for top in range(2, len(network.hidden) + 1):
        layers.append(deeper_layer(parameters, network, top, layers, layer_slopes[top - 1], proven, meter))
    return tuple(layers)


Proven = Callable[[int, Row, int, Sequence[tuple[Row, Row]]], tuple[int, Pass]]
"""What a form of a top layer over the columns is at least, at its own scale, with the pass that shows it.

It is given the top layer, the form's coefficients and constant, and P and Q of every layer in between."""


def deeper_layer(
    parameters: Parameters,
    network: QuantisedNetwork,
    top: int,
    layers: Sequence[LayerBounds],
    slopes: Row | None,
    proven: Proven,
    meter: Meter,
) -> LayerBounds:
    """Return the bounds of a layer from 2 up, with the passes that prove them and their relaxation.

    `layers` are those below, `slopes` as of :func:`layer_of`. Raises NoTreeError where the meter ends it.
    """
    work = integer_work(network.layers[: top - 1], 2)
    shift = parameters.shift(top)
    ends: dict[int, list[int]] = {1: [], -1: []}
    passes: dict[int, list[Pass]] = {1: [], -1: []}
    for _ in range(network.hidden[top - 1]):
        meter.pay(work)
    # The upper bound of z is the lower bound of -z, so both are rounded to the safe side.
    signs = (sign for sign in (1, -1) for _ in range(network.hidden[top - 1]))
    for sign, (coefficients, constant, rows) in zip(signs, descents(network, parameters, top, layers), strict=True):
        value, descent = proven(top, coefficients, constant, rows[1:])
        # A shift to the right rounds down, also below 0: a lower bound stays one.
        ends[sign].append(sign * (value << shift if shift >= 0 else value >> -shift))
        passes[sign].append(descent)
    last = top == len(network.hidden)
    return layer_of(parameters, ends[1], ends[-1], tuple(passes[1]), tuple(passes[-1]), slopes, last=last)


def layer_of(
    parameters: Parameters,
    low: Sequence[int],
    high: Sequence[int],
    below: tuple[Pass, ...],
    above: tuple[Pass, ...],
    slopes: Row | None,
    *,
    last: bool,
) -> LayerBounds:
    """Return a layer's bounds with their relaxation; `slopes` replace the lower ones of unstable neurons."""
    lines = [neuron_lines(least, largest, parameters.unit) for least, largest in zip(low, high, strict=True)]
    lower, upper, offset = zip(*lines, strict=True)
    if slopes is not None:
        ends = zip(low, high, slopes, lower, strict=True)
        lower = tuple(slope if least < 0 < largest else tighter for least, largest, slope, tighter in ends)
    return LayerBounds(tuple(low), tuple(high), () if last else lower, upper, offset, below, above)


def _with_radii(form: FinalForm, rows: Sequence[tuple[Row, Row]], radius_squared: int) -> Pass:
    """Return a pass with the least radii of its form."""
    return Pass(
        tuple(positive for positive, _ in rows),
        tuple(negative for _, negative in rows),
        root_up(radius_squared * squared(form.coarse)),
        root_up(radius_squared * squared(form.rest)),
    )


def leaf_margin(
    parameters: Parameters,
    network: QuantisedNetwork,
    query: Sequence[int],
    row: Sequence[int],
    at_slice: SliceBounds,
    signs: Sequence[Signs],
    logits: Row,
    guess: Guess,
    radius_squared: int,
    box: Box | None = None,
) -> Margin | None:
    """Return the proof of a margin, a row over the logits, on a part of a slice's ball; None where the guess fails.

    `signs` are those of the layers from 1 up. With a box, the proof covers the part inside it.
    """
    made = leaf_form(parameters, network, at_slice, signs, logits, guess)
    if made is None:
        return None
    coefficients, constant = made.coefficients, made.constant
    rounding = parameters.coefficient_rounding[-1]
    cut = () if box is None else cut_of(coefficients[: len(query)], query, box, radius_squared)
    form = final_form(coefficients, constant, query, row, rounding, cut=cut, box=box)
    radius = root_up(radius_squared * squared(form.coarse))
    remainder_radius = root_up(radius_squared * squared(form.rest))
    # The ball is open, so equality suffices for the radii; at the centre the form itself has to be positive.
    if form.centre < max(1, (radius << rounding) + remainder_radius):
        return None
    if not rounding:
        # A form that is not rounded has no radii of its own: the centre serves.
        radius = remainder_radius = 0
    return Margin(made.multiplier, made.excess, made.lower, radius, remainder_radius, cut)


@dataclass(frozen=True, repr=False)
class LeafForm:
    """The form over all columns that M times a margin is nowhere below on a leaf's part, with M, the excess and A."""

    multiplier: int
    excess: tuple[Row, ...]
    lower: tuple[Row, ...]
    coefficients: Row
    constant: int


def leaf_form(
    parameters: Parameters,
    network: QuantisedNetwork,
    at_slice: SliceBounds,
    signs: Sequence[Signs],
    logits: Row,
    guess: Guess,
) -> LeafForm | None:
    """Return the form to which a guess carries a margin, a row over the logits; None for a guess of nothing."""
    scale = _scale(parameters, guess)
    if scale is None:
        return None
    top = len(network.layers)
    multiplier = round(scale * guess.multiplier)
    coefficients, constant = margin_start(network, logits, multiplier)
    excesses: list[Row] = []
    lower: list[Row] = []
    for j in range(top - 1, 0, -1):
        shift = parameters.rounding[top - 2][j - 1]
        scale /= 1 << shift
        coefficients, constant = round_down(coefficients, constant, shift)
        layer_signs = signs[j - 1]
        excess = _excess(coefficients, layer_signs, guess, j, scale, parameters)
        slopes = Slopes(_slopes(guess.lower[j - 1], parameters.unit), at_slice[j - 1].upper, at_slice[j - 1].offset)
        positive, negative, beta = leaf_parts(coefficients, layer_signs, excess)
        mu, offset = slopes_of(coefficients, positive, negative, layer_signs, slopes, beta, parameters.unit)
        coefficients, constant = through(network.layers[j - 1], mu, parameters.unit * constant - offset)
        excesses.append(excess)
        lower.append(slopes.lower)
        scale *= parameters.unit
    return LeafForm(multiplier, tuple(excesses), tuple(lower), coefficients, constant)


def _slopes(lower: Sequence[float], unit: int) -> Row:
    """Return A with q fractional bits: rounded to the nearest, since any A from 0 to 2^q is sound."""
    return tuple(min(max(0, round(unit * slope)), unit) for slope in lower)


def _excess(coefficients: Row, signs: Signs, guess: Guess, layer: int, scale: float, parameters: Parameters) -> Row:
    """Return the excess of a layer: beta where a neuron is on or off, else Q, the negative part and the overlap.

    Any beta >= 0 and any overlap >= 0 are sound, so they are rounded to the nearest.
    """
    largest = (1 << parameters.form(len(parameters.sizes.hidden) + 1).split_bits[layer - 1]) - 1
    excess = []
    for i, coefficient in enumerate(coefficients):
        if signs.on[i] or signs.off[i]:
            excess.append(max(0, round(parameters.unit * scale * guess.beta[layer - 1][i])))
        else:
            # P and Q both have to fit their width, and one of them is the overlap more than the coefficient's size.
            overlap = min(max(0, round(scale * guess.overlap[layer - 1][i])), largest - abs(coefficient))
            excess.append(max(-coefficient, 0) + overlap)
    return tuple(excess)


def _scale(parameters: Parameters, guess: Guess) -> float | None:
    """Return the largest scale at which M and every beta fit, with M an integer if not 0; None without a guess."""
    top = len(parameters.sizes.hidden) + 1
    split_bits = parameters.form(top).split_bits
    scale = parameters.unit / guess.multiplier if guess.multiplier > 0 else float("inf")
    factor = 1.0
    for j in range(top - 1, 0, -1):
        factor /= 1 << parameters.rounding[top - 2][j - 1]
        overlap = max(guess.overlap[j - 1], default=0.0)
        if overlap > 0:
            # lambda takes a part of the width of P and Q; half of it is enough.
            scale = min(scale, (1 << (split_bits[j - 1] - 1)) / (overlap * factor))
        factor *= parameters.unit
        beta = max(guess.beta[j - 1], default=0.0)
        if beta > 0:
            largest = (1 << (split_bits[j - 1] + parameters.fraction_bits)) - 1
            scale = min(scale, _WIDTH_SHARE * largest / (beta * factor))
    if scale == float("inf"):
        return None
    # With M an integer, the form starts without a rounding of its own.
    multiplier = int(scale * guess.multiplier)
    return multiplier / guess.multiplier if multiplier else scale
