#!/bin/sh
# Make the models of tests/vectors/onnx/linear, with the decisions of onnxruntime: sh scripts/onnx_linear.sh
# Run by hand, on Python 3.12 or 3.13, with network access: PYTHON names the interpreter. The libraries go into a folder
# that is removed; data are invented, with a fixed seed.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-deps -r "$root/scripts/newest_models.txt"
cd "$folder"
venv/bin/python -W ignore - "$root/tests/vectors/onnx/linear" <<'PYTHON'
import json
import sys
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
from onnx import helper
from skl2onnx import to_onnx
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import (
    LinearRegression, LogisticRegression, Perceptron, Ridge, RidgeClassifier, SGDClassifier,
)
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, Normalizer, RobustScaler, StandardScaler
from sklearn.svm import LinearSVC

out = Path(sys.argv[1])
out.mkdir(exist_ok=True)
rng = np.random.default_rng(59)
count = 80
rows = np.stack([
    np.round(rng.normal(2500, 800, count) * 2) / 2, np.round(rng.uniform(1, 9, count), 2), rng.integers(0, 2, count)
], axis=1)
X = rows.astype(np.float32)
granted = ((X[:, 0] - 2500) / 800 - (X[:, 1] - 5) / 2 + 0.7 * X[:, 2] + rng.normal(0, 0.5, count) > 0).astype(int)
names = np.where(granted, "yes", "no")
several = np.digitize(X[:, 0] - 200 * X[:, 1], [1200, 1900])
small = {"max_depth": 3, "random_state": 0}


def written(last, scaler=StandardScaler, labels=granted, doubles=False, **options):
    model = last if scaler is None else make_pipeline(scaler(), last)
    given = rows if doubles else X
    return to_onnx(model.fit(given, labels), given[:1], options={id(last): options} if options else None)


plain = {"zipmap": False}
models = {
    "logistic": written(LogisticRegression(max_iter=3000), None),
    "logistic-scaled": written(LogisticRegression(), **plain),
    "logistic-doubles": written(LogisticRegression(), doubles=True, **plain),
    "logistic-texts": written(LogisticRegression(), labels=names),
    "logistic-raw": written(LogisticRegression(), raw_scores=True, **plain),
    "logistic-several": written(LogisticRegression(), labels=several, **plain),
    "logistic-minmax": written(LogisticRegression(), MinMaxScaler, **plain),
    "logistic-robust": written(LogisticRegression(), RobustScaler, **plain),
    # A pipeline that ends in a LinearSVC is exported with raw_scores only; alone it gives the score of one class.
    "svc": written(LinearSVC(max_iter=9), None),
    "svc-scaled": written(LinearSVC(), raw_scores=True),
    "svc-several": written(LinearSVC(), labels=several, raw_scores=True),
    "ridge": written(Ridge()),
    "regression-doubles": written(LinearRegression(), doubles=True),
    "ridge-classifier": written(RidgeClassifier()),
    "sgd": written(SGDClassifier(loss="log_loss", random_state=0), **plain),
    "hinge": written(SGDClassifier(random_state=0), **plain),
    "discriminant": written(LinearDiscriminantAnalysis(), **plain),
    "perceptron": written(Perceptron(random_state=0)),
    "network": written(MLPClassifier((3,), max_iter=300, random_state=0), **plain),
    "network-several": written(MLPClassifier((3,), max_iter=300, random_state=0), labels=several, **plain),
    "forest-scaled": written(RandomForestClassifier(3, **small), **plain),
    "forest-doubles": written(RandomForestClassifier(3, **small), doubles=True, **plain),
    "boosting-minmax": written(GradientBoostingClassifier(n_estimators=4, **small), MinMaxScaler, **plain),
    "normalised": written(LogisticRegression(), Normalizer, **plain),
}
trees = [name for name, model in models.items() if any(node.op_type.startswith("Tree") for node in model.graph.node)]
decisions = {"trained": count}
# Behind the rows of the training, some on the thresholds of the trees and beside them, where single floats decide.
for name in trees:
    session = onnxruntime.InferenceSession(models[name].SerializeToString(), providers=["CPUExecutionProvider"])
    kind = np.float64 if "double" in session.get_inputs()[0].type else np.float32
    for column, (low, high) in enumerate([(2200.0, 2600.0), (4.0, 6.0)]):
        grid = np.linspace(low, high, 4001)
        many = np.tile(rows[0], (len(grid), 1))
        many[:, column] = grid
        scores = session.run(None, {"X": many.astype(kind)})[1][:, 1]
        for place in np.flatnonzero(np.diff(scores))[:3]:
            near = [grid[place], grid[place + 1]]
            for _ in range(60):
                middle = sum(near) / 2
                one = rows[:1].copy()
                one[0, column] = middle
                same = session.run(None, {"X": one.astype(kind)})[1][0, 1] == scores[place]
                near[0 if same else 1] = middle
            for value in near:
                rows = np.concatenate([rows, many[:1] * (np.arange(3) != column) + value * (np.arange(3) == column)])
decisions["rows"] = rows.tolist()
for name, model in models.items():
    # Exporters name graphs at random, and sets of operators in any order and twice.
    model.graph.name = name
    sets = sorted({(one.domain, one.version) for one in model.opset_import}, reverse=True)
    del model.opset_import[:]
    model.opset_import.extend(helper.make_opsetid(*one) for one in sets)
    onnx.save(model, out / f"{name}.onnx")
    session = onnxruntime.InferenceSession(out / f"{name}.onnx", providers=["CPUExecutionProvider"])
    kind = np.float64 if "double" in session.get_inputs()[0].type else np.float32
    answers = {}
    for output, answer in zip(session.get_outputs(), session.run(None, {"X": rows.astype(kind)}), strict=True):
        if isinstance(answer, list):
            answer = np.array([list(row.values()) for row in answer])
        answers["label" if "label" in output.name else "scores"] = answer.tolist()
    decisions[name] = answers
lines = [f'"{name}": {json.dumps(own)}' for name, own in decisions.items()]
(out / "decisions.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")
PYTHON
echo "onnx: wrote tests/vectors/onnx/linear"
