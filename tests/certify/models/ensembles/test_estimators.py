"""Ensembles of scikit-learn: the score and every decision of the library, on all rows."""

import re

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import (
    AdaBoostClassifier,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from equiproof import import_model
from equiproof.certify.models.importing import ModelImportError
from tests.certify.models.ensembles.samples import COARSE, GIVEN, LABELS, ROWS, SPEC, imported, in_logits, unmoved
from tests.certify.models.importing.samples import COLUMNS
from tests.support import changed

NAMES = np.array(["declined", "granted"])
MODELS = {
    "boosting": lambda: GradientBoostingClassifier(n_estimators=30, max_depth=1),
    "without init": lambda: GradientBoostingClassifier(n_estimators=5, max_depth=1, init="zero"),
    "histogram": lambda: HistGradientBoostingClassifier(max_iter=40, max_depth=1),
    "forest": lambda: RandomForestClassifier(n_estimators=15, max_depth=1, random_state=0),
    "extra trees": lambda: ExtraTreesClassifier(n_estimators=15, max_depth=1, random_state=0),
    "one tree": lambda: DecisionTreeClassifier(max_depth=1),
    "votes": lambda: AdaBoostClassifier(n_estimators=20),
}
SCORES = {
    "boosting": lambda model, rows: model.decision_function(rows),
    "without init": lambda model, rows: model.decision_function(rows),
    "histogram": lambda model, rows: model.decision_function(rows),
    "forest": lambda model, rows: model.predict_proba(rows)[:, 1] - 0.5,
    "extra trees": lambda model, rows: model.predict_proba(rows)[:, 1] - 0.5,
    "one tree": lambda model, rows: model.predict_proba(rows)[:, 1] - 0.5,
    "votes": lambda model, rows: model.decision_function(rows),
}


@pytest.mark.parametrize("kind", MODELS)
def test_scores_and_decisions_are_those_of_the_library(kind):
    """The exact score is the library's, and no row of the training data is decided otherwise after rounding."""
    model = MODELS[kind]().fit(ROWS, NAMES[LABELS])
    found = imported(model)
    wanted = SCORES[kind](model, ROWS)
    np.testing.assert_allclose(unmoved(found), wanted, rtol=1e-9, atol=1e-9)
    committed = in_logits(found.model, SPEC)
    steps = len(COLUMNS) * 2.0**-found.model.value_fraction_bits
    np.testing.assert_allclose(committed, wanted, atol=steps + abs(float(found.shift)))
    sure = np.abs(wanted) > 1e-9
    assert ((committed > 0) == (model.predict(ROWS) == "granted"))[sure].all()
    assert sure.mean() > 0.9


def test_deeper_trees_of_one_column_are_additive():
    """A tree of depth 3 on a single column is a function of that column, whatever its depth."""
    model = DecisionTreeClassifier(max_depth=3).fit(ROWS[:, :1], LABELS)
    table = np.zeros_like(ROWS)
    table[:, 0] = ROWS[:, 0]
    wide = DecisionTreeClassifier(max_depth=3).fit(table, LABELS)
    found = imported(wide)
    assert wide.get_depth() == model.get_depth() == 3
    assert ((in_logits(found.model, SPEC) > 0) == wide.predict(ROWS)).all()


def test_a_split_for_missing_values_sends_every_complete_row_to_the_left():
    """Trained on missing values, the library splits at infinity; complete rows are decided as it decides them."""
    rows = ROWS.copy()
    rows[(np.arange(len(rows)) % 2 == 0) & (LABELS == 1), 3] = np.nan
    model = HistGradientBoostingClassifier(max_iter=40, max_depth=1).fit(rows, LABELS)
    thresholds = [
        node["num_threshold"] for stage in model._predictors for node in stage[0].nodes if not node["is_leaf"]
    ]
    assert np.isinf(thresholds).any()
    assert np.isfinite(thresholds).any()
    np.testing.assert_allclose(unmoved(imported(model)), model.decision_function(ROWS), atol=1e-9)


def test_a_table_names_the_columns_and_texts_the_classes():
    """An estimator that was fitted on a table binds by its own names, in any order; classes in the other order too."""
    order = ["sex", "years", "housing=rent", "income", "housing=own"]
    table = pd.DataFrame(ROWS, columns=list(COLUMNS))[order]
    model = GradientBoostingClassifier(n_estimators=10, max_depth=1).fit(table, NAMES[1 - LABELS])
    found = imported(model)
    assert found.columns == tuple(order)
    np.testing.assert_allclose(unmoved(found), model.decision_function(table), atol=1e-9)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (
            lambda: GradientBoostingClassifier(loss="exponential", max_depth=1),
            "train with loss='log_loss': loss 'exponential' is not read",
        ),
        (
            lambda: GradientBoostingClassifier(init=LogisticRegression(max_iter=2000), max_depth=1),
            "train with init=None: init is a model of its own",
        ),
        (
            lambda: HistGradientBoostingClassifier(categorical_features=[3], max_depth=1),
            "make 'years' a category of the spec, with the values that the model has",
        ),
        (lambda: AdaBoostClassifier(LogisticRegression(max_iter=2000)), "made of LogisticRegression"),
        (lambda: LogisticRegression(max_iter=2000), "not read as an ensemble"),
    ],
)
def test_what_is_not_read_is_refused_in_one_line(model, message):
    """Another loss, another start, a category that is a number in the spec, and other estimators."""
    with pytest.raises(ModelImportError, match=message):
        imported(model().fit(ROWS, LABELS))


