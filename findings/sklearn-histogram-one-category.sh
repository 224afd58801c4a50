#!/bin/sh
# HistGradientBoostingRegressor (and Classifier) of scikit-learn 1.9.1, with categorical_features: a feature with one category and missing
# values is split between these two, but the fitted node keeps no set of its own and reads the first set of the tree, which is another
# feature's. So the category, whose code is 0, goes wherever code 0 of the other feature goes. Training parts it from missing values
# by 1 in the target; whether predictions do depends on which values of the other feature have the higher target.
# Exits 0 while this is so, 1 once it has changed.
#   PYTHON=python3.12 sh findings/sklearn-histogram-one-category.sh
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv own
own/bin/pip install -q scikit-learn==1.9.1 numpy==2.4.6
cat >program.py <<'PROGRAM'
import sys

import numpy as np
import sklearn
from sklearn.ensemble import HistGradientBoostingRegressor

rng = np.random.default_rng(0)
color = rng.integers(0, 4, 400).astype(float)
there = rng.random(400) < 0.5
rows = np.column_stack([color, np.where(there, 0.0, np.nan)])
print(f"scikit-learn {sklearn.__version__}, numpy {np.__version__}")


def gap(higher):
    """Return how far the predictions of a missing value and of the only category are apart, which the target has at 1."""
    model = HistGradientBoostingRegressor(
        max_iter=1, max_leaf_nodes=4, learning_rate=1.0, categorical_features=[0, 1], min_samples_leaf=5
    ).fit(rows, np.isin(color, higher) * 4.0 + ~there)
    missing, stated = model.predict(np.array([[1.0, np.nan], [1.0, 0.0]]))
    print(f"colors {higher} higher by 4: missing {missing:.3f}, the category {stated:.3f}")
    return missing - stated


right, wrong = gap((1, 3)), gap((0, 2))
sys.exit(0 if abs(right - 1) < 1e-3 and abs(wrong) < 1e-3 else 1)
PROGRAM
own/bin/python -W ignore program.py
