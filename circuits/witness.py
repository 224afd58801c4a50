"""Witness generation: fills the wires that circuits/layout.py names, out of a statement's secrets and its evidence.

No distance is computed here: whether a facet is crossed follows from the set of regions alone, and a wrong set has no
witness that the circuit accepts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from certify.evidence import Evidence, Region
from certify.network import QuantisedNetwork
from circuits.layout import encode, layout
from circuits.shape import Shape
from circuits.statement import Statement


class WitnessError(ValueError):
    """Secrets and shape that do not belong together; one line naming the wires."""


@dataclass(frozen=True)
class Secrets:
    """What opens a statement: the network, both blindings, the query's n_x integers and the table's (S, n_s)."""

    network: QuantisedNetwork
    model_blinding: int
    query: Sequence[int]
    query_blinding: int
    table: Sequence[Sequence[int]]


def generate(shape: Shape, statement: Statement, secrets: Secrets, evidence: Evidence) -> bytes:
    """Return the witness of a statement as the proving library reads it.

    Rows are the evidence's regions, the S centres first; rows past them repeat the last one. Raises WitnessError where
    a part does not fit the shape.
    """
    wires = fill(shape, statement, secrets, evidence)
    return encode(shape, statement.digest(shape), [wires[name] for name, _ in layout(shape)])


def fill(shape: Shape, statement: Statement, secrets: Secrets, evidence: Evidence) -> dict[str, list[int]]:
    """Return the wires by name, as integers that may be negative; raises as :func:`generate`."""
    wires = opened_wires(statement, secrets, evidence.label, evidence.radius_squared)
    wires |= _region_wires(shape, evidence)
    for name, length in layout(shape):
        if len(wires.get(name, ())) != length:
            raise WitnessError(f"{name}: {len(wires.get(name, ()))} values for {length} wires of shape {shape.name}")
    return wires


def opened_wires(statement: Statement, secrets: Secrets, label: int, radius_squared: int) -> dict[str, list[int]]:
    """Return the wires of what a statement speaks of, which every scheme has first, with the evidence's result."""
    return _network_wires(secrets.network) | {
        "model_blinding": [secrets.model_blinding],
        "spec_digest": [statement.spec_digest],
        "table": [value for row in secrets.table for value in row],
        "query": list(secrets.query),
        "query_blinding": [secrets.query_blinding],
        "label": _label_wires(secrets.network.logit_count, label),
        "radius_squared": [radius_squared],
        "context_digest": [statement.context_digest],
    }


def _network_wires(network: QuantisedNetwork) -> dict[str, list[int]]:
    """Return the weights, row by row, and the biases of each layer."""
    wires = {}
    for number, layer in enumerate(network.layers, start=1):
        wires[f"weights.{number}"] = [weight for row in layer.weights for weight in row]
        wires[f"biases.{number}"] = list(layer.biases)
    return wires


def _label_wires(logits: int, label: int) -> list[int]:
    """Return the label as one bit for a single logit, else as one bit per logit."""
    return [label] if logits == 1 else [int(index == label) for index in range(logits)]


def _region_wires(shape: Shape, evidence: Evidence) -> dict[str, list[int]]:
    """Return the rows of the set and, for each facet, whether it is crossed and where its neighbor stands."""
    regions = list(evidence.regions)
    if not shape.slices <= len(regions) <= shape.capacity:
        raise WitnessError(f"pattern: {len(regions)} regions do not fit shape {shape.name}")
    if any(not 0 <= region.slice < shape.slices for region in regions):
        raise WitnessError(f"slice: a region is on none of the {shape.slices} slices of shape {shape.name}")
    if any(not 0 <= region.pattern < 1 << shape.architecture.neurons for region in regions):
        raise WitnessError(f"pattern: a region's pattern is none of {shape.architecture.neurons} neurons")
    if [region.slice for region in regions[: shape.slices]] != list(range(shape.slices)):
        raise WitnessError("slice: the first regions are not those of the slices' centres")
    row_of = {region: row for row, region in reversed(list(enumerate(regions)))}
    regions += [regions[-1]] * (shape.capacity - len(regions))
    neurons, first = shape.architecture.neurons, shape.architecture.hidden[0]
    crossed_first = [
        [all(_across(region, i) in row_of for region in row_of if region.slice == s) for i in range(first)]
        for s in range(shape.slices)
    ]
    deeper: list[int] = []
    neighbors: list[int] = []
    for row, region in enumerate(regions):
        crossed = list(crossed_first[region.slice])
        crossed += [_across(region, i) in row_of for i in range(first, neurons)]
        deeper += [int(bit) for bit in crossed[first:]]
        neighbors += [row_of[_across(region, i)] if bit else row for i, bit in enumerate(crossed)]
    return {
        "slice": [region.slice for region in regions[shape.slices :]],
        "pattern": [region.pattern >> i & 1 for region in regions for i in range(neurons)],
        "crossed_first": [int(bit) for row in crossed_first for bit in row],
        "crossed_deeper": deeper,
        "neighbor": neighbors,
    }


def _across(region: Region, neuron: int) -> Region:
    """Return the region across the facet of a hidden neuron."""
    return Region(region.slice, region.pattern ^ (1 << neuron))
