"""What scikit-learn is trained on: the columns of a spec, with NaN for missing values, and with codes of categories.

Notation: n_x + n_s columns of integers over 2^f_x, as they are committed.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from equiproof.certify.data.dataset import Dataset, encode_rows
from equiproof.certify.models.ensembles.by_category import by_category
from equiproof.certify.models.ensembles.columns import placed
from equiproof.certify.models.ensembles.ensemble import Ensemble
from equiproof.certify.models.importing.bind import column_names
from equiproof.certify.models.network import Floats
from equiproof.certify.models.training import TrainingError
from equiproof.circuits.categories import Category, categories_of
from equiproof.circuits.spec import Spec

MOST_VALUES = 255
"""The most values of a category that the library splits by sets; those of more keep a column for each value."""


class Inputs(NamedTuple):
    """The inputs of a training: `values` of shape (rows, inputs), and the spec's column at which each input begins.

    `values_of` has by native category the code of each value as text, "" for one of no training row.
    """

    values: Floats
    columns: tuple[int, ...]
    values_of: Mapping[str, Mapping[str, str]]
    names: tuple[str, ...]

    @property
    def natives(self) -> list[bool]:
        """Which inputs are codes of categories."""
        return [bool(name) for name in self.names]

    @property
    def most_values(self) -> int:
        """The most values of such a category, 0 without any."""
        return max(map(len, self.values_of.values()), default=0)


def inputs_of(dataset: Dataset, *, native: bool = False) -> Inputs:
    """Return the columns of all rows, NaN where a value is missing.

    With `native`, a category of three values or more with a column for each is one input of codes. Raises TrainingError
    where there is none.
    """
    spec = dataset.spec
    encoded = encode_rows(spec, dataset.rows)
    values = encoded / spec.scale_unit
    if spec.has_missing:
        lacking = [
            first + place for feature, first in placed(spec) if feature.may_miss for place in range(feature.width)
        ]
        values[:, lacking] = np.where(encoded[:, lacking] == spec.absent, np.nan, values[:, lacking])
    if not native:
        count = values.shape[1]
        return Inputs(values, tuple(range(count)), {}, ("",) * count)
    categories = {one.first: one for one in categories_of(spec) if 2 < one.values <= MOST_VALUES}
    if not categories:
        raise TrainingError(
            "leave out native categories, or encode categories one-hot: no category of the spec has a column for each "
            f"of 3 to {MOST_VALUES} values"
        )
    return _with_codes(dataset, values, categories)


def _with_codes(dataset: Dataset, values: Floats, categories: Mapping[int, Category]) -> Inputs:
    """Return the inputs where categories, by their first column, are one column of codes each."""
    features = {first: feature for feature, first in placed(dataset.spec)}
    inside = {column for first, one in categories.items() for column in range(first + 1, first + one.values)}
    columns = tuple(column for column in range(values.shape[1]) if column not in inside)
    blocks, names = [], []
    values_of: dict[str, dict[str, str]] = {}
    for column in columns:
        if column not in categories:
            blocks.append(values[:, column])
            names.append("")
            continue
        blocks.append(_codes(values, categories[column]))
        names.append(features[column].name)
        seen = set(blocks[-1][list(dataset.train)].tolist())
        values_of[names[-1]] = {
            value: str(code) if code in seen else "" for code, value in enumerate(features[column].domain)
        }
    return Inputs(np.column_stack(blocks), columns, values_of, tuple(names))


def _codes(values: Floats, category: Category) -> Floats:
    """Return the place of each row's value in a category, NaN where it is missing; shape (rows,)."""
    block = values[:, category.first : category.first + category.values]
    codes: Floats = np.where(np.isnan(block[:, 0]), np.nan, np.argmax(block, axis=1))
    return codes


def by_columns(ensemble: Ensemble, inputs: Inputs, spec: Spec) -> Ensemble:
    """Return an ensemble of the spec's columns, and of sets of values, in place of codes.

    Raises ModelImportError where there are more splits than are read.
    """
    if inputs.values_of:
        # Only codes have names: what else the spec knows by name would be taken for raw values.
        ensemble = by_category(ensemble, spec, inputs.values_of, inputs.names)
    return dataclasses.replace(ensemble, columns=column_names(spec))
