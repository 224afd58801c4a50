"""`equiproof mitigate` writes a guardrail that fits the model's spec, and a retrained model."""

import json

import pytest

from equiproof.certify.guardrail import parse_guardrail
from equiproof.circuits.field import to_hex
from equiproof.circuits.spec import load_spec
from equiproof.cli.demo import SHIPPED
from equiproof.prover.model_folder import load_model

QUICK = ("--seconds", "0.2", "--rounds", "1", "--epochs", "1", "--sample", "60")


@pytest.mark.slow
def test_a_guardrail_and_a_retrained_model_are_written(cli, tmp_path):
    """The file is readable by its owner only and names the spec; the retrained model has the same spec."""
    out, folder = tmp_path / "g.json", tmp_path / "retrained"
    outcome = cli("mitigate", "--model", SHIPPED, "--out", out, "--retrain", folder, *QUICK, "--json")
    assert (outcome.code, outcome.err) == (0, "")
    document = json.loads(outcome.out)
    spec = load_spec(SHIPPED / "spec.json")
    made = parse_guardrail(out.read_bytes(), "g", spec)
    assert (made.spec_digest, made.action, made.commitment) == (to_hex(spec.digest), "refer", "")
    assert len(made.rules) == len(document["rules"])
    assert out.stat().st_mode & 0o077 == 0
    own, moved = load_model(SHIPPED), load_model(folder)
    assert moved.spec == own.spec
    assert any((a != b).any() for a, b in zip(own.network.weights, moved.network.weights, strict=True))
    assert len(document["retrained"]["test_accuracy"]) == 2
    again = cli("mitigate", "--model", SHIPPED, "--out", out, *QUICK)
    again.complaint(2, "exists")


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (("--opening", "o.json", "--retrain", "new"), "--model"),
        ((), "--opening FILE, or --model FOLDER"),
        (("--model", SHIPPED, "--most-stopped", "2"), "most-stopped"),
    ],
)
def test_options_that_do_not_go_together_are_refused(cli, tmp_path, words, named):
    """Before any search, and nothing is written."""
    cli("mitigate", "--out", tmp_path / "g.json", *words).complaint(2, named)
    assert not list(tmp_path.iterdir())
