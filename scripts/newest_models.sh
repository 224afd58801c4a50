#!/bin/sh
# Make the models of tests/vectors/models, with the decisions of the libraries that wrote them: sh scripts/newest_models.sh
# Run by hand, on Python 3.12 or 3.13, with network access: PYTHON names the interpreter. XGBoost comes in the newest
# release, in the oldest supported one, and in each between them that moved what it writes; of LightGBM and interpret the
# newest is the oldest supported. Libraries go into a folder that is removed; data are invented, with a fixed seed.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3.13}" -m venv "$folder/venv"
cd "$folder"
cat > make.py <<'PYTHON'
import json
import sys
from pathlib import Path

import numpy as np
import pandas as pd

out = Path(sys.argv[1])
rng = np.random.default_rng(17)
count = 200
table = pd.DataFrame({
    "income": np.round(rng.normal(2500, 800, count) * 2) / 2,
    "debt": np.round(np.maximum(0, rng.normal(-500, 3000, count))),
    "sex": rng.integers(0, 2, count).astype(float),
})
score = (table.income - 2500) / 800 - (table.debt - 1000) / 2500 + 0.7 * table.sex
granted = (score + rng.normal(0, 0.5, count) > 0).astype(int).to_numpy()
# Beside the rows of the training: numbers next to each other in single precision, and 0.
rows = pd.concat([table[:100], table[:20].assign(debt=0.0), table[:20].assign(income=table.income[:20] + 0.25)])
rows = rows.reset_index(drop=True)
decisions = {"rows": rows.to_dict("list")}


def kept(name, margins, labels):
    decisions[name] = {"margins": np.round(np.asarray(margins, float), 9).tolist(), "labels": np.asarray(labels, int).tolist()}


def of_xgboost():
    import scipy.sparse
    import xgboost

    release = xgboost.__version__
    small = {"objective": "binary:logistic", "max_depth": 3, "eta": 0.4, "nthread": 1, "seed": 3}
    asked = xgboost.DMatrix(rows)

    def written(name, options, rounds=6, data=None):
        matrix = xgboost.DMatrix(table, granted) if data is None else data
        model = xgboost.train({**small, **options}, matrix, rounds)
        file = f"xgboost-{release}-{name}.json"
        model.save_model(out / file)
        margins = model.predict(asked, output_margin=True)
        cut = 0.5 if options.get("objective") == "reg:squarederror" else 0
        kept(file, margins, margins > cut)

    written("trees", {})
    written("dropout", {"booster": "dart", "rate_drop": 0.5, "one_drop": 1}, 10)
    written("forest", {"num_parallel_tree": 4, "subsample": 0.6}, 2)
    written("raw", {"objective": "binary:logitraw", "base_score": 0.2})
    written("regressor", {"objective": "reg:squarederror"})
    sparse = scipy.sparse.csr_matrix(table.to_numpy())
    named = {"feature_names": list(table)}
    written("sparse", {}, data=xgboost.DMatrix(sparse, granted, **named))


def of_others():
    import lightgbm
    from interpret.glassbox import ExplainableBoostingClassifier

    small = {"objective": "binary", "num_leaves": 6, "learning_rate": 0.3, "verbose": -1, "num_threads": 1, "seed": 3,
             "min_data_in_leaf": 5}
    for name, options in {
        "trees": {},
        "dropout": {"boosting": "dart", "drop_rate": 0.5, "skip_drop": 0.0},
        "forest": {"boosting": "rf", "bagging_freq": 1, "bagging_fraction": 0.6},
        "sigmoid": {"sigmoid": 2.0, "monotone_constraints": [1, -1, 0]},
        "regressor": {"objective": "regression"},
    }.items():
        model = lightgbm.train({**small, **options}, lightgbm.Dataset(table, granted), 6)
        file = f"lightgbm-{lightgbm.__version__}-{name}.txt"
        model.save_model(out / file)
        predicted = model.predict(rows)
        kept(file, predicted - 0.5 if name == "regressor" else np.log(predicted / (1 - predicted)), predicted > 0.5)
    from importlib.metadata import version

    texts = {0.0: "female", 1.0: "male"}
    for name, blank, options in (("pairs", "", {"interactions": [("income", "sex"), ("income", "debt")]}), ("blank", " ", {})):
        own, asked = (one.assign(sex=blank + one.sex.map(texts)) for one in (table, rows))
        chosen = {"interactions": 0, "max_rounds": 60, "max_bins": 12, "max_interaction_bins": 6, "outer_bags": 1,
                  "n_jobs": 1, "random_state": 3, "learning_rate": 0.1, **options}
        model = ExplainableBoostingClassifier(**chosen).fit(own, granted)
        file = f"interpret-{version('interpret-core')}-{name}.json"
        model.to_json(out / file, detail="minimal")
        kept(file, model.decision_function(asked), model.predict(asked))


out.mkdir(exist_ok=True)
of_xgboost() if sys.argv[2] == "xgboost" else of_others()
path = out / "decisions.json"
known = json.loads(path.read_text()) if path.exists() else {}
lines = [f'"{name}": {json.dumps(own)}' for name, own in {**known, **decisions}.items()]
path.write_text("{\n" + ",\n".join(lines) + "\n}\n")
PYTHON
rm -rf "$root/tests/vectors/models"
install() {
    venv/bin/pip install -q numpy==2.4.6 pandas==3.1.1 scipy==1.17.1 "$@"
}
for release in 3.2.0 3.3.0 3.4.1; do
    install "xgboost-cpu==$release"
    venv/bin/python -W ignore make.py "$root/tests/vectors/models" xgboost
done
install lightgbm==4.7.0 interpret-core==0.7.8
venv/bin/python -W ignore make.py "$root/tests/vectors/models" others
echo "models: wrote tests/vectors/models"
