"""Every command with an additive model: certify, --explain and audits; and what refuses it, in one line."""

import json
import math
import random
from fractions import Fraction

import pytest

from equiproof.certify.traversal.search import Counterexample
from equiproof.certify.trees.search import search_under
from equiproof.circuits.shape import additive_shape
from equiproof.prover.estimate import estimate
from equiproof.prover.opening import Opening
from tests.additive_small import additive
from tests.cli.score_audits import judged_unfair
from tests.support import LOANS, applicant, network

PREDICATES = (17, 1)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """An opening of an additive model, forty applicants, a fair one and one whom the sensitive feature decides."""
    folder, rng = tmp_path_factory.mktemp("additive"), random.Random(1)
    rows = [applicant(LOANS, rng) | {"sex": "fm"[number % 2]} for number in range(40)]
    (folder / "opening.json").write_bytes(Opening.of(additive(), LOANS, blinding=5).secret())
    (folder / "network.json").write_bytes(Opening.of(network(LOANS, (3,), 4), LOANS, blinding=5).secret())
    (folder / "rows.json").write_text(json.dumps(rows))
    fair = [row for row in rows if not isinstance(searched(row), Counterexample)]
    unfair = [row for row in rows if isinstance(searched(row), Counterexample)]
    (folder / "fair.json").write_text(json.dumps(fair[0]))
    (folder / "unfair.json").write_text(json.dumps(unfair[0]))
    (folder / "several.json").write_text(json.dumps([fair[0], unfair[0], *fair[1:3]]))
    return folder


def searched(row, **limits):
    """Search around a row as the commands do."""
    return search_under(additive(), LOANS, LOANS.encode(row), **({"max_leaves": 256} | limits))


def words(folder, *more, row="fair.json"):
    """Return the words of a certification."""
    return ["certify", folder / row, "--opening", folder / "opening.json", *more]


def test_one_applicant_has_a_report_with_the_room_it_needs(folder, cli):
    """The radius, its leaves and slots, the boundary and the nearest flip are those of the search."""
    found = searched(json.loads((folder / "fair.json").read_text()))
    document = cli(*words(folder, "--json")).document
    assert (document["verdict"], document["scheme"]) == ("fair", "trees")
    assert (document["radius_squared"], document["leaves"]) == (found.radius_squared, found.leaves)
    assert document["slots"] == len(found.evidence.slots)
    assert document["capacity"] // 2 < found.leaves <= document["capacity"]
    assert Fraction(document["exact"]["upper"]["squared"]) == found.upper
    assert document["room"] is None
    text = cli(*words(folder)).out
    assert text.startswith(f"FAIR up to radius {document['radius']}, in the spec's units: {document['label']}\n")
    assert f"V = {document['slots']} slots and capacity K = {document['capacity']} proves this" in text
    assert text.endswith("  no larger radius can be certified\n")


def test_a_room_too_small_gives_a_smaller_radius(folder, cli):
    """With --slots and --capacity the radius that fits both is shown beside the full one."""
    document = cli(*words(folder, "--slots", 1, "--capacity", 2, "--json")).document
    room = document["room"]
    assert (room["slots"], room["capacity"]) == (1, 2)
    assert 0 < room["radius_squared"] < document["radius_squared"]
    found = searched(json.loads((folder / "fair.json").read_text()), max_slots=1, max_leaves=2)
    assert room["radius_squared"] == found.radius_squared
    assert (
        f"V = 1 slots and capacity K = 2 proves radius {room['radius']}"
        in cli(*words(folder, "--slots", 1, "--capacity", 2)).out
    )


def test_an_applicant_whom_sex_decides_is_unfair(folder, cli):
    """The counterexample has both decisions, alike in the report and with --explain."""
    outcome = cli(*words(folder, "--json", row="unfair.json"))
    assert outcome.code == 3
    assert {case["label"] for case in outcome.document["cases"]} == set(LOANS.labels)
    texts = {cli(*words(folder, *more, row="unfair.json")).out for more in ((), ("--explain",))}
    assert len(texts) == 1


def test_many_applicants_have_the_radius_of_a_room_each(folder, cli):
    """The table has leaves and slots, and per applicant the radius that fits V and K together."""
    outcome = cli(*words(folder, "--slots", 2, "--capacity", 4, "--json", row="rows.json"))
    points = outcome.document["points"]
    assert outcome.code == 3
    assert {point["verdict"] for point in points} == {"fair", "unfair"}
    for point in points:
        if point["verdict"] == "fair":
            assert point["radius_squared_at_capacity"] <= point["radius_squared"]
            assert point["slots"] >= 0
    assert any(
        point["radius_squared_at_capacity"] < point["radius_squared"] for point in points if point["verdict"] == "fair"
    )
    assert "are the largest there are" in cli(*words(folder, row="rows.json")).out


def test_the_table_of_one_applicant(folder, cli):
    """Every room has a radius, a share of the largest, and the constraints of its very shape."""
    document = cli(*words(folder, "--explain", "--max-leaves", 4, "--json")).document
    (row,) = document["rows"]
    assert [(one["slots"], one["capacity"]) for one in row["capacities"]] == [(17, 1), (17, 2), (17, 4)]
    radii = [one["radius_squared"] for one in row["capacities"]]
    assert radii == sorted(radii)
    largest = math.floor(Fraction(row["upper"]["squared"]))
    lines = cli(*words(folder, "--explain", "--max-leaves", 4)).out.splitlines()
    for offer, cost in zip(row["capacities"], document["capacities"], strict=True):
        assert offer["leaves"] <= offer["capacity"]
        assert offer["share"] == pytest.approx(math.sqrt(offer["radius_squared"] / largest), abs=1e-6)
        shape = additive_shape(LOANS, PREDICATES, offer["slots"], offer["capacity"])
        assert cost["constraints"] == estimate(shape).constraints
        assert any(line.split()[:3] == ["17", str(offer["capacity"]), offer["radius"]] for line in lines)
    assert f"  the full radius needs V = {row['needed']['slots']}, K = " in lines[1]


