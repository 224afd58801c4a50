"""scikit-learn estimators, fitted on generated data: same logits, same decisions."""

import copy
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.decomposition import PCA
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.svm import SVC

from equiproof import import_model
from equiproof.certify.models.importing import ModelImportError, read_model
from tests.certify.models.importing.samples import COLUMNS, SHUFFLED, SPEC, in_order, raw_rows, run, spec_columns
from tests.support import changed

ROWS = raw_rows(300)
SCORES = (ROWS[:, 0] - 4500) / 2600 + (ROWS[:, 3] - 15) / 9 - 0.5 * ROWS[:, 4]
NAMES = np.array(["declined", "granted"])
THREE = changed(SPEC, labels=("no", "perhaps", "yes"), logits=3)


def fitted(model, labels, columns=None):
    """Fit an estimator, as fast as it goes; with `columns` on a table that names them in that order."""
    rows = ROWS if columns is None else pd.DataFrame(in_order(columns, ROWS), columns=list(columns))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(rows, labels)


def perceptron(**options):
    """Return a small MLPClassifier."""
    return MLPClassifier((4, 3), learning_rate_init=0.02, max_iter=100, random_state=0, **options)


MODELS = {
    "logistic regression": lambda: make_pipeline(StandardScaler(), LogisticRegression()),
    "without intercept": lambda: LogisticRegression(fit_intercept=False, max_iter=50),
    "perceptron": lambda: make_pipeline(StandardScaler(), perceptron()),
    "minimum and maximum": lambda: make_pipeline(MinMaxScaler(), perceptron()),
    "two scalers": lambda: make_pipeline(StandardScaler(with_mean=False), MinMaxScaler((-1, 2)), perceptron()),
    "no scaler": lambda: Pipeline([("nothing", "passthrough"), ("net", perceptron())]),
    "centred only": lambda: make_pipeline(StandardScaler(with_std=False), LogisticRegression(max_iter=50)),
    "identity": lambda: make_pipeline(StandardScaler(), perceptron(activation="identity")),
}


@pytest.mark.parametrize("kind", MODELS)
def test_two_classes_decide_as_the_estimator_does(kind):
    """One logit: the decision function of scikit-learn, and the label that predict names, on raw rows."""
    model = fitted(MODELS[kind](), NAMES[(SCORES > 0).astype(int)])
    imported = import_model(model, SPEC, units="raw", columns=COLUMNS)
    logits = imported.network.logits(spec_columns(ROWS))
    np.testing.assert_allclose(logits[:, 0], decision(model, ROWS)[:, 0], rtol=1e-9, atol=1e-9)
    decided = imported.network.decide(spec_columns(ROWS))
    assert (NAMES[decided] == model.predict(ROWS)).all()
    assert len(set(decided.tolist())) == 2


def decision(model, rows):
    """Return the logits that scikit-learn computes itself, shape (rows, logits)."""
    model = copy.deepcopy(model)
    last = model[-1] if isinstance(model, Pipeline) else model
    if isinstance(last, LogisticRegression):
        return model.decision_function(rows).reshape(len(rows), -1)
    # Without its last activation the network's forward pass ends in the logits.
    last.out_activation_ = "identity"
    inside = model[:-1].transform(rows) if isinstance(model, Pipeline) else rows
    return last._forward_pass_fast(inside)


@pytest.mark.parametrize("kind", ["logistic regression", "perceptron", "identity"])
def test_several_classes_decide_as_the_estimator_does(kind):
    """Several logits: the label of the largest is the label that predict names."""
    labels = np.array(["perhaps", "no", "yes"])[np.digitize(SCORES, (-0.7, 0.7))]
    model = fitted(MODELS[kind](), labels)
    imported = import_model(model, THREE, units="raw", columns=COLUMNS)
    decided = imported.network.decide(spec_columns(ROWS))
    assert (np.array(THREE.labels)[decided] == model.predict(ROWS)).all()
    assert len(set(decided.tolist())) == 3
    ours = imported.network.logits(spec_columns(ROWS))[:, [THREE.labels.index(name) for name in model.classes_]]
    theirs = decision(model, ROWS)
    np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-9)


def test_classes_in_the_other_order_are_turned():
    """scikit-learn sorts its classes; a spec whose labels stand otherwise gets the negated logit."""
    model = fitted(MODELS["perceptron"](), np.array(["granted", "refused"])[(SCORES > 0).astype(int)])
    imported = import_model(model, changed(SPEC, labels=("refused", "granted")), units="raw", columns=COLUMNS)
    decided = imported.network.decide(spec_columns(ROWS))
    assert (np.array(["refused", "granted"])[decided] == model.predict(ROWS)).all()


