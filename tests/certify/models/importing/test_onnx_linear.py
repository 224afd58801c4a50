"""Linear models, networks and scaled trees as skl2onnx exports them whole: every decision of onnxruntime."""

import json
from fractions import Fraction
from functools import reduce

import numpy as np
import pytest
from onnx import TensorProto, helper

from equiproof import import_model
from equiproof.certify.models.ensembles.onnx_trees import read_onnx_trees
from equiproof.certify.models.ensembles.reading import read_ensemble
from equiproof.certify.models.importing import ModelImportError
from equiproof.certify.models.importing.onnx_graph import read_onnx
from equiproof.certify.models.importing.reading import read_model
from tests.certify.models.ensembles.test_catboost import SPEC
from tests.certify.models.ensembles.trees_small import labels
from tests.support import ROOT, changed

FOLDER = ROOT / "tests" / "vectors" / "onnx" / "linear"
DECISIONS = json.loads((FOLDER / "decisions.json").read_text())
TRAINING, ROWS = DECISIONS.pop("trained"), DECISIONS.pop("rows")
"""The rows behind those of the training lie on the thresholds of the trees, where single floats decide."""

GIVEN = [{"income": income, "rate": rate, "sex": "fm"[int(sex)]} for income, rate, sex in ROWS]
BINDING = {"columns": ("income", "rate", "sex"), "units": "raw"}
TREES = ("forest-scaled", "forest-doubles", "boosting-minmax")
REFUSED = "normalised"
CHAINS = [name for name in DECISIONS if name not in (*TREES, REFUSED)]
LOGISTIC = ("logistic", "sgd", "discriminant", "network")


def meant(name):
    """Return the spec of a file, and onnxruntime's labels as its labels; a number decides above one half."""
    answers = DECISIONS[name]
    spec = changed(SPEC, labels=("no", "yes")) if name.endswith("texts") else SPEC
    spec = changed(SPEC, labels=("low", "middle", "high"), logits=3) if name.endswith("several") else spec
    if "label" not in answers:
        spec = changed(spec, threshold="0.5")
        return spec, [spec.labels[int(np.ravel(score)[0] > 0.5)] for score in answers["scores"]]
    return spec, [one if isinstance(one, str) else spec.labels[one] for one in answers["label"]]


@pytest.mark.parametrize("name", CHAINS)
def test_each_row_is_decided_as_onnxruntime_decides(name):
    """Scalers in floats and doubles, classes that are texts or three, probabilities, raw scores and numbers."""
    spec, own = meant(name)
    words = {"rows": GIVEN, "decisions": own, "allow_differing": 0, "widen": True, **BINDING}
    done = import_model(FOLDER / f"{name}.onnx", spec, **words)
    assert (done.compared.differing, done.compared.differing_integers) == (0, 0)
    assert sum(one.own > 20 for one in done.compared.labels) >= 2


@pytest.mark.parametrize("name", CHAINS)
def test_a_score_is_what_its_numbers_say(name):
    """The logit of a probability at the output, or a number of its own kind; classes are those of the file."""
    source = read_model(FOLDER / f"{name}.onnx")
    is_logistic = name.startswith(LOGISTIC) and not name.endswith("raw")
    if not name.endswith("several"):
        # A plain chain of operators does not say what its number is.
        assert source.scale == ("logit" if is_logistic or name == "regression-doubles" else "score")
    classes = (0, 1, 2) if name.endswith("several") else ("no", "yes") if name.endswith("texts") else (0, 1)
    assert source.classes == (classes if "label" in DECISIONS[name] else None)
    if name.startswith("network") or name.endswith("several"):
        return
    layer = reduce(lambda below, above: above.after(below), source.steps)
    rows = [sum(weight * Fraction(row[column]) for column, weight in layer.rows[0].items()) for row in ROWS[:9]]
    scores = np.array([float(one + layer.biases[0]) for one in rows])
    own = np.array(DECISIONS[name]["scores"])[:9, -1]
    np.testing.assert_allclose(1 / (1 + np.exp(-scores)) if is_logistic else scores, own, rtol=0, atol=1e-4)


