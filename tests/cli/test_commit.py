"""`commit`: what it says of rounding, and the models that it refuses."""

import json
import shutil

import numpy as np
import pytest

from equiproof.certify.models.network import Network
from equiproof.prover.opening import parse_opening


@pytest.fixture
def folder(world, tmp_path):
    """A trained model of which one can change the spec."""
    shutil.copytree(world.model, tmp_path / "m")
    return tmp_path / "m"


def set_spec(folder, **fields):
    """Change fields of the spec in a model folder."""
    spec = json.loads((folder / "spec.json").read_bytes())
    (folder / "spec.json").write_text(json.dumps(spec | fields))


def wash_out(folder):
    """Make the sensitive weights of a trained network so small that 16 bits lose most of them."""
    network = Network.load(folder / "network.npz")
    first = network.weights[0].copy()
    first[:, -1] = 0.4 * np.abs(first).max() / (1 << 15)
    changed = Network((first, *network.weights[1:]), network.biases)
    (folder / "network.npz").write_bytes(changed.to_bytes())


def test_commit_says_what_rounding_changes(world, cli, tmp_path):
    """Rows of the data set, random points, the sensitive column, and the bound; the same figures in JSON."""
    text = cli("commit", world.model, "--out", tmp_path / "a").out
    report = cli("commit", world.model, "--out", tmp_path / "b", "--json").document["fidelity"]
    rows, random = report["rows"], report["random"]
    assert f"lending: {rows['differing']} of 4,000 labels differ from the float model" in text
    assert f"of 4,000, {rows['flips'][0]} flip with the sensitive features in the float model" in text
    assert (random["points"], random["accuracy"]) == (10_000, None)
    assert f"random points: {random['differing']} of 10,000 labels differ" in text
    assert "% of the weight of its column is lost in rounding" in text
    assert "anywhere in the domain" in text
    assert max(rows["largest_gap"], random["largest_gap"]) <= report["logit_bound"]
    assert rows["flips"][0] - rows["flips_lost"] + rows["flips_gained"] == rows["flips"][1]


@pytest.mark.slow
def test_a_trained_model_that_rounds_away_is_refused(folder, cli, tmp_path):
    """The line names the column and what to change in the spec; wider weights or the owner's word mend it."""
    wash_out(folder)
    line = cli("commit", folder, "--out", tmp_path / "o").complaint(2, "column sex loses 100 %", folder / "spec.json")
    assert "weight_bits" in line
    assert "allow_loss" in line
    assert not (tmp_path / "o").exists()
    set_spec(folder, weight_bits=[32, 16])
    assert cli("commit", folder, "--out", tmp_path / "wide").code == 0
    set_spec(folder, weight_bits=[16, 16], allow_loss=True)
    outcome = cli("commit", folder, "--out", tmp_path / "lossy")
    assert "sex: 100 % of the weight of its column is lost in rounding" in outcome.out
    opening = parse_opening((tmp_path / "lossy" / "opening.json").read_bytes(), "opening.json")
    assert opening.spec.allow_loss


def test_inspect_describes_what_commit_refuses(folder, cli):
    """Nothing is refused before the commitment: `inspect` shows the loss."""
    wash_out(folder)
    outcome = cli("inspect", folder, "--sample", 0)
    assert outcome.code == 0
    assert "  sex: 100 % of the weight of its column is lost in rounding\n" in outcome.out


def test_rules_of_change_are_the_owners_word(folder, cli, tmp_path):
    """Written into the spec of a model that was trained on a data set, they are committed with it; odd ones are not."""
    features = json.loads((folder / "spec.json").read_bytes())["features"]
    (income,) = (one for one in features if one["name"] == "income")
    set_spec(folder, features=[one | ({"changes": {"direction": "up"}} if one is income else {}) for one in features])
    assert cli("commit", folder, "--out", tmp_path / "o").code == 0
    opening = parse_opening((tmp_path / "o" / "opening.json").read_bytes(), "opening.json")
    assert [one.name for one in opening.spec.features if one.changes] == ["income"]
    set_spec(folder, features=[one | {"changes": {"direction": "up"}} for one in features])
    cli("commit", folder, "--out", tmp_path / "p").complaint(2, "write out the order of all values as order in changes")
