"""A backward pass over the field: from a form over neurons to one over the inputs, and how far that one reaches.

R-B-BACKWARD and R-B-RADIUS, of bounds and of leaves. What the circuit proves by an identity, the products with the
weights, is computed here.

Notation: a pass of top layer L goes through the layers j = L - 1..1; at each, lambda and kappa are rounded down by 2^k,
lambda = P - Q, and 2^q (lambda.relu(z) + kappa) is no less than mu.z + the next kappa.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from equiproof.circuits.branch_layout import shape_parameters
from equiproof.circuits.reference.field import (
    GF,
    Elements,
    RuleError,
    Wires,
    centered,
    elements,
    require_equal,
    require_non_negative,
)
from equiproof.circuits.shape import Shape

Take = Callable[[str], Elements]
"""A pass's own wires by what they are: those of a name for one layer."""


@dataclass(frozen=True)
class Lines:
    """How a pass gets through a layer: slopes A, lines K z + T, and at leaves which neurons are on or free.

    At leaves `excess` is Q where a neuron is free, and beta, the multiplier of its sign, where it is on or off.
    """

    lower: Elements
    upper: Elements
    offset: Elements
    on: Elements | None = None
    free: Elements | None = None
    excess: Elements | None = None


@dataclass(frozen=True)
class Start:
    """A form over the neurons below its top layer: lambda, of bounds with its part P, and kappa."""

    top: int
    coefficients: Elements
    positive: Elements | None
    constant: Elements


def weights_of(shape: Shape, wires: Wires, layer: int) -> Elements:
    """Return the matrix of a layer, counted from 1."""
    return wires[f"weights.{layer}"].reshape(shape.architecture.layers[layer - 1])


def one_of(wires: Wires, count: int, number: int) -> Callable[[str], Elements]:
    """Return one of `count` equal runs of the wires of any name."""
    return lambda name: wires[name].reshape(count, -1)[number]


def shares(wires: Wires, names: Sequence[str], count: int, number: int) -> dict[str, Elements]:
    """Return one of `count` equal runs of each of these wires."""
    take = one_of(wires, count, number)
    return {name: take(name) for name in names}


def by_slice(shape: Shape, wires: Wires) -> list[str]:
    """Return the names of the wires of which each slice has as many: bounds, lines, and the passes of bounds."""
    margins = len(shape.architecture.layers)
    passes = [name for name in wires if name.count(".") == 2 and f".{margins}." not in name]
    return [*passes, *(name for name in wires if name.startswith(("low.", "high.", "upper.", "offset.", "lower.")))]


def by_leaf(wires: Wires) -> list[str]:
    """Return the names of the wires of which each leaf has as many."""
    names = list(wires)
    return ["chosen_slice", "signs", *names[names.index("digit") + 1 :]]


def descend(
    shape: Shape, wires: Wires, take: Take, start: Start, lines: Sequence[Lines], row: Elements, where: str
) -> tuple[Elements, Elements]:
    """Return a pass's coefficients over the n_x columns and its value at the slice's centre; `lines` from layer 1 up.

    Raises RuleError for parts below 0 or beyond their width, and for claims that differ from what the rule computes.
    """
    parameters = shape_parameters(shape)
    plain = shape.architecture.plain
    leaf = start.positive is None
    rounding = parameters.rounding[start.top - 2]
    split_bits = parameters.form(start.top).split_bits
    coefficients = start.coefficients
    kappa = start.constant
    positive = start.positive
    for j in range(start.top - 1, 0, -1):
        at = f"{where}, layer {j}"
        name = f"{start.top}.{j}"
        k = rounding[j - 1]
        here = lines[j - 1]
        if j < start.top - 1 and leaf:
            _equal(f"{at}, coefficient", take(f"coefficients.{name}"), coefficients)
        if k:
            exact, coefficients, kappa = coefficients, _floors(coefficients, k), _floors([kappa], k)[0]
            require_equal("R-B-BACKWARD", f"{at}, constant rounded down", take(f"kappa.{name}")[0], kappa)
            claim = take(f"floor.{name}") if leaf else (exact - take(f"rest.{name}")) / GF(1 << k)
            _equal(f"{at}, coefficient rounded down", claim, coefficients)
        if not leaf and j < start.top - 1:
            positive = take(f"positive.{name}")
            _equal(f"{at}, P - Q", positive - take(f"negative.{name}"), coefficients)
        # The parts of bounds at their top follow from the model's weights, or are words of a kept model.
        bits = None if not leaf and j == start.top - 1 else split_bits[j - 1]
        mu, offsets = _passed(at, here, coefficients, positive, bits, GF(parameters.unit))
        coefficients = mu @ weights_of(shape, wires, j)
        gained = (mu * wires[f"biases.{j}"]).sum() - offsets
        kappa = GF(parameters.unit) * kappa + gained
        if j == 1:
            gained += coefficients[:plain] @ wires["query"]
        require_equal("R-B-BACKWARD", f"{at}, constant", take(f"constant.{name}")[0], gained)
    _equal(f"{where}, coefficient", take(f"coefficients.{start.top}.0"), coefficients)
    return coefficients[:plain], kappa + coefficients[:plain] @ wires["query"] + coefficients[plain:] @ row


