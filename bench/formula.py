"""How many constraints a shape takes, gadget by gadget, by formula: for shapes too large to compile, and to see why.

n = n_x columns and n_s sensitive ones, S slices, K rows, hidden layers h_1 .. h_H, N neurons in all, c logits,
T(k) = k (k + 1) / 2. The formula follows the gadgets (docs/relation.md, docs/adr/0002) and is exact: the tests compare
it with compiled circuits. Three things come from the proving library:

- a range check of w bits over a table of 2^b limbs takes 1 + ceil(w / b) constraints, and one more where b does not
  divide w; b is the one with the fewest in all;
- a lookup table takes two per entry and two per lookup, and 331 for its challenge and the hash of two columns;
- a sum that grows to 300 terms becomes a wire of its own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from itertools import pairwise

from circuits.commitment import pack_within
from circuits.layout import network_segments
from circuits.shape import Shape
from circuits.widths import Interval, form_intervals, signed, unsigned

HASH = 186
"""Constraints of Poseidon2 per element."""

_CHALLENGE = 331
TERMS = 300

_Checks = Counter[tuple[str, int]]
"""How many range checks of so many bits each gadget asks for."""


def constraints(shape: Shape) -> int:
    """Return the number of constraints of a shape's circuit."""
    return sum(by_gadget(shape).values())


def by_gadget(shape: Shape) -> Mapping[str, int]:
    """Return the constraints of a shape's circuit by gadget, named as the proving library names them."""
    a, first = shape.architecture, shape.architecture.hidden[0]
    facets = shape.slices * first + shape.capacity * (a.neurons - first)
    bits = shape.capacity * a.neurons + facets + a.logits + (a.logits > 1)
    found = Counter(
        {
            "range": bits,
            "commitment": HASH * (3 + packed(shape)),
            "digest": 7 * HASH + 1,
            "polytope": _polytope(shape),
            "inference": shape.slices * a.neurons,
            "distance": 2 * (facets + shape.capacity * a.logits),
            "order": facets,
            "neighbor": _neighbor(shape),
            "slices": _slices(shape),
        }
    )
    return with_checks(found, _checks(shape))


def with_checks(found: Counter[str], checks: Counter[tuple[str, int]]) -> Mapping[str, int]:
    """Return constraints by gadget with the range checks that they ask for, (gadget, bits), and the table of limbs."""
    width = min(range(2, 18), key=lambda b: (1 << b) + sum(n * _check(w, b) for (_, w), n in checks.items()))
    for (gadget, w), count in checks.items():
        found[gadget] += count * _check(w, width)
    limbs = sum(count * (_check(w, width) - 1) for (_, w), count in checks.items())
    # The table's entries, the mask of the commitment, and the sum over entries against the sum over limbs.
    found["range table"] = (1 << width) + 2 + _tree(1 << width) + _tree(limbs)
    return {gadget: count for gadget, count in found.items() if count}


def region(shape: Shape) -> int:
    """Return the products of one region's forms: what K is multiplied by in gadget polytope.

    Per layer of h inputs and h' outputs: h values and T(h) - h pairs of bits; from the second on T(h) products masked;
    h h' for the values; T(h) for each product of two forms above, of which the margins need their norms only.
    """
    a, products = shape.architecture, 0
    for level, (below, above) in enumerate(pairwise((*a.hidden, a.logits)), start=1):
        needed = above if level == len(a.hidden) else _pairs(above)
        products += _pairs(below) + (_pairs(below) if level > 1 else 0)
        products += above * (below + chain(below + 1)) + needed * (_pairs(below) + chain(_pairs(below)))
    return products


def widest(shape: Shape) -> int:
    """Return the bits of the widest integer of a shape's circuit; above 250 the proving library refuses the shape."""
    return max(_excess(shape, *form).magnitude_bits for form in form_intervals(shape))


def _polytope(shape: Shape) -> int:
    """Count the forms of all regions, and what the regions share."""
    a = shape.architecture
    n, first, last = a.plain, a.hidden[0], a.hidden[-1]
    shared = _pairs(first) * (n + chain(n)) + first * (n + chain(n + 1))
    # The plain part of a value with its bias, and for each slice the sensitive part added to it.
    shared += shape.slices * first * (a.sensitive + (n % (TERMS - 1) + 1 + a.sensitive >= TERMS))
    shared += a.logits * (last + 1)
    for level, (below, above) in enumerate(pairwise((*a.hidden, a.logits)), start=1):
        # Products of two rows of weights: of a row with itself, and of two rows, both ways.
        own, mixed = above, 0 if level == len(a.hidden) else _pairs(above) - above
        shared += own * _pairs(below) + mixed * below * below
        shared += (own + mixed) * _pairs(below) if level == 1 else 0
    return shared + shape.capacity * region(shape)


