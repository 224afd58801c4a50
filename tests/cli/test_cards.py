"""`equiproof import` of scorecards as other libraries print them: options for what no row says, and counts."""

import csv

import msgspec
import pytest

from tests.certify.models.ensembles.card_samples import CUTOFF, FOLDER, rows, spec
from tests.cli.world import command


@pytest.fixture
def given(tmp_path):
    """A spec, and rows with the points and the decisions of toad's card."""
    (tmp_path / "spec.json").write_bytes(msgspec.json.encode(spec()))
    some, theirs = rows("toad")
    with (tmp_path / "rows.csv").open("w") as file:
        writer = csv.writer(file)
        writer.writerow([*some[0], "decision", "points"])
        for row, points in zip(some[:40], theirs[:40], strict=True):
            writer.writerow([*row.values(), "granted" if points >= CUTOFF else "refused", points])
    return "--spec", tmp_path / "spec.json", "--rows", tmp_path / "rows.csv", "--out", tmp_path / "model"


def test_a_card_is_imported_and_compared_with_the_lenders_decisions(given):
    """No row differs; missing values are said; the next command takes the folder."""
    done = command("import", FOLDER / "toad.json", *given, "--cutoff", str(CUTOFF), "--decisions", "decision", "--json")
    assert done.code == 0, done.err
    assert done.document["compared"]["differing_integers"] == 0
    assert done.document["notes"][0].startswith("a row with a missing value gets no certificate")
    assert command("commit", given[-1], "--out", given[-1].parent / "owner").code == 0


@pytest.mark.parametrize(
    ("name", "more", "message"),
    [
        ("toad.json", (), "say with --cutoff"),
        ("toad.json", ("--cutoff", "many"), "give a decimal number with --cutoff"),
        ("toad.json", ("--cutoff", "550", "--base-points", "3"), "leave out --base-points"),
        ("toad.json", ("--cutoff", "550", "--unlisted", "purpose"), "--unlisted"),
        ("toad.json", ("--cutoff", "550", "--unlisted", "height=3"), "--unlisted: the card has no feature 'height'"),
        ("toad.json", ("--cutoff", "650", "--decisions", "decision"), "otherwise than by column decision"),
        ("optbinning-rounded-detailed.csv", ("--cutoff", "550"), "--rows and --decisions"),
        ("optbinning-intercept-detailed.csv", ("--cutoff", "550"), "say with --base-points"),
    ],
)
def test_what_a_table_does_not_say_is_asked_by_option(given, name, more, message):
    """In one line, and nothing is written."""
    command("import", FOLDER / name, *given, *more).complaint(2, message)
    assert not given[-1].exists()
