"""The owner's commitment to one model, and the secret file that opens it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from pathlib import Path
from typing import Any, ClassVar

import msgspec

from equiproof.certify.additive import AdditiveModel, EnsembleError
from equiproof.certify.ensemble import EnsembleModel, ScoredModel
from equiproof.certify.models.comparison import Comparison
from equiproof.certify.models.ensembles.gaps import Gap, refuse_between
from equiproof.certify.network import Layer, NetworkError, QuantisedNetwork
from equiproof.certify.trees.monotone import refuse_false_directions
from equiproof.circuits import field
from equiproof.circuits.canonical import DocumentError, canonical_bytes, parse, read_limited
from equiproof.circuits.commitment import PackError, model_commitment
from equiproof.circuits.exit_codes import MISUSED
from equiproof.circuits.kinds import mistaken
from equiproof.circuits.schemes import Scheme
from equiproof.circuits.shape import architecture_of
from equiproof.circuits.spec import Spec, SpecError, checked
from equiproof.prover.scored_opening import (
    ScoredDocument,
    document_of,
    gaps_of,
    model_of,
    score_sizes,
    scored_commitment,
)
from equiproof.verifier.documents import COMMITMENT, CommitmentDocument

OPENING = ("equiproof-opening", 2)


class OpeningError(ValueError):
    """An opening that does not open a commitment; one line naming file and field."""

    exit_code: ClassVar[int] = MISUSED


OwnModel = QuantisedNetwork | ScoredModel
"""A model that can be committed to."""


class LayerDocument(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A layer's integers: weights (outputs, inputs), biases, and the fractional bits of its weights.

    Biases outgrow what JSON numbers hold everywhere, so they are decimal text.
    """

    weights: tuple[tuple[int, ...], ...]
    biases: tuple[str, ...]
    weight_fraction_bits: int

    def __repr__(self) -> str:
        """Show how many biases there are, which is how many neurons, and no number of the model."""
        return f"LayerDocument({len(self.biases)} neurons)"


