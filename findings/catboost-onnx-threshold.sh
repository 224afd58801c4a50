#!/bin/sh
# CatBoost 1.2.10 leaves the threshold of a model (set_probability_threshold) out of its ONNX export, in silence: the file
# decides from probability 0.5 on. Its JSON keeps it (binclass_probability_threshold). A scale that is not 1 is refused by
# the same export. Exits 0 while this is so, 1 once it has changed.
#   PYTHON=python3.12 sh findings/catboost-onnx-threshold.sh
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install -q catboost==1.2.10 numpy==2.4.6 onnxruntime==1.32.0
venv/bin/python - <<'PYTHON'
import json
from pathlib import Path

import numpy as np
import onnxruntime
from catboost import CatBoostClassifier

rng = np.random.default_rng(0)
rows = rng.normal(size=(400, 3)).astype(np.float32)
labels = (rows[:, 0] - rows[:, 1] + rng.normal(size=400) > 0).astype(int)
model = CatBoostClassifier(
    iterations=8, depth=2, verbose=0, random_seed=1, thread_count=1, allow_writing_files=False
).fit(rows, labels)
model.set_probability_threshold(0.3)
model.save_model("model.onnx", format="onnx")
model.save_model("model.json", format="json")
own = model.predict(rows)
runtime, _ = onnxruntime.InferenceSession("model.onnx").run(None, {"features": rows})
half = (model.predict_proba(rows)[:, 1] > 0.5).astype(int)
kept = json.loads(Path("model.json").read_text())["model_info"]["binclass_probability_threshold"]
print("threshold in the JSON file:", kept)
print("rows that the ONNX file decides otherwise:", int((own != runtime).sum()), "of", len(rows))
assert float(kept) == 0.3, "the JSON export has changed"
assert (own != runtime).sum() > 20, "the ONNX export has changed"
assert (half == runtime).all(), "the ONNX export has changed"
PYTHON
