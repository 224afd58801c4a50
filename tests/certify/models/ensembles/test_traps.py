"""Where libraries differ from what their files suggest: casts, ties at thresholds, missing values, starts, wrappers."""

import json

import lightgbm
import numpy as np
import pytest
import xgboost
from sklearn.calibration import CalibratedClassifierCV
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures
from sklearn.tree import DecisionTreeClassifier, ExtraTreeClassifier

from equiproof import import_model
from equiproof.certify.models.ensembles.ensemble import BEYOND
from equiproof.certify.models.ensembles.reading import read_ensemble
from equiproof.certify.models.importing import ModelImportError
from tests.certify.models.ensembles.samples import GIVEN, LABELS, ROWS, SPEC, imported, unmoved
from tests.certify.models.ensembles.test_files import FEATURES, extreme, light, machine
from tests.certify.models.importing.samples import COLUMNS
from tests.support import changed

LIGHT = {"n_estimators": 6, "num_leaves": 6, "verbose": -1, "n_jobs": 1}
MODELS = {
    "interpret": machine,
    "lightgbm": lambda: lightgbm.LGBMClassifier(**LIGHT),
    "lightgbm rf": lambda: lightgbm.LGBMClassifier(boosting_type="rf", bagging_freq=1, bagging_fraction=0.5, **LIGHT),
    "lightgbm dart": lambda: lightgbm.LGBMClassifier(boosting_type="dart", drop_rate=0.5, skip_drop=0.0, **LIGHT),
    "xgboost": lambda: xgboost.XGBClassifier(n_estimators=6, max_depth=3, n_jobs=1),
    "xgboost exact": lambda: xgboost.XGBClassifier(n_estimators=6, max_depth=3, n_jobs=1, tree_method="exact"),
    "xgboost forest": lambda: xgboost.XGBRFClassifier(n_estimators=6, max_depth=3, n_jobs=1),
    "gradient": lambda: GradientBoostingClassifier(n_estimators=6, random_state=0),
    "histogram": lambda: HistGradientBoostingClassifier(max_iter=6, max_leaf_nodes=6, early_stopping=False),
    "forest": lambda: RandomForestClassifier(n_estimators=6, max_depth=4, random_state=0),
    "extra trees": lambda: ExtraTreesClassifier(n_estimators=6, max_depth=4, random_state=0),
    "tree": lambda: DecisionTreeClassifier(max_depth=5, random_state=0),
    "extra tree": lambda: ExtraTreeClassifier(max_depth=5, random_state=0),
    "votes": lambda: AdaBoostClassifier(DecisionTreeClassifier(max_depth=2), n_estimators=6, random_state=0),
}
TAKES_MISSING = sorted(set(MODELS) - {"gradient", "votes"})
"""What can be trained on rows with missing values."""


def fitted(kind, rows=ROWS, labels=LABELS):
    """Train a model."""
    if kind == "interpret":
        return machine(rows, labels, max_rounds=5, outer_bags=1)
    return MODELS[kind]().fit(rows, labels)


def incomplete(share):
    """Return rows of which so many with label 1 miss a number."""
    rows = ROWS.copy()
    rows[(LABELS == 1) & (np.arange(len(rows)) % 10 < 10 * share), 3] = np.nan
    return rows


def margins(kind, model, rows):
    """Return the library's own score of rows, of LightGBM's forests the logit of what they predict."""
    if kind.startswith("xgboost"):
        return model.predict(rows, output_margin=True)
    if kind == "lightgbm rf":
        share = model.predict_proba(rows)[:, 1]
        return np.log(share / (1 - share))
    if kind.startswith("lightgbm"):
        return model.predict(rows, raw_score=True)
    if hasattr(model, "decision_function"):
        return model.decision_function(rows)
    return model.predict_proba(rows)[:, 1] - 0.5


def within(kind):
    """Return how far margins may be off: XGBoost adds in single precision, the others in double."""
    return 2e-5 if kind.startswith("xgboost") else 1e-9


@pytest.mark.parametrize("kind", MODELS)
def test_rows_at_a_threshold_and_next_to_it_take_the_side_of_the_library(kind):
    """`<` or `<=`, and the last number that is cast to the threshold: neighbors in both precisions."""
    model = fitted(kind)
    splits = [split for tree in read_ensemble(model).trees for split in tree.splits if split.threshold != BEYOND]
    thresholds = {float(one.threshold) for one in splits if one.column == 0}
    near = [
        number
        for threshold in thresholds
        for single in (np.float32(threshold), np.nextafter(np.float32(threshold), np.float32(np.inf)))
        for start in (threshold, float(single), (threshold + float(single)) / 2)
        for number in (start, np.nextafter(start, np.inf), np.nextafter(start, -np.inf))
    ]
    assert len(thresholds) >= 2
    rows = np.repeat(ROWS[:1], len(near), axis=0)
    rows[:, 0] = near
    given = [dict(GIVEN[0], income=repr(float(number))) for number in near]
    np.testing.assert_allclose(unmoved(imported(model), given), margins(kind, model, rows), atol=within(kind))


