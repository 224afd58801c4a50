#!/bin/sh
# onnxmltools 1.16.0 converts an XGBoost 3.4.1 regressor with objective reg:logistic into a file that answers neither its
# predictions nor its logits: the logistic function is left out, and base_score, a share, is added to the logits as it is.
# There is no error and no warning. Exits 0 while this is so, 1 once it has changed.
#   PYTHON=python3.12 sh findings/onnxmltools-xgboost-logistic-regressor.sh
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install -q numpy==2.4.6 onnx==1.23.2 onnxmltools==1.16.0 onnxruntime==1.32.0 protobuf==6.33.6 \
    scikit-learn==1.9.1 skl2onnx==1.20.0 xgboost-cpu==3.4.1
venv/bin/python - <<'PYTHON'
import json
import warnings

import numpy as np
import onnxruntime
import xgboost
from onnxmltools.convert import convert_xgboost
from onnxmltools.convert.common.data_types import FloatTensorType

rng = np.random.default_rng(0)
rows = rng.normal(size=(400, 3)).astype(np.float32)
labels = (rows[:, 0] - rows[:, 1] + rng.normal(size=400) > -1).astype(int)
model = xgboost.XGBRegressor(objective="reg:logistic", n_estimators=5, max_depth=2, n_jobs=1).fit(rows, labels)
with warnings.catch_warnings(record=True) as warned:
    warnings.simplefilter("always")
    file = convert_xgboost(model, initial_types=[("X", FloatTensorType([None, 3]))])
runtime = onnxruntime.InferenceSession(file.SerializeToString()).run(None, {"X": rows})[0].ravel()
own, logits = model.predict(rows), model.predict(rows, output_margin=True)
written = json.loads(model.get_booster().save_config())["learner"]["learner_model_param"]["base_score"]
base = float(written.strip("[]"))
print("operators:", [node.op_type for node in file.graph.node], "warnings:", [str(one.message) for one in warned])
print("XGBoost predicts", round(float(own.min()), 3), "to", round(float(own.max()), 3),
      "and the file", round(float(runtime.min()), 3), "to", round(float(runtime.max()), 3))
gaps = runtime - logits
print("file less logits:", round(float(gaps.min()), 4), "to", round(float(gaps.max()), 4),
      "and base_score less its logit:", round(base - float(np.log(base / (1 - base))), 4))
assert own.min() > 0 and own.max() < 1, "XGBoost has changed"
assert runtime.max() > 1, "onnxmltools has changed"
assert np.abs(gaps - (base - np.log(base / (1 - base)))).max() < 1e-5, "onnxmltools has changed"
PYTHON