def test_integer_classes_are_the_labels_in_order():
    """Fitted on 0 and 1, an estimator decides the spec's labels 0 and 1; fitted on 1 and 2, it needs the classes."""
    model = fitted(LogisticRegression(max_iter=50), (SCORES > 0).astype(int))
    imported = import_model(model, SPEC, units="raw", columns=COLUMNS)
    assert (imported.network.decide(spec_columns(ROWS)) == model.predict(ROWS)).all()
    other = fitted(LogisticRegression(max_iter=50), 1 + (SCORES > 0))
    with pytest.raises(ModelImportError, match="1, 2"):
        import_model(other, SPEC, units="raw", columns=COLUMNS)
    named = import_model(other, SPEC, units="raw", columns=COLUMNS, classes=("granted", "declined"))
    assert (named.network.decide(spec_columns(ROWS)) == (other.predict(ROWS) == 1)).all()


@pytest.mark.parametrize("kind", ["perceptron", "logistic regression", "without intercept"])
def test_the_names_of_a_table_bind_the_columns(kind):
    """An estimator fitted on a table names its inputs itself, first step of a pipeline or not."""
    model = fitted(MODELS[kind](), NAMES[(SCORES > 0).astype(int)], SHUFFLED)
    imported = import_model(model, SPEC, units="raw")
    assert imported.columns == SHUFFLED
    table = pd.DataFrame(in_order(SHUFFLED, ROWS), columns=list(SHUFFLED))
    assert (NAMES[imported.network.decide(spec_columns(ROWS))] == model.predict(table)).all()


def test_a_scaler_is_folded_without_rounding():
    """The first layer holds (x - mean) / scale as fractions: an exact point through it gives the exact sum."""
    model = fitted(make_pipeline(StandardScaler(), LogisticRegression()), NAMES[(SCORES > 0).astype(int)])
    scaler, last = model[0], model[-1]
    source = read_model(model)
    exact = run(source, ROWS[:20])[:, 0]
    scaled = (ROWS[:20].astype(np.longdouble) - scaler.mean_) / scaler.scale_
    np.testing.assert_allclose(
        exact, (scaled @ last.coef_[0] + last.intercept_[0]).astype(float), rtol=1e-14, atol=1e-14
    )


class Derived(LogisticRegression):
    """A class that could decide in any way."""


REFUSED = {
    "tanh": (lambda: perceptron(activation="tanh"), "tanh"),
    "another classifier": (GaussianNB, "a GaussianNB is not read; only MLPClassifier, LogisticRegression,"),
    "a kernel": (lambda: SVC(kernel="linear", max_iter=5), "a SVC is not read: train a LinearSVC"),
    "a regressor": (lambda: MLPRegressor(max_iter=5), "MLPRegressor"),
    "a derived class": (Derived, "Derived"),
    "components": (lambda: make_pipeline(PCA(2), LogisticRegression()), "step 'pca'"),
    "clipping": (lambda: make_pipeline(MinMaxScaler(clip=True), LogisticRegression()), "clip"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_what_has_no_exact_place_is_refused_by_name(kind):
    """Other activations, classes and steps are named."""
    make, named = REFUSED[kind]
    model = fitted(make(), (SCORES > 0).astype(int))
    with pytest.raises(ModelImportError, match=named):
        read_model(model)


@pytest.mark.parametrize(
    "make", [LogisticRegression, perceptron, lambda: make_pipeline(StandardScaler(), perceptron())]
)
def test_what_was_not_fitted_is_refused(make):
    """An estimator without weights is refused."""
    with pytest.raises(ModelImportError, match="not fitted"):
        read_model(make())


def test_sparse_weights_are_refused():
    """Weights that were made sparse are refused, saying how to undo it."""
    model = fitted(LogisticRegression(max_iter=20), (SCORES > 0).astype(int)).sparsify()
    with pytest.raises(ModelImportError, match="densify"):
        read_model(model)


@pytest.mark.parametrize("labels", [SCORES > 0, (SCORES > 0) * 1.0])
def test_classes_that_are_truths_or_whole_numbers_are_read_as_integers(labels):
    """True and 1.0 are 1; a half is no class."""
    assert read_model(fitted(LogisticRegression(max_iter=20), labels)).classes == (0, 1)
    model = fitted(LogisticRegression(max_iter=20), labels)
    model.classes_ = np.array([0.5, 1.0])
    with pytest.raises(ModelImportError, match="neither a text nor a whole number"):
        read_model(model)


def test_two_decisions_at_once_are_refused():
    """A classifier of several labels at once makes several decisions."""
    both = np.stack([SCORES > 0, SCORES > 1], axis=1).astype(int)
    with pytest.raises(ModelImportError, match="2 labels at once"):
        read_model(fitted(perceptron(), both))