@pytest.mark.parametrize("name", TREES)
def test_trees_behind_a_scaler_compare_what_the_runtime_computes(name):
    """Also on rows beside a threshold, where rounding in the type of the rows decides; the integers on the training."""
    ensemble = read_ensemble(FOLDER / f"{name}.onnx")
    assert labels(ensemble, ROWS) == DECISIONS[name]["label"]
    own = meant(name)[1][:TRAINING]
    done = import_model(FOLDER / f"{name}.onnx", SPEC, rows=GIVEN[:TRAINING], decisions=own, columns=BINDING["columns"])
    assert done.compared.differing_integers == 0


def test_exact_numbers_would_decide_otherwise():
    """The rows beside the thresholds are a test of the roundings."""
    differing = 0
    for name in TREES[::2]:
        ensemble = read_ensemble(FOLDER / f"{name}.onnx")
        (front,) = ensemble.front
        wide = [[float(curve.compute(np.array([value]))[0]) for curve, value in zip(front.functions, row, strict=True)]
                for row in np.float32(ROWS).astype(float) * (1 + 1e-7)]  # fmt: skip
        trees = type(ensemble)("onnx", 3, ensemble.trees, base=ensemble.base)
        differing += sum(one != two for one, two in zip(labels(trees, wide), DECISIONS[name]["label"], strict=True))
    assert differing


def test_what_is_not_exact_is_refused_by_its_operator():
    """A Normalizer divides each row by a number of its own."""
    with pytest.raises(ModelImportError, match=r"ai\.onnx\.ml\.Normalizer 'Normalizer': is not read"):
        read_model(FOLDER / f"{REFUSED}.onnx")


def graph(nodes, outputs=("label", "scores"), element=TensorProto.FLOAT):
    """Return the bytes of a graph of three columns."""
    made = helper.make_graph(
        nodes,
        "graph",
        [helper.make_tensor_value_info("X", element, [None, 3])],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in outputs],
        [
            helper.make_tensor("minus", element, [3], [-1.0, 1.0, 1.0]),
            helper.make_tensor("one", element, [], [1.0]),
            helper.make_tensor("flat", TensorProto.INT64, [1], [-1]),
        ],
    )
    sets = [helper.make_opsetid("", 18), helper.make_opsetid("ai.onnx.ml", 3)]
    return helper.make_model(made, opset_imports=sets, ir_version=9).SerializeToString()


def classifier(**changes):
    """Return a LinearClassifier of two classes."""
    attributes = {
        "classlabels_ints": [0, 1],
        "coefficients": [-1.0, -2.0, 0.5, 1.0, 2.0, -0.5],
        "intercepts": [-1.0, 1.0],
        "post_transform": "LOGISTIC",
    }
    named = {name: value for name, value in (attributes | changes).items() if value is not None}
    return helper.make_node("LinearClassifier", ["X"], ["label", "scores"], domain="ai.onnx.ml", **named)


def several():
    """Return a LinearClassifier of three classes."""
    return classifier(classlabels_ints=[0, 1, 2], coefficients=[1.0] * 9, intercepts=[1.0] * 3)


def scaler(**changes):
    """Return a Scaler and one tree behind it."""
    attributes = {"offset": [1.0], "scale": [0.5, 0.5, 0.5]} | changes
    tree = helper.make_node(
        "TreeEnsembleRegressor", ["scaled"], ["label"], domain="ai.onnx.ml", n_targets=1, nodes_treeids=[0, 0, 0],
        nodes_nodeids=[0, 1, 2], nodes_featureids=[0, 0, 0], nodes_modes=["BRANCH_LEQ", "LEAF", "LEAF"],
        nodes_values=[0.25, 0.0, 0.0], nodes_truenodeids=[1, 0, 0], nodes_falsenodeids=[2, 0, 0],
        target_treeids=[0, 0], target_nodeids=[1, 2], target_ids=[0, 0], target_weights=[-1.0, 1.0],
    )  # fmt: skip
    return [helper.make_node("Scaler", ["X"], ["scaled"], domain="ai.onnx.ml", **attributes), tree]


