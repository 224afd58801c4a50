"""Model folders: the network, its spec, and a report of where both come from; writing, reading and measuring them."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, TypeVar

import msgspec

from equiproof.certify.data.dataset import DataError, Dataset
from equiproof.certify.data.rows import RowsError, read_rows
from equiproof.certify.models.comparison import Comparison
from equiproof.circuits.canonical import DocumentError, canonical_bytes, read_limited
from equiproof.circuits.files import FileExistsRefusedError, refuse_taken, write_files
from equiproof.circuits.spec import Spec, load_spec

if TYPE_CHECKING:
    from equiproof.certify.models.fidelity import Fidelity
    from equiproof.certify.models.importing import Imported
    from equiproof.certify.models.network import Network
    from equiproof.certify.network import QuantisedNetwork

T = TypeVar("T")

NETWORK_FILE = "network.npz"
ENSEMBLE_FILE = "ensemble.json"
SPEC_FILE = "spec.json"
TRAINING_FILE = "training.json"
IMPORT_FILE = "import.json"

_NO_IMPORT = "import the model again: not the report of an import"


class MeasuredOn(TypedDict):
    """The data set that an imported model is measured on: its name, its sensitive features, its encoding."""

    dataset: str
    sensitive: list[str]
    one_hot: bool


class TrainedOn(msgspec.Struct, frozen=True):
    """What a report says of the data: as much as it takes to load the same again.

    A table of the owner's own is not loaded: `dataset` is the name of its file then, and `own` the SHA-256.
    """

    dataset: str
    sensitive: tuple[str, ...]
    one_hot: bool
    ranges: dict[str, tuple[str, str]] = {}
    use_ranges: bool = False
    logs: dict[str, str | None] | msgspec.UnsetType = msgspec.UNSET
    own: str | msgspec.UnsetType = msgspec.UNSET

    @property
    def logarithms(self) -> dict[str, str | None]:
        """The numbers that count by their logarithm, each with what is added before, None for the usual."""
        return {} if isinstance(self.logs, msgspec.UnsetType) else self.logs

    def of(self, spec: Spec) -> TrainedOn:
        """Return the same with the names of a spec's sensitive features."""
        return msgspec.structs.replace(self, sensitive=tuple(feature.name for feature in spec.sensitive_features))


def stated(logs: dict[str, str | None]) -> dict[str, str | None] | msgspec.UnsetType:
    """Return logarithms as a report states them: it says nothing of none."""
    return logs or msgspec.UNSET


def refuse_trained(folder: Path, *, force: bool) -> None:
    """Raise FileExistsRefusedError for a folder that holds a trained model already, unless `force`."""
    refuse_taken((folder / name for name in (NETWORK_FILE, SPEC_FILE, TRAINING_FILE)), force=force)
    _refuse_ensemble(folder)


def write_trained(
    folder: Path, network: Network, spec: Spec, data: TrainedOn, figures: Mapping[str, Any], *, force: bool = False
) -> dict[str, Any]:
    """Write the folder of a model that was trained on `data`, and return its report: what `data` says, and `figures`.

    Raises FileExistsRefusedError as :func:`refuse_trained`.
    """
    report: dict[str, Any] = {**msgspec.to_builtins(data), **figures}
    files = {
        folder / NETWORK_FILE: network.to_bytes(),
        folder / SPEC_FILE: canonical_bytes(spec),
        folder / TRAINING_FILE: canonical_bytes(report),
    }
    write_files(files, secret=(folder / NETWORK_FILE, folder / TRAINING_FILE), force=force)
    return report


def refuse_model(folder: Path, *, force: bool) -> None:
    """Refuse a folder that holds a model: any model unless `force`, and a model that was trained here in any case."""
    if (folder / TRAINING_FILE).exists():
        raise FileExistsRefusedError(folder / TRAINING_FILE, "name another folder")
    refuse_taken((folder / name for name in (NETWORK_FILE, SPEC_FILE, IMPORT_FILE)), force=force)
    _refuse_ensemble(folder)


