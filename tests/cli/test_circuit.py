"""`equiproof circuit`: list, prove and verify of one gadget alone."""

import json
import random
import stat

import pytest

from equiproof.circuits.subcircuit import GADGETS, gadget_scheme, gadget_subjects
from equiproof.prover.opening import Opening
from tests import boxes
from tests.additive_small import additive
from tests.ensemble_small import ensemble
from tests.prover.test_box import PEOPLE, network_opening
from tests.support import LOANS, applicant


def proving(world, folder, name="order", *more, **changed):
    """Return the words of a gadget's proof into `folder`."""
    at = {"row": world.row, "opening": world.opening, "keys": world.root.parent / "circuit-keys"} | changed
    options = ["--out", folder / "proof.json", "--instance-out", folder / "instance.json", "--capacity", 8]
    return ["circuit", "prove", name, at["row"], "--opening", at["opening"], "--keys", at["keys"], *options, *more]


def verifying(world, folder, name="order", *more):
    """Return the words of its verification."""
    return ["circuit", "verify", name, folder / "proof.json", "--keys", world.root.parent / "circuit-keys", *more]


def test_list_names_every_sub_circuit_with_its_rules_and_cost(cli):
    """Every gadget is listed with its rules, their sentences and the constraints at the stated shape."""
    outcome = cli("circuit", "list", "--json")
    entries, on_boxes = (outcome.document[name] for name in ("circuits", "box_circuits"))
    for subject, listed in (("ball", entries), ("box", on_boxes)):
        assert [entry["name"] for entry in listed] == [name for name in GADGETS if subject in gadget_subjects(name)]
    entries = [*entries, *on_boxes]
    assert all(
        entry["constraints"] > 100 and entry["rules"] and len(entry["says"]) == len(entry["rules"]) for entry in entries
    )
    text = cli("circuit", "list").out
    for entry in entries:
        assert entry["says"][0] in text
        assert f"{entry['constraints']:,}" in text


OF_NETWORKS = [
    name for name in GADGETS if gadget_scheme(name) != "trees" and name != "bounds" and "ball" in gadget_subjects(name)
]
SCORES = {"chain": additive, "rows": ensemble}


@pytest.fixture(scope="module")
def scores(tmp_path_factory):
    """The openings of an additive model and an ensemble, by a gadget; a fair applicant of both, and an unfair one."""
    folder, rng = tmp_path_factory.mktemp("scores"), random.Random(1)
    rows = [applicant(LOANS, rng) for _ in range(60)]
    labels = [[model().decide((*LOANS.encode(row), *of)) for model in SCORES.values() for of in LOANS.domain_table]
              for row in rows]  # fmt: skip
    fair = next(row for row, found in zip(rows, labels, strict=True) if len(set(found)) == 1)
    unfair = next(row for row, found in zip(rows, labels, strict=True) if len(set(found[:2])) == 2)
    for name, model in SCORES.items():
        (folder / f"{name}.json").write_bytes(Opening.of(model(), LOANS, blinding=5).secret())
    (folder / "fair.json").write_text(json.dumps(fair))
    (folder / "unfair.json").write_text(json.dumps(unfair))
    return folder


@pytest.mark.parametrize("name", SCORES)
def test_gadgets_of_scores_are_proven_and_verified_from_files(world, scores, cli, tmp_path, name):
    """A leaf of an additive model, and the rows of an ensemble in one, are proven; their scheme need not be named."""
    at = {"row": scores / "fair.json", "opening": scores / f"{name}.json"}
    made = cli(*proving(world, tmp_path, name, "--slots", 5, **at), "--json")
    assert (made.code, made.err) == (0, "")
    assert (made.document["circuit"], made.document["slice"]) == (name, None)
    held = cli(*verifying(world, tmp_path, name, "--instance", tmp_path / "instance.json"))
    assert held.out.startswith(f"VERIFIED {name} alone: ")
    again = cli(*proving(world, tmp_path, name, "--slots", 5, "--scheme", "trees", "--force", **at))
    assert f"PROVEN {name} alone" in again.out
    assert "  leaf 0; digest " in again.out


