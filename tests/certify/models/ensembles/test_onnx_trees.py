"""Operators of trees in ONNX files: decisions of onnx's own reference evaluator, and what is refused."""

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

from equiproof.certify.models.ensembles import onnx_attributes
from equiproof.certify.models.ensembles.reading import read_ensemble
from equiproof.certify.models.importing import ModelImportError
from tests.certify.models.ensembles import trees_small
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
    committed = in_logits(imported(path).model, SPEC)
    assert ((committed > 0) == (labels == 1))[committed != 0].all()
    assert 0 < labels.mean() < 1
    assert (ROWS[:, 3] == 15).any()
    assert len(LABELS) == len(labels)


def test_a_regressor_is_read_as_a_score(tmp_path):
    """Its one target above 0."""
    path = model(tmp_path, "BRANCH_LEQ", operator="TreeEnsembleRegressor")
    (scores,) = ReferenceEvaluator(str(path)).run(None, {"rows": ROWS.astype(np.float32)})
    np.testing.assert_allclose(in_logits(imported(path).model, SPEC), scores[:, 0], atol=1e-3)


@pytest.mark.parametrize(
    ("mode", "options", "message"),
    [
        ("BRANCH_EQ", {}, "comparison 'BRANCH_EQ': splits by single values are not read: make one-hot"),
        ("BRANCH_LEQ", {"post_transform": "NONE"}, "decided differently by different runtimes"),
        (
            "BRANCH_LEQ",
            {"post_transform": "PROBIT"},
            "export it with NONE or LOGISTIC: post_transform 'PROBIT' is not read",
        ),
        ("BRANCH_MEMBER", {}, "comparison 'BRANCH_MEMBER': splits by single values are not read"),
        ("BRANCH_OTHER", {}, "comparison 'BRANCH_OTHER': is not read"),
        ("BRANCH_LEQ", {"classlabels_int64s": [0, 1, 2]}, "3 classes; only two are read"),
        ("BRANCH_LEQ", {"class_ids": [7] * 9 + [0]}, "class_ids: 7 is neither 0 nor 1"),
        ("BRANCH_LEQ", {"nodes_values": [1.0]}, "different lengths"),
    ],
)
def test_what_is_not_read_is_refused(tmp_path, mode, options, message):
    """Splits by categories, transforms on which runtimes disagree, several classes, and lists that do not fit."""
    with pytest.raises(ModelImportError, match=message):
        imported(model(tmp_path, mode, **options))


def changed_at(values, place, value):
    """Return a list with one entry changed."""
    return [*values[:place], value, *values[place + 1 :]]


TRUE_NODES = [1, 0, 0] * len(CUTS)
HOSTILE = {
    "a cycle": ({"nodes_truenodeids": changed_at(TRUE_NODES, 0, 0)}, "tree 0: its nodes do not form one tree"),
    "a negative node": ({"nodes_truenodeids": changed_at(TRUE_NODES, 0, -1)}, "tree 0: its nodes do not form one tree"),
    "an unknown node": ({"nodes_truenodeids": changed_at(TRUE_NODES, 0, 99)}, "tree 0: its nodes do not form one tree"),
    "a negative column": ({"nodes_featureids": [-1] * 15}, "splits on input 0 of 5"),
    "a column too many": ({"nodes_featureids": [5] * 15}, "splits on input 6 of 5"),
    "a threshold that is no number": ({"nodes_values": [float("nan")] * 15}, "'nodes_values': a number is not finite"),
    "a leaf that is no number": ({"class_weights": [float("inf")] * 10}, "'class_weights': a number is not finite"),
    "a node twice": ({"nodes_nodeids": [0, 1, 1] * 5}, "tree 0 has two nodes 1, or stands in two places"),
    "a tree in two places": (
        {"nodes_treeids": [0] * 3 + [1] * 3 + [0] * 9, "nodes_nodeids": [0, 1, 2] * 2 + [3, 4, 5] * 3},
        "tree 0 has two nodes 3, or stands in two places",
    ),
    "weights of an unknown node": ({"class_nodeids": [7] * 10}, "class_nodeids: tree 0 has no node 7"),
    "weights of a split": ({"class_nodeids": [0] * 10}, "node 0 of tree 0 has weights and is not a leaf"),
    "an attribute of another operator": ({"n_targets": 1}, "attribute 'n_targets' is not understood"),
    "an attribute of another type": ({"post_transform": 3}, "attribute 'post_transform' is not understood"),
    "floats and doubles of one name": (
        {"nodes_values_as_tensor": helper.make_tensor("t", TensorProto.DOUBLE, (15,), [0.5] * 15)},
        "attribute 'nodes_values' stands there twice",
    ),
    "base values of one class": ({"base_values": [0.5, 0.5]}, "2 base_values with weights of class 0 only"),
}  # fmt: skip


@pytest.mark.parametrize("kind", HOSTILE)
def test_nodes_that_do_not_fit_together_are_refused_by_name(tmp_path, kind):
    """One change of an honest operator, and the line that names it."""
    options, message = HOSTILE[kind]
    with pytest.raises(ModelImportError, match=message) as refused:
        imported(model(tmp_path, "BRANCH_LEQ", **options))
    assert "\n" not in str(refused.value)


def test_lists_are_bounded_before_they_are_decoded(tmp_path, monkeypatch):
    """The limit of entries is looked at on the message itself."""
    monkeypatch.setattr(onnx_attributes, "MAX_LIST", 14)
    with pytest.raises(ModelImportError, match="has 15 entries; at most 14 are read"):
        imported(model(tmp_path, "BRANCH_LEQ"))


