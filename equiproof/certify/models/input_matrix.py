"""What a model is given for raw rows: its inputs as floats, in its own order, by their binding to a spec."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from equiproof.certify.data.dataset import Row, column_values
from equiproof.certify.models.ensembles.columns import exact_columns, placed
from equiproof.certify.models.importing.bind import Units, bent, bind_inputs, names_of_columns, other_names
from equiproof.certify.models.network import Floats
from equiproof.circuits.numbers import read_number
from equiproof.circuits.spec import Spec


def input_matrix(
    rows: Sequence[Row],
    names: Sequence[str],
    spec: Spec,
    *,
    units: Units,
    ranked: Mapping[str, Sequence[str]],
    unused: Collection[str] = (),
    codes: Mapping[str, Mapping[str, int | None]] | None = None,
) -> Floats:
    """Return the inputs of these names for raw rows, shape (rows, inputs): the floats nearest to the exact numbers.

    A missing value is nan. `codes` has those of categories that the model splits by sets, by name and value of the
    spec; other options are those of :func:`~equiproof.certify.models.importing.bind.bind_inputs`. Raises DataError
    naming a row that does not fit the spec.
    """
    if codes:
        uncoded = [name for name in names if name not in codes]
        matrix = np.empty((len(rows), len(names)))
        known = input_matrix(rows, uncoded, spec, units=units, ranked=ranked, unused=(*unused, *codes))
        matrix[:, [place for place, name in enumerate(names) if name not in codes]] = known
        for place, name in enumerate(names):
            if name in codes:
                matrix[:, place] = [_code(codes[name], row.get(name)) for row in rows]
        return matrix
    binding = bind_inputs(len(names), names, spec, units, ranked, unused, stepped=True)
    matrix = np.empty((len(rows), len(names)))
    features = {first + offset: (feature, offset) for feature, first in placed(spec) for offset in range(feature.width)}
    if units == "spec":
        # A model that takes the marks of missing values takes the columns as they are.
        unmarked = {
            one.name
            for one in spec.features
            if one.may_miss and not (one.has_mark and names_of_columns(one)[-1] in names)
        }
        columns = column_values(spec, rows)
        for place, row in enumerate(binding.rows):
            ((column, _),) = row.items()
            matrix[:, place] = columns[:, column]
            if features[column][0].name in unmarked:
                matrix[[raw[features[column][0].name] is None for raw in rows], place] = np.nan
        return matrix
    numbers, others = bent(spec), other_names(spec)
    for place, (name, row) in enumerate(zip(names, binding.rows, strict=True)):
        ((column, factor),) = row.items()
        feature, offset = features[column]
        computed: dict[Any, float] = {None: math.nan} if feature.may_miss else {}
        for number, raw in enumerate(rows):
            value = raw.get(feature.name)
            if value not in computed:
                exact = exact_columns(feature, value, number + 1)[offset]
                if name in numbers:
                    computed[value] = float(read_number(value))
                elif name in others:
                    computed[value] = _logarithm(name, value, feature.offset)
                else:
                    computed[value] = float(factor * exact + binding.biases[place])
            matrix[number, place] = computed[value]
    return matrix


def _code(codes: Mapping[str, int | None], value: Any) -> float:
    """Return the code of a category's value, nan for a missing one."""
    code = None if value is None else codes[str(value)]
    return math.nan if code is None else float(code)


def _logarithm(name: str, value: Any, offset: object) -> float:
    """Return the logarithm that an input is called after, as numpy computes it."""
    function = name.partition("(")[0]
    # The function log1p adds 1 itself.
    shift = Fraction(offset) if isinstance(offset, str) and function != "log1p" else Fraction(0)
    return float(getattr(np, function)(float(read_number(value)) + float(shift)))
