#!/bin/sh
# Make the models of tests/vectors/catboost, with the decisions of CatBoost and onnxruntime: sh scripts/catboost_models.sh
# Run by hand, on Python 3.12 or 3.13, with network access: PYTHON names the interpreter. The libraries go into a folder
# that is removed; data are invented, with a fixed seed, and files keep nothing about who made them or when.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-deps -r "$root/scripts/newest_models.txt"
cd "$folder"
venv/bin/python - "$root/tests/vectors/catboost" <<'PYTHON'
import json
import sys
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pandas as pd
from catboost import CatBoostClassifier, CatBoostRegressor, Pool

out = Path(sys.argv[1])
out.mkdir(exist_ok=True)
rng = np.random.default_rng(11)
count = 240
table = pd.DataFrame({
    "income": np.round(rng.normal(2500, 800, count) * 2) / 2,
    "rate": np.round(rng.uniform(1, 9, count), 2),
    "sex": rng.integers(0, 2, count).astype(float),
})
score = (table.income - 2500) / 800 - (table.rate - 5) / 2 + 0.7 * table.sex
granted = (score + rng.normal(0, 0.5, count) > 0).astype(int)
shares = 1 / (1 + np.exp(-score))
small = {"iterations": 6, "depth": 3, "learning_rate": 0.4, "random_seed": 3, "thread_count": 1, "verbose": 0,
         "allow_writing_files": False}
named = table.assign(purpose=rng.choice(["car", "home", "other"], count), city=rng.choice(list("abcdefgh"), count))


def classifier(labels=granted, data=table, **options):
    return CatBoostClassifier(**{**small, **options}).fit(data, labels)


def scaled():
    model = classifier()
    model.set_scale_and_bias(0.5, [0.25])
    return model


def cut():
    model = classifier()
    model.set_probability_threshold(0.3)
    return model


models = {
    "symmetric": classifier(),
    "bias": classifier(boost_from_average=True),
    "depthwise": classifier(grow_policy="Depthwise"),
    "lossguide": classifier(grow_policy="Lossguide", max_leaves=6, boost_from_average=True),
    "scaled": scaled(),
    "cut": cut(),
    "cross-entropy": classifier(shares, loss_function="CrossEntropy"),
    "focal": classifier(loss_function="Focal:focal_alpha=0.4;focal_gamma=1.5"),
    "texts": classifier(np.where(granted, "yes", "no")),
    "truths": classifier(granted.astype(bool)),
    "floats": classifier(granted * 1.0),
    "signed": classifier(granted * 2 - 1),
    "unnamed": classifier(data=table.to_numpy()),
    "unused-category": classifier(data=named[["income", "rate", "sex"]].assign(city="a"), cat_features=["city"]),
    "regressor": CatBoostRegressor(**small).fit(table, granted),
}
plain = {
    "one-hot": classifier(data=named[["income", "purpose"]], cat_features=["purpose"], one_hot_max_size=4),
    "statistics": classifier(data=named[["city"]], cat_features=["city"]),
    "missing": classifier(data=table.mask(rng.uniform(size=table.shape) < 0.1)),
    "multiclass": classifier((table.rate // 3).astype(int), loss_function="MultiClass"),
}

# Numbers of which some are missing, and categories that are split by their values.
gaps = rng.uniform(size=table.shape) < (0.15, 0.1, 0)
lacking = table.mask(gaps).assign(purpose=named.purpose, city=named.city)
depends = (granted == 1) ^ ((named.purpose == "car") & gaps[:, 0]) ^ named.city.isin(["b", "e"])
known = named.purpose != "other"
split = {"cat_features": ["purpose", "city"], "one_hot_max_size": 10}


def by_values(rows=slice(None), **options):
    return classifier(depends[rows].astype(int), lacking[rows], **split, **options)


by_value = {
    "missing-max": classifier(data=table.mask(gaps), nan_mode="Max", grow_policy="Depthwise"),
    "categories": by_values(iterations=12, depth=5),
    "categories-max": by_values(nan_mode="Max", grow_policy="Lossguide", iterations=12),
    "categories-named": by_values(known, iterations=12, depth=5),
}


def kept(info):
    """Drop what names people, machines and times."""
    names = ("class_params", "binclass_probability_threshold")
    loss = {"params": {"loss_function": info["params"]["loss_function"]}}
    return {name: info[name] for name in names if name in info} | loss | {"catboost_version_info": "tags/v1.2.10"}


for name, model in {**models, **plain, **by_value}.items():
    path = out / f"{name}.json"
    pool = Pool(lacking[known], depends[known], split["cat_features"]) if name == "categories-named" else None
    model.save_model(str(path), format="json", pool=pool)
    document = json.loads(path.read_text())
    document["model_info"] = kept(document["model_info"])
    document.pop("ctr_data", None)
    path.write_text(json.dumps(document) + "\n")

exported = ("symmetric", "bias", "texts", "signed", "regressor")
for name in exported:
    path = out / f"{name}.onnx"
    models[name].save_model(str(path), format="onnx")
    file = onnx.load(path)
    del file.metadata_props[:]
    file.producer_version = "1.2.10"
    onnx.save(file, path)

# Beside the rows of the training, numbers on borders and next to them, in single and in double precision.
rows = table[:120]
borders = {
    one["feature_id"]: one["borders"]
    for one in json.loads((out / "symmetric.json").read_text())["features_info"]["float_features"]
}
for feature, numbers in borders.items():
    if feature == "sex":
        continue
    for border in numbers[:6]:
        near = np.float32(border)
        for number in (border, near, np.nextafter(near, np.float32(9e9)), np.nextafter(border, 9e9)):
            rows = pd.concat([rows, table[:1].assign(**{feature: float(number)})], ignore_index=True)

decisions = {}
for name, model in models.items():
    given = rows.assign(city="a") if name == "unused-category" else rows.to_numpy() if name == "unnamed" else rows
    own = {"scores": model.predict(given, prediction_type="RawFormulaVal").tolist()}
    if name != "regressor":
        second = model.classes_[1] if len(model.classes_) else 1
        own["labels"] = (model.predict(given).astype(str) == str(second)).astype(int).tolist()
    decisions[name] = own
for name in exported:
    session = onnxruntime.InferenceSession(out / f"{name}.onnx", providers=["CPUExecutionProvider"])
    answers = session.run(None, {"features": rows.to_numpy(np.float32)})
    if name == "regressor":
        decisions[f"{name}.onnx"] = {"scores": answers[0].ravel().tolist()}
        continue
    first, second = list(answers[1][0])
    decisions[f"{name}.onnx"] = {
        "answers": answers[0].tolist(),
        "probabilities": [float(row[second]) for row in answers[1]],
    }

# Rows with each of their numbers missing, and with a purpose that one model never saw.
rows_lacking = pd.concat([lacking[:80], lacking[80:120].assign(income=np.nan, rate=np.nan)], ignore_index=True)
decisions_lacking = {}
for name in ("one-hot", "missing", *by_value):
    model = (plain | by_value)[name]
    given = rows_lacking[model.feature_names_]
    decisions_lacking[name] = model.predict(given, prediction_type="RawFormulaVal").tolist()


def written(path, parts):
    lines = [f'"{name}": {json.dumps(own)}' for name, own in parts.items()]
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n")


stated = rows_lacking.astype(object).where(rows_lacking.notna(), None).to_dict("list")
written(out / "lacking.json", {"rows": stated, **decisions_lacking})
written(out / "decisions.json", {"rows": rows.to_dict("list"), **decisions})
PYTHON
echo "catboost: wrote tests/vectors/catboost"
