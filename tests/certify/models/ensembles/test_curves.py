"""Trees behind what never falls: functions, powers, quantiles, bins and scalers that clip, decided as the pipeline."""

import copy
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import GradientBoostingClassifier, HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    KBinsDiscretizer,
    MaxAbsScaler,
    MinMaxScaler,
    OrdinalEncoder,
    PowerTransformer,
    QuantileTransformer,
    RobustScaler,
    StandardScaler,
)
from sklearn.tree import DecisionTreeClassifier

from equiproof import import_model
from equiproof.certify.data.dataset import encode_rows
from equiproof.certify.models.ensembles.imported import bound_score
from equiproof.certify.models.ensembles.reading import read_ensemble
from equiproof.certify.models.ensembles.scoring import committed_scores
from equiproof.certify.models.importing import ModelImportError
from equiproof.certify.models.importing.scalers import FUNCTIONS
from tests.certify.models.ensembles.samples import GIVEN, LABELS
from tests.certify.models.importing.samples import SPEC as SCALED
from tests.support import changed

INCOME = changed(SCALED.features[0], whole=True)
SPEC = changed(SCALED, features=(INCOME, *SCALED.features[1:]), input_fraction_bits=16, input_bits=30)
LOGGED = changed(INCOME, encoding="log", offset="1", mean="11.5", scale="1.4")
LOG_SPEC = changed(SPEC, features=(LOGGED, *SCALED.features[1:]))
TABLE = pd.DataFrame(GIVEN)[["income", "years", "sex"]]
EVERY = [row | {"income": income} for row, income in zip(GIVEN * 3, range(0, 9000, 9), strict=False)]
DRAWN = [
    row | {"income": float(income)}
    for row, income in zip(GIVEN, np.random.default_rng(5).uniform(1, 9000, 400), strict=True)
]

CURVES = {
    "root": FunctionTransformer(np.sqrt),
    "hyperbolic": FunctionTransformer(np.arcsinh),
    "log1p": FunctionTransformer(np.log1p),
    "log1p behind a scaler": make_pipeline(MinMaxScaler(), FunctionTransformer(np.log1p)),
    "root of a logarithm": make_pipeline(FunctionTransformer(np.log1p), FunctionTransformer(np.sqrt)),
    "power": PowerTransformer(),
    "power, not scaled": PowerTransformer(standardize=False),
    "power of positive numbers": make_pipeline(MinMaxScaler((1, 3)), PowerTransformer("box-cox")),
    "quantiles": QuantileTransformer(n_quantiles=40),
    "normal quantiles": QuantileTransformer(n_quantiles=40, output_distribution="normal"),
    "bins": KBinsDiscretizer(12, encode="ordinal"),
    "bins by width": KBinsDiscretizer(7, encode="ordinal", strategy="uniform"),
    "clipped": MinMaxScaler((0.2, 0.7), clip=True),
    "clipped at the largest": make_pipeline(StandardScaler(), MaxAbsScaler(clip=True)),
    "robust": RobustScaler(),
    "tangent of a root": make_pipeline(FunctionTransformer(np.sqrt), StandardScaler(), FunctionTransformer(np.tanh)),
}
BOOSTED = GradientBoostingClassifier(n_estimators=12, random_state=0)


def fitted(curve, last):
    """Return a pipeline with a curve before the income."""
    front = ColumnTransformer(
        [
            ("incomes", copy.deepcopy(curve), ["income"]),
            ("years", StandardScaler(), ["years"]),
            ("sexes", OrdinalEncoder(categories=[["m", "f"]]), ["sex"]),
        ]
    )
    return make_pipeline(front, copy.deepcopy(last)).fit(TABLE, LABELS)


def found_of(pipeline, spec=SPEC):
    """Return the imported pipeline."""
    return bound_score(read_ensemble(pipeline), spec, rows=GIVEN, unused=["housing"])


def assert_same(pipeline, found):
    """The committed integers decide known and whole numbers as the pipeline, the exact score all numbers."""
    for rows in (GIVEN, EVERY, DRAWN):
        wanted = pipeline.predict(pd.DataFrame(rows)[["income", "years", "sex"]])
        assert ((found.score.totals(found.spec, rows) > 0) == wanted).all()
        if rows is not DRAWN:
            assert ((committed_scores(found.model, encode_rows(found.spec, rows)) > 0) == wanted).all()
        assert 20 < int(wanted.sum()) < len(rows) - 20


