"""`inspect`: what a model is and will cost, before anything long is started."""

import json

import pytest

from equiproof.certify.data import load
from equiproof.certify.traversal.search import Search, search
from equiproof.cli.commands.inspect import _say_slices, _spec, slices_line
from equiproof.prover.keys import KeyStore
from tests.cli.foreign import COLUMNS, arrays, npz
from tests.cli.world import CAPACITY, command, listing
from tests.support import AGE, INCOME, SEX, changed, spec_of

TRAVERSAL = ("--scheme", "traversal")


@pytest.fixture(scope="module")
def rows():
    """Test rows of the data set."""
    data = load("lending")
    return [dict(data.rows[number]) for number in data.test]


@pytest.fixture(scope="module")
def document(world):
    """The report on a model with its own data."""
    return command("inspect", world.model, *TRAVERSAL, "--json").document


def test_the_model_and_its_spec_are_described(world, document):
    """Sizes, scales and digest are those of the committed model."""
    owned = world.owned
    assert document["model"]["hidden"] == [3]
    assert document["model"]["inputs"] == owned.network.inputs
    assert document["model"]["weight_fraction_bits"] == list(owned.network.weight_fraction_bits)
    assert document["spec"]["digest"] == f"{owned.spec.digest:064x}"
    assert document["spec"]["sensitive"] == {"sex": ["female", "male"]}
    assert document["spec"]["slices"] == 2


@pytest.mark.parametrize("scheme", ["traversal", "branch"])
def test_the_cost_of_a_capacity_is_that_of_its_key(world, both, cli, scheme):
    """The constraints of the capacity that has a key are those of the key, by either scheme."""
    document = cli("inspect", world.model, "--scheme", scheme, "--json").document
    (entry,) = (entry for entry in document["capacities"] if entry["capacity"] == CAPACITY)
    owned = world.owned
    key = KeyStore(both).find(owned.spec, owned.network.hidden, CAPACITY, scheme)
    assert entry["constraints"] == key.document.constraints
    assert document["beyond"] is None


def test_the_constraints_of_a_capacity_are_split_by_gadget(document, cli, world):
    """The parts of each capacity add up to its constraints, and each stands in the text."""
    for entry in document["capacities"]:
        assert sum(entry["parts"].values()) == entry["constraints"]
    last = document["capacities"][-1]["parts"]
    assert {"inference", "polytope", "order", "boundary", "neighbor", "commitment", "digest"} < set(last)
    text = cli("inspect", world.model, *TRAVERSAL).out
    for name, constraints in last.items():
        assert any(line.startswith(f"  {name} ") and line.endswith(f" {constraints:,}") for line in text.splitlines())


def test_the_rounding_is_what_commit_reports(world, cli, tmp_path, document):
    """The report of rounding is the one that `commit` makes."""
    committed = cli("commit", world.model, "--out", tmp_path / "owner", "--json").document
    assert document["fidelity"] == committed["fidelity"]


def test_the_sample_is_searched(world, cli, tmp_path, rows):
    """Rows of one's own are counted by verdict, and capacities say how many of the fair ones get their full radius."""
    path = tmp_path / "rows.json"
    path.write_text(json.dumps(rows[:30]))
    document = cli(
        "inspect", world.model, "--rows", path, "--sample", 30, "--max-seconds", 60, *TRAVERSAL, "--json"
    ).document
    spec, network = world.owned.spec, world.owned.network
    limits = {"max_radius_squared": spec.max_radius_squared, "max_regions": 4096}
    found = [search(network, spec.encode(row), spec.domain_table, **limits) for row in rows[:30]]
    fair = [one for one in found if isinstance(one, Search)]
    assert document["sample"]["fair"] == len(fair)
    assert document["sample"]["unfair"] == len(found) - len(fair)
    assert document["sample"]["regions"]["largest"] == max(one.needed for one in fair)
    for entry in document["capacities"]:
        assert entry["full_radius"] == sum(one.needed <= entry["capacity"] for one in fair)
    assert document["capacities"][-1]["full_radius"] == len(fair)


def test_nothing_is_searched_where_nothing_is_asked_for(world, cli):
    """A sample of 0 costs no search and says so."""
    outcome = cli("inspect", world.model, "--sample", 0)
    assert outcome.code == 0
    assert "none searched" in outcome.out


def test_the_text_says_what_the_json_says(world, cli, document):
    """Every part has its heading, and every capacity its line."""
    lines = cli("inspect", world.model, *TRAVERSAL).out.splitlines()
    assert [line for line in lines if not line.startswith(" ")] == [
        "model",
        "spec",
        "rounding",
        "bits",
        "sample",
        "cost of scheme traversal",
        "constraints by gadget",
        "kept model",
        "standard shape",
    ]
    for entry in document["capacities"]:
        assert any(line.split()[:2] == [str(entry["capacity"]), f"{entry['constraints']:,}"] for line in lines)
    assert max(map(len, lines)) <= 120


@pytest.mark.slow
def test_cost_and_radii_are_drawn_by_capacity(world, cli, tmp_path):
    """The picture is a PNG where it was asked for; one that is there is kept, and a folder that is missing is told."""
    plot = tmp_path / "cost.png"
    for sample in (0, 4):
        words = ["inspect", world.model, "--sample", sample, "--plot", plot, "--force"]
        assert cli(*words).out.endswith(f"the picture is {plot}\n")
        assert plot.read_bytes().startswith(b"\x89PNG")
    cli("inspect", world.model, "--sample", 0, "--plot", plot).complaint(2, "cost.png")


