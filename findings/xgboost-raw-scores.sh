#!/bin/sh
# XGBoost 3.4.1: an XGBClassifier with objective="binary:logitraw", documented as the score before the logistic function,
# takes its scores for probabilities. predict decides for the second class above a score of 0.5, which is a probability of
# 0.62; predict_proba gives "probabilities" below 0 and above 1. Exits 0 while this is so, 1 once it has changed.
#   PYTHON=python3.12 sh findings/xgboost-raw-scores.sh
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install -q numpy==2.4.6 scikit-learn==1.9.1 xgboost-cpu==3.4.1
venv/bin/python -W ignore - <<'PYTHON'
import numpy as np
import xgboost

rng = np.random.default_rng(0)
rows = rng.normal(size=(400, 3))
labels = (rows[:, 0] - rows[:, 1] + rng.normal(size=400) > 0).astype(int)
model = xgboost.XGBClassifier(objective="binary:logitraw", n_estimators=5, max_depth=2, n_jobs=1).fit(rows, labels)
score, own, shares = model.predict(rows, output_margin=True), model.predict(rows), model.predict_proba(rows)
likelier = (1 / (1 + np.exp(-score)) > 0.5).astype(int)
print("second class:", int(own.sum()), "rows by predict,", int(likelier.sum()), "with a probability above one half")
print("predict_proba from", round(float(shares.min()), 3), "to", round(float(shares.max()), 3))
assert (own == (score > 0.5)).all(), "predict has changed"
assert likelier.sum() - own.sum() > 20, "predict has changed"
assert shares.min() < 0 and shares.max() > 1, "predict_proba has changed"
PYTHON