@pytest.mark.parametrize("kind", CURVES)
@pytest.mark.filterwarnings("ignore:Bins whose width")
def test_thresholds_are_mapped_to_the_number_itself(kind):
    """Rows of the table, 1,000 whole numbers and 400 drawn ones: 0 are decided otherwise."""
    pipeline = fitted(CURVES[kind], BOOSTED)
    found = found_of(pipeline)
    assert found.columns[0] == "income"
    assert_same(pipeline, found)


@pytest.mark.sampled(3, each="kind last")
@pytest.mark.parametrize("kind", ["root", "quantiles", "root of a logarithm"])
@pytest.mark.parametrize("last", [HistGradientBoostingClassifier(max_iter=5), RandomForestClassifier(5, max_depth=4)])
def test_specs_with_the_logarithm_take_them_too(kind, last):
    """A threshold of the number is one of its logarithm, in doubles as in single precision."""
    pipeline = fitted(CURVES[kind], last)
    assert_same(pipeline, found_of(pipeline, LOG_SPEC))


def test_quantiles_of_a_feature_that_declares_no_numbers():
    """The library refuses a table without rows, and of such a feature only the rows are known."""
    pipeline = fitted(CURVES["quantiles"], BOOSTED)
    spec = changed(SPEC, features=SCALED.features)
    imported = bound_score(read_ensemble(pipeline), spec, rows=GIVEN, unused=["housing"])
    wanted = pipeline.predict(pd.DataFrame(GIVEN)[["income", "years", "sex"]])
    assert ((committed_scores(imported.model, encode_rows(spec, GIVEN)) > 0) == wanted).all()


@pytest.mark.parametrize("kind", ["root", "power", "normal quantiles", "bins"])
def test_rows_at_a_threshold_and_next_to_it_are_decided_as_the_pipeline_decides_them(kind):
    """Doubles to both sides of where the library changes its mind, and that double itself, are told apart."""
    tree = DecisionTreeClassifier(max_depth=3, random_state=0)
    pipeline = fitted(CURVES[kind], tree)
    found = found_of(pipeline)
    ends = [step.ray.end for step in found.score.by_column[0]]
    assert len(ends) > 1
    centre, scale = Fraction(SPEC.features[0].mean), Fraction(SPEC.features[0].scale)
    near = [float(centre + scale * end) for end in ends]
    near += [np.nextafter(one, way) for one in near for way in (-np.inf, np.inf)]
    rows = [row | {"income": one} for row in GIVEN[:6] for one in near]
    wanted = pipeline.predict(pd.DataFrame(rows)[["income", "years", "sex"]])
    assert ((found.score.totals(SPEC, rows) > 0) == wanted).all()


def test_a_function_that_falls_somewhere_is_not_on_the_list():
    """numpy's cube root, whose values of neighbors are in the other order on some machines."""
    tree = DecisionTreeClassifier(max_depth=3, random_state=0)
    with pytest.raises(ModelImportError, match=r"a FunctionTransformer of cbrt is not read: use np\.log, np\.log2"):
        read_ensemble(fitted(FunctionTransformer(np.cbrt), tree))


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda one: one.compute.__name__)
def test_every_function_on_the_list_never_falls(function):
    """On a million doubles in order, the values of a function ascend, and they are finite or at an end."""
    low = max(function.low, -600.0)
    numbers = np.sort(np.concatenate([np.linspace(low, 600, 500_000), low + np.geomspace(1e-9, 600, 500_000)]))
    values = function.compute(numbers)
    assert (np.diff(values) >= 0).all()
    assert np.isfinite(values).all()


def test_a_number_without_a_value_is_refused_with_its_feature():
    """A root of a negative number: the remedy, another range, is followed."""
    pipeline = fitted(CURVES["root"], BOOSTED)
    below = changed(SPEC, features=(changed(INCOME, range=("-5", "9000")), *SPEC.features[1:]))
    with pytest.raises(ModelImportError, match="'income': leave out rows with the number -5, or narrow the range"):
        found_of(pipeline, below)
    assert_same(pipeline, found_of(pipeline, changed(below, features=(INCOME, *SPEC.features[1:]))))


