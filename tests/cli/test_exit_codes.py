"""Exit codes: 0 done, 1 refused, 2 misused, 3 unfair, 4 budget or capacity; what ends with 3 or 4 writes nothing."""

import json

import pytest

from equiproof.certify.errors import CapacityError
from equiproof.prover import Opening, Prover
from tests.cli.forked import forked
from tests.cli.world import command, listing, shell
from tests.support import RATES, network


@pytest.fixture(scope="module")
def processes(world):
    """How processes of the real program end, by the code that each should end with; the first prints JSON."""
    words = [world.verify("--json"), world.verify(query=world.other_query), world.verify(certificate=world.query)]
    return forked(words)


def test_the_trip_ends_with_a_certificate_that_verifies(processes):
    """The real program verifies what it proved: exit 0, and its own standard output holds the object alone."""
    assert (processes[0].code, processes[0].err) == (0, "")
    assert processes[0].document["verdict"] == "verified"


def test_a_refused_certificate_ends_with_1(processes):
    """The real program refuses a true certificate that is about somebody else's data: exit 1, one line."""
    assert processes[1].complaint(1).startswith("refused: ")


def test_what_is_no_certificate_ends_with_2(world, processes):
    """The real program calls a file that is no certificate malformed, not refused: exit 2, one line."""
    processes[2].complaint(2, world.query)


@pytest.mark.parametrize(("runner", "more"), [(shell, []), (command, ["--disclose"])])
def test_unfair_ends_with_3_and_a_counterexample(world, tmp_path, runner, more):
    """An applicant whom the model treats unfairly gets exit 3 with both decisions in words, and no file."""
    outcome = runner(*world.prove(tmp_path, *more, row=world.unfair))
    assert (outcome.code, outcome.err) == (3, "")
    for word in ("UNFAIR", "sex = female", "sex = male", "granted", "refused"):
        assert word in outcome.out
    assert not list(tmp_path.iterdir())


def test_unfair_in_plaintext_ends_with_3(world, cli):
    """Certifying in plaintext gives the same counterexample and exit code."""
    outcome = cli(*world.certify(row=world.unfair))
    assert (outcome.code, outcome.err) == (3, "")
    assert outcome.out.startswith("UNFAIR")


def test_the_counterexample_is_the_committed_model(world, cli):
    """The labels and integer logits of a counterexample are those of the committed integers."""
    cases = cli(*world.certify("--json", row=world.unfair)).document["cases"]
    opening, row = world.owned, json.loads(world.unfair.read_bytes())
    assert {case["label"] for case in cases} == set(opening.spec.labels)
    for case in cases:
        logits = opening.network.logits(opening.spec.encode(row) + opening.spec.encode_sensitive(case["sensitive"]))
        assert case["integer_logits"] == list(map(str, logits))


def test_a_walk_of_no_time_ends_with_4(world, both, cli, tmp_path):
    """Where time ends a walk first, nothing is written, and the message keeps to what is certain."""
    cli(*world.prove(tmp_path, "--scheme", "traversal", "--max-seconds", "0", keys=both)).complaint(4, "certain")
    cli(*world.certify("--max-seconds", "0")).complaint(4, "certain")
    assert not list(tmp_path.iterdir())


def test_a_tree_of_no_time_proves_what_is_certain(world, cli, tmp_path):
    """Where time ends branch and bound first, what is certain by then is proven, and what ended is said."""
    words = world.prove(tmp_path, "--max-seconds", "0", "--json")
    proven = cli(*words).document
    assert (proven["complete"], proven["ended"]) == (False, "seconds")
    assert 0 < float(proven["radius"]) < float(proven["flip"])
    certified = cli(*world.certify("--max-seconds", "0", "--json", scheme="branch")).document
    assert (certified["ended"], certified["radius_squared"]) == ("seconds", proven["radius_squared"])


def test_a_budget_of_few_regions_ends_with_4(world, cli):
    """Where regions end first, the radius so far is stated in the spec's units, never in squared grid steps."""
    assert "squared" not in cli(*world.certify("--max-regions", "2")).complaint(4, "2 regions")


