"""Scorecards as tables: points as written, cut-offs included, gaps and overlaps refused by line."""

from fractions import Fraction

import pytest

from equiproof import import_model
from equiproof.certify.models.ensembles.scorecard import read_scorecard, write_scorecard
from equiproof.certify.models.importing import ModelImportError
from tests.certify.models.ensembles.samples import GIVEN, SPEC, inputs

HEAD = "feature,from,to,value,points\n"
CARD = HEAD + "(base),,,,100\n(cutoff),,,,130\n" + "".join(
    f"{line}\n"
    for line in (
        "income,,2000,,0", "income,2000,5000,,15", "income,5000,,,31", "housing,,,own,8", "housing,,,rent,0",
        "years,10,,,12", "years,,10,,-3", "sex,,,f,0", "sex,,,m,1",
    )
)  # fmt: skip


def points(row):
    """Return the points of a row, added up by hand."""
    income = 0 if row["income"] < 2000 else 15 if row["income"] < 5000 else 31
    return 100 + income + 8 * (row["housing"] == "own") + (12 if row["years"] >= 10 else -3) + (row["sex"] == "m")


def test_every_row_is_decided_by_its_points():
    """The second label from the cut-off on, on rows at every end of a bin; no total is a tie."""
    ends = [dict(GIVEN[0], income=income, years=years) for income in (1999, 2000, 4999, 5000) for years in (9, 10)]
    rows = [*ends, *GIVEN]
    found = import_model((read_scorecard(CARD.encode()), ""), SPEC, rows=rows)
    decided = [found.quantised.decide(row) for row in inputs(SPEC, rows)]
    assert decided == [int(points(row) >= 130) for row in rows]
    assert {points(row) - 130 for row in rows} & {-1, 0}


def test_points_with_decimals_meet_the_cut_off():
    """Points of 0.5 and a cut-off that is met exactly."""
    card = CARD.replace("income,5000,,,31", "income,5000,,,30.5").replace("(cutoff),,,,130", "(cutoff),,,,127.5")
    row = dict(GIVEN[0], income=6000, years=3, housing="rent", sex="f")
    found = import_model((read_scorecard(card.encode()), ""), SPEC, rows=[row])
    assert found.quantised.decide(inputs(SPEC, [row])[0]) == 1
    higher = import_model((read_scorecard(card.replace("127.5", "127.51").encode()), ""), SPEC, rows=[row])
    assert higher.quantised.decide(inputs(SPEC, [row])[0]) == 0


def test_a_table_that_is_written_is_read_as_the_same_scorecard():
    """Writing and reading keep every number."""
    card = read_scorecard(CARD.replace("5000", "5000.125").encode())
    again = read_scorecard(write_scorecard(card))
    assert again.ensemble(SPEC) == card.ensemble(SPEC)
    assert again.cutoff == Fraction(130)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("income,2000,5000,,15", "income,2100,5000,,15", "'income': a gap between lines 4 and 5"),
        ("income,2000,5000,,15", "income,1900,5000,,15", "'income': the bins of lines 4 and 5 overlap"),
        ("income,,2000,,0", "income,0,2000,,0", "leave `from` of its first bin"),
        ("income,5000,,,31", "income,5000,9000,,31", "`to` of its last bin"),
        ("housing,,,rent,0", "housing,,,boat,0", "line 8: 'boat' is no value"),
        ("housing,,,rent,0\n", "", "no line has points for 'rent'"),
        ("housing,,,rent,0", "housing,,,own,0", "line 8: 'own' has points in line 7 already"),
        ("housing,,,rent,0", "housing,1,,rent,0", "line 8: a value and a bin"),
        ("years,10,,,12", "age,10,,,12", "gap|the spec has no feature 'age'|leave `from`"),
        ("sex,,,f,0", "sex,,,f,zero", "line 11: points: 'zero' is not a decimal number"),
        ("(cutoff),,,,130\n", "", r"the row \(cutoff\) is missing"),
        ("sex,,,f,0", "sex,,,f,0,9", "line 11: 6 cells"),
        (HEAD, "feature,points\n", "line 1: want the header"),
        ("income,2000,5000,,15", "income,2000,2000,,1\nincome,2000,5000,,15", "overlap|is empty"),
        ("housing,,,own,8\nhousing,,,rent,0", "housing,,1,,0\nhousing,1,,,2", "'housing' is categorical"),
    ],
)
def test_tables_without_one_meaning_are_refused_by_line(old, new, message):
    """Gaps, overlaps, unknown names, missing values, and lines of another form."""
    assert old in CARD
    with pytest.raises(ModelImportError, match=message):
        import_model((read_scorecard(CARD.replace(old, new).encode()), ""), SPEC)


def test_decimals_are_compared_as_decimals():
    """An end of 0.3 has the number 0.3 in the bin above it, although the double of 0.3 is less than 0.3."""
    card = HEAD + "(cutoff),,,,1\nincome,,0.3,,0\nincome,0.3,,,1\n"
    rows = [dict(GIVEN[0], income=income) for income in ("0.2", "0.3", "0.4")]
    made = import_model((read_scorecard(card.encode()), ""), SPEC)
    assert [int(total > 0) for total in made.score.totals(SPEC, rows)] == [0, 1, 1]
    assert made.bound.notes == ("no line is about sex, housing, years: the points do not depend on it",)
