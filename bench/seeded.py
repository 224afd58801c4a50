"""Models for measurements where any model will do: specs of any size, networks and scores drawn from a fixed seed."""

from __future__ import annotations

import random
from itertools import pairwise

from equiproof.certify.additive import AdditiveModel
from equiproof.certify.ensemble import EnsembleModel, NodeTable, ScoredModel
from equiproof.certify.network import Layer, QuantisedNetwork
from equiproof.circuits.spec import FORMAT, VERSION, Feature, Spec, checked

WEIGHT_FRACTION_BITS = 12


def spec_of(plain: int, values: int) -> Spec:
    """Return a spec of `plain` numbers and a sensitive number of `values` values: one column and S = values slices."""
    features = [Feature(f"x{index}", "numeric", "scaled", sensitive=False) for index in range(plain)]
    domain = tuple(str(value) for value in range(values))
    features.append(Feature("group", "numeric", "scaled", sensitive=True, scale=str(values), domain=domain))
    return checked(Spec(FORMAT, VERSION, "seeded", 10, 18, False, tuple(features), ("no", "yes"), 1))


def network_of(spec: Spec, hidden: tuple[int, ...]) -> QuantisedNetwork:
    """Return a network whose weights are the same every time, and zero on sensitive columns: no slice flips."""
    rng = random.Random(0)  # noqa: S311 - weights for a benchmark
    sizes = (spec.plain_columns + spec.sensitive_columns, *hidden, spec.logits)
    layers, bits = [], spec.input_fraction_bits
    for depth, (inputs, outputs) in enumerate(pairwise(sizes)):
        bits += WEIGHT_FRACTION_BITS
        rows = [[round(rng.gauss(0, 1 << WEIGHT_FRACTION_BITS)) for _ in range(inputs)] for _ in range(outputs)]
        if depth == 0:
            rows = [[*row[: spec.plain_columns], *(0 for _ in row[spec.plain_columns :])] for row in rows]
        layers.append(Layer(tuple(map(tuple, rows)), tuple(round(rng.gauss(0, 1) * (1 << bits)) for _ in rows)))
    return QuantisedNetwork(tuple(layers), spec.input_fraction_bits, (WEIGHT_FRACTION_BITS,) * len(layers))


def score_of(spec: Spec, thresholds: int, nodes: tuple[int, int] | None = None) -> ScoredModel:
    """Return a score that is the same every time: an additive model, or an ensemble of (T, N) trees and splits.

    It has one threshold of the sensitive column besides, which changes nothing. Jumps and leaves are even numbers and
    the bias is odd, so that no query is tied.
    """
    rng, plain = random.Random(0), spec.plain_columns  # noqa: S311 - thresholds for a benchmark
    places: set[tuple[int, int]] = set()
    while len(places) < thresholds:
        places.add((rng.randrange(plain), round(rng.gauss(0, spec.scale_unit))))
    columns, values = zip(*sorted(places), (plain, 0), strict=True)
    jumps = [0 if nodes else 2 * rng.randrange(-100, 100) for _ in places]
    additive = AdditiveModel(columns, values, (*jumps, 0), 1, plain, spec.sensitive_columns, spec.input_fraction_bits)
    return additive if nodes is None else EnsembleModel(additive, _trees_of(rng, thresholds, nodes))


def _trees_of(rng: random.Random, thresholds: int, nodes: tuple[int, int]) -> NodeTable:
    """Return trees in level order, each grown by splitting one of its leaves at a time."""
    trees, splits = nodes
    grown: list[list[list[int | None]]] = []
    for tree in range(trees):
        children: list[list[int | None]] = [[None, None]]
        for number in range(1, splits // trees + (tree < splits % trees)):
            at, side = rng.choice(
                [(at, side) for at, pair in enumerate(children) for side in (0, 1) if pair[side] is None]
            )
            children[at][side] = number
            children.append([None, None])
        grown.append(children)
    queue, kinds = [(children, 0) for children in grown], list[tuple[int, int]]()
    for children, at in queue:  # grows meanwhile
        below = [child for child in children[at] if child is not None]
        kinds.append((int(children[at][0] is not None), int(children[at][1] is not None)))
        queue += [(children, child) for child in below]
    asked = tuple(rng.randrange(thresholds) for _ in kinds)
    return NodeTable(trees, asked, tuple(kinds), tuple(2 * rng.randrange(-100, 100) for _ in range(splits + trees)))
