"""A forest of twenty trees is audited within 450 MiB of memory, whatever is bounded and drawn."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import ROOT

MOST_MEBIBYTES = 450

PROGRAM = """
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OrdinalEncoder
from equiproof import import_model
from equiproof.audits.context import AuditContext
from equiproof.audits.hyfair.plugin import DiscriminationClusters
from equiproof.certify.data import load
from equiproof.certify.models.ensembles.stepped import as_network
data = load("lending")
rows = [data.rows[place] for place in data.train]
table = pd.DataFrame(rows).astype({one.name: float for one in data.spec.features if one.kind == "numeric"})
labels = [data.spec.labels[data.labels[place]] for place in data.train]
words = [one for one in data.spec.features if one.kind != "numeric"]
encoder = OrdinalEncoder(categories=[list(one.domain) for one in words])
columns = make_column_transformer((encoder, [one.name for one in words]), remainder="passthrough")
forest = make_pipeline(columns, RandomForestClassifier(20, max_depth=5, random_state=0)).fit(table, labels)
made = import_model(forest, table, decisions=forest.predict(table), sensitive=["sex"])
network = as_network(made.quantised)
assert len(network.layers[0].weights) > 500
context = AuditContext(
    network=network, spec=made.spec, commitment="", score=made.quantised,
    rows=[data.rows[place] for place in data.test],
    options={"search_seconds": "2", "solver_seconds": "2", "branch_seconds": "3", "ceiling_seconds": "2"},
)
DiscriminationClusters().run(context)
with open("/proc/self/status") as status:
    print(int(next(line.split()[1] for line in status if line.startswith("VmHWM:"))) >> 10)
"""


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the system tells no peak of memory")
def test_a_forest_of_twenty_trees_is_audited_in_little_memory():
    """Bounds over boxes and margins of many applicants are computed in pieces, so that layers of hundreds fit."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=ROOT, env=os.environ, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert int(done.stdout.split()[-1]) < MOST_MEBIBYTES
