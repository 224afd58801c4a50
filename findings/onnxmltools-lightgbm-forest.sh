#!/bin/sh
# onnxmltools 1.16.0 converts a LightGBM 4.7.0 random forest (boosting_type="rf") into a file that never answers the
# second class: it divides the probability by num_iterations of the parameters (100 by default, whatever the number of
# trees) behind the logistic function, where LightGBM takes the mean of the trees before it. Exits 0 while this is so, 1
# once it has changed.
#   PYTHON=python3.12 sh findings/onnxmltools-lightgbm-forest.sh
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install -q lightgbm==4.7.0 numpy==2.4.6 onnx==1.23.2 onnxmltools==1.16.0 onnxruntime==1.32.0 \
    protobuf==6.33.6 scikit-learn==1.9.1 skl2onnx==1.20.0
venv/bin/python -W ignore - <<'PYTHON'
import lightgbm
import numpy as np
import onnxruntime
from onnx import numpy_helper
from onnxmltools.convert import convert_lightgbm
from onnxmltools.convert.common.data_types import FloatTensorType

rng = np.random.default_rng(0)
rows = rng.normal(size=(400, 3)).astype(np.float32)
labels = (rows[:, 0] - rows[:, 1] + rng.normal(size=400) > 0).astype(int)
model = lightgbm.LGBMClassifier(
    boosting_type="rf", n_estimators=5, num_leaves=5, bagging_fraction=0.5, bagging_freq=1, verbose=-1, n_jobs=1,
    random_state=0,
).fit(rows, labels)
file = convert_lightgbm(model, initial_types=[("X", FloatTensorType([None, 3]))], zipmap=False)
(divisor,) = [numpy_helper.to_array(one) for one in file.graph.initializer if one.name == "denominator"]
session = onnxruntime.InferenceSession(file.SerializeToString())
runtime, shares = session.run(None, {"X": rows})
own = model.predict(rows)
print("trees:", model.n_estimators_, "divisor in the file:", float(divisor))
print("second class by LightGBM:", int(own.sum()), "by the file:", int(runtime.sum()), "of", len(rows))
print("largest probability by LightGBM:", round(float(model.predict_proba(rows)[:, 1].max()), 3),
      "by the file:", round(float(np.asarray(shares)[:, 1].max()), 4))
assert own.sum() > 100, "LightGBM has changed"
assert runtime.sum() == 0, "onnxmltools has changed"
PYTHON