def write_model(
    folder: Path,
    imported: Imported,
    *,
    source: str | None = None,
    measured_on: MeasuredOn | None = None,
    compared: Comparison | None = None,
    force: bool = False,
) -> None:
    """Write a model folder that every command takes; `source` is the file's name, for the report.

    `compared`: the counts of a comparison with the owner's own decisions, which the report keeps.
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
        **kept(compared),
    }
    files = {
        folder / NETWORK_FILE: imported.network.to_bytes(),
        folder / SPEC_FILE: canonical_bytes(imported.spec),
        folder / IMPORT_FILE: canonical_bytes(report),
    }
    write_files(files, secret=(folder / NETWORK_FILE, folder / IMPORT_FILE), force=force)


def kept(compared: Comparison | None) -> dict[str, Any]:
    """Return what the report of an import says of a comparison: nothing where there was none."""
    return {} if compared is None else {"compared": msgspec.to_builtins(compared)}


def is_imported(folder: Path) -> bool:
    """Return whether a model folder holds a model that was made elsewhere."""
    return (folder / IMPORT_FILE).exists()


def compared_of(folder: Path) -> Comparison | None:
    """Return the comparison with the owner's own decisions that an import made, if any; raises DocumentError."""
    if not is_imported(folder):
        return None
    return _report(folder / IMPORT_FILE, _ImportReport, _NO_IMPORT).compared


def _refuse_ensemble(folder: Path) -> None:
    """Refuse a folder that holds an additive model, even by force: one folder has one model."""
    if (folder / ENSEMBLE_FILE).exists():
        raise FileExistsRefusedError(folder / ENSEMBLE_FILE, "name another folder")


@dataclass(frozen=True)
class Model:
    """A model folder as it was read: the spec, the float network, and the integers that it quantises to."""

    spec: Spec
    network: Network
    quantised: QuantisedNetwork


def load_model(folder: Path) -> Model:
    """Read a model folder and quantise its network; raises NetworkError naming the file where they do not fit."""
    from equiproof.certify.models.network import Network
    from equiproof.certify.models.quantise import quantise
    from equiproof.certify.network import NetworkError

    if folder.exists() and not folder.is_dir():
        raise NetworkError(f"{folder}: not a model folder; want the folder that `train` or `import` wrote")
    if (folder / ENSEMBLE_FILE).exists():
        raise NetworkError(f"{folder}: holds an additive model ({ENSEMBLE_FILE}); this command takes networks only")
    spec = load_spec(folder / SPEC_FILE)
    network = Network.load(folder / NETWORK_FILE)
    try:
        return Model(spec, network, quantise(network, spec))
    except NetworkError as error:
        raise NetworkError(f"{folder / NETWORK_FILE}: {error}") from None


class _ImportReport(msgspec.Struct):
    """What the report of an import says of the data set that it was for, and of the owner's own decisions."""

    measured_on: TrainedOn | None
    compared: Comparison | None = None


def trained_on(folder: Path) -> TrainedOn:
    """Return what a model folder says of the data that it was trained on; raises DocumentError if it does not."""
    return _report(folder / TRAINING_FILE, TrainedOn, "train the model again: not the report of a training")


def load_trained_data(folder: Path, data_dir: Path | None) -> Dataset:
    """Load the data set that a model folder was trained on, with the spec of that time; raises DocumentError."""
    return _load_as(folder / TRAINING_FILE, trained_on(folder), data_dir)