def test_unfitted_and_several_classes_are_refused():
    """An estimator that was never fitted, and one of three classes."""
    with pytest.raises(ModelImportError, match="fit it first: it has learnt nothing yet"):
        imported(GradientBoostingClassifier())
    with pytest.raises(ModelImportError, match="train one decision of two classes"):
        imported(RandomForestClassifier(n_estimators=2).fit(ROWS, np.arange(len(ROWS)) % 3))


def test_single_precision_decides_as_the_library_where_doubles_would_not():
    """On a column near 1.6e9, where single floats are 128 apart, decisions on all rows are those of the library."""
    wide = SPEC.features[0]
    feature = type(wide)("income", "numeric", "scaled", False, mean="1600000000", scale="1000")
    spec = changed(SPEC, features=(feature, *SPEC.features[1:]), input_bits=40, input_fraction_bits=14)
    rng = np.random.default_rng(0)
    rows = ROWS.copy()
    rows[:, 0] = 1_600_000_000 + rng.integers(-2000, 2000, len(rows))
    labels = (rows[:, 0] + rng.normal(size=len(rows)) * 300 > 1_600_000_100).astype(int)
    model = GradientBoostingClassifier(n_estimators=50, max_depth=1).fit(rows, labels)
    given = [dict(row, income=int(value)) for row, value in zip(GIVEN, rows[:, 0], strict=True)]
    found = import_model(model, spec, columns=COLUMNS, rows=given)
    wanted = model.decision_function(rows)
    np.testing.assert_allclose(unmoved(found, given, spec), wanted, atol=1e-9)
    np.testing.assert_allclose(
        in_logits(found.quantised, spec, given), wanted, atol=5 * 2.0**-found.quantised.value_fraction_bits
    )
    trees = [one.tree_ for one in model.estimators_[:, 0]]
    doubled = sum(
        float(model.learning_rate) * tree.value[np.where(rows[:, tree.feature[0]] <= tree.threshold[0], 1, 2), 0, 0]
        for tree in trees
    )
    assert (np.abs(doubled + model._raw_predict_init(rows.astype("f4"))[:, 0] - wanted) > 1e-6).any()


def test_a_threshold_between_values_of_one_grid_point_is_refused():
    """Incomes of 3039 and 3040 are one integer of the coarse grid; the refusal names the coarsest grid that will do."""
    model = AdaBoostClassifier(n_estimators=20).fit(ROWS, LABELS)
    with pytest.raises(
        ModelImportError, match=r"'income': a threshold .* the same integer: use input_fraction_bits="
    ) as refused:
        imported(model, COARSE, input_fraction_bits=COARSE.input_fraction_bits)
    bits = int(re.search(r"input_fraction_bits=(\d+),", str(refused.value))[1])
    for finer in range(COARSE.input_fraction_bits + 1, bits):
        with pytest.raises(ModelImportError, match=f"input_fraction_bits={bits},"):
            imported(model, COARSE, input_fraction_bits=finer)
    assert imported(model, COARSE, input_fraction_bits=bits).model.input_fraction_bits == bits
    assert imported(model, COARSE).model.input_fraction_bits == bits


def test_a_threshold_that_no_grid_keeps_is_refused_without_a_number():
    """The columns of the spec are as wide as they can be, so that the grid cannot be finer."""
    model = AdaBoostClassifier(n_estimators=20).fit(ROWS, LABELS)
    with pytest.raises(ModelImportError, match=f"even {COARSE.input_fraction_bits} input_fraction_bits do not tell"):
        imported(model, changed(COARSE, input_bits=40))
