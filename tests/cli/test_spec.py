"""`equiproof spec`: a table becomes a draft that `import` takes, with all of it shown, or one line."""

import csv
import json

import numpy as np
import pytest

from equiproof.certify.data import load
from equiproof.certify.data.rows import as_spec, read_rows
from equiproof.certify.models.importing import column_names
from equiproof.circuits.spec import parse_spec
from equiproof.circuits.units import kept_to


@pytest.fixture
def table(tmp_path):
    """A CSV file of generated applications with an identifier and the decision."""
    data = load("lending")
    path = tmp_path / "own.csv"
    with path.open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["id", *data.rows[0], "decision"])
        for index, row in enumerate(data.rows[:200]):
            writer.writerow([f"p{index}", *row.values(), data.spec.labels[data.labels[index]]])
    return path


def words(table, *more):
    """Return the words of the command."""
    out = table.parent / "spec.json"
    return ["spec", table, "--label", "decision", "--sensitive", "sex", "--drop", "id", "--out", out, *more]


def test_the_draft_is_a_spec_and_all_of_it_is_shown(cli, table):
    """The file is a spec that can be read and edited; every feature, value and open question stands in the output."""
    outcome = cli(*words(table, "--units", "income=EUR/month,age=years"))
    assert (outcome.code, outcome.err) == (0, "")
    spec = parse_spec((table.parent / "spec.json").read_bytes(), "spec.json")
    assert (table.parent / "spec.json").read_text().startswith('{\n  "')
    lines = outcome.out.splitlines()
    for feature in spec.features:
        assert any(line.startswith(f"{feature.name} ") and feature.mean in line for line in lines)
        assert not feature.domain or f"  {feature.name}: {', '.join(feature.domain)}" in lines
    assert "  debt: a number without a unit; its radius will be shown without one" in lines
    assert not any("income: a number without" in line for line in lines)


def test_json_has_the_same(cli, table):
    """With --json the draft is one object."""
    document = cli(*words(table, "--json")).document
    spec = parse_spec((table.parent / "spec.json").read_bytes(), "spec.json")
    assert [feature["name"] for feature in document["features"]] == [feature.name for feature in spec.features]
    assert document["spec_digest"] == f"{spec.digest:064x}"
    assert document["training_rows"] == 160
    assert document["notes"]


def test_a_model_is_imported_under_the_draft(cli, table):
    """The draft is what `import --spec` takes, and its table what `commit --rows` measures on."""
    folder = table.parent
    assert cli(*words(table)).code == 0
    spec = parse_spec((folder / "spec.json").read_bytes(), "spec.json")
    names = column_names(spec)
    generator = np.random.default_rng(0)
    shapes = {"W0": (len(names), 2), "b0": 2, "W1": (2, 1), "b1": 1}
    np.savez(folder / "net.npz", columns=names, **{name: generator.normal(size=size) for name, size in shapes.items()})
    done = cli(
        "import", folder / "net.npz", "--spec", folder / "spec.json", "--units", "spec", "--out", folder / "model"
    )
    assert done.code == 0, done.err
    done = cli("commit", folder / "model", "--rows", table, "--out", folder / "owner")
    assert done.code == 0, done.err


def test_a_spec_that_is_there_stays(cli, table):
    """Without --force a file that is there is not overwritten."""
    (table.parent / "spec.json").write_text("mine")
    cli(*words(table)).complaint(2, "spec.json exists")
    assert (table.parent / "spec.json").read_text() == "mine"
    assert cli(*words(table, "--force")).code == 0


def test_ranges_restrict_neighbors(cli, table):
    """Ranges stand in the spec and in the table that is shown; a number without one is reported if ranges are used."""
    ranged = cli(*words(table, "--ranges", "age=18:90,debt=0:60000", "--use-ranges"))
    assert ranged.code == 0, ranged.err
    spec = parse_spec((table.parent / "spec.json").read_bytes(), "spec.json")
    ranges = {feature.name: feature.range for feature in spec.features}
    assert spec.use_ranges
    assert (ranges["age"], ranges["debt"], ranges["income"]) == (("18", "90"), ("0", "60000"), None)
    assert any(line.startswith("age ") and "18 to 90" in line for line in ranged.out.splitlines())
    assert "only neighbors inside the ranges and values above count" in ranged.out
    (income,) = (feature for feature in spec.features if feature.name == "income")
    assert f"  income: a number without a range; neighbors keep to {kept_to(spec, income)}" in ranged.out
    assert "age: a number without a range" not in ranged.out


