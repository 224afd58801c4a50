"""A spec with ranges on the command line: scheme branch proves it, and every command says which neighbors count."""

import json
import random

import pytest

from certify.branch import branch_search, parameters_of
from certify.data import load
from certify.search import Counterexample
from circuits.spec import parse_spec
from prover import Opening
from tests.support import KEPT, applicant, network


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Opening, commitment and a fair applicant of a model under a spec with ranges."""
    folder = tmp_path_factory.mktemp("ranges")
    opening, rng = Opening.of(network(KEPT, (2, 2), seed=7), KEPT, blinding=5), random.Random(1)
    (folder / "opening.json").write_bytes(opening.secret())
    (folder / "commitment.json").write_bytes(opening.public())
    while True:
        row = applicant(KEPT, rng)
        found = branch_search(
            opening.network,
            KEPT.encode(row),
            KEPT.domain_table,
            max_radius_squared=KEPT.max_radius_squared,
            max_leaves=8,
            parameters=parameters_of(KEPT, (2, 2)),
            box=KEPT.box,
        )
        if not isinstance(found, Counterexample) and found.radius_squared > 10**4:
            break
    (folder / "row.json").write_text(json.dumps(row))
    return folder


def setup(files, *more):
    """Return the words of a set-up."""
    options = ["--commitment", files / "commitment.json", "--hidden", "2,2", "--capacity", 8, "--keys", files / "keys"]
    return ["setup", *options, *more]


def test_from_set_up_to_verified(files, cli):
    """Nobody names the relation; certificate and verification list the ranges, as text and as data."""
    assert cli(*setup(files, "--scheme", "branch")).code == 0
    (folder,) = (files / "keys").glob("[!.]*")
    assert folder.name.startswith("branch-ranges-4+1-2x2-")
    owned = ["--opening", files / "opening.json", "--keys", files / "keys"]
    written = ["--out", files / "certificate.json", "--query-out", files / "query.json"]
    proven = cli("prove", files / "row.json", *owned, *written, "--json").document
    assert (proven["scheme"], proven["ranges"]["income"]) == ("branch", "0 to 60,000 EUR")
    public = ["--commitment", files / "commitment.json", "--keys", files / "keys", "--query", files / "query.json"]
    verified = cli("verify", files / "certificate.json", *public, "--json").document
    assert verified["verdict"] == "verified"
    assert verified["ranges"] == {
        "income": "0 to 60,000 EUR",
        "savings": "any of its 3 values",
        "housing": "any of its 2 values",
    }
    said = cli("verify", files / "certificate.json", *public).out
    assert "that keeps each of them inside its range" in said
    assert "Only while each of them stays inside its range; nothing is said of anybody outside:" in said
    assert "  income   0 to 60,000 EUR" in said
    assert "  + it covers neighbors inside the spec's ranges, and no others" in said


def test_certify_says_the_ranges(files, cli):
    """In plaintext, too."""
    words = ["certify", files / "row.json", "--opening", files / "opening.json", "--scheme", "branch"]
    assert cli(*words, "--json").document["ranges"]["savings"] == "any of its 3 values"
    assert "only while each of them stays inside its range:" in cli(*words).out


@pytest.mark.parametrize("command", ["setup", "certify", "explain", "many"])
def test_scheme_traversal_is_refused(files, cli, command):
    """One line says what it does not know, and what to ask for."""
    rows = files / "rows.json"
    rows.write_text(json.dumps([json.loads((files / "row.json").read_text())] * 2))
    opened = ["--opening", files / "opening.json", "--scheme", "traversal"]
    words = {
        "setup": setup(files, "--scheme", "traversal"),
        "certify": ["certify", files / "row.json", *opened],
        "explain": ["certify", files / "row.json", *opened, "--explain"],
        "many": ["certify", rows, *opened],
    }
    cli(*words[command]).complaint(2, "spec 'kept' restricts neighbors to ranges", "want --scheme branch")


def test_a_row_outside_its_range_is_refused(files, cli, tmp_path):
    """By the feature's name, as any row that does not fit."""
    row = json.loads((files / "row.json").read_text()) | {"income": 60_001}
    (tmp_path / "row.json").write_text(json.dumps(row))
    words = ["certify", tmp_path / "row.json", "--opening", files / "opening.json", "--scheme", "branch"]
    cli(*words).complaint(2, "feature 'income': 60001 is outside 0 to 60000")


def test_a_model_is_trained_under_ranges(tmp_path, cli):
    """The spec beside the model restricts neighbors, and what follows says so without being told again."""
    words = ["train", "--out", tmp_path / "model", "--hidden", "2"]
    assert cli(*words, "--use-ranges", "--ranges", "age=18:90").code == 0
    spec = parse_spec((tmp_path / "model" / "spec.json").read_bytes(), "spec.json")
    assert spec.use_ranges
    assert [feature.range for feature in spec.features if feature.name in ("age", "debt")] == [
        ("18", "90"),
        ("0", "60000"),
    ]
    assert cli("commit", tmp_path / "model", "--out", tmp_path / "owner").code == 0
    (tmp_path / "row.json").write_text(json.dumps(load("lending").rows[0]))
    found = cli("certify", tmp_path / "row.json", "--opening", tmp_path / "owner" / "opening.json", "--json")
    assert found.code in (0, 3), found.err
    if not found.code:
        assert found.document["ranges"]["age"] == "18 to 90 years"


def test_ranges_that_rows_leave_are_refused_before_training(tmp_path, cli):
    """The first row outside is named, and no model is written."""
    cli("train", "--out", tmp_path / "model", "--ranges", "age=20:60").complaint(
        2, "row 13: feature 'age': 18 is outside"
    )
    assert not (tmp_path / "model").exists()
