"""Padding of a model to a standard shape, so that it is proven under the keys that other owners' models have too."""

from __future__ import annotations

from equiproof.certify.additive import EnsembleError
from equiproof.certify.ensemble import EnsembleModel, ScoredModel
from equiproof.certify.network import NetworkError, QuantisedNetwork
from equiproof.certify.padding import pad_network
from equiproof.certify.score_padding import pad_additive, pad_ensemble
from equiproof.circuits.spec import Spec
from equiproof.circuits.standard import INPUT_BITS, StandardShape
from equiproof.circuits.standard_scores import StandardScore
from equiproof.prover.scored_opening import score_sizes


def pad(network: QuantisedNetwork, spec: Spec, to: StandardShape) -> tuple[QuantisedNetwork, Spec]:
    """Return a quantised network and its spec as they are committed under a standard shape.

    The network's integers are those of its own spec, so logits stay the same for every applicant. Raises NetworkError
    with the reason for a model that the shape has no room for.
    """
    if wrong := to.misfit(spec, network.hidden):
        raise NetworkError(f"standard shape {to.name}: {wrong}")
    return pad_network(network, spec, to.columns, to.hidden), to.spec(spec)


def pad_score(model: ScoredModel, spec: Spec, to: StandardScore) -> tuple[ScoredModel, Spec]:
    """Return a score and its spec as they are committed under a standard shape.

    The scores of all rows stay the same. Raises EnsembleError with the reason for a model that the shape has no room
    for.
    """
    if isinstance(model, EnsembleModel):
        _refuse(to, spec, score_sizes(model))
        nodes = to.nodes or model.nodes.sizes
        return pad_ensemble(model, to.columns, to.predicates, nodes, INPUT_BITS), to.spec(spec)
    _refuse(to, spec, model.predicates)
    return pad_additive(model, to.columns, to.predicates, INPUT_BITS), to.spec(spec)


def _refuse(to: StandardScore, spec: Spec, sizes: tuple[int, ...]) -> None:
    """Raise EnsembleError for sizes that do not fit a shape."""
    if wrong := to.misfit(spec, sizes):
        raise EnsembleError(f"standard shape {to.name}: {wrong}")