def test_ranges_that_are_not_in_use_only_refuse_rows(cli, table):
    """Without --use-ranges neighbors are not restricted, and nobody is asked for more ranges."""
    document = cli(*words(table, "--ranges", "age=18:90", "--json")).document
    assert document["use_ranges"] is False
    assert not any("without a range" in note for note in document["notes"])
    assert [feature["range"] for feature in document["features"] if feature["name"] == "age"] == [["18", "90"]]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--units", "income"], "income=EUR"),
        (["--units", "net, gross=EUR"], "a name with a comma stands in quotation marks, as in '\"a, b\"=c'"),
        (["--units", "income=EUR,income=DM"], "income=EUR"),
        (["--units", "wage=EUR"], "no column is called 'wage'"),
        (["--ranges", "age=18"], "age='18' does not have two ends, such as age=18:90"),
        (["--ranges", "age=18:90,age=18:91"], "not one value for one column, such as age=18:90"),
        (["--ranges", "wage=0:1"], "no column is called 'wage'"),
        (["--ranges", "sex=0:1"], "own.csv: ranges: 'sex' is not a non-sensitive number"),
        (["--ranges", "age=90:18"], "own.csv: feature 'age': range is [low, high], low first"),
        (["--ranges", "age=18:19"], "own.csv: row 1: feature 'age': 44 is outside 18 to 19"),
        (["--labels", "granted"], "its labels are granted, refused"),
        (["--categories", "nothing"], "no column is called 'nothing'"),
    ],
)
def test_options_that_do_not_fit_are_one_line(cli, table, more, said):
    """A wish that the table cannot meet is one line, exit 2, and nothing is written."""
    cli(*words(table, *more)).complaint(2, said)
    assert not (table.parent / "spec.json").exists()


def test_a_missing_value_is_named(cli, table):
    """A missing value is reported with file, row and column."""
    lines = table.read_text().splitlines()
    lines[7] = lines[7].replace(",", ",,", 1).rsplit(",", 2)[0] + ",granted"
    table.write_text("\n".join(lines))
    said = (
        "own.csv: of 200 rows, values are missing in 'age' 1, 0.5 % (first in row 7): fill them in, say which may be "
    )
    cli(*words(table)).complaint(2, f"{said}missing (--missing age), drop columns (--drop), or leave such rows out")
    shown = cli(*words(table, "--leave-out-missing"))
    assert (shown.code, "from 199 rows" in shown.out) == (0, True)


def test_a_value_may_be_missing_where_it_is_said_of_its_column(cli, table):
    """The spec lets it be, the output says the share; scales are of stated values. None sensitive, and no other."""
    lines = table.read_text().splitlines()
    at = lines[0].split(",").index("age")
    cells = [line.split(",") for line in lines]
    for row in cells[3::4]:
        row[at] = "NA"
    table.write_text("\n".join(map(",".join, cells)))
    for column, fault in (
        ("sex", "missing: leave out 'sex': it is sensitive, and each of its values counts"),
        ("decision", "missing: leave out 'decision': it holds the decisions"),
        ("wage", "no column is called 'wage'"),
    ):
        cli(*words(table, "--missing", f"age,{column}")).complaint(2, fault)
    shown = cli(*words(table, "--missing", "age,income"))
    assert (shown.code, "from 200 rows" in shown.out) == (0, True)
    assert "age: may be missing; 50 of 200 rows lack it, 25.0 %" in shown.out
    assert "income: may be missing; 0 of 200 rows lack it, 0 %" in shown.out
    spec = parse_spec((table.parent / "spec.json").read_bytes(), "spec.json")
    age = next(one for one in spec.features if one.name == "age")
    assert [one.name for one in spec.features if one.may_miss] == ["age", "income"]
    assert 18 < float(age.mean) < 90
    assert spec.input_bits < 30
    ages = [row["age"] for row in as_spec(read_rows(table), spec)]
    assert ages.count(None) == 50
    shown = cli(*words(table, "--missing", "age", "--mark-missing", "--force"))
    assert (shown.code, shown.err) == (0, "")
    marked = parse_spec((table.parent / "spec.json").read_bytes(), "spec.json")
    assert {one.name: one.width for one in marked.features if one.has_mark} == {"age": 2}
    cli(*words(table, "--mark-missing", "--force")).complaint(2, "--mark-missing goes with --missing")
    for row in cells[1:]:
        row[at] = ""
    table.write_text("\n".join(map(",".join, cells)))
    cli(*words(table, "--missing", "age", "--force")).complaint(2, "drop column 'age' (--drop age): it has no value")


