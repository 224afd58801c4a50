"""`certify --scheme branch` for one applicant, and `certify --explain`: what each capacity gives and costs."""

import json
import math
import random
from dataclasses import replace
from fractions import Fraction
from typing import get_args

import pytest

from equiproof.certify.branch import branch_search, network_parameters
from equiproof.certify.branch.budget import Ended
from equiproof.certify.digits import percent
from equiproof.circuits.shape import shape_of
from equiproof.cli.commands.branching import _ENDED
from equiproof.prover.estimate import estimate
from equiproof.prover.opening import Opening
from tests.certify.hand_made import by_income
from tests.support import LOANS, RATES, applicant, network


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A model of twelve neurons that is fair to most of twelve applicants: their rows, one row, an opening."""
    folder, rng = tmp_path_factory.mktemp("explain"), random.Random(1)
    model = network(LOANS, (8, 4), seed=4, sensitivity=0.1)
    rows = [applicant(LOANS, rng) for _ in range(12)]
    (folder / "rows.json").write_text(json.dumps(rows))
    (folder / "row.json").write_text(json.dumps(rows[0]))
    (folder / "opening.json").write_bytes(Opening.of(model, LOANS, blinding=5).secret())
    return folder


def words(folder, *more, row="row.json", scheme="branch"):
    """Return the words of a certification."""
    return ["certify", folder / row, "--opening", folder / "opening.json", "--scheme", scheme, *more]


def searched(folder, number=0, **limits):
    """Search around a row as the command does."""
    model, row = (
        network(LOANS, (8, 4), seed=4, sensitivity=0.1),
        json.loads((folder / "rows.json").read_bytes())[number],
    )
    return branch_search(
        model,
        LOANS.encode(row),
        LOANS.domain_table,
        max_radius_squared=LOANS.max_radius_squared,
        parameters=network_parameters(LOANS, model.hidden),
        **({"max_leaves": 256} | limits),
    )


def test_one_applicant_has_a_report(folder, cli):
    """The JSON holds the search's figures, radii that enclose the boundary, and the witness; the text says the same."""
    found, document = searched(folder), cli(*words(folder, "--json")).document
    assert set(document) == {
        "verdict", "scheme", "label", "radius", "radius_squared", "ranges", "leaves", "slices", "capacity", "ended",
        "exact",
    }  # fmt: skip
    assert (document["verdict"], document["scheme"], document["ended"]) == ("fair", "branch", found.ended)
    assert (document["radius_squared"], document["leaves"]) == (found.radius_squared, found.leaves)
    assert document["capacity"] // 2 < found.leaves <= document["capacity"]
    exact, unit = document["exact"], LOANS.scale_unit
    assert (exact["complete"], exact["at_least"]) == (found.complete, found.capped)
    assert Fraction(exact["upper"]["squared"]) == found.upper
    lower, upper = (Fraction(exact[end]["radius"]) * unit for end in ("lower", "upper"))
    assert lower**2 <= found.radius_squared <= found.upper <= upper**2
    assert tuple(map(Fraction, exact["witness"]["point"])) == found.boundary_point.point
    text = cli(*words(folder)).out
    assert text.startswith(f"FAIR up to radius {document['radius']}, in the spec's units: {document['label']}\n")
    assert f"  {found.leaves} leaves over 2 values of the sensitive features\n" in text
    assert f"  a key of capacity K = {document['capacity']} proves this\n" in text
    assert f"between {exact['lower']['radius']} and {exact['upper']['radius']}\n" in text
    assert text.endswith("  no larger radius can be certified\n")


@pytest.mark.parametrize(
    ("option", "reason", "budget"),
    [("--max-leaves 3", "leaves", "3 leaves"), ("--max-seconds 0", "seconds", "0 seconds")],
)
def test_a_budget_that_ends_first_is_reported(folder, cli, option, reason, budget):
    """The verdict is fair, up to a smaller radius; what ended the search is named with its option."""
    name, number = option.split()
    found = next(k for k in range(12) if getattr(searched(folder, k), "leaves", 0) > 5)
    row = folder / "hard.json"
    row.write_text(json.dumps(json.loads((folder / "rows.json").read_bytes())[found]))
    document = cli(*words(folder, name, number, "--json", row="hard.json")).document
    assert (document["verdict"], document["ended"], document["exact"]["complete"]) == ("fair", reason, False)
    assert document["radius_squared"] < searched(folder, found).radius_squared
    outcome = cli(*words(folder, name, number, row="hard.json"))
    assert outcome.code == 0
    assert outcome.out.endswith(f"  the budget of {budget} ended the search: {name}\n")


def test_every_end_of_a_search_has_its_words():
    """Leaves, seconds, work and digits are reported in different lines; slots and rows are of scheme trees."""
    assert set(_ENDED) == set(get_args(Ended)) - {"slots", "rows", "passed"}
    assert len(set(_ENDED.values())) == len(_ENDED)


def test_a_search_without_seconds_ends_by_its_work(folder, cli, monkeypatch):
    """Without --max-seconds work is counted, and the line that says so names the option that allows more."""
    found = next(k for k in range(12) if getattr(searched(folder, k), "leaves", 0) > 5)
    monkeypatch.setattr("equiproof.certify.branch.radius_search.MAX_WORK", 0)
    row = folder / "worked.json"
    row.write_text(json.dumps(json.loads((folder / "rows.json").read_bytes())[found]))
    outcome = cli(*words(folder, row="worked.json"))
    assert outcome.code == 0
    assert outcome.out.endswith("  the budget of work, about a minute's, ended the search: --max-seconds allows more\n")