class OpeningDocument(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The secret file: the quantised network and the blinding, with the spec that was committed along.

    `compared` has the counts of a comparison with the owner's own decisions, where one was made.
    """

    format: str
    version: int
    layers: tuple[LayerDocument, ...]
    blinding: str
    spec: Spec
    compared: Comparison | msgspec.UnsetType = msgspec.UNSET

    def __repr__(self) -> str:
        """Show the spec, which is public, and the number of layers."""
        return f"OpeningDocument({len(self.layers)} layers, spec={self.spec!r})"


@dataclass(frozen=True)
class Opening:
    """A committed model as the owner holds it; `commitment` is recomputed from the other three, never read.

    The repr shows the spec and the commitment, which are public.
    """

    model: OwnModel = dataclass_field(repr=False)
    spec: Spec
    blinding: int = dataclass_field(repr=False)
    commitment: int
    gaps: tuple[Gap, ...] = dataclass_field(default=(), repr=False)
    compared: Comparison | None = dataclass_field(default=None, repr=False)

    @classmethod
    def of(
        cls,
        model: OwnModel,
        spec: Spec,
        blinding: int,
        gaps: tuple[Gap, ...] = (),
        compared: Comparison | None = None,
    ) -> Opening:
        """Compute the commitment of a model under a spec; raises OpeningError where they do not fit.

        `gaps` say where the model that an ensemble comes from compares otherwise, `compared` how it decided beside its
        owner's own system; neither is committed to.
        """
        if isinstance(model, QuantisedNetwork):
            return cls(model, spec, blinding, _network_commitment(model, spec, blinding), (), compared)
        try:
            return cls(model, spec, blinding, scored_commitment(model, spec, blinding), gaps, compared)
        except EnsembleError as error:
            raise OpeningError(str(error)) from None

    @property
    def network(self) -> QuantisedNetwork:
        """The committed network; raises OpeningError for a model that is none."""
        if not isinstance(self.model, QuantisedNetwork):
            raise OpeningError("the opening is of a model of scheme trees, not of a network")
        return self.model

    @property
    def additive(self) -> AdditiveModel:
        """The committed additive model; raises OpeningError for any other."""
        if not isinstance(self.model, AdditiveModel):
            raise OpeningError(f"the opening is of {self.kind}, not of an additive model of scheme trees")
        return self.model

    @property
    def ensemble(self) -> EnsembleModel:
        """The committed ensemble; raises OpeningError for any other model."""
        if not isinstance(self.model, EnsembleModel):
            raise OpeningError(f"the opening is of {self.kind}, not of an ensemble of trees")
        return self.model

    @property
    def score(self) -> ScoredModel:
        """The committed model of scheme `trees`; raises OpeningError for a network."""
        if isinstance(self.model, QuantisedNetwork):
            raise OpeningError("the opening is of a network, not of a model of scheme trees")
        return self.model

    @property
    def kind(self) -> str:
        """What the model is, in words."""
        if isinstance(self.model, QuantisedNetwork):
            return "a network"
        return "an additive model" if isinstance(self.model, AdditiveModel) else "an ensemble of trees"

    @property
    def own_scheme(self) -> Scheme | None:
        """The only scheme for the model: `trees`. None for a network, which has two."""
        return None if isinstance(self.model, QuantisedNetwork) else "trees"

    @property
    def sizes(self) -> tuple[int, ...]:
        """What keys are found by besides the spec: a network's hidden layers, else :func:`score_sizes`."""
        if isinstance(self.model, QuantisedNetwork):
            return self.model.hidden
        return score_sizes(self.model)

    def encode(self, row: Mapping[str, Any]) -> tuple[int, ...]:
        """Return the n_x integers of a raw row which the model compares as the one that it was made of.

        Raises SpecError as the spec's own `encode`, and BetweenError for a row in a gap of an ensemble.
        """
        integers = self.spec.encode(row)
        refuse_between(self.gaps, self.spec, row)
        return integers

    def digests(self) -> dict[str, str]:
        """Return the model commitment and the spec's digest in hexadecimal, as JSON data."""
        return {"model_commitment": field.to_hex(self.commitment), "spec_digest": field.to_hex(self.spec.digest)}

    def public(self) -> bytes:
        """Return the commitment file that the owner publishes."""
        return canonical_bytes(
            CommitmentDocument(COMMITMENT[0], COMMITMENT[1], field.to_hex(self.commitment), self.spec)
        )

    def secret(self) -> bytes:
        """Return the opening file."""
        model = self.model
        blinding = field.to_hex(self.blinding)
        if not isinstance(model, QuantisedNetwork):
            return canonical_bytes(document_of(model, self.spec, OPENING, blinding, self.gaps, self.compared))
        layers = tuple(
            LayerDocument(layer.weights, tuple(map(str, layer.biases)), bits)
            for layer, bits in zip(model.layers, model.weight_fraction_bits, strict=True)
        )
        return canonical_bytes(OpeningDocument(*OPENING, layers, blinding, self.spec, self.compared or msgspec.UNSET))


def _network_commitment(network: QuantisedNetwork, spec: Spec, blinding: int) -> int:
    """Return the commitment of a network under a spec; raises OpeningError where they do not fit."""
    columns = spec.plain_columns + spec.sensitive_columns
    if (network.inputs, network.logit_count) != (columns, spec.logits):
        raise OpeningError(
            f"the network has {network.inputs} inputs and {network.logit_count} logits, "
            f"the spec wants {columns} and {spec.logits}"
        )
    if network.input_fraction_bits != spec.input_fraction_bits:
        raise OpeningError("network and spec disagree on input_fraction_bits")
    _refuse_wide(network, spec)
    layers = [(layer.weights, layer.biases) for layer in network.layers]
    try:
        return model_commitment(architecture_of(spec, network.hidden), spec.digest, blinding, layers)
    except PackError as error:
        raise OpeningError(f"network: {error}") from None


def _refuse_wide(network: QuantisedNetwork, spec: Spec) -> None:
    """Raise OpeningError naming the layer of a weight that is wider than the spec says."""
    for number, (layer, bits) in enumerate(
        zip(network.layers, spec.weight_widths(network.hidden), strict=True), start=1
    ):
        limit = 1 << (bits - 1)
        if any(not -limit <= weight < limit for row in layer.weights for weight in row):
            raise OpeningError(f"layer {number}: a weight does not fit {bits} signed bits, the spec's weight_bits")


def commit(model: OwnModel, spec: Spec, gaps: tuple[Gap, ...] = (), compared: Comparison | None = None) -> Opening:
    """Commit to a model under a spec with a fresh blinding from the operating system's generator.

    `gaps` and `compared` are kept in the opening; see :meth:`Opening.of`.
    Raises MonotoneError where the model does not show a direction that the spec states.
    """
    # Before anything is published: what a spec states of directions cannot be taken back later.
    refuse_false_directions(model, spec)
    return Opening.of(model, spec, field.random(), gaps, compared)


def parse_opening(data: bytes, where: str) -> Opening:
    """Read an opening file; raises OpeningError naming `where` and the field."""
    try:
        document = parse_opening_document(data, where)
        if (document.format, document.version) != OPENING:
            raise OpeningError(f"this is {document.format[:40]!r} version {document.version}, not {OPENING[0]!r}")
        spec = checked(document.spec)
        blinding = field.from_hex(document.blinding)
        compared = None if isinstance(document.compared, msgspec.UnsetType) else document.compared
        if isinstance(document, OpeningDocument):
            return Opening.of(_network(document), spec, blinding, compared=compared)
        return Opening.of(model_of(document), spec, blinding, gaps_of(document), compared)
    except DocumentError as error:
        other = mistaken(data, OPENING[0])
        raise OpeningError(f"{where}: {other}" if other else str(error)) from None
    except (SpecError, NetworkError, EnsembleError, field.FieldError, OpeningError) as error:
        raise OpeningError(f"{where}: {error}") from None


def parse_opening_document(data: bytes, where: str) -> OpeningDocument | ScoredDocument:
    """Read what an opening file says, without computing its commitment: raises DocumentError.

    A file that has the field `predicates` is of an additive model or an ensemble.
    """
    try:
        additive = "predicates" in msgspec.json.decode(data, type=dict[str, msgspec.Raw])
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        additive = False
    return parse(data, ScoredDocument, where) if additive else parse(data, OpeningDocument, where)


def _network(document: OpeningDocument) -> QuantisedNetwork:
    """Return the network of an opening file; raises NetworkError or OpeningError."""
    return QuantisedNetwork(
        layers=tuple(Layer(layer.weights, tuple(_integer(bias) for bias in layer.biases)) for layer in document.layers),
        input_fraction_bits=document.spec.input_fraction_bits,
        weight_fraction_bits=tuple(layer.weight_fraction_bits for layer in document.layers),
    )


def load_opening(path: str | Path) -> Opening:
    """Read an opening from a file; raises OSError, DocumentError or OpeningError."""
    return parse_opening(read_limited(Path(path)), str(path))


def _integer(text: str) -> int:
    """Read a decimal integer of sane length."""
    digits = text.removeprefix("-")
    # Bounded before it is read, which takes time that grows with the square of the digits.
    if not digits.isascii() or not digits.isdigit() or len(text) > 100:
        raise OpeningError(f"field layers.biases: {text[:40]!r} is not an integer")
    return int(text)
