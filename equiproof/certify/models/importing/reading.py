"""Chooses the reader of a model; a library is imported only for a model of that library."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from equiproof.certify.limits import MAX_MODEL_BYTES
from equiproof.certify.models.importing.attributes import as_fitted
from equiproof.certify.models.importing.errors import ModelImportError, shown
from equiproof.certify.models.importing.npz import from_arrays, read_npz
from equiproof.certify.models.importing.searches import chosen
from equiproof.certify.models.importing.source import Source
from equiproof.certify.models.importing.unread import refuse_unread
from equiproof.circuits.canonical import read_limited


def read_model(model: Any) -> Source:
    """Read a path (.npz, .onnx), a torch nn.Sequential, a scikit-learn estimator, or a mapping of arrays.

    Raises ModelImportError naming the file and the operator that is not read, OSError for a missing file.
    """
    return _read_file(Path(model)) if isinstance(model, str | Path) else _read_object(model)


def _read_file(path: Path) -> Source:
    """Read a file."""
    refuse_unread(path)
    suffix = path.suffix.lower()
    if suffix not in _FILES:
        raise ModelImportError(
            f"{path}: export the model as .onnx, or save it in one of the formats of docs/models.md: "
            f"{shown(suffix, 20) or 'a file without an ending'} is none that is read"
        )
    data = read_limited(path, MAX_MODEL_BYTES)
    if len(data) > MAX_MODEL_BYTES:
        raise ModelImportError(f"{path}: larger than {MAX_MODEL_BYTES >> 20} MiB")
    try:
        source = _FILES[suffix](data)
    except ModelImportError as error:
        raise ModelImportError(f"{path}: {error}") from None
    return dataclasses.replace(source, name=str(path), sha256=hashlib.sha256(data).hexdigest())


def _read_object(model: Any) -> Source:
    """Read an object of torch or scikit-learn, or a mapping of arrays as in an .npz file."""
    model = chosen(model)
    kind = type(model)
    if isinstance(model, Mapping):
        return from_arrays(model)
    if kind.__module__.partition(".")[0] == "sklearn":
        from equiproof.certify.models.importing.estimators import read_estimator

        with as_fitted(kind.__name__):
            return read_estimator(model)
    if any(base.__module__.partition(".")[0] == "torch" for base in kind.__mro__):
        from equiproof.certify.models.importing.modules import read_module

        return read_module(model)
    raise ModelImportError(
        "give a torch nn.Sequential, a scikit-learn MLPClassifier or LogisticRegression, a Pipeline of a scaler and "
        f"one of these, or a path: a {kind.__name__} is not read"
    )


def _read_onnx(data: bytes) -> Source:
    """Read an ONNX file; the package that parses it comes with the extra `train`."""
    try:
        from equiproof.certify.models.importing.onnx_graph import read_onnx
    except ModuleNotFoundError as error:
        raise ModelImportError(
            f"the package {error.name} is missing; install it with: pip install equiproof[train]"
        ) from None
    return read_onnx(data)


_FILES: Mapping[str, Callable[[bytes], Source]] = {".npz": read_npz, ".onnx": _read_onnx}
