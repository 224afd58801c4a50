"""Guesses where the decision flips, from which an exact search takes its first upper bound.

From the query on every slice, step behind the nearest decision hyperplane of the current region until the decision is
lost (DeepFool, Moosavi-Dezfooli and others 2016); then halve the way back. The regions are guesses: neither a region
nor the lack of one proves anything.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from equiproof.certify.network import QuantisedNetwork, decide
from equiproof.certify.polytope import Row
from equiproof.certify.traversal.evidence import Region
from equiproof.certify.traversal.search import Start

_STEPS = 10
"""The largest number of steps; without a flip by then, the slice gives no guess."""

_HALVINGS = 10


def crossings(start: Start) -> Iterator[Region]:
    """Yield regions whose decision facet is likely to be near the query, slice by slice."""
    for number, here in enumerate(start.sliced):
        behind = _step_behind(start, number)
        if behind is not None:
            offset = [b - q for b, q in zip(behind, start.query, strict=True)]
            yield Region(number, last_decided(here.network, start.query, offset, here.sensitive, start.label))


def _step_behind(start: Start, number: int) -> Row | None:
    """Return a grid point of a slice where the label is not decided, or None."""
    network = start.sliced[number].network
    row = start.sliced[number].sensitive
    point = start.query
    for step in range(_STEPS):
        region = Region(number, network.pattern((*point, *row)))
        margins, _ = Start(point, start.sliced, start.label).hyperplanes(region)
        ahead = [(value * value // norm, c, norm, value) for c, norm, value in margins if norm]
        if not ahead:
            return None
        _, c, norm, value = min(ahead)
        # x - (value / |c|^2) c, a little farther each time, rounded towards a smaller value of the form.
        push = (9 + step) * value
        scale = 8 * norm
        point = tuple(
            v - (-(-push * w // scale) if w > 0 else push * w // scale) for v, w in zip(point, c, strict=True)
        )
        if network.decide((*point, *row)) != start.label:
            return point
    return None


def last_decided(
    network: QuantisedNetwork, query: Row, offset: Sequence[int], row: Row, label: int, bits: int = 0
) -> int:
    """Return the pattern just before the label is lost on the straight way from the query to query + offset / 2^bits.

    If the label is not lost at the end, the pattern is that of the end. Exact after `bits` halvings.
    """
    low = 0
    high = 1 << _HALVINGS
    whole = 1 << (_HALVINGS + bits)
    fixed = tuple(v * whole for v in row)
    pattern = network.pattern((*query, *row))
    while high - low > 1:
        middle = (low + high) // 2
        point = tuple(q * whole + step * middle for q, step in zip(query, offset, strict=True))
        middle_pattern, logits = _evaluate(network, (*point, *fixed), whole)
        if decide(logits) == label:
            low = middle
            pattern = middle_pattern
        else:
            high = middle
    return pattern


def _evaluate(network: QuantisedNetwork, inputs: Sequence[int], denominator: int) -> tuple[int, tuple[int, ...]]:
    """Return the pattern at inputs / denominator, and the logits times the denominator, which commutes with a ReLU."""
    values: Sequence[int] = inputs
    outputs: list[int] = []
    hidden: list[int] = []
    for layer in network.layers:
        hidden += outputs
        outputs = [z + (denominator - 1) * bias for z, bias in zip(layer(values), layer.biases, strict=True)]
        values = [max(z, 0) for z in outputs]
    return sum(1 << index for index, z in enumerate(hidden) if z >= 0), tuple(outputs)
