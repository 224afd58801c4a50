"""Networks in .npz files: arrays W0, b0, W1, b1, ...; a layer is x @ W + b, with a ReLU between each two."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from equiproof.certify.archive import ArchiveError
from equiproof.certify.limits import MAX_NUMBERS
from equiproof.certify.models.arrays import read_arrays
from equiproof.certify.models.importing.chain import Affine, Relu, Step
from equiproof.certify.models.importing.errors import ModelImportError, shown
from equiproof.certify.models.importing.source import Source

Array = npt.NDArray[np.generic]

COLUMNS = "columns"
"""The array, of text, that may name the inputs."""

_MAX_LAYERS = 64


def read_npz(data: bytes) -> Source:
    """Read the bytes of an .npz file; raises ModelImportError naming the array."""
    try:
        return from_arrays(read_arrays(data))
    except ArchiveError as error:
        raise ModelImportError(str(error)) from None


def from_arrays(given: Mapping[str, npt.ArrayLike]) -> Source:
    """Read the arrays W0, b0, W1, b1, ..., with weights of shape (inputs, outputs), and `columns` if present.

    Lists of numbers or texts are taken as arrays.
    """
    arrays = {name: _array(name, value) for name, value in given.items()}
    columns = _columns(arrays)
    count = (len(arrays) - (columns is not None)) // 2
    expected = {f"{kind}{index}" for kind in "Wb" for index in range(count)}
    if not 1 <= count <= _MAX_LAYERS or set(arrays) - {COLUMNS} != expected:
        names = ", ".join(map(shown, sorted(arrays)[:12]))
        raise ModelImportError(f"want arrays W0, b0, W1, b1, ..., and columns at most; there are: {names or 'none'}")
    # Counted before they become fractions: an array of bytes would take a hundred times its memory.
    if sum(int(np.count_nonzero(arrays[f"W{index}"])) for index in range(count)) > MAX_NUMBERS:
        raise ModelImportError(f"the model has more than {MAX_NUMBERS} weights")
    steps: list[Step] = []
    for index in range(count):
        if index:
            steps.append(Relu(f"the ReLU after W{index - 1}"))
        steps.append(_layer(index, arrays[f"W{index}"], arrays[f"b{index}"]))
    first = steps[0]
    return Source("npz", first.inputs if isinstance(first, Affine) else 0, tuple(steps), columns)


def _array(name: str, value: npt.ArrayLike) -> Array:
    """Return a value as an array; raises ModelImportError for lists of several lengths."""
    try:
        return np.asarray(value)
    except ValueError:
        raise ModelImportError(f"array {shown(name)}: want rows of one length") from None


def _layer(index: int, weights: Array, biases: Array) -> Affine:
    """Return x @ W + b."""
    for name, array in ((f"W{index}", weights), (f"b{index}", biases)):
        if array.dtype.kind not in "fiu" or array.dtype.itemsize > 8:
            raise ModelImportError(f"array {name}: {array.dtype} is no type of real numbers that floats hold")
    if weights.ndim != 2 or biases.shape != weights.shape[1:] or not weights.size:
        raise ModelImportError(
            f"array W{index}: shape {weights.shape} with {biases.shape} of b{index}; want (inputs, outputs) and "
            "(outputs,): a layer is x @ W + b"
        )
    return Affine.dense(weights.T.tolist(), biases.tolist(), f"W{index}")


def _columns(arrays: Mapping[str, Array]) -> tuple[str, ...] | None:
    """Return the names of the inputs, where the file has them."""
    if COLUMNS not in arrays:
        return None
    names = arrays[COLUMNS]
    if names.dtype.kind != "U" or names.ndim != 1:
        raise ModelImportError(f"array {COLUMNS}: want a list of texts")
    return tuple(map(str, names.tolist()))