def resaved(path, sets, *, behind=()):
    """Write a file again with other sets of operators, and with operators behind its scores."""
    file = onnx.load(path)
    del file.opset_import[:]
    file.opset_import.extend(helper.make_opsetid(*one) for one in sets)
    file.graph.node.extend(behind)
    shapes = {"wide": [1, -1], "flat": [-1]}
    file.graph.initializer.extend(numpy_helper.from_array(np.array(one), name) for name, one in shapes.items())
    onnx.save(file, path)
    return path


TREES = ("ai.onnx.ml", 3)


@pytest.mark.parametrize("sets", [[TREES], [TREES, ("", 18), ("", 18)], [("ai.onnx", 18), TREES, ("", 18), TREES]])
def test_sets_of_operators_may_be_absent_or_named_twice(tmp_path, sets):
    """The main set need not be named where no operator is of it, and exporters name sets twice."""
    path = resaved(model(tmp_path, "BRANCH_LEQ"), sets)
    assert imported(path).model == imported(model(tmp_path, "BRANCH_LEQ")).model


@pytest.mark.parametrize(
    ("sets", "message"),
    [
        (
            [("", 18)],
            r"TreeEnsembleClassifier: export it again: the file does not say of which version ai\.onnx\.ml is",
        ),
        ([TREES], r"Neg: export it again: the file does not say of which version ai\.onnx is"),
        ([TREES, ("", 18), ("", 9)], r"operators of ai\.onnx in versions 18 and 9"),
        ([("ai.onnx.ml", 6), ("", 18)], r"operators of ai\.onnx\.ml in version 6; 1 to 5 are read"),
    ],
)
def test_sets_of_operators_that_are_missing_or_disagree_are_named(tmp_path, sets, message):
    """With the operator that needs the set."""
    behind = [helper.make_node("Neg", ["scores"], ["negative"])]
    with pytest.raises(ModelImportError, match=message):
        imported(resaved(model(tmp_path, "BRANCH_LEQ"), sets, behind=behind))


BEHIND = {
    "a second operator of trees": ("TreeEnsembleRegressor", ["rows"], {}, "is the second operator of trees"),
    "another operator": ("Exp", ["scores"], {}, r"Exp .*: is not read with trees; behind TreeEnsembleClassifier"),
    "rows beside the trees": ("Neg", ["rows"], {}, "changes the rows before the trees"),
    "scores as whole numbers": ("Cast", ["scores"], {"to": TensorProto.INT64}, "rounds scores to another type"),
    "scores times scores": ("Mul", ["scores", "scores"], {}, "takes 'scores', which is no constant"),
    "an unknown constant": ("Add", ["scores", "nothing"], {}, "takes 'nothing', which is no constant"),
    "probabilities of probabilities": ("Sigmoid", ["scores"], {}, "takes something else than a logit"),
    "the last of equal ones": (
        "ArgMax",
        ["scores"],
        {"axis": 1, "select_last_index": 1},
        "the first one where they are equal",
    ),
    "rows below each other": ("Concat", ["scores", "scores"], {"axis": 0}, "puts rows below each other"),
    "rows in one row": ("Reshape", ["label", "wide"], {}, "mixes rows or classes"),
    "classes in one row": ("Reshape", ["scores", "flat"], {}, "mixes rows or classes"),
    "a Squeeze of two columns": ("Squeeze", ["scores"], {}, "mixes rows or classes"),
    "an unknown attribute": ("Neg", ["scores"], {"speed": 1}, "attribute 'speed' is not understood"),
}


@pytest.mark.parametrize("kind", BEHIND)
def test_an_operator_behind_the_trees_that_is_not_read_is_named(tmp_path, kind):
    """Whatever would change the order of scores, or mix rows."""
    operator, inputs, attributes, message = BEHIND[kind]
    domain = "ai.onnx.ml" if operator.startswith("Tree") else ""
    node = helper.make_node(operator, inputs, ["behind"], domain=domain, **attributes)
    with pytest.raises(ModelImportError, match=message) as refused:
        imported(resaved(model(tmp_path, "BRANCH_LEQ"), [TREES, ("", 18)], behind=[node]))
    assert len(str(refused.value).removeprefix(str(tmp_path))) <= 400


@pytest.mark.parametrize(
    ("inputs", "outputs", "message"),
    [(["scores"], ["label"], "the name 'label' stands for two values"), (["rows"], [], "gives no result")],
)
def test_names_have_one_value(tmp_path, inputs, outputs, message):
    """A result under a name that is taken, and an operator without a result."""
    node = helper.make_node("Identity", inputs, outputs)
    with pytest.raises(ModelImportError, match=message):
        imported(resaved(model(tmp_path, "BRANCH_LEQ"), [TREES, ("", 18)], behind=[node]))


def test_shares_of_both_classes_are_read_as_the_standard_has_them(tmp_path):
    """onnxruntime decides by the second share being above 0, for everybody: that reading is there, and said."""
    path = model(tmp_path, "BRANCH_LEQ", both=True, class_weights=[0.15, 0.05] * 5 + [0.05, 0.15] * 5)
    labels, _ = ReferenceEvaluator(str(path)).run(None, {"rows": ROWS.astype(np.float32)})
    ensemble = read_ensemble(path)
    assert trees_small.labels(ensemble, ROWS) == labels.tolist()
    assert set(trees_small.labels(ensemble.other, ROWS)) == {1}
    assert ensemble.scale == "share"
    assert ensemble.ties.likely
    assert "onnxruntime decides by the second one alone" in ensemble.notes[0]
