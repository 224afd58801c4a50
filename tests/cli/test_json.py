"""`--json`: exactly one JSON object on standard output, with the documented keys, and nothing else."""

import pytest

from tests.cli.foreign import COLUMNS, npz
from tests.cli.world import CAPACITY, shell

KEYS = {
    "train": {"dataset", "sensitive", "one_hot", "report", "notes", "paper", "model"},
    "import": {
        "kind", "columns", "units", "hidden", "logits", "sensitive", "slices", "folded", "model", "notes",
    },
    "commit": {"model_commitment", "spec_digest", "quantisation", "commitment", "opening"},
    "setup": {"key", "fingerprint", "setup", "constraints"},
    "certify": {"verdict", "scheme", "label", "radius", "radius_squared", "regions", "slices", "capacities", "flip"},
    "predict": {"rows"},
    "prove": {
        "verdict", "statement", "label", "radius", "radius_squared", "ranges", "scheme", "regions", "capacity",
        "capacities", "constraints", "proof_bytes", "certificate_bytes", "seconds", "certificate", "query",
    },
    "verify": {
        "verdict", "certificate", "statement", "label", "radius", "radius_grid", "radius_squared", "features",
        "intervals", "ranges", "setup", "checks_made", "checks_not_made", "checker",
    },
}  # fmt: skip


def words(world, command, folder):
    """Return the words of each command, writing into `folder`."""
    return {
        "train": ["train", "--hidden", "2", "--out", folder / "model"],
        "import": [
            "import",
            npz(folder / "net.npz"),
            "--dataset",
            "lending",
            "--columns",
            ",".join(COLUMNS),
            "--units",
            "spec",
            "--out",
            folder / "model",
        ],
        "commit": ["commit", world.model, "--out", folder / "owner"],
        "setup": world.setup(folder / "keys", capacity=2),
        "certify": world.certify(),
        "predict": ["predict", world.model, world.full],
        "prove": world.prove(folder),
        "verify": world.verify(),
    }[command]


@pytest.mark.parametrize("command", KEYS)
def test_json_is_one_object_with_the_documented_keys(world, cli, tmp_path, command):
    """Every command with `--json` prints one object on one line, and nothing on standard error."""
    outcome = cli(*words(world, command, tmp_path), "--json")
    assert (outcome.code, outcome.err) == (0, "")
    assert set(outcome.document) == KEYS[command]


def test_a_flip_is_told_by_its_distance(world, cli):
    """The nearest flip that was seen is data: how far it is, no radius of anything, and its sensitive values."""
    flip = cli(*world.certify(), "--json").document["flip"]
    assert set(flip) == {"distance", "sensitive"}
    assert f"flip at distance {flip['distance']} (" in cli(*world.certify()).out


@pytest.mark.parametrize("command", ["certify", "prove"])
def test_a_counterexample_is_one_object_too(world, cli, tmp_path, command):
    """A counterexample with `--json` is one object that lists the cases, with exit code 3."""
    at = world.prove(tmp_path, row=world.unfair) if command == "prove" else world.certify(row=world.unfair)
    outcome = cli(*at, "--json")
    assert (outcome.code, outcome.err) == (3, "")
    document = outcome.document
    assert set(document) == {"verdict", "cases"}
    assert document["verdict"] == "unfair"
    for case in document["cases"]:
        assert set(case) == {"sensitive", "label", "logits", "integer_logits"}


def test_a_failure_with_json_leaves_standard_output_empty(world, cli, tmp_path):
    """What fails says so on standard error only: a reader of standard output never takes an error for a result."""
    cli(*world.verify("--json", query=world.other_query)).complaint(1)
    cli(*world.verify("--json", certificate=tmp_path / "none.json")).complaint(2)
    cli(*world.prove(tmp_path, "--max-seconds", "0", "--json")).complaint(4)


def test_the_real_program_prints_the_same_object(world):
    """The program's own standard output holds the object and nothing else."""
    outcome = shell(*world.verify("--json"))
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.document["verdict"] == "verified"


def test_the_figures_of_a_proof_agree(world, cli, tmp_path):
    """What `prove` reports is what `certify` promises for the key's capacity and what `verify` reads."""
    proven = cli(*world.prove(tmp_path, "--json")).document
    promised = cli(*world.certify("--json")).document
    verified = cli(*world.verify("--json")).document
    by_capacity = {entry["capacity"]: entry for entry in promised["capacities"]}
    assert proven["capacity"] == CAPACITY
    assert proven["regions"] <= CAPACITY
    assert proven["radius_squared"] == by_capacity[CAPACITY]["radius_squared"] == verified["radius_squared"]
    assert proven["statement"] == verified["statement"]
    assert f" {proven['radius']} " in proven["statement"]
    assert proven["radius"] == verified["radius"] < verified["radius_grid"]
    assert proven["radius"] == by_capacity[CAPACITY]["radius"]
    assert proven["label"] == promised["label"] == verified["label"]
    assert proven["certificate_bytes"] == (tmp_path / "certificate.json").stat().st_size


def test_the_radius_of_a_key_grows_with_its_capacity(world, cli):
    """The capacities that `certify` lists are powers of two whose radius never falls and ends at the full one."""
    found = cli(*world.certify("--json")).document
    radii = [entry["radius_squared"] for entry in found["capacities"]]
    sizes = [entry["capacity"] for entry in found["capacities"]]
    assert radii == sorted(radii)
    assert radii[-1] == found["radius_squared"]
    assert sizes == [sizes[0] << step for step in range(len(sizes))]
