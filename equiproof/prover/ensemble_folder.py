"""Model folders of additive models: the exact score, its spec, and a report of where both come from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from equiproof.certify.additive import AdditiveModel, EnsembleError
from equiproof.certify.data.dataset import DataError, Dataset
from equiproof.certify.data.rows import RowsError, read_rows
from equiproof.certify.ensemble import EnsembleModel, sets_of
from equiproof.certify.models.comparison import Comparison
from equiproof.certify.models.ensembles.quantise import quantise_score
from equiproof.certify.models.ensembles.score import Score
from equiproof.circuits.canonical import canonical_bytes, read_limited
from equiproof.circuits.files import FileExistsRefusedError, refuse_taken, write_files
from equiproof.circuits.spec import Spec, load_spec
from equiproof.prover.model_folder import (
    ENSEMBLE_FILE,
    IMPORT_FILE,
    NETWORK_FILE,
    SPEC_FILE,
    TRAINING_FILE,
    MeasuredOn,
    TrainedOn,
    kept,
    load_model_data,
)

if TYPE_CHECKING:
    from equiproof.certify.models.ensembles.fidelity import ScoreFidelity
    from equiproof.certify.models.ensembles.imported import ImportedScore

SCORECARD_FILE = "scorecard.csv"


@dataclass(frozen=True)
class AdditiveFolder:
    """A model folder as it was read: the spec, the exact score, and the integers that it becomes."""

    spec: Spec
    score: Score
    quantised: AdditiveModel | EnsembleModel


def holds_ensemble(folder: Path) -> bool:
    """Return whether a model folder holds an additive model; raises FileExistsRefusedError where also a network."""
    is_additive = (folder / ENSEMBLE_FILE).exists()
    if is_additive and (folder / NETWORK_FILE).exists():
        raise FileExistsRefusedError(folder / NETWORK_FILE, f"keep one model in one folder: {ENSEMBLE_FILE} is another")
    return is_additive


def load_ensemble(folder: Path) -> AdditiveFolder:
    """Read the folder of an additive model; raises DocumentError or EnsembleError naming the file that does not fit."""
    spec = load_spec(folder / SPEC_FILE)
    path = folder / ENSEMBLE_FILE
    score = Score.parse(read_limited(path), str(path))
    try:
        if score.sets != sets_of(spec, [(one.category.first, one.members) for one in score.sets], "sets"):
            raise EnsembleError("field sets: want the categories as they are in the spec, in its order")
        return AdditiveFolder(spec, score, quantise_score(score, spec))
    except EnsembleError as error:
        raise EnsembleError(f"{path}: {error}") from None


def write_ensemble(
    folder: Path,
    imported: ImportedScore,
    *,
    source: str | None = None,
    measured_on: MeasuredOn | None = None,
    compared: Comparison | None = None,
    force: bool = False,
) -> None:
    """Write the folder of an imported additive model; `source` is the file's name, for the report.

    `compared`: the counts of a comparison with the owner's own decisions, which the report keeps.
    Raises FileExistsRefusedError for a folder that holds a network or a trained model, or any model unless `force`.
    """
    refuse_imported(folder, force=force)
    report = {
        "kind": imported.kind,
        "source": source,
        "sha256": imported.sha256,
        "columns": list(imported.columns),
        "units": imported.units,
        "trees": imported.trees,
        "measured_on": measured_on,
        **kept(compared),
    }
    files = {
        folder / ENSEMBLE_FILE: imported.score.to_bytes(),
        folder / SPEC_FILE: canonical_bytes(imported.spec),
        folder / IMPORT_FILE: canonical_bytes(report),
    }
    write_files(files, secret=(folder / ENSEMBLE_FILE, folder / IMPORT_FILE), force=force)


def write_trained_ensemble(
    folder: Path,
    score: Score,
    spec: Spec,
    data: TrainedOn,
    figures: Mapping[str, Any],
    *,
    scorecard: bytes | None = None,
    force: bool = False,
) -> dict[str, Any]:
    """Write the folder of an additive model that was trained on `data`, and return its report.

    `scorecard` is the table of points of a scorecard. Raises FileExistsRefusedError as :func:`write_ensemble`.
    """
    refuse_other_model(folder, IMPORT_FILE)
    report: dict[str, Any] = {**msgspec.to_builtins(data), **figures}
    files = {
        folder / ENSEMBLE_FILE: score.to_bytes(),
        folder / SPEC_FILE: canonical_bytes(spec),
        folder / TRAINING_FILE: canonical_bytes(report),
    }
    secret = [folder / ENSEMBLE_FILE, folder / TRAINING_FILE]
    if scorecard is not None:
        files[folder / SCORECARD_FILE] = scorecard
        secret.append(folder / SCORECARD_FILE)
    write_files(files, secret=secret, force=force)
    return report


def refuse_imported(folder: Path, *, force: bool) -> None:
    """Refuse a folder with a network or a trained model, and one with an imported additive model unless `force`."""
    refuse_other_model(folder, TRAINING_FILE)
    refuse_taken((folder / name for name in (ENSEMBLE_FILE, SPEC_FILE, IMPORT_FILE)), force=force)


def refuse_other_model(folder: Path, report: str) -> None:
    """Raise FileExistsRefusedError for a folder with a network, or with the report of another way to a model."""
    for name in (NETWORK_FILE, report):
        if (folder / name).exists():
            raise FileExistsRefusedError(folder / name, "name another folder")


def measure_ensemble(
    folder: Path, model: AdditiveFolder, *, rows: Path | None = None, data_dir: Path | None = None
) -> ScoreFidelity:
    """Compare an additive model with its integers, on a file of raw rows or else on its own data set.

    Raises RowsError naming the file and the row, and DocumentError where the data set is not that of the spec.
    """
    data = load_model_data(folder, model.spec, data_dir) if rows is None else None
    return measured_ensemble(model.score, model.quantised, model.spec, rows=rows, data=data)


def measured_ensemble(
    score: Score,
    quantised: AdditiveModel | EnsembleModel,
    spec: Spec,
    *,
    rows: Path | None = None,
    data: Dataset | None = None,
) -> ScoreFidelity:
    """Compare a score with its integers, on a file of raw rows or else on a data set; raises RowsError."""
    from equiproof.certify.models.ensembles.fidelity import measure_score, measure_score_on

    if rows is None and data is not None:
        return measure_score_on(score, quantised, data)
    if rows is None:
        return measure_score(score, quantised, spec)
    try:
        return measure_score(score, quantised, spec, read_rows(rows, spec=spec), rows.name)
    except DataError as error:
        raise RowsError.within(str(rows), error) from None
