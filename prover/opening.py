"""The owner's commitment to one model, and the secret file that opens it."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from certify.network import Layer, NetworkError, QuantisedNetwork
from circuits import field
from circuits.canonical import DocumentError, canonical_bytes, parse
from circuits.commitment import PackError, model_commitment
from circuits.kinds import mistaken
from circuits.shape import architecture_of
from circuits.spec import Spec, SpecError, checked
from verifier.documents import COMMITMENT, CommitmentDocument

OPENING = ("equiproof-opening", 1)


class OpeningError(ValueError):
    """An opening that does not open a commitment; one line naming file and field."""


class LayerDocument(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A layer's integers: weights (outputs, inputs), biases, and the fractional bits of its weights.

    Biases outgrow what JSON numbers hold everywhere, so they are decimal text.
    """

    weights: tuple[tuple[int, ...], ...]
    biases: tuple[str, ...]
    weight_fraction_bits: int


class OpeningDocument(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The secret file: the quantised network and the blinding, with the spec that was committed along."""

    format: str
    version: int
    layers: tuple[LayerDocument, ...]
    blinding: str
    spec: Spec


@dataclass(frozen=True)
class Opening:
    """A committed model as the owner holds it; `commitment` is recomputed from the other three, never read."""

    network: QuantisedNetwork
    spec: Spec
    blinding: int
    commitment: int

    @classmethod
    def of(cls, network: QuantisedNetwork, spec: Spec, blinding: int) -> Opening:
        """Compute the commitment of a network under a spec; raises OpeningError where they do not fit."""
        columns = spec.plain_columns + spec.sensitive_columns
        if (network.inputs, network.logit_count) != (columns, spec.logits):
            raise OpeningError(
                f"the network has {network.inputs} inputs and {network.logit_count} logits, "
                f"the spec wants {columns} and {spec.logits}"
            )
        if network.input_fraction_bits != spec.input_fraction_bits:
            raise OpeningError("network and spec disagree on input_fraction_bits")
        layers = [(layer.weights, layer.biases) for layer in network.layers]
        try:
            value = model_commitment(architecture_of(spec, network.hidden), spec.digest, blinding, layers)
        except PackError as error:
            raise OpeningError(f"network: {error}") from None
        return cls(network, spec, blinding, value)

    def public(self) -> bytes:
        """Return the commitment file that the owner publishes."""
        return canonical_bytes(
            CommitmentDocument(COMMITMENT[0], COMMITMENT[1], field.to_hex(self.commitment), self.spec)
        )

    def secret(self) -> bytes:
        """Return the opening file."""
        layers = tuple(
            LayerDocument(layer.weights, tuple(map(str, layer.biases)), bits)
            for layer, bits in zip(self.network.layers, self.network.weight_fraction_bits, strict=True)
        )
        return canonical_bytes(OpeningDocument(OPENING[0], OPENING[1], layers, field.to_hex(self.blinding), self.spec))


def commit(network: QuantisedNetwork, spec: Spec) -> Opening:
    """Commit to a network under a spec with a fresh blinding from the operating system's generator."""
    return Opening.of(network, spec, field.random())


def parse_opening(data: bytes, where: str) -> Opening:
    """Read an opening file; raises OpeningError naming `where` and the field."""
    try:
        document = parse(data, OpeningDocument, where)
        if (document.format, document.version) != OPENING:
            raise OpeningError(f"this is {document.format[:40]!r} version {document.version}, not {OPENING[0]!r}")
        network = QuantisedNetwork(
            layers=tuple(
                Layer(layer.weights, tuple(_integer(bias) for bias in layer.biases)) for layer in document.layers
            ),
            input_fraction_bits=document.spec.input_fraction_bits,
            weight_fraction_bits=tuple(layer.weight_fraction_bits for layer in document.layers),
        )
        return Opening.of(network, checked(document.spec), field.from_hex(document.blinding))
    except DocumentError as error:
        other = mistaken(data, OPENING[0])
        raise OpeningError(f"{where}: {other}" if other else str(error)) from None
    except (SpecError, NetworkError, field.FieldError, OpeningError) as error:
        raise OpeningError(f"{where}: {error}") from None


def _integer(text: str) -> int:
    """Read a decimal integer of sane length."""
    digits = text.removeprefix("-")
    if not digits.isascii() or not digits.isdigit() or len(text) > 100:
        raise OpeningError(f"field layers.biases: {text[:40]!r} is not an integer")
    return int(text)
