"""Standard shapes from the command line: what is committed, what keys cost, and that figures stay the model's own."""

import json
from itertools import pairwise

import numpy as np
import pytest

from equiproof.certify.data import load
from equiproof.certify.models.network import Network
from equiproof.circuits import standard
from equiproof.circuits.shape import shape_of
from equiproof.circuits.standard import StandardShape
from equiproof.prover.model_folder import TrainedOn, load_model, write_trained
from equiproof.prover.opening import commit, load_opening
from equiproof.prover.padding import pad
from tests.cli.world import CONTEXT

TINY = StandardShape(13, (3, 2)), StandardShape(14, (5, 4)), StandardShape(14, (4000, 4000))


@pytest.fixture
def tiny(monkeypatch):
    """A catalogue whose circuits compile at once, but for the last, which is too large for a circuit."""
    monkeypatch.setattr(standard, "CATALOGUE", TINY)


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """A model folder with two hidden layers."""
    return drawn(tmp_path_factory.mktemp("padding") / "model")


def drawn(folder, *, one_hot=False):
    """Write the model folder of a network that is drawn from a seed, and return it."""
    spec, rng = load("lending", encoding="one-hot" if one_hot else "rank").spec, np.random.default_rng(2)
    sizes = tuple(pairwise((spec.plain_columns + spec.sensitive_columns, 4, 2, 1)))
    weights = tuple(rng.normal(size=(outputs, inputs)) for inputs, outputs in sizes)
    weights[0][:, -1] *= 0.01
    network = Network(weights, tuple(rng.normal(size=outputs) for _, outputs in sizes))
    write_trained(folder, network, spec, TrainedOn("lending", ("sex",), one_hot), {})
    return folder


@pytest.fixture(scope="module")
def owners(model, tmp_path_factory):
    """Openings and commitment files of the model in its own shape, and padded."""
    folder, owned = tmp_path_factory.mktemp("owners"), load_model(model)
    for name, what in (
        ("own", (owned.quantised, owned.spec)),
        ("padded", pad(owned.quantised, owned.spec, TINY[1])),
    ):
        opening = commit(*what)
        (folder / f"{name}.json").write_bytes(opening.secret())
        (folder / f"{name}-commitment.json").write_bytes(opening.public())
    return folder


@pytest.fixture
def rows(tmp_path):
    """A file of raw rows of the data set, with their sensitive features."""
    data, path = load("lending"), tmp_path / "rows.json"
    path.write_text(json.dumps([dict(data.rows[number]) for number in data.test[:4]]))
    return path


def test_a_padded_model_is_committed_with_its_own_integers(tiny, model, cli, tmp_path):
    """The command names the shape and the set-up of its keys; the network's own weights are those of its own spec."""
    said = cli("commit", model, "--pad-to", "14x5-4", "--out", tmp_path)
    assert said.code == 0
    assert "padded to standard shape 14x5-4" in said.out
    assert f"equiproof setup --opening {tmp_path / 'opening.json'} --keys FOLDER" in said.out
    owned, own = load_opening(tmp_path / "opening.json"), load_model(model)
    assert (owned.network.hidden, owned.spec.plain_columns) == ((5, 4), 14)
    for row, wide in zip(own.quantised.layers[0].weights, owned.network.layers[0].weights, strict=False):
        assert wide == (*row[:12], 0, 0, *row[12:])
    shape = shape_of("branch", owned.spec, owned.network.hidden, 4)
    assert shape == TINY[1].shape("branch", owned.spec, 4), "an opening's own shape is the standard one"


def test_models_and_shapes_that_do_not_fit_are_refused(tiny, model, cli, tmp_path):
    """One line names the shape and what does not fit; an unknown shape is told the catalogue. Nothing is written."""
    words = ["commit", model, "--out", tmp_path / "owner", "--pad-to"]
    cli(*words, "13x3-2").complaint(2, "standard shape 13x3-2: hidden layers 4,2 do not fit into 3,2")
    cli(*words, "9x9").complaint(2, "--pad-to: '9x9' is none of 13x3-2, 14x5-4, 14x4000-4000")
    assert not list(tmp_path.iterdir())


def test_the_cost_of_the_catalogue_comes_first(tiny, owners, cli, tmp_path):
    """Constraints and sizes of every shape, and what other models must have alike; without --yes no key is made."""
    words = ["setup", "--commitment", owners / "padded-commitment.json", "--keys", tmp_path / "keys"]
    shown = cli(*words, "--catalogue", "--capacity", 4)
    assert shown.code == 0
    assert [line.split()[0] for line in shown.out.splitlines()[1:4]] == ["13x3-2", "14x5-4", "14x4000-4000"]
    assert "too many for scheme branch" in shown.out
    assert "sensitive columns 1, slices 2, logits 1, capacity 4" in shown.out
    assert "made none" in shown.out
    assert not (tmp_path / "keys").exists()
    document = cli(*words, "--catalogue", "--capacity", 4, "--json").document
    assert document["agreed"] == {
        "scheme": "branch", "sensitive_columns": 1, "slices": 2, "logits": 1, "capacity": 4
    }  # fmt: skip
    assert [shape["cost"] is not None for shape in document["shapes"]] == [True, True, False]
    assert document["keys"] == []


