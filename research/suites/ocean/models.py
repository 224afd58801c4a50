"""Boosted trees of XGBoost that OCEAN and Equiproof read as the same numbers, with the same costs of changes.

Columns of numbers are whole: a feature counts in units of its own, and a ranked category is a number. Other
categories have a column a value. The library's
leaves are rounded to multiples of 2^-10, so that sums in single precision, OCEAN's integers of 10^-10 and the committed
integers are all exact. Nobody's sensitive value is asked.
"""

from __future__ import annotations

import json
import random
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import ceil
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import xgboost

from bench.harness import BenchError
from equiproof.certify.data import load
from equiproof.certify.data.dataset import Dataset, Row
from equiproof.certify.data.features import CategoryEncoding
from equiproof.certify.data.spec_builder import build_spec
from equiproof.certify.ensemble import EnsembleModel
from equiproof.certify.models.ensembles.ensemble import Ensemble
from equiproof.certify.models.ensembles.imported import ImportedScore, bound_score
from equiproof.certify.models.ensembles.reading import read_ensemble
from equiproof.circuits.changes import Changes
from equiproof.circuits.spec import Feature, Spec

Bools = npt.NDArray[np.bool_]


class Setting(NamedTuple):
    """A data set with the encoding of its categories, the units of some numbers, 1 for others, and its features."""

    data: str
    encoding: CategoryEncoding
    units: Mapping[str, int]
    features: Collection[str] | None = None


LOANS = {"income": 10, "savings": 100, "debt": 100, "loan_amount": 100}
CAPITAL = {"capital-gain": 100, "capital-loss": 100}

SETTINGS: Mapping[str, Setting] = {
    "lending": Setting("lending", "rank", LOANS),
    "lending-few": Setting("lending", "rank", {"income": 200, "debt": 1000}, ("income", "debt", "purpose")),
    "german": Setting("german", "rank", {"credit_amount": 100}),
    "german-one-hot": Setting("german", "one-hot", {"credit_amount": 100}),
    "adult": Setting("adult", "rank", CAPITAL),
    "adult-one-hot": Setting("adult", "one-hot", CAPITAL),
}
"""The models by name. All cells of `lending-few` can be tried."""

LEFT_OUT = ("fnlwgt",)
"""A weight of the census, and nothing about a person."""

LEAF_PARTS = 1 << 10
RANDOM_ROWS = 10_000
"""How many random rows have their score compared, beside those of the table."""


@dataclass(frozen=True)
class Input:
    """A column of the model: a number, or one value of a category. The names are OCEAN's, and those of the spec."""

    feature: str
    value: str | None
    theirs: str
    code: str | None

    @property
    def name(self) -> str:
        """The name in the spec."""
        return self.feature if self.value is None else f"{self.feature}={self.value}"


