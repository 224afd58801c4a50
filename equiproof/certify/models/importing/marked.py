"""Networks of rows that lack values: what the model makes of a missing value, moved onto the columns that mark it.

A mark is a column of its own (:attr:`equiproof.circuits.spec.Feature.has_mark`), or that of the value "missing" of a
sensitive category with one column a value. Where it says that a value is missing, the other columns of the feature are
0, so an input that comes from them is its map's bias; the mark adds what is lacking to the model's own number.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Sequence
from fractions import Fraction
from typing import NamedTuple

from equiproof.certify.models.importing.bind import Units, bind_inputs
from equiproof.certify.models.importing.chain import Affine, Row
from equiproof.certify.models.importing.errors import ModelImportError, shown
from equiproof.certify.models.importing.imputers import Fills
from equiproof.certify.models.importing.source import Source
from equiproof.circuits.encodings import ENCODINGS, ONE_HOT
from equiproof.circuits.encodings.missing import LISTED
from equiproof.circuits.spec import Feature, Spec


class Mark(NamedTuple):
    """Where a feature says that a value is missing: a column, its number there in units of columns, and the others."""

    feature: Feature
    column: int
    number: Fraction
    others: range


def marks_of(spec: Spec) -> list[Mark]:
    """Return the marks of a spec; raises ModelImportError for a sensitive category that ranks its missing values."""
    found, first = [], 0
    for feature in (*spec.plain_features, *spec.sensitive_features):
        last = first + feature.width - 1
        if feature.has_mark:
            found.append(Mark(feature, last, Fraction(spec.mark, spec.scale_unit), range(first, last)))
        elif feature.lists_missing:
            if ENCODINGS[feature.encoding].ordered or Fraction(feature.mean) or Fraction(feature.scale) != 1:
                raise ModelImportError(
                    f"write one-hot as the encoding of {shown(repr(feature.name))} into the spec, without mean and "
                    "scale: a network takes no rank of a missing value"
                )
            own = range(first, last + 1)
            found.append(Mark(feature, first + feature.domain.index(LISTED), Fraction(1), own))
        first = last + 1
    return found


def refuse_strange_fills(fills: Fills, names: Collection[str], spec: Spec) -> None:
    """Raise ModelImportError for a text that stands for a missing value of a category and is no value of the spec."""
    for feature in spec.features:
        text = fills.texts.get(feature.name)
        if text is not None and text not in feature.domain and f"{feature.name}{ONE_HOT}{text}" in names:
            raise ModelImportError(
                f"add {shown(repr(text), 40)} to the domain of {shown(repr(feature.name))} in the spec, or fit the "
                "SimpleImputer with a fill_value of the domain: it puts this text in place of a missing value"
            )


def bind_marked(
    source: Source, names: Sequence[str] | None, spec: Spec, units: Units, unused: Collection[str]
) -> tuple[Source, Affine]:
    """Return a model that takes rows which lack values, and the map from the spec's columns to its inputs.

    `names` are those of the inputs of complete rows. Raises ModelImportError where it is not known what the model makes
    of a missing value, and as :func:`~equiproof.certify.models.importing.bind.bind_inputs`.
    """
    marks = marks_of(spec)
    if source.lacking is None:
        if units == "raw":
            raise _unknown(marks[0].feature)
        bound = bind_inputs(source.inputs, names, spec, units, source.ranked, unused)
        taken = {column for row in bound.rows for column in row}
        for one in marks:
            if one.column not in taken and one.feature.name not in unused:
                raise _unknown(one.feature)
        return source, bound
    columns, steps, fills = source.lacking.columns, source.lacking.steps, source.lacking.fills
    free = [mark.column for mark in marks]
    complete = bind_inputs(source.inputs, names, spec, units, source.ranked, unused, free=free)
    of_column = {column: mark for mark in marks for column in mark.others}
    own = [name for name in columns if name not in fills.indicators]
    # The columns of the spec by the model's own names of its inputs, which may be other ones.
    meant = {name: column for name, row in zip(own, complete.rows, strict=True) for column in row}
    waiting = iter(zip(complete.rows, complete.biases, strict=True))
    rows: list[Row] = []
    biases: list[Fraction] = []
    for name in columns:
        if name in fills.indicators:
            mark = of_column.get(meant[fills.input_of(fills.indicators[name])])
            # Of a feature whose values are never missing it is 0.
            rows.append({} if mark is None else {mark.column: 1 / mark.number})
            biases.append(Fraction(0))
            continue
        row, bias = next(waiting)
        if (mark := of_column.get(meant[name])) is not None:
            fill = fills.of.get(name, "kept")
            if not isinstance(fill, Fraction):
                raise _unknown(mark.feature)
            # The bias is what the input is where the feature's columns are 0.
            row = {**row, mark.column: (fill - bias) / mark.number}
        rows.append(row)
        biases.append(bias)
    first = Affine(complete.inputs, tuple(rows), tuple(biases), complete.where)
    return dataclasses.replace(source, inputs=len(rows), steps=steps), first


def _unknown(feature: Feature) -> ModelImportError:
    """Return the error for a feature of which it is not known what a missing value is to the model."""
    return ModelImportError(
        f"leave missing out of feature {shown(repr(feature.name))}: how the model takes a missing value of it is not "
        "known; a pipeline whose first step there is one SimpleImputer is read"
    )
