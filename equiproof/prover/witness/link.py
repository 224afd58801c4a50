"""The witness of a link: a committed network, what opens it, and where its polynomial is evaluated."""

from __future__ import annotations

from dataclasses import dataclass, field

from equiproof.certify.network import QuantisedNetwork
from equiproof.circuits.kept import link_statement, shown, value, words
from equiproof.circuits.layout import WitnessError, encode, layout
from equiproof.circuits.link_shape import LinkShape
from equiproof.prover.witness.branch import negative_weights
from equiproof.prover.witness.relation import network_wires
from equiproof.prover.witness.wires import FilledWires


@dataclass(frozen=True)
class Linked:
    """What a link is about: a network with what opens its commitment, and the point of its words under a key.

    `key` is the certificate key's element and `at` the hash of the point; `link_blinding` hides what is shown.
    """

    network: QuantisedNetwork = field(repr=False)
    model_blinding: int = field(repr=False)
    model_commitment: int
    spec_digest: int
    key: int
    link_blinding: int = field(repr=False)
    at: int

    @property
    def shown(self) -> int:
        """What the link and all certificates beside it show of the network, a field element."""
        layers = [(layer.weights, layer.biases) for layer in self.network.layers]
        return shown(self.link_blinding, value(words(layers), self.model_commitment, self.at))

    def digest(self, shape: LinkShape) -> int:
        """Return the public input of the link."""
        return link_statement(shape, self.model_commitment, self.spec_digest, self.key, self.at, self.shown)


def generate(shape: LinkShape, link: Linked) -> bytes:
    """Return the witness of a link as the proving library reads it.

    Raises WitnessError where the network is not of the shape.
    """
    wires = fill(shape, link)
    return encode(shape, link.digest(shape), [wires[name] for name, _ in layout(shape)])


def fill(shape: LinkShape, link: Linked) -> FilledWires:
    """Return the wires by name; raises as :func:`generate`."""
    wires = FilledWires(network_wires(link.network))
    wires |= {
        "model_blinding": [link.model_blinding],
        "spec_digest": [link.spec_digest],
        "key": [link.key],
        "link_blinding": [link.link_blinding],
        "at": [link.at],
    }
    wires |= negative_weights(link.network, 2)
    for name, length in layout(shape):
        if len(wires.get(name, ())) != length:
            raise WitnessError(f"{name}: {len(wires.get(name, ()))} values for {length} wires of shape {shape.name}")
    return wires
