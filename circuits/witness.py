"""Witness generation: fills the wires that circuits/layout.py names, out of a statement's secrets and its evidence.

What a statement speaks of is filled here, the evidence of each scheme by a module of its own. Wrong evidence is filled
as it is; the circuit refuses it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from certify.branch.evidence import BranchEvidence
from certify.evidence import Evidence
from certify.network import QuantisedNetwork
from circuits import branch_witness, region_witness
from circuits.layout import WitnessError, encode, layout
from circuits.shape import Shape
from circuits.spec import Box
from circuits.statement import Statement


@dataclass(frozen=True)
class Secrets:
    """What opens a statement: the network, both blindings, the query's n_x integers and the table's (S, n_s).

    `box` is the spec's, None where neighbors are not restricted to it.
    """

    network: QuantisedNetwork
    model_blinding: int
    query: Sequence[int]
    query_blinding: int
    table: Sequence[Sequence[int]]
    box: Box | None = None


def generate(shape: Shape, statement: Statement, secrets: Secrets, evidence: Evidence | BranchEvidence) -> bytes:
    """Return the witness of a statement as the proving library reads it; the evidence is of the shape's scheme.

    Raises WitnessError where a part does not fit the shape.
    """
    wires = fill(shape, statement, secrets, evidence)
    return encode(shape, statement.digest(shape), [wires[name] for name, _ in layout(shape)])


def fill(
    shape: Shape, statement: Statement, secrets: Secrets, evidence: Evidence | BranchEvidence
) -> dict[str, list[int]]:
    """Return the wires by name, as integers that may be negative; raises as :func:`generate`."""
    wires = _opened_wires(statement, secrets, evidence.label, evidence.radius_squared)
    if isinstance(evidence, Evidence):
        wires |= region_witness.fill(shape, evidence)
    else:
        wires |= branch_witness.fill(shape, secrets.network, secrets.query, secrets.table, evidence, secrets.box)
    for name, length in layout(shape):
        if len(wires.get(name, ())) != length:
            raise WitnessError(f"{name}: {len(wires.get(name, ()))} values for {length} wires of shape {shape.name}")
    return wires


def _opened_wires(statement: Statement, secrets: Secrets, label: int, radius_squared: int) -> dict[str, list[int]]:
    """Return the wires of what a statement speaks of, which every scheme has first, with the evidence's result."""
    return (
        _network_wires(secrets.network)
        | {
            "model_blinding": [secrets.model_blinding],
            "spec_digest": [statement.spec_digest],
            "table": [value for row in secrets.table for value in row],
            "query": list(secrets.query),
            "query_blinding": [secrets.query_blinding],
            "label": _label_wires(secrets.network.logit_count, label),
            "radius_squared": [radius_squared],
            "context_digest": [statement.context_digest],
        }
        | ({} if secrets.box is None else {"range_low": [*secrets.box[0]], "range_high": [*secrets.box[1]]})
    )


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