REMEDIES = {
    "root": (FunctionTransformer(np.sqrt), "compute the column in the table that the pipeline is fitted on"),
    "power": (PowerTransformer(), "compute the column in the table that the pipeline is fitted on"),
    "quantiles": (
        QuantileTransformer(n_quantiles=30),
        "compute the column in the table that the pipeline is fitted on",
    ),
}


@pytest.mark.parametrize("kind", REMEDIES)
def test_what_is_read_before_trees_only_is_refused_before_a_linear_model(kind):
    """The remedy is followed: the column is computed first, and the spec speaks of it."""
    curve, said = REMEDIES[kind]
    linear = LogisticRegression(max_iter=500)
    with pytest.raises(ModelImportError, match=f"is read before trees only: {said}") as caught:
        import_model(fitted(curve, linear), TABLE, sensitive=["sex"], labels=["no", "yes"])
    assert len(str(caught.value)) <= 400
    before = TABLE.assign(income=copy.deepcopy(curve).fit_transform(TABLE[["income"]]))
    front = ColumnTransformer([("n", StandardScaler(), ["income", "years"]), ("s", OrdinalEncoder(), ["sex"])])
    pipeline = make_pipeline(front, linear).fit(before, LABELS)
    found = import_model(pipeline, before, sensitive=["sex"], labels=["no", "yes"])
    assert found.comparisons[0].counts.differing_integers == 0


HOSTILE = {
    "lambdas are NaN": (PowerTransformer(), {"lambdas_": np.array([np.nan])}, "a number in lambdas_ is not finite"),
    "no lambdas": (PowerTransformer(), {"lambdas_": np.zeros(0)}, "lambdas_ has the shape 0, not 1"),
    "another method": (PowerTransformer(), {"method": "root"}, "fit it with box-cox or yeo-johnson"),
    "quantiles descend": (
        QuantileTransformer(n_quantiles=3), {"quantiles_": np.array([[3.0], [2.0], [1.0]])}, "descend, or are empty",
    ),
    "no quantiles": (
        QuantileTransformer(n_quantiles=3), {"quantiles_": np.zeros((0, 1)), "references_": np.zeros(0)}, "are empty",
    ),
    "other quantiles": (QuantileTransformer(n_quantiles=3), {"quantiles_": np.zeros((3, 2))}, "shape 3 x 2, not 3 x 1"),
    "edges descend": (
        KBinsDiscretizer(4, encode="ordinal"), {"bin_edges_": [np.array([0.0, 5, 4, 9])]}, "bin_edges_ do not ascend",
    ),
    "infinite edge": (
        KBinsDiscretizer(4, encode="ordinal"), {"bin_edges_": [np.array([0.0, np.inf, 9])]}, "bin_edges_ is not finite",
    ),
    "no edges": (KBinsDiscretizer(4, encode="ordinal"), {"bin_edges_": []}, "bin_edges_ of 0 columns, not 1"),
    "single bins": (KBinsDiscretizer(4, encode="ordinal", dtype=np.float32), {}, "fit it with dtype=None"),
    "another code": (KBinsDiscretizer(4, encode="ordinal"), {"encode": "grey"}, "fit it with encode='ordinal'"),
    "no range": (MinMaxScaler(clip=True), {"feature_range": None}, "feature_range are no numbers"),
    "a range of one": (MinMaxScaler(clip=True), {"feature_range": (1.0,)}, "feature_range has the shape 1, not 2"),
}  # fmt: skip


@pytest.mark.parametrize("kind", HOSTILE)
@pytest.mark.filterwarnings("ignore:.*quantile_method")
def test_attributes_of_wrong_shapes_and_numbers_are_refused_by_name(kind):
    """One line names the step and the attribute."""
    curve, attributes, said = HOSTILE[kind]
    pipeline = fitted(curve, DecisionTreeClassifier(max_depth=2))
    vars(pipeline[0].named_transformers_["incomes"]).update(attributes)
    with pytest.raises(ModelImportError, match=said) as caught:
        read_ensemble(pipeline)
    assert "step 'columntransformer' (ColumnTransformer), 'incomes'" in str(caught.value)
    assert len(str(caught.value)) <= 400