def test_gadgets_of_scores_are_of_their_models(world, scores, cli, tmp_path):
    """A gadget of networks, one that an additive model lacks, another scheme and room for a network are misuse."""
    at = {"row": scores / "fair.json", "opening": scores / "chain.json"}
    cli(*proving(world, tmp_path, "leaf", **at)).complaint(2, "has no circuit leaf; it has predicates, centre, slots")
    cli(*proving(world, tmp_path, "rows", **at)).complaint(2, "has no circuit rows; it has")
    cli(*proving(world, tmp_path, "chain", "--scheme", "branch", **at)).complaint(2, "want --scheme trees, not branch")
    cli(*proving(world, tmp_path, "chain", "--rows", 3, **at)).complaint(2, "--rows is of models with trees")
    cli(*proving(world, tmp_path, "chain")).complaint(2, "has no circuit chain; it has")
    cli(*proving(world, tmp_path, "order", "--slots", 3)).complaint(2, "--slots and --rows go with --scheme trees")
    cli(*proving(world, tmp_path, "order", "--scheme", "trees")).complaint(2, "holds a network: --scheme branch")
    unfair = cli(*proving(world, tmp_path, "chain", "--slots", 5, **at | {"row": scores / "unfair.json"}))
    assert unfair.code == 3
    assert not list(tmp_path.iterdir())


@pytest.fixture(scope="module")
def boxed(tmp_path_factory):
    """An additive model's opening and a box that it grants; the same of a network, in another folder."""
    folder = tmp_path_factory.mktemp("boxed")
    for name, opening, ends in (("additive", boxes.opening(), boxes.ENDS), ("network", network_opening(3), PEOPLE)):
        (folder / f"{name}.json").write_bytes(opening.secret())
        (folder / f"{name}-ends.json").write_text(json.dumps(ends))
    return folder


@pytest.mark.parametrize(
    ("name", "model", "place"),
    [
        ("levels", "additive", "the whole box"),
        ("people", "network", "the whole box"),
        ("falls", "network", "region 1, where"),
    ],
)
def test_gadgets_of_boxes_are_proven_and_verified_from_files(world, boxed, cli, tmp_path, name, model, place):
    """With a label the row is a box, and the rules are those of its relation."""
    at = {"row": boxed / f"{model}-ends.json", "opening": boxed / f"{model}.json"}
    more = ["--label", "granted", *(["--region", 1] if name == "falls" else [])]
    made = cli(*proving(world, tmp_path, name, *more, **at))
    assert (made.code, made.err) == (0, "")
    assert f"PROVEN {name} alone: " in made.out
    assert f"  {place}" in made.out
    held = cli(*verifying(world, tmp_path, name, "--instance", tmp_path / "instance.json"), "--json")
    assert held.code == 0
    assert held.document["rules"].keys() & {"R-X-CLOSE", "R-X-ENDS"}


def test_gadgets_of_boxes_are_of_boxes(world, boxed, cli, tmp_path):
    """A gadget of balls, a scheme without boxes, a label that is none and a box that is decided otherwise."""
    at = {"row": boxed / "network-ends.json", "opening": boxed / "network.json"}
    cli(*proving(world, tmp_path, "first_bounds", "--label", "granted", **at)).complaint(2, "it has relaxation, bounds")
    words = proving(world, tmp_path, "order", "--label", "granted", "--scheme", "traversal", **at)
    cli(*words).complaint(2, "leave out --scheme traversal")
    cli(*proving(world, tmp_path, "people", "--label", "maybe", **at)).complaint(2, "label 'maybe' is unknown")
    cli(*proving(world, tmp_path, "people", **at)).complaint(2, "has no circuit people; it has")
    cli(*proving(world, tmp_path, "people", "--label", "declined", **at)).complaint(4, "is not decided 'declined'")
    assert not list(tmp_path.iterdir())


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", OF_NETWORKS)
def test_every_sub_circuit_is_proven_and_verified_from_files(world, cli, tmp_path, name):
    """A gadget is proven for an applicant, and the files that this writes verify, with the values behind the digest."""
    made = cli(*proving(world, tmp_path, name, "--region", 1), "--json")
    assert (made.code, made.err) == (0, "")
    assert (made.document["circuit"], made.document["region"]) == (name, 1)
    instance = tmp_path / "instance.json"
    assert stat.S_IMODE(instance.stat().st_mode) == 0o600
    held = cli(*verifying(world, tmp_path, name, "--instance", instance), "--json")
    assert held.code == 0
    assert held.document["digest"] == made.document["digest"]
    assert held.document["values"].keys() == json.loads(instance.read_text())["values"].keys() - {"blinding"}


