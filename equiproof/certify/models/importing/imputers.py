"""What scikit-learn's SimpleImputer and encoders make of a missing value, and the columns that say where one was.

Rows without missing values pass an imputer as they are, and what shows where one was is 0 for them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Literal

import numpy as np

from equiproof.certify.models.importing.attributes import fitted
from equiproof.certify.models.importing.errors import ModelImportError, shown

Fill = Fraction | Literal["kept", "unknown"]
"""What a missing value is at an input: a number, still missing, or something that is not read."""

_MARK = "\0missing "
"""How the name of an input begins that is 1 where a column is missing; no column of a table is called so."""


@dataclass
class Fills:
    """By input what a missing value becomes; `indicators` has by input the column whose missing values it shows.

    An input of which nothing is noted keeps it, as it only passes scalers. `texts` has by column the text that stands
    for a missing category, `first` the first input of a category that has several.
    """

    of: dict[str, Fill] = field(default_factory=dict)
    indicators: dict[str, str] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    first: dict[str, str] = field(default_factory=dict)

    def add(self, name: str, fill: Fill) -> None:
        """Note what an input becomes; several steps that treat it in several ways are not read."""
        self.of[name] = fill if self.of.get(name, fill) == fill else "unknown"

    def indicator(self, column: str) -> str:
        """Return the name of the input that shows where a column is missing."""
        name = f"{_MARK}{column}"
        self.indicators[name] = column
        return name

    def told(self, name: str) -> str:
        """Return the name of an input as people know it: one that shows where a column is missing has its mark's."""
        return f"missing({self.indicators[name]})" if name in self.indicators else name

    def input_of(self, column: str) -> str:
        """Return the name of an input that is of a column."""
        return self.first.get(column, column)


def is_imputer(step: Any) -> bool:
    """Return whether a step is a SimpleImputer, derived classes excepted."""
    from sklearn.impute import SimpleImputer

    return type(step) is SimpleImputer


def remedy_of(step: Any) -> str | None:
    """Return what to do about a step that treats missing values in a place, or in a way, that is not read.

    None for a step of another kind.
    """
    kind = type(step)
    if not kind.__module__.startswith("sklearn.impute"):
        return None
    if is_imputer(step):
        return "put the SimpleImputer before the other steps: it is read there only"
    if kind.__name__ == "MissingIndicator":
        return "fit a SimpleImputer with add_indicator=True in its place: its columns are read"
    return (
        "fit one SimpleImputer in its place, before the other steps of its columns, or leave rows that lack a value "
        "out and fit without it: what it fills in depends on other values of the row"
    )


def filled_in(step: Any, columns: int, where: str) -> tuple[list[Any], list[int]]:
    """Return what a fitted imputer puts in place of a missing value of each column, and the columns that it shows.

    Raises ModelImportError for one that drops columns, or that replaces something else.
    """
    if not is_missing(step.missing_values):
        raise ModelImportError(
            f"{where}: fit the SimpleImputer with missing_values=np.nan: it replaces {shown(repr(step.missing_values))}"
        )
    values = fitted(step, "statistics_", where).tolist()
    if len(values) != columns:
        raise ModelImportError(f"{where}: fit it again: the SimpleImputer knows {len(values)} columns, not {columns}")
    if any(value != value for value in values):
        raise ModelImportError(
            f"{where}: leave columns without any value out, and fit it again: a SimpleImputer that drops columns is "
            "not read"
        )
    if not step.add_indicator:
        return values, []
    shows = [int(place) for place in fitted(step, "indicator_", where).features_]
    if any(not 0 <= place < columns for place in shows):
        raise ModelImportError(f"{where}: fit it again: the SimpleImputer shows a column that it does not have")
    return values, shows


def number_of(value: Any) -> Fill:
    """Return a value as a number where it is one."""
    return Fraction(float(value)) if isinstance(value, int | float) and abs(value) < float("inf") else "unknown"


def computed(function: Callable[[Any], Any], values: Sequence[Any]) -> list[Fill]:
    """Return what a function of numpy makes of the numbers that an imputer fills in."""
    with np.errstate(all="ignore"):
        return [number_of(float(function(np.array([[value]], dtype=float)).item())) for value in values]


def is_missing(value: Any) -> bool:
    """Return whether a value stands for a missing one: None, not a number, or that of pandas."""
    return value is None or type(value).__name__ == "NAType" or (isinstance(value, float) and value != value)


def names_of(count: int, names: Sequence[str] | None) -> list[str]:
    """Return names for so many inputs; where there are none, their numbers."""
    return [str(place) for place in range(count)] if names is None else list(names)
