"""Reads a table of raw applicants, in the usual forms of Python, as queries of exact integers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from numbers import Integral
from typing import Any

import numpy as np

from equiproof.certify.data.frames import NOTHING
from equiproof.circuits.spec import Spec, SpecError

_FORMS = "a DataFrame, a list of mappings from feature names to raw values, or a 2-D array in the spec's order"


def queries(X: Any, spec: Spec) -> list[tuple[int, ...]]:
    """Return the n_x integers of each row of a DataFrame, a list of mappings or sequences, or a 2-D array.

    Columns of an array are in the spec's order, with or without the sensitive features, which are always ignored.
    Raises SpecError, before any row is used, naming the first row (counted from 1) and feature that do not fit the
    spec.
    """
    integers = []
    for number, row in enumerate(_rows(X, spec), start=1):
        try:
            integers.append(spec.encode(_named(row, spec)))
        except SpecError as error:
            raise SpecError(f"row {number}: {error}") from None
    if not integers:
        raise SpecError("no rows")
    return integers


def _rows(X: Any, spec: Spec) -> Iterator[Any]:
    """Yield the rows, each a mapping or a sequence of raw values."""
    if hasattr(X, "columns") and hasattr(X, "itertuples"):
        names = [feature.name for feature in spec.plain_features]
        missing = [name for name in names if list(X.columns).count(name) != 1]
        if missing:
            raise SpecError(f"feature {missing[0]!r}: the frame must have exactly one column of this name")
        for values in X[names].itertuples(index=False, name=None):
            yield dict(zip(names, values, strict=True))
    elif getattr(X, "ndim", None) == 2 and hasattr(X, "tolist"):
        yield from X.tolist()
    elif isinstance(X, Sequence) and not isinstance(X, str | bytes):
        yield from X
    else:
        raise SpecError(f"want rows: {_FORMS}; one applicant is a list of one")


def _named(row: Any, spec: Spec) -> dict[str, Any]:
    """Return the non-sensitive features of a row by name, in plain Python values; None where one may be missing and is.

    Missing is what libraries of tables write for it: None, a number that is none, NA.
    """
    if isinstance(row, Mapping):
        named = {feature.name: row[feature.name] for feature in spec.plain_features if feature.name in row}
    else:
        named = _by_position(row, spec)
    features = {feature.name: feature for feature in spec.plain_features}
    return {
        name: None
        if features[name].may_miss and _is_missing(value)
        else _plain(name, value, categorical=bool(features[name].domain))
        for name, value in named.items()
    }


def _is_missing(value: Any) -> bool:
    """Return whether a raw value is missing."""
    if value is None or type(value).__name__ in NOTHING:
        return True
    return isinstance(value, float | np.floating | Decimal) and value != value


def _by_position(row: Any, spec: Spec) -> dict[str, Any]:
    """Return the values of a row in the spec's order, with or without the sensitive features, by feature name."""
    if not isinstance(row, Sequence) or isinstance(row, str | bytes):
        raise SpecError(f"{type(row).__name__} is no row; want {_FORMS}")
    if len(row) == len(spec.features):
        return {feature.name: value for feature, value in zip(spec.features, row, strict=True) if not feature.sensitive}
    if len(row) == len(spec.plain_features):
        return {feature.name: value for feature, value in zip(spec.plain_features, row, strict=True)}
    raise SpecError(
        f"{len(row)} columns; the spec has {len(spec.features)} features, {len(spec.plain_features)} of them not "
        "sensitive"
    )


def _plain(name: str, value: Any, *, categorical: bool) -> str | int | float | Decimal:
    """Return a raw value as the spec reads it; an integer becomes text where a category was read as a number."""
    if isinstance(value, str | float | Decimal):
        return value
    if isinstance(value, bool):
        raise SpecError(f"feature {name!r}: want a text or a number, not {value}")
    if isinstance(value, Integral):
        return str(int(value)) if categorical else int(value)
    if isinstance(value, np.floating):
        return float(value)
    raise SpecError(f"feature {name!r}: want a text or a number, not {str(value)[:40]!r}")
