"""A scorecard's whole path by commands: trained, committed, its key made, a decision proven and verified."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from equiproof.certify.data.lending import make_lending
from tests.cli.world import Outcome, command


@dataclass(frozen=True)
class Scorecard:
    """A committed scorecard with its key, and three applicants' rows."""

    folder: Path

    @property
    def opening(self) -> Path:
        """The secret file."""
        return self.folder / "committed" / "opening.json"

    def prove(self, number: int, *words: object) -> Outcome:
        """Prove the decision about one applicant."""
        files = ("--out", self.folder / f"{number}.json", "--query-out", self.folder / f"query-{number}.json")
        row = self.folder / f"row-{number}.json"
        return command("prove", row, "--opening", self.opening, "--keys", self.folder / "keys", *files, *words)


def done(*words: object) -> Outcome:
    """Run a command that succeeds."""
    found = command(*words)
    assert found.code == 0, found.err
    return found


@pytest.fixture(scope="module")
def scorecard(tmp_path_factory: pytest.TempPathFactory) -> Scorecard:
    """Train and commit to a scorecard, and make a small key for it."""
    made = Scorecard(tmp_path_factory.mktemp("scorecard"))
    done("train", "--model", "scorecard", "--rounds", 30, "--out", made.folder / "model")
    done("commit", made.folder / "model", "--out", made.folder / "committed")
    done("setup", "--opening", made.opening, "--keys", made.folder / "keys", "--capacity", 4)
    for number, row in enumerate(make_lending().rows[:3]):
        (made.folder / f"row-{number}.json").write_text(json.dumps(dict(row)), encoding="utf-8")
    return made


def test_a_decision_is_proven_and_verified(scorecard: Scorecard) -> None:
    """Two applicants' certificates verify under the public commitment; another query is not what one is about."""
    public = ("--commitment", scorecard.folder / "committed" / "commitment.json", "--keys", scorecard.folder / "keys")
    for number in (0, 1):
        found = scorecard.prove(number, "--json").document
        assert found["scheme"] == "trees"
        assert found["proof_bytes"] == 196
        assert 1 <= found["leaves"] <= 4
        assert found["radius_squared"] > 0
        query = ("--query", scorecard.folder / f"query-{number}.json")
        done("verify", scorecard.folder / f"{number}.json", *public, *query)
    refused = command("verify", scorecard.folder / "0.json", *public, "--query", scorecard.folder / "query-1.json")
    assert refused.code == 1


def test_a_scheme_of_networks_is_refused(scorecard: Scorecard) -> None:
    """An additive model is of scheme trees: others are refused by one line, before anything is made."""
    scorecard.prove(2, "--scheme", "branch").complaint(2, "an additive model", "--scheme trees")
    words = ("setup", "--opening", scorecard.opening, "--keys", scorecard.folder / "other", "--scheme", "traversal")
    command(*words).complaint(2, "holds an additive model", "--scheme trees")
    assert not (scorecard.folder / "other").exists()
    words = ("setup", "--opening", scorecard.opening, "--keys", scorecard.folder / "other", "--slots", 4000)
    command(*words).complaint(2, "--slots 4000", "want 1 to")


def test_certify_states_what_a_key_proves(scorecard: Scorecard) -> None:
    """The radius of the room of a key is at least the one that `prove` states under it."""
    at = ("certify", scorecard.folder / "row-0.json", "--opening", scorecard.opening, "--slots", 13, "--capacity", 4)
    found = done(*at, "--json").document
    proven = scorecard.prove(0, "--force", "--json").document
    assert found["room"]["radius_squared"] == proven["radius_squared"]


def test_status_lists_a_scorecard(scorecard: Scorecard) -> None:
    """`status` shows the model, the opening with its predicates, and that the key fits."""
    found = done("status", scorecard.folder, "--json").document
    assert [one["path"] for one in found["models"]] == [str(scorecard.folder / "model")]
    assert len(found["openings"][0]["predicates"]) == 2
    assert found["keys"][0]["openings"] == [str(scorecard.opening)]
    assert "predicates" in done("status", scorecard.folder).out