@pytest.mark.slow
def test_the_keys_that_are_missing_are_made(tiny, owners, cli, tmp_path):
    """Every shape with a circuit gets a key, once; what is there is left as it is."""
    words = ["setup", "--commitment", owners / "padded-commitment.json", "--keys", tmp_path / "keys", "--capacity", 4]
    first = cli(*words, "--pad-to", "13x3-2", "--json").document
    made = cli(*words, "--catalogue", "--yes", "--json").document["keys"]
    assert len(made) == 1
    assert {first["key"], made[0]["key"]} == {str(path) for path in (tmp_path / "keys").iterdir()}
    assert "no key was missing" in cli(*words, "--catalogue", "--yes").out


def test_a_set_up_is_of_one_shape_or_of_the_catalogue(tiny, owners, cli, tmp_path):
    """Options that mean several shapes, or none, are misuse."""
    words = ["setup", "--commitment", owners / "own-commitment.json", "--keys", tmp_path / "keys"]
    for more in (["--hidden", "4,2", "--pad-to", "13x3-2"], ["--catalogue", "--hidden", "4,2"], []):
        cli(*words, *more).complaint(2, "--hidden", "--pad-to", "--catalogue")
    cli(*words, "--hidden", "4,2", "--yes").complaint(2, "--yes goes with --catalogue")
    assert not (tmp_path / "keys").exists()


def test_inspect_names_the_smallest_standard_shape(tiny, model, world, cli):
    """It is shown with its cost beside the exact shape; one hidden layer is told that depth is not padded."""
    document = cli("inspect", model, "--sample", 0, "--json").document
    offered, (exact,) = document["standard"], [one for one in document["capacities"] if one["capacity"] == 32]
    assert offered["name"] == "14x5-4"
    assert offered["exact"]["constraints"] == exact["constraints"] < offered["cost"]["constraints"]
    assert "commit --pad-to 14x5-4" in cli("inspect", model, "--sample", 0).out
    assert "none: the model has 1 hidden layer(s), the shape 2" in cli("inspect", world.model, "--sample", 0).out


def test_plaintext_figures_are_those_of_the_model_itself(tiny, owners, cli, rows):
    """Certification and explanation of the padded model say what they say of the model without padding."""
    found = [
        cli("certify", rows, "--opening", owners / f"{name}.json", "--json").document for name in ("own", "padded")
    ]
    figures = ("verdict", "radius_squared", "leaves", "label", "exact")
    assert [[point.get(name) for name in figures] for point in found[0]["points"]] == [
        [point.get(name) for name in figures] for point in found[1]["points"]
    ]
    explained = [
        cli("certify", rows, "--opening", owners / f"{name}.json", "--explain", "--max-leaves", 4, "--json").document
        for name in ("own", "padded")
    ]
    assert explained[0]["rows"] == explained[1]["rows"]
    assert explained[0]["capacities"][0]["constraints"] < explained[1]["capacities"][0]["constraints"]


def test_audits_leave_padding_out(tiny, model, owners, cli, rows):
    """Findings are those of the model itself; the report names the padded model's commitment and spec."""
    reports = []
    for name in ("own", "padded"):
        words = ["--opening", owners / f"{name}.json", "--model", model, "--rows", rows, "--json"]
        (report,) = cli("audit", "run", "groups", *words).document["reports"]
        assert report["model"]["spec_digest"] == f"{load_opening(owners / f'{name}.json').spec.digest:064x}"
        assert report["model"]["layers"] == [13, 4, 2, 1]
        reports.append([finding | {"seconds": 0} for finding in report["findings"]])
    assert reports[0] == reports[1]


def test_a_repaired_model_is_padded_as_before(owners, cli, tmp_path, rows):
    """The repair works on the model's own columns; its result has the same shape, and keys fit it."""
    opening, out = owners / "padded.json", tmp_path / "repaired"
    assert cli("repair", rows, "--opening", opening, "--out", out, "--steps", 0, "--json").code == 0
    before, after = load_opening(opening), load_opening(out / "opening.json")
    assert after.spec == before.spec
    assert after.network.hidden == before.network.hidden
    assert all(row[12:14] == (0, 0) for row in after.network.layers[0].weights)


@pytest.mark.slow
def test_two_lenders_prove_under_one_key_of_the_catalogue(cli, tmp_path, rows):
    """Twelve columns and sixteen, two commitments, one set-up: both prove, and both certificates are verified."""
    (tmp_path / "row.json").write_text(json.dumps(json.loads(rows.read_text())[0]))
    (tmp_path / "context.json").write_text(json.dumps(CONTEXT))
    keys, context = tmp_path / "keys", tmp_path / "context.json"
    for number, name in enumerate(("ranked", "one-hot")):
        model, owner = drawn(tmp_path / name, one_hot=bool(number)), tmp_path / f"{name}-owner"
        assert cli("commit", model, "--pad-to", "16x16-8", "--out", owner).code == 0
        commitment, query = owner / "commitment.json", tmp_path / f"{name}-query.json"
        if not number:
            words = ["setup", "--commitment", commitment, "--pad-to", "16x16-8", "--capacity", 4, "--keys", keys]
            assert cli(*words).code == 0
        certificate = tmp_path / f"{name}-certificate.json"
        words = ["prove", tmp_path / "row.json", "--opening", owner / "opening.json", "--keys", keys]
        assert cli(*words, "--context", context, "--out", certificate, "--query-out", query).code == 0
        words = ["verify", certificate, "--commitment", commitment, "--keys", keys, "--query", query]
        assert cli(*words, "--context", context).code == 0
    assert load_opening(tmp_path / "one-hot-owner" / "opening.json").spec.padding == 0
