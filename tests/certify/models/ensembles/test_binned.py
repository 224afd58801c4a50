"""A linear model on bins and categories is a scorecard: it jumps where the library's bins begin."""

import copy
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    KBinsDiscretizer,
    OneHotEncoder,
    OrdinalEncoder,
    PowerTransformer,
    StandardScaler,
)
from sklearn.tree import DecisionTreeClassifier

from equiproof import import_model
from equiproof.certify.additive import AdditiveModel
from equiproof.certify.models.ensembles.imported import bound_score
from equiproof.certify.models.ensembles.reading import read_ensemble
from equiproof.certify.models.importing import ModelImportError, read_model
from tests.certify.models.ensembles.samples import in_logits

pytestmark = pytest.mark.filterwarnings("ignore:Bins whose width", "ignore:.*quantile_method")

RNG = np.random.default_rng(8)
SIZE = 500
TABLE = pd.DataFrame(
    {
        "income": RNG.integers(500, 9000, SIZE),
        "rate": RNG.uniform(1, 9, SIZE).round(3),
        "town": RNG.choice(["Aachen", "Bonn", "Celle", "Daun"], SIZE, p=[0.5, 0.4, 0.06, 0.04]),
        "grade": RNG.choice(["a", "b", "c"], SIZE),
        "sex": RNG.choice(["female", "male"], SIZE),
    }
)
SCORE = TABLE.income / 2000 - TABLE.rate / 3 + (TABLE.town == "Bonn") - (TABLE.sex == "male") * 0.7
DECISIONS = np.array(["refused", "granted"])[(SCORE + RNG.normal(size=SIZE) / 2 > 0.9).astype(int)]
LINEAR = LogisticRegression(max_iter=300)

BINS = {
    "one-hot": lambda: KBinsDiscretizer(6),
    "dense one-hot by width": lambda: KBinsDiscretizer(5, encode="onehot-dense", strategy="uniform"),
    "ordinal": lambda: KBinsDiscretizer(7, encode="ordinal"),
    "ordinal, scaled": lambda: make_pipeline(KBinsDiscretizer(7, encode="ordinal"), StandardScaler()),
    "behind a scaler": lambda: make_pipeline(StandardScaler(), KBinsDiscretizer(6)),
    "two bins": lambda: KBinsDiscretizer(2),
    "of clusters": lambda: KBinsDiscretizer(4, strategy="kmeans", random_state=0),
}


def fitted(bins, last=LINEAR, **more):
    """Return a pipeline with income and rate in bins, and one-hot and ranked categories; `more` are other parts."""
    parts = {
        "numbers": (bins, ["income", "rate"]),
        "towns": (OneHotEncoder(min_frequency=0.1), ["town"]),
        "grades": (OrdinalEncoder(), ["grade"]),
        "sexes": (OneHotEncoder(drop="first"), ["sex"]),
    } | more
    front = ColumnTransformer([(name, *part) for name, part in parts.items()])
    return make_pipeline(front, copy.deepcopy(last)).fit(TABLE, DECISIONS)


def at_edges(pipeline, beside):
    """Return rows at each edge of the income's bins, with the numbers beside it, and drawn ones."""
    part = pipeline[0].named_transformers_["numbers"]
    steps = [step for _, step in part.steps] if hasattr(part, "steps") else [part]
    edges = next(step for step in steps if isinstance(step, KBinsDiscretizer)).bin_edges_[0][1:-1]
    if isinstance(steps[0], StandardScaler):
        edges = edges * steps[0].scale_[0] + steps[0].mean_[0]
    near = np.concatenate([edges, beside(edges, -1), beside(edges, 1), np.linspace(0, 9999, 100)])
    rows = TABLE.iloc[np.arange(len(near)) % SIZE].reset_index(drop=True)
    return rows.assign(income=near)


