#!/bin/sh
# onnxruntime 1.32.0 adds base_values of a two-class TreeEnsembleClassifier to the scores of the wrong class.
# CatBoost 1.2.10 writes such a file with boost_from_average: most rows get the other label than CatBoost gives them, and
# than the reference evaluator of onnx 1.23.2 gives them. onnxruntime's score of the second class is b_1 + s_0, where s_0
# is the sum of the first class: the sign of all trees is turned. Exits 0 while this is so, 1 once it has changed.
#   PYTHON=python3.12 sh findings/onnxruntime-base-values.sh
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install -q catboost==1.2.10 numpy==2.4.6 onnx==1.23.2 onnxruntime==1.32.0 protobuf==6.33.6
venv/bin/python - <<'PYTHON'
import numpy as np
import onnx
import onnxruntime
from catboost import CatBoostClassifier
from onnx.reference import ReferenceEvaluator

rng = np.random.default_rng(0)
rows = rng.normal(size=(400, 3)).astype(np.float32)
labels = (rows[:, 0] - rows[:, 1] + rng.normal(size=400) > -1).astype(int)
model = CatBoostClassifier(
    iterations=8, depth=2, boost_from_average=True, verbose=0, random_seed=1, thread_count=1, allow_writing_files=False
).fit(rows, labels)
model.save_model("model.onnx", format="onnx")
file = onnx.load("model.onnx")
own = model.predict(rows)
runtime = onnxruntime.InferenceSession("model.onnx").run(["label"], {"features": rows})[0]
trees = file.graph.node[0]
base = onnx.helper.get_attribute_value(next(one for one in trees.attribute if one.name == "base_values"))
raw = model.predict(rows, prediction_type="RawFormulaVal")
turned = (base[1] - (raw - model.get_scale_and_bias()[1]) > 0).astype(int)
# The evaluator knows no sequences of maps: it is asked for the label alone.
del file.graph.node[1:], file.graph.output[1:]
file.opset_import.add(domain="", version=18)
reference = ReferenceEvaluator(file).run(["label"], {"features": rows})[0]
print("base_values", [round(one, 4) for one in base])
print("rows on which CatBoost and the reference evaluator differ:", int((own != reference).sum()), "of", len(own))
print("rows on which CatBoost and onnxruntime differ:", int((own != runtime).sum()))
print("rows on which onnxruntime and b_1 - (score without bias) differ:", int((turned != runtime).sum()))
assert (own == reference).all(), "the reference evaluator has changed"
assert (own != runtime).sum() > 100, "onnxruntime has changed"
assert (turned == runtime).all(), "onnxruntime has changed"
PYTHON