@pytest.mark.parametrize("kind", MODELS)
def test_columns_that_single_precision_joins_are_compared_as_the_library_does(kind):
    """Near 1.6e9 single floats are 128 apart: some libraries cast rows before they compare, others do not."""
    feature = type(SPEC.features[0])("income", "numeric", "scaled", False, mean="1600000000", scale="1000")
    spec = changed(SPEC, features=(feature, *SPEC.features[1:]), input_bits=40)
    rng = np.random.default_rng(0)
    rows = ROWS.copy()
    rows[:, 0] = 1_600_000_000 + rng.integers(-2000, 2000, len(rows))
    labels = (rows[:, 0] + rng.normal(size=len(rows)) * 300 > 1_600_000_100).astype(int)
    model = fitted(kind, rows, labels)
    given = [dict(row, income=int(value)) for row, value in zip(GIVEN, rows[:, 0], strict=True)]
    named = {} if kind == "interpret" else {"columns": COLUMNS}
    found = import_model(model, spec, rows=given, **named)
    np.testing.assert_allclose(unmoved(found, given, spec), margins(kind, model, rows), atol=within(kind))


@pytest.mark.sampled(12, each="kind share")
@pytest.mark.parametrize("kind", TAKES_MISSING)
@pytest.mark.parametrize("share", [0.5, 0.9])
def test_complete_rows_are_decided_alike_by_models_that_saw_missing_values(kind, share):
    """Directions of missing values, and splits that only part them from the others, change no complete row."""
    model = fitted(kind, incomplete(share))
    np.testing.assert_allclose(unmoved(imported(model)), margins(kind, model, ROWS), atol=within(kind))


def test_trees_split_at_infinity_where_a_value_is_missing():
    """The case above is there in three libraries: such a split is folded to its left side."""
    model = fitted("tree", incomplete(0.9))
    assert np.isinf(model.tree_.threshold).any()
    model = fitted("histogram", incomplete(0.9))
    assert any(np.isinf(stage[0].nodes["num_threshold"]).any() for stage in model._predictors)
    assert "threshold=inf" in fitted("lightgbm", incomplete(0.9)).booster_.model_to_string()


@pytest.mark.parametrize("strategy", ["prior", "uniform"])
def test_boosting_starts_from_the_share_of_its_own_first_model(strategy):
    """The share of a constant first model need not be that of the training rows."""
    model = GradientBoostingClassifier(n_estimators=5, init=DummyClassifier(strategy=strategy))
    model.fit(ROWS[:150], LABELS[:150])
    assert LABELS[:150].mean() != 0.5
    np.testing.assert_allclose(unmoved(imported(model)), model.decision_function(ROWS), atol=1e-9)


@pytest.mark.parametrize("kind", ["lightgbm", "gradient", "histogram"])
def test_models_that_were_stopped_early_are_what_the_library_uses(kind):
    """Files and objects hold no tree behind the last one in use."""
    noisy = np.where(np.random.default_rng(3).random(len(LABELS)) < 0.3, 1 - LABELS, LABELS)
    if kind == "lightgbm":
        model = lightgbm.LGBMClassifier(n_estimators=60, num_leaves=4, learning_rate=1.0, verbose=-1, n_jobs=1)
        stop = lightgbm.early_stopping(3, verbose=False)
        model.fit(ROWS[:250], noisy[:250], eval_set=[(ROWS[250:], noisy[250:])], callbacks=[stop])
        assert model.best_iteration_ < 60
    elif kind == "gradient":
        model = GradientBoostingClassifier(n_estimators=60, n_iter_no_change=2, random_state=0).fit(ROWS, noisy)
        assert len(model.estimators_) < 60
    else:
        model = HistGradientBoostingClassifier(max_iter=60, early_stopping=True, random_state=0).fit(ROWS, noisy)
        assert model.n_iter_ < 60
    np.testing.assert_allclose(unmoved(imported(model)), margins(kind, model, ROWS), atol=1e-9)


