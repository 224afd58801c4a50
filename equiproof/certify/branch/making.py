"""Makes evidence in the circuit's integers from guesses in floats: bounds of a slice for a radius, proofs of leaves.

Every slope and multiplier is rounded to its integer first; bounds, splits and radii then follow exactly, rounded to the
safe side. The result is valid by construction, or None; the checker checks it again all the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isqrt

from equiproof.certify.branch.backward import (
    FinalForm,
    Signs,
    Slopes,
    bound_start,
    final_form,
    margin_start,
    parted,
    round_down,
    slopes_of,
    split_parts,
    squared,
    through,
)
from equiproof.certify.branch.budget import Meter, integer_work
from equiproof.certify.branch.cutting import cut_of
from equiproof.certify.branch.evidence import LayerBounds, Margin, Pass, Row
from equiproof.certify.network import QuantisedNetwork
from equiproof.circuits.branch_parameters import Parameters
from equiproof.circuits.spec import Box

SliceBounds = tuple[LayerBounds, ...]

_ALMOST = 1 - 2.0**-40
"""The margin of multipliers below their width, since products of floats are rounded."""


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
    """Return the least r >= 0 with r^2 >= square."""
    return isqrt(square - 1) + 1 if square > 0 else 0


def first_radii_of(network: QuantisedNetwork, columns: int, radius_squared: int) -> Row:
    """Return the radii of layer 1."""
    return tuple(root_up(radius_squared * squared(row[:columns])) for row in network.layers[0].weights)


def relaxed(low: int, high: int, unit: int) -> tuple[int, int, int]:
    """Return A, K, T of a neuron on low..high: the chord rounded outwards, and the tighter lower line."""
    if low >= 0:
        return unit, unit, 0
    if high <= 0:
        return 0, 0, 0
    k = -(-unit * high // (high - low))
    return (unit if high > -low else 0), k, max(-k * low, (unit - k) * high)


def slice_bounds(
    parameters: Parameters,
    network: QuantisedNetwork,
    query: Sequence[int],
    row: Sequence[int],
    radius_squared: int,
    slopes: Sequence[Row] = (),
    meter: Meter | None = None,
) -> SliceBounds:
    """Return bounds and relaxations of every hidden layer on the ball of one slice.

    `slopes` are A of layers 1..H-1 in place of the tighter ones; stable neurons keep theirs.
    """
    meter = meter or Meter()
    wanted: list[Row | None] = [*slopes, None] if slopes else [None] * len(network.hidden)
    radii = first_radii_of(network, len(query), radius_squared)
    values = network.layers[0]((*query, *row))
    low = [value - r for value, r in zip(values, radii, strict=True)]
    high = [value + r for value, r in zip(values, radii, strict=True)]
    found = [_layer(parameters, low, high, (), (), wanted[0], last=len(network.hidden) == 1)]
    for top in range(2, len(network.hidden) + 1):
        passes: tuple[list[Pass], list[Pass]] = ([], [])
        ends: tuple[list[int], list[int]] = ([], [])
        shift, kc = parameters.shift(top), parameters.coefficient_rounding[top - 2]
        work = integer_work(network.layers[: top - 1], 2)
        for neuron in range(network.hidden[top - 1]):
            meter.pay(work)
            for side, sign in enumerate((1, -1)):
                start = bound_start(network, top, neuron, sign)
                coefficients, constant, rows = _descend(network, parameters, top, start, found)
                form = final_form(coefficients, constant, query, row, kc)
                descent = _with_radii(form, rows[1:], radius_squared)
                value = form.centre - (descent.radius << kc) - descent.remainder_radius
                ends[side].append(value << shift if shift >= 0 else value >> -shift)
                passes[side].append(descent)
        last = top == len(network.hidden)
        below, above = map(tuple, passes)
        found.append(_layer(parameters, ends[0], [-end for end in ends[1]], below, above, wanted[top - 1], last=last))
    return tuple(found)


def _layer(
    parameters: Parameters,
    low: Sequence[int],
    high: Sequence[int],
    below: tuple[Pass, ...],
    above: tuple[Pass, ...],
    wanted: Row | None,
    *,
    last: bool,
) -> LayerBounds:
    """Return a layer's bounds with their relaxation."""
    lines = [relaxed(a, b, parameters.unit) for a, b in zip(low, high, strict=True)]
    lower, upper, offset = zip(*lines, strict=True)
    if wanted is not None:
        ends = zip(low, high, wanted, lower, strict=True)
        lower = tuple(new if a < 0 < b else old for a, b, new, old in ends)
    return LayerBounds(tuple(low), tuple(high), () if last else lower, upper, offset, below, above)


