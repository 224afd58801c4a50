"""An additive model under a spec that restricts neighbors to ranges, by commands: nobody names the relation."""

import json

import pytest

from tests.cli.world import command
from tests.prover.test_additive_ranges import CASE, ROW


@pytest.mark.slow
def test_explain_has_costs_and_radii(tmp_path):
    """Of keys with ranges: as many as are compared without, and the exact radius inside the ranges."""
    (tmp_path / "opening.json").write_bytes(CASE.opening().secret())
    (tmp_path / "row.json").write_text(json.dumps(ROW))
    words = ["--opening", tmp_path / "opening.json", "--explain", "--max-leaves", 4, "--json"]
    found = command("certify", tmp_path / "row.json", *words).document
    assert [cost["parts"]["ranges"] for cost in found["capacities"]] == [32, 32, 32]
    assert found["beyond"] is None
    assert found["rows"][0]["upper"]["squared"] == str(CASE.exact())


def test_from_set_up_to_verified(tmp_path):
    """The relation follows from the spec; certificate and verification list the ranges."""
    opening = CASE.opening()
    for name, data in (("opening", opening.secret()), ("commitment", opening.public())):
        (tmp_path / f"{name}.json").write_bytes(data)
    (tmp_path / "row.json").write_text(json.dumps(ROW))
    owned = ["--opening", tmp_path / "opening.json", "--keys", tmp_path / "keys"]
    made = command("setup", *owned, "--slots", 4, "--capacity", 4)
    assert (made.code, made.err) == (0, "")
    (folder,) = (tmp_path / "keys").glob("[!.]*")
    assert folder.name.startswith("additive-ranges-4+1-p6+1-v4-s2-k4-")
    written = ["--out", tmp_path / "certificate.json", "--query-out", tmp_path / "query.json"]
    proven = command("prove", tmp_path / "row.json", *owned, *written, "--json").document
    assert (proven["scheme"], proven["radius_squared"]) == ("trees", CASE.exact())
    assert proven["ranges"]["income"] == "0 to 60,000 EUR"
    public = ["--commitment", tmp_path / "commitment.json", "--keys", tmp_path / "keys"]
    words = ["verify", tmp_path / "certificate.json", *public, "--query", tmp_path / "query.json", "--json"]
    verified = command(*words).document
    assert verified["verdict"] == "verified"
    assert verified["ranges"]["income"] == "0 to 60,000 EUR"
