"""`--json`: exactly one JSON object on standard output, with the documented keys, and nothing else."""

import pytest

from tests.cli.foreign import COLUMNS, npz
from tests.cli.world import CAPACITY

CERTIFIED = {"verdict", "scheme", "label", "radius", "radius_squared", "slices"}
PROVEN = {
    "verdict", "statement", "label", "radius", "radius_squared", "ranges", "scheme", "capacity", "constraints",
    "proof_bytes", "certificate_bytes", "seconds", "certificate", "query",
}  # fmt: skip
OF_A_SCHEME = {
    "traversal": {
        "certify": CERTIFIED | {"regions", "capacities", "flip"},
        "prove": PROVEN | {"regions", "capacities"},
    },
    "branch": {
        "certify": CERTIFIED | {"ranges", "leaves", "capacity", "ended", "exact"},
        "prove": PROVEN | {"leaves", "flip", "complete", "ended"},
    },
}

KEYS = {
    "train": {"dataset", "sensitive", "one_hot", "ranges", "use_ranges", "report", "notes", "paper", "model"},
    "import": {
        "kind", "columns", "units", "hidden", "logits", "sensitive", "slices", "folded", "model", "notes",
        "fidelity", "labels", "compared", "differing_rows",
    },
    "commit": {
        "model_commitment", "spec_digest", "fidelity", "labels", "compared", "differing_rows", "commitment",
        "opening", "padded_to",
    },
    "setup": {"key", "fingerprint", "setup", "proof_system", "constraints", "form"},
    "certify": OF_A_SCHEME["branch"]["certify"],
    "predict": {"rows", "labels", "compared", "differing_rows"},
    "prove": OF_A_SCHEME["branch"]["prove"],
    "bundle": {"bundle", "certificate", "files", "secret"},
    "letter": {"letter", "certificate", "label"},
    "verify": {
        "verdict", "certificate", "statement", "label", "radius", "radius_grid", "radius_squared", "features",
        "intervals", "ranges", "model_commitment", "key_fingerprint", "pinned", "setup", "proof_system", "checks_made",
        "checks_not_made", "checker", "answer",
    },
    "repair": {
        "model_commitment_before", "model_commitment", "repair", "before", "after", "relaxed", "opening", "commitment",
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
        "certify": world.certify(scheme=None),
        "predict": ["predict", world.model, world.full],
        "prove": world.prove(folder),
        "bundle": [
            "bundle",
            world.certificate,
            "--commitment",
            world.commitment,
            "--key",
            world.keys,
            "--out",
            folder / "one.equiproof",
        ],
        "letter": world.letter(folder),
        "verify": world.verify(),
        "repair": ["repair", world.unfair, "--opening", world.opening, "--out", folder / "new", "--steps", "20"],
    }[command]


@pytest.mark.parametrize("command", KEYS)
def test_json_is_one_object_with_the_documented_keys(world, setups, cli, tmp_path, command):
    """Every command with `--json` prints one object on one line, and nothing on standard error."""
    outcome = setups["json"] if command == "setup" else cli(*words(world, command, tmp_path), "--json")
    assert (outcome.code, outcome.err) == (0, "")
    assert set(outcome.document) == KEYS[command]


@pytest.mark.parametrize("scheme", ["traversal", "branch"])
def test_certify_and_prove_have_the_keys_of_their_scheme(world, both, cli, tmp_path, scheme):
    """The result has the fields of the requested scheme, and none of the other's."""
    keys = OF_A_SCHEME[scheme]
    assert set(cli(*world.certify("--json", scheme=scheme)).document) == keys["certify"]
    assert set(cli(*world.prove(tmp_path, "--scheme", scheme, "--json", keys=both)).document) == keys["prove"]


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


def test_a_failure_with_json_leaves_standard_output_empty(world, both, cli, tmp_path):
    """What fails says so on standard error only: a reader of standard output never takes an error for a result."""
    cli(*world.verify("--json", query=world.other_query)).complaint(1)
    cli(*world.verify("--json", certificate=tmp_path / "none.json")).complaint(2)
    walk = ("--scheme", "traversal", "--max-seconds", "0")
    cli(*world.prove(tmp_path, *walk, "--json", keys=both)).complaint(4)


@pytest.mark.parametrize("scheme", ["traversal", "branch"])
def test_the_figures_of_a_proof_agree(world, both, cli, tmp_path, scheme):
    """What `prove` reports is what `certify` promises for the key's capacity and what `verify` reads."""
    proven = cli(*world.prove(tmp_path, "--scheme", scheme, "--json", keys=both)).document
    certificate, query = tmp_path / "certificate.json", tmp_path / "query.json"
    promised = cli(*world.certify("--json", scheme=scheme)).document
    verified = cli(*world.verify("--json", certificate=certificate, query=query, keys=both)).document
    assert proven["capacity"] == CAPACITY
    if scheme == "traversal":
        (entry,) = (entry for entry in promised["capacities"] if entry["capacity"] == CAPACITY)
        assert proven["regions"] <= CAPACITY
    else:
        entry = promised
        assert proven["leaves"] == promised["leaves"] <= promised["capacity"] <= CAPACITY
        assert promised["exact"]["lower"]["squared"] == str(proven["radius_squared"])
        assert promised["exact"]["upper"]["radius"] == proven["flip"]
    assert proven["radius_squared"] == entry["radius_squared"] == verified["radius_squared"]
    assert proven["statement"] == verified["statement"]
    assert f" {proven['radius']} " in proven["statement"]
    assert proven["radius"] == entry["radius"] == verified["radius"] < verified["radius_grid"]
    assert proven["label"] == promised["label"] == verified["label"]
    assert proven["certificate_bytes"] == certificate.stat().st_size


def test_the_radius_of_a_key_grows_with_its_capacity(world, cli):
    """The capacities that `certify` lists are powers of two whose radius never falls and ends at the full one."""
    found = cli(*world.certify("--json")).document
    radii = [entry["radius_squared"] for entry in found["capacities"]]
    sizes = [entry["capacity"] for entry in found["capacities"]]
    assert radii == sorted(radii)
    assert radii[-1] == found["radius_squared"]
    assert sizes == [sizes[0] << step for step in range(len(sizes))]
