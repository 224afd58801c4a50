"""A spec with ranges on the command line: scheme branch proves it, and every command says which neighbors count."""

import json
import random

import pytest

from equiproof.certify.branch import branch_search, network_parameters
from equiproof.certify.data import load
from equiproof.certify.traversal.search import Counterexample
from equiproof.circuits.spec import parse_spec
from equiproof.prover import Opening
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
            parameters=network_parameters(KEPT, (2, 2)),
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
    verify = ("verify", files / "certificate.json", *public)
    verified = cli(*verify, "--json").document
    assert verified["verdict"] == "verified"
    assert verified["ranges"] == {
        "income": "0 to 60,000 EUR",
        "savings": "any of its 3 values",
        "housing": "any of its 2 values",
    }
    assert "Nothing is said of values that the lender does not list as possible." in cli(*verify).out
    said = cli(*verify, "--verbose").out
    assert "that keeps each of them inside its range" in said
    assert "  only while each of them stays inside its range:" in said
    assert "    income   0 to 60,000 EUR" in said
    assert "  + it covers neighbors inside the spec's ranges, and no others" in said
    assert "  - Whether the possible values that the lender lists are wide enough." in said

    assert "  - that the spec's ranges include everybody you have in mind" in said
    included = ["--ranges-within", "income=0:60000"]
    said = cli(*verify, "--verbose", *included).out
    assert "The possible values that the lender lists include those that you named." in said
    assert "  + its ranges include yours: income 0 to 60000" in said
    assert "everybody you have in mind" not in said
    for more, lacking in (
        (["--no-ranges"], "the policy accepts no ranges"),
        (["--ranges-within", "income=0:60000.01"], "from 0 to 60,000 EUR, the policy requires 0 to 60000.01"),
        ([*included, "--ranges-within", "housing=0:1"], "a range for 'housing': the spec has no such number"),
    ):
        cli("verify", files / "certificate.json", *public, *more).complaint(1, lacking)


def test_certify_says_the_ranges(files, cli):
    """In plaintext, too."""
    words = ["certify", files / "row.json", "--opening", files / "opening.json", "--scheme", "branch"]
    assert cli(*words, "--json").document["ranges"]["savings"] == "any of its 3 values"
    assert "only while each of them stays inside its range:" in cli(*words).out


@pytest.mark.sampled(1)
@pytest.mark.parametrize("gadget", ["leaf", "commitment"])
def test_a_gadget_is_proven_alone(files, cli, tmp_path, gadget):
    """A gadget that holds the ranges is proven and verified from files, under the relation with ranges."""
    made = ["--opening", files / "opening.json", "--keys", files / "circuit-keys", "--out", tmp_path / "proof.json"]
    kind = ["--instance-out", tmp_path / "instance.json", "--scheme", "branch", "--capacity", 8]
    proven = cli("circuit", "prove", gadget, files / "row.json", *made, *kind, "--json")
    assert (proven.code, proven.err) == (0, "")
    assert f"{gadget}-branch-ranges-" in proven.document["key"]
    given = ["--keys", files / "circuit-keys", "--instance", tmp_path / "instance.json"]
    verified = cli("circuit", "verify", gadget, tmp_path / "proof.json", *given, "--json")
    assert (verified.code, verified.err) == (0, "")
    assert verified.document["digest"] == proven.document["digest"]


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
    """The spec beside the model restricts neighbors, and the later commands use them without further options."""
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
