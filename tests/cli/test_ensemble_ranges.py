"""An ensemble under a spec that restricts neighbors to ranges, by commands: nobody names the relation."""

import json

import pytest

from tests.cli.world import command
from tests.prover.test_ensemble_ranges import EXACT, OPENING, ROW


@pytest.mark.slow
def test_from_set_up_to_verified(tmp_path):
    """The relation follows from the spec; search, certificate and verification list the ranges."""
    for name, data in (("opening", OPENING.secret()), ("commitment", OPENING.public())):
        (tmp_path / f"{name}.json").write_bytes(data)
    (tmp_path / "row.json").write_text(json.dumps(ROW))
    found = command("certify", tmp_path / "row.json", "--opening", tmp_path / "opening.json", "--json").document
    assert (found["radius_squared"], found["exact"]["complete"]) == (EXACT, True)
    assert found["ranges"]["income"] == "0 to 60,000 EUR"
    owned = ["--opening", tmp_path / "opening.json", "--keys", tmp_path / "keys"]
    made = command("setup", *owned, "--slots", 4, "--rows", 8, "--capacity", 4)
    assert (made.code, made.err) == (0, "")
    (folder,) = (tmp_path / "keys").glob("[!.]*")
    assert folder.name.startswith("trees-ranges-4+1-p6+1-n4x11-v4-a8-s2-k4-")
    written = ["--out", tmp_path / "certificate.json", "--query-out", tmp_path / "query.json"]
    proven = command("prove", tmp_path / "row.json", *owned, *written, "--json").document
    assert (proven["scheme"], proven["radius_squared"]) == ("trees", EXACT)
    assert proven["ranges"]["income"] == "0 to 60,000 EUR"
    public = ["--commitment", tmp_path / "commitment.json", "--keys", tmp_path / "keys"]
    words = ["verify", tmp_path / "certificate.json", *public, "--query", tmp_path / "query.json", "--json"]
    verified = command(*words).document
    assert verified["verdict"] == "verified"
    assert verified["ranges"]["income"] == "0 to 60,000 EUR"
