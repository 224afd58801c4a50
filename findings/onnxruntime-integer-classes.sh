#!/bin/sh
# onnxruntime 1.32.0 answers 0 and 1 for a TreeEnsembleClassifier with weights of both classes, whatever whole numbers
# classlabels_int64s names. A CatBoost 1.2.10 model with class_names=[1, 0] gets the wrong label on every row, one of -1
# and 1 on every row of class -1. Classes that are texts are right. Exits 0 while this is so, 1 once it has changed.
#   PYTHON=python3.12 sh findings/onnxruntime-integer-classes.sh
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install -q catboost==1.2.10 numpy==2.4.6 onnxruntime==1.32.0
venv/bin/python - <<'PYTHON'
import numpy as np
import onnxruntime
from catboost import CatBoostClassifier

rng = np.random.default_rng(0)
rows = rng.normal(size=(400, 3)).astype(np.float32)
labels = (rows[:, 0] - rows[:, 1] + rng.normal(size=400) > 0).astype(int)
small = {"iterations": 8, "depth": 2, "verbose": 0, "random_seed": 1, "thread_count": 1, "allow_writing_files": False}
cases = {
    "class_names=[1, 0]": (labels, {"class_names": [1, 0]}, len(rows)),
    "-1 and 1": (labels * 2 - 1, {}, None),
    "no and yes": (np.where(labels, "yes", "no"), {}, 0),
}
for name, (own_labels, options, expected) in cases.items():
    model = CatBoostClassifier(**small, **options).fit(rows, own_labels)
    model.save_model("model.onnx", format="onnx")
    runtime = onnxruntime.InferenceSession("model.onnx").run(["label"], {"features": rows})[0]
    own = model.predict(rows)
    expected = int((own == -1).sum()) if expected is None else expected
    differing = int((own.astype(str) != runtime.astype(str)).sum())
    print(f"classes {name}: {differing} of {len(rows)} rows have another label; answers", sorted(set(runtime.tolist())))
    assert differing == expected, "onnxruntime has changed"
PYTHON
