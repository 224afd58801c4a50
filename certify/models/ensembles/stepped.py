"""An additive model as a network of exact integers: the two agree at every input of whole grid units.

A predicate x > t is, for integers, relu(x - t) - relu(x - t - 1). Between grid units the network rises where the model
jumps: the network is for searches over grid points only.
"""

from __future__ import annotations

from equiproof.certify.additive import AdditiveModel
from equiproof.certify.network import Layer, QuantisedNetwork


def as_network(model: AdditiveModel) -> QuantisedNetwork:
    """Return the network, two hidden neurons for each predicate; its logit is the score, at as fine a scale at least.

    Raises NetworkError for jumps that do not fit a weight at that scale.
    """
    finer = max(0, model.input_fraction_bits - model.value_fraction_bits)
    rows: list[tuple[int, ...]] = []
    offsets: list[int] = []
    weights: list[int] = []
    for column, threshold, jump in zip(model.columns, model.thresholds, model.jumps, strict=True):
        own = tuple(int(number == column) for number in range(model.inputs))
        rows += [own, own]
        offsets += [-threshold, -threshold - 1]
        weights += [jump << finer, -(jump << finer)]
    bits = model.value_fraction_bits + finer - model.input_fraction_bits
    last = Layer((tuple(weights),), (model.bias << finer,))
    return QuantisedNetwork((Layer(tuple(rows), tuple(offsets)), last), model.input_fraction_bits, (0, bits))
