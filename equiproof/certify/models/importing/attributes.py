"""Numbers out of a fitted estimator: of the wanted shape, and finite, or refused by name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt

from equiproof.certify.additive import EnsembleError
from equiproof.certify.models.importing.chain import MAX_WIDTH
from equiproof.certify.models.importing.errors import ModelImportError, shown

_KINDS = "fiu"
_DOUBLE = 8
"""The most bytes of a number that a double holds."""


_ODD = (AttributeError, TypeError, ValueError, LookupError, ArithmeticError)


@contextmanager
def as_fitted(where: str) -> Iterator[None]:
    """Turn what an object raises that is not as its library leaves it into a ModelImportError that names it."""
    try:
        yield
    except (ModelImportError, EnsembleError):
        raise
    except _ODD as error:
        said = (str(error).splitlines() or [""])[0]
        raise ModelImportError(f"{where}: fit it again, it is not as scikit-learn leaves it: {shown(said)}") from error


def fitted(part: Any, attribute: str, where: str) -> Any:
    """Return an attribute; raises ModelImportError for an estimator that is not fitted."""
    try:
        return getattr(part, attribute)
    except AttributeError:
        raise ModelImportError(f"{where}: not fitted") from None


def width_of(part: Any, where: str) -> int:
    """Return how many columns an estimator was fitted on, from 1 to MAX_WIDTH; raises ModelImportError for another."""
    width = fitted(part, "n_features_in_", where)
    if not isinstance(width, int | np.integer) or isinstance(width, bool) or not 1 <= width <= MAX_WIDTH:
        raise ModelImportError(f"{where}: fit it again: n_features_in_ is {shown(repr(width))}")
    return int(width)


def numbers_of(part: Any, attribute: str, shape: tuple[int, ...], where: str) -> npt.NDArray[np.float64]:
    """Return an attribute as doubles of a shape, a single number repeated; raises ModelImportError for other things.

    These are other shapes, numbers that are not finite, sparse weights, and anything but numbers. A single row may lack
    the axis of rows.
    """
    value = fitted(part, attribute, where)
    if hasattr(value, "toarray"):
        raise ModelImportError(f"{where}: its weights are sparse; call densify() first")
    return numbers(value, attribute, shape, where)


def numbers(value: Any, name: str, shape: tuple[int, ...], where: str) -> npt.NDArray[np.float64]:
    """Return a value as doubles of a shape, called `name` in the error of :func:`numbers_of`."""
    try:
        array = np.asarray(value)
    except ValueError:
        array = np.array(None)
    if array.dtype.kind not in _KINDS or array.dtype.itemsize > _DOUBLE:
        raise ModelImportError(f"{where}: fit it again: {name} are no numbers of double precision ({array.dtype})")
    row = shape[1:] if shape[0] == 1 else shape
    if array.shape and array.shape not in (shape, row):
        raise ModelImportError(
            f"{where}: fit it again: {name} has the shape {_sizes(array.shape)}, not {_sizes(shape)}"
        )
    doubles = np.broadcast_to(array, shape).astype(np.float64)
    if not np.isfinite(doubles).all():
        raise ModelImportError(f"{where}: fit it on finite numbers: a number in {name} is not finite")
    return doubles


def _sizes(shape: Sequence[int]) -> str:
    """Write a shape."""
    return " x ".join(map(str, shape))
