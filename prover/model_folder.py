"""The folder of an imported model: network, spec, and a report of where they come from."""

from __future__ import annotations

from pathlib import Path
from typing import TypedDict

from certify.importing import Imported
from circuits.canonical import canonical_bytes
from prover.files import FileExistsRefusedError, refuse_taken, write_files

NETWORK_FILE = "network.npz"
SPEC_FILE = "spec.json"
TRAINING_FILE = "training.json"
IMPORT_FILE = "import.json"


class MeasuredOn(TypedDict):
    """The data set that a model is measured on: its name, its sensitive features, its encoding."""

    dataset: str
    sensitive: list[str]
    one_hot: bool


def refuse_model(folder: Path, *, force: bool) -> None:
    """Refuse a folder that holds a model already: without `force` any, and one that was trained here in any case."""
    if (folder / TRAINING_FILE).exists():
        raise FileExistsRefusedError(folder / TRAINING_FILE, "name another folder")
    refuse_taken((folder / name for name in (NETWORK_FILE, SPEC_FILE, IMPORT_FILE)), force=force)


def write_model(
    folder: Path,
    imported: Imported,
    *,
    source: str | None = None,
    measured_on: MeasuredOn | None = None,
    force: bool = False,
) -> None:
    """Write a model folder that every command takes; `source` is the file's name, for the report.

    Raises FileExistsRefusedError as :func:`refuse_model`.
    """
    refuse_model(folder, force=force)
    report = {
        "kind": imported.kind,
        "source": source,
        "sha256": imported.sha256,
        "columns": list(imported.columns),
        "units": imported.units,
        "folded": list(imported.folded),
        "hidden": list(imported.network.hidden),
        "measured_on": measured_on,
    }
    files = {
        folder / NETWORK_FILE: imported.network.to_bytes(),
        folder / SPEC_FILE: canonical_bytes(imported.spec),
        folder / IMPORT_FILE: canonical_bytes(report),
    }
    write_files(files, secret=(folder / NETWORK_FILE, folder / IMPORT_FILE), force=force)
