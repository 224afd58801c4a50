"""Answer one applicant after the other by OCEAN; run by a Python of its own: `rival.py MODEL QUESTION SECONDS`.

MODEL is a file of XGBoost. QUESTION is JSON with the `columns` of a table by name, and the names of its `numbers`, all
whole, and of its `categories`. Reads one line of JSON a row: the values of the model's columns. Prints one line once
the model is built, and one a row: the status, the answer in the same columns or null, OCEAN's own distance, and CPU
seconds. It needs nothing of ours.
"""

from __future__ import annotations

import importlib
import json
import sys
import time
import warnings
from importlib.metadata import version
from pathlib import Path
from typing import Any

PACKAGES = ("oceanpy", "ortools", "xgboost-cpu")


def built(model: str, question: dict[str, Any]) -> Any:
    """Return OCEAN's explainer by constraint programming, as its documentation makes it."""
    ocean, pandas = importlib.import_module("ocean"), importlib.import_module("pandas")
    booster = importlib.import_module("xgboost").Booster(model_file=model)
    _, mapper = ocean.feature.parse_features(
        pandas.DataFrame(question["columns"]),
        discretes=tuple(question["numbers"]),
        encoded=tuple(question["categories"]),
    )
    return ocean.ConstraintProgrammingExplainer(booster, mapper=mapper)


def answered(explainer: Any, row: list[int], seconds: int) -> dict[str, Any]:
    """Return what OCEAN finds for one row, by one worker, under the sum of all differences."""
    numpy = importlib.import_module("numpy")
    query, begun = numpy.array(row, dtype=float), time.process_time()
    found = explainer.explain(query, y=1, norm=1, max_time=seconds, num_workers=1)
    spent = time.process_time() - begun
    told = {"status": explainer.get_solving_status(), "cpu_s": spent, "point": None, "distance": None}
    if found is not None:
        told |= {"point": found.x.tolist(), "distance": explainer.get_distance()}
    return told


def main(model: str, question: str, seconds: str) -> None:
    """Build the model, then answer line by line."""
    warnings.simplefilter("ignore")
    lines, sys.stdout = sys.stdout, sys.stderr
    begun = time.process_time()
    explainer = built(model, json.loads(Path(question).read_text(encoding="utf-8")))
    head = {"build_s": time.process_time() - begun, "versions": {name: version(name) for name in PACKAGES}}
    print(json.dumps(head), file=lines, flush=True)
    for line in sys.stdin:
        print(json.dumps(answered(explainer, json.loads(line), int(seconds))), file=lines, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
