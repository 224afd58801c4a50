"""A linear model on bins and categories is a scorecard: it jumps where the library's bins begin."""

import copy
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, KBinsDiscretizer, OneHotEncoder, OrdinalEncoder, StandardScaler
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
