"""A small data set with two logits, and a network for it."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import msgspec

from equiproof.certify.data.lending import make_lending
from equiproof.certify.models.objectives import AdamSettings, Aim, train_for
from equiproof.certify.models.quantise import quantise


@cache
def two_logits():
    """Return 200 generated applications whose spec has two logits."""
    data = make_lending(200, seed=3)
    return replace(data, spec=msgspec.structs.replace(data.spec, logits=2))


@cache
def model():
    """Return the quantised network of a short training on them."""
    network, _ = train_for(two_logits(), (8, 4), Aim("agnostic"), settings=AdamSettings(epochs=15, batch=16))
    return quantise(network, two_logits().spec)