@pytest.mark.parametrize("kind", BINS)
def test_bins_and_categories_decide_as_the_pipeline(kind):
    """Rows of the table, rows at every edge and beside it, and drawn ones: 0 are decided otherwise."""
    pipeline = fitted(BINS[kind]())
    found = import_model(pipeline, TABLE, sensitive=["sex"])
    assert isinstance(found.quantised, AdditiveModel)
    assert found.comparisons[0].counts.differing_integers == 0
    rows = at_edges(pipeline, lambda edges, way: np.nextafter(edges, way * np.inf))
    chances = pipeline.predict_proba(rows)[:, 1]
    totals = found.score.totals(found.spec, rows.to_dict("records"))
    ours = np.array([float(Fraction(int(one), found.score.unit)) for one in totals])
    np.testing.assert_allclose(ours, np.log(chances / (1 - chances)), atol=1e-9)
    # The integers tell numbers apart that are a thousandth of an income apart, and decide the edges themselves alike.
    rows = at_edges(pipeline, lambda edges, way: edges + way / 100)
    given = rows.to_dict("records")
    exact = bound_score(read_ensemble(pipeline), _finest(found.spec), rows=given)
    decided = in_logits(exact.model, exact.spec, given) > 0
    assert ((pipeline.predict(rows) == exact.spec.labels[1]) == decided).all()
    assert len(set(decided)) == 2


def _finest(spec):
    """Return a spec with as fine a grid as there is."""
    from equiproof.certify.data.spec_builder import most_fraction_bits, with_fraction_bits

    return with_fraction_bits(spec, most_fraction_bits(spec))


def test_bins_alone_need_no_names():
    """A pipeline that was fitted on plain numbers has bins as its only step; three classes are refused."""
    pipeline = make_pipeline(KBinsDiscretizer(5), SGDClassifier(random_state=0))
    numbers = TABLE[["income", "rate"]].assign(sex=(TABLE.sex == "male").astype(int))
    pipeline.fit(numbers.to_numpy(), DECISIONS)
    found = import_model(pipeline, numbers, sensitive=["sex"], columns=["income", "rate", "sex"])
    assert found.comparisons[0].counts.differing_integers == 0
    three = make_pipeline(KBinsDiscretizer(5), LINEAR).fit(numbers, np.arange(SIZE) % 3)
    with pytest.raises(ModelImportError, match="only one decision of two classes is read on bins"):
        read_ensemble(three)


def test_a_number_beside_bins_is_refused_and_with_bins_read():
    """The remedy is followed: bins before each number, or before none."""
    numbers = {"numbers": (KBinsDiscretizer(6), ["income"]), "rates": (StandardScaler(), ["rate"])}
    mixed = fitted(None, **numbers)
    with pytest.raises(ModelImportError, match="column 'rate' is a number beside others in bins") as caught:
        import_model(mixed, TABLE, sensitive=["sex"])
    assert len(str(caught.value)) <= 400
    curved = fitted(None, **numbers | {"rates": (FunctionTransformer(np.sqrt), ["rate"])})
    with pytest.raises(ModelImportError, match="column 'rate' is a number beside others in bins"):
        import_model(curved, TABLE, sensitive=["sex"])
    for numbers["rates"] in ((KBinsDiscretizer(4, encode="ordinal"), ["rate"]),):
        found = import_model(fitted(None, **numbers), TABLE, sensitive=["sex"])
        assert found.comparisons[0].counts.differing_integers == 0
    none = fitted(StandardScaler())
    assert import_model(none, TABLE, sensitive=["sex"]).comparisons[0].counts.differing == 0


def test_bins_in_columns_before_trees_are_refused_and_ordinal_ones_read():
    """An indicator of a bin in the middle does not ascend; the remedy is followed."""
    tree = DecisionTreeClassifier(max_depth=4, random_state=0)
    with pytest.raises(
        ModelImportError, match=r"put numbers into bins with encode='ordinal': .* not made of a single input"
    ):
        import_model(fitted(KBinsDiscretizer(9), tree), TABLE, sensitive=["sex"])
    found = import_model(fitted(KBinsDiscretizer(9, encode="ordinal"), tree), TABLE, sensitive=["sex"])
    assert found.comparisons[0].counts.differing_integers == 0


def test_readers_of_networks_name_the_way():
    """A linear model on bins is no network, and one without bins no scorecard."""
    with pytest.raises(ModelImportError, match=r"import it with equiproof\.import_model: a .* on bins is a scorecard"):
        read_model(fitted(KBinsDiscretizer(6)))
    with pytest.raises(ModelImportError, match="not read as an ensemble: import it as a network, with import_model"):
        read_ensemble(fitted(StandardScaler()))


