"""The networks of table II with their data: AC-1, GC-1 and BM-1 of Fairify, and a network trained here on COMPAS.

Fairify's rows are made from the raw files as `input_domains.json` describes. The paper's own networks of Bank and
COMPAS are not at hand: BM-1 stands for its BM0 (other features of the same bank), a network of the same sizes for its
compas1.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from bench.harness import BenchError
from certify.data.dataset import Row, Value, encode_rows, load
from certify.importing import import_model
from certify.importing.domains import read_domain
from certify.network import QuantisedNetwork
from certify.quantise import quantise
from certify.training import Settings, train
from circuits.spec import Spec

Integers = npt.NDArray[np.int64]

_BINS = 20


@dataclass(frozen=True)
class Case:
    """A network of the table: the domain and data set it stands on, and how the paper splits its rows."""

    network: str
    paper: str
    data: str
    sensitive: tuple[str, ...]
    trained_share: float
    kept_rows: int


CASES: Mapping[str, Case] = {
    "Adult": Case("AC-1", "AC1", "adult", ("sex", "race", "age"), 0.85, 500),
    "German": Case("GC-1", "GC1", "german", ("sex", "age"), 0.7, 100),
    "Bank": Case("BM-1", "BM0", "bank_additional", ("age",), 0.8, 500),
    "COMPAS": Case("trained here, 16-8", "compas1", "compas_filtered", ("sex", "race", "age"), 0.8, 500),
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


def load_case(name: str, sensitive: Sequence[str], data_dir: Path | None, training: int = 0) -> Loaded:
    """Load a network of the table with some features sensitive; `training` seeds the one that is trained here.

    Raises BenchError where its files are not there.
    """
    case = CASES[name]
    if name == "COMPAS":
        return _trained(case, sensitive, data_dir, training)
    folder = (data_dir or Path()) / "fairify_nets"
    path = folder / "input_domains.json"
    if not path.is_file():
        raise BenchError(f"{folder}: want the networks of Fairify and their input_domains.json here (--data-dir)")
    chosen = {"Adult": "adult", "German": "german", "Bank": "bank"}[name]
    labels = ("negative", "positive")
    spec, domain = read_domain(path.read_bytes(), str(path), chosen, labels=labels, sensitive=tuple(sensitive))
    imported = import_model(folder / f"{case.network}.npz", spec, columns=domain.order, units="raw")
    raw = load(case.data, data_dir)
    kept = [(made, label) for row, label in zip(raw.rows, raw.labels, strict=True) if (made := MAKERS[name](row))]
    rows = _binned([row for row, _ in kept]) if name == "Adult" else [row for row, _ in kept]
    answers = np.array([label for _, label in kept], dtype=np.int64)
    return Loaded(imported.quantised, spec, rows, encode_rows(spec, rows), answers)


def _trained(case: Case, sensitive: Sequence[str], data_dir: Path | None, seed: int) -> Loaded:
    """Train the network of COMPAS: 16-8 as compas1, without weight decay, the same for every sensitive feature."""
    data = load(case.data, data_dir, sensitive=sensitive)
    network = quantise(train(data, (16, 8), settings=Settings(seed=seed))[0], data.spec)
    return Loaded(network, data.spec, data.rows, encode_rows(data.spec, data.rows), data.label_array())


def _adult(row: Row) -> dict[str, Value]:
    """Return a row as the Adult networks take it, {} where a value is not known."""
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
    """Return a row as the Bank networks take it, {} where a value is not known."""
    if "unknown" in row.values():
        return {}
    return {
        **{name: row[name] for name in _BANK_PLAIN},
        "age": int(int(row["age"]) >= 25),
        "emp.var.rate": math.floor(float(row["emp.var.rate"]) + 0.5),
    }


MAKERS: Mapping[str, Callable[[Row], dict[str, Value]]] = {"Adult": _adult, "German": _german, "Bank": _bank}