def _neighbor(shape: Shape) -> int:
    """Count a product, an equation and a lookup per facet, in a table of all rows."""
    facets = shape.capacity * shape.architecture.neurons
    return 2 * facets + _lookups(shape.capacity, facets)


def _slices(shape: Shape) -> int:
    """Count what rows take from their slices: a number below S, the values of the first layer, and h_1 bits in one."""
    first, later = shape.architecture.hidden[0], shape.capacity - shape.slices
    if not later:
        return 0
    bits = first + 1 if first > 1 else 1
    below = 1 if shape.slices == 2 else 0
    return later * (below + bits) + _lookups(shape.slices * (first + 1), later * (first + 1))


def _checks(shape: Shape) -> _Checks:
    """Return the range checks; those of one bit are constraints of their own and not among them."""
    a, checks = shape.architecture, Counter[tuple[str, int]]()
    for (outputs, inputs), bias_bits in zip(a.layers, a.bias_bits, strict=True):
        checks["range", a.weight_bits] += outputs * inputs
        checks["range", bias_bits] += outputs
    checks["range", shape.input_bits] += a.plain + shape.slices * a.sensitive
    checks["range", shape.radius_bits] += 1
    if shape.slices > 2:
        # From above as well, where S is no power of two.
        sides = 2 if shape.slices & (shape.slices - 1) else 1
        checks["slices", (shape.slices - 1).bit_length()] += sides * (shape.capacity - shape.slices)
    for number, (value, norm_squared) in enumerate(form_intervals(shape)):
        largest, excess = max(-value.low, value.high), _excess(shape, value, norm_squared).high.bit_length()
        if number < a.neurons:
            checks["inference", largest.bit_length()] += shape.slices
            checks["order", excess] += shape.slices if number < a.hidden[0] else shape.capacity
        else:
            checks["inference", (value.high + (a.logits > 1) - 1).bit_length()] += shape.slices
            checks["boundary", excess] += shape.capacity
    return checks


def _excess(shape: Shape, value: Interval, norm_squared: Interval) -> Interval:
    """Return the interval of value^2 - R2 |c|^2."""
    return Interval(0, (value * value).high) + (unsigned(shape.radius_bits) * norm_squared).times(-1)


def _check(bits: int, width: int) -> int:
    """Return the constraints of one range check."""
    return 1 + -(-bits // width) + (bits % width > 0)


def packed(shape: Shape) -> int:
    """Return how many field elements network, query and domain are packed into: its table, and ranges in use."""
    a, entry = shape.architecture, signed(shape.input_bits)
    network = [interval for segment in network_segments(shape) for interval in segment.intervals]
    ends = 2 * a.plain if shape.ranges else 0
    lists = (network, [entry] * a.plain, [entry] * (shape.slices * a.sensitive + ends))
    return sum(len(pack_within((0, interval) for interval in one if isinstance(interval, Interval))) for one in lists)


def _lookups(entries: int, lookups: int) -> int:
    """Return the constraints of a lookup table, with the sum over entries against that over lookups."""
    return 2 * (entries + lookups) + _CHALLENGE + 1 + _tree(entries) + _tree(lookups)


def chain(terms: int) -> int:
    """Return how many wires a sum takes that is added up term by term: one at 300 terms, and at each 299 more."""
    return max(0, terms - 1) // (TERMS - 1)


def _tree(count: int) -> int:
    """Return how many wires a sum takes that is added up in pairs."""
    found, terms = 0, [1] * count
    while len(terms) > 1:
        paired = [left + right for left, right in zip(terms[::2], terms[1::2], strict=False)]
        odd = terms[-1:] if len(terms) % 2 else []
        found += sum(length >= TERMS for length in paired)
        terms = [1 if length >= TERMS else length for length in paired] + odd
    return found


def _pairs(count: int) -> int:
    """Return T(count): unordered pairs, each thing with itself among them."""
    return count * (count + 1) // 2
