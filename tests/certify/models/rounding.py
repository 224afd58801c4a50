"""A spec with every encoding, random float networks, and their logits in exact numbers."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import numpy as np

from equiproof.certify.models.network import Network
from equiproof.circuits.encodings import ENCODINGS
from equiproof.circuits.spec import FORMAT, VERSION, Feature, Spec, checked


def make_spec(bits=(10, 18), weight_bits=(16, 16), logits=1, threshold="0", **fields):
    """Return the spec of an unranged and a ranged number, a rank, a category, and a sensitive number and group."""
    features = (
        Feature("group", "categorical", "rank", True, mean="0.3", scale="0.7", domain=("a", "b", "c")),
        Feature("income", "numeric", "scaled", False, mean="2500.5", scale="1200", range=("0", "9000")),
        Feature("grade", "categorical", "rank", False, mean="1.1", scale="3", domain=("low", "mid", "high")),
        Feature("home", "categorical", "one-hot", False, domain=("own", "rent")),
        Feature("share", "numeric", "scaled", False, mean="0.4", scale="0.07", range=("-0.25", "1.5")),
        Feature("age", "numeric", "scaled", True, mean="40", scale="13", domain=("20", "30", "67")),
    )
    labels = tuple(f"label {index}" for index in range(max(logits, 2)))
    known = {"features": features, "labels": labels, "logits": logits, "threshold": threshold}
    return checked(
        Spec(
            format=FORMAT, version=VERSION, name="t", input_fraction_bits=bits[0], input_bits=bits[1], use_ranges=False,
            weight_bits=weight_bits, **(known | fields),
        )
    )  # fmt: skip


def random_network(spec, hidden, seed):
    """Return a float network with random weights."""
    rng = np.random.default_rng(seed)
    widths = (spec.plain_columns + spec.sensitive_columns, *hidden, spec.logits)
    return Network(
        tuple(rng.normal(size=(out, below)) for below, out in pairwise(widths)),
        tuple(rng.normal(size=out) for out in widths[1:]),
    )


def exact_columns(spec, row):
    """Return a row's columns as fractions, unrounded, from the definition in the spec's docstring."""
    return [
        (number - Fraction(feature.mean)) / Fraction(feature.scale)
        for feature in (*spec.plain_features, *spec.sensitive_features)
        for number in ENCODINGS[feature.encoding].raw_columns(feature, row[feature.name])
    ]


def exact_logits(network, columns):
    """Return the float network's logits as fractions."""
    values = columns
    for index, (weight, bias) in enumerate(zip(network.weights, network.biases, strict=True)):
        values = [max(value, Fraction(0)) for value in values] if index else values
        values = [
            sum(Fraction(w) * value for w, value in zip(row, values, strict=True)) + Fraction(b)
            for row, b in zip(weight.tolist(), bias.tolist(), strict=True)
        ]
    return values
