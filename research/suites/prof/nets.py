"""The networks of table II with their data: AC-1, GC-1 and BM-1 of Fairify, and a network trained here on COMPAS.

Fairify's rows are made from the raw files as `input_domains.json` describes. The paper's own networks of Bank and
COMPAS are not available: BM-1 stands for its BM0 (other features of the same bank), a network of the same sizes for its
compas1.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from bench.fairify_networks import LABELS, domains_in, folder_in
from equiproof.certify.data import load
from equiproof.certify.data.dataset import Row, Value, encode_rows
from equiproof.certify.models.importing import import_model
from equiproof.certify.models.importing.domains import read_domain
from equiproof.certify.models.quantise import quantise
from equiproof.certify.models.training import Settings, train
from equiproof.certify.network import QuantisedNetwork
from equiproof.circuits.spec import Spec

Integers = npt.NDArray[np.int64]

_BINS = 20


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
    imported = import_model(folder / f"{listed.network}.npz", spec, columns=domain.order, units="raw", widen=True)
    rows, labels = fairify_rows(name, data_dir)
    return Loaded(imported.quantised, imported.spec, rows, encode_rows(spec, rows), labels)


def fairify_rows(name: str, data_dir: Path | None) -> tuple[list[Row], Integers]:
    """Return all rows of "Adult", "German" or "Bank" as Fairify's networks take them, and their labels."""
    raw = load(NETWORKS[name].data, data_dir)
    kept = [(made, label) for row, label in zip(raw.rows, raw.labels, strict=True) if (made := MAKERS[name](row))]
    rows: list[Row] = [row for row, _ in kept]
    return _binned(rows) if name == "Adult" else rows, np.array([label for _, label in kept], dtype=np.int64)


def _trained(listed: TableNetwork, sensitive: Sequence[str], data_dir: Path | None, seed: int) -> Loaded:
    """Train the network of COMPAS: 16-8 as compas1, without weight decay, the same for every sensitive feature."""
    data = load(listed.data, data_dir, sensitive=sensitive)
    network = quantise(train(data, (16, 8), settings=Settings(seed=seed))[0], data.spec)
    return Loaded(network, data.spec, data.rows, encode_rows(data.spec, data.rows), data.label_array())


def _adult(row: Row) -> dict[str, Value]:
    """Return a row as the Adult networks take it, {} where a value is unknown."""
    if "?" in row.values():
        return {}
    return {name: value for name, value in row.items() if name != "fnlwgt"}


def _binned(rows: Sequence[Mapping[str, Value]]) -> list[Row]:
    """Put gains and losses into 20 bins of equal width over their whole range."""
    tops = {name: max(int(row[name]) for row in rows) for name in ("capital-gain", "capital-loss")}
    return [
        {**row, **{name: min(_BINS * int(row[name]) // top, _BINS - 1) for name, top in tops.items()}} for row in rows
    ]


_HISTORY = dict(zip(("A30", "A31", "A32", "A33", "A34"), ("None/Paid",) * 3 + ("Delay", "Other"), strict=True))
_EMPLOYED = {"A71": "Unemployed", "A72": "1-4 years", "A73": "1-4 years", "A74": "4+ years", "A75": "4+ years"}
_SAVINGS = {"A61": "<500", "A62": "<500", "A63": "500+", "A64": "500+", "A65": "Unknown/None"}
_STATUS = {"A11": "<200", "A12": "<200", "A13": "200+", "A14": "None"}


def _german(row: Row) -> dict[str, Value]:
    """Return a row as the German networks take it."""
    return {
        "status": _STATUS[str(row["checking_status"])],
        "month": row["duration"],
        "credit_history": _HISTORY[str(row["credit_history"])],
        "purpose": row["purpose"],
        "credit_amount": row["credit_amount"],
        "savings": _SAVINGS[str(row["savings"])],
        "employment": _EMPLOYED[str(row["employment_since"])],
        "investment_as_income_percentage": row["installment_rate"],
        "other_debtors": row["other_debtors"],
        "residence_since": row["residence_since"],
        "property": row["property"],
        "age": int(int(row["age"]) >= 26),
        "installment_plans": row["other_installment_plans"],
        "housing": row["housing"],
        "number_of_credits": row["existing_credits"],
        "skill_level": row["job"],
        "people_liable_for": row["dependents"],
        "telephone": row["telephone"],
        "foreign_worker": row["foreign_worker"],
        "sex": int(row["personal_status_and_sex"] in ("A91", "A93", "A94")),
    }


_BANK_PLAIN = ("job", "marital", "education", "default", "housing", "loan", "contact", "month", "day_of_week",
               "duration", "campaign", "pdays", "previous", "poutcome")  # fmt: skip


def _bank(row: Row) -> dict[str, Value]:
    """Return a row as the Bank networks take it, {} where a value is unknown."""
    if "unknown" in row.values():
        return {}
    return {
        **{name: row[name] for name in _BANK_PLAIN},
        "age": int(int(row["age"]) >= 25),
        "emp.var.rate": math.floor(float(row["emp.var.rate"]) + 0.5),
    }


MAKERS: Mapping[str, Callable[[Row], dict[str, Value]]] = {"Adult": _adult, "German": _german, "Bank": _bank}
