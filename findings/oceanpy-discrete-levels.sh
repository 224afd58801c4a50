#!/bin/sh
# OCEAN (oceanpy 2.0.7): the explainer by constraint programming cuts the thresholds of discrete features to whole numbers
# towards 0. Where levels are negative or not whole, both of which parse_features takes, an answer that it calls OPTIMAL may
# be somebody who is decided as before, or cost more than another one. Whole levels from 0 on are right.
# Exits 0 while this is so, 1 once it has changed.
#   PYTHON=python3.12 sh findings/oceanpy-discrete-levels.sh
# Output seen:
#   levels -3 to 3, from 2 to class 0: OPTIMAL at 2, class 1; -2 is of class 0
#   levels -3 to 3, from -3 to class 1: OPTIMAL at 0, class 1; -1 is of class 1
#   levels 0 to 3, from 0 to class 1: OPTIMAL at 2, class 1; 1.5 is of class 1
#   levels 0 to 6, from 0 to class 1: OPTIMAL at 3, class 1; 3 is of class 1
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
# The pins are all that OCEAN imports: without them it brings XGBoost's library for GPUs.
venv/bin/pip install -q --no-deps \
  absl-py==2.5.1 annotated-types==0.8.0 anytree==2.13.0 attrs==26.1.0 bidict==0.22.1 cloudpickle==3.1.3 \
  funcy==1.18 gurobipy==13.0.3 immutabledict==4.3.1 joblib==1.6.0 narwhals==2.29.0 numpy==2.5.5 oceanpy==2.0.7 \
  ortools==9.14.6206 pandas==3.1.1 pindakaas==0.6.1 protobuf==6.31.1 py-aiger==6.2.3 py-aiger-cnf==5.0.8 \
  pydantic==2.14.4 pydantic_core==2.50.5 pyrsistent==0.19.3 python-dateutil==4.0.0 python-sat==1.9.dev24 \
  scikit-learn==1.9.1 scipy==1.18.1 six==1.17.0 sortedcontainers==2.4.0 threadpoolctl==3.8.0 \
  typing-inspection==0.4.5 typing_extensions==4.16.0 tzdata==2026.6 xgboost-cpu==3.2.0
venv/bin/python -W ignore - <<'PYTHON'
import numpy as np
import ocean
import pandas as pd
from sklearn.ensemble import RandomForestClassifier


def asked(levels, split, start, wanted):
    """Ask for the nearest level of the wanted class; return OCEAN's answer, its class, and the nearest in truth."""
    data, mapper = ocean.feature.parse_features(pd.DataFrame({"x": levels}), discretes=("x",))
    labels = [int(level > split) for level in levels]
    forest = RandomForestClassifier(1, bootstrap=False, random_state=0).fit(data.to_numpy(), labels)
    explainer = ocean.ConstraintProgrammingExplainer(forest, mapper=mapper)
    found = explainer.explain(np.array([start], dtype=float), y=wanted, norm=1, num_workers=1).x[0]
    status, own = explainer.get_solving_status(), int(forest.predict([[found]])[0])
    right = [level for level in levels if forest.predict([[level]])[0] == wanted]
    best = min(right, key=lambda level: abs(level - start))
    print(
        f"levels {levels[0]:g} to {levels[-1]:g}, from {start} to class {wanted}: {status} at {found:g}, class {own}; "
        f"{best:g} is of class {wanted}"
    )
    assert status == "OPTIMAL", "the status has changed"
    return found, own, best


signed = [float(level) for level in range(-3, 4)]
found, own, best = asked(signed, -1.5, 2, 0)
assert own == 1, "negative levels are decided as asked"
found, own, best = asked(signed, -1.5, -3, 1)
assert own == 1 and found > best, "negative levels have the least cost"
found, own, best = asked([level / 2 for level in range(7)], 1.25, 0, 1)
assert own == 1 and found > best, "half levels have the least cost"
found, own, best = asked([float(level) for level in range(7)], 2.5, 0, 1)
assert own == 1 and found == best, "whole levels from 0 on have changed"
PYTHON