def test_the_table_of_several_applicants_has_a_line_each(folder, cli):
    """Radii by slots and leaves for each applicant; the unfair one has none."""
    outcome = cli(*words(folder, "--explain", "--max-leaves", 3, "--slots", 3, row="several.json"))
    document = cli(*words(folder, "--explain", "--max-leaves", 3, "--slots", 3, "--json", row="several.json")).document
    assert outcome.code == 3
    lines = [line.split() for line in outcome.out.splitlines()]
    for row in document["rows"]:
        if row["verdict"] == "fair":
            assert [str(row["row"]), "3", *(one["radius"] for one in row["capacities"])] in lines
        else:
            assert [str(row["row"]), "UNFAIR"] in lines


@pytest.mark.parametrize(
    ("more", "says"),
    [
        (["--scheme", "traversal"], "holds an additive model, want --scheme trees"),
        (["--slots", "18"], "want 1 to 17"),
        (["--explain", "--capacity", "2"], "cannot be combined"),
        (["--max-regions", "9"], "--max-regions does not apply"),
    ],
)
def test_options_that_do_not_fit_are_refused(folder, cli, more, says):
    """One line says what to write instead."""
    cli(*words(folder, *more)).complaint(2, says)


def test_rooms_are_for_additive_models(folder, cli):
    """A network has no slots, and no room to ask about."""
    at = ["certify", folder / "fair.json", "--opening", folder / "network.json"]
    cli(*at, "--slots", "2").complaint(2, "holds a network: --slots, --rows and --capacity go with an additive model")
    cli(*at, "--scheme", "trees").complaint(2, "holds a network: --scheme branch")


@pytest.mark.parametrize("audit", ["groups", pytest.param("hyfair", marks=pytest.mark.slow)])
def test_audits_of_groups_and_clusters_judge_additive_models(folder, cli, audit):
    """The audits find whom sex decides, with counterexamples that the additive model itself confirms."""
    judged_unfair(cli, folder, audit, additive())


def test_robustness_is_that_of_the_search_of_additive_models(folder, cli):
    """Who is fair up to the distance and who is not is what the search around each row says."""
    at = ["--opening", folder / "opening.json", "--rows", folder / "rows.json", "--json"]
    given = [word for one in ("people=40", "draws=10", "distance=0.3") for word in ("--option", f"groups.{one}")]
    (report,) = cli("audit", "run", "groups", *at, *given).document["reports"]
    table = report["tables"][1]
    found = {"fair": 0, "unfair": 0}
    wanted = (Fraction("0.3") * LOANS.scale_unit) ** 2
    for row in json.loads((folder / "rows.json").read_text()):
        own = LOANS.encode_sensitive(row)
        alone = search_under_row(row, own)
        found["fair" if alone.radius_squared >= wanted else "unfair"] += 1
    assert min(found.values()) > 0
    columns = table["columns"].index("fair"), table["columns"].index("unfair")
    assert tuple(sum(line[place] for line in table["rows"]) for place in columns) == (found["fair"], found["unfair"])


def search_under_row(row, own):
    """Search around a row with its own sensitive values alone."""
    from equiproof.certify.trees.search import additive_search

    return additive_search(
        additive(), LOANS.encode(row), (own,), max_radius_squared=LOANS.max_radius_squared, max_leaves=256
    )


def test_audits_of_layers_say_why_not(folder, cli):
    """Audits that need a network's layers do not apply, and say so in one line."""
    at = ["--opening", folder / "opening.json", "--rows", folder / "rows.json", "--json"]
    outcome = cli("audit", "run", "pba", "prof", *at)
    assert outcome.code == 4
    assert {one["audit"]: one["outcome"] for one in outcome.document["failures"]} == {
        "pba": "not applicable", "prof": "not applicable"
    }  # fmt: skip
    assert all("the model is additive" in one["reason"] for one in outcome.document["failures"])


def test_repair_refuses_before_anything_is_written(folder, cli, tmp_path):
    """A repair changes layers: the refusal says what to do with an additive model."""
    at = ["repair", folder / "rows.json", "--opening", folder / "opening.json", "--out", tmp_path / "new"]
    cli(*at).complaint(2, "holds an additive model", "commit anew")
    assert not (tmp_path / "new").exists()


@pytest.mark.slow
def test_many_are_proven_with_letters_and_receipts(folder, cli, tmp_path):
    """Of several applicants the unfair one gets no certificate; a receipt is made first and its decision is proven."""
    at = ["--opening", folder / "opening.json", "--keys", tmp_path / "keys"]
    assert cli("setup", *at, "--slots", 6, "--capacity", 4).code == 0
    done = cli("prove", folder / "several.json", *at, "--out-dir", tmp_path / "out", "--letters", "--lender", "Bank")
    assert done.code == 3, done.err
    letters = sorted(tmp_path.glob("out/**/*letter*.html"))
    assert len(letters) == 3
    assert all(feature.name in letters[0].read_text() for feature in LOANS.plain_features)
    made = cli("receipt", "new", folder / "fair.json", "--opening", folder / "opening.json", "--out", tmp_path / "one")
    assert made.code == 0, made.err
    found = cli("prove", tmp_path / "one" / "query.json", *at, "--out", tmp_path / "certificate.json")
    assert found.code == 0, found.err
