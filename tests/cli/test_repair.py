"""`repair`: a new model that is committed, certified and proven, on the data of the lending demo."""

import json
import stat

import numpy as np
import pytest

from equiproof import prover
from equiproof.audits.prof import applicants as applicants_module
from equiproof.audits.prof.box import read_box
from equiproof.audits.prof.clock import Clock
from equiproof.audits.prof.similar import Similarity
from equiproof.certify.data import load
from equiproof.certify.many import portfolio
from equiproof.circuits.shape import shape_of
from equiproof.prover.opening import parse_opening
from equiproof.verifier import parse_commitment
from equiproof.verifier.link import LINK_FILE
from tests.cli.world import CAPACITY
from tests.linked_case import store_of

STEPS = ("--steps", "40", "--max-seconds", "3600")


@pytest.fixture(scope="module")
def applicants(world, tmp_path_factory):
    """A file of a dozen applicants, the last of whom the model treats unfairly."""
    data, opening = load("lending"), world.owned
    names = [feature.name for feature in opening.spec.plain_features]
    unfair = json.loads(world.unfair.read_bytes())
    rows = [{name: data.rows[index][name] for name in names} for index in data.test[:12]]
    path = tmp_path_factory.mktemp("rows") / "rows.json"
    path.write_text(json.dumps([*[row for row in rows if row != unfair][:11], unfair]))
    return path


def test_a_repaired_model_is_committed_and_certified(world, cli, applicants, tmp_path):
    """Every applicant is fair afterwards; the new opening opens the new commitment, and the spec is the same."""
    before = world.opening.read_bytes()
    outcome = cli("repair", applicants, "--opening", world.opening, "--out", tmp_path / "new", *STEPS, "--json")
    assert (outcome.code, outcome.err) == (0, "")
    document = outcome.document
    opening = parse_opening((tmp_path / "new/opening.json").read_bytes(), "opening.json")
    public = parse_commitment((tmp_path / "new/commitment.json").read_bytes(), "commitment.json")
    assert document["model_commitment"] == public.model_commitment != document["model_commitment_before"]
    assert (opening.spec, opening.network.hidden) == (world.owned.spec, world.owned.network.hidden)
    assert opening.blinding != world.owned.blinding
    assert set(document["repair"]) == {
        "points", "sets", "change", "least_change", "margin", "steps", "constant", "seconds",
    }  # fmt: skip
    assert {frozenset(point) for side in ("before", "after") for point in document[side]} == {
        frozenset(("row", "verdict", "label", "radius", "radius_squared"))
    }
    assert document["before"][-1]["verdict"] == "unfair"
    assert {point["verdict"] for point in document["after"]} == {"fair"}
    for row, point in zip(json.loads(applicants.read_bytes()), document["after"], strict=True):
        query = opening.spec.encode(row)
        labels = {opening.network.decide((*query, *line)) for line in opening.spec.domain_table}
        assert labels == {opening.spec.labels.index(point["label"])}
    assert stat.S_IMODE((tmp_path / "new/opening.json").stat().st_mode) == 0o600
    assert world.opening.read_bytes() == before


def test_the_repaired_model_is_proven_and_verified(world, cli, applicants, tmp_path):
    """The old model's key proves the new one, whose certificate holds under the new commitment and not the old."""
    words = ("repair", applicants, "--opening", world.opening, "--out", tmp_path, *STEPS)
    outcome = cli(*words, "--prove", "--keys", world.keys, "--context", world.context)
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out.startswith("REPAIRED for 12 applicants")
    assert stat.S_IMODE((tmp_path / "query.json").stat().st_mode) == 0o600
    assert "PROVEN row " in outcome.out
    assert "12: unfair" in outcome.out
    made = {"certificate": tmp_path / "certificate.json", "query": tmp_path / "query.json"}
    assert cli(*world.verify(**made, commitment=tmp_path / "commitment.json")).code == 0
    assert cli(*world.verify(**made)).code == 1


def test_a_kept_key_proves_the_repaired_model(world, cli, applicants, tmp_path):
    """The new model has a link of its own, which is published with its commitment; none is replaced."""
    owned = world.owned
    keys = store_of(shape_of("branch", owned.spec, owned.network.hidden, CAPACITY))
    words = ("repair", applicants, "--opening", world.opening, "--out", tmp_path, *STEPS, "--prove", "--keys", keys)
    outcome = cli(*words)
    assert (outcome.code, outcome.err) == (0, "")
    assert f"  link {tmp_path / LINK_FILE}: publish it with the commitment" in outcome.out
    public = ("--commitment", tmp_path / "commitment.json", "--keys", keys)
    assert cli("verify", tmp_path / "certificate.json", *public).code == 0
    assert not [path for path in world.owner.iterdir() if path.name == LINK_FILE]
    for name in ("opening.json", "commitment.json", "certificate.json", "query.json"):
        (tmp_path / name).unlink()
    cli(*words).complaint(2, LINK_FILE, "--force")


def test_files_that_exist_are_kept(world, cli, applicants):
    """Without --force nothing is overwritten, and nothing is computed first."""
    outcome = cli("repair", applicants, "--opening", world.opening, "--out", world.owner)
    outcome.complaint(2, "opening.json", "--force")


