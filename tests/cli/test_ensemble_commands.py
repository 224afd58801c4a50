"""Every command with an ensemble: certify with the room of a key, --explain and audits; and what refuses it."""

import json
import math
import random
from fractions import Fraction

import pytest

from equiproof.certify.traversal.search import Counterexample
from equiproof.certify.trees.ensemble_search import ensemble_search, search_under
from equiproof.circuits.shape import ensemble_shape
from equiproof.prover.estimate import estimate
from equiproof.prover.opening import Opening
from tests.cli.score_audits import judged_unfair
from tests.ensemble_small import ensemble
from tests.support import LOANS, applicant


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """An opening of an ensemble, forty applicants, a fair one who needs leaves, and one whom sex decides."""
    folder, rng = tmp_path_factory.mktemp("ensemble"), random.Random(1)
    rows = [applicant(LOANS, rng) | {"sex": "fm"[number % 2]} for number in range(40)]
    (folder / "opening.json").write_bytes(Opening.of(ensemble(), LOANS, blinding=5).secret())
    (folder / "rows.json").write_text(json.dumps(rows))
    fair = [row for row in rows if not isinstance(found := searched(row), Counterexample) and found.leaves > 2]
    unfair = [row for row in rows if isinstance(searched(row), Counterexample)]
    (folder / "fair.json").write_text(json.dumps(fair[0]))
    (folder / "unfair.json").write_text(json.dumps(unfair[0]))
    (folder / "several.json").write_text(json.dumps([fair[0], unfair[0], *fair[1:3]]))
    return folder


def searched(row, **limits):
    """Search around a row as the commands do."""
    return search_under(ensemble(), LOANS, LOANS.encode(row), **({"max_leaves": 256} | limits))


def words(folder, *more, row="fair.json"):
    """Return the words of a certification."""
    return ["certify", folder / row, "--opening", folder / "opening.json", *more]


@pytest.fixture
def found(folder):
    """The search around the fair applicant."""
    return searched(json.loads((folder / "fair.json").read_text()))


def test_one_applicant_has_a_report_with_the_room_it_needs(folder, cli, found):
    """Leaves, slots and rows of the exact radius, in words too."""
    document = cli(*words(folder, "--json")).document
    assert document["radius_squared"] == found.radius_squared
    assert (document["slots"], document["rows"]) == (len(found.evidence.slots), found.rows)
    room = f"V = {document['slots']} slots, A = {document['rows']} rows and capacity K = {document['capacity']}"
    text = cli(*words(folder)).out
    assert f"a key of {room} proves this" in text
    assert "\n  just beyond the boundary the decision no longer holds for sex = " in text


@pytest.mark.parametrize(
    ("asked", "limits", "named"),
    [
        (("--rows", 7), {"max_rows": 7}, "A = 7 rows and capacity K = 256"),
        (("--slots", 2), {"max_slots": 2}, "V = 2 slots and capacity K = 256"),
        (
            ("--slots", 4, "--rows", 15, "--capacity", 2),
            {"max_slots": 4, "max_rows": 15, "max_leaves": 2},
            "V = 4 slots, A = 15 rows and capacity K = 2",
        ),
    ],
)
def test_room_that_is_too_small_gives_the_radius_that_fits_all_of_it(folder, cli, found, asked, limits, named):
    """The radius is that of a search within these limits, and smaller than the exact one."""
    room = cli(*words(folder, *asked, "--json")).document["room"]
    within = searched(json.loads((folder / "fair.json").read_text()), **limits)
    assert room["radius_squared"] == within.radius_squared < found.radius_squared
    assert (room["slots"], room["rows"]) == (limits.get("max_slots"), limits.get("max_rows"))
    assert f"a key of {named} proves radius {room['radius']}" in cli(*words(folder, *asked)).out


def test_rows_that_hold_not_even_the_query_are_refused(folder, cli):
    """The splits of sex alone need rows: exit code 4 and the number, of many applicants beside those that fit."""
    least = searched(json.loads((folder / "fair.json").read_text()), max_slots=0).rows
    assert least > 1
    cli(*words(folder, "--rows", 1)).complaint(4, f"{least} rows are needed and there is room for 1; {least} would do")
    many = cli(*words(folder, "--rows", 1, "--json", row="rows.json"))
    ends = {(point["verdict"], point["reason"]) for point in many.document["points"]}
    assert ("undecided", "rows") in ends
    assert all(point["rows"] > 1 for point in many.document["points"] if point["reason"] == "rows")


def test_many_applicants_have_the_radius_of_a_room_each(folder, cli):
    """Slots, rows and the radius within --slots, --rows and --capacity for each, and in the summary."""
    asked = ("--slots", 4, "--rows", 9, "--capacity", 2)
    outcome = cli(*words(folder, *asked, "--json", row="rows.json"))
    assert outcome.code == 3
    rows = json.loads((folder / "rows.json").read_text())
    fair = [point for point in outcome.document["points"] if point["verdict"] == "fair"]
    for point in fair:
        within = searched(rows[point["row"] - 1], max_slots=4, max_rows=9, max_leaves=2)
        assert point["radius_squared_at_capacity"] == within.radius_squared
    assert any(point["radius_squared_at_capacity"] < point["radius_squared"] for point in fair)
    text = " ".join(cli(*words(folder, *asked, row="rows.json")).out.split())
    full = sum(point["radius_squared_at_capacity"] == point["radius_squared"] for point in fair)
    most = max(point["rows"] for point in fair)
    assert f"rows in the middle, {most} at most" in text
    assert "V = 4 slots, A = 9 rows and capacity K = 2 certifies" in text
    assert f"the whole radius for {full} of {len(fair)}" in text