def test_text_says_that_it_is_no_certificate(world, cli, tmp_path):
    """Both commands say what was proven in the rule's words, and that this is no certificate."""
    for words in (proving(world, tmp_path), verifying(world, tmp_path)):
        outcome = cli(*words)
        assert (outcome.code, outcome.err) == (0, "")
        assert "A facet that is not crossed is no nearer than the radius." in outcome.out
        assert "This is not a certificate" in outcome.out


def test_keys_are_made_once(world, cli, tmp_path):
    """The first proof of a shape makes the keys, the second one takes them."""
    keys = tmp_path / "keys"
    made = [
        cli(*proving(world, tmp_path, "minimum", "--force", "--json", keys=keys)).document["key_made"] for _ in range(2)
    ]
    assert made == [True, False]


def test_another_gadgets_proof_and_other_values_are_refused(world, cli, tmp_path):
    """A proof of another gadget than asked for, and values that are not behind the digest, are refused with 1."""
    other = tmp_path / "other"
    for folder in (tmp_path, other):
        assert cli(*proving(world, folder)).code == 0
    cli(*verifying(world, tmp_path, "boundary")).complaint(1, "a proof of order, not of boundary")
    lie = other / "instance.json"
    cli(*verifying(world, tmp_path, "order", "--instance", lie)).complaint(1, lie, "not the values")


def test_an_edited_proof_is_refused(world, cli, tmp_path):
    """A proof file with another digest is refused with 1, one that is not canonical with 2."""
    assert cli(*proving(world, tmp_path)).code == 0
    path = tmp_path / "proof.json"
    document = json.loads(path.read_text())
    document["digest"] = f"{int(document['digest'], 16) ^ 1:064x}"
    path.write_text(json.dumps(document, sort_keys=True, separators=(",", ":")))
    cli(*verifying(world, tmp_path)).complaint(1, "does not hold")
    path.write_text(json.dumps(document))
    cli(*verifying(world, tmp_path)).complaint(2, path, "canonical")


def test_an_unfair_applicant_has_no_proof(world, cli, tmp_path):
    """For an applicant who is treated unfairly it prints the counterexample, exits 3, and writes nothing."""
    outcome = cli(*proving(world, tmp_path, row=world.unfair), "--json")
    assert outcome.code == 3
    assert outcome.document["verdict"] == "unfair"
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("more", "named"),
    [
        (["--region", "99"], "--region is at most"),
        (["--region", "-1"], "--region"),
        (["--capacity", "12"], "capacity is 12"),
        (["--capacity", "1"], "--capacity"),
        (["--out", "instance.json", "--instance-out", "instance.json"], "the same file"),
        (["--out", "x/../instance.json", "--instance-out", "instance.json", "--force"], "the same file"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_misuse_is_one_line(world, cli, tmp_path, monkeypatch, more, named):
    """Regions and capacities that there are none of are refused in one line, and nothing is written."""
    monkeypatch.chdir(tmp_path)
    cli(*proving(world, tmp_path, "order", *more)).complaint(2, named)
    assert not list(tmp_path.iterdir())


def test_unknown_gadgets_and_certificates_keys_are_misuse(world, cli, tmp_path):
    """An unknown gadget is refused by name, and a folder of certificates' keys holds no sub-circuit's."""
    cli(*proving(world, tmp_path, "radius")).complaint(2, "no circuit is called 'radius'")
    assert cli(*proving(world, tmp_path)).code == 0
    words = ["circuit", "verify", "order", tmp_path / "proof.json", "--keys", world.keys]
    cli(*words).complaint(2, world.keys, "no sub-circuit's key")
    cli(*proving(world, tmp_path)).complaint(2, "--force")


def test_gadgets_are_of_schemes(world, cli, tmp_path):
    """What every scheme has is proven for the one that is asked for; a gadget of another scheme is misuse."""
    made = cli(*proving(world, tmp_path, "commitment", "--scheme", "branch", "--region", 1), "--json")
    assert made.code == 0
    assert "commitment-branch-" in made.document["key"]
    # The model has one hidden layer.
    for name, scheme in (("tree", "traversal"), ("order", "branch"), ("bounds", "branch")):
        other = cli(*proving(world, tmp_path / "other", name, "--scheme", scheme))
        other.complaint(2, f"has no circuit {name}; it has")
    cli(*proving(world, tmp_path / "other", "order", "--scheme", "walk")).complaint(2, "--scheme", "walk")
