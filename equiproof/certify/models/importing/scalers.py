"""scikit-learn's scalers and other transformers of single numbers: exact maps, or curves that never fall.

Each step does what the library does, in its order: a difference and a quotient are two steps, since the library rounds
twice.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from equiproof.certify.models.importing.attributes import fitted, numbers, numbers_of, width_of
from equiproof.certify.models.importing.chain import Affine, Row
from equiproof.certify.models.importing.curves import FARTHEST, Curve, Curves, Doubles, FrontStep, bins
from equiproof.certify.models.importing.errors import ModelImportError, shown
from equiproof.certify.models.importing.imputers import remedy_of

_COLUMN_REMEDY = "compute the column in the table that the pipeline is fitted on"
_UNCLIPPED = "fit it with clip=False: clip=True is not an affine map"
_BINNED = "bin every number and let a linear model follow, which is then imported as a scorecard, or none"

_LEAST = math.ulp(0.0)
_ONE = Fraction(1)


class Function(NamedTuple):
    """A function of numpy that never falls, from a number on."""

    compute: Callable[..., Doubles]
    low: float = -math.inf


FUNCTIONS: tuple[Function, ...] = (
    Function(np.log, _LEAST),
    Function(np.log2, _LEAST),
    Function(np.log10, _LEAST),
    Function(np.log1p, math.nextafter(-1.0, 0.0)),
    Function(np.sqrt, 0.0),
    Function(np.exp),
    Function(np.exp2),
    Function(np.expm1),
    Function(np.arcsinh),
    Function(np.arctan),
    Function(np.sinh),
    Function(np.tanh),
)
"""The functions of a FunctionTransformer that are read before trees."""

LOGARITHM_NAMES = ("log", "log2", "log10", "log1p")


def read_scaler(part: Any, where: str) -> list[FrontStep]:
    """Read a step of a pipeline that takes and gives numbers.

    Raises ModelImportError naming a step that is not read, and the attribute that is not right.
    """
    if part is None or (isinstance(part, str) and part == "passthrough"):
        return []
    kind = type(part)
    name = f"{where} ({kind.__name__})"
    if kind.__module__.partition(".")[0] == "sklearn" and kind.__name__ in _READERS:
        return _READERS[kind.__name__](part, name)
    if (remedy := remedy_of(part)) is not None:
        raise ModelImportError(f"{name}: {remedy}")
    raise ModelImportError(
        f"{name}: only {', '.join(_READERS)} are read before a classifier, behind a ColumnTransformer of these, "
        "OneHotEncoder, OrdinalEncoder, SimpleImputer and passthrough"
    )


def function_of(step: Any, where: str) -> Function | None:
    """Return the function of a FunctionTransformer, None for the identity.

    Raises ModelImportError for another one than those of :data:`FUNCTIONS`.
    """
    if step.func is None:
        return None
    # A function that compares in its own way, or is not hashable, is none of numpy's.
    own = next((one for one in FUNCTIONS if step.func is one.compute), None)
    if own is None or step.kw_args:
        name = getattr(step.func, "__name__", type(step.func).__name__)
        names = ", ".join(f"np.{one.compute.__name__}" for one in FUNCTIONS)
        raise ModelImportError(
            f"{where}: a FunctionTransformer of {shown(str(name))} is not read: use {names}, itself, without kw_args"
        )
    return own


def curve_of(function: Function) -> Curve:
    """Return a function of numpy as a curve."""
    return Curve(function.compute, max(function.low, -FARTHEST))


def _standard(part: Any, name: str) -> list[FrontStep]:
    """Read a StandardScaler."""
    width = width_of(part, name)
    means = numbers_of(part, "mean_", (width,), name).tolist() if part.with_mean else [0.0] * width
    scales = numbers_of(part, "scale_", (width,), name).tolist() if part.with_std else [1.0] * width
    return _quotients(means, scales, name)


def _robust(part: Any, name: str) -> list[FrontStep]:
    """Read a RobustScaler."""
    width = width_of(part, name)
    centers = numbers_of(part, "center_", (width,), name).tolist() if part.with_centering else [0.0] * width
    scales = numbers_of(part, "scale_", (width,), name).tolist() if part.with_scaling else [1.0] * width
    return _quotients(centers, scales, name)


def _quotients(middles: list[float], scales: list[float], name: str) -> list[FrontStep]:
    """Return the map that subtracts the middles, and divides by the scales."""
    return [Affine.diagonal([1.0] * len(middles), [-one for one in middles], name), Affine.divided(scales, name)]


def _largest(part: Any, name: str) -> list[FrontStep]:
    """Read a MaxAbsScaler."""
    scales = numbers_of(part, "scale_", (width_of(part, name),), name).tolist()
    return [Affine.divided(scales, name), *_clipped(part, (-1.0, 1.0), len(scales), name)]


def _range(part: Any, name: str) -> list[FrontStep]:
    """Read a MinMaxScaler."""
    width = width_of(part, name)
    factors, shifts = (numbers_of(part, one, (width,), name).tolist() for one in ("scale_", "min_"))
    return [Affine.diagonal(factors, shifts, name), *_clipped(part, part.feature_range, width, name)]


def _clipped(part: Any, ends: Any, width: int, name: str) -> list[FrontStep]:
    """Return what a scaler that clips does behind its scaling."""
    if not getattr(part, "clip", False):
        return []
    low, high = numbers(ends, "feature_range", (2,), name).tolist()
    return [Curves((Curve(partial(np.clip, a_min=low, a_max=high)),) * width, name, _UNCLIPPED)]


def _powers(part: Any, name: str) -> list[FrontStep]:
    """Read a PowerTransformer: each column's power, and the scaling behind it."""
    from scipy import special, stats

    width = width_of(part, name)
    powers = numbers_of(part, "lambdas_", (width,), name).tolist()
    if part.method not in ("box-cox", "yeo-johnson"):
        raise ModelImportError(f"{name}: fit it with box-cox or yeo-johnson: method {shown(repr(part.method))}")
    compute, low = (special.boxcox, _LEAST) if part.method == "box-cox" else (stats.yeojohnson, -FARTHEST)
    curves = tuple(Curve(partial(_powered, compute, power), low) for power in powers)
    # The library keeps its scaler under no public name.
    scaler = _standard(fitted(part, "_scaler", name), name) if part.standardize else []
    return [Curves(curves, name, _COLUMN_REMEDY), *scaler]