def load_model_data(folder: Path, spec: Spec, data_dir: Path | None) -> Dataset | None:
    """Load the data set that a model folder was trained on or imported for.

    None if it was imported without one, or trained on a table of the owner's own. Raises DocumentError where it cannot
    be loaded, or where its spec is not the model's.
    """
    from equiproof.certify.data.spec_builder import most_fraction_bits, with_fraction_bits
    from equiproof.certify.models.importing.one_hot import encoded_as

    path = folder / IMPORT_FILE
    if not path.exists():
        if isinstance(trained_on(folder).own, str):
            return None
        data = load_trained_data(folder, data_dir)
        if _stated_as(spec, data.spec) != spec:
            raise DocumentError(f"{folder / SPEC_FILE}: train it again: not the spec that the model was trained with")
        return dataclasses.replace(data, spec=spec)
    if (folder / TRAINING_FILE).exists():
        raise DocumentError(f"{folder}: both {TRAINING_FILE} and {IMPORT_FILE} exist; keep one model in one folder")
    measured_on = _report(path, _ImportReport, _NO_IMPORT).measured_on
    if measured_on is None:
        return None
    data = _load_as(path, measured_on, data_dir)
    # An imported model brings its own number of logits, and sensitive categories as it has them; its threshold and the
    # grid of inputs are its owner's choice.
    expected = msgspec.structs.replace(data.spec, logits=spec.logits, threshold=spec.threshold)
    expected = encoded_as(expected, spec)
    expected = with_fraction_bits(expected, min(spec.input_fraction_bits, most_fraction_bits(expected)))
    if _stated_as(spec, expected) != spec:
        raise DocumentError(f"{folder / SPEC_FILE}: import the model again: not the spec of {measured_on.dataset}")
    return dataclasses.replace(data, spec=spec)


def measure_model(folder: Path, model: Model, *, rows: Path | None = None, data_dir: Path | None = None) -> Fidelity:
    """Compare a model with its integers, on a file of raw rows or else on its own data set, where there is either.

    Raises RowsError naming the file and the row, and as :func:`load_model_data` does.
    """
    data = load_model_data(folder, model.spec, data_dir) if rows is None else None
    return measured(model, rows=rows, data=data)


def measured(model: Model | Imported, *, rows: Path | None = None, data: Dataset | None = None) -> Fidelity:
    """Compare a model with its integers, on a file of raw rows or else on a data set; raises RowsError."""
    from equiproof.certify.models.fidelity import measure, measure_on

    if rows is None and data is not None:
        return measure_on(model.network, model.quantised, data)
    if rows is None:
        return measure(model.network, model.quantised, model.spec)
    try:
        return measure(model.network, model.quantised, model.spec, read_rows(rows, spec=model.spec), rows.name)
    except DataError as error:
        raise RowsError.within(str(rows), error) from None


def how_to_round_finer(folder: Path) -> str:
    """Return how the owner of a model folder lets rounding lose less, or allows it: the end of a refusal."""
    if (folder / ENSEMBLE_FILE).exists():
        return f"set more input_fraction_bits and make it again, or set allow_loss in {folder / SPEC_FILE}"
    if (folder / IMPORT_FILE).exists():
        return "import it again with wider --weight-bits, or allow it with --allow-loss"
    return f"set wider weight_bits in {folder / SPEC_FILE}, or allow it there with allow_loss"


def _stated_as(spec: Spec, other: Spec) -> Spec:
    """Return another spec with what a spec says of rounding, directions, levels and changes: its owner's word."""
    fixed = {"monotone": msgspec.UNSET, "changes": msgspec.UNSET}
    stated = {feature.name: {"monotone": feature.monotone, "changes": feature.changes} for feature in spec.features}
    features = tuple(msgspec.structs.replace(feature, **stated.get(feature.name, fixed)) for feature in other.features)
    owners = ("weight_bits", "allow_loss", "levels", "gain_levels", "together")
    return msgspec.structs.replace(other, features=features, **{name: getattr(spec, name) for name in owners})


def _load_as(path: Path, report: TrainedOn, data_dir: Path | None) -> Dataset:
    """Load the data set that the report at `path` names, with the features and ranges that it names."""
    from equiproof.certify.data.catalogue import load

    try:
        return load(
            report.dataset,
            data_dir,
            sensitive=report.sensitive,
            encoding="one-hot" if report.one_hot else "rank",
            ranges=report.ranges,
            use_ranges=report.use_ranges,
            logs=report.logarithms,
        )
    except DataError as error:
        raise DocumentError(f"{path}: made for a data set that cannot be loaded: {error}") from None


def _report(path: Path, kind: type[T], otherwise: str) -> T:
    """Read what a report says of the data; raises DocumentError with the line `otherwise` for any other file."""
    try:
        return msgspec.json.decode(read_limited(path), type=kind)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        raise DocumentError(f"{path}: {otherwise}") from None