@dataclass(frozen=True)
class Case:
    """A model with the table that it is of: `rows` in whole units, and the numbers of those that it has not seen.

    `compared` counts thresholds and scores that are the same in both libraries.
    """

    spec: Spec
    model: EnsembleModel
    booster: xgboost.Booster = field(repr=False)
    inputs: tuple[Input, ...]
    rows: tuple[Row, ...] = field(repr=False)
    test: tuple[int, ...]
    compared: Mapping[str, int]

    def columns(self, rows: Sequence[Row]) -> npt.NDArray[np.int64]:
        """Return the model's columns of rows, shape (rows, inputs)."""
        return columns_of(self.inputs, rows)

    def row(self, point: Sequence[float]) -> Row:
        """Return the raw row of columns; raises BenchError where a number is not whole or a category has no value."""
        found: dict[str, str | int] = {}
        for one, number in zip(self.inputs, point, strict=True):
            if number != round(number) or (one.value is not None and number not in (0, 1)):
                raise BenchError(f"ocean: {one.name} = {number:g} is not whole")
            if one.value is None:
                found[one.feature] = round(number)
            elif number:
                if one.feature in found:
                    raise BenchError(f"ocean: {one.feature} has two values")
                found[one.feature] = one.value
        if missing := {one.feature for one in self.inputs} - set(found):
            raise BenchError(f"ocean: {min(missing)} has no value")
        return found

    def score(self, row: Row) -> int:
        """Return the committed score, above 0 for those who are granted."""
        return self.model.score((*self.spec.encode(row), *self.spec.domain_table[0]))

    def granted(self, columns: npt.NDArray[Any]) -> Bools:
        """Return the library's own decisions of rows of columns."""
        return np.asarray(self.booster.predict(_matrix(self.booster, columns)) > 0.5)

    @cached_property
    def ends(self) -> dict[str, list[int]]:
        """By number the largest whole values that go low at some split, ascending."""
        found: dict[str, set[int]] = {}
        for column, end in splits(self.booster):
            found.setdefault(self.inputs[column].feature, set()).add(end)
        return {name: sorted(ends) for name, ends in found.items()}

    def question(self) -> dict[str, Any]:
        """Return the table as OCEAN reads it: neutral names, and a code for each value of a category."""
        known = {one.feature: one for one in self.inputs}
        codes = {(one.feature, one.value): one.code for one in self.inputs}
        columns = {
            one.theirs.split()[0]: [
                row[name] if one.value is None else codes[name, str(row[name])] for row in self.rows
            ]
            for name, one in known.items()
        }
        kinds = {kind: [one.theirs.split()[0] for one in known.values() if (one.value is None) is kind]
                 for kind in (True, False)}  # fmt: skip
        return {"columns": columns, "numbers": kinds[True], "categories": kinds[False]}

    def model_file(self) -> bytes:
        """Return the library's file of the model, under the names of :meth:`question`."""
        named = self.booster.copy()
        named.feature_names = [one.theirs for one in self.inputs]
        return bytes(named.save_raw("json"))


def trained(name: str, trees: int, depth: int, data_dir: Path | None) -> Case:
    """Train on a data set, round the leaves, and import; raises BenchError where a number is not the same after it."""
    setting = SETTINGS[name]
    data = load(setting.data, data_dir, encoding=setting.encoding)
    rows = tuple(in_units(data.spec, row, setting.units) for row in data.rows)
    spec = ruled(data, rows, setting.features)
    inputs = inputs_of(spec)
    columns, labels = columns_of(inputs, rows), np.asarray(data.labels)
    machine = xgboost.XGBClassifier(
        n_estimators=trees, max_depth=depth, learning_rate=0.1, base_score=0.5, random_state=0, n_jobs=1
    )
    machine.fit(columns[list(data.train)], labels[list(data.train)])
    booster = rounded(machine.get_booster())
    booster.feature_names = [one.name for one in inputs]
    read = read_ensemble(booster)
    if not isinstance(read, Ensemble):
        raise BenchError("ocean: not a model of trees")
    unused = [feature.name for feature in spec.sensitive_features]
    # Without rows no tie moves the score; the rows are compared below.
    imported = bound_score(read, spec, unused=unused)
    if not isinstance(imported.model, EnsembleModel):
        raise BenchError("ocean: every tree of the model reads one column")
    compared = compare(imported.model, imported, booster, inputs, rows)
    return Case(imported.spec, imported.model, booster, inputs, rows, data.test, compared)


def in_units(spec: Spec, row: Row, units: Mapping[str, int]) -> Row:
    """Return a row whose numbers count in whole units, rounded down, and whose ranked categories are their ranks."""
    found = dict(row)
    for feature in spec.plain_features:
        value = row[feature.name]
        if feature.kind == "numeric":
            found[feature.name] = int(value) // units.get(feature.name, 1)
        elif feature.encoding == "rank":
            found[feature.name] = feature.domain.index(str(value))
    return found


def ruled(data: Dataset, rows: Sequence[Row], names: Collection[str] | None) -> Spec:
    """Return a spec by whose rules everything changes at OCEAN's costs.

    A whole unit of a number costs 1, in both directions up to the ends of the table, and any change of a category 1.
    """
    features = []
    for feature in data.spec.features:
        if feature.sensitive:
            features.append(feature)
            continue
        seen = {row[feature.name] for row in rows}
        if feature.name in LEFT_OUT or len(seen) < 2 or (names is not None and feature.name not in names):
            continue
        if feature.kind == "numeric" or feature.encoding == "rank":
            ends = (str(min(map(int, seen))), str(max(map(int, seen))))
            rules = Changes("any", step="1", cost="1")
            features.append(Feature(feature.name, "numeric", "scaled", False, range=ends, whole=True, changes=rules))
        else:
            domain = tuple(value for value in feature.domain if value in seen)
            rules = Changes("any")
            features.append(Feature(feature.name, "categorical", "one-hot", False, domain=domain, changes=rules))
    return build_spec(
        data.name, features, rows, data.train, data.spec.labels, input_fraction_bits=1,
        unscaled={feature.name for feature in features},
    )  # fmt: skip


