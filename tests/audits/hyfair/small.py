"""Small networks on domains that can be enumerated, and what enumeration in exact numbers says of them."""

from fractions import Fraction
from itertools import pairwise

import numpy as np

from equiproof.audits.hyfair.clusters import Judge
from equiproof.audits.hyfair.forward import Forward
from equiproof.audits.hyfair.grid import grid_of
from equiproof.audits.hyfair.margin import margin_of
from equiproof.certify.network import Layer, QuantisedNetwork
from equiproof.circuits.spec import FORMAT, VERSION, Feature, Spec, checked

SPEC = checked(
    Spec(
        FORMAT, VERSION, "small", 4, 18, False,
        (
            Feature("income", "numeric", "scaled", False, scale="10", range=("-30", "60")),
            Feature("group", "categorical", "rank", True, domain=("a", "b", "c")),
            Feature("purpose", "categorical", "one-hot", False, domain=("car", "house", "other")),
            Feature("grade", "categorical", "rank", False, domain=("low", "middle", "high")),
            Feature("age", "numeric", "scaled", True, domain=("20", "60"), mean="40", scale="20"),
        ),
        ("no", "yes"), 1,
    )
)  # fmt: skip


def network(seed, hidden=(4, 3), spread=12, groups=1.0):
    """Return a random network of SPEC: weights to `spread`, protected columns scaled by `groups`, four bits a layer."""
    rng = np.random.default_rng(seed)
    sizes, layers, bits = (SPEC.plain_columns + SPEC.sensitive_columns, *hidden, SPEC.logits), [], []
    total = SPEC.input_fraction_bits
    for index, (inputs, outputs) in enumerate(pairwise(sizes)):
        weights = rng.integers(-spread, spread + 1, size=(outputs, inputs))
        if not index:
            weights[:, SPEC.plain_columns :] = np.rint(weights[:, SPEC.plain_columns :] * groups)
        total += 4
        biases = rng.integers(-1 << total, 1 << total, size=outputs)
        layers.append(Layer(tuple(map(tuple, weights.tolist())), tuple(biases.tolist())))
        bits.append(4)
    return QuantisedNetwork(tuple(layers), SPEC.input_fraction_bits, tuple(bits))


def judge_of(made, spec=SPEC, epsilon=Fraction(1, 20)):
    """Return the judge of a network on its spec's whole domain."""
    return Judge(Forward(margin_of(made), grid_of(spec)), epsilon)


def everyone(grid, box=None):
    """Return every applicant of a box."""
    low, high = grid.whole if box is None else box
    ranges = [np.arange(a, b + 1) for a, b in zip(low, high, strict=True)]
    return np.stack(np.meshgrid(*ranges, indexing="ij"), axis=-1).reshape(-1, len(grid.names))


def counted(judge, applicants):
    """Return k by buckets, k by gaps, apart and flipped of every applicant, one by one in exact numbers."""
    return np.array([judge.exactly(applicant) for applicant in applicants])
