"""`predict`: rows from JSON and CSV, the float model beside the quantised one."""

import csv
import json
import math
import random
from fractions import Fraction

import pytest

from equiproof.certify.data import load
from equiproof.certify.data.dataset import column_values, encode_rows
from equiproof.certify.models.ensembles.rays import Ray
from equiproof.certify.models.ensembles.score import Score, Step
from equiproof.circuits.canonical import canonical_bytes
from equiproof.prover.model_folder import load_model
from tests.cli.world import shell
from tests.support import LOANS, applicant

COUNT = 40

UNUSED = {
    "_cffi_backend",
    "equiproof.certify.data.spec_builder",
    "equiproof.certify.models.network",
    "equiproof.certify.models.quantise",
    "equiproof.certify.network",
    "hashlib",
    "importlib.metadata",
    "torch",
    "zipfile",
}
"""What decisions of an ensemble on a table of text have no use for."""


@pytest.fixture(scope="module")
def rows():
    """The first rows of the data set."""
    return [dict(row) for row in load("lending").rows[:COUNT]]


def write_csv(path, rows):
    """Write rows as a spreadsheet does."""
    with path.open("w", newline="") as stream:
        writer = csv.DictWriter(stream, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def test_json_and_csv_give_the_same(world, cli, tmp_path, rows):
    """The same rows as JSON list, as CSV and one by one give the same decisions."""
    as_json, as_csv, single = tmp_path / "rows.json", tmp_path / "rows.csv", tmp_path / "row.json"
    as_json.write_text(json.dumps(rows))
    write_csv(as_csv, rows)
    single.write_text(json.dumps(rows[3]))
    listed = cli("predict", world.model, as_json, "--json").document["rows"]
    assert len(listed) == COUNT
    assert cli("predict", world.model, as_csv, "--json").document["rows"] == listed
    assert cli("predict", world.model, single, "--json").document["rows"] == [listed[3]]


def test_the_float_model_takes_columns_that_are_not_rounded(world, cli, tmp_path, rows):
    """Between two steps of the grid the logit of the float model moves with the income, and that of the integers not.

    Near the boundary, this decides: the row's label in floats is the one that `commit` counts.
    """
    owned = load_model(world.model)
    feature = next(feature for feature in owned.spec.features if feature.name == "income")
    step = Fraction(feature.scale) / owned.spec.scale_unit
    found = 0
    for row in rows:
        # Halve the interval of incomes where the float model changes its label, down to less than a step.
        low, high = Fraction(600), Fraction(12000)
        labels = [float_label(owned, row, income) for income in (low, high)]
        if labels[0] == labels[1]:
            continue
        while high - low > Fraction(1, 10**6):
            middle = Fraction(math.floor((low + high) / 2 * 10**7), 10**7)
            low, high = (middle, high) if float_label(owned, row, middle) == labels[0] else (low, middle)
        path = tmp_path / "near.json"
        near = [row | {"income": f"{float(income):.7f}"} for income in (low - step / 50, high + step / 50)]
        path.write_text(json.dumps(near))
        decided = cli("predict", world.model, path, "--json").document["rows"]
        columns = column_values(owned.spec, near)
        assert [one["float"]["label"] for one in decided] == [owned.spec.labels[label] for label in labels]
        for one, logits in zip(decided, owned.network.logits(columns), strict=True):
            assert one["float"]["logits"] == [round(float(logit), 6) for logit in logits]
        if encode_rows(owned.spec, near[:1]).tolist() == encode_rows(owned.spec, near[1:]).tolist():
            found += 1
            assert decided[0]["quantised"] == decided[1]["quantised"]
    assert found


def float_label(owned, row, income):
    """Return the float model's label of a row with another income."""
    near = row | {"income": f"{float(income):.7f}"}
    return int(owned.network.decide(column_values(owned.spec, [near]), float(owned.spec.threshold))[0])


def test_a_byte_order_mark_of_a_spreadsheet_is_no_part_of_a_name(world, cli, tmp_path, rows):
    """A CSV file that begins with a byte order mark reads like one that does not."""
    plain, marked = tmp_path / "plain.csv", tmp_path / "marked.csv"
    write_csv(plain, rows)
    marked.write_bytes(b"\xef\xbb\xbf" + plain.read_bytes())
    assert cli("predict", world.model, marked).out == cli("predict", world.model, plain).out


def test_text_and_json_agree(world, cli, tmp_path, rows):
    """The table has one line for each row, with the labels of the JSON, and below it how many rows get each."""
    path = tmp_path / "rows.json"
    path.write_text(json.dumps(rows))
    lines = cli("predict", world.model, path).out.splitlines()
    document = cli("predict", world.model, path, "--json").document
    listed = document["rows"]
    assert len(lines) == COUNT + 2
    counts = [f"{one['label']} {one['reading']}, {one['integers']}" for one in document["labels"]]
    assert lines[-1] == f"rows by label (as read, as committed): {'; '.join(counts)}"
    for number, (line, row) in enumerate(zip(lines[1:-1], listed, strict=True), start=1):
        words = line.split()
        assert words[0] == str(number)
        assert row["float"]["label"] == words[1]
        assert row["quantised"]["label"] in words[3:]


def test_the_quantised_label_is_what_is_certified(world, cli, tmp_path, rows):
    """The quantised decision of `predict` is the one that `certify` certifies, or a case of its counterexample."""
    path, kinds = tmp_path / "row.json", set()
    for row in rows:
        path.write_text(json.dumps(row))
        (decided,) = cli("predict", world.model, path, "--json").document["rows"]
        found = cli(*world.certify("--json", row=path))
        kinds.add(found.code)
        if found.code == 0:
            assert found.document["label"] == decided["quantised"]["label"]
        else:
            (own,) = (case for case in found.document["cases"] if case["sensitive"]["sex"] == row["sex"])
            assert own["label"] == decided["quantised"]["label"]
            assert own["integer_logits"] == decided["quantised"]["integer_logits"]
    assert kinds == {0, 3}


def test_decimals_stay_exact(world, cli, tmp_path, rows):
    """A number as text, as a JSON decimal and with zeros behind gives the same integers."""
    found = []
    for written in ('"2000.10"', "2000.1", "2000.100", "2.0001e3", '"2000.1"'):
        path = tmp_path / "row.json"
        text = json.dumps(rows[0] | {"income": "HERE"}).replace('"HERE"', written)
        path.write_text(text)
        found.append(cli("predict", world.model, path, "--json").document)
    assert found[1:] != []
    assert found[0] != cli("predict", world.model, world.full, "--json").document
    assert found[0] == found[1] == found[2]
    assert found[4] == found[0]


def test_a_bad_row_is_named(world, cli, tmp_path, rows):
    """The row that does not fit is named by file, number and feature, and no row is decided."""
    as_json, as_csv = tmp_path / "rows.json", tmp_path / "rows.csv"
    bad = [*rows[:6], rows[6] | {"income": "12.000"}, *rows[7:]]
    as_json.write_text(json.dumps(bad))
    write_csv(as_csv, bad)
    for path in (as_json, as_csv):
        cli("predict", world.model, path).complaint(2, path, "row 7", "income")


def test_a_missing_sensitive_value_is_named(world, cli):
    """Predicting needs the sensitive feature, and says so for a row without it."""
    cli("predict", world.model, world.row).complaint(2, world.row, "row 1", "sex")


def write_score(folder, base):
    """Write a model folder whose score is a base, and one more from the mean of the first column on; and a row."""
    step = Step(0, Ray(Fraction(0), closed=True), 0, Fraction(1))
    score = Score("boosting", LOANS.plain_columns, LOANS.sensitive_columns, LOANS.input_fraction_bits, base, (step,))
    (folder / "ensemble.json").write_bytes(score.to_bytes())
    (folder / "spec.json").write_bytes(canonical_bytes(LOANS))
    (folder / "rows.json").write_text(json.dumps([applicant(LOANS, random.Random(1)) | {"sex": "f"}]))


def test_logits_are_rounded_once(cli, tmp_path):
    """The table rounds the logit itself, and not the six places of the document: 0.0807499999 is 0.0807."""
    write_score(tmp_path, Fraction("0.0807499999"))
    words = cli("predict", tmp_path, tmp_path / "rows.json").out.split()
    document = cli("predict", tmp_path, tmp_path / "rows.json", "--json").document["rows"][0]
    whole = int(document["float"]["logits"][0])
    assert document["float"]["logits"] == document["quantised"]["logits"] == [whole + 0.08075]
    assert words.count(f"(+{whole}.0807)") == 2


def test_an_ensemble_is_decided_without_what_reads_networks(tmp_path):
    """Neither networks, spec drafts, archives, hashes, versions of packages nor the native library are loaded."""
    write_score(tmp_path, Fraction(0))
    code = (
        "import sys\nfrom equiproof.cli.main import run\n"
        f"code = run(['predict', {str(tmp_path)!r}, {str(tmp_path / 'rows.json')!r}])\n"
        "print(*sys.modules, file=sys.stderr)\nsys.exit(code)"
    )
    outcome = shell(code=code)
    assert outcome.code == 0, outcome.err
    loaded = set(outcome.err.split())
    assert {"numpy", "equiproof.certify.models.ensembles.decided"} <= loaded
    assert not loaded & UNUSED