def inputs_of(spec: Spec) -> tuple[Input, ...]:
    """Return the columns of a model under a spec, in its order."""
    found = []
    for number, feature in enumerate(spec.plain_features):
        if feature.kind == "numeric":
            found.append(Input(feature.name, None, f"x{number}", None))
        for place, value in enumerate(feature.domain if feature.kind == "categorical" else ()):
            found.append(Input(feature.name, value, f"x{number} v{place:02}", f"v{place:02}"))
    return tuple(found)


def columns_of(inputs: Sequence[Input], rows: Sequence[Row]) -> npt.NDArray[np.int64]:
    """Return the columns of rows, shape (rows, inputs)."""

    def of(row: Row) -> list[str | int]:
        return [row[one.feature] if one.value is None else int(row[one.feature] == one.value) for one in inputs]

    return np.array(list(map(of, rows)), dtype=np.int64)


def rounded(booster: xgboost.Booster) -> xgboost.Booster:
    """Return the same trees whose leaves are multiples of 2^-10."""
    document = json.loads(booster.save_raw("json"))
    for tree in document["learner"]["gradient_booster"]["model"]["trees"]:
        for node, child in enumerate(tree["left_children"]):
            if child == -1:
                leaf = round(tree["split_conditions"][node] * LEAF_PARTS) / LEAF_PARTS
                tree["split_conditions"][node] = tree["base_weights"][node] = leaf
    found = xgboost.Booster()
    found.load_model(bytearray(json.dumps(document).encode()))
    return found


def splits(booster: xgboost.Booster) -> set[tuple[int, int]]:
    """Return each (column, largest whole number that goes low) of the library's splits."""
    found = set()
    for tree in json.loads(booster.save_raw("json"))["learner"]["gradient_booster"]["model"]["trees"]:
        for child, column, end in zip(
            tree["left_children"], tree["split_indices"], tree["split_conditions"], strict=True
        ):
            if child != -1:
                found.add((column, ceil(end) - 1))
    return found


def compare(
    model: EnsembleModel,
    imported: ImportedScore,
    booster: xgboost.Booster,
    inputs: Sequence[Input],
    rows: Sequence[Row],
) -> dict[str, int]:
    """Count thresholds and scores that are the same as the library's; raises BenchError where one differs.

    Rounding has changed nothing where the committed scale divides all numbers of the score, and their halves: trees are
    centered.
    """
    own, spec = model.additive, imported.spec
    if (1 << own.value_fraction_bits) % (2 * imported.score.unit):
        raise BenchError("ocean: the committed integers are not the model's numbers")
    committed = {(column, end // spec.scale_unit) for column, end in zip(own.columns, own.thresholds, strict=True)}
    if committed != splits(booster):
        raise BenchError(f"ocean: {len(committed ^ splits(booster))} thresholds differ")
    rng = random.Random(0)  # noqa: S311 - a sample, no secret
    drawn = [{name: rng.choice(rows)[name] for name in rows[0]} for _ in range(RANDOM_ROWS)]
    both = [*rows, *drawn]
    theirs = booster.predict(_matrix(booster, columns_of(inputs, both)), output_margin=True)
    ours = (model.score((*spec.encode(row), *spec.domain_table[0])) for row in both)
    differing = sum(float(their) * 2.0**own.value_fraction_bits != our for their, our in zip(theirs, ours, strict=True))
    if differing:
        raise BenchError(f"ocean: {differing} scores differ")
    return {"thresholds": len(committed), "scores": len(both)}


def _matrix(booster: xgboost.Booster, columns: npt.NDArray[Any]) -> xgboost.DMatrix:
    """Return columns as the library takes them."""
    return xgboost.DMatrix(columns.astype(np.float32), feature_names=booster.feature_names)
