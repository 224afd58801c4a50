"""Standard shapes of scores from the command line: what is committed, what keys cost, and which errors there are."""

import json

import pytest

from equiproof.certify.data import load
from equiproof.circuits import standard_scores
from equiproof.circuits.standard_scores import StandardScore
from equiproof.prover.ensemble_folder import load_ensemble
from equiproof.prover.opening import commit, load_opening
from tests.cli.test_additive_path import done

TINY = StandardScore(14, (90, 4), 6), StandardScore(14, (120, 4), 6, (20, 90), 12)


@pytest.fixture
def tiny(monkeypatch):
    """A catalogue whose circuits compile at once."""
    monkeypatch.setattr(standard_scores, "CATALOGUE", TINY)


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """The folders of a scorecard and of boosted trees of depth 2."""
    folder = tmp_path_factory.mktemp("scores")
    done("train", "--model", "scorecard", "--rounds", 30, "--out", folder / "scorecard")
    done("train", "--model", "boosting", "--depth", 2, "--rounds", 8, "--out", folder / "boosted")
    return folder


@pytest.fixture
def rows(tmp_path):
    """A file of raw rows of the data set, with their sensitive features."""
    data, path = load("lending"), tmp_path / "rows.json"
    path.write_text(json.dumps([dict(data.rows[number]) for number in data.test[:4]]))
    return path


@pytest.mark.parametrize(("name", "shape"), [("scorecard", TINY[0]), ("boosted", TINY[1])])
def test_a_padded_score_is_committed_and_certified_as_its_own(tiny, models, cli, tmp_path, rows, name, shape):
    """The command names the shape; sizes are those of the shape, and plaintext figures are the model's own."""
    said = cli("commit", models / name, "--pad-to", shape.name, "--out", tmp_path)
    assert said.code == 0
    assert f"padded to standard shape {shape.name}" in said.out
    owned, own = load_opening(tmp_path / "opening.json"), load_ensemble(models / name)
    assert owned.sizes == (*shape.predicates, *(shape.nodes or ()))
    committed, alone = (getattr(one, "additive", one) for one in (owned.model, own.quantised))
    assert [jump for jump in committed.jumps if jump] == [jump for jump in alone.jumps if jump]
    (tmp_path / "own.json").write_bytes(commit(own.quantised, own.spec).secret())
    found = [
        cli("certify", rows, "--opening", tmp_path / f"{one}.json", "--json").document for one in ("own", "opening")
    ]
    figures = ("verdict", "radius_squared", "leaves", "label", "exact")
    assert [[point.get(figure) for figure in figures] for point in found[0]["points"]] == [
        [point.get(figure) for figure in figures] for point in found[1]["points"]
    ]


def test_what_does_not_fit_is_refused(tiny, models, cli, tmp_path):
    """One line names the shape and what does not fit; nothing is written."""
    words = ("commit", models / "scorecard", "--out", tmp_path / "owner", "--pad-to")
    cli(*words, TINY[1].name).complaint(2, f"standard shape {TINY[1].name}: the shape is of ensembles of trees")
    cli(*words, "16x16-8").complaint(2, "--pad-to 16x16-8 is for networks")
    cli(*words, "9p9").complaint(2, "--pad-to: '9p9' is none of", TINY[0].name, "16x16-8")
    network = ("commit", tmp_path, "--out", tmp_path / "owner", "--pad-to", TINY[0].name)
    cli(*network).complaint(2, "is for additive models and trees")
    assert not list(tmp_path.iterdir())


@pytest.fixture
def committed(models, tmp_path, cli):
    """The folder of a commitment to the scorecard, padded."""
    assert cli("commit", models / "scorecard", "--pad-to", TINY[0].name, "--out", tmp_path / "owner").code == 0
    return tmp_path / "owner"