def test_names_with_commas_stand_in_quotation_marks(cli, table):
    """Every option that lists names takes quoted ones, also in front of a value."""
    table.write_text(table.read_text().replace("id,", '"id, internal",', 1).replace("income", '"net, gross"', 1))
    said = words(table, "--units", '"net, gross"=EUR/month,age=years')
    said[said.index("id")] = '"id, internal"'
    assert cli(*said).code == 0
    spec = parse_spec((table.parent / "spec.json").read_bytes(), "spec.json")
    assert next(feature.unit for feature in spec.features if feature.name == "net, gross") == "EUR/month"
    said[said.index('"id, internal"')] = '"id, internal'
    cli(*said, "--force").complaint(2, "one with a comma stands in quotation marks")


def test_a_table_with_another_mark_is_read(cli, table):
    """Semicolons are found by themselves; any other mark is given."""
    own = table.read_text()
    table.write_text(own.replace(",", ";"))
    assert cli(*words(table)).code == 0
    table.write_text(own.replace(",", "^"))
    cli(*words(table, "--force")).complaint(2, "no column is called 'decision'")
    assert cli(*words(table, "--force", "--sep", "^")).code == 0
    cli(*words(table, "--force", "--sep", "^^")).complaint(2, "--sep")


def test_bad_tables_are_refused(cli, tmp_path):
    """An invalid table is reported with the file and the fault."""
    for name, text, said in (
        ("none.csv", None, "No such file"),
        ("empty.csv", "", "empty"),
        ("lists.json", "[[1]]", "want an object"),
        ("semicolons.csv", "a;b\n1;2\n", "no column is called 'decision'; there are a, b"),
        ("few.csv", "id,decision,sex,a\n1,x,f,1\n2,y,m,2\n", "at least 20"),
        ("spec.json", json.dumps({"format": "equiproof-spec"}), "a spec, want raw features"),
    ):
        if text is not None:
            (tmp_path / name).write_text(text)
        outcome = cli(*words(tmp_path / name)[:-1], tmp_path / "out.json")
        outcome.complaint(2, name, said)
        assert not (tmp_path / "out.json").exists()


def test_a_column_with_a_sign_that_names_may_not_hold_is_to_be_renamed(cli, table):
    """What to do about such a column is said before anything else of the table, and the column may be dropped."""
    table.write_text(table.read_text().replace("income", '"the ""net"""', 1))
    said = cli(*words(table))
    said.complaint(2, "own.csv: column 'the \"net\"' holds U+0022 (QUOTATION MARK), which names may not hold")
    said.complaint(2, "rename the column in the table, or drop it (--drop)")


def test_values_with_commas_are_quoted_in_the_list(cli, table):
    """Nobody can tell otherwise where one value ends."""
    table.write_text(table.read_text().replace("female", '"she, her"'))
    assert 'sex: male, "she, her"' in cli(*words(table)).out


def test_numbers_may_count_by_their_logarithm(cli, table):
    """The encoding and what is added stand beside the feature, and a draft without the option offers it."""
    offer = "savings: most values are small and a few large (skewness"
    assert offer in cli(*words(table)).out
    outcome = cli(*words(table, "--logarithms", "income,savings=1", "--force"))
    assert (outcome.code, outcome.err) == (0, "")
    assert offer not in outcome.out
    lines = {line.split()[0]: line.split() for line in outcome.out.splitlines() if line.split()[1:2] == ["numeric"]}
    assert [lines[name][2:4] for name in ("income", "savings")] == [["log", "0"], ["log", "1"]]
    assert lines["age"][2] == "scaled"
    spec = parse_spec((table.parent / "spec.json").read_bytes(), "spec.json")
    assert {one.name: one.offset for one in spec.features if one.encoding == "log"} == {"income": "0", "savings": "1"}
    for option, said in (
        ("income,income=1", "--logarithms: 'income=1': want each column once"),
        ("purpose", "'purpose' is a category and has no logarithm"),
        ("debt=0", "add 1 or more to 'debt'"),
    ):
        refused = cli(*words(table, "--logarithms", option, "--force"))
        assert refused.code != 0
        assert said in refused.err


