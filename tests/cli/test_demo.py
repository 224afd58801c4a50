"""`demo`: it replaces its own folders and no others, and its model is what the command beside it trains."""

import shlex

import numpy as np
import pytest

from equiproof.cli import demo
from equiproof.cli.commands.common import load_data
from equiproof.prover.model_folder import load_model
from tests.cli.world import listing, shell

COMMAND = demo.SHIPPED.with_suffix(".command")

# What a wheel with the packages of requirements/demo.txt lacks: the demo is run where each of these cannot be imported.
BARE = """
import sys
sys.modules |= dict.fromkeys(("torch", "pandas", "sklearn", "scipy", "onnx", "joblib"))
from equiproof.cli.main import main
main()
"""


def test_a_folder_that_no_demo_made_is_left_alone(tmp_path, cli):
    """A folder with somebody's files is named, and nothing in it changes."""
    (tmp_path / "thesis.txt").write_text("years of work")
    before = listing(tmp_path)
    cli("demo", "--out", tmp_path).complaint(2, tmp_path)
    assert listing(tmp_path) == before


def test_a_file_in_the_place_of_the_folder_is_left_alone(tmp_path, cli):
    """A file in the place of the demo's folder is named and left alone."""
    path = tmp_path / "demo"
    path.write_text("mine")
    cli("demo", "--out", path).complaint(2, path)
    assert path.read_text() == "mine"


@pytest.mark.parametrize("words", [["--dataset", "nonsense"], ["--dataset", "german"], ["--nonsense"]])
def test_a_demo_that_cannot_begin_makes_no_folder(tmp_path, cli, monkeypatch, words):
    """A data set that does not exist, or has no files here, ends with 2 before a folder is made."""
    monkeypatch.delenv("EQUIPROOF_DATA", raising=False)
    cli("demo", "--out", tmp_path / "demo", *words).complaint(2)
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_a_demo_runs_twice_into_its_own_folder(tmp_path):
    """The demo ends well, leaves certificates and a picture, and replaces itself when run again."""
    for _ in range(2):
        outcome = shell("demo", "--out", tmp_path / "demo")
        assert (outcome.code, outcome.err.splitlines()[1:]) == (0, [])
        assert "The proof holds." in outcome.out
        assert "UNFAIR" in outcome.out
        assert (tmp_path / "demo" / "picture.png").read_bytes().startswith(b"\x89PNG")
        (tmp_path / "demo" / "left-over").touch()
    assert (tmp_path / "demo" / "certificates" / "fair.json").exists()


def made_by() -> list[str]:
    """Return the words of the command that made the model that comes with the package."""
    program, *words = shlex.split(COMMAND.read_text())
    assert program == "equiproof"
    return words


def labels(folder) -> list[int]:
    """Return the decisions of a folder's model, as it is proven about, on every generated applicant."""
    model = load_model(folder)
    spec, rows = model.spec, load_data("lending", None).rows
    return [model.quantised.decide(spec.encode(row) + spec.encode_sensitive(row)) for row in rows]


def test_the_shipped_model_is_of_the_data_that_the_demo_loads():
    """The model's spec is the one of the generated data, and its command is the one that the demo names."""
    model = load_model(demo.SHIPPED)
    spec, network = model.spec, model.network
    data = load_data("lending", None)
    assert spec == data.spec
    assert made_by() == [
        "train",
        "--dataset",
        data.name,
        "--hidden",
        demo.HIDDEN,
        "--out",
        "equiproof/cli/assets/model",
    ]
    assert ",".join(map(str, network.hidden)) == demo.HIDDEN


@pytest.mark.slow
def test_the_demo_needs_neither_torch_nor_pandas(tmp_path):
    """With the packages of requirements/demo.txt alone, the demo runs to its picture; --train names what it lacks."""
    outcome = shell("demo", "--out", tmp_path / "demo", code=BARE)
    assert (outcome.code, outcome.err.splitlines()[1:]) == (0, [])
    assert (tmp_path / "demo" / "picture.png").exists()
    refused = shell("demo", "--train", "--out", tmp_path / "trained", code=BARE)
    assert refused.code == 2
    assert "torch" in refused.err


@pytest.mark.slow
def test_the_shipped_model_is_what_its_command_trains(tmp_path):
    """Trained again by its command, the model decides alike; another machine's floats may tip a close case."""
    words = made_by()
    words[-1] = str(tmp_path / "model")
    assert shell(*words).code == 0
    shipped, trained = (np.array(labels(folder)) for folder in (demo.SHIPPED, tmp_path / "model"))
    assert (shipped != trained).sum() <= len(shipped) // 200
    assert 0.2 < shipped.mean() < 0.8
