"""Tiny models of real libraries are decided as by the library in every cell, missing values among them."""

import random

import numpy as np
import pandas as pd
import pytest
import xgboost
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder, OrdinalEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from equiproof.certify.models.ensembles.reading import read_ensemble
from equiproof.circuits.encodings.missing import LISTED
from tests.certify.models.ensembles.tiny_lacking import KINDS, NAMES, cells, differing, drawn, spec_for
from tests.sampling import blocks

pytestmark = pytest.mark.filterwarnings("ignore:Missing values detected", "ignore:JSON formats are in beta")


def frame(rows):
    """Return raw rows as a table: numbers, and texts, nan where a value is missing or listed as that."""
    table = pd.DataFrame(rows, columns=list(NAMES)).replace({"kind": {LISTED: None}})
    numbers = {name: pd.to_numeric(table[name]).astype(float) for name in ("income", "debt")}
    return table.assign(
        **numbers, kind=table.kind.astype(object).where(table.kind.notna(), np.nan), sex=table.sex.astype(object)
    )


def machine(seed):
    """Return a machine with one or two pairs; some never see a missing debt, or one of the kinds."""
    glassbox = pytest.importorskip("interpret.glassbox")
    rows, labels = drawn(seed)
    dice = random.Random(seed)
    unseen = dice.random() < 0.3
    complete = dice.random() < 0.3
    kept = [
        not (unseen and row["kind"] == KINDS[2]) and not (complete and row["debt"] is None) for row in rows
    ]  # fmt: skip
    pairs = dice.sample([("income", "kind"), ("income", "debt"), ("kind", "sex"), ("debt", "kind")], 2)
    model = glassbox.ExplainableBoostingClassifier(
        interactions=pairs, max_rounds=6, outer_bags=1, n_jobs=1, max_bins=4, learning_rate=0.3, min_samples_leaf=1,
        max_interaction_bins=3, random_state=seed, validation_size=0, missing=dice.choice(["separate", "low", "high"]),
    )  # fmt: skip
    types = ["continuous", "nominal", "continuous", "nominal"]
    model.feature_types = types
    return model.fit(frame(rows)[kept], labels[kept]), {"kind": {KINDS[2]: ""}} if unseen else {}


def machines(seeds):
    """Return what is wrong with the machines of these seeds."""
    wrong = {}
    for seed in seeds:
        model, values = machine(seed)
        spec = spec_for(seed)
        rows = cells(spec)
        said = differing(read_ensemble(model), spec, rows, model.decision_function(frame(rows)), values=values)
        if said:
            wrong[seed] = said
    return wrong


def test_machines_give_missing_values_the_score_of_their_bin():
    """Numbers and categories of either encoding, alone and in pairs, with the bins of unknown values."""
    assert not machines(range(4))


def numbers_before(dice):
    """Return steps before numbers: an imputer of any strategy, with or without indicators, and perhaps a scaler."""
    strategy = dice.choice(["mean", "median", "most_frequent", "constant"])
    constant = dice.choice([-1, 0, 1.5, 9])
    imputer = SimpleImputer(strategy=strategy, fill_value=constant, add_indicator=dice.random() < 0.5)
    return [imputer, *dice.choice([[], [StandardScaler()], [MinMaxScaler(), StandardScaler()]])]


def pipeline(seed):
    """Return trees behind imputers, scalers and encoders, and what scores them."""
    rows, labels = drawn(seed)
    dice = random.Random(seed)
    spec = spec_for(seed)
    one_hot = next(one for one in spec.features if one.name == "kind").encoding == "one-hot"
    listed = next(one for one in spec.features if one.name == "kind").lists_missing
    filled = "constant" if listed else dice.choice(["most_frequent", "constant"]) if one_hot else "most_frequent"
    encoder = (
        OneHotEncoder(handle_unknown="ignore")
        if one_hot
        else OrdinalEncoder(categories=[[*KINDS, LISTED] if listed else list(KINDS)])
    )
    before = ColumnTransformer([
        ("income", make_pipeline(*numbers_before(dice)), ["income"]),
        ("debt", make_pipeline(*numbers_before(dice)), ["debt"]),
        ("kind", make_pipeline(SimpleImputer(strategy=filled, fill_value=LISTED if listed else "none"), encoder),
         ["kind"]),
        ("sex", OrdinalEncoder(), ["sex"]),
    ], sparse_threshold=0)  # fmt: skip
    small = {"max_depth": 3, "random_state": seed}
    last, score = dice.choice([
        (RandomForestClassifier(3, **small), lambda model, table: model.predict_proba(table)[:, 1] - 0.5),
        (GradientBoostingClassifier(n_estimators=3, learning_rate=0.5, **small), decided),
        (DecisionTreeClassifier(**small), lambda model, table: model.predict_proba(table)[:, 1] - 0.5),
        (xgboost.XGBClassifier(n_estimators=3, n_jobs=1, max_depth=3, learning_rate=0.5, min_child_weight=0), margins),
    ])  # fmt: skip
    return make_pipeline(before, last).fit(frame(rows), labels), spec, score


def decided(model, table):
    """Return scikit-learn's own scores."""
    return model.decision_function(table)


def margins(model, table):
    """Return XGBoost's own scores behind the steps before it."""
    return model[-1].predict(model[:-1].transform(table), output_margin=True)


def pipelines(seeds):
    """Return what is wrong with the pipelines of these seeds."""
    wrong = {}
    for seed in seeds:
        model, spec, score = pipeline(seed)
        rows = cells(spec)
        if said := differing(read_ensemble(model), spec, rows, score(model, frame(rows))):
            wrong[seed] = said
    return wrong


def test_trees_behind_imputers_send_a_missing_value_where_its_fill_goes():
    """Each strategy, indicators and their scaling, categories that a text stands for, alone or among the values."""
    assert not pipelines(range(24))


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("seeds", blocks(1000, 25))
def test_a_thousand_tiny_machines_and_pipelines(seeds):
    """Every cell of each."""
    seeds = range(1000 + seeds.start, 1000 + seeds.stop)
    assert not machines(seeds)
    assert not pipelines(seeds)