def test_every_problem_has_a_line(cli, table):
    """All that is wrong with a table is told at once, each with the file, and nothing is written."""
    lines = table.read_text().splitlines()
    header = lines[0].split(",")
    for number, column, cell in ((4, "age", ""), (5, "income", "much"), (9, "debt", '"1,5"')):
        cells = lines[number].split(",")
        cells[header.index(column)] = cell
        lines[number] = ",".join(cells)
    table.write_text("\n".join(lines))
    outcome = cli(*words(table))
    assert (outcome.code, outcome.out) == (2, "")
    said = outcome.err.splitlines()
    assert [line.startswith(f"equiproof: {table}: ") for line in said] == [True] * 3
    parts = ("of 200 rows, values are missing in 'age'", "give --decimal , for column 'debt'", "row 5, column 'income'")
    assert [part in line for line, part in zip(said, parts, strict=True)] == [True] * 3
    assert not (table.parent / "spec.json").exists()


def test_levels_are_given_or_guessed_from_the_spread(cli, table):
    """Levels are in the file; the default is a guess to confirm, in the table's units; exact has to be asked for."""
    path = table.parent / "spec.json"
    assert cli(*words(table, "--levels", "0.1,0.5", "--gain-levels", "0.2")).code == 0
    spec = parse_spec(path.read_bytes(), "spec.json")
    assert (spec.levels, spec.gain_levels) == (("0.1", "0.5"), ("0.2",))
    for options in ((), ("--levels", "draft")):
        guessed = cli(*words(table, *options, "--force"))
        assert "  levels 0.25, a quarter of each number's spread: age +- 2." in guessed.out
        assert "`equiproof import --levels draft` measures what levels keep and give away" in guessed.out
        assert "  gain levels 0.5, odds at most 1.65 times as large or small; not drafted" in guessed.out
        spec = parse_spec(path.read_bytes(), "spec.json")
        assert (spec.levels, spec.gain_levels) == (("0.25",), ("0.5",))
    assert cli(*words(table, "--levels", "0.1", "--force")).code == 0
    assert "gain_levels" not in json.loads(path.read_text())
    assert cli(*words(table, "--levels", "exact", "--force")).code == 0
    assert "levels" not in json.loads(path.read_text())
    for options, said in (
        (("--levels", "0.5,0.1"), "levels: list levels above 0, least first"),
        (("--levels", "0.5,17"), "levels: levels are at most 16"),
        (("--levels", ""), "levels: list 1 to 16 levels"),
        (("--gain-levels", "0.5,0.1"), "gain_levels: list levels above 0, least first"),
        (("--gain-levels", "0.5,17"), "gain_levels: levels are at most 16"),
        (("--levels", "exact", "--gain-levels", "0.1"), "list levels beside gain_levels"),
        (("--levels", "exact", "--gain-levels", "draft"), "list levels beside gain_levels"),
    ):
        cli(*words(table, *options, "--force")).complaint(2, said)


def test_the_command_takes_an_order(cli, tmp_path):
    """The remedy of the refusal is the option, ready to be copied, and a note says what was taken."""
    path = tmp_path / "own.csv"
    path.write_text(
        "\n".join(
            ["risk,sex,ok", *(f"{('low', 'medium', 'high')[k % 3]},{'fm'[k % 2]},{'ny'[k % 5 > 1]}" for k in range(60))]
        )
    )
    words = ("spec", path, "--label", "ok", "--sensitive", "sex", "--out", tmp_path / "spec.json")
    assert "--order 'risk=low<medium<high'" in cli(*words).complaint(2)
    done = cli(*words, "--order", "risk=low<medium<high")
    assert done.code == 0, done.err
    assert "  risk: ranked in the order that is declared: low, medium, high" in done.out.splitlines()
