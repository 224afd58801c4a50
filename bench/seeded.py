"""Models for measurements where any model will do: a spec of any size, and a network drawn from a fixed seed."""

from __future__ import annotations

import random
from itertools import pairwise

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
