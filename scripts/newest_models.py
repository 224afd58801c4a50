"""Train small models on rows that a seed draws, and write their files with what each library itself decides.

Run where the libraries are, by newest_models.sh and by a test: python newest_models.py FOLDER SEED LIBRARY...
Beside the files stands decisions.json: the rows, and by file the margins and labels of every row.
"""

from __future__ import annotations

import importlib
import json
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

COUNT = 200
COLUMNS = ("income", "debt", "sex")
SEXES = {0.0: "female", 1.0: "male"}


class Models:
    """One folder of models of the same rows."""

    def __init__(self, folder: Path, seed: int) -> None:
        """Draw the table of the training, and the rows that are decided."""
        rng = np.random.default_rng(seed)
        table = pd.DataFrame(
            {
                "income": np.round(rng.normal(2500, 800, COUNT) * 2) / 2,
                "debt": np.round(np.maximum(0, rng.normal(-500, 3000, COUNT))),
                "sex": rng.integers(0, 2, COUNT).astype(float),
            }
        )
        score = (table.income - 2500) / 800 - (table.debt - 1000) / 2500 + 0.7 * table.sex
        self.granted = (score + rng.normal(0, 0.5, COUNT) > 0).astype(int).to_numpy()
        # Beside the rows of the training: numbers next to each other in single precision, and 0.
        near = [table[:20].assign(debt=0.0), table[:20].assign(income=table.income[:20] + 0.25)]
        self.table, self.rows = table, pd.concat([table[:100], *near]).reset_index(drop=True)
        self.folder, self.decisions = folder, {"rows": self.rows.to_dict("list")}

    def decided(self, file: str, margins: Any, labels: Any) -> None:
        """Note what a library decides of the rows."""
        numbers = np.round(np.asarray(margins, float), 9).tolist()
        self.decisions[file] = {"margins": numbers, "labels": np.asarray(labels, int).tolist()}

    def write(self) -> None:
        """Add the decisions to those of the folder."""
        path = self.folder / "decisions.json"
        earlier = json.loads(path.read_text()) if path.exists() else {}
        lines = [f'"{name}": {json.dumps(own)}' for name, own in {**earlier, **self.decisions}.items()]
        path.write_text("{\n" + ",\n".join(lines) + "\n}\n")

    def xgboost(self) -> None:
        """Write boosted trees, dropout, forests, scores, a regressor, and trees of a sparse matrix."""
        library, sparse = map(importlib.import_module, ("xgboost", "scipy.sparse"))
        small = {"objective": "binary:logistic", "max_depth": 3, "eta": 0.4, "nthread": 1, "seed": 3}
        dense, asked = library.DMatrix(self.table, self.granted), library.DMatrix(self.rows)
        own_zeros = library.DMatrix(sparse.csr_matrix(self.table.to_numpy()), self.granted, feature_names=[*COLUMNS])
        for name, options, rounds, data in (
            ("trees", {}, 6, dense),
            ("dropout", {"booster": "dart", "rate_drop": 0.5, "one_drop": 1}, 10, dense),
            ("forest", {"num_parallel_tree": 4, "subsample": 0.6}, 2, dense),
            ("raw", {"objective": "binary:logitraw", "base_score": 0.2}, 6, dense),
            ("regressor", {"objective": "reg:squarederror"}, 6, dense),
            ("sparse", {}, 6, own_zeros),
        ):
            model = library.train({**small, **options}, data, rounds)
            file = f"xgboost-{library.__version__}-{name}.json"
            model.save_model(self.folder / file)
            margins = model.predict(asked, output_margin=True)
            self.decided(file, margins, margins > (0.5 if name == "regressor" else 0))

    def lightgbm(self) -> None:
        """Write boosted trees, dropout, a forest, a scaled logistic function and a regressor."""
        library = importlib.import_module("lightgbm")
        small = {"objective": "binary", "num_leaves": 6, "learning_rate": 0.3, "min_data_in_leaf": 5}
        small |= {"verbose": -1, "num_threads": 1, "seed": 3}
        for name, options in {
            "trees": {},
            "dropout": {"boosting": "dart", "drop_rate": 0.5, "skip_drop": 0.0},
            "forest": {"boosting": "rf", "bagging_freq": 1, "bagging_fraction": 0.6},
            "sigmoid": {"sigmoid": 2.0, "monotone_constraints": [1, -1, 0]},
            "regressor": {"objective": "regression"},
        }.items():
            model = library.train({**small, **options}, library.Dataset(self.table, self.granted), 6)
            file = f"lightgbm-{library.__version__}-{name}.txt"
            model.save_model(self.folder / file)
            predicted = model.predict(self.rows)
            margins = predicted - 0.5 if name == "regressor" else np.log(predicted / (1 - predicted))
            self.decided(file, margins, predicted > 0.5)

    def interpret(self) -> None:
        """Write a machine with pairs, and one whose categories begin with a blank."""
        classifier = importlib.import_module("interpret.glassbox").ExplainableBoostingClassifier
        small = {"interactions": 0, "max_rounds": 60, "max_bins": 12, "max_interaction_bins": 6, "outer_bags": 1}
        small |= {"n_jobs": 1, "random_state": 3, "learning_rate": 0.1}
        pairs = {"interactions": [("income", "sex"), ("income", "debt")]}
        for name, blank, options in (("pairs", "", pairs), ("blank", " ", {})):
            table, rows = (one.assign(sex=blank + one.sex.map(SEXES)) for one in (self.table, self.rows))
            model = classifier(**{**small, **options}).fit(table, self.granted)
            file = f"interpret-{version('interpret-core')}-{name}.json"
            model.to_json(self.folder / file, detail="minimal")
            self.decided(file, model.decision_function(rows), model.predict(rows))

    def catboost(self) -> None:
        """Write the three ways of growing trees, and a bias; the first also as an ONNX file."""
        library = importlib.import_module("catboost")
        small = {"iterations": 6, "depth": 3, "learning_rate": 0.4, "random_seed": 3, "thread_count": 1, "verbose": 0}
        for name, options in {
            "trees": {},
            "depthwise": {"grow_policy": "Depthwise"},
            "lossguide": {"grow_policy": "Lossguide", "max_leaves": 6},
            "bias": {"boost_from_average": True},
        }.items():
            model = library.CatBoostClassifier(**small, **options, allow_writing_files=False)
            model.fit(self.table, self.granted)
            for kind in ("json", "onnx") if name == "trees" else ("json",):
                file = f"catboost-{library.__version__}-{name}.{kind}"
                model.save_model(str(self.folder / file), format=kind)
                margins = model.predict(self.rows, prediction_type="RawFormulaVal")
                self.decided(file, margins, model.predict(self.rows))

    def onnx(self) -> None:
        """Write trees by skl2onnx; the labels are scikit-learn's, and onnxruntime must give the same."""
        names = ("sklearn.ensemble", "sklearn.tree", "skl2onnx", "onnxruntime")
        ensembles, trees, exporter, runtime = map(importlib.import_module, names)
        single, small = self.table.to_numpy(np.float32), {"max_depth": 3, "random_state": 3}
        for name, model in {
            "forest": ensembles.RandomForestClassifier(5, **small),
            "extra": ensembles.ExtraTreesClassifier(5, **small),
            "boosting": ensembles.GradientBoostingClassifier(n_estimators=6, **small),
            "histogram": ensembles.HistGradientBoostingClassifier(max_iter=6, **small),
            "tree": trees.DecisionTreeClassifier(**small),
        }.items():
            model.fit(single, self.granted)
            file = f"sklearn-{version('scikit-learn')}-{name}.onnx"
            content = exporter.to_onnx(model, single[:1], options={"zipmap": False}).SerializeToString()
            (self.folder / file).write_bytes(content)
            rows = self.rows.to_numpy(np.float32)
            shares, labels = model.predict_proba(rows)[:, 1], model.predict(rows)
            session = runtime.InferenceSession(content, providers=["CPUExecutionProvider"])
            answers = session.run(None, {session.get_inputs()[0].name: rows})[0]
            if (answers != labels).any():
                raise SystemExit(f"{file}: onnxruntime decides {int((answers != labels).sum())} rows otherwise")
            self.decided(file, shares - 0.5, labels)


def main(folder: Path, seed: int, libraries: list[str]) -> None:
    """Write the models of these libraries into a folder."""
    folder.mkdir(exist_ok=True)
    models = Models(folder, seed)
    for name in libraries:
        getattr(models, name)()
    models.write()


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3:])
