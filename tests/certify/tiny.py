"""Seeded random networks for the tests of the plaintext room: tiny ones with every degeneracy, and larger ones."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from itertools import pairwise

from equiproof.certify.network import Layer, QuantisedNetwork

SHAPES = ((1,), (2,), (3,), (4,), (1, 1), (2, 1), (1, 2), (2, 2), (3, 1), (1, 3))
"""Hidden layers of the tiny networks: up to four neurons in one or two layers."""


@dataclass(frozen=True)
class Case:
    """A network with a query of n_x integers, a table of S rows of n_s, and the box that neighbors may be kept to."""

    network: QuantisedNetwork
    query: tuple[int, ...]
    table: tuple[tuple[int, ...], ...]
    box: tuple[tuple[int, ...], tuple[int, ...]] | None = None

    @property
    def columns(self):
        return len(self.query)


def tiny(seed, shapes=SHAPES, columns=(1, 2), logits=(1, 2, 3), span=8):
    """Return a random tiny case: few-bit weights, zero rows, proportional rows, ties, 1 or 2 sensitive columns."""
    rng = random.Random(seed)
    n_x = rng.choice(columns)
    n_s = rng.choice((1, 1, 2)) if n_x < 3 else 1
    hidden = rng.choice(shapes)
    sizes = (n_x + n_s, *hidden, rng.choice(logits))
    layers = tuple(
        _layer(rng, inputs, outputs, 3 * span if depth == 0 else 2 * span, 1 / 6 if depth < len(hidden) else 1 / 30)
        for depth, (inputs, outputs) in enumerate(pairwise(sizes))
    )
    if rng.random() < 0.5:
        layers = (_insensitive(rng, layers[0], n_x), *layers[1:])
    query = tuple(rng.randint(-span, span) for _ in range(n_x))
    rows: set[tuple[int, ...]] = set()
    while len(rows) < rng.choice((2, 2, 3)):
        rows.add(tuple(rng.randint(-2, 2) for _ in range(n_s)))
    return Case(QuantisedNetwork(layers, 1, (0,) * len(layers)), query, tuple(sorted(rows)))


def boxed(seed, case, bits=18):
    """Return a case whose neighbors are kept to a box: its ends are the query's own values, near them, or far away."""
    rng, far = random.Random(seed), 1 << (bits - 1)
    low = tuple(max(-far, x - rng.choice((0, 1, 4, 12, 40, 2 * far))) for x in case.query)
    high = tuple(min(far - 1, x + rng.choice((0, 1, 4, 12, 40, 2 * far))) for x in case.query)
    return replace(case, box=(low, high))


def larger(seed, inputs, hidden, logits=1, sensitive=1):
    """Return a random case at scale 2^10: 12-bit weights, standardised values, `sensitive` columns of -1 or 1."""
    rng = random.Random(seed)
    sizes = (inputs, *hidden, logits)
    layers, bits = [], 10
    for below, above in pairwise(sizes):
        deviation = (1 << 12) / below**0.5
        bits += 12
        weights = tuple(tuple(int(rng.gauss(0, deviation)) for _ in range(below)) for _ in range(above))
        layers.append(Layer(weights, tuple(int(rng.gauss(0, 0.3) * (1 << bits)) for _ in range(above))))
    query = tuple(int(rng.gauss(0, 1) * 1024) for _ in range(inputs - sensitive))
    table = tuple(tuple(1024 * (2 * (row >> bit & 1) - 1) for bit in range(sensitive)) for row in range(1 << sensitive))
    return Case(QuantisedNetwork(tuple(layers), 10, (12,) * len(layers)), query, table)


def zero(inputs=2, hidden=(2,), logits=1):
    """Return the network whose weights and biases are all zero."""
    sizes = (inputs, *hidden, logits)
    layers = tuple(Layer(((0,) * below,) * above, (0,) * above) for below, above in pairwise(sizes))
    return QuantisedNetwork(layers, 1, (0,) * len(layers))


def _layer(rng, inputs, outputs, bias, degenerate):
    """Return a layer of few-bit weights, with this share of zero rows and as many multiples of the row before."""
    rows = []
    for _ in range(outputs):
        kind = rng.random()
        if kind < degenerate:
            rows.append((0,) * inputs)
        elif kind < 2 * degenerate and rows:
            factor = rng.choice((-2, -1, 1, 2))
            rows.append(tuple(factor * weight for weight in rows[-1]))
        else:
            rows.append(tuple(rng.randint(-3, 3) for _ in range(inputs)))
    return Layer(
        tuple(rows), tuple(rng.choice((0, *(rng.randint(-bias, bias) for _ in range(4)))) for _ in range(outputs))
    )


def _insensitive(rng, layer, n_x):
    """Return the layer with small weights on the sensitive columns, so that fewer queries are unfair at once."""
    rows = tuple((*row[:n_x], *(rng.choice((0, 0, 1, -1)) for _ in row[n_x:])) for row in layer.weights)
    return Layer(rows, layer.biases)
