"""`equiproof train --objective`: a model folder that the next command takes, with the objective in its report."""

import json

import pytest

from equiproof.certify.models import objectives
from equiproof.certify.models.objectives import AdamSettings
from equiproof.prover.model_folder import load_model


@pytest.fixture(autouse=True)
def _short(monkeypatch):
    """Two passes over the rows."""
    monkeypatch.setattr(objectives, "AdamSettings", lambda seed: AdamSettings(epochs=2, batch=512, seed=seed))


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (("agnostic",), "objective agnostic; Adam, learning rate 0.001"),
        (("unaware",), "objective unaware; Adam"),
        (("certifair", "--objective-weight", "0.5"), "objective certifair, weight 0.5, about sex"),
        (("fair-n", "--objective-feature", "sex"), "objective fair-n, weight 1, about sex"),
    ],
    ids=lambda words: words[0] if isinstance(words, tuple) else "",
)
def test_a_network_is_trained_for_an_objective(cli, tmp_path, words, named):
    """The report names objective, weight and feature; `commit` takes the folder, also without any sensitive weight."""
    out = tmp_path / "model"
    text = cli("train", "--out", out, "--hidden", "4", "--objective", *words)
    assert text.code == 0
    assert named in text.out
    (note,) = json.loads((out / "training.json").read_text())["notes"]
    assert note.startswith(named)
    model = load_model(out)
    unused = not model.network.weights[0][:, model.spec.plain_columns :].any()
    assert unused == (words[0] == "unaware")
    if unused:
        assert cli("commit", out, "--out", tmp_path / "owner").code == 0