@pytest.mark.slow
def test_a_set_up_takes_the_shape_by_its_name(tiny, committed, cli, tmp_path):
    """The scheme need not be named, and the room may be."""
    words = ("setup", "--commitment", committed / "commitment.json", "--keys", tmp_path / "keys", "--pad-to")
    made = cli(*words, TINY[0].name, "--slots", 3, "--capacity", 1, "--json").document
    assert "-p90+4-v3-" in made["key"]
    spec = load_opening(committed / "opening.json").spec
    assert TINY[0].shape(spec, 1, slots=3).name in made["key"]


def test_options_that_contradict_a_shape_are_refused(tiny, committed, cli, tmp_path):
    """One line names the option; no key is made."""
    words = ("setup", "--commitment", committed / "commitment.json", "--keys", tmp_path / "keys", "--pad-to")
    cli(*words, TINY[0].name, "--slots", 91).complaint(2, "--slots 91: want 1 to 90")
    cli(*words, TINY[0].name, "--rows", 9).complaint(2, "--rows is of models with trees")
    cli(*words, TINY[1].name, "--nodes", "2,5").complaint(2, "--nodes does not go with --pad-to")
    cli(*words, TINY[0].name, "--scheme", "traversal").complaint(2, "is of scheme trees, not of traversal")
    cli(*words, "16x16-8", "--scheme", "trees").complaint(2, "is a shape of networks")
    assert not (tmp_path / "keys").exists()


def test_the_cost_of_the_catalogue_comes_first(tiny, models, cli, tmp_path):
    """Constraints and sizes of every shape, for a commitment or an opening; without --yes no key is made."""
    assert cli("commit", models / "scorecard", "--out", tmp_path).code == 0
    words = ("setup", "--catalogue", "--keys", tmp_path / "keys", "--capacity", 2)
    by_opening = cli(*words, "--opening", tmp_path / "opening.json", "--json").document
    named = cli(*words, "--commitment", tmp_path / "commitment.json", "--scheme", "trees", "--json").document
    assert by_opening == named
    assert [shape["name"] for shape in named["shapes"]] == [one.name for one in TINY]
    assert all(shape["cost"] for shape in named["shapes"])
    assert named["agreed"]["scheme"] == "trees"
    assert not (tmp_path / "keys").exists()


def test_inspect_names_the_smallest_standard_shape(tiny, models, cli, monkeypatch):
    """It is shown with its cost beside that of the model's own sizes; where none has room, the reason is."""
    offered = cli("inspect", models / "scorecard", "--sample", 0, "--json").document["standard"]
    assert offered["name"] == TINY[0].name
    assert offered["exact"]["constraints"] < offered["cost"]["constraints"]
    trees = cli("inspect", models / "boosted", "--sample", 0, "--json").document["standard"]
    assert trees["name"] == TINY[1].name
    assert trees["exact"]["constraints"] < trees["cost"]["constraints"]
    monkeypatch.setattr(standard_scores, "CATALOGUE", (StandardScore(14, (3, 1), 2),))
    shown = cli("inspect", models / "scorecard", "--sample", 0).out
    assert "none: the model has" in shown
    assert "the shape has room for 3 and 1" in shown


def test_audits_leave_padding_out(tiny, models, cli, tmp_path, rows):
    """Findings are those of the model itself; the report names the padded model's commitment and spec."""
    reports = []
    for name, more in (("own", ()), ("padded", ("--pad-to", TINY[0].name))):
        owner = tmp_path / name
        assert cli("commit", models / "scorecard", "--out", owner, *more).code == 0
        words = ("--opening", owner / "opening.json", "--rows", rows, "--json")
        (report,) = cli("audit", "run", "groups", *words).document["reports"]
        assert report["model"]["spec_digest"] == f"{load_opening(owner / 'opening.json').spec.digest:064x}"
        reports.append((report["model"]["layers"], [finding | {"seconds": 0} for finding in report["findings"]]))
    assert reports[0] == reports[1]