def test_a_budget_below_the_slices_ends_with_4(tmp_path, cli):
    """A budget with no room for the centres of all slices ends with 4 and says how many there are."""
    opening = Opening.of(network(RATES, (2,), 13), RATES, blinding=5)
    path, row = tmp_path / "opening.json", tmp_path / "row.json"
    path.write_bytes(opening.secret())
    row.write_text(json.dumps({"income": 30000, "savings": "low"}))
    words = ("certify", row, "--opening", path)
    cli(*words, "--scheme", "traversal", "--max-regions", "2").complaint(4, "6 regions")
    cli(*words, "--max-leaves", "6").complaint(4, "7 leaves are needed and there is room for 6; 8 would do")


def test_the_default_budget_has_room_for_every_slice(tmp_path, cli, monkeypatch):
    """Where the sensitive features have more values than the budget has leaves, it is the next that holds them all."""
    monkeypatch.setattr("equiproof.cli.commands.certify.MAX_LEAVES", 3)
    opening = Opening.of(network(RATES, (2,), 13), RATES, blinding=5)
    path, row, out = tmp_path / "opening.json", tmp_path / "row.json", tmp_path / "results.json"
    path.write_bytes(opening.secret())
    row.write_text(json.dumps({"income": 30000, "savings": "low"}))
    outcome = cli("certify", row, "--opening", path, "--out", out, "--json")
    assert outcome.err == ""
    assert outcome.document["limits"]["max_leaves"] == 8
    assert outcome.document["points"][0]["verdict"] in ("fair", "unfair")


def test_a_capacity_below_the_slices_ends_with_4(world, cli, tmp_path, monkeypatch):
    """A key with fewer rows than slices ends with 4, names the capacity with room, and writes nothing."""

    def cramped(*_, **__):
        raise CapacityError(6, 2, None)

    monkeypatch.setattr(Prover, "prove", cramped)
    cli(*world.prove(tmp_path)).complaint(4, "6 regions", 8)
    assert not list(tmp_path.iterdir())


def test_no_key_has_fewer_rows_than_slices(tmp_path, cli):
    """A set-up with fewer rows than slices is refused before anything is made."""
    opening = Opening.of(network(RATES, (2,), 13), RATES, blinding=5)
    path = tmp_path / "commitment.json"
    path.write_bytes(opening.public())
    words = ["setup", "--commitment", path, "--keys", tmp_path / "keys", "--hidden", "2", "--capacity", "2"]
    cli(*words).complaint(2, "capacity")
    assert list(listing(tmp_path)) == ["commitment.json"]


@pytest.mark.parametrize("capacity", ["3", "4", "0", "-8", str(10**30)])
def test_a_capacity_without_key_ends_with_2(world, cli, tmp_path, capacity):
    """Proving with a capacity for which there is no key names the way out and writes nothing."""
    cli(*world.prove(tmp_path, "--capacity", capacity)).complaint(2, world.keys, "equiproof setup")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("capacity", ["3", "131072"])
def test_a_capacity_that_no_circuit_has_ends_with_2(world, cli, tmp_path, capacity):
    """A capacity that is no power of two, or too large, is refused before anything is made."""
    cli(*world.setup(tmp_path / "keys", capacity=capacity)).complaint(2, "capacity")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("scheme", ["branch", "traversal"])
def test_a_tie_ends_with_3_for_one_applicant_and_with_4_among_many(world, cli, tmp_path, scheme):
    """A tie is a counterexample to one applicant's decision, and an undecided row in results of several."""
    document = json.loads(world.opening.read_bytes())
    last = document["layers"][-1]
    last["weights"] = [[0] * len(row) for row in last["weights"]]
    last["biases"] = ["0"] * len(last["biases"])
    opening, many, out = tmp_path / "opening.json", tmp_path / "rows.json", tmp_path / "proven"
    opening.write_text(json.dumps(document))
    many.write_text(json.dumps([json.loads(world.row.read_bytes())] * 2))
    out.mkdir()
    one = [
        cli(*world.certify(opening=opening, scheme=scheme)),
        cli(*world.prove(out, opening=opening)),
    ]
    assert [(outcome.code, outcome.out.split(":")[0]) for outcome in one] == [(3, "UNDECIDED")] * 2
    assert not list(out.iterdir())
    several = [
        cli(*world.certify(row=many, opening=opening, scheme=scheme)),
        cli(*world.certify("--explain", opening=opening, scheme=scheme)),
        cli(*world.certify("--out", tmp_path / "results.json", opening=opening, scheme=scheme)),
    ]
    assert [outcome.code for outcome in several] == [4] * 3
