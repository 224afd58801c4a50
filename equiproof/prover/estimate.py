"""The cost of a shape, estimated before any long computation starts.

Constraints are counted, not guessed: a shape compiles in seconds, the largest in half a minute. A hopeless one is
recognised before that by what it certainly needs: products of scheme `traversal` (docs/adr/0002 has the formula),
private wires of the others. Times and memory follow the count by straight lines that `bench/growth.py` measures
and fits; they are those of one machine with two cores, and an order of magnitude on any other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

from equiproof.circuits.layout import layout
from equiproof.circuits.link_shape import LinkShape
from equiproof.circuits.schemes import Scheme, scheme_of
from equiproof.circuits.shape import Shape
from equiproof.ffi import backend

MAX_PRODUCTS = 4_000_000
"""Shapes with more products are not compiled: some gigabytes and a minute, for a circuit that nobody wants to prove."""

MAX_WIRES = 800_000
"""The same for the other schemes, in private wires: each takes four to ten constraints, the fewer the more leaves."""


@dataclass(frozen=True)
class Line:
    """cost = base + per_constraint * constraints."""

    base: float
    per_constraint: float

    def __call__(self, constraints: int) -> float:
        """Return the cost of so many constraints."""
        return self.base + self.per_constraint * constraints


@dataclass(frozen=True)
class Lines:
    """The costs of a scheme's circuits in their constraints; a witness takes one processor, a proof all."""

    setup_seconds: Line
    witness_seconds: Line
    prove_seconds: Line
    prove_megabytes: Line
    key_megabytes: Line


# Fitted on two cores by bench/growth.py and research/suites/branch_growth.py.
LINES: dict[Scheme, Lines] = {
    "traversal": Lines(
        Line(0.48, 1.74e-4), Line(3.2e-3, 1.37e-8), Line(0.061, 1.41e-5), Line(57.0, 2.71e-3), Line(0.44, 3.64e-4)
    ),
    "branch": Lines(
        Line(0.2833, 2.2302e-4),
        Line(2.503e-3, 1.5138e-7),
        Line(0.05482, 1.7208e-5),
        Line(57.76, 2.9220e-3),
        Line(-0.3190, 4.2841e-4),
    ),
}
# Seconds of a processor, measured beside those of scheme branch, are 0.8 times these at 12,000 constraints and 0.97
# times at 77,000. Keys were measured themselves.
LINES["trees"] = replace(LINES["branch"], key_megabytes=Line(-0.0566, 3.6484e-4))


@dataclass(frozen=True)
class Estimate:
    """The cost of one shape; `key_megabytes` is the proving key, memory the peak of a process that proves.

    `parts` says what the constraints are for, gadget by gadget.
    """

    capacity: int
    constraints: int
    setup_seconds: float
    prove_seconds: float
    prove_megabytes: float
    key_megabytes: float
    widths: tuple[tuple[str, int], ...]
    parts: tuple[tuple[str, int], ...]


SECONDS_PER_NEED: Mapping[Scheme, float] = {"traversal": 1e-5, "branch": 7e-5, "trees": 7e-5}
"""About how long the library compiles for each product or private wire; measured on two cores, as the costs are."""


class TooLargeError(ValueError):
    """A shape that is not worth compiling; one line with the reason."""


def estimate(shape: Shape) -> Estimate:
    """Count a shape's constraints and estimate what they cost.

    Raises TooLargeError for a shape beyond MAX_PRODUCTS or MAX_WIRES, MalformedInputError where values could outgrow
    the field, naming layer and width (for scheme branch WidthError of :mod:`equiproof.certify.branch`).
    """
    need(shape)
    return _estimated(shape.capacity, shape.document, LINES[scheme_of(shape.scheme)])


def estimate_link(shape: LinkShape) -> Estimate:
    """Count the constraints of links, each of which is proven once, and estimate what they cost; capacity 1.

    Raises TooLargeError for a shape beyond MAX_WIRES, MalformedInputError for one without a circuit.
    """
    if (needed := wires(shape)) > MAX_WIRES:
        raise TooLargeError(f"a link needs more than {needed:,} constraints: the model is too large")
    return _estimated(1, shape.document, LINES["branch"])


def _estimated(capacity: int, document: bytes, lines: Lines) -> Estimate:
    """Count the constraints of a circuit and estimate what they cost."""
    description = compiled(document)
    return Estimate(
        capacity=capacity,
        constraints=description.constraints,
        setup_seconds=lines.setup_seconds(description.constraints),
        prove_seconds=lines.prove_seconds(description.constraints),
        prove_megabytes=lines.prove_megabytes(description.constraints),
        key_megabytes=lines.key_megabytes(description.constraints),
        widths=description.widths,
        parts=description.parts,
    )


@lru_cache(maxsize=64)
def compiled(document: bytes) -> backend.Description:
    """Return what a shape's document compiles to; one look at a model asks for some shapes more than once.

    Raises as :func:`equiproof.ffi.backend.describe`.
    """
    return backend.describe(document)


def counting_seconds(shape: Shape) -> float:
    """Return about how long it takes to count a shape's constraints; raises as :func:`need`."""
    return SECONDS_PER_NEED[scheme_of(shape.scheme)] * need(shape)


def need(shape: Shape) -> int:
    """Return what a shape certainly needs: products with scheme traversal, private wires with the others.

    Raises TooLargeError for a shape beyond MAX_PRODUCTS or MAX_WIRES.
    """
    scheme = scheme_of(shape.scheme)
    needed, most = (products(shape), MAX_PRODUCTS) if scheme == "traversal" else (wires(shape), MAX_WIRES)
    if needed > most:
        many = f"{shape.slot_count} slots" if shape.additive else f"{shape.architecture.neurons} neurons"
        raise TooLargeError(
            f"capacity {shape.capacity} needs more than {needed:,} constraints: {many} are too many for scheme {scheme}"
        )
    return needed


def products(shape: Shape) -> int:
    """Return how many products of private numbers the forms of all regions take: fewer than the constraints.

    Per region and layer of h inputs: h values masked, h (h - 1) / 2 pairs of bits, the products of the layer below's
    forms masked, h' h for the values above and h (h + 1) / 2 for each product of two forms above. Of the margins only
    the norms are needed.
    """
    a = shape.architecture
    widths = (*a.hidden, a.logits)
    # What does not depend on the region: products of the first layer's weights with each other and with the inputs.
    shared = a.plain * _pairs(a.hidden[0]) + (a.plain + shape.slices * a.sensitive) * a.hidden[0]
    region = 0
    for index, (below, above) in enumerate(pairwise(widths)):
        forms = above if index == len(widths) - 2 else _pairs(above)
        shared += forms * _pairs(below)
        region += below + _pairs(below) - below + (_pairs(below) if index else 0) + above * below
        region += forms * _pairs(below)
    return shared + shape.capacity * region


def wires(shape: Shape | LinkShape) -> int:
    """Return how many private wires a shape has; of schemes branch and trees fewer than its constraints."""
    return sum(length for _, length in layout(shape))


def _pairs(count: int) -> int:
    """Return the number of unordered pairs of `count` things, each with itself among them."""
    return count * (count + 1) // 2
