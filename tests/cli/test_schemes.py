"""Both schemes from the command line: a key chooses the scheme, a verifier learns it from the key."""

from equiproof.circuits.schemes import DEFAULT_SCHEME
from tests.cli.world import CAPACITY


def test_every_command_takes_one_default(world, cli, tmp_path):
    """Without a wish, set-up, certification and what is said beforehand are of scheme branch: they fit together."""
    assert DEFAULT_SCHEME == "branch"
    assert world.key.name.startswith("branch-")
    document = cli("certify", world.row, "--opening", world.opening, "--json").document
    assert document["scheme"] == "branch"
    assert cli("inspect", world.model, "--sample", 0, "--json").document["scheme"] == "branch"
    explained = cli("certify", world.row, "--opening", world.opening, "--explain", "--json").document
    assert explained["scheme"] == "branch"
    many = cli("certify", world.row, "--opening", world.opening, "--out", tmp_path / "results.json", "--json").document
    assert many["limits"]["scheme"] == "branch"
    assert many["points"][0]["radius_squared"] == document["radius_squared"]
    proven = cli(*world.prove(tmp_path, "--json")).document
    assert (proven["scheme"], proven["leaves"]) == ("branch", document["leaves"])
    assert proven["radius_squared"] == document["radius_squared"]


def test_set_up_names_the_scheme(both):
    """Each key has a folder that begins with its scheme."""
    assert sorted(path.name.partition("-")[0] for path in both.glob("[!.]*")) == ["branch", "traversal"]


def test_a_certificate_of_scheme_branch_is_verified(world, both, cli, tmp_path):
    """prove reports leaves and bounds of the boundary; verify prints the same as for any certificate."""
    proven = cli(*world.prove(tmp_path, "--scheme", "branch", "--json", keys=both)).document
    assert proven["scheme"] == "branch"
    assert 3 <= proven["leaves"] <= proven["capacity"] == CAPACITY
    assert proven["complete"] == (proven["ended"] is None)
    assert float(proven["flip"]) >= float(proven["radius"])
    files = {"certificate": tmp_path / "certificate.json", "query": tmp_path / "query.json", "keys": both}
    verified = cli(*world.verify("--json", **files)).document
    assert verified["verdict"] == "verified"
    assert verified["radius_squared"] == proven["radius_squared"]


def test_the_radius_is_no_smaller_than_by_regions(world, both, cli, tmp_path):
    """Under keys of the same capacity, leaves prove at least what regions prove, and the text says of how many."""
    proven = {}
    for scheme, kind in (("traversal", "regions"), ("branch", "leaves")):
        folder = tmp_path / scheme
        folder.mkdir()
        proven[scheme] = cli(*world.prove(folder, "--scheme", scheme, "--json", keys=both)).document
        said = cli(*world.prove(folder, "--scheme", scheme, "--force", keys=both)).out
        assert f"{proven[scheme][kind]} {kind} of at most {CAPACITY}; certify" in said
    assert proven["branch"]["radius_squared"] >= proven["traversal"]["radius_squared"]


def test_without_a_wish_the_key_of_leaves_is_taken(world, both, cli, tmp_path):
    """Of two keys of one capacity that of scheme branch is used."""
    assert cli(*world.prove(tmp_path, "--json", keys=both)).document["scheme"] == "branch"


def test_a_scheme_that_is_none_is_misuse(world, cli, tmp_path):
    """The two schemes are named; nothing is written."""
    for words in (world.setup(tmp_path / "keys", "--scheme", "walk"), world.prove(tmp_path, "--scheme", "walk")):
        cli(*words).complaint(2, "--scheme", "'walk'", "'traversal', 'branch'")
    assert not list(tmp_path.iterdir())


def test_a_missing_scheme_is_said(world, cli, tmp_path):
    """Where only keys of the other scheme are there, the line says so and names the option that makes one."""
    said = cli(*world.prove(tmp_path, "--scheme", "traversal"))
    said.complaint(2, "--scheme traversal", f"(branch, K = {CAPACITY})")
    assert not list(tmp_path.iterdir())