def test_the_table_of_one_applicant(folder, cli, found):
    """Every room has a radius, a share of the largest, and the constraints of its very shape."""
    asked = ("--explain", "--max-leaves", 8, "--slots", 5)
    document = cli(*words(folder, *asked, "--json")).document
    (row,) = document["rows"]
    assert [(one["slots"], one["rows"], one["capacity"]) for one in row["capacities"]] == [(5, 45, 4), (5, 45, 8)]
    assert row["needed"] == {"slots": 6, "rows": found.rows, "leaves": found.leaves, "complete": True}
    largest = math.floor(Fraction(row["upper"]["squared"]))
    lines = cli(*words(folder, *asked)).out.splitlines()
    for offer, cost in zip(row["capacities"], document["capacities"], strict=True):
        assert offer["leaves"] <= offer["capacity"]
        assert offer["share"] == pytest.approx(math.sqrt(offer["radius_squared"] / largest), abs=1e-6)
        shape = ensemble_shape(LOANS, ensemble().predicates, ensemble().nodes.sizes, 5, 45, offer["capacity"])
        assert cost["constraints"] == estimate(shape).constraints
        assert any(line.split()[:4] == ["5", "45", str(offer["capacity"]), offer["radius"]] for line in lines)
    assert f"  the full radius needs V = 6, A = {found.rows}, K = 8" in lines[1]


def test_several_rooms_are_compared_for_several_applicants(folder, cli):
    """A line for each V and A; the unfair applicant has none."""
    asked = ("--explain", "--max-leaves", 4, "--rows", 9)
    document = cli(*words(folder, *asked, "--json", row="several.json")).document
    outcome = cli(*words(folder, *asked, row="several.json"))
    assert outcome.code == 3
    lines = [line.split() for line in outcome.out.splitlines()]
    for row in document["rows"]:
        if row["verdict"] == "fair":
            (offer,) = row["capacities"]
            assert [str(row["row"]), "17", "9", offer["radius"]] in lines
        else:
            assert [str(row["row"]), "UNFAIR"] in lines


@pytest.mark.parametrize(
    ("more", "says"),
    [
        (["--scheme", "traversal"], "holds an ensemble of trees, want --scheme trees"),
        (["--slots", "18"], "want 1 to 17"),
        (["--rows", "46"], "want 1 to 45"),
        (["--explain", "--capacity", "2"], "cannot be combined"),
    ],
)
def test_options_that_do_not_fit_are_refused(folder, cli, more, says):
    """One line says what to write instead."""
    cli(*words(folder, *more)).complaint(2, says)


@pytest.mark.parametrize("audit", ["groups", pytest.param("hyfair", marks=pytest.mark.slow)])
def test_audits_of_groups_and_clusters_judge_ensembles(folder, cli, audit):
    """The audits find whom sex decides, with counterexamples that the ensemble itself confirms."""
    judged_unfair(cli, folder, audit, ensemble())


def test_robustness_is_that_of_the_search_of_ensembles(folder, cli):
    """Who is fair up to the distance is what the exact search around each row says; flips come with their distance."""
    at = ["--opening", folder / "opening.json", "--rows", folder / "rows.json", "--json"]
    given = [word for one in ("people=40", "draws=10", "distance=0.3") for word in ("--option", f"groups.{one}")]
    (report,) = cli("audit", "run", "groups", *at, *given).document["reports"]
    table, counts = report["tables"][1], {"fair": 0, "unfair": 0}
    wanted = (Fraction("0.3") * LOANS.scale_unit) ** 2
    for row in json.loads((folder / "rows.json").read_text()):
        alone = ensemble_search(
            ensemble(), LOANS.encode(row), (LOANS.encode_sensitive(row),),
            max_radius_squared=LOANS.max_radius_squared, max_leaves=256,
        )  # fmt: skip
        counts["fair" if alone.radius_squared >= wanted else "unfair"] += 1
    assert min(counts.values()) > 0
    columns = table["columns"].index("fair"), table["columns"].index("unfair")
    assert tuple(sum(line[place] for line in table["rows"]) for place in columns) == tuple(counts.values())
    shown = [one["witness"]["shows"] for one in report["findings"] if one.get("witness")]
    assert any("away with the same sensitive values is decided differently" in text for text in shown)


def test_audits_of_layers_and_repair_say_why_not(folder, cli, tmp_path):
    """One line each, which names the kind of model."""
    at = ["--opening", folder / "opening.json", "--rows", folder / "rows.json", "--json"]
    outcome = cli("audit", "run", "pba", "prof", *at)
    assert outcome.code == 4
    assert [one["outcome"] for one in outcome.document["failures"]] == ["not applicable"] * 2
    assert all("the model is an ensemble of trees" in one["reason"] for one in outcome.document["failures"])
    at = ["repair", folder / "rows.json", "--opening", folder / "opening.json", "--out", tmp_path / "new"]
    cli(*at).complaint(2, "holds an ensemble of trees")
    assert not (tmp_path / "new").exists()
