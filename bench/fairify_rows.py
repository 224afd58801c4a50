"""The rows of three data sets as Fairify's networks take them, by what its `input_domains.json` describes."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from equiproof.certify.data import load
from equiproof.certify.data.dataset import Row, Value

Integers = npt.NDArray[np.int64]

DATA_SETS = {"Adult": "adult", "German": "german", "Bank": "bank_additional"}
_BINS = 20


def fairify_rows(name: str, data_dir: Path | None) -> tuple[list[Row], Integers]:
    """Return all rows of "Adult", "German" or "Bank" as Fairify's networks take them, and their labels."""
    raw = load(DATA_SETS[name], data_dir)
    kept = [(made, label) for row, label in zip(raw.rows, raw.labels, strict=True) if (made := MAKERS[name](row))]
    rows: list[Row] = [row for row, _ in kept]
    return _binned(rows) if name == "Adult" else rows, np.array([label for _, label in kept], dtype=np.int64)


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
