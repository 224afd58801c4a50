"""The witness of a certificate's relation: the private wires that circuits/layout.py names, with their values.

This module fills the wires that every scheme has; `traversal.py`, `branch.py` and `additive.py` fill those of their
scheme's evidence. Evidence is not checked here: the circuit refuses a witness whose evidence is wrong.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from equiproof.certify.additive import AdditiveModel
from equiproof.certify.branch.evidence import BranchEvidence
from equiproof.certify.ensemble import EnsembleModel
from equiproof.certify.gain import GainEvidence
from equiproof.certify.network import QuantisedNetwork
from equiproof.certify.traversal.evidence import Evidence
from equiproof.certify.trees.ensemble_evidence import EnsembleEvidence
from equiproof.certify.trees.evidence import AdditiveEvidence
from equiproof.circuits.layout import WitnessError, encode, layout
from equiproof.circuits.shape import Shape
from equiproof.circuits.spec import Box
from equiproof.circuits.statement import Statement
from equiproof.prover.opening import Opening, OwnModel
from equiproof.prover.witness import additive as additive_witness
from equiproof.prover.witness import branch as branch_witness
from equiproof.prover.witness import gain as gain_witness
from equiproof.prover.witness import traversal as region_witness
from equiproof.prover.witness import trees as trees_witness
from equiproof.prover.witness.model import model_wires, word_wires
from equiproof.prover.witness.wires import FilledWires

AnyEvidence = Evidence | BranchEvidence | AdditiveEvidence | EnsembleEvidence | GainEvidence
"""The evidence of any relation."""


@dataclass(frozen=True)
class Secrets:
    """What opens a statement: the model, both blindings, the query's n_x integers and the table's (S, n_s).

    `table` and `box` are the spec's, and public; `box` is None where the spec does not restrict neighbors to ranges.
    `link_blinding` hides what is shown of a kept model, and is None for any other. The repr shows table and box only.
    """

    model: OwnModel = field(repr=False)
    model_blinding: int = field(repr=False)
    query: Sequence[int] = field(repr=False)
    query_blinding: int = field(repr=False)
    table: Sequence[Sequence[int]]
    box: Box | None
    link_blinding: int | None = field(default=None, repr=False)

    @classmethod
    def of(
        cls, opening: Opening, query: Sequence[int], query_blinding: int, link_blinding: int | None = None
    ) -> Secrets:
        """Return what opens a statement about a committed model, a query's integers and their blinding."""
        spec = opening.spec
        return cls(opening.model, opening.blinding, query, query_blinding, spec.domain_table, spec.box, link_blinding)

    @property
    def network(self) -> QuantisedNetwork:
        """The network; raises WitnessError for any other model."""
        if not isinstance(self.model, QuantisedNetwork):
            raise WitnessError("weights.1: the model is of scheme trees, not a network")
        return self.model

    @property
    def additive(self) -> AdditiveModel:
        """The additive model, of an ensemble its additive part; raises WitnessError for a network."""
        if isinstance(self.model, QuantisedNetwork):
            raise WitnessError("columns: the model is a network, not additive")
        return self.model.additive if isinstance(self.model, EnsembleModel) else self.model

    @property
    def ensemble(self) -> EnsembleModel:
        """The ensemble; raises WitnessError for any other model."""
        if not isinstance(self.model, EnsembleModel):
            raise WitnessError("node_predicate: the model has no trees")
        return self.model


def generate(shape: Shape, statement: Statement, secrets: Secrets, evidence: AnyEvidence) -> bytes:
    """Return the witness of a statement as the proving library reads it; the evidence is of the shape's scheme.

    Raises WitnessError where a part does not fit the shape.
    """
    wires = fill(shape, statement, secrets, evidence)
    return encode(shape, statement.digest(shape), [wires[name] for name, _ in layout(shape)])


def fill(shape: Shape, statement: Statement, secrets: Secrets, evidence: AnyEvidence) -> FilledWires:
    """Return the wires by name; raises as :func:`generate`."""
    wires = FilledWires(_kept_model(shape, statement, secrets) if shape.kept else _opened_model(secrets))
    wires |= _stated_wires(statement, secrets, evidence.label, evidence.radius_squared)
    if isinstance(evidence, Evidence):
        wires |= region_witness.fill(shape, evidence)
    elif isinstance(evidence, EnsembleEvidence):
        wires |= trees_witness.fill(shape, secrets.ensemble, secrets.query, secrets.table, evidence, secrets.box)
    elif isinstance(evidence, AdditiveEvidence):
        wires |= additive_witness.fill(shape, secrets.additive, secrets.query, secrets.table, evidence, secrets.box)
    elif isinstance(evidence, GainEvidence):
        wires |= {"least_gain": [evidence.least_gain], "logit_fraction_bits": [secrets.network.logit_fraction_bits]}
        wires |= gain_witness.fill(shape, secrets.network, secrets.query, secrets.table, evidence)
    else:
        wires |= branch_witness.fill(shape, secrets.network, secrets.query, secrets.table, evidence, secrets.box)
    for name, length in layout(shape):
        if len(wires.get(name, ())) != length:
            raise WitnessError(f"{name}: {len(wires.get(name, ()))} values for {length} wires of shape {shape.name}")
    return wires


def _opened_model(secrets: Secrets) -> dict[str, list[int]]:
    """Return the model and what opens its commitment."""
    return model_wires(secrets.model) | {"model_blinding": [secrets.model_blinding]}


def _kept_model(shape: Shape, statement: Statement, secrets: Secrets) -> dict[str, list[int]]:
    """Return the words of a kept model, its commitment, and what hides what is shown."""
    if secrets.link_blinding is None:
        raise WitnessError("link_blinding: no value, and the shape is of a kept model")
    return word_wires(secrets.model, shape) | {
        "model_commitment": [statement.model_commitment],
        "link_blinding": [secrets.link_blinding],
    }


def _stated_wires(statement: Statement, secrets: Secrets, label: int, radius_squared: int) -> dict[str, list[int]]:
    """Return the wires of what else a statement speaks of, which every scheme has, with the evidence's result."""
    return {
        "spec_digest": [statement.spec_digest],
        "table": [value for row in secrets.table for value in row],
        "query": list(secrets.query),
        "query_blinding": [secrets.query_blinding],
        "label": label_wires(secrets.model.logit_count, label),
        "radius_squared": [radius_squared],
        "context_digest": [statement.context_digest],
    } | ({} if secrets.box is None else {"range_low": [*secrets.box[0]], "range_high": [*secrets.box[1]]})


def label_wires(logits: int, label: int) -> list[int]:
    """Return the label as one bit for a single logit, else as one bit per logit."""
    return [label] if logits == 1 else [int(index == label) for index in range(logits)]