@pytest.mark.parametrize("written", ["[2E-1]", "2E-1"])
def test_base_score_is_read_as_a_list_and_as_a_number(tmp_path, written):
    """Since version 3 it is text in a list; older files have the number alone."""
    path = tmp_path / "model.json"
    model = extreme(4, base_score=0.2)
    model.save_model(path)
    document = json.loads(path.read_text())
    assert document["learner"]["learner_model_param"]["base_score"] == "[2E-1]"
    document["learner"]["learner_model_param"]["base_score"] = written
    path.write_text(json.dumps(document))
    table = xgboost.DMatrix(ROWS, feature_names=FEATURES)
    np.testing.assert_allclose(unmoved(imported(path)), model.predict(table, output_margin=True), atol=2e-5)


def old_votes():
    """Return votes that say of themselves that they add logarithms of shares, as versions before 1.6 could."""
    model = AdaBoostClassifier(n_estimators=3).fit(ROWS, LABELS)
    model.algorithm = "SAMME.R"
    return model


FOREST = RandomForestClassifier(n_estimators=3, max_depth=2, random_state=0)
REFUSED = {
    "calibrated": (
        lambda: CalibratedClassifierCV(FOREST).fit(ROWS, LABELS),
        r"fit it with ensemble=False, or calibrate one fitted model, Frozen.*: it is the mean of 5 cal",
    ),
    "pipeline": (
        lambda: make_pipeline(PolynomialFeatures(2), FOREST).fit(ROWS, LABELS),
        r"step 'polynomialfeatures' \(PolynomialFeatures\): only StandardScaler, MinMaxScaler,",
    ),
    "bagging": (lambda: BaggingClassifier(n_estimators=2).fit(ROWS, LABELS), "a BaggingClassifier .*: train a Random"),
    "zeros are missing": (
        lambda: xgboost.XGBClassifier(n_estimators=2, missing=0, n_jobs=1).fit(ROWS, LABELS),
        "XGBClassifier: train with missing=nan: it takes 0 for missing",
    ),
    "vector leaves": (
        lambda: xgboost.XGBClassifier(multi_strategy="multi_output_tree", n_estimators=2, n_jobs=1).fit(
            ROWS, np.stack([LABELS, 1 - LABELS], axis=1)
        ),
        "train one decision of two classes: several classes or targets at once",
    ),
    "drawn start": (
        lambda: GradientBoostingClassifier(n_estimators=2, init=DummyClassifier(strategy="stratified")).fit(
            ROWS, LABELS
        ),
        "train with init=None: init draws its shares by strategy 'stratified'",
    ),
    "SAMME.R": (old_votes, "train with algorithm='SAMME': 'SAMME.R' adds logarithms of shares"),
    "bytes": (
        lambda: DecisionTreeClassifier(max_depth=2).fit(ROWS, np.where(LABELS > 0, b"1", b"0")),
        "fit it on names of labels: its classes are neither texts nor whole numbers",
    ),
    "three features": (lambda: machine(interactions=[(0, 3, 4)]), "the term of income and years and sex has more than"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_decides_otherwise_than_its_trees_is_refused_with_a_way_out(case):
    """Wrappers, numbers that mean missing, starts that are drawn, several outputs: objects of the real libraries."""
    make, message = REFUSED[case]
    with pytest.raises(ModelImportError, match=message):
        imported(make())


@pytest.mark.parametrize(
    ("name", "write", "message"),
    [
        ("a.txt", lambda path: extreme(2).dump_model(path), r"text dump of XGBoost .* use save_model\('model.json'\)"),
        ("b.txt", lambda path: path.write_text("".join(extreme(2).get_dump())), "text dump of XGBoost"),
        ("c.json", lambda path: extreme(2).dump_model(path, dump_format="json"), "JSON dump of XGBoost"),
        ("d.json", lambda path: path.write_text(json.dumps(light(2).dump_model())), "JSON dump of LightGBM"),
    ],
)
def test_dumps_for_people_are_refused_by_name(tmp_path, name, write, message):
    """They lack what a score needs; each names the call that writes a model."""
    write(tmp_path / name)
    with pytest.raises(ModelImportError, match=message) as refused:
        read_ensemble(tmp_path / name)
    assert str(refused.value).startswith(f"{tmp_path / name}: ")


def test_a_feature_may_be_called_like_the_part_of_another_file(tmp_path):
    """What a JSON file is follows from its outermost names, and from nothing within."""
    table = xgboost.DMatrix(ROWS, LABELS, feature_names=["ebm", "tree_info", *FEATURES[2:]])
    xgboost.train({"objective": "binary:logistic", "nthread": 1}, table, 2).save_model(tmp_path / "model.json")
    assert read_ensemble(tmp_path / "model.json").kind == "xgboost"
