#!/bin/sh
# optbinning 1.0.0: the table of a scorecard, written to a CSV file, is not the scorecard. With pandas 3.1.1, whose texts
# are arrays of a type of their own, a bin of categories is written as the repr of its array, over several lines. With
# intercept_based=True the points of the table add up to less than the score, because the intercept is not in it. Exits 0
# while this is so, 1 once it has changed.
#   PYTHON=python3.12 sh findings/optbinning-table.sh
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install -q numpy==2.5.5 optbinning==1.0.0 ortools==9.15.6755 pandas==3.1.1 ropwr==1.2.0 \
    scikit-learn==1.9.1 scipy==1.18.1
venv/bin/python -W ignore - <<'PYTHON'
import io

import numpy as np
import pandas as pd
from optbinning import BinningProcess, Scorecard
from sklearn.linear_model import LogisticRegression

rng = np.random.default_rng(0)
towns = [f"town {one}" for one in range(60)]
rows = pd.DataFrame({"income": rng.normal(2500, 700, 3000).round(2), "town": rng.choice(towns, 3000)})
worth = rows.town.map({name: -1.0 if place % 2 else 1.0 for place, name in enumerate(towns)})
bad = ((rows.income - 2500) / 700 + worth + rng.logistic(0, 1, 3000) < -1).astype(int)
process = BinningProcess(list(rows), categorical_variables=["town"], max_n_bins=2)
card = Scorecard(
    process, LogisticRegression(), scaling_method="pdo_odds", intercept_based=True,
    scaling_method_params={"pdo": 20, "odds": 50, "scorecard_points": 600},
).fit(rows, bad)
text = card.table(style="summary").to_csv(index=False)
table = pd.read_csv(io.StringIO(text))
bins = table[table.Variable == "town"].Bin.tolist()
print(bins[0])
least, most = (getattr(table.groupby("Variable").Points, end)().sum() for end in ("min", "max"))
scores = card.score(rows)
print("totals of the table from", round(least, 1), "to", round(most, 1), "and scores from", round(float(min(scores)), 1),
      "to", round(float(max(scores)), 1), "with an intercept of", round(float(card.intercept_), 1))
assert bins[0].startswith("<StringArray>\n"), "bins of categories have changed"
assert min(scores) > most, "the intercept has changed"
PYTHON