def _passed(
    where: str, lines: Lines, coefficients: Elements, positive: Elements | None, bits: int | None, unit: Elements
) -> tuple[Elements, Elements]:
    """Return mu, and what the offsets of free neurons take off the constant; P and Q are of so many bits, or any."""
    free = GF.Ones(len(coefficients)) if lines.free is None else lines.free
    parts: Elements = positive if lines.excess is None else free * (coefficients + lines.excess)
    negative: Elements = parts - free * coefficients
    # Of leaves, Q is as wide as the excess.
    for number, value in enumerate([*parts, *negative] if lines.excess is None else [*parts]):
        if bits is not None and int(value) >> bits:
            raise RuleError("R-B-BACKWARD", f"{where}, part {number}", f"{centered(value)} is not of {bits} bits")
    mu = lines.lower * parts - lines.upper * negative
    offsets = (negative * lines.offset).sum()
    if lines.excess is None:
        return mu, offsets
    beta = lines.excess - negative
    off = GF.Ones(len(free)) - free - lines.on
    return mu + lines.on * (unit * coefficients - beta) + off * beta, offsets


def _equal(where: str, claims: Elements, values: Elements) -> None:
    """Refuse claims that differ from what the rule computes."""
    for number, (one, other) in enumerate(zip(claims, values, strict=True)):
        require_equal("R-B-BACKWARD", f"{where} {number}", one, other)


def _floors(values: Iterable[Elements], bits: int) -> Elements:
    """Return integers divided by 2^bits and rounded down."""
    return elements(centered(value) >> bits for value in values)


def reach(shape: Shape, take: Take, top: int, coefficients: Elements, radius_squared: Elements, where: str) -> Elements:
    """Return how much a form changes at most on the ball: r, or 2^kc r + rho where c = 2^kc c' + e (R-B-RADIUS)."""
    kc = shape_parameters(shape).coefficient_rounding[top - 2]
    r = take(f"radius.{top}.0")[0]
    if kc == 0:
        reach_of("R-B-RADIUS", where, coefficients, radius_squared, r)
        return r
    half = 1 << (kc - 1)
    coarse = elements((centered(value) + half) >> kc for value in coefficients)
    for number, (claim, value) in enumerate(zip(take(f"coarse.{top}.0"), coarse, strict=True)):
        require_equal("R-B-RADIUS", f"{where}, rounded coefficient {number}", claim, value)
    rho = take(f"rest_radius.{top}.0")[0]
    reach_of("R-B-RADIUS", where, coarse, radius_squared, r)
    reach_of("R-B-RADIUS", f"{where}, what rounding left", coefficients - coarse * GF(1 << kc), radius_squared, rho)
    return r * GF(1 << kc) + rho


def reach_of(rule: str, where: str, coefficients: Elements, radius_squared: Elements, r: Elements) -> None:
    """Refuse r, which its width keeps from being negative, with r^2 < R2 |c|^2."""
    squares = (coefficients * coefficients).sum()
    require_non_negative(rule, f"{where}, radius", r * r - radius_squared * squares)
