"""The witness of a link: a committed model, what opens it, and where the polynomial of its words is evaluated."""

from __future__ import annotations

from dataclasses import dataclass, field

from equiproof.certify.ensemble import EnsembleModel
from equiproof.certify.network import QuantisedNetwork
from equiproof.circuits.kept import link_statement, shown, value
from equiproof.circuits.layout import WitnessError, encode, layout
from equiproof.circuits.link_shape import LinkShape
from equiproof.circuits.shape import Shape
from equiproof.prover.opening import OwnModel
from equiproof.prover.witness.branch import negative_weights
from equiproof.prover.witness.model import model_wires, node_references, nodes_before, words
from equiproof.prover.witness.wires import FilledWires


@dataclass(frozen=True)
class Linked:
    """What a link is about: a model with what opens its commitment, and the point of its words under a key.

    `key` is the certificate key's element and `at` the hash of the point; `link_blinding` hides what is shown.
    """

    model: OwnModel = field(repr=False)
    model_blinding: int = field(repr=False)
    model_commitment: int
    spec_digest: int
    key: int
    link_blinding: int = field(repr=False)
    at: int

    def shown(self, shape: Shape | LinkShape) -> int:
        """Return what the link and all certificates beside it show of the model, a field element."""
        return shown(self.link_blinding, value(words(self.model, shape), self.model_commitment, self.at))

    def digest(self, shape: LinkShape) -> int:
        """Return the public input of the link."""
        return link_statement(shape, self.model_commitment, self.spec_digest, self.key, self.at, self.shown(shape))


def generate(shape: LinkShape, link: Linked) -> bytes:
    """Return the witness of a link as the proving library reads it.

    Raises WitnessError where the model is not of the shape.
    """
    wires = fill(shape, link)
    return encode(shape, link.digest(shape), [wires[name] for name, _ in layout(shape)])


def fill(shape: LinkShape, link: Linked) -> FilledWires:
    """Return the wires by name; raises as :func:`generate`."""
    wires = FilledWires(model_wires(link.model))
    wires |= {
        "model_blinding": [link.model_blinding],
        "spec_digest": [link.spec_digest],
        "key": [link.key],
        "link_blinding": [link.link_blinding],
        "at": [link.at],
    }
    if isinstance(link.model, QuantisedNetwork):
        wires |= negative_weights(link.model, 2)
    elif isinstance(link.model, EnsembleModel):
        wires["node_before"] = nodes_before(link.model.nodes.kinds)
        if shape.visits:
            wires["low_reference"], wires["high_reference"] = node_references(link.model, shape)
    for name, length in layout(shape):
        if len(wires.get(name, ())) != length:
            raise WitnessError(f"{name}: {len(wires.get(name, ()))} values for {length} wires of shape {shape.name}")
    return wires
