"""Models with known numbers for the tests of copies: a linear one, an additive one, and their specs."""

from __future__ import annotations

import random
from functools import cache

import msgspec
import numpy as np

from equiproof.certify.additive import AdditiveModel
from equiproof.certify.leak.certificates import simulated
from equiproof.certify.network import Layer, QuantisedNetwork
from equiproof.circuits.changes import Changes
from equiproof.circuits.encodings.missing import Missing
from equiproof.circuits.spec import Feature, Spec, checked

UNIT = 1 << 10


def spec(columns):
    """Return a spec of so many standardised numbers, and one sensitive column of -1 and 1."""
    numbers = [Feature(f"p{place}", "numeric", "scaled", False, unit="u") for place in range(columns)]
    sensitive = Feature("s", "numeric", "scaled", True, unit="u", domain=("-1", "1"))
    return checked(
        Spec(
            format="equiproof-spec",
            version=2,
            name="made",
            input_fraction_bits=10,
            input_bits=18,
            use_ranges=False,
            features=(*numbers, sensitive),
            labels=("no", "yes"),
            logits=1,
        )
    )


def ruled(columns, step="0.001"):
    """Return the spec of numbers that may all change, by `step`, by a half at most."""
    given = spec(columns)
    rules = Changes("any", step=step, start="-2", to="2", by="0.5")
    numbers = [msgspec.structs.replace(one, changes=rules) for one in given.plain_features]
    return checked(msgspec.structs.replace(given, features=(*numbers, *given.sensitive_features)))


def lacking(columns, use_ranges=False):
    """Return the same where every number may be missing, with ranges from -2 to 2 if they restrict neighbors."""
    given = spec(columns)
    ends = {"range": ("-2", "2")} if use_ranges else {}
    numbers = [msgspec.structs.replace(one, missing=Missing(), **ends) for one in given.plain_features]
    features = (*numbers, *given.sensitive_features)
    return checked(msgspec.structs.replace(given, features=features, use_ranges=use_ranges))


def linear(columns, seed=1, sensitive=2):
    """Return a linear model as the two neurons that imports make of one; `sensitive` is its sensitive weight."""
    rng = random.Random(seed)
    row = (*(round(rng.gauss(0, 1) * UNIT) for _ in range(columns)), sensitive)
    bias = round(rng.gauss(0, 0.3) * UNIT * UNIT)
    first = Layer((row, tuple(-weight for weight in row)), (bias, -bias))
    return QuantisedNetwork((first, Layer(((1, -1),), (0,))), 10, (10, 0))


def additive(columns, thresholds, seed=3):
    """Return an additive model with thresholds at random places, which decides about half of everybody each way."""
    rng = random.Random(seed)
    places = sorted({(rng.randrange(columns), round(rng.gauss(0, 1) * UNIT)) for _ in range(thresholds)})
    jumps = tuple(round(rng.gauss(0, 1500)) for _ in places)
    given = (tuple(column for column, _ in places), tuple(at for _, at in places), jumps)
    raw = AdditiveModel(*given, 0, columns, 1, 10)
    middle = sorted(raw.score((*query, UNIT)) for query in drawn(columns, 201))[100]
    return AdditiveModel(*given, 20 - middle, columns, 1, 10)


def drawn(columns, count, seed=5):
    """Return queries of a standard normal distribution."""
    rng = random.Random(seed)
    return [tuple(round(rng.gauss(0, 1) * UNIT) for _ in range(columns)) for _ in range(count)]


@cache
def linear_certificates(columns, count):
    """Return certificates of the linear model."""
    return tuple(simulated(linear(columns), spec(columns), drawn(columns, count)))


@cache
def additive_certificates(columns, thresholds, count):
    """Return certificates of the additive model."""
    return tuple(simulated(additive(columns, thresholds), spec(columns), drawn(columns, count)))


def held_out(model, columns, count=1500):
    """Return points in the spec's units that nobody applied with, and the model's labels of them."""
    queries = drawn(columns, count, seed=11)
    labels = [model.logits((*query, UNIT))[0] > 0 for query in queries]
    return np.array(queries) / UNIT, np.array(labels, dtype=np.int64)