def test_a_model_that_cannot_be_proven_is_described_all_the_same(cli, tmp_path):
    """A network too large for the scheme is recognised by its sizes, and the reason takes the place of the costs."""
    first, second = arrays(hidden=64), arrays(width=64, hidden=64)
    deep = {"W0": first["W0"], "b0": first["b0"], "W1": second["W0"], "b1": second["b0"]}
    path = npz(tmp_path / "large.npz", **deep, W2=second["W1"], b2=second["b1"])
    given = ("--dataset", "lending", "--columns", ",".join(COLUMNS), "--units", "spec")
    assert cli("import", path, *given, "--allow-loss", "--out", tmp_path / "model").code == 0
    document = cli("inspect", tmp_path / "model", "--sample", 0, *TRAVERSAL, "--json").document
    assert document["capacities"] == []
    assert "128 neurons are too many for scheme traversal" in document["beyond"]
    assert "no further: capacity 2 needs" in cli("inspect", tmp_path / "model", "--sample", 0, *TRAVERSAL).out


@pytest.mark.slow
def test_a_large_model_is_told_what_scheme_branch_costs(cli, tmp_path):
    """The same network has circuits of scheme branch: from the least capacity on, each with its constraints."""
    assert cli("train", "--out", tmp_path / "model", "--hidden", "16,16").code == 0
    found = cli("inspect", tmp_path / "model", "--sample", 0, "--scheme", "branch", "--json").document
    assert [entry["capacity"] for entry in found["capacities"]] == [4, 8, 16, 32]
    counts = [entry["constraints"] for entry in found["capacities"]]
    assert counts == sorted(counts)
    assert {"tree", "leaf", "relaxation", "backward"} < set(found["capacities"][0]["parts"])
    assert found["sample"]["leaves"] is None


@pytest.mark.slow
def test_the_sample_is_searched_by_the_scheme(world, cli, tmp_path, rows):
    """With scheme branch, leaves are counted, and no radius is below the walk's by more than rounding takes."""
    path = tmp_path / "rows.json"
    path.write_text(json.dumps(rows[:8]))
    words = ("inspect", world.model, "--rows", path, "--sample", 8, "--max-seconds", 60, "--json")
    tree, walk = (cli(*words, "--scheme", scheme).document for scheme in ("branch", "traversal"))
    assert (tree["scheme"], walk["scheme"]) == ("branch", "traversal")
    assert tree["sample"]["fair"] == walk["sample"]["fair"] > 0
    assert tree["sample"]["leaves"]["largest"] <= 64
    assert float(tree["capacities"][-1]["median_radius"]) >= float(walk["capacities"][-1]["median_radius"]) - 0.001
    shown = cli(*words[:-1], "--scheme", "branch").out
    assert "\ncost of scheme branch\n" in shown
    assert f"needs {tree['sample']['leaves']['median']} leaves (median)" in shown


def test_nothing_is_written(world, cli):
    """Looking changes no file."""
    before = listing(world.root)
    assert cli("inspect", world.model).code == 0
    assert listing(world.root) == before


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("[{}]", "row 1: feature 'age' is missing"),
        ('[{"age": "old"}]', "row 1: feature 'age': 'old' is not a number"),
        ("[", "not valid JSON"),
    ],
)
def test_bad_rows_have_a_line_for_each_problem(world, cli, tmp_path, text, named):
    """A row that does not fit names file, row and features."""
    path = tmp_path / "rows.json"
    path.write_text(text)
    first, *_ = cli("inspect", world.model, "--rows", path).complaints(2, path)
    assert named in first


def test_no_model_is_one_line(cli, tmp_path):
    """A folder without a model names the missing file."""
    cli("inspect", tmp_path).complaint(2, tmp_path / "spec.json")


def test_rows_of_ones_own_measure_the_rounding(world, cli, tmp_path, rows):
    """Rows without labels tell how many decisions rounding changes, and no accuracy."""
    path = tmp_path / "rows.json"
    path.write_text(json.dumps(rows))
    report = cli("inspect", world.model, "--rows", path, "--sample", 0, "--json").document["fidelity"]["rows"]
    assert (report["name"], report["points"], report["accuracy"]) == ("rows.json", len(rows), None)


def test_many_sensitive_values_are_not_written_out():
    """Few sensitive values are written out, many as their number; either fits a line."""
    ages = [str(age) for age in (18, 20, 25, 30, 35, 40, 50, 65, 75)]
    spec = {"sensitive": {"sex": ["female", "male"], "age": ages}, "labels": ["no", "yes"], "features": []}
    lines = _spec(spec | {"name": "loans", "columns": 3, "slices": 18})
    assert lines[1] == "sensitive: sex = female / male, age = 9 listed values from 18 to 75; 18 joint values"


@pytest.mark.parametrize(
    ("ages", "sample", "is_said"), [(31, 20, False), (32, 20, True), (497, 20, True), (497, 0, False)]
)
def test_many_combinations_are_said_before_the_search(capsys, ages, sample, is_said):
    """With the seconds that they may take, a smaller sample, and the feature that has most of them."""
    age = changed(AGE, domain=tuple(map(str, range(18, 18 + ages))))
    _say_slices(spec_of(INCOME, age, SEX), sample, 2.0)
    said = " ".join(capsys.readouterr().err.split())
    if not is_said:
        assert said == ""
        return
    besides = "up to 40 s of searching, besides comparing and counting constraints"
    assert said.startswith(f"{besides}, since {2 * ages} combinations of sensitive values are searched")
    assert "each of 20 applicants: --sample 5 takes up to 10 s" in said
    assert f"'age' has {ages} values" in said


def test_no_smaller_sample_than_one_is_offered():
    """One applicant is the least."""
    spec = spec_of(INCOME, changed(AGE, domain=tuple(map(str, range(18, 90)))), SEX)
    assert "--sample 1 takes up to 2 s" in slices_line(spec, 5, 2.0)
    assert "--sample" not in slices_line(spec, 1, 2.0)
