"""Binds a model to a spec by name: inputs to columns, with their units, and logits to labels."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Literal

from equiproof.certify.models.importing.chain import Affine
from equiproof.certify.models.importing.errors import ModelImportError, shown
from equiproof.circuits.encodings import ENCODINGS
from equiproof.circuits.spec import Spec

Units = Literal["raw", "spec"]

_LABELS = "the order of the labels"


def column_names(spec: Spec) -> tuple[str, ...]:
    """Return the names of the spec's columns, non-sensitive first; raises ModelImportError for repeated names."""
    names = [
        name
        for feature in (*spec.plain_features, *spec.sensitive_features)
        for name in ENCODINGS[feature.encoding].column_names(feature)
    ]
    _refuse_doubled("the spec has", names)
    return tuple(names)


def bind_inputs(inputs: int, names: Sequence[str] | None, spec: Spec, units: Units) -> Affine:
    """Return the map from the spec's columns to the model's inputs, which have these names in this order.

    A column v of the spec stands for the raw number mean + scale v: with units "raw" the model takes that number (of a
    ranked category its rank, of a one-hot column 0 or 1), with "spec" it takes v. Raises ModelImportError where names
    are missing, unknown or repeated; the error lists them.
    """
    wanted = column_names(spec)
    if names is None:
        raise ModelImportError(
            "the model does not name its inputs: name them in the model's order with --columns (from Python: columns); "
            f"the spec has {_listed(wanted)}"
        )
    _refuse_doubled("the model's inputs have", names)
    unknown = [name for name in names if name not in wanted]
    missing = [name for name in wanted if name not in names]
    if unknown:
        raise ModelImportError(f"the spec has no column {_listed(unknown)}; it has {_listed(wanted)}")
    if missing:
        raise ModelImportError(f"the model has no input {_listed(missing)}, which the spec has; every column is bound")
    if len(names) != inputs:
        raise ModelImportError(f"{len(names)} names for the {inputs} inputs of the model")
    scaled = [
        (Fraction(feature.mean), Fraction(feature.scale)) if units == "raw" else (Fraction(0), Fraction(1))
        for feature in (*spec.plain_features, *spec.sensitive_features)
        for _ in range(feature.width)
    ]
    positions = [wanted.index(name) for name in names]
    return Affine(
        len(wanted),
        tuple({position: scaled[position][1]} for position in positions),
        tuple(scaled[position][0] for position in positions),
        "the columns" if units == "spec" else "the columns in raw units",
    )


def bind_outputs(outputs: int, classes: Sequence[str | int] | None, spec: Spec) -> Affine:
    """Return the map from the model's logits to the spec's.

    Classes that are text are matched to the spec's labels by name: logits are reordered, a single logit changes its
    sign. Integers 0, 1, ... and missing classes mean the spec's labels in order. Raises ModelImportError for anything
    else.
    """
    if outputs != spec.logits:
        raise ModelImportError(
            f"the model gives {outputs} logit(s), the spec has {spec.logits} for the labels {_listed(spec.labels)}"
        )
    order = _label_order(classes, spec)
    if spec.logits > 1:
        rows = tuple({order.index(label): Fraction(1)} for label in range(outputs))
        return Affine(outputs, rows, (Fraction(0),) * outputs, _LABELS)
    if order == [1, 0] and Fraction(spec.threshold):
        raise ModelImportError(
            f"the model's classes stand as {_listed([str(name) for name in classes or ()])}, the spec's labels as "
            f"{_listed(spec.labels)} with threshold {spec.threshold}: a threshold goes with the labels' own order"
        )
    return Affine.diagonal([Fraction(-1 if order == [1, 0] else 1)], [Fraction(0)], _LABELS)


def _label_order(classes: Sequence[str | int] | None, spec: Spec) -> list[int]:
    """Return the spec's label of each class, in the model's order."""
    count = len(spec.labels)
    if classes is None:
        return list(range(count))
    names = list(classes)
    if all(type(name) is int for name in names):
        if names != list(range(count)):
            raise ModelImportError(
                f"the model's classes are {_listed([str(name) for name in names])}; integers stand for the spec's "
                f"labels only as 0 to {count - 1}: name the classes (--classes; from Python: classes)"
            )
        return list(range(count))
    texts = [name for name in names if isinstance(name, str)]
    if len(texts) != len(names) or sorted(texts) != sorted(spec.labels):
        raise ModelImportError(
            f"the model's classes are {_listed([str(name) for name in names])}, the spec's labels "
            f"{_listed(spec.labels)}: name the classes as the spec does (--classes; from Python: classes)"
        )
    return [spec.labels.index(name) for name in texts]


def _refuse_doubled(who: str, names: Sequence[str]) -> None:
    """Raise ModelImportError for a repeated name."""
    for position, name in enumerate(names):
        if name in names[:position]:
            raise ModelImportError(f"{who} two columns called {name[:80]!r}")


def _listed(names: Sequence[str]) -> str:
    """Return a bounded number of names for a message."""
    first = ", ".join(map(shown, names[:20]))
    return first if len(names) <= 20 else f"{first} and {len(names) - 20} more"
