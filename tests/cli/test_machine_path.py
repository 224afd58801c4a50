"""An explainable boosting machine with categories and a pair, by commands: imported, committed, proven, verified."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from equiproof.certify.data import load
from equiproof.circuits.canonical import canonical_bytes
from tests.cli.test_additive_path import Scorecard, done
from tests.support import changed

glassbox = pytest.importorskip("interpret.glassbox")

pytestmark = pytest.mark.slow

FEATURES = ("income", "debt", "education", "purpose", "sex")


def test_a_machine_of_the_library_is_imported_and_its_decision_proven(tmp_path: Path) -> None:
    """From the JSON export to a certificate; the features are bound by name and the categories by their values."""
    data = load("lending")
    rows = [{name: row[name] for name in FEATURES} for row in data.rows[:400]]
    spec = changed(
        data.spec,
        features=tuple(one for one in data.spec.features if one.name in FEATURES),
        input_fraction_bits=16,
        input_bits=32,
    )
    model = glassbox.ExplainableBoostingClassifier(
        interactions=[("income", "sex"), ("purpose", "debt")], max_bins=6, max_interaction_bins=4, max_rounds=40,
        outer_bags=1, n_jobs=1,
    ).fit(pd.DataFrame(rows), np.array(data.labels[:400]))  # fmt: skip
    model.to_json(str(tmp_path / "machine.json"))
    (tmp_path / "own-spec.json").write_bytes(canonical_bytes(spec))
    (tmp_path / "rows.json").write_text(json.dumps(rows), encoding="utf-8")
    made = Scorecard(tmp_path)
    known = ("--spec", tmp_path / "own-spec.json", "--rows", tmp_path / "rows.json")
    found = done("import", tmp_path / "machine.json", *known, "--out", tmp_path / "model", "--json").document
    assert (found["kind"], found["fidelity"]["rows"]["differing"]) == ("interpret", 0)
    done("commit", tmp_path / "model", "--rows", tmp_path / "rows.json", "--out", tmp_path / "committed")
    sizes = ("--slots", 8, "--rows", min(12, found["nodes"][1]), "--capacity", 4)
    done("setup", "--opening", made.opening, "--keys", tmp_path / "keys", *sizes)
    (tmp_path / "row-0.json").write_text(json.dumps(rows[0]), encoding="utf-8")
    exact = done("certify", tmp_path / "row-0.json", "--opening", made.opening, "--json").document
    proven = made.prove(0, "--json").document
    assert 0 < proven["radius_squared"] <= exact["radius_squared"]
    public = ("--commitment", tmp_path / "committed" / "commitment.json", "--keys", tmp_path / "keys")
    done("verify", tmp_path / "0.json", *public, "--query", tmp_path / "query-0.json")
