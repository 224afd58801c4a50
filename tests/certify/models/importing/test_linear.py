"""Every linear classifier and every affine scaler of scikit-learn: the decisions of the library, on all rows."""

import copy
import warnings

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import (
    LogisticRegression,
    LogisticRegressionCV,
    PassiveAggressiveClassifier,
    Perceptron,
    RidgeClassifier,
    RidgeClassifierCV,
    SGDClassifier,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, RobustScaler, StandardScaler
from sklearn.svm import LinearSVC

from equiproof import import_model
from equiproof.certify.models.importing import ModelImportError, read_model
from tests.certify.models.importing.samples import COLUMNS, SPEC, raw_rows, run, spec_columns
from tests.support import changed

pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::UserWarning")

ROWS = raw_rows(500)
SCORES = (ROWS[:, 0] - 4500) / 2600 + (ROWS[:, 3] - 15) / 9 - 0.5 * ROWS[:, 4]
LABELS = np.array(["declined", "granted"])[(SCORES > 0).astype(int)]
OTHERS = raw_rows(400, seed=9)
THREE = changed(SPEC, labels=("no", "perhaps", "yes"), logits=3)

CLASSIFIERS = {
    "cross-validated": lambda: LogisticRegressionCV(Cs=3, cv=3, max_iter=300, use_legacy_attributes=False,
                                                    scoring="accuracy"),
    "hinge": lambda: SGDClassifier(random_state=0),
    "log loss": lambda: SGDClassifier("log_loss", average=True, random_state=0),
    "modified huber": lambda: SGDClassifier("modified_huber", random_state=0),
    "no intercept": lambda: SGDClassifier("perceptron", fit_intercept=False, random_state=0),
    "support vectors": LinearSVC,
    "support vectors without intercept": lambda: LinearSVC(fit_intercept=False),
    "ridge": RidgeClassifier,
    "ridge without intercept": lambda: RidgeClassifier(fit_intercept=False),
    "ridge, cross-validated": RidgeClassifierCV,
    "discriminant": LinearDiscriminantAnalysis,
    "discriminant, shrunk": lambda: LinearDiscriminantAnalysis("lsqr", shrinkage="auto"),
    "perceptron": lambda: Perceptron(random_state=0),
    "passive": lambda: PassiveAggressiveClassifier(random_state=0),
}  # fmt: skip

SCALERS = {
    "robust": RobustScaler,
    "robust, unit variance": lambda: RobustScaler(unit_variance=True, quantile_range=(10, 80)),
    "robust, centred only": lambda: RobustScaler(with_scaling=False),
    "robust, scaled only": lambda: RobustScaler(with_centering=False),
    "largest": MaxAbsScaler,
}


def at_edges(scaler):
    """Return the rows, and rows whose first number is at, just below and just above what a scaler subtracts."""
    center = getattr(scaler, "center_", None)
    near = [0.0] if center is None else [center[0], np.nextafter(center[0], 0), np.nextafter(center[0], 1e9)]
    own = np.repeat(ROWS[:5], len(near), axis=0)
    own[:, 0] = np.tile(near, 5)
    return np.concatenate([ROWS, OTHERS, own])


def decided(model, spec=SPEC):
    """Return the labels of the imported model and those of the library."""
    found = import_model(model, spec, units="raw", columns=COLUMNS)
    rows = at_edges(model[0])
    return np.array(spec.labels)[found.network.decide(spec_columns(rows))], model.predict(rows)


@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_linear_classifiers_of_two_classes_decide_as_the_library(kind):
    """The score is their decision function, and 0 of 900 rows are decided otherwise."""
    model = make_pipeline(RobustScaler(), CLASSIFIERS[kind]()).fit(ROWS, LABELS)
    ours, theirs = decided(model)
    assert (ours == theirs).all()
    assert len(set(ours.tolist())) == 2
    np.testing.assert_allclose(run(read_model(model), ROWS[:40])[:, 0], model.decision_function(ROWS[:40]), rtol=1e-9)


@pytest.mark.parametrize("kind", [one for one in CLASSIFIERS if "ridge, cross" not in one])
def test_linear_classifiers_of_three_classes_decide_as_the_library(kind):
    """The largest of several sums decides, however they were fitted."""
    labels = np.array(["no", "perhaps", "yes"])[np.digitize(SCORES, (-0.7, 0.7))]
    model = make_pipeline(StandardScaler(), CLASSIFIERS[kind]()).fit(ROWS, labels)
    ours, theirs = decided(model, THREE)
    assert (ours == theirs).all()
    assert len(set(ours.tolist())) >= 2


@pytest.mark.parametrize("kind", SCALERS)
def test_scalers_are_folded_as_the_library_applies_them(kind):
    """Centred or not, scaled or not; rows at the very centre among them."""
    model = make_pipeline(SCALERS[kind](), LogisticRegression(max_iter=500)).fit(ROWS, LABELS)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ours, theirs = decided(model)
    assert (ours == theirs).all()
    assert len(set(ours.tolist())) == 2


def test_several_decisions_at_once_are_refused():
    """A classifier of three labels at once looks like one of three classes."""
    several = np.stack([SCORES > 0, SCORES > 1, SCORES > 2], axis=1).astype(int)
    with pytest.raises(ModelImportError, match="RidgeClassifier: several labels at once"):
        read_model(RidgeClassifier().fit(ROWS, several))


@pytest.mark.parametrize("scaler", [MinMaxScaler(clip=True), MaxAbsScaler(clip=True)])
def test_scalers_that_clip_are_refused_and_without_it_read(scaler):
    """A network has no place for it; the remedy is followed."""
    model = make_pipeline(scaler, LogisticRegression(max_iter=500)).fit(ROWS, LABELS)
    with pytest.raises(ModelImportError, match=r"is read before trees only: fit it with clip=False: clip=True "):
        read_model(model)
    again = make_pipeline(scaler.set_params(clip=False), LogisticRegression(max_iter=500)).fit(ROWS, LABELS)
    ours, theirs = decided(again)
    assert (ours == theirs).all()


HOSTILE = {
    "no weights": (1, {"coef_": np.zeros((0, 0))}, r"LogisticRegression: .* coef_ has the shape 0 x 0, not 1 x 5"),
    "other weights": (1, {"coef_": np.zeros((1, 4))}, "coef_ has the shape 1 x 4, not 1 x 5"),
    "a deep list": (1, {"coef_": [[1.0, [2.0]]]}, "coef_ are no numbers"),
    "texts": (1, {"coef_": np.array([["1", "2", "3", "4", "5"]])}, "coef_ are no numbers"),
    "NaN": (1, {"coef_": np.full((1, 5), np.nan)}, "a number in coef_ is not finite"),
    "infinity": (1, {"intercept_": np.array([np.inf])}, "a number in intercept_ is not finite"),
    "two shifts": (1, {"intercept_": np.zeros(2)}, "intercept_ has the shape 2, not 1"),
    "one class": (1, {"classes_": np.array(["yes"])}, "one class"),
    "no class": (1, {"classes_": None}, "one class"),
    "no width": (1, {"n_features_in_": 0}, "n_features_in_ is 0"),
    "no number": (1, {"n_features_in_": "5"}, "n_features_in_ is '5'"),
    "centres": (0, {"center_": np.zeros(3)}, r"step 'robustscaler' \(RobustScaler\): .*center_ has the shape 3, not 5"),
    "scales": (0, {"scale_": np.array([1, 1, np.nan, 1, 1])}, "a number in scale_ is not finite"),
    "zero": (0, {"scale_": np.zeros(5)}, "divides by 0"),
    "long doubles": (0, {"scale_": np.ones(5, np.longdouble)}, "scale_ are no numbers of double precision"),
    "nothing": (0, {"scale_": None}, "scale_ are no numbers"),
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_attributes_of_wrong_shapes_and_numbers_are_refused_by_name(kind):
    """One line names the step and the attribute."""
    place, attributes, said = HOSTILE[kind]
    model = copy.deepcopy(make_pipeline(RobustScaler(), LogisticRegression(max_iter=500)).fit(ROWS, LABELS))
    vars(model[place]).update(attributes)
    with pytest.raises(ModelImportError, match=said) as caught:
        read_model(model)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) <= 400