WRONG = {
    "a class less": (graph([classifier(classlabels_ints=[1])]), "1 names of classes"),
    "a coefficient less": (graph([classifier(coefficients=[1.0] * 5)]), "5 coefficients and 2 intercepts; want 6"),
    "an intercept more": (graph([classifier(intercepts=[1.0] * 3)]), "6 coefficients and 3 intercepts"),
    "not finite": (graph([classifier(intercepts=[float("nan"), 1.0])]), "a number is not finite"),
    "a probit": (graph([classifier(post_transform="PROBIT")]), "post_transform 'PROBIT' is not read"),
    "two sides": (graph([classifier(intercepts=[1.0, 1.0])]), "not opposite is no logit"),
    "an unknown attribute": (graph([classifier(regularisation=1.0)]), "attribute 'regularisation' is not understood"),
    "a function behind": (
        graph([classifier(), helper.make_node("Tanh", ["scores"], ["more"])], ("label", "more")),
        r"Tanh .*is not read behind the logits",
    ),
    "a class of no class": (
        graph([classifier(), helper.make_node("ArgMax", ["label"], ["more"], axis=1)], ("more",)),
        "not made of the scores of the model",
    ),
    "scores of three classes that are rounded": (
        graph([several(), helper.make_node("Cast", ["scores"], ["more"], to=TensorProto.INT64)], ("more",)),
        "rounds scores to another type",
    ),
    "a norm of classes": (
        graph([several(), helper.make_node("Normalizer", ["label"], ["more"], domain="ai.onnx.ml", norm="L1")],
              ("more",)),
        "Normalizer .*is not read behind the logits of several classes",
    ),
    "rows of three classes mixed": (
        graph([several(), helper.make_node("Reshape", ["scores", "flat"], ["more"])], ("more",)),
        "mixes rows or classes",
    ),
    "a maximum over rows": (
        graph([several(), helper.make_node("ArgMax", ["scores"], ["more"], axis=0)], ("more",)),
        "only the largest score along axis 1",
    ),
    "two targets": (
        graph([helper.make_node("LinearRegressor", ["X"], ["label"], domain="ai.onnx.ml", targets=2,
                                coefficients=[1.0] * 6)], ("label",)),
        "only one target",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_a_file_that_is_not_right_is_refused_in_one_line(name):
    """Its operator is named."""
    data, said = WRONG[name]
    with pytest.raises(ModelImportError, match=said) as refused:
        read_onnx(data)
    assert len(str(refused.value)) <= 400


BEFORE = {
    "a factor below 0": (graph(scaler(scale=[1.0, -1.0, 1.0]), ("label",)), "turns a column round"),
    "a factor of 0": (graph(scaler(scale=[0.0]), ("label",)), "turns a column round"),
    "two offsets": (graph(scaler(offset=[1.0, 2.0]), ("label",)), "offset has 2 numbers for 3 columns"),
    "doubles": (
        graph(scaler(), ("label",), TensorProto.DOUBLE),
        "export with floats: it scales doubles before the trees",
    ),
    "a constant less rows": (
        graph([helper.make_node("Sub", ["one", "X"], ["scaled"]), scaler()[1]], ("label",)),
        "only columns plus, minus, times or divided by a constant",
    ),
    "rows plus rows": (
        graph([helper.make_node("Add", ["X", "X"], ["scaled"]), scaler()[1]], ("label",)),
        "only columns plus, minus",
    ),
    "another operator": (
        graph([helper.make_node("Normalizer", ["X"], ["scaled"], domain="ai.onnx.ml"), scaler()[1]], ("label",)),
        r"Normalizer .*: it changes the rows before the trees, and only Add, Cast",
    ),
}


@pytest.mark.parametrize("name", BEFORE)
def test_what_a_threshold_cannot_be_sought_behind_is_refused(name):
    """A column that falls, constants, and types in which runtimes differ."""
    data, said = BEFORE[name]
    with pytest.raises(ModelImportError, match=said) as refused:
        read_onnx_trees(data)
    assert len(str(refused.value)) <= 400


def test_a_softmax_of_two_classes_is_the_logit_of_their_difference():
    """Opposite logits differ by twice the second one."""
    for transform, factor in (("SOFTMAX", 2), ("LOGISTIC", 1), ("NONE", 1)):
        source = read_onnx(graph([classifier(post_transform=transform)]))
        layer = reduce(lambda below, above: above.after(below), source.steps)
        assert layer.biases == (Fraction(factor),)