def test_words_that_do_not_go_together_are_refused(world, cli, applicants, tmp_path):
    """A proof needs keys; relaxations need features of the spec and numbers."""
    words = ("repair", applicants, "--opening", world.opening, "--out", tmp_path / "new")
    cli(*words, "--prove").complaint(2, "--keys")
    cli(*words, "--context", world.context).complaint(2, "--prove")
    cli(*words, "--relaxed", "shoe=1").complaint(2, "shoe")
    cli(*words, "--relaxed", "income").complaint(2, "income")
    cli(*words, "--relaxed", "income=1", "--box", "income=1..2").complaint(2, "--box")
    cli(*words, "--box", "shoe=1..2").complaint(2, "shoe")
    cli(*words, "--least-kept", "1.5").complaint(2, "--least-kept")
    assert not (tmp_path / "new").exists()


def test_other_features_may_differ_as_well(world, cli, applicants, tmp_path):
    """With a relaxed number and scheme branch, neighbors within it are decided like the applicant, and all are fair."""
    feature = next(one for one in world.owned.spec.plain_features if one.encoding == "scaled")
    words = (
        "repair",
        applicants,
        "--opening",
        world.opening,
        "--out",
        tmp_path,
        *STEPS,
        "--scheme",
        "branch",
        "--json",
    )
    outcome = cli(*words, "--relaxed", f"{feature.name}=1")
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.document["relaxed"] == f"{feature.name}=1"
    assert {point["verdict"] for point in outcome.document["after"]} == {"fair"}
    opening = parse_opening((tmp_path / "opening.json").read_bytes(), "opening.json")
    similarity = Similarity.of(opening.spec, {feature.name: 1})
    for row in json.loads(applicants.read_bytes()):
        ends = {end for box in similarity.boxes(opening.spec.encode(row)) for end in box}
        assert len({opening.network.decide(end) for end in ends}) == 1


@pytest.mark.slow
def test_a_box_is_repaired_with_proof(world, cli, applicants, tmp_path):
    """All applicants of an age are proven alike in the new model, drawn ones are, and the outcome names the box."""
    words = ("repair", applicants, "--opening", world.opening, "--out", tmp_path, *STEPS, "--box", "age=30..40")
    outcome = cli(*words, "--json")
    assert (outcome.code, outcome.err) == (0, "")
    box = outcome.document["box"]
    assert set(box) == {"box", "applicants", "rounds", "points", "leaves"}
    opening = parse_opening((tmp_path / "opening.json").read_bytes(), "opening.json")
    inside = read_box("age=30..40", opening.spec)
    assert (box["box"], box["applicants"]) == ("age=30..40", str(inside.count))
    for query in inside.draw(np.random.default_rng(1), 300):
        assert len({opening.network.decide((*query, *line)) for line in opening.spec.domain_table}) == 1


def test_what_has_to_be_kept_is_kept(world, cli, applicants, tmp_path):
    """With all rows to be kept, each applicant gets the label that the old model gave most often."""
    words = ("repair", applicants, "--opening", world.opening, "--out", tmp_path, *STEPS)
    outcome = cli(*words, "--least-kept", "1", "--json")
    assert (outcome.code, outcome.err) == (0, "")
    old, spec = world.owned.network, world.owned.spec
    for row, point in zip(json.loads(applicants.read_bytes()), outcome.document["after"], strict=True):
        labels = [old.decide((*spec.encode(row), *line)) for line in spec.domain_table]
        assert spec.labels.index(point["label"]) == max(set(labels), key=labels.count)


def test_all_steps_end_with_one_time_limit(world, cli, applicants, tmp_path, monkeypatch):
    """Repair, certification before and after, and a search that all take what they may take 100 seconds at most."""
    passed = [0.0]

    def taken(seconds):
        passed[0] += seconds

    def certified(network, spec, queries, limits):
        taken(limits.max_seconds)
        return real["certify_all"](network, spec, queries, limits)

    def repaired(*given):
        made = real["repair_for"](*given[:-1])
        taken(given[-1].rest)
        return made

    class Proving(prover.Prover):
        def prove(self, row, context, *, max_seconds):
            taken(max_seconds)
            return super().prove(row, context)

    real = {"certify_all": portfolio.certify_all, "repair_for": applicants_module.repair_for}
    monkeypatch.setattr(Clock, "of", classmethod(lambda cls, seconds: cls(seconds, lambda: passed[0])))
    monkeypatch.setattr(portfolio, "certify_all", certified)
    monkeypatch.setattr(applicants_module, "repair_for", repaired)
    monkeypatch.setattr(prover, "Prover", Proving)
    words = ("repair", applicants, "--opening", world.opening, "--out", tmp_path, "--steps", "40")
    outcome = cli(*words, "--max-seconds", "100", "--prove", "--keys", world.keys)
    assert (outcome.code, outcome.err) == (0, "")
    assert 90 < passed[0] <= 100 + 1e-9


def test_without_time_there_is_no_repair(world, cli, applicants, tmp_path):
    """Nothing is written, exit 4 says so, and the line names the time."""
    words = ("repair", applicants, "--opening", world.opening, "--out", tmp_path / "new", "--max-seconds", "0")
    cli(*words).complaint(4, "the time ended")
    cli(*words, "--box", "age=30..31").complaint(4, "the time ended after 0 rounds, without a proof for the box")
    assert not (tmp_path / "new").exists()
