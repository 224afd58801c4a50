"""Padding of a model to a standard shape, so that it is proven under the keys that other owners' models have too."""

from __future__ import annotations

from equiproof.certify.network import NetworkError, QuantisedNetwork
from equiproof.certify.padding import pad_network
from equiproof.circuits.spec import Spec
from equiproof.circuits.standard import StandardShape


def pad(network: QuantisedNetwork, spec: Spec, to: StandardShape) -> tuple[QuantisedNetwork, Spec]:
    """Return a quantised network and its spec as they are committed under a standard shape.

    The network's integers are those of its own spec, so logits stay the same for every applicant. Raises NetworkError
    with the reason for a model that the shape has no room for.
    """
    if wrong := to.misfit(spec, network.hidden):
        raise NetworkError(f"standard shape {to.name}: {wrong}")
    return pad_network(network, spec, to.columns, to.hidden), to.spec(spec)