def _powered(compute: Callable[[Doubles, float], Doubles], power: float, values: Doubles) -> Doubles:
    """Return a power of numbers; far from them it is infinite."""
    with np.errstate(over="ignore", invalid="ignore"):
        return compute(values, power)


def _quantiles(part: Any, name: str) -> list[FrontStep]:
    """Read a QuantileTransformer: the object itself computes each column."""
    width = width_of(part, name)
    references = np.asarray(fitted(part, "references_", name))
    places = numbers(references, "references_", (references.size,), name)
    quantiles = numbers_of(part, "quantiles_", (len(places), width), name)
    if len(places) < 1 or np.any(np.diff(places) <= 0) or np.any(np.diff(quantiles, axis=0) < 0):
        raise ModelImportError(f"{name}: fit it again: quantiles_ or references_ descend, or are empty")
    own = copy.copy(part)
    # Without names of columns it takes plain arrays, and warns of nothing.
    vars(own).pop("feature_names_in_", None)
    curves = tuple(Curve(partial(_transformed, own, quantiles[0], column)) for column in range(width))
    return [Curves(curves, name, _COLUMN_REMEDY)]


def _transformed(part: Any, row: Doubles, column: int, values: Doubles) -> Doubles:
    """Return one column of what a fitted object makes of rows that differ in this column only."""
    rows = np.tile(row, (len(values), 1))
    rows[:, column] = values
    computed: Doubles = part.transform(rows)[:, column]
    return computed


def _bins(part: Any, name: str) -> list[FrontStep]:
    """Read a KBinsDiscretizer: the number of each bin, or a column for each."""
    width = width_of(part, name)
    if part.dtype not in (None, np.float64):
        raise ModelImportError(f"{name}: fit it with dtype=None: dtype rounds numbers to single precision")
    ends = fitted(part, "bin_edges_", name)
    if len(ends) != width:
        raise ModelImportError(f"{name}: fit it again: bin_edges_ of {len(ends)} columns, not {width}")
    inner = [numbers(one, "bin_edges_", np.shape(one), name).ravel()[1:-1] for one in ends]
    if any(np.any(np.diff(one) <= 0) for one in inner):
        raise ModelImportError(f"{name}: fit it again: bin_edges_ do not ascend")
    edges = [tuple(one.tolist()) for one in inner]
    if part.encode == "ordinal":
        return [Curves(tuple(bins(one) for one in edges), name, _BINNED)]
    if part.encode not in ("onehot", "onehot-dense"):
        raise ModelImportError(f"{name}: fit it with encode='ordinal': encode={shown(repr(part.encode))}")
    return _bins_in_columns(edges, name)


def _bins_in_columns(edges: list[tuple[float, ...]], name: str) -> list[FrontStep]:
    """Return a column for each bin: 1 where a number is past the edge before, less 1 where it is past its own."""
    copies: list[Row] = []
    curves: list[Curve] = []
    rows: list[Row] = []
    shifts: list[Fraction] = []
    for column, own in enumerate(edges):
        first = len(copies)
        copies += [{column: _ONE}] * max(1, len(own))
        # A column of one bin is past no edge.
        curves += [bins((edge,)) for edge in own] or [bins(())]
        for number in range(len(own) + 1):
            row = {first + number - 1: _ONE} if number else {}
            rows.append(row | ({first + number: -_ONE} if number < len(own) else {}))
            shifts.append(Fraction(0) if number else _ONE)
    return [
        Affine(len(edges), tuple(copies), (Fraction(0),) * len(copies), name),
        Curves(tuple(curves), name, _BINNED),
        Affine(len(copies), tuple(rows), tuple(shifts), name),
    ]


def _function(part: Any, name: str) -> list[FrontStep]:
    """Read a FunctionTransformer."""
    function = function_of(part, name)
    if function is None:
        return []
    remedy = (
        "for another model, a logarithm is read as the first step of its columns only, or behind one SimpleImputer"
        if function.compute.__name__ in LOGARITHM_NAMES
        else _COLUMN_REMEDY
    )
    return [Curves((curve_of(function),) * width_of(part, name), name, remedy)]


_READERS: Mapping[str, Callable[[Any, str], list[FrontStep]]] = {
    "StandardScaler": _standard,
    "MinMaxScaler": _range,
    "MaxAbsScaler": _largest,
    "RobustScaler": _robust,
    "PowerTransformer": _powers,
    "QuantileTransformer": _quantiles,
    "KBinsDiscretizer": _bins,
    "FunctionTransformer": _function,
}
