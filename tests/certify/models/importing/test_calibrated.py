"""Calibrated classifiers: one cut of the score inside, where the library's own probability passes one half."""

import copy

import numpy as np
import pandas as pd
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import (
    AdaBoostClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.model_selection import FixedThresholdClassifier, TunedThresholdClassifierCV
from sklearn.naive_bayes import GaussianNB
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KBinsDiscretizer, OrdinalEncoder, StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from equiproof import import_model
from equiproof.certify.data.dataset import column_values
from equiproof.certify.models.importing import ModelImportError, read_model
from equiproof.certify.models.importing.fronts import read_front

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning", "ignore:Bins whose width")

RNG = np.random.default_rng(3)
SIZE = 480
TABLE = pd.DataFrame(
    {
        "income": RNG.integers(500, 9000, SIZE),
        "rate": RNG.uniform(1, 9, SIZE).round(3),
        "sex": RNG.choice(["female", "male"], SIZE),
    }
)
SCORE = TABLE.income / 2000 - TABLE.rate / 3 - (TABLE.sex == "male") * 0.7
DECISIONS = np.array(["granted", "refused"])[(SCORE + RNG.normal(size=SIZE) < 0.3).astype(int)]
OTHERS = TABLE.assign(income=RNG.uniform(400, 9500, SIZE), rate=RNG.uniform(1, 9, SIZE))

NETWORKS = {
    "linear": LogisticRegression,
    "support vectors": LinearSVC,
    "network": lambda: MLPClassifier((4,), max_iter=120, random_state=0),
}
TREES = {
    "boosting": lambda: GradientBoostingClassifier(n_estimators=15, random_state=0),
    "histogram": lambda: HistGradientBoostingClassifier(max_iter=12),
    "forest": lambda: RandomForestClassifier(9, max_depth=4, random_state=0),
    "tree": lambda: DecisionTreeClassifier(max_depth=4, random_state=0),
    "votes": lambda: AdaBoostClassifier(n_estimators=15, random_state=0),
}
METHODS = ("sigmoid", "isotonic", "temperature")


def pipeline(last, numbers=None):
    """Return a pipeline that is not fitted yet."""
    front = ColumnTransformer(
        [("numbers", numbers or StandardScaler(), ["income", "rate"]), ("sexes", OrdinalEncoder(), ["sex"])]
    )
    return make_pipeline(front, last)


def calibrated(last, method, way="frozen", numbers=None):
    """Return a fitted model with one calibration, around a fitted pipeline or at its end."""
    if way == "last":
        inner = CalibratedClassifierCV(last, method=method, ensemble=False, cv=3)
        return pipeline(inner, numbers).fit(TABLE, DECISIONS)
    fitted = pipeline(last, numbers).fit(TABLE[:240], DECISIONS[:240])
    return CalibratedClassifierCV(FrozenEstimator(fitted), method=method).fit(TABLE[240:], DECISIONS[240:])


@pytest.mark.sampled(8, each="kind method")
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("kind", [*NETWORKS, *TREES])
def test_calibrated_models_decide_as_the_library(kind, method):
    """The model as read decides 960 rows as the library, and the integers those of the table."""
    model = calibrated((NETWORKS | TREES)[kind](), method, "last" if kind == "support vectors" else "frozen")
    found = import_model(model, TABLE, sensitive=["sex"])
    counts = found.comparisons[0].counts
    assert (counts.differing, counts.differing_integers) == (0, 0) or kind in NETWORKS
    assert counts.differing == 0
    for table in (TABLE, OTHERS):
        rows = table.to_dict("records")
        if kind in NETWORKS:
            decided = found.network.decide(column_values(found.spec, rows))
        else:
            decided = (found.score.totals(found.spec, rows) > 0).astype(int)
        assert (np.array(found.spec.labels)[decided] == model.predict(table)).all()
    assert len(set(decided.tolist())) == 2


@pytest.mark.sampled(4, each="way kind")
@pytest.mark.parametrize("way", ["last", "around", "tuned", "bins"])
@pytest.mark.parametrize("kind", NETWORKS)
def test_thresholds_of_their_own_decide_as_the_library(kind, way):
    """At the end of a pipeline, around a fitted one, and tuned: on a probability, or on what a classifier sums."""
    last = NETWORKS[kind]()
    cut = -0.4 if kind == "support vectors" else 0.7
    bins = KBinsDiscretizer(8) if way == "bins" and kind != "network" else None
    if way == "around":
        own = FixedThresholdClassifier(FrozenEstimator(pipeline(last).fit(TABLE, DECISIONS)), threshold=cut)
    elif way == "tuned":
        own = TunedThresholdClassifierCV(pipeline(last), thresholds=30, cv=2, random_state=0)
    else:
        own = pipeline(FixedThresholdClassifier(last, threshold=cut), bins)
    model = own.fit(TABLE, DECISIONS)
    imported = import_model(model, TABLE, sensitive=["sex"])
    assert imported.comparisons[0].counts.differing == 0
    rows = OTHERS.to_dict("records")
    if bins is not None:
        decided = (imported.score.totals(imported.spec, rows) > 0).astype(int)
    else:
        decided = imported.network.decide(column_values(imported.spec, rows))
    assert (np.array(imported.spec.labels)[decided] == model.predict(OTHERS)).all()
    assert len(set(decided.tolist())) == 2
    if way == "last":
        assert (model.predict(OTHERS) != pipeline(last).fit(TABLE, DECISIONS).predict(OTHERS)).any()


def test_thresholds_that_are_not_read():
    """About the first class, beside a calibration, out of reach, and on a probability that is not logistic."""

    def said(model, **own):
        wrapped = FixedThresholdClassifier(model, **own).fit(TABLE[["rate"]], DECISIONS)
        with pytest.raises(ModelImportError) as caught:
            read_model(wrapped)
        return str(caught.value)

    assert "fit it on pos_label='refused': its threshold is about the class 'granted'" in said(
        LogisticRegression(), pos_label="granted"
    )
    assert "decides alike for every row" in said(LogisticRegression(), threshold=1.0)
    assert "keep one of them" in said(CalibratedClassifierCV(LogisticRegression(), ensemble=False), threshold=0.6)
    assert "response_method='decision_function'" in said(SGDClassifier(loss="modified_huber"), threshold=0.6)


def test_the_cut_is_the_double_at_which_the_library_changes_its_mind():
    """One double below it the first class is decided, at it the second; a falling calibration turns them round."""
    model = calibrated(LogisticRegression(), "sigmoid", "last")
    (one,) = model[-1].calibrated_classifiers_
    (front, _) = read_front(model)
    above = float(np.nextafter(float(front.cut.end), np.inf))
    for way, side in ((-1, False), (1, True)):
        score = above if way > 0 else float(np.nextafter(above, -np.inf))
        chances = one.calibrators[0].predict(np.array([score, np.nextafter(score, way * np.inf)]))
        assert (chances > 0.5).tolist()[1] == side
    turned = copy.deepcopy(model)
    (one,) = turned[-1].calibrated_classifiers_
    one.calibrators[0].a_ *= -1
    found = import_model(turned, TABLE, sensitive=["sex"], accept_labels=True)
    assert found.comparisons[0].counts.differing == 0
    assert read_front(turned)[0].cut.falls


def test_a_plateau_at_one_half_ends_with_the_first_class():
    """An isotonic calibration is one half up to the score of some row, which the library refuses the second class."""
    model = calibrated(RandomForestClassifier(9, max_depth=4, random_state=0), "isotonic")
    (one,) = model.calibrated_classifiers_
    scores = np.unique(one.estimator.predict_proba(TABLE)[:, 1])
    low, middle, high = scores[len(scores) // 3], scores[len(scores) // 2], scores[-1]
    own = one.calibrators[0]
    own.fit([low, low, middle, middle, high], [0, 1, 0, 1, 1])
    assert own.predict([middle])[0] == 0.5
    found = import_model(model, TABLE, sensitive=["sex"])
    assert (one.estimator.predict_proba(TABLE)[:, 1] == middle).any()
    assert found.comparisons[0].counts.differing == 0


def test_a_calibrated_scorecard_and_a_nested_one():
    """A calibration behind bins, and frozen pipelines in each other."""
    model = calibrated(LogisticRegression(), "isotonic", numbers=KBinsDiscretizer(6))
    assert import_model(model, TABLE, sensitive=["sex"]).comparisons[0].counts.differing == 0
    frozen = FrozenEstimator(FrozenEstimator(pipeline(LogisticRegression()).fit(TABLE, DECISIONS)))
    nested = CalibratedClassifierCV(frozen).fit(TABLE, DECISIONS)
    assert import_model(nested, TABLE, sensitive=["sex"]).comparisons[0].counts.differing == 0


def several():
    """Return the mean of three calibrated models."""
    return CalibratedClassifierCV(pipeline(LogisticRegression()), cv=3).fit(TABLE, DECISIONS)


def constant():
    """Return a calibration that says the same of every score."""
    model = calibrated(LogisticRegression(), "sigmoid")
    model.calibrated_classifiers_[0].calibrators[0].a_ = 0.0
    return model


def unknown():
    """Return a calibration of a method of its own."""
    model = calibrated(LogisticRegression(), "sigmoid")
    model.method = "spline"
    return model


def empty():
    """Return a calibrated model without a calibration."""
    model = calibrated(LogisticRegression(), "sigmoid")
    model.calibrated_classifiers_ = []
    return model


def undefined():
    """Return a calibration whose numbers are NaN."""
    model = calibrated(LogisticRegression(), "sigmoid")
    model.calibrated_classifiers_[0].calibrators[0].b_ = np.nan
    return model


def twice():
    """Return a calibration of a calibrated model."""
    return CalibratedClassifierCV(FrozenEstimator(calibrated(LogisticRegression(), "sigmoid"))).fit(TABLE, DECISIONS)


def three():
    """Return a calibration of three classes."""
    fitted = pipeline(LogisticRegression(max_iter=300)).fit(TABLE, np.arange(SIZE) % 3)
    return CalibratedClassifierCV(FrozenEstimator(fitted)).fit(TABLE, np.arange(SIZE) % 3)


REFUSED = {
    "several": (several, r"fit it with ensemble=False, or calibrate one .*: it is the mean of 3 calibrated"),
    "constant": (constant, "it decides the same for every score: calibrate on rows of both classes"),
    "another method": (unknown, "fit it with 'sigmoid' or 'isotonic': method 'spline' is not read"),
    "no calibration": (empty, "it is the mean of 0 calibrated models"),
    "NaN": (undefined, "it decides the same for every score"),
    "twice": (twice, "a calibration of a calibrated model is not read: calibrate the model inside once"),
    "three classes": (three, "only one decision of two classes"),
    "another classifier": (
        lambda: calibrated(GaussianNB(), "sigmoid"), "of a GaussianNB is not read: import the model that it calibrates",
    ),
    "not fitted": (lambda: CalibratedClassifierCV(LogisticRegression()), "CalibratedClassifierCV: not fitted"),
}  # fmt: skip


@pytest.mark.parametrize("kind", REFUSED)
def test_what_is_not_one_cut_is_refused_by_name(kind):
    """One line says what to do instead."""
    make, said = REFUSED[kind]
    with pytest.raises(ModelImportError, match=said) as caught:
        read_model(make())
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) <= 400


@pytest.mark.parametrize("way", ["ensemble", "frozen"])
def test_the_remedies_for_several_calibrations_are_followed(way):
    """One calibration of all rows, or one of a fitted model."""
    with pytest.raises(ModelImportError, match="fit it with ensemble=False, or calibrate one fitted model"):
        import_model(several(), TABLE, sensitive=["sex"])
    inner = pipeline(LogisticRegression())
    mended = (
        CalibratedClassifierCV(inner, cv=3, ensemble=False)
        if way == "ensemble"
        else CalibratedClassifierCV(FrozenEstimator(inner.fit(TABLE, DECISIONS)))
    )
    found = import_model(mended.fit(TABLE, DECISIONS), TABLE, sensitive=["sex"])
    assert found.comparisons[0].counts.differing == 0
