"""Verify one linear model by the package justicia; run by a Python of its own: `authors_run.py INPUT.npz KIND SECONDS`.

Reads `columns` (rows, features) with `names`, `weights`, `bias` and `sensitive`; prints one line of JSON with the least
and the largest share, and CPU seconds. After SECONDS of these the system ends it. It needs nothing of this project.
"""

import importlib
import json
import resource
import sys
import time
import types
import warnings
from typing import Any

ENCODINGS = {
    "network": "Learn-efficient-dependency",
    "within groups": "Learn-efficient-correlation",
    "independent": "Learn-efficient",
}
"""Its names of the assumptions."""

REACHED = 0.33
"""The share of variables with an edge at which its search for a network ends; its default of 0.001 leaves no edge."""


def metric_class() -> Any:
    """Import its verifier; its learner of rules, which needs packages of its own, is replaced by nothing."""
    for name in ("pyrulelearn", "pyrulelearn.imli"):
        sys.modules[name] = types.ModuleType(name)
    sys.modules["pyrulelearn.imli"].__dict__["imli"] = type("imli", (), {})
    return importlib.import_module("justicia.metrics").Metric


def main(path: str, kind: str, seconds: str) -> None:
    """Verify the model of a file and print the result."""
    resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), resource.RLIM_INFINITY))
    warnings.filterwarnings("ignore")
    metric, numpy, pandas = metric_class(), importlib.import_module("numpy"), importlib.import_module("pandas")
    given = numpy.load(path)
    model = importlib.import_module("sklearn.linear_model").LogisticRegression()
    model.coef_, model.intercept_, model.classes_ = given["weights"][None], given["bias"], numpy.array([0, 1])
    data = pandas.DataFrame(given["columns"], columns=given["names"].tolist())
    options = {"encoding": ENCODINGS[kind], "dag_threshold": REACHED, "verbose": False}
    begun = time.process_time()
    found = metric(model, data, given["sensitive"].tolist(), **options).compute()
    shares = sorted(line[1] for line in found.sensitive_group_statistics)
    edges = len(vars(found)["_graph_edges"] or ())
    print(json.dumps({"shares": [shares[0], shares[-1]], "edges": edges, "cpu_s": time.process_time() - begun}))


if __name__ == "__main__":
    main(*sys.argv[1:])
