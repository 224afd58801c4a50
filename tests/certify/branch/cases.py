"""What the tests of branch and bound share: parameters of tiny cases, deep cases in wide weights, edits of evidence."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from functools import cache

from equiproof.certify.branch import Parameters, Sizes, branch_search
from equiproof.certify.errors import EvidenceError
from equiproof.certify.network import Layer, QuantisedNetwork
from equiproof.circuits.layer_widths import bias_widths
from tests.certify.tiny import tiny

CAP = 1 << 20
INPUT_BITS = 18


def parameters_of(case, **options):
    """Return the parameters of a case's shape, with 18-bit inputs and 29-bit radii."""
    network = case.network
    weight_bits = (16,) * len(network.layers)
    sizes = Sizes(
        plain=case.columns,
        sensitive=len(case.table[0]),
        hidden=network.hidden,
        logits=network.logit_count,
        weight_bits=weight_bits,
        input_bits=INPUT_BITS,
        bias_bits=bias_widths(
            network.inputs, INPUT_BITS, (*network.hidden, network.logit_count), (16,) * len(network.layers)
        ),
        radius_bits=29,
        ranges=case.box is not None,
    )
    return Parameters.of(sizes, **options)


def wide(seed, **options):
    """Return a tiny case whose weights are multiplied by 2^12: the same decisions in weights as wide as real ones."""
    case = tiny(seed, **options)
    layers, scale = [], 1
    for layer in case.network.layers:
        scale <<= 12
        weights = tuple(tuple(weight << 12 for weight in row) for row in layer.weights)
        layers.append(Layer(weights, tuple(bias * scale for bias in layer.biases)))
    bits = case.network.weight_fraction_bits
    return replace(case, network=QuantisedNetwork(tuple(layers), case.network.input_fraction_bits, bits))


def run(case, parameters=None, *, max_leaves=256, **options):
    """Search around a case."""
    return branch_search(
        case.network,
        case.query,
        case.table,
        max_radius_squared=options.pop("max_radius_squared", CAP),
        max_leaves=max_leaves,
        parameters=parameters or parameters_of(case),
        box=case.box,
        **options,
    )


@cache
def searched(seed):
    """Return a tiny case and its search, for all tests that only look at it."""
    case = tiny(seed)
    return case, run(case)


def verdict(check, evidence, parameters, case):
    """Return the rule that refuses evidence, None where it is accepted."""
    try:
        check(evidence, parameters, case.network, case.query, case.table, case.box)
    except EvidenceError as error:
        return error.rule
    return None


def edited(thing, path, value):
    """Return evidence with one place changed: `path` has the fields and indices that lead there."""
    if not path:
        return value(thing) if callable(value) else value
    step, *rest = path
    if isinstance(step, str):
        return replace(thing, **{step: edited(getattr(thing, step), rest, value)})
    return (*thing[:step], edited(thing[step], rest, value), *thing[step + 1 :])


def places(thing, path=()):
    """Yield the path of every integer in evidence."""
    if is_dataclass(thing):
        for field in fields(thing):
            yield from places(getattr(thing, field.name), (*path, field.name))
    elif isinstance(thing, tuple):
        for index, entry in enumerate(thing):
            yield from places(entry, (*path, index))
    else:
        yield path
