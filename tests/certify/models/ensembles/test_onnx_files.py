"""Trees in ONNX files of the exporters that lenders use: every decision of onnxruntime."""

import json
import math

import numpy as np
import pytest

from equiproof import import_model
from equiproof.certify.models.ensembles.reading import is_ensemble, read_ensemble
from equiproof.certify.models.importing import ModelImportError
from tests.certify.models.ensembles.samples import in_logits
from tests.certify.models.ensembles.test_catboost import SPEC
from tests.certify.models.ensembles.trees_small import labels, scores
from tests.support import ROOT, changed

FOLDER = ROOT / "tests" / "vectors" / "onnx"
DECISIONS = json.loads((FOLDER / "decisions.json").read_text())
ROWS = np.array(DECISIONS["rows"])
TRAINING = 200
"""The first rows are of the training; those behind lie on thresholds, as single floats and as doubles."""

GIVEN = [{"income": row[0], "rate": row[1], "sex": "fm"[int(row[2])]} for row in ROWS[:TRAINING].tolist()]
LABELLED = [
    name
    for name, answers in DECISIONS.items()
    if isinstance(answers, dict) and {"label", "output_label", "name", "granted"} & set(answers)
    and name != "lightgbm-forest"
]  # fmt: skip
SHARES = ("forest", "forest-texts", "forest-columns", "forest-doubles", "extra-trees", "tree", "scaled")


def answered(name):
    """Return onnxruntime's labels of a file as numbers."""
    answers = DECISIONS[name]
    (output,) = {"label", "output_label", "name", "granted"} & set(answers)
    return [int(label in (1, "yes", True)) for label in np.array(answers[output]).ravel().tolist()]


@pytest.mark.parametrize("name", LABELLED)
def test_each_row_is_decided_as_onnxruntime_decides(name):
    """Forests, boosting, maps of probabilities or none, operators behind, and rows on thresholds."""
    ensemble = read_ensemble(FOLDER / f"{name}.onnx")
    own = answered(name)
    assert labels(ensemble, ROWS) == own
    assert ensemble.other is None
    assert ensemble.classes == (("no", "yes") if name.endswith("texts") or name == "named" else (0, 1))
    assert 40 < sum(own) < len(own) - 40


@pytest.mark.parametrize("name", LABELLED)
def test_scores_are_those_of_the_probabilities(name):
    """A share less one half, or the logit: a cut other than one half stands for the probability that it names."""
    ensemble = read_ensemble(FOLDER / f"{name}.onnx")
    answers = DECISIONS[name]
    if name == "cut":
        logits = np.log(0.7 / 0.3)
        plain = read_ensemble(FOLDER / "sigmoid.onnx")
        ours = [float(one - other) for one, other in zip(scores(plain, ROWS), scores(ensemble, ROWS), strict=True)]
        np.testing.assert_allclose(ours, logits, rtol=0, atol=1e-6)
        return
    own = answers.get("i1") or np.array(next(answers[key] for key in answers if np.ndim(answers[key]) == 2))[:, 1]
    exact = scores(ensemble, ROWS)
    ours = [float(one) + 0.5 if name in SHARES else 1 / (1 + math.exp(-one)) for one in exact]
    np.testing.assert_allclose(ours, own, rtol=0, atol=2e-6)


@pytest.mark.parametrize("name", ["regressor", "factors", "version-5", "version-5-doubles"])
def test_scores_without_a_class_are_the_number_at_the_output(name):
    """Targets of regressors, with factors behind them, and of the operator of version 5 in both precisions."""
    ensemble = read_ensemble(FOLDER / f"{name}.onnx")
    ours = [float(score) for score in scores(ensemble, ROWS)]
    np.testing.assert_allclose(ours, np.ravel(*DECISIONS[name].values()), rtol=0, atol=2e-6)
    assert is_ensemble(FOLDER / f"{name}.onnx")
    assert ensemble.single == (name != "version-5-doubles")


def test_the_logistic_function_behind_a_regressor_leaves_its_logit():
    """The score is the logit of the probability at the output."""
    ensemble = read_ensemble(FOLDER / "sigmoid.onnx")
    ours = [1 / (1 + math.exp(-score)) for score in scores(ensemble, ROWS)]
    np.testing.assert_allclose(ours, DECISIONS["sigmoid"]["flat"], rtol=0, atol=1e-6)


@pytest.mark.parametrize("name", [name for name in LABELLED if name != "named"])
def test_the_committed_integers_decide_as_onnxruntime(name):
    """Under a spec, on all rows of the training."""
    spec = changed(SPEC, labels=("no", "yes")) if name.endswith("texts") else SPEC
    imported = import_model(FOLDER / f"{name}.onnx", spec, rows=GIVEN, columns=("income", "rate", "sex"))
    committed = in_logits(imported.quantised, spec, GIVEN)
    assert (committed > 0).astype(int).tolist() == answered(name)[:TRAINING]


def test_a_regressor_decides_at_the_threshold_of_its_spec():
    """A forest that was trained on 0 and 1, with a cut."""
    spec = changed(SPEC, threshold="0.6")
    imported = import_model(FOLDER / "regressor.onnx", spec, rows=GIVEN, columns=("income", "rate", "sex"))
    own = np.array(DECISIONS["regressor"]["variable"])[:TRAINING, 0] > 0.6
    assert ((in_logits(imported.quantised, spec, GIVEN) > 0) == own).all()
    assert 40 < own.sum() < 160


REFUSED = {
    "lightgbm-forest": r"ArgMax .*gives every row one class: a probability against 50",
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_read_is_refused_by_its_operator(name):
    """An export that onnxruntime itself never grants by."""
    with pytest.raises(ModelImportError, match=REFUSED[name]):
        read_ensemble(FOLDER / f"{name}.onnx")
    if name == "lightgbm-forest":
        assert set(DECISIONS[name]["label"]) == {0}