def lacking(seed):
    """Return the table with every way of lacking an income, a rate and a town, beside complete rows."""
    rng = np.random.default_rng(seed)
    gone = TABLE.copy()
    for name in ("income", "rate", "town"):
        gone[name] = gone[name].astype(object if name == "town" else float)
        gone.loc[rng.random(SIZE) < 0.3, name] = np.nan
    return gone


@pytest.mark.parametrize(
    "towns",
    [OneHotEncoder(), make_pipeline(SimpleImputer(strategy="most_frequent"), OrdinalEncoder())],
    ids=["a column of the encoder", "the most frequent rank"],
)
@pytest.mark.parametrize("steps", [
    (SimpleImputer(add_indicator=True), KBinsDiscretizer(5)),
    (SimpleImputer(strategy="median"), KBinsDiscretizer(6, encode="ordinal"), StandardScaler()),
    (SimpleImputer(strategy="constant", fill_value=-1), StandardScaler(), KBinsDiscretizer(4)),
], ids=["indicators", "medians", "a number below all"])  # fmt: skip
def test_a_missing_value_is_in_the_bin_of_what_an_imputer_fills_in(steps, towns):
    """Each way of lacking values, also those that no training had: the points are the library's."""
    table = lacking(1)
    parts = [("numbers", make_pipeline(*steps), ["income", "rate"]), ("towns", towns, ["town"])]
    front = ColumnTransformer([*parts, ("sexes", OneHotEncoder(drop="first"), ["sex"])])
    pipeline = make_pipeline(front, copy.deepcopy(LINEAR)).fit(table, DECISIONS)
    names = ["income", "rate", "town"]
    found = import_model(pipeline, table, sensitive=["sex"], missing=names, levels="exact")
    assert isinstance(found.quantised, AdditiveModel)
    assert found.comparisons[0].counts.differing_integers == 0
    assert set(found.columns) <= {*names, "sex", "sex=female", "sex=male", *(f"town={one}" for one in set(TABLE.town))}
    others = lacking(2)
    rows = [
        {name: None if value != value else value for name, value in row.items()} for row in others.to_dict("records")
    ]
    totals = found.score.totals(found.spec, rows)
    ours = np.array([float(Fraction(int(one), found.score.unit)) for one in totals])
    turned = 1 if found.spec.labels[1] == pipeline.classes_[1] else -1
    np.testing.assert_allclose(ours, turned * pipeline.decision_function(others), atol=1e-9)


def test_a_rank_that_no_value_has_says_nothing_beside_bins():
    """A linear model multiplies it; a score that jumps between ranks does not."""
    table = lacking(1)
    numbers = make_pipeline(SimpleImputer(), KBinsDiscretizer(5))
    parts = [("numbers", numbers, ["income", "rate"]), ("towns", OrdinalEncoder(encoded_missing_value=-1), ["town"])]
    front = ColumnTransformer([*parts, ("sexes", OneHotEncoder(drop="first"), ["sex"])])
    pipeline = make_pipeline(front, copy.deepcopy(LINEAR)).fit(table, DECISIONS)
    with pytest.raises(ModelImportError, match="leave missing out of feature 'town'"):
        import_model(pipeline, table, sensitive=["sex"], missing=["income", "rate", "town"])


def test_what_shows_a_missing_value_is_named_as_its_mark_is():
    """The name that the program has for it is not shown."""
    table = lacking(1)
    numbers = make_pipeline(SimpleImputer(add_indicator=True), PowerTransformer(standardize=False))
    front = ColumnTransformer([("income", numbers, ["income"]), ("rate", KBinsDiscretizer(5), ["rate"])])
    pipeline = make_pipeline(front, copy.deepcopy(LINEAR)).fit(table.fillna({"rate": 0}), DECISIONS)
    pipeline[-1].coef_[0, 0] = 0
    with pytest.raises(ModelImportError, match=r"^column 'missing\(income\)' is a number beside others in bins"):
        read_ensemble(pipeline)
