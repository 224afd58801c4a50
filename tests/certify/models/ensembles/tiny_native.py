"""Tiny models of LightGBM and scikit-learn with missing values and categories, with all cells of their features."""

from __future__ import annotations

import itertools
import random
from typing import NamedTuple

import lightgbm
import numpy as np
import pandas as pd
from sklearn.ensemble import (
    ExtraTreesClassifier,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.tree import DecisionTreeClassifier, ExtraTreeClassifier

from equiproof.certify.models.ensembles.imported import bound_score
from equiproof.certify.models.ensembles.reading import read_ensemble
from equiproof.circuits.encodings.missing import LISTED, Missing
from equiproof.circuits.spec import Feature
from tests.support import spec_of

NUMBERS = (-1, 0, 1, 2)
GRADES = ("a", "b", "c", "d")
GROUPS = ("p", "q", "r")
DOMAINS = {"grade": GRADES, "group": GROUPS}
NAMES = ("x", "grade", "group")

TREES = {
    "tree": DecisionTreeClassifier(max_depth=3),
    "extra": ExtraTreeClassifier(max_depth=3),
    "forest": RandomForestClassifier(3, max_depth=3),
    "extras": ExtraTreesClassifier(3, max_depth=3),
    "forest of numbers": RandomForestRegressor(3, max_depth=3),
}
"""Estimators that know numbers only."""

KINDS = ("lightgbm", "lightgbm of codes", "zeros", "unused", "histograms", "histograms of codes", "numbers", *TREES)


class Tiny(NamedTuple):
    """A model, its spec, how it writes values, all cells as raw rows, and what the library makes of them."""

    model: object
    spec: object
    values: dict[str, dict[str, str]]
    rows: list[dict[str, object]]
    wanted: np.ndarray

    def gap(self):
        """Return the largest difference between exact scores and those of the library, over all cells."""
        columns = None if getattr(read_ensemble(self.model), "columns", None) else NAMES
        found = bound_score(
            read_ensemble(self.model), self.spec, columns=columns, rows=self.rows, values=self.values or None
        )
        exact = found.score.totals(self.spec, self.rows) / found.score.unit - found.shift
        return np.abs(exact.astype(float) - self.wanted).max()


def tiny(kind, seed):
    """Return a tiny model of a kind."""
    rng = random.Random(f"{kind} {seed}")
    unseen = rng.sample(GRADES, rng.choice((0, 0, 1, 3)))
    lacks = rng.choice((0, 0.2, 0.5))
    listed = kind not in TREES and rng.random() < 0.5
    table = drawn(rng, [one for one in GRADES if one not in unseen], lacks, listed=listed)
    labels = np.array([rng.random() < 0.5 for _ in table.index]).astype(int)
    labels[:2] = 0, 1
    coded = kind in TREES or kind.endswith("of codes")
    model = fitted(kind, rng, (in_codes if coded else as_categories)(table), labels)
    groups = (*GROUPS, None) if listed else GROUPS
    cells = pd.DataFrame([*itertools.product((None, *NUMBERS), (None, *GRADES), groups)], columns=[*NAMES])
    asked = in_codes(cells) if coded else as_categories(cells)
    known = unknown(in_codes(table).astype(object) if coded else table) if has_lists(kind) else {}
    rows = cells if not coded else in_codes(cells).astype(object)
    given = [{**row, "group": row["group"] or LISTED} for row in raw(rows)]
    under = spec(rng, coded=coded, numeric=kind in TREES, listed=listed)
    return Tiny(model, under, known, given, scores(model, asked))


def drawn(rng, grades, lacks, *, listed=False):
    """Return rows of a table, some of whose values are missing, with `listed` also of the group."""

    def one(values, may_miss=True):
        return None if may_miss and rng.random() < lacks else rng.choice(values)

    size = rng.randrange(12, 90)
    return pd.DataFrame([(one(NUMBERS), one(grades), one(GROUPS, listed)) for _ in range(size)], columns=[*NAMES])


def has_lists(kind):
    """Return whether models of a kind list the values of categories."""
    return kind not in TREES and kind != "lightgbm of codes"


def unknown(table):
    """Return the values that a model does not know, by feature."""
    seen = {name: {row[name] for row in raw(table)} - {None} for name in ("grade", "group")}
    codes = not seen["group"] <= {*GROUPS}
    values = {name: [*map(str, range(len(some)))] if codes else some for name, some in DOMAINS.items()}
    missing = {name: {one: "" for one in some if one not in seen[name]} for name, some in values.items()}
    return {name: some for name, some in missing.items() if some}


def as_categories(table):
    """Return a table with categories of pandas, of the values that stand in it, and numbers."""
    return table.astype({"x": float, "grade": "category", "group": "category"})


def in_codes(table):
    """Return a table of numbers: categories have the places of their values."""
    codes = {**{one: place for place, one in enumerate(GRADES)}, **{one: place for place, one in enumerate(GROUPS)}}
    return table.assign(grade=table["grade"].map(codes), group=table["group"].map(codes)).astype(float)


def fitted(kind, rng, table, labels):
    """Fit a model."""
    seed = rng.randrange(1000)
    if kind in TREES:
        model = TREES[kind]
        return type(model)(**model.get_params() | {"random_state": seed}).fit(table.to_numpy(), labels)
    if kind in ("histograms", "histograms of codes", "numbers"):
        own = HistGradientBoostingRegressor if kind == "numbers" else HistGradientBoostingClassifier
        by = [1, 2] if kind == "histograms of codes" else "from_dtype"
        model = own(
            max_iter=rng.randrange(2, 5), max_leaf_nodes=5, min_samples_leaf=2, categorical_features=by,
            early_stopping=False, random_state=seed,
        )  # fmt: skip
        return model.fit(table.to_numpy() if by != "from_dtype" else table, labels)
    options = {
        "objective": "binary", "num_leaves": 5, "min_data_in_leaf": 1, "min_data_per_group": 1, "cat_smooth": 0,
        "cat_l2": 0, "min_data_in_bin": 1, "min_sum_hessian_in_leaf": 0, "max_cat_to_onehot": rng.choice((1, 4)),
        "verbose": -1, "num_threads": 1, "seed": seed, "zero_as_missing": kind == "zeros",
        "use_missing": kind != "unused",
    }  # fmt: skip
    by = ["grade", "group"] if kind == "lightgbm of codes" else "auto"
    data = lightgbm.Dataset(table, labels, categorical_feature=by, params={"verbose": -1})
    return lightgbm.train(options, data, rng.randrange(2, 5))


def spec(rng, *, coded, numeric, listed=False):
    """Return a spec of the features: one-hot or ranked, values that can be missing and a sensitive category.

    With `listed` that category lists a missing value.
    """
    grades, groups = ([*map(str, range(4))], [*map(str, range(3))]) if coded else (GRADES, GROUPS)
    missing = Missing()
    x = Feature("x", "numeric", "scaled", False, range=("-1", "2"), whole=True, missing=missing)
    if numeric:
        grade = Feature("grade", "numeric", "scaled", False, range=("0", "3"), whole=True, missing=missing)
        return spec_of(x, grade, Feature("group", "numeric", "scaled", True, domain=tuple(groups)))
    groups = (*groups, LISTED) if listed else groups
    kinds = [rng.choice(("rank", "one-hot")) for _ in range(2)]
    return spec_of(
        x,
        Feature("grade", "categorical", kinds[0], False, domain=tuple(grades), missing=missing),
        Feature("group", "categorical", kinds[1], True, domain=tuple(groups)),
    )


def raw(table):
    """Return raw rows: None where a value is missing."""
    return [
        {
            name: None if pd.isna(value) else f"{value:g}" if isinstance(value, float) else str(value)
            for name, value in row.items()
        }
        for row in table.to_dict("records")
    ]


def scores(model, table):
    """Return what a library makes of rows: logits, or shares less one half."""
    if isinstance(model, lightgbm.Booster):
        return model.predict(table, raw_score=True)
    table = table if hasattr(model, "feature_names_in_") else table.to_numpy()
    if hasattr(model, "decision_function"):
        return model.decision_function(table)
    if hasattr(model, "predict_proba"):
        return model.predict_proba(table)[:, 1] - 0.5
    return model.predict(table) - 0.5
