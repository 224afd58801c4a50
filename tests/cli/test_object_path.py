"""A fitted pipeline, from its table to a verified certificate: one call in Python, and four commands."""

import json

from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from equiproof import import_model
from tests.prover.test_imports import DECISIONS, TABLE, encoded


def test_a_pipeline_is_five_steps_from_a_verified_certificate(cli, tmp_path):
    """Import, commit, set up, prove, verify; the comparison with the pipeline stands in folder and opening."""
    model = make_pipeline(encoded(), LogisticRegression()).fit(TABLE, DECISIONS)
    import_model(model, TABLE, sensitive=["sex"], out=tmp_path / "model")
    said = cli("commit", tmp_path / "model", "--out", tmp_path / "owner")
    assert said.code == 0, said.err
    assert (
        "compared with the decisions of the fitted object itself (Pipeline.predict): of 240 rows 0 differ" in said.out
    )
    labels = next(line for line in said.out.splitlines() if "rows by label" in line)
    assert labels.strip().startswith("rows by label (the object's, as read, as committed): granted ")
    assert "your" not in said.out.partition("COMMITTED")[0]
    opening, keys = tmp_path / "owner" / "opening.json", tmp_path / "keys"
    assert cli("setup", "--opening", opening, "--keys", keys, "--capacity", 4).code == 0
    surest = TABLE.iloc[[model.decision_function(TABLE).argmax()]].drop(columns="sex")
    (tmp_path / "row.json").write_text(json.dumps(surest.to_dict("records")[0]))
    certificate, query = tmp_path / "certificate.json", tmp_path / "query.json"
    done = cli(
        *("prove", tmp_path / "row.json", "--opening", opening, "--keys", keys, "--out", certificate),
        *("--query-out", query),
    )
    assert done.code == 0, done.err
    commitment = tmp_path / "owner" / "commitment.json"
    verified = cli("verify", certificate, "--commitment", commitment, "--keys", keys, "--query", query)
    assert (verified.code, verified.out.split(".")[0]) == (0, "The proof holds")
