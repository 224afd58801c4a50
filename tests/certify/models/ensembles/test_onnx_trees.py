"""Operators of trees in ONNX files: decisions of onnx's own reference evaluator, and what is refused."""

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper
from onnx.reference import ReferenceEvaluator

from equiproof.certify.models.importing import ModelImportError
from tests.certify.models.ensembles.samples import LABELS, ROWS, SPEC, imported, in_logits

CUTS = [(0, 4500.0), (3, 15.0), (4, 0.5), (0, 2000.0), (3, 7.0)]
WEIGHTS = [(-0.5, 0.75), (-0.25, 1.0), (0.5, -0.5), (-1.0, 0.125), (0.0, -0.25)]


def model(tmp_path, mode, *, both=False, operator="TreeEnsembleClassifier", **changed):
    """Write an ONNX file of stumps; `both` gives weights to both classes."""
    nodes = [(tree, node) for tree in range(len(CUTS)) for node in range(3)]
    attributes = {
        "nodes_treeids": [tree for tree, _ in nodes],
        "nodes_nodeids": [node for _, node in nodes],
        "nodes_featureids": [CUTS[tree][0] for tree, _ in nodes],
        "nodes_values": [CUTS[tree][1] if node == 0 else 0.0 for tree, node in nodes],
        "nodes_modes": [mode if node == 0 else "LEAF" for _, node in nodes],
        "nodes_truenodeids": [1 if node == 0 else 0 for _, node in nodes],
        "nodes_falsenodeids": [2 if node == 0 else 0 for _, node in nodes],
    }
    leaves = [(tree, node, own) for tree in range(len(CUTS)) for node in (1, 2) for own in ((0, 1) if both else (0,))]
    what = "class" if operator == "TreeEnsembleClassifier" else "target"
    attributes |= {
        f"{what}_treeids": [tree for tree, _, _ in leaves],
        f"{what}_nodeids": [node for _, node, _ in leaves],
        f"{what}_ids": [own for _, _, own in leaves],
        f"{what}_weights": [WEIGHTS[tree][node - 1] * (1 - 1.5 * own) for tree, node, own in leaves],
    }
    if what == "class":
        attributes |= {"classlabels_int64s": [0, 1], "post_transform": "NONE" if both else "LOGISTIC"}
    else:
        attributes |= {"n_targets": 1}
    attributes |= changed
    outputs = ["label", "scores"] if what == "class" else ["scores"]
    node = helper.make_node(operator, ["rows"], outputs, domain="ai.onnx.ml", **attributes)
    kinds = {"label": TensorProto.INT64, "scores": TensorProto.FLOAT}
    graph = helper.make_graph(
        [node],
        "trees",
        [helper.make_tensor_value_info("rows", TensorProto.FLOAT, [None, 5])],
        [helper.make_tensor_value_info(name, kinds[name], None) for name in outputs],
    )
    sets = [helper.make_opsetid("", 18), helper.make_opsetid("ai.onnx.ml", 3)]
    path = tmp_path / "trees.onnx"
    onnx.save(helper.make_model(graph, opset_imports=sets), path)
    return path


@pytest.mark.parametrize("mode", ["BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT"])
@pytest.mark.parametrize("both", [False, True])
def test_decisions_are_those_of_the_reference_evaluator(tmp_path, mode, both):
    """All four comparisons, with the weights of one class and of both; values at the thresholds are among the rows."""
    path = model(tmp_path, mode, both=both)
    labels, _ = ReferenceEvaluator(str(path)).run(None, {"rows": ROWS.astype(np.float32)})
    committed = in_logits(imported(path).quantised, SPEC)
    assert ((committed > 0) == (labels == 1))[committed != 0].all()
    assert 0 < labels.mean() < 1
    assert (ROWS[:, 3] == 15).any()
    assert len(LABELS) == len(labels)


def test_a_regressor_is_read_as_a_score(tmp_path):
    """Its one target above 0."""
    path = model(tmp_path, "BRANCH_LEQ", operator="TreeEnsembleRegressor")
    (scores,) = ReferenceEvaluator(str(path)).run(None, {"rows": ROWS.astype(np.float32)})
    np.testing.assert_allclose(in_logits(imported(path).quantised, SPEC), scores[:, 0], atol=1e-3)


@pytest.mark.parametrize(
    ("mode", "options", "message"),
    [
        ("BRANCH_EQ", {}, "comparison 'BRANCH_EQ': splits by single values are not read: make one-hot"),
        ("BRANCH_LEQ", {"post_transform": "NONE"}, "decided differently by different runtimes"),
        ("BRANCH_LEQ", {"post_transform": "PROBIT"}, "post_transform 'PROBIT' is not read"),
        ("BRANCH_LEQ", {"classlabels_int64s": [0, 1, 2]}, "3 classes; only two are read"),
        ("BRANCH_LEQ", {"class_ids": [7] * 9 + [0]}, "class_ids: 7 is neither 0 nor 1"),
        ("BRANCH_LEQ", {"nodes_values": [1.0]}, "different lengths"),
    ],
)
def test_what_is_not_read_is_refused(tmp_path, mode, options, message):
    """Splits by categories, transforms on which runtimes disagree, several classes, and lists that do not fit."""
    with pytest.raises(ModelImportError, match=message):
        imported(model(tmp_path, mode, **options))
