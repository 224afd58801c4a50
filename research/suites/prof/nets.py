"""The networks of table II with their data: AC-1, GC-1 and BM-1 of Fairify, and a network trained here on COMPAS.

The paper's own networks of Bank and COMPAS are not available: BM-1 stands for its BM0 (other features of the same
bank), a network of the same sizes for its compas1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from bench.fairify_networks import LABELS, domains_in, folder_in
from bench.fairify_rows import fairify_rows
from equiproof.certify.data import load
from equiproof.certify.data.dataset import Row, encode_rows
from equiproof.certify.models.importing import bound_network, read_model
from equiproof.certify.models.importing.domains import read_domain
from equiproof.certify.models.quantise import quantise
from equiproof.certify.models.training import Settings, train
from equiproof.certify.network import QuantisedNetwork
from equiproof.circuits.spec import Spec

Integers = npt.NDArray[np.int64]


@dataclass(frozen=True)
class TableNetwork:
    """A network of the paper's table: its file, its name in the paper, its data set, and how the rows are split."""

    network: str
    paper: str
    data: str
    sensitive: tuple[str, ...]
    trained_share: float
    kept_rows: int


NETWORKS: Mapping[str, TableNetwork] = {
    "Adult": TableNetwork("AC-1", "AC1", "adult", ("sex", "race", "age"), 0.85, 500),
    "German": TableNetwork("GC-1", "GC1", "german", ("sex", "age"), 0.7, 100),
    "Bank": TableNetwork("BM-1", "BM0", "bank_additional", ("age",), 0.8, 500),
    "COMPAS": TableNetwork("trained here, 16-8", "compas1", "compas_filtered", ("sex", "race", "age"), 0.8, 500),
}
"""Table I of the paper: the shares of training rows and the number of rows to keep."""


@dataclass(frozen=True, eq=False)
class Loaded:
    """A network with its rows: raw, encoded (rows, n_x + n_s), and labels."""

    network: QuantisedNetwork
    spec: Spec
    rows: Sequence[Row]
    inputs: Integers
    labels: Integers


def load_network(name: str, sensitive: Sequence[str], data_dir: Path | None, training: int = 0) -> Loaded:
    """Load a network of the table with some features sensitive; `training` seeds the one that is trained here.

    Raises BenchError where its files are missing.
    """
    listed = NETWORKS[name]
    if name == "COMPAS":
        return _trained(listed, sensitive, data_dir, training)
    folder = folder_in(data_dir)
    path = domains_in(folder)
    chosen = {"Adult": "adult", "German": "german", "Bank": "bank"}[name]
    spec, domain = read_domain(path.read_bytes(), str(path), chosen, labels=LABELS, sensitive=tuple(sensitive))
    imported = bound_network(
        read_model(folder / f"{listed.network}.npz"), spec, columns=domain.order, units="raw", widen=True
    )
    rows, labels = fairify_rows(name, data_dir)
    return Loaded(imported.quantised, imported.spec, rows, encode_rows(spec, rows), labels)


def _trained(listed: TableNetwork, sensitive: Sequence[str], data_dir: Path | None, seed: int) -> Loaded:
    """Train the network of COMPAS: 16-8 as compas1, without weight decay, the same for every sensitive feature."""
    data = load(listed.data, data_dir, sensitive=sensitive)
    network = quantise(train(data, (16, 8), settings=Settings(seed=seed))[0], data.spec)
    return Loaded(network, data.spec, data.rows, encode_rows(data.spec, data.rows), data.label_array())