def _descend(
    network: QuantisedNetwork,
    parameters: Parameters,
    top: int,
    start: tuple[Row, int],
    relaxation: Sequence[LayerBounds],
) -> tuple[Row, int, list[tuple[Row, Row]]]:
    """Carry a bound's form down to the inputs; return it with P and Q of every layer in between."""
    coefficients, constant = start
    rows = []
    for j in range(top - 1, 0, -1):
        coefficients, constant = round_down(coefficients, constant, parameters.rounding[top - 2][j - 1])
        positive, negative = split_parts(coefficients)
        rows.append((positive, negative))
        here = relaxation[j - 1]
        slopes = Slopes(here.lower, here.upper, here.offset)
        mu, taken = slopes_of(coefficients, positive, negative, None, slopes, (), parameters.unit)
        coefficients, constant = through(network.layers[j - 1], mu, parameters.unit * constant - taken)
    return coefficients, constant, rows


def _with_radii(form: FinalForm, rows: Sequence[tuple[Row, Row]], radius_squared: int) -> Pass:
    """Return a pass with the least radii of its form."""
    return Pass(
        tuple(row for row, _ in rows),
        tuple(row for _, row in rows),
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

    With a box, the proof covers the part inside it.
    """
    scale = _scale(parameters, guess)
    if scale is None:
        return None
    top = len(network.layers)
    multiplier = round(scale * guess.multiplier)
    coefficients, constant = margin_start(network, logits, multiplier)
    excess: list[Row] = []
    lower: list[Row] = []
    for j in range(top - 1, 0, -1):
        k = parameters.rounding[top - 2][j - 1]
        scale /= 1 << k
        coefficients, constant = round_down(coefficients, constant, k)
        excess.append(_excess(coefficients, signs[j - 1], guess, j, scale, parameters))
        scale *= parameters.unit
        lower.append(
            tuple(min(max(0, round(parameters.unit * value)), parameters.unit) for value in guess.lower[j - 1])
        )
        here = at_slice[j - 1]
        positive, negative, beta = parted(coefficients, signs[j - 1], excess[-1])
        slopes = Slopes(lower[-1], here.upper, here.offset)
        mu, taken = slopes_of(coefficients, positive, negative, signs[j - 1], slopes, beta, parameters.unit)
        coefficients, constant = through(network.layers[j - 1], mu, parameters.unit * constant - taken)
    kc = parameters.coefficient_rounding[top - 2]
    cut = () if box is None else cut_of(coefficients[: len(query)], query, box, radius_squared)
    form = final_form(coefficients, constant, query, row, kc, cut=cut, box=box)
    radii = [root_up(radius_squared * squared(part)) for part in (form.coarse, form.rest)]
    if form.centre < max(1, (radii[0] << kc) + radii[1]):
        return None
    radius, remainder_radius = radii if kc else (0, 0)
    return Margin(multiplier, tuple(excess), tuple(lower), radius, remainder_radius, cut)


def _excess(coefficients: Row, signs: Signs, guess: Guess, layer: int, scale: float, parameters: Parameters) -> Row:
    """Return the excess of a layer: beta where a neuron is on or off, else Q, the negative part and the overlap."""
    room, unit = (1 << parameters.form(len(parameters.sizes.hidden) + 1).split_bits[layer - 1]) - 1, parameters.unit
    found = []
    for i, value in enumerate(coefficients):
        if signs.on[i] or signs.off[i]:
            found.append(max(0, round(unit * scale * guess.beta[layer - 1][i])))
        else:
            shared = min(max(0, round(scale * guess.overlap[layer - 1][i])), room - abs(value))
            found.append(max(-value, 0) + shared)
    return tuple(found)


def _scale(parameters: Parameters, guess: Guess) -> float | None:
    """Return the largest scale at which M and every beta fit, with M an integer if not 0; None without a guess."""
    splits, top = parameters.form(len(parameters.sizes.hidden) + 1).split_bits, len(parameters.sizes.hidden) + 1
    scale = parameters.unit / guess.multiplier if guess.multiplier > 0 else float("inf")
    factor = 1.0
    for j in range(top - 1, 0, -1):
        factor /= 1 << parameters.rounding[top - 2][j - 1]
        shared = max(guess.overlap[j - 1], default=0.0)
        if shared > 0:
            # lambda takes a part of the width of P and Q; half of it is enough.
            scale = min(scale, (1 << (splits[j - 1] - 1)) / (shared * factor))
        factor *= parameters.unit
        beta = max(guess.beta[j - 1], default=0.0)
        if beta > 0:
            scale = min(scale, _ALMOST * ((1 << (splits[j - 1] + parameters.fraction_bits)) - 1) / (beta * factor))
    if scale == float("inf"):
        return None
    whole = int(scale * guess.multiplier)
    return whole / guess.multiplier if whole else scale
