"""Fitted pipelines of every library, from their table to a verified certificate: one call in Python, four commands."""

import json

import numpy as np
import pytest

from equiproof import import_model
from tests.prover.test_imports import DECISIONS, PIPELINES, ROWS, TABLE

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def surest(model):
    """Return the applicant of whose decision a fitted object is surest, of either sex, as its lender writes it down."""
    above = np.stack([model.predict_proba(TABLE.assign(sex=sex))[:, 1] - 0.5 for sex in ("female", "male")])
    alike = np.where((above > 0).all(axis=0) | (above < 0).all(axis=0), abs(above).min(axis=0), -1)
    row = TABLE.iloc[[alike.argmax()]].drop(columns="sex")
    return json.dumps(row.to_dict("records")[0])


@pytest.mark.slow
@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", PIPELINES)
def test_every_kind_is_five_steps_from_a_verified_certificate(name, cli, tmp_path):
    """The steps of a logistic regression, for twelve kinds."""
    is_certified(PIPELINES[name](), cli, tmp_path)


def test_a_pipeline_is_five_steps_from_a_verified_certificate(cli, tmp_path):
    """One that is quick to prove."""
    is_certified(PIPELINES["logistic regression"](), cli, tmp_path)


def is_certified(pipeline, cli, tmp_path):
    """Import, commit, set up, prove, verify; no option but files and a small key; the opening has the comparison."""
    model = pipeline.fit(TABLE, DECISIONS)
    imported = import_model(model, TABLE, sensitive=["sex"], out=tmp_path / "model")
    assert imported.compared.differing_integers == 0
    said = cli("commit", tmp_path / "model", "--out", tmp_path / "owner")
    assert said.code == 0, said.err
    assert f".predict): of {ROWS} rows 0 differ" in said.out
    labels = next(line for line in said.out.splitlines() if "rows by label" in line)
    assert labels.strip().startswith("rows by label (the object's, as read, as committed): ")
    assert "your" not in said.out.partition("COMMITTED")[0]
    opening, keys = tmp_path / "owner" / "opening.json", tmp_path / "keys"
    assert cli("setup", "--opening", opening, "--keys", keys, "--capacity", 4).code == 0
    (tmp_path / "row.json").write_text(surest(model))
    certificate, query = tmp_path / "certificate.json", tmp_path / "query.json"
    files = ("--opening", opening, "--keys", keys, "--out", certificate, "--query-out", query)
    done = cli("prove", tmp_path / "row.json", *files)
    assert done.code == 0, done.err
    commitment = tmp_path / "owner" / "commitment.json"
    verified = cli("verify", certificate, "--commitment", commitment, "--keys", keys, "--query", query)
    assert (verified.code, verified.out.split(".")[0]) == (0, "The proof holds")
