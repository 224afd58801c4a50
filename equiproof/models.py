"""Model folders as the commands read them: spec, float network, its integers, and the data it is measured on."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import msgspec

from equiproof.commands.common import load, load_data, load_spec
from equiproof.rows import RowsError, read_rows

if TYPE_CHECKING:
    from certify.data.dataset import Dataset
    from certify.model import Network
    from certify.network import QuantisedNetwork
    from certify.quantise import QuantisationReport
    from circuits.spec import Spec

T = TypeVar("T")


class _TrainedOn(msgspec.Struct):
    """What a report says of the data: as much as it takes to load the same again."""

    dataset: str
    sensitive: tuple[str, ...]
    one_hot: bool
    ranges: dict[str, tuple[str, str]] = {}
    use_ranges: bool = False


class _ImportReport(msgspec.Struct):
    """What the report of an import says of the data, where the model was imported for a data set."""

    measured_on: _TrainedOn | None


def load_network(folder: Path) -> Network:
    """Read the float network of a model folder."""
    from certify.model import Network
    from prover.model_folder import NETWORK_FILE

    return Network.load(folder / NETWORK_FILE)


def load_model(folder: Path) -> tuple[Spec, Network, QuantisedNetwork]:
    """Read a model folder and quantise its network; raises NetworkError naming the file where they do not fit."""
    from certify.network import NetworkError
    from certify.quantise import quantise
    from prover.model_folder import NETWORK_FILE, SPEC_FILE

    if folder.exists() and not folder.is_dir():
        raise NetworkError(f"{folder}: no model folder (want one that `train` or `import` wrote)")
    spec, network = load_spec(folder / SPEC_FILE), load_network(folder)
    try:
        return spec, network, quantise(network, spec)
    except NetworkError as error:
        raise NetworkError(f"{folder / NETWORK_FILE}: {error}") from None


def load_trained_data(model: Path, data_dir: Path | None) -> Dataset:
    """Load the data set that a model folder was trained on, as it was then."""
    from prover.model_folder import TRAINING_FILE

    path = model / TRAINING_FILE
    return _load_as(path, load(_parse_training, path), data_dir)


def load_model_data(model: Path, spec: Spec, data_dir: Path | None) -> Dataset | None:
    """Load the data set that a model folder was trained on or imported for, None where it was imported without one.

    Raises DocumentError where it does not load, or where its spec is not the model's.
    """
    from circuits.canonical import DocumentError
    from prover.model_folder import IMPORT_FILE, SPEC_FILE, TRAINING_FILE

    path = model / IMPORT_FILE
    if not path.exists():
        data = load_trained_data(model, data_dir)
        if data.spec != spec:
            raise DocumentError(f"{model / SPEC_FILE}: not the spec that the model was trained with; train it again")
        return data
    if (model / TRAINING_FILE).exists():
        raise DocumentError(f"{model}: both {TRAINING_FILE} and {IMPORT_FILE} are there; keep one model in one folder")
    measured_on = load(_parse_import, path).measured_on
    if measured_on is None:
        return None
    data = _load_as(path, measured_on, data_dir)
    # An imported model brings its own number of logits, and its threshold is its owner's choice.
    expected = msgspec.structs.replace(data.spec, logits=spec.logits, threshold=spec.threshold)
    if expected != spec:
        raise DocumentError(f"{model / SPEC_FILE}: not the spec of {measured_on.dataset}; import the model again")
    return dataclasses.replace(data, spec=spec)


def _load_as(path: Path, report: _TrainedOn, data_dir: Path | None) -> Dataset:
    """Load the data set that the report at `path` speaks of, as it was then."""
    from certify.data.dataset import DataError
    from circuits.canonical import DocumentError

    try:
        return load_data(
            report.dataset,
            data_dir,
            ",".join(report.sensitive),
            one_hot=report.one_hot,
            ranges=report.ranges,
            use_ranges=report.use_ranges,
        )
    except DataError as error:
        raise DocumentError(f"{path}: made for a data set that does not load: {error}") from None


def _parse_training(data: bytes, where: str) -> _TrainedOn:
    """Read what a training report says of the data."""
    return _parse_report(data, where, _TrainedOn, "not the report of a training; train the model again")


def _parse_import(data: bytes, where: str) -> _ImportReport:
    """Read what the report of an import says of the data."""
    return _parse_report(data, where, _ImportReport, "not the report of an import; import the model again")


def _parse_report(data: bytes, where: str, kind: type[T], otherwise: str) -> T:
    """Read a report as far as it speaks of the data."""
    from circuits.canonical import DocumentError

    try:
        return msgspec.json.decode(data, type=kind)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        raise DocumentError(f"{where}: {otherwise}") from None


def measured(
    model: Path,
    spec: Spec,
    network: Network,
    quantised: QuantisedNetwork,
    rows: Path | None,
    data_dir: Path | None,
) -> QuantisationReport | None:
    """Measure the quantisation on the rows given or on the model's data set; None where there is neither."""
    from certify.data.dataset import DataError
    from certify.quantise import measure, measure_rows

    if rows is not None:
        try:
            return measure_rows(network, quantised, spec, read_rows(rows), rows.name)
        except DataError as error:
            raise RowsError(f"{rows}: {error}") from None
    data = load_model_data(model, spec, data_dir)
    return None if data is None else measure(network, quantised, data)
