#!/bin/sh
# Make the models of tests/vectors/onnx, with the decisions of onnxruntime: sh scripts/onnx_models.sh
# Run by hand, on Python 3.12 or 3.13, with network access: PYTHON names the interpreter. The libraries go into a folder
# that is removed; data are invented, with a fixed seed.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-deps -r "$root/scripts/newest_models.txt" onnxmltools==1.16.0
cd "$folder"
venv/bin/python -W ignore - "$root/tests/vectors/onnx" <<'PYTHON'
import json
import sys
from pathlib import Path

import lightgbm
import numpy as np
import onnx
import onnxruntime
import xgboost
from onnx import TensorProto, helper, numpy_helper
from onnxmltools.convert import convert_lightgbm, convert_xgboost
from onnxmltools.convert.common.data_types import FloatTensorType
from skl2onnx import to_onnx
from sklearn.ensemble import (
    ExtraTreesClassifier, GradientBoostingClassifier, HistGradientBoostingClassifier, RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

out = Path(sys.argv[1])
out.mkdir(exist_ok=True)
rng = np.random.default_rng(12)
count = 200
rows = np.stack([
    np.round(rng.normal(2500, 800, count) * 2) / 2, np.round(rng.uniform(1, 9, count), 2), rng.integers(0, 2, count)
], axis=1)
X = rows.astype(np.float32)
granted = ((X[:, 0] - 2500) / 800 - (X[:, 1] - 5) / 2 + 0.7 * X[:, 2] + rng.normal(0, 0.5, count) > 0).astype(int)
names = np.where(granted, "yes", "no")
small = {"max_depth": 3, "random_state": 0}
kind = [("X", FloatTensorType([None, 3]))]


def sklearn(model, labels=granted, first=X[:1], **options):
    return to_onnx(model.fit(X, labels), first, options={"zipmap": options.pop("zipmap", False)} or None)


def light(**options):
    options = {"n_estimators": 5, "num_leaves": 5, "verbose": -1, "n_jobs": 1, "random_state": 0} | options
    return lightgbm.LGBMClassifier(**options).fit(X, granted)


boosted = GradientBoostingClassifier(n_estimators=6, **small)
models = {
    "forest": sklearn(RandomForestClassifier(5, **small)),
    "forest-texts": sklearn(RandomForestClassifier(5, **small), names, zipmap=True),
    "forest-columns": sklearn(RandomForestClassifier(5, **small), zipmap="columns"),
    "forest-doubles": sklearn(RandomForestClassifier(5, **small), first=rows[:1]),
    "extra-trees": sklearn(ExtraTreesClassifier(5, **small)),
    "tree": sklearn(DecisionTreeClassifier(**small)),
    "boosting": sklearn(boosted),
    "boosting-texts": sklearn(boosted, names, zipmap=True),
    "histogram": sklearn(HistGradientBoostingClassifier(max_iter=6, **small)),
    "regressor": to_onnx(RandomForestRegressor(5, **small).fit(X, granted), X[:1]),
    "lightgbm": convert_lightgbm(light(), initial_types=kind, zipmap=False),
    "lightgbm-maps": convert_lightgbm(light(), initial_types=kind),
    "xgboost": convert_xgboost(
        xgboost.XGBClassifier(n_estimators=5, max_depth=2, n_jobs=1).fit(X, granted), initial_types=kind
    ),
}
refused = {
    "lightgbm-forest": convert_lightgbm(
        light(boosting_type="rf", bagging_fraction=0.5, bagging_freq=1), initial_types=kind
    ),
    "scaled": to_onnx(make_pipeline(StandardScaler(), RandomForestClassifier(3, **small)).fit(X, granted), X[:1]),
}


def behind(regressor, nodes, constants, outputs, element=TensorProto.FLOAT):
    """Put operators behind a regressor whose one result is "score"."""
    kinds = {"label": TensorProto.INT64, "name": TensorProto.STRING, "granted": TensorProto.BOOL}
    graph = helper.make_graph(
        [regressor, *nodes],
        "behind",
        [helper.make_tensor_value_info("X", element, [None, 3])],
        [helper.make_tensor_value_info(name, kinds.get(name, TensorProto.FLOAT), None) for name in outputs],
        [numpy_helper.from_array(np.array(value), name) for name, value in constants.items()],
    )
    sets = [helper.make_opsetid("", 18), helper.make_opsetid("ai.onnx.ml", 5 if regressor.op_type == "TreeEnsemble" else 3)]
    return helper.make_model(graph, opset_imports=sets, ir_version=9)


score = onnx.load_from_string(
    to_onnx(RandomForestRegressor(4, **small).fit(X, 4.0 * granted - 2 + rng.normal(0, 0.2, count)), X[:1])
    .SerializeToString()
).graph.node[0]
score.output[0] = "score"
probability = [helper.make_node("Sigmoid", ["score"], ["p"])]
pair = [
    *probability, helper.make_node("Sub", ["one", "p"], ["q"]), helper.make_node("Concat", ["q", "p"], ["both"], axis=1)
]
one = {"one": np.float32(1)}
models |= {
    "sigmoid": behind(score, [*probability, helper.make_node("Squeeze", ["p", "axes"], ["flat"])], {"axes": [1]}, ["flat"]),
    "cut": behind(
        score,
        [*probability, helper.make_node("Greater", ["p", "limit"], ["granted"])],
        {"limit": np.float32(0.7)},
        ["granted"],
    ),
    "named": behind(
        score,
        [
            *pair, helper.make_node("ArgMax", ["both"], ["place"], axis=1, keepdims=1),
            helper.make_node("ArrayFeatureExtractor", ["names", "place"], ["picked"], domain="ai.onnx.ml"),
            helper.make_node("Reshape", ["picked", "rows"], ["name"]),
        ],
        one | {"names": np.array(["no", "yes"], dtype=object), "rows": [-1]},
        ["name", "both"],
    ),
    "factors": behind(
        score,
        [
            helper.make_node("Mul", ["score", "two"], ["a"]), helper.make_node("Add", ["a", "half"], ["b"]),
            helper.make_node("Div", ["b", "four"], ["c"]), helper.make_node("Neg", ["c"], ["d"]),
            helper.make_node("Sub", ["one", "d"], ["e"]), helper.make_node("Reshape", ["e", "rows"], ["f"]),
        ],
        one | {"two": np.float32(2), "half": np.float32(0.5), "four": np.float32([4]), "rows": [-1]},
        ["f"],
    ),
}


def version_5(element):
    """Make a TreeEnsemble of two trees with all four comparisons and a leaf behind two splits."""
    numbers = TensorProto.FLOAT if element == TensorProto.FLOAT else TensorProto.DOUBLE
    splits = [2500.0, 4.35, 6.1, 0.5, 2100.5]
    weights = [-1.5, 0.75, 0.25, 1.25, -0.5]
    return helper.make_node(
        "TreeEnsemble", ["X"], ["score"], domain="ai.onnx.ml", n_targets=1, post_transform=0, aggregate_function=1,
        tree_roots=[0, 3], nodes_featureids=[0, 1, 1, 2, 0],
        nodes_splits=helper.make_tensor("splits", numbers, [5], splits),
        nodes_modes=helper.make_tensor("modes", TensorProto.UINT8, [5], [0, 1, 3, 2, 0]),
        nodes_truenodeids=[1, 0, 2, 4, 3], nodes_trueleafs=[0, 1, 1, 0, 1],
        nodes_falsenodeids=[2, 1, 1, 4, 4], nodes_falseleafs=[0, 1, 1, 1, 1],
        leaf_targetids=[0] * 5, leaf_weights=helper.make_tensor("weights", numbers, [5], weights),
    )  # fmt: skip


models |= {
    "version-5": behind(version_5(TensorProto.FLOAT), [], {}, ["score"]),
    "version-5-doubles": behind(version_5(TensorProto.DOUBLE), [], {}, ["score"], TensorProto.DOUBLE),
}
models["version-5-doubles"].graph.output[0].type.tensor_type.elem_type = TensorProto.DOUBLE

# Beside the rows of the training, some that lie on thresholds as doubles and as single floats.
for value in (4.35, 6.1, float(np.float32(4.35)), float(np.float32(6.1))):
    rows = np.concatenate([rows, rows[:2] * [1, 0, 1] + [0, value, 0]])
decisions = {"rows": rows.tolist()}
for name, model in {**models, **refused}.items():
    # Exporters name graphs at random, and sets of operators in any order.
    model.graph.name = name
    sets = sorted(((one.domain, one.version) for one in model.opset_import), reverse=True)
    del model.opset_import[:]
    model.opset_import.extend(helper.make_opsetid(*one) for one in sets)
    onnx.save(model, out / f"{name}.onnx")
    session = onnxruntime.InferenceSession(out / f"{name}.onnx", providers=["CPUExecutionProvider"])
    given = session.get_inputs()[0]
    element = np.float64 if given.type == "tensor(double)" else np.float32
    answers = {}
    for output, answer in zip(session.get_outputs(), session.run(None, {given.name: rows.astype(element)}), strict=True):
        if isinstance(answer, list):
            answer = np.array([list(row.values()) for row in answer])
        answers[output.name] = answer.tolist()
    decisions[name] = answers
lines = [f'"{name}": {json.dumps(own)}' for name, own in decisions.items()]
(out / "decisions.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")
PYTHON
echo "onnx: wrote tests/vectors/onnx"