def test_an_unfair_applicant_is_told_by_every_scheme_alike(world, cli):
    """Counterexamples and their exit code do not depend on the scheme; nor do those of the table."""
    outcomes = [cli(*world.certify(row=world.unfair, scheme=scheme)) for scheme in ("traversal", "branch")]
    outcomes.append(cli(*world.certify("--explain", row=world.unfair, scheme="branch")))
    assert {(outcome.code, outcome.out) for outcome in outcomes} == {(3, outcomes[0].out)}


def test_many_applicants_are_searched_by_the_scheme(folder, cli):
    """The summary and the results are those of the scheme that was asked for."""
    outcome = cli(*words(folder, "--json", row="rows.json"))
    document = outcome.document
    assert document["limits"]["scheme"] == "branch"
    for number, point in enumerate(document["points"]):
        if point["verdict"] == "fair":
            assert point["leaves"] == searched(folder, number).leaves
    assert "are the largest there are" in cli(*words(folder, row="rows.json")).out


@pytest.mark.parametrize("scheme", ["traversal", "branch"])
def test_the_table_of_one_applicant(folder, cli, scheme):
    """Capacities, radii, shares and the costs of the very shapes; every row of the table is a line of text."""
    document = cli(*words(folder, "--explain", "--json", scheme=scheme)).document
    (row,) = document["rows"]
    rows = {"traversal": "regions", "branch": "leaves"}[scheme]
    steps = [4 << k for k in range(5)] if scheme == "branch" else [2 << k for k in range(6)]
    assert [offer["capacity"] for offer in row["capacities"]] == steps
    radii = [offer["radius_squared"] for offer in row["capacities"]]
    assert radii == sorted(radii)
    largest = math.floor(Fraction(row["upper"]["squared"]))
    lines = cli(*words(folder, "--explain", scheme=scheme)).out.splitlines()
    assert lines[0].startswith(f"FAIR: {row['label']}. The boundary of the decision is {row['upper']['radius']} away")
    for offer, cost in zip(row["capacities"], document["capacities"], strict=True):
        assert offer[rows] <= offer["capacity"]
        assert offer["share"] == pytest.approx(math.sqrt(offer["radius_squared"] / largest), abs=1e-6)
        shape = shape_of(scheme, LOANS, (8, 4), offer["capacity"])
        assert cost["constraints"] == estimate(shape).constraints
        cells = [str(offer["capacity"]), offer["radius"], *percent(offer["share"], "down").split()]
        cells += [str(offer[rows]), f"{cost['constraints']:,}"]
        assert any(line.split()[:6] == cells for line in lines), cells
    assert max(map(len, lines)) <= 120


@pytest.mark.slow
def test_the_table_of_several_applicants(folder, cli):
    """Costs stand once, and of a long file the first eight applicants have a line each."""
    outcome = cli(*words(folder, "--explain", "--max-leaves", "8", row="rows.json"))
    document = cli(*words(folder, "--explain", "--max-leaves", "8", "--json", row="rows.json")).document
    lines = outcome.out.splitlines()
    assert [cost["capacity"] for cost in document["capacities"]] == [4, 8]
    assert "scheme branch: the largest radius found for the first 8 of 12 applicants" in lines
    assert [row["row"] for row in document["rows"]] == list(range(1, 9))
    for row in document["rows"]:
        (line,) = (line for line in lines if line.split()[:1] == [str(row["row"])] and "MB" not in line)
        assert line.split()[1::3] == [offer["radius"] for offer in row.get("capacities", ())] or "UNFAIR" in line
    assert any("more room (--max-leaves)" in line for line in lines)


def test_many_sensitive_values_begin_at_a_larger_capacity(cli, tmp_path):
    """Seven leaves are the least for six joint values: the table begins at 8, and has five steps all the same."""
    row, opening = tmp_path / "row.json", tmp_path / "opening.json"
    row.write_text(json.dumps(applicant(RATES, random.Random(5))))
    opening.write_bytes(Opening.of(network(RATES, (3,), 13), RATES, blinding=5).secret())
    at = ["certify", row, "--opening", opening, "--scheme", "branch", "--explain"]
    document = cli(*at, "--json").document
    assert [cost["capacity"] for cost in document["capacities"]] == [8, 16, 32, 64, 128]
    cli(*at, "--max-leaves", "7").complaint(4, "8 leaves are needed", "room for 7")


def test_a_network_beyond_any_circuit_keeps_its_radii(cli, tmp_path, folder):
    """Where no circuit is compiled, radii stand without costs, and one line says why."""
    opening = tmp_path / "opening.json"
    opening.write_bytes(Opening.of(network(LOANS, (60, 60), 4, sensitivity=0.01), LOANS, blinding=5).secret())
    (tmp_path / "row.json").write_bytes((folder / "row.json").read_bytes())
    outcome = cli(*words(tmp_path, "--explain", "--max-regions", "4", "--max-seconds", "1", scheme="traversal"))
    assert outcome.code == 0
    assert "no further: capacity 2 needs more than" in outcome.out
    assert "constraints are counted" not in outcome.out


def test_what_nobody_knows_a_boundary_of(cli, tmp_path):
    """A boundary beyond the largest radius that is stated leaves no share: the radius is shown as "at least"."""
    first, last = by_income().layers
    far = replace(by_income(), layers=(first, replace(last, biases=(1 << 20,))))
    opening, row = tmp_path / "opening.json", tmp_path / "row.json"
    opening.write_bytes(Opening.of(far, LOANS, blinding=5).secret())
    row.write_text('{"income": 42000, "housing": "own"}')
    lines = cli(*words(tmp_path, "--explain")).out.splitlines()
    assert lines[0] == "FAIR: granted. No point with another decision is known."
    assert any(line.split()[:5] == ["4", "at", "least", "15.998046", "-"] for line in lines), lines
