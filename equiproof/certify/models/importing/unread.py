"""Files of models that are refused by their names, unopened: those that may run code, and formats that are not read."""

from __future__ import annotations

from pathlib import Path

from equiproof.certify.models.importing.errors import ModelImportError

_PROGRAMS = (".pt", ".pth", ".pkl", ".pickle", ".joblib", ".cloudpickle", ".dill", ".ckpt", ".bin")
"""Files that may run code when they are read."""

_PACKED = (".gz", ".bz2", ".xz", ".lzma", ".z", ".zst")
"""Endings behind that of a packed file, as joblib writes them."""

_KERAS = "export it as .onnx with tf2onnx: files of Keras are not read"
_XGBOOST = "save it as JSON with save_model('model.json'): XGBoost's binary formats are not read"
_OTHERS = {
    ".skops": "load it with skops.io.load and call equiproof.import_model, or export it as .onnx: .skops files are not "
    "read",
    ".cbm": "save it as JSON with save_model('model.json', format='json'): CatBoost's binary format is not read",
    **dict.fromkeys((".ubj", ".bst", ".deb"), _XGBOOST),
    **dict.fromkeys((".h5", ".hdf5", ".keras"), _KERAS),
    ".pmml": "export it as .onnx, or save it in its library's own format: PMML is not read",
    ".safetensors": "export it as .onnx, or write its layers to .npz: a .safetensors file has weights and no layers",
}
"""How to mend it, and what the file is, by the ending of its name."""


def refuse_unread(path: Path) -> None:
    """Refuse a file by its name alone, whether or not it is there; raises ModelImportError."""
    endings = [suffix.lower() for suffix in path.suffixes]
    if len(endings) > 1 and endings[-1] in _PACKED:
        endings.pop()
    ending = endings[-1] if endings else ""
    if ending in _PROGRAMS:
        raise ModelImportError(
            f"load it yourself where you trust it, and call equiproof.import_model, or export it as .onnx: reading a "
            f"{ending} file runs the code in it; {path} was not opened"
        )
    if ending in _OTHERS:
        raise ModelImportError(f"{path}: {_OTHERS[ending]}")
