"""Cuts other than one half: named thresholds, classifiers with a threshold of their own, regressors of 0 and 1."""

import lightgbm
import numpy as np
import pytest
import xgboost
from sklearn.ensemble import (
    AdaBoostClassifier,
    ExtraTreesRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.frozen import FrozenEstimator
from sklearn.metrics import f1_score, make_scorer
from sklearn.model_selection import FixedThresholdClassifier, TunedThresholdClassifierCV
from sklearn.tree import DecisionTreeRegressor, ExtraTreeRegressor

from equiproof import import_model
from equiproof.certify.models.cuts import threshold_of
from equiproof.certify.models.importing import ModelImportError
from tests.certify.models.ensembles.samples import GIVEN, LABELS, ROWS, SPEC, imported, in_logits
from tests.certify.models.ensembles.test_files import FEATURES, extreme, light, machine
from tests.certify.models.importing.samples import COLUMNS

glassbox = pytest.importorskip("interpret.glassbox")

NOISY = np.where(np.random.default_rng(5).random(len(LABELS)) < 0.3, 1 - LABELS, LABELS)


def decided(found):
    """Return for which rows the committed integers decide for the second label; none of them is a tie."""
    bound = getattr(found, "bound", found)
    committed = in_logits(bound.model, bound.spec)
    assert (committed != 0).all()
    return committed > 0


BY_PROBABILITY = {
    "lightgbm": lambda: lightgbm.LGBMClassifier(n_estimators=6, num_leaves=6, verbose=-1, n_jobs=1),
    "xgboost": lambda: xgboost.XGBClassifier(n_estimators=6, max_depth=3, n_jobs=1),
    "gradient": lambda: GradientBoostingClassifier(n_estimators=6, random_state=0),
    "histogram": lambda: HistGradientBoostingClassifier(max_iter=6, max_leaf_nodes=6, early_stopping=False),
    "votes": lambda: AdaBoostClassifier(n_estimators=6, random_state=0),
    "forest": lambda: RandomForestClassifier(n_estimators=10, random_state=0),
}


def quantile(shares, part):
    """Return a number of two digits that about so many of the shares are above."""
    return f"{np.quantile(shares, part):.2f}"


@pytest.mark.sampled(7, each="kind part")
@pytest.mark.parametrize("kind", [*BY_PROBABILITY, "interpret"])
@pytest.mark.parametrize("part", [0.3, 0.7])
def test_a_probability_is_named_for_every_family(kind, part):
    """The committed integers decide as the library's probability above the cut; a share is the same of a forest."""
    model = machine(labels=NOISY) if kind == "interpret" else BY_PROBABILITY[kind]().fit(ROWS, NOISY)
    shares = model.predict_proba(ROWS)[:, 1]
    cut = quantile(shares, part)
    wanted = shares > float(cut)
    assert 0.02 < wanted.mean() < 0.98
    found = imported(model, threshold=f"probability={cut}")
    assert (decided(found) == wanted).all()
    if kind == "forest":
        assert imported(model, threshold=f"share={cut}").spec.threshold == found.spec.threshold
    else:
        with pytest.raises(ModelImportError, match=r"the score of this model goes by a probability: probability=0\.6"):
            imported(model, threshold=f"share={cut}")


@pytest.mark.parametrize(
    ("text", "scale", "threshold"),
    [
        ("0.25", None, "0.25"),
        ("score=-1.5", "logit", "-1.5"),
        ("share=0.6", None, "0.1"),
        ("probability=0.7", "share", "0.2"),
        ("probability=0.5", "logit", "0"),
        ("1e-05", "logit", "0.00001"),
    ],
)
def test_named_thresholds_are_decimals_of_the_score(text, scale, threshold):
    """Of a forest less one half, of a logistic model the logit; without a model, the name says which."""
    assert threshold_of(text, scale) == threshold


def test_the_logit_of_a_probability_has_40_digits():
    """ln(7/3), whose first digits are known."""
    text = threshold_of("probability=0.7", None)
    assert text.startswith("0.84729786038720")
    assert len(text) == 42


@pytest.mark.parametrize(
    ("text", "scale", "message"),
    [
        ("odds=3", None, "name 'odds' one of probability, share, score"),
        ("probability=high", None, "'high' is not a number such as 0.7"),
        ("probability=1", "logit", "probability=1 is not between 0 and 1"),
        ("share=1.5", "share", "share=1.5 is not between 0 and 1"),
        ("probability=0.7", "score", "goes by a number of its own kind: score=1.2"),
        ("probability=0.7", "cut", "this model has its own"),
    ],
)
def test_other_thresholds_are_refused(text, scale, message):
    """Other names, no numbers, and names that the score of a model does not go by."""
    with pytest.raises(ModelImportError, match=message):
        threshold_of(text, scale)


@pytest.mark.sampled(7, each="kind part")
@pytest.mark.parametrize("kind", BY_PROBABILITY)
@pytest.mark.parametrize("part", [None, 0.3, 0.7])
def test_a_classifier_with_a_fixed_threshold_decides_from_it_on(kind, part):
    """The second class has the cut itself: of a forest of ten trees many rows have a share of exactly 0.3 or 0.7."""
    inner = BY_PROBABILITY[kind]().fit(ROWS[:200], NOISY[:200])
    shares = inner.predict_proba(ROWS)[:, 1]
    cut = "auto" if part is None else part if kind == "forest" else float(quantile(shares, part))
    model = FixedThresholdClassifier(FrozenEstimator(inner), threshold=cut, pos_label=None if part is None else 1)
    model.fit(ROWS[:200], NOISY[:200])
    wanted = model.predict(ROWS) == 1
    assert (decided(imported(model)) == wanted).all()
    assert 0.02 < wanted.mean() < 0.98
    if kind == "forest" and part is not None:
        at_the_cut = np.abs(shares - part) < 1e-12
        assert at_the_cut.any()
        assert wanted[at_the_cut].all()


@pytest.mark.parametrize("response", ["predict_proba", "decision_function"])
def test_a_classifier_with_a_tuned_threshold_decides_from_it_on(response):
    """On the probability and on the score, whichever it was tuned on."""
    inner = GradientBoostingClassifier(n_estimators=5, random_state=0)
    model = TunedThresholdClassifierCV(inner, response_method=response, thresholds=30, cv=2, random_state=0).fit(
        ROWS, NOISY
    )
    assert (decided(imported(model)) == (model.predict(ROWS) == 1)).all()


def test_a_threshold_about_the_first_class_is_refused():
    """It would be a cut of the other probability."""
    model = FixedThresholdClassifier(RandomForestClassifier(3), threshold=0.4, pos_label=0).fit(ROWS, NOISY)
    with pytest.raises(ModelImportError, match="fit it on pos_label=1: its threshold is about the class 0"):
        imported(model)
    scoring = make_scorer(f1_score, pos_label=0)
    tuned = TunedThresholdClassifierCV(RandomForestClassifier(3), scoring=scoring, thresholds=9, cv=2).fit(ROWS, NOISY)
    with pytest.raises(ModelImportError, match="its threshold is about the class 0"):
        imported(tuned)


REGRESSORS = {
    "forest": lambda: RandomForestRegressor(n_estimators=10, random_state=0),
    "extra trees": lambda: ExtraTreesRegressor(n_estimators=10, max_depth=5, random_state=0),
    "tree": lambda: DecisionTreeRegressor(max_depth=4, random_state=0),
    "extra tree": lambda: ExtraTreeRegressor(max_depth=4, random_state=0),
    "gradient": lambda: GradientBoostingRegressor(n_estimators=6, random_state=0),
    "histogram": lambda: HistGradientBoostingRegressor(max_iter=6, early_stopping=False),
    "from zero": lambda: GradientBoostingRegressor(n_estimators=6, init="zero", learning_rate=0.5, random_state=0),
    "lightgbm": lambda: lightgbm.LGBMRegressor(n_estimators=6, num_leaves=6, verbose=-1, n_jobs=1),
    "xgboost": lambda: xgboost.XGBRegressor(n_estimators=6, max_depth=3, n_jobs=1),
    "xgboost logistic": lambda: xgboost.XGBRegressor(objective="reg:logistic", n_estimators=6, max_depth=3, n_jobs=1),
}


@pytest.mark.sampled(10, each="kind cut")
@pytest.mark.parametrize("kind", REGRESSORS)
@pytest.mark.parametrize("cut", [None, "0.4"])
def test_a_regressor_of_0_and_1_decides_above_one_half_or_above_the_cut(kind, cut):
    """Its prediction is a share; the note says that it has no classes."""
    model = REGRESSORS[kind]().fit(ROWS, NOISY)
    named = {} if cut is None else {"threshold": f"probability={cut}"}
    found = imported(model, **named)
    predicted = model.predict(ROWS)
    sure = np.abs(predicted - float(cut or 0.5)) > 1e-9
    assert (decided(found) == (predicted > float(cut or 0.5)))[sure].all()
    assert sure.mean() > 0.5
    if kind != "xgboost logistic":
        assert any("a regressor of 0 and 1" in note for note in found.notes)


def test_regressors_are_read_from_files_alike(tmp_path):
    """LightGBM's objective regression, XGBoost's reg:squarederror, and an explainable boosting machine."""
    booster = light(5, objective="regression")
    booster.save_model(tmp_path / "model.txt")
    other = extreme(5, objective="reg:squarederror")
    other.save_model(tmp_path / "model.json")
    options = {"interactions": 0, "max_rounds": 200, "outer_bags": 1, "n_jobs": 1, "feature_names": FEATURES}
    regressor = glassbox.ExplainableBoostingRegressor(feature_types=["continuous"] * 5, **options).fit(ROWS, LABELS)
    regressor.to_json(str(tmp_path / "ebm.json"))
    table = xgboost.DMatrix(ROWS, feature_names=FEATURES)
    for name, predicted in (
        ("model.txt", booster.predict(ROWS)),
        ("model.json", other.predict(table)),
        ("ebm.json", regressor.predict(ROWS)),
    ):
        found = import_model(tmp_path / name, SPEC, rows=GIVEN, columns=COLUMNS)
        assert (decided(found) == (predicted > 0.5)).all()
        assert 0 < (predicted > 0.5).mean() < 1
