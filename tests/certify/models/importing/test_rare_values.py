"""Encoders that join rare values: networks, linear models and trees decide each value as the pipeline does."""

import copy

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler

from equiproof import import_model
from equiproof.certify.data.dataset import column_values
from equiproof.certify.models.ensembles import joined
from equiproof.certify.models.ensembles.reading import read_ensemble
from equiproof.certify.models.importing import ModelImportError, read_model
from tests.certify.models.ensembles.samples import in_logits

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning", "ignore:Found unknown")

RNG = np.random.default_rng(4)
SIZE = 400
TOWNS = ["Aachen", "Bonn", "Celle", "Daun", "Erfurt", "Fulda", "Gera"]
TABLE = pd.DataFrame(
    {
        "income": RNG.integers(500, 9000, SIZE),
        "town": RNG.choice(TOWNS, SIZE, p=[0.4, 0.03, 0.3, 0.02, 0.17, 0.05, 0.03]),
        "branch": RNG.choice([10, 20, 30, 40], SIZE, p=[0.6, 0.3, 0.06, 0.04]),
        "sex": RNG.choice(["female", "male"], SIZE),
    }
)
WEIGHT = {town: number for number, town in enumerate(TOWNS)}
SCORE = TABLE.income / 3000 + TABLE.town.map(WEIGHT) / 2 - (TABLE.sex == "male") * 0.6 + (TABLE.branch > 20)
DECISIONS = np.array(["refused", "granted"])[(SCORE + RNG.normal(size=SIZE) / 3 > 2.4).astype(int)]
EVERY = pd.DataFrame(
    [
        {"income": income, "town": town, "branch": branch, "sex": sex}
        for income in range(600, 9000, 2100)
        for town in TOWNS
        for branch in (10, 20, 30, 40)
        for sex in ("female", "male")
    ]
)

ENCODERS = {
    "share": lambda: OneHotEncoder(min_frequency=0.1),
    "number": lambda: OneHotEncoder(max_categories=3),
    "all rare": lambda: OneHotEncoder(max_categories=1),
    "count": lambda: OneHotEncoder(min_frequency=40, handle_unknown="infrequent_if_exist", sparse_output=False),
    "first dropped": lambda: OneHotEncoder(min_frequency=0.1, drop="first"),
    "a frequent one dropped": lambda: OneHotEncoder(min_frequency=0.1, drop=["Celle", 20]),
    "ranks": lambda: OrdinalEncoder(min_frequency=0.1),
    "ranks of few": lambda: OrdinalEncoder(max_categories=3),
    "ranks in an order": lambda: OrdinalEncoder(min_frequency=0.1, categories=[TOWNS[::-1], [10, 20, 30, 40]]),
}
LASTS = {
    "linear": LogisticRegression(max_iter=500),
    "network": MLPClassifier((5,), max_iter=150, random_state=0),
    "boosting": GradientBoostingClassifier(n_estimators=15, random_state=0),
    "forest": RandomForestClassifier(7, max_depth=4, random_state=1),
}


def fitted(encoder, last, *scalers):
    """Return a pipeline that joins rare towns and branches."""
    front = ColumnTransformer(
        [
            ("incomes", StandardScaler(), ["income"]),
            ("places", make_pipeline(encoder, *scalers) if scalers else encoder, ["town", "branch"]),
            ("sexes", OrdinalEncoder(), ["sex"]),
        ]
    )
    return make_pipeline(front, copy.deepcopy(last)).fit(TABLE, DECISIONS)


