"""Train tiny models of CatBoost and score every cell, in an environment that has the library.

python tiny_catboost.py FOLDER: `tables.json` there has by seed the rows of a training, their labels, and the cells. The
models and `scores.json` are written beside it.
"""

import json
import random
import sys
from pathlib import Path

import pandas as pd
from catboost import CatBoostClassifier, Pool

NUMBERS, TEXTS = ["income", "debt"], ["kind", "sex"]


def table(rows):
    """Return rows as a table."""
    frame = pd.DataFrame(rows)
    return pd.concat([frame[NUMBERS].apply(pd.to_numeric).astype(float), frame[TEXTS].astype(object)], axis=1)


def main(folder):
    """Train a model of every table."""
    scores = {}
    for seed, (rows, labels, cells) in json.loads((folder / "tables.json").read_text()).items():
        dice = random.Random(int(seed))
        model = CatBoostClassifier(
            iterations=3, depth=dice.choice([1, 2, 3]), learning_rate=0.5, one_hot_max_size=9, thread_count=1,
            nan_mode=dice.choice(["Min", "Max"]), random_seed=int(seed), verbose=0, allow_writing_files=False,
            grow_policy=dice.choice(["SymmetricTree", "Depthwise", "Lossguide"]),
        )  # fmt: skip
        model.fit(table(rows), labels, cat_features=TEXTS)
        pool = Pool(table(rows), labels, TEXTS) if dice.random() < 0.5 else None
        model.save_model(str(folder / f"{seed}.json"), format="json", pool=pool)
        scores[seed] = model.predict(table(cells), prediction_type="RawFormulaVal").tolist()
    (folder / "scores.json").write_text(json.dumps(scores))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
