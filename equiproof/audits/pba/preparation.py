"""The paper's data sets and groups, from the rows of :mod:`equiproof.certify.data`.

From the paper (section 3.1): rows with missing values are removed, "Husband" and "Wife" become "Spouse",
categories are one-hot, numbers are scaled. What it does not say and its tables tell: of both genders about one half of
Adult is decided positively (raw: 11% and 31% earn more), so Adult is drawn with as many rows of each gender and label;
race is Black or White; of the 200 test rows of German Credit 38 are Junior, which is the share of those up to the age
of 25. Each sensitive attribute has two values, and the models of either of Adult's attributes see both attributes.

Nor does it list its units. Counts of a few cases (the instalment rate, years of residence, credits and dependents of
German Credit; the juvenile offences of COMPAS, nearly all of them 0) are held fixed like categories here: one unit of
them is one to three standard deviations, which leaves hardly anybody with persistent bias, where the paper has many.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

import msgspec
import numpy as np

from equiproof.certify.data import load
from equiproof.certify.data.dataset import DataError, Dataset, Row, split_rows
from equiproof.certify.data.features import choose
from equiproof.certify.data.spec_builder import build_spec
from equiproof.circuits.spec import Feature

JUNIOR = 25
"""The age up to which one is Junior."""

MISSING = "?"


@dataclass(frozen=True)
class Preparation:
    """A data set of the paper: its source, the sensitive attributes with their groups, and the favorable label.

    `kept` tests which rows stay, `changed` gives a row's new values; `balanced` names the attribute of which each value
    and label has as many rows. `units` replaces default units of delta: 0 for numbers that are codes of a few cases.
    """

    source: str
    attributes: dict[str, tuple[str, str]]
    favorable: int
    kept: Callable[[Row], bool]
    changed: Callable[[Row], Row]
    balanced: str | None = None
    units: Mapping[str, Fraction] = field(default_factory=dict)


def _age_group(row: Row) -> Row:
    """Return a row of German Credit in which age is one of two groups."""
    return {**row, "age": "Junior" if int(row["age"]) <= JUNIOR else "Senior"}


PREPARATIONS = {
    "adult": Preparation(
        "adult_spouse",
        {"sex": ("Female", "Male"), "race": ("Black", "White")},
        favorable=1,
        kept=lambda row: row["race"] in ("Black", "White") and MISSING not in row.values(),
        changed=dict,
        balanced="sex",
        units={"capital-gain": Fraction(100)},
    ),
    "compas": Preparation(
        "compas_filtered",
        {"sex": ("Female", "Male")},
        favorable=0,
        kept=lambda _: True,
        changed=dict,
        units=dict.fromkeys(("juv_fel_count", "juv_misd_count", "juv_other_count"), Fraction(0)),
    ),
    "german": Preparation(
        "german",
        {"age": ("Junior", "Senior")},
        favorable=1,
        kept=lambda _: True,
        changed=_age_group,
        units=dict.fromkeys(("installment_rate", "residence_since", "existing_credits", "dependents"), Fraction(0)),
    ),
}
"""The paper's three data sets; the favorable labels are a high income, no recidivism, and a good credit risk."""


def prepare(name: str, data_dir: Path | None, *, seed: int = 0) -> Dataset:
    """Return one of the paper's data sets, with two logits and all its attributes sensitive.

    `seed` draws the rows of a balanced one. Raises DataError for another name, or as
    :func:`equiproof.certify.data.load`.
    """
    if name not in PREPARATIONS:
        raise DataError(f"{name}: the paper's data sets are {', '.join(PREPARATIONS)}")
    how = PREPARATIONS[name]
    raw = load(how.source, data_dir)
    numbers = [number for number, row in enumerate(raw.rows) if how.kept(row)]
    if how.balanced is not None:
        numbers = _balanced(raw, numbers, how.balanced, seed)
    rows = tuple(how.changed(raw.rows[number]) for number in numbers)
    labels = tuple(raw.labels[number] for number in numbers)
    train, test = split_rows(len(rows), name)
    declared = [_declared(feature, rows, how) for feature in raw.spec.features]
    features = choose(declared, rows, tuple(how.attributes), "one-hot")
    spec = build_spec(f"{name}-pba", features, rows, train, raw.spec.labels, logits=2)
    return Dataset(name, rows, labels, train, test, spec)


def _balanced(raw: Dataset, numbers: Sequence[int], attribute: str, seed: int) -> list[int]:
    """Return as many rows of each value of an attribute and label, drawn from those that are kept, in their order."""
    cells: dict[tuple[str, int], list[int]] = {}
    for number in numbers:
        cells.setdefault((str(raw.rows[number][attribute]), raw.labels[number]), []).append(number)
    size = min(map(len, cells.values()))
    generator = np.random.default_rng(seed)
    draws = [generator.choice(cells[key], size, replace=False) for key in sorted(cells)]
    return sorted(int(number) for number in np.concatenate(draws))


def _declared(feature: Feature, rows: Sequence[Row], how: Preparation) -> Feature:
    """Declare a feature for the rows as they were changed; categories have the values that occur."""
    plain = Feature(feature.name, "numeric", "scaled", sensitive=False, unit=feature.unit)
    domain: tuple[str, ...]
    if feature.name in how.attributes:
        domain = how.attributes[feature.name]
    elif feature.kind == "categorical":
        domain = tuple(sorted({str(row[feature.name]) for row in rows}))
    else:
        return plain
    return msgspec.structs.replace(plain, kind="categorical", encoding="rank", domain=domain, unit="")
