"""A table as a spreadsheet writes it goes through every command that reads rows, with the same two options."""

import numpy as np
import pytest

from equiproof import import_model
from equiproof.certify.data import DataError
from equiproof.certify.models.importing import column_names
from equiproof.circuits.spec import parse_spec
from equiproof.cli.everyday import READ_ROWS, ReadingCommand, _tree
from equiproof.cli.main import _commands

MARKS = ("--decimal", ",", "--thousands", ".")


@pytest.fixture
def table(tmp_path):
    """A file of semicolons with decimal commas and points between thousands."""
    lines = [f"{1 + k % 3}.{k:03};{k % 7},{k % 4}5;{'fm'[k % 2]};{'ny'[k % 3 > 0]}" for k in range(40)]
    (tmp_path / "own.csv").write_text("\n".join(["income;rate;sex;ok", *lines]))
    return tmp_path / "own.csv"


def spec_of(cli, table):
    """Draft the spec of the table."""
    path = table.parent / "spec.json"
    words = ("spec", table, "--label", "ok", "--sensitive", "sex", "--out", path)
    asked = cli(*words)
    said = [f"equiproof: {table}: give --decimal , --thousands . for column {one}" for one in ("'rate'", "'income'")]
    assert [line.partition(", to read")[0] for line in asked.err.splitlines()] == said
    done = cli(*words, *MARKS)
    assert done.code == 0, done.err
    assert "  numbers were read as they are written: income 1.000 as 1000, rate 0,05 as 0.05" in done.out.splitlines()
    return parse_spec(path.read_bytes(), "spec.json")


def network(spec):
    """Return the weights of a small network on the columns of a spec, which decides both ways."""
    first = np.array([[1, -1], [0.5, 0], [0.25, 0]])
    weights = {"W0": first, "b0": np.zeros(2), "W1": np.array([[1], [-1]]), "b1": np.zeros(1)}
    return weights | {"columns": np.array(column_names(spec))}


def test_one_file_is_read_alike_by_every_command(cli, table):
    """Without the options each command asks; with them decisions are those of the same numbers written plainly."""
    folder = table.parent
    spec = spec_of(cli, table)
    np.savez(folder / "net.npz", **network(spec))
    model, owner = folder / "model", folder / "owner"
    importing = ("import", folder / "net.npz", "--spec", folder / "spec.json", "--units", "spec", "--out", model)
    plain = folder / "plain.csv"
    plain.write_text(table.read_text().replace(".", "").replace(",", "."))
    for words in (
        (*importing, "--rows", table),
        ("commit", model, "--rows", table, "--out", owner),
        ("predict", model, table),
        ("certify", table, "--opening", owner / "opening.json", "--out", folder / "results.json"),
    ):
        asked = cli(*words)
        starts = {line.partition(" for column ")[0] for line in asked.err.splitlines()}
        assert (asked.code, starts) == (2, {f"equiproof: {table}: give --decimal , --thousands ."}), asked.err
        done = cli(*words, *MARKS)
        assert (done.code in (0, 3, 4), done.err) == (True, "")  # some applicants are treated unfairly
    assert cli("predict", model, table, *MARKS).out == cli("predict", model, plain).out


def test_python_takes_the_marks_as_arguments(cli, table):
    """`import_model` reads rows in such a notation, of files and of tables of texts, and asks where nobody says it."""
    spec = spec_of(cli, table)
    weights = network(spec)
    with pytest.raises(DataError, match=r"own.csv: give decimal=',' thousands='.' for column"):
        import_model(weights, spec, units="spec", rows=table)
    imported = import_model(weights, spec, units="spec", rows=table, decimal=",", thousands=".")
    assert imported.rows.rows[1] == {"income": "2001", "rate": "1.15", "sex": "m", "ok": "y"}
    rows = [{"income": "2.001", "rate": "1,15", "sex": "m"}]
    again = import_model(weights, spec, units="spec", rows=rows, decimal=",", thousands=".")
    assert again.rows.rows == [{"income": "2001", "rate": "1.15", "sex": "m"}]


def test_scores_with_a_cut_are_read_alike(cli, table):
    """The column of the owner's own scores is in the notation of the file."""
    spec = spec_of(cli, table)
    scored = table.parent / "scored.csv"
    lines = table.read_text().splitlines()
    scores = [0.0 if line[0] == "1" else 1.5 for line in lines[1:]]
    texts = [f"{line};{str(score).replace('.', ',')}" for line, score in zip(lines[1:], scores, strict=True)]
    scored.write_text("\n".join([f"{lines[0]};score", *texts]))
    weights = network(spec)
    marks = {"decimal": ",", "thousands": "."}
    accepted = {"allow_differing": 1, "accept_labels": True}
    given = import_model(weights, spec, units="spec", rows=scored, decisions="score", cut="0.5", **marks, **accepted)
    same = import_model(weights, spec, units="spec", rows=table, decisions=scores, cut="0.5", **marks, **accepted)
    assert (given.compared.labels, given.compared.differing) == (same.compared.labels, same.compared.differing)
    np.savez(table.parent / "net.npz", **weights)
    model = table.parent / "model"
    assert cli("import", table.parent / "net.npz", "--spec", table.parent / "spec.json", "--units", "spec",
               "--out", model).code == 0  # fmt: skip
    words = (
        "predict",
        model,
        scored,
        "--decisions",
        "score",
        "--cut",
        "0.5",
        "--allow-differing",
        "1",
        "--accept-labels",
    )
    cli(*words, "--decimal", ",").complaint(2, "give --decimal , --thousands . for column 'income'")
    done = cli(*words, *MARKS, "--json")
    assert (done.code, done.err) == (0, "")
    assert done.document["compared"]["differing"] == given.compared.differing


def test_wrong_marks_are_one_line(cli, table):
    """A mark that no number has is refused by name."""
    words = ("spec", table, "--label", "ok", "--sensitive", "sex", "--out", table.parent / "spec.json")
    cli(*words, "--decimal", ";").complaint(2, "give --decimal , or --decimal .: ';' is neither")
    cli(*words, "--thousands", "_").complaint(2, "give --thousands ., a comma, 'blank' or 'apostrophe'")


def test_every_command_that_reads_rows_has_the_options():
    """The list of these commands names commands that there are."""
    reading = {words for words, one in _tree(_commands()) if isinstance(one, ReadingCommand)}
    assert reading == READ_ROWS
