"""Verify one model by the package justicia; run by a Python of its own: `authors_run.py INPUT.npz KIND SECONDS`.

Reads `columns` (rows, features) with `names` and `sensitive`, and a linear model (`weights`, `bias`) or a decision tree
as scikit-learn keeps it. Prints one line of JSON with the least and the largest share, CPU seconds, and for a tree
whether its solver came to an end. After SECONDS of CPU time the system ends a process. It needs nothing of ours.
"""

from __future__ import annotations

import importlib
import json
import resource
import sys
import time
import types
import warnings
from pathlib import Path
from typing import Any

LINEAR = {
    "network": "Learn-efficient-dependency",
    "within groups": "Learn-efficient-correlation",
    "independent": "Learn-efficient",
}
"""Its names of the assumptions, for the paper's programme."""

STOCHASTIC = {"network": "Learn-dependency", "independent": "Learn"}
"""The same for stochastic SAT, where the groups are what the solver chooses."""

REACHED = 0.33
"""The share of variables with an edge at which its search for a network ends; its default of 0.001 leaves no edge."""

TREE = ("feature", "threshold", "children_left", "children_right", "value")


def package() -> Any:
    """Import its verifier; its learner of rules, which needs packages of its own, is replaced by nothing."""
    for name in ("pyrulelearn", "pyrulelearn.imli"):
        sys.modules[name] = types.ModuleType(name)
    sys.modules["pyrulelearn.imli"].__dict__["imli"] = type("imli", (), {})
    return importlib.import_module("justicia.metrics")


def model_of(given: Any) -> Any:
    """Return the model of a file as scikit-learn has it."""
    numpy = importlib.import_module("numpy")
    if "weights" in given:
        model = importlib.import_module("sklearn.linear_model").LogisticRegression()
        model.coef_, model.intercept_, model.classes_ = given["weights"][None], given["bias"], numpy.array([0, 1])
        return model
    model = importlib.import_module("sklearn.tree").DecisionTreeClassifier()
    model.tree_ = types.SimpleNamespace(**{name: given[name] for name in TREE})
    return model


def noting(verifier: Any) -> list[bool]:
    """Have the package note of each call of its solver whether it came to an end; without, it takes a bound."""
    ended: list[bool] = []
    solve = verifier.invoke_SSAT_solver

    def noted(self: Any, filename: str, **options: Any) -> Any:
        failed = solve(self, filename, **options)
        ended.append("Satisfying probability:" in Path(f"{filename}_out.log").read_text())
        return failed

    verifier.invoke_SSAT_solver = noted
    return ended


def main(path: str, kind: str, seconds: str) -> None:
    """Verify the model of a file and print the result."""
    resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), resource.RLIM_INFINITY))
    warnings.filterwarnings("ignore")
    metrics, numpy, pandas = package(), importlib.import_module("numpy"), importlib.import_module("pandas")
    given = numpy.load(path)
    model = model_of(given)
    data = pandas.DataFrame(given["columns"], columns=given["names"].tolist())
    encoding = (LINEAR if "weights" in given else STOCHASTIC)[kind]
    options = {"encoding": encoding, "dag_threshold": REACHED, "verbose": False, "timeout": 4 * int(seconds)}
    ended = noting(metrics.Fairness_verifier)
    begun = time.process_time()
    found = metrics.Metric(model, data, given["sensitive"].tolist(), **options).compute()
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = time.process_time() - begun + children.ru_utime + children.ru_stime
    shares = sorted(line[1] for line in found.sensitive_group_statistics)
    edges = len(vars(found)["_graph_edges"] or ())
    print(json.dumps({"shares": [shares[0], shares[-1]], "edges": edges, "cpu_s": spent, "ended": all(ended)}))


if __name__ == "__main__":
    main(*sys.argv[1:])
