"""How the outputs of an ONNX graph decide by its score: by a class, by scores of the classes, or by the score alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from equiproof.certify.models.ensembles.ensemble import Scale
from equiproof.certify.models.ensembles.onnx_columns import Column, Columns, Label, Result, scale_of
from equiproof.certify.models.importing.errors import ModelImportError


@dataclass(frozen=True)
class End:
    """How the outputs of a graph decide: by scale x (score - cut), which is of a kind, and for which classes."""

    scale: Fraction
    cut: Fraction
    kind: Scale
    classes: tuple[str | int, ...] | None = None
    label: Label | None = None

    @classmethod
    def of_label(cls, label: Label, kind: Scale) -> End:
        """Return how a class decides."""
        sign = Fraction(-1 if label.falling else 1)
        return cls(sign, label.cut, "cut" if label.cut else kind, label.names, label)

    @classmethod
    def of_columns(cls, columns: Columns, kind: Scale) -> End:
        """Return how scores without a class decide: one score itself, of two half their difference, or the logit."""
        column = columns.columns[-1]
        if len(columns.columns) == 2:
            first = columns.columns[0]
            column = Column((column.factor - first.factor) / 2, (column.shift - first.shift) / 2, column.inner)
        if not column.factor:
            raise ModelImportError("the scores at the output do not depend on the model")
        if column.inner is None:
            return cls(column.factor, -column.shift / column.factor, kind)
        sign = 1 if column.factor > 0 else -1
        # One probability p or 1 - p, or two, whose difference is 2 p - 1.
        ends = {(1, 1): Fraction(0), (-1, 1): Fraction(1), (1, 2): Fraction(-1, 2), (-1, 2): Fraction(1, 2)}
        if column.factor != sign or column.shift != ends[sign, len(columns.columns)]:
            raise ModelImportError("the output is a probability times a factor: export the probability itself")
        rise, start = column.inner
        return cls(sign * rise, -start / rise, kind)


def ended(outputs: Sequence[str], results: Mapping[str, Result], given: Columns) -> End:
    """Return how the outputs of a graph decide; `given` are the scores of the operator that makes the score.

    Raises ModelImportError for outputs that are neither one class nor scores.
    """
    own = [results.get(name) for name in outputs]
    labels = [result for result in own if isinstance(result, Label)]
    columns = [result for result in own if isinstance(result, Columns)]
    if None in own or len(labels) > 1 or (not labels and len(columns) != 1):
        names = ", ".join(repr(name[:80]) for name in outputs)
        raise ModelImportError(f"the outputs are {names or 'none'}; want the class of each row, or its scores")
    label = labels[0] if labels else None
    for one in columns:
        _refuse_contrary(one, label)
    kind = scale_of((columns or [given])[-1])
    return End.of_label(label, kind) if label else End.of_columns(columns[0], kind)


def _refuse_contrary(columns: Columns, label: Label | None) -> None:
    """Raise ModelImportError where the score of the second class falls while the class that is answered rises."""
    if label is not None and len(columns.columns) == 2 and (columns.columns[1].factor > 0) == label.falling:
        raise ModelImportError("the outputs contradict each other: the scores of the second class fall towards it")
