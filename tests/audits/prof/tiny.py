"""Small specs and seeded networks of which everything can be counted."""

from dataclasses import replace
from itertools import pairwise

import numpy as np

from equiproof.audits.prof.similar import Similarity
from equiproof.certify.models.network import Network
from equiproof.certify.models.quantise import quantise
from equiproof.certify.network import Layer
from equiproof.circuits.spec import Feature
from tests.support import spec_of

AMOUNT = Feature("amount", "numeric", "scaled", False, scale="10", range=("0", "20"))
HOME = Feature("home", "categorical", "rank", False, scale="2", domain=("own", "rent", "none"))
SEX = Feature("sex", "categorical", "rank", True, domain=("f", "m"))
AGE = Feature("age", "numeric", "scaled", True, scale="10", domain=tuple(str(age) for age in range(20, 31)))
LOANS = spec_of(AMOUNT, HOME, SEX, AGE, bits=(8, 16), name="tiny")
CLASSES = spec_of(AMOUNT, HOME, SEX, AGE, bits=(8, 16), name="classes", labels=("a", "b", "c"), logits=3)


def floats(spec, hidden, seed):
    """Return a seeded float network whose sensitive columns matter, and whose median logits are 0."""
    rng = np.random.default_rng(seed)
    sizes = (spec.plain_columns + spec.sensitive_columns, *hidden, spec.logits)
    weights = tuple(rng.normal(size=(above, below)) for below, above in pairwise(sizes))
    biases = [rng.normal(size=above) * 0.5 for above in sizes[1:]]
    rows = np.concatenate([Similarity.of(spec).points(query) for query in queries(spec, 40)])
    biases[-1] -= np.median(Network(weights, tuple(biases)).logits(rows / spec.scale_unit), axis=0)
    return Network(weights, tuple(biases))


def network(spec, hidden=(4, 3), seed=0):
    """Return the same in integers."""
    return quantise(floats(spec, hidden, seed), spec)


def coarse(spec, seed):
    """Return a network of so few bits that it ties often."""
    fine = network(spec, seed=seed)
    layers = [
        Layer(tuple(tuple(round(w / 2 ** (bits + 1)) for w in row) for row in layer.weights), (0,) * len(layer.biases))
        for layer, bits in zip(fine.layers, fine.weight_fraction_bits, strict=True)
    ]
    return replace(fine, layers=tuple(layers))


def queries(spec, count, seed=0):
    """Return random applicants as queries."""
    rng = np.random.default_rng(seed)
    rows = [{"amount": int(rng.integers(21)), "home": HOME.domain[rng.integers(3)]} for _ in range(count)]
    return [spec.encode(row) for row in rows]
