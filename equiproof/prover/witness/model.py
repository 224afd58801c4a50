"""The wires of models: their numbers as a commitment's opening has them, and the words of kept models."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from equiproof.certify.additive import AdditiveModel
from equiproof.certify.ensemble import EnsembleModel
from equiproof.certify.network import QuantisedNetwork
from equiproof.circuits.kept import negative_parts
from equiproof.circuits.link_shape import LinkShape
from equiproof.circuits.node_words import NodeWords
from equiproof.circuits.shape import Shape
from equiproof.prover.opening import OwnModel


def model_wires(model: OwnModel) -> dict[str, list[int]]:
    """Return the numbers of a model."""
    if isinstance(model, QuantisedNetwork):
        return network_wires(model)
    if isinstance(model, EnsembleModel):
        return additive_wires(model.additive) | node_wires(model)
    return additive_wires(model)


def word_wires(model: OwnModel, shape: Shape | LinkShape) -> dict[str, list[int]]:
    """Return the words of a kept model by run, in the order of circuits/layout.py; those of an ensemble by shape."""
    if isinstance(model, QuantisedNetwork):
        layers = [(layer.weights, layer.biases) for layer in model.layers]
        parts = {f"negative_part.{number}": part for number, part in negative_parts(layers).items()}
        return network_wires(model) | parts
    own = model.additive if isinstance(model, EnsembleModel) else model
    pairs = zip(own.columns, own.thresholds, strict=True)
    numbers = {
        "predicates": [number for pair in pairs for number in pair],
        "jumps": list(own.jumps),
        "bias": [own.bias],
    }
    if not isinstance(model, EnsembleModel):
        return numbers
    wires = node_wires(model)
    if shape.visits:
        sets = {"sets": wires["sets"]} if "sets" in wires else {}
        nodes = NodeWords.of(shape).of_nodes(model.nodes.predicates, model.nodes.highs, *node_references(model, shape))
        return numbers | sets | {"node_word": nodes}
    names = ("node_predicate", "node_missing", "node_value", "sets")
    numbers |= {name: wires[name] for name in names if name in wires}
    return numbers | {"node_child": child_places(model.nodes.kinds, model.nodes.roots)}


def words(model: OwnModel, shape: Shape | LinkShape) -> list[int]:
    """Return the words of a kept model as one list."""
    return [word for run in word_wires(model, shape).values() for word in run]


def node_references(model: EnsembleModel, shape: Shape | LinkShape) -> tuple[list[int], list[int]]:
    """Return the references of the low and of the high children of an ensemble's nodes."""
    nodes = model.nodes
    return NodeWords.of(shape).references(nodes.kinds, nodes.values, nodes.roots)


def child_places(kinds: Sequence[tuple[int, int]], trees: int) -> list[int]:
    """Return the place of both children of each node: among the nodes, or behind all nodes among the values."""
    nodes, values = iter(range(trees, len(kinds))), iter(range(len(kinds), 2 * len(kinds) + trees))
    return [next(nodes if kind else values) for pair in kinds for kind in pair]


def nodes_before(kinds: Sequence[tuple[int, int]]) -> list[int]:
    """Return how many children before each node but the first are nodes."""
    return list(accumulate(map(sum, kinds[:-1])))


def network_wires(network: QuantisedNetwork) -> dict[str, list[int]]:
    """Return the weights, row by row, and the biases of each layer."""
    wires = {}
    for number, layer in enumerate(network.layers, start=1):
        wires[f"weights.{number}"] = [weight for row in layer.weights for weight in row]
        wires[f"biases.{number}"] = list(layer.biases)
    return wires


def additive_wires(model: AdditiveModel) -> dict[str, list[int]]:
    """Return the predicates' columns, thresholds and jumps, and the bias."""
    return {
        "columns": list(model.columns),
        "thresholds": list(model.thresholds),
        "jumps": list(model.jumps),
        "bias": [model.bias],
    }


def node_wires(model: EnsembleModel) -> dict[str, list[int]]:
    """Return the wires of the nodes, which follow those of the additive part."""
    nodes = model.nodes
    members = [bit for one in model.sets for some in one.members for bit in some]
    return {
        "node_predicate": list(nodes.predicates),
        "node_low": [low for low, _ in nodes.kinds],
        "node_high": [high for _, high in nodes.kinds],
        "node_value": list(nodes.values),
        **({"node_missing": list(nodes.highs)} if nodes.highs else {}),
        **({"sets": members} if members else {}),
    }
