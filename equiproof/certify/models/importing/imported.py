"""Imports any readable model under a spec, in exact fractions, which are then rounded to the committed integers."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from equiproof.certify.models.importing.bind import Units, bind_inputs, bind_outputs, class_names, input_names
from equiproof.certify.models.importing.chain import Affine, Work, folded, identity, layers_of
from equiproof.certify.models.importing.errors import ModelImportError
from equiproof.certify.models.importing.marked import bind_marked, refuse_strange_fills
from equiproof.certify.models.importing.one_hot import with_one_hot
from equiproof.certify.models.importing.precision import is_precise, widenings
from equiproof.certify.models.importing.source import Source
from equiproof.certify.models.network import Network
from equiproof.certify.models.quantise import ExactLayer, quantise, quantise_exact
from equiproof.certify.network import NetworkError, QuantisedNetwork
from equiproof.circuits.spec import Spec, SpecError, refuse_missing, refuse_told_as_value


@dataclass(frozen=True, eq=False, repr=False)
class Imported:
    """An imported model.

    `network` and `quantised` take the columns of `spec`; quantising `network` gives `quantised`. `columns` are the
    model's inputs in its own order, `folded` names the steps that became one layer, `sha256` is that of the model's
    file, None for a model in memory; `notes` are remarks for whoever imports it.
    """

    kind: str
    spec: Spec
    network: Network
    quantised: QuantisedNetwork
    columns: tuple[str, ...]
    units: Units
    folded: tuple[str, ...]
    sha256: str | None
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        """Show what it is in one line."""
        return f"<{type(self).__name__} {self.size()}>"

    def size(self) -> str:
        """Return the kind, and the numbers of inputs, neurons and logits."""
        sizes = (self.network.inputs, *self.network.hidden, self.network.logit_count)
        return f"{self.kind} {'-'.join(map(str, sizes))}"

    def document(self) -> dict[str, Any]:
        """Return what was imported and how it was bound to the spec, as JSON data without any weight."""
        return {
            "kind": self.kind,
            "columns": list(self.columns),
            "units": self.units,
            "hidden": list(self.network.hidden),
            "logits": self.network.logit_count,
            "sensitive": [feature.name for feature in self.spec.sensitive_features],
            "slices": len(self.spec.domain_table),
            "folded": list(self.folded),
        }


def bound_network(
    source: Source,
    spec: Spec,
    *,
    units: Units,
    columns: Sequence[str] | None = None,
    classes: Sequence[str] | None = None,
    widen: bool = False,
    unused: Collection[str] = (),
) -> Imported:
    """Bind a network that was read to a spec, and round it to the integers that are committed.

    `columns` names the model's inputs in its order, where the model does not name them itself as the spec does;
    `unused` names the features of the spec that it does not take; `classes` names the meaning of its logits, where they
    are not the spec's labels in order. `units`: whether the model takes raw numbers or the spec's scaled columns.
    `widen`: the spec's `weight_bits` are replaced by widths that suffice for this model
    (:mod:`~equiproof.certify.models.importing.precision`). `Imported.spec` differs from `spec` in them, and in
    sensitive categories that the model has one-hot (:mod:`~equiproof.certify.models.importing.one_hot`). Raises
    ModelImportError naming the operator, input or weight that cannot be imported exactly, and NetworkError where no
    scale fits weights or biases into their widths.
    """
    if units not in ("raw", "spec"):
        raise ModelImportError(f"units are raw or spec, not {units!r}")
    try:
        refuse_missing(spec)
        refuse_told_as_value(spec)
        spec, notes = with_one_hot(
            spec, columns or source.columns or (), () if source.lacking is None else source.one_hot
        )
        names = input_names(source.columns, columns, spec, units, source.ranked)
        if source.lacking is not None:
            refuse_strange_fills(source.lacking.fills, names or (), spec)
        if any(feature.has_mark or feature.lists_missing for feature in spec.features):
            source, first = bind_marked(source, names, spec, units, unused)
        else:
            first = bind_inputs(source.inputs, names, spec, units, source.ranked, unused)
        own = class_names(source.classes, classes)
        bound = _bound(source, spec, first, tuple(names or ()), units, own, widen)
        return dataclasses.replace(bound, notes=(*bound.notes, *notes))
    except (ModelImportError, NetworkError, SpecError) as error:
        kind = ModelImportError if isinstance(error, SpecError) else type(error)
        raise kind(f"{source.name}: {error}" if source.name else str(error)) from None


def _bound(
    source: Source,
    spec: Spec,
    first: Affine,
    names: tuple[str, ...],
    units: Units,
    classes: Sequence[str | int] | None,
    widen: bool,
) -> Imported:
    """Bind a model to its spec, whose columns `first` maps to its inputs of these names."""
    last = bind_outputs(source.outputs, classes, spec)
    work = Work()
    layers = layers_of([*_changing(first), *source.steps], first.inputs, work)
    for step in _changing(last):
        layers = (*layers[:-1], step.after(layers[-1], work))
    if widen:
        spec, network, quantised = _widened(layers, spec)
    else:
        network, quantised = _settled(layers, spec)
    return Imported(source.kind, spec, network, quantised, names, units, folded(layers), source.sha256)


def _widened(layers: Sequence[Affine], spec: Spec) -> tuple[Spec, Network, QuantisedNetwork]:
    """Return the spec with the first widths that are precise, else the widest, and the layers under it."""
    *narrower, widest = widenings(spec, [len(layer.rows) for layer in layers[:-1]])
    for wide in narrower:
        network, quantised = _settled(layers, wide)
        if is_precise(network, quantised, spec.plain_columns):
            return wide, network, quantised
    return widest, *_settled(layers, widest)


def _changing(step: Affine) -> list[Affine]:
    """Return the step, unless it is the identity."""
    same = identity(step.inputs, step.where)
    return [] if (step.rows, step.biases) == (same.rows, same.biases) else [step]


def _settled(layers: Sequence[Affine], spec: Spec) -> tuple[Network, QuantisedNetwork]:
    """Return the layers as floats and as integers; refuse a float that rounds to another integer than its fraction.

    A model folder holds floats. It is not enough that they are nearest to the exact rationals: they must quantise to
    the same integers as the rationals.
    """
    exact = [
        ExactLayer(tuple(tuple(_dense(row, layer.inputs)) for row in layer.rows), layer.biases) for layer in layers
    ]
    quantised = quantise_exact(exact, spec)
    try:
        network = Network(
            tuple(np.array([[float(weight) for weight in row] for row in layer.weights]) for layer in exact),
            tuple(np.array([float(bias) for bias in layer.biases]) for layer in exact),
        )
    except OverflowError:
        raise ModelImportError("a weight or bias is too large for a float") from None
    rounded = quantise(network, spec)
    if rounded != quantised:
        raise ModelImportError(_difference(quantised, rounded, layers))
    return network, quantised


def _dense(row: Any, inputs: int) -> list[Fraction]:
    """Return a row of weights with its zeros."""
    return [row.get(column, Fraction(0)) for column in range(inputs)]


def _difference(quantised: QuantisedNetwork, rounded: QuantisedNetwork, layers: Sequence[Affine]) -> str:
    """Return words for the first number that floats do not hold precisely enough."""
    for index, (left, right) in enumerate(zip(quantised.layers, rounded.layers, strict=True), start=1):
        place = f"layer {index} ({layers[index - 1].where})"
        for output, (ours, theirs) in enumerate(zip(left.biases, right.biases, strict=True), start=1):
            if ours != theirs:
                return f"{place}: the bias of output {output} {_PRECISION_HINT}"
        for output, (row, other) in enumerate(zip(left.weights, right.weights, strict=True), start=1):
            for column, (ours, theirs) in enumerate(zip(row, other, strict=True), start=1):
                if ours != theirs:
                    return f"{place}: the weight from input {column} to output {output} {_PRECISION_HINT}"
    return f"the scale of a layer {_PRECISION_HINT}"


_PRECISION_HINT = (
    "is a fraction that no float64 stands for closely enough to commit to the same integer; multiply layers that "
    "follow each other without a ReLU, and scaling, into one layer of doubles before the export"
)
