"""Chooses the reader of a model; a library is imported only for a model of that library."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from equiproof.certify.limits import MAX_MODEL_BYTES
from equiproof.certify.models.importing.attributes import as_fitted
from equiproof.certify.models.importing.errors import ModelImportError
from equiproof.certify.models.importing.npz import from_arrays, read_npz
from equiproof.certify.models.importing.searches import chosen
from equiproof.certify.models.importing.source import Source
from equiproof.circuits.canonical import read_limited

_PROGRAMS = (".pt", ".pth", ".pkl", ".pickle", ".joblib", ".cloudpickle", ".dill", ".ckpt", ".bin")
"""Files that may run code when they are read."""

_PACKED = (".gz", ".bz2", ".xz", ".lzma", ".z", ".zst")
"""Endings behind that of a packed file, as joblib writes them."""


def read_model(model: Any) -> Source:
    """Read a path (.npz, .onnx), a torch nn.Sequential, a scikit-learn estimator, or a mapping of arrays.

    Raises ModelImportError naming the file and the operator that is not read, OSError for a missing file.
    """
    return _read_file(Path(model)) if isinstance(model, str | Path) else _read_object(model)


def refuse_program(path: Path) -> None:
    """Refuse a file that may run code when it is read, by its name alone; raises ModelImportError."""
    endings = [suffix.lower() for suffix in path.suffixes]
    if len(endings) > 1 and endings[-1] in _PACKED:
        endings.pop()
    if endings and endings[-1] in _PROGRAMS:
        raise ModelImportError(
            f"load it yourself where you trust it, and call equiproof.import_model, or export it as .onnx: reading a "
            f"{endings[-1]} file runs the code in it; {path} was not opened"
        )


def _read_file(path: Path) -> Source:
    """Read a file."""
    refuse_program(path)
    suffix = path.suffix.lower()
    if suffix == ".skops":
        raise ModelImportError(
            f"load it with skops.io.load and call equiproof.import_model, or export it as .onnx: {path}: .skops files "
            "are not read"
        )
    if suffix not in _FILES:
        raise ModelImportError(f"{path}: only {' and '.join(_FILES)} files are read; export the model as one of them")
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
