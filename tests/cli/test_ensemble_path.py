"""An ensemble's whole path by commands: trained, committed, its key made, decisions proven and verified."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from equiproof.certify.data.lending import make_lending
from equiproof.circuits.shape import ensemble_shape
from equiproof.prover.estimate import estimate
from equiproof.prover.opening import load_opening
from tests.cli.test_additive_path import Scorecard, done
from tests.cli.world import command

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def boosted(tmp_path_factory: pytest.TempPathFactory) -> Scorecard:
    """Train and commit to boosted trees of depth 2, and make a small key for them."""
    made = Scorecard(tmp_path_factory.mktemp("boosted"))
    trained = done(
        "train", "--model", "boosting", "--depth", 2, "--rounds", 8, "--monotone", "income=+", "--out",
        made.folder / "model",
    )  # fmt: skip
    assert "  more never lowers the score: income\n" in trained.out
    done("commit", made.folder / "model", "--out", made.folder / "committed")
    words = ("--slots", 8, "--rows", 12, "--capacity", 4)
    done("setup", "--opening", made.opening, "--keys", made.folder / "keys", *words)
    for number, row in enumerate(make_lending().rows[:3]):
        (made.folder / f"row-{number}.json").write_text(json.dumps(dict(row)), encoding="utf-8")
    return made


def test_decisions_are_proven_and_verified(boosted: Scorecard) -> None:
    """Within what `certify` says is the exact radius; another applicant's query is refused."""
    public = ("--commitment", boosted.folder / "committed" / "commitment.json", "--keys", boosted.folder / "keys")
    for number in (0, 1):
        exact = done("certify", boosted.folder / f"row-{number}.json", "--opening", boosted.opening, "--json").document
        assert exact["rows"] >= 1
        found = boosted.prove(number, "--json").document
        assert (found["scheme"], found["proof_bytes"]) == ("trees", 196)
        assert 1 <= found["leaves"] <= 4
        assert 0 < found["radius_squared"] <= exact["radius_squared"]
        query = ("--query", boosted.folder / f"query-{number}.json")
        told = done("verify", boosted.folder / f"{number}.json", *public, *query, "--json").document
        assert any("never falls as income grows: the owner states" in line for line in told["checks_not_made"])
    refused = command("verify", boosted.folder / "0.json", *public, "--query", boosted.folder / "query-1.json")
    assert refused.code == 1


def test_certify_says_which_key_has_room(boosted: Scorecard) -> None:
    """Slots, rows and leaves, in words too; `predict` has the exact score beside that of the integers."""
    at = ("certify", boosted.folder / "row-2.json", "--opening", boosted.opening)
    found = done(*at, "--json").document
    room = f"V = {found['slots']} slots, A = {found['rows']} rows and capacity K = {found['capacity']}"
    assert f"a key of {room} proves this" in done(*at).out
    (row,) = done("predict", boosted.folder / "model", boosted.folder / "row-2.json", "--json").document["rows"]
    assert row["float"]["label"] == row["quantised"]["label"]


def test_room_that_does_not_fit_is_refused(boosted: Scorecard, tmp_path: Path) -> None:
    """Before any key is made."""
    at = ("setup", "--opening", boosted.opening, "--keys", tmp_path / "keys")
    command(*at, "--rows", 4000).complaint(2, "--rows 4000", "want 1 to")
    assert not (tmp_path / "keys").exists()


def test_inspect_compares_rooms_over_a_sample(boosted: Scorecard, tmp_path: Path) -> None:
    """Sizes, costs of the very shapes, and how many of the sample get their full radius in each room."""
    at = ("inspect", boosted.folder / "model", "--sample", 6, "--plot", tmp_path / "costs.png")
    document = done(*at, "--json").document
    owned = load_opening(boosted.opening)
    predicates, (trees, splits) = owned.ensemble.predicates, owned.ensemble.nodes.sizes
    assert (document["model"]["trees"], document["model"]["splits"]) == (trees, splits)
    assert document["standard"]["name"] == "32p192t100x800"
    assert document["model"]["monotone"]["income"] == "+"
    sample, entries = document["sample"], document["capacities"]
    assert sample["fair"] + sample["unfair"] + sample["undecided"] == 6
    assert {"leaves", "slots", "rows"} <= {name for name, some in sample.items() if isinstance(some, dict)}
    for entry in entries:
        room = (min(entry["slots"], predicates[0]), min(entry["rows"], splits), entry["capacity"])
        shape = ensemble_shape(owned.spec, predicates, owned.ensemble.nodes.sizes, *room)
        assert entry["constraints"] == estimate(shape).constraints
    assert entries[-1]["full_radius"] >= entries[0]["full_radius"]
    kept = document["kept"]
    room = (kept["slots"], kept["rows"], kept["cost"]["capacity"])
    (usual,) = (one for one in entries if (one["slots"], one["rows"], one["capacity"]) == room)
    assert room == (min(120, predicates[0]), min(480, splits), 32)
    assert kept["self_contained"] == usual["constraints"]
    text = done("inspect", boosted.folder / "model", "--sample", 0).out
    assert f"{kept['self_contained']:,} constraints at V = {room[0]}, A = {room[1]}, K = 32\n" in text
    assert f"  ensemble: {trees} trees with {splits} splits" in text
    assert (tmp_path / "costs.png").read_bytes().startswith(b"\x89PNG")