@pytest.mark.sampled(9, each="encoder last")
@pytest.mark.parametrize("encoder", ENCODERS)
@pytest.mark.parametrize("last", LASTS)
def test_every_value_is_decided_as_the_pipeline_decides_it(encoder, last):
    """All towns and branches with many incomes, rare ones among them: 0 of 224 rows are decided otherwise."""
    pipeline = fitted(ENCODERS[encoder](), LASTS[last])
    found = import_model(pipeline, TABLE, sensitive=["sex"])
    assert found.comparisons[0].counts.differing_integers == 0
    rows = EVERY.astype({"branch": str}).to_dict("records")
    labels = np.array(found.spec.labels)
    if last in ("linear", "network"):
        decided = found.network.decide(column_values(found.spec, rows))
    else:
        decided = (in_logits(found.quantised, found.spec, rows) > 0).astype(int)
    wanted = pipeline.predict(EVERY)
    assert (labels[decided] == wanted).all()
    assert len(set(wanted)) == 2


def test_joined_values_behind_a_scaler_are_asked_one_by_one():
    """A scaled indicator has two values, and trees part them wherever their threshold lies."""
    pipeline = fitted(OneHotEncoder(max_categories=2, sparse_output=False), LASTS["forest"], StandardScaler())
    found = import_model(pipeline, TABLE, sensitive=["sex"])
    decided = in_logits(found.quantised, found.spec, EVERY.astype({"branch": str}).to_dict("records")) > 0
    assert (np.array(found.spec.labels)[decided.astype(int)] == pipeline.predict(EVERY)).all()


def test_ranks_that_join_values_stand_last_in_a_spec_for_trees():
    """The spec's order is the encoder's, with all joined values behind; for a sum they are columns of their own."""
    trees = import_model(fitted(ENCODERS["ranks"](), LASTS["boosting"]), TABLE, sensitive=["sex"]).spec
    linear = import_model(fitted(ENCODERS["ranks"](), LASTS["linear"]), TABLE, sensitive=["sex"]).spec
    town, other = (next(one for one in spec.features if one.name == "town") for spec in (trees, linear))
    assert (town.encoding, town.domain[:3]) == ("rank", ("Aachen", "Celle", "Erfurt"))
    assert sorted(town.domain[3:]) == ["Bonn", "Daun", "Fulda", "Gera"]
    assert (other.encoding, other.domain) == ("one-hot", tuple(TOWNS))


def test_too_many_splits_are_refused_with_a_remedy(monkeypatch):
    """Trees that repeat their sides for each rare value have a limit; ranks have none, and are read."""
    pipeline = fitted(ENCODERS["all rare"](), LASTS["forest"])
    monkeypatch.setattr(joined, "MAX_NODES", 40)
    pipeline = fitted(OneHotEncoder(max_categories=2), LASTS["forest"])
    with pytest.raises(ModelImportError, match="encode the category with an OrdinalEncoder of the same min_frequency"):
        read_ensemble(pipeline)
    assert read_ensemble(fitted(OrdinalEncoder(max_categories=2), LASTS["forest"])).trees


HOSTILE = {
    "no categories": ({"categories_": []}, "categories of 0 columns, not 2"),
    "an empty category": ({"categories_": [np.array([], dtype=object), np.array([10, 20])]}, "or none"),
    "NaN": ({"categories_": [np.array(["a", np.nan], dtype=object), np.array([10, 20])]}, "fit it again"),
    "other rare ones": ({"_infrequent_indices": [np.array([0]), None]}, "encodes its own values otherwise"),
    "rare ones of one column": ({"_infrequent_indices": [np.array([0])]}, "fit it again"),
    "other codes": (
        {"_default_to_infrequent_mappings": [np.zeros(7, dtype=int), None]}, "encodes its own values otherwise"
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", HOSTILE)
def test_attributes_that_say_otherwise_than_the_encoder_does_are_refused_by_name(kind):
    """What is read of an encoder is held against what it makes of its own values."""
    attributes, said = HOSTILE[kind]
    pipeline = fitted(ENCODERS["share"](), LASTS["linear"])
    vars(pipeline[0].named_transformers_["places"]).update(attributes)
    with pytest.raises(ModelImportError, match=said) as caught:
        read_model(pipeline)
    assert "(ColumnTransformer), 'places'" in str(caught.value)
    assert len(str(caught.value)) <= 400
