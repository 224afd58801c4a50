"""Wide numbers are audited by intervals that the network cannot tell apart, and nothing is lost by it."""

from dataclasses import replace
from fractions import Fraction

import msgspec
import numpy as np
import pytest

from equiproof.audits.context import AuditContext
from equiproof.audits.errors import NotApplicableError
from equiproof.audits.hyfair import levels
from equiproof.audits.hyfair.grid import grid_of
from equiproof.audits.hyfair.levels import GridError, levels_of
from equiproof.audits.hyfair.plugin import DiscriminationClusters
from equiproof.audits.hyfair.rules import Rule
from equiproof.circuits.spec import checked
from tests.audits.hyfair.small import SPEC, network

QUICK = {"search_seconds": "0.1", "solver_seconds": "1", "branch_seconds": "10", "samples": "100"}


def spec_with(mean="0", scale="10", ends=("-30", "60"), bits=18):
    """Return the small spec with another income."""
    income = msgspec.structs.replace(SPEC.features[0], mean=mean, scale=scale, range=ends)
    return checked(msgspec.structs.replace(SPEC, features=(income, *SPEC.features[1:]), input_bits=bits))


def level_by_level(found):
    """Return the (first, last) of every level as numbers."""
    return [(Fraction(a), Fraction(b)) for a, b in zip(found.first, found.last, strict=True)]


@pytest.mark.parametrize(
    ("mean", "scale", "ends", "digits"),
    [
        ("0", "10", ("-30", "60"), 0),
        ("7.3", "123.4", ("-301", "777"), 0),
        ("-1.75", "3.1", ("-9.7", "12.4"), 1),
        ("0.5", "0.77", ("-1", "2"), 2),
        ("0", "16", ("-8", "8"), 0),
        ("40", "0.3", ("18", "60"), 0),
    ],
)
def test_every_value_is_in_the_level_of_its_own_column(monkeypatch, mean, scale, ends, digits):
    """By enumeration: levels follow each other without a hole, and all of their values have their column."""
    monkeypatch.setattr(levels, "_MAX_LISTED", 2)
    spec = spec_with(mean, scale, ends)
    found = levels_of(spec, spec.features[0], None, digits)
    step = Fraction(1, 10**digits)
    value, seen = level_by_level(found)[0][0], 0
    for (first, last), column in zip(level_by_level(found), found.columns[:, 0], strict=True):
        assert first == value <= last
        while value <= last:
            assert spec.encode({"income": str(float(value)), "purpose": "car", "grade": "low"})[0] == column
            value, seen = value + step, seen + 1
    assert seen == found.count
    assert value - step <= Fraction(ends[1]) < value
    assert (np.diff(found.columns[:, 0]) > 0).all()


def test_more_columns_than_an_audit_holds_are_judged_at_equal_steps(monkeypatch):
    """The report says which feature is not judged in full, and how."""
    monkeypatch.setattr(levels, "_MAX_LISTED", 2)
    monkeypatch.setattr(levels, "MAX_LEVELS", 16)
    spec = spec_with(scale="1", ends=("0", "99"))
    found = levels_of(spec, spec.features[0], None, 0)
    assert (found.stride, len(found.first), found.first[:2], found.last[-1]) == (7, 15, ("0", "7"), "98")
    made = network(6, (4, 3))
    short = {**QUICK, "branch_seconds": "0.1", "ceiling_seconds": "0.1"}
    context = AuditContext(network=made, spec=spec, commitment="00", options=short)
    report = DiscriminationClusters().run(context)
    assert "income 0 to 98 in steps of 7" in report.notes[0]
    assert any("income has more values" in note and "only one in 7 is judged" in note for note in report.notes)


def test_a_wide_number_is_audited_in_full():
    """A census weight of a million values has 25 columns of this spec; the rows all lie on the domain."""
    spec = spec_with(mean="190415", scale="1000000", ends=("12285", "1490400"))
    made = network(6, (4, 3))
    rows = [
        {"income": income, "purpose": "car", "grade": "low", "group": "a", "age": "60"}
        for income in (12285, 50_001, 777_777, 1_490_400)
    ]
    context = AuditContext(network=made, spec=spec, commitment="00", options=QUICK, rows=rows)
    report = DiscriminationClusters().run(context)
    columns = {spec.encode(row)[0] for row in ({**rows[0], "income": value} for value in range(12285, 1490401, 1000))}
    assert f"income 12285 to 1490400 in steps of 1, {len(columns)} of which differ for the model" in report.notes[0]
    assert report.notes[0].startswith(f"searched were {9 * 1478116:,} applicants")
    assert report.notes[0].endswith("; purpose, grade (any of 3 values)")
    assert [one.n for one in report.estimates if not one.group] == [4, 4]
    for finding in report.having("unfair"):
        finding.counterexample.replay(made, spec)


def test_rules_and_rows_name_the_ends_of_intervals(monkeypatch):
    """A rule's upper end is the last value of its last level, and any value of a level is found in it."""
    monkeypatch.setattr(levels, "_MAX_LISTED", 2)
    grid = grid_of(spec_with(scale="100"))
    assert grid.features[0].merged
    first, last = grid.features[0].first, grid.features[0].last
    inside = np.arange(len(first))

    def text(kept):
        return Rule((kept, *[None] * (len(grid.names) - 1))).text(grid)

    assert text(inside <= 3) == f"income <= {last[3]}"
    assert text(inside >= 3) == f"income >= {first[3]}"
    assert text((inside >= 3) & (inside <= 5)) == f"{first[3]} <= income <= {last[5]}"
    assert text(inside == 3) == f"{first[3]} <= income <= {last[3]}"
    row = {"purpose": "car", "grade": "low"}
    for value in (first[3], last[3], str((int(first[3]) + int(last[3])) // 2)):
        assert grid.find({**row, "income": value})[0] == 3
    for value in ("61", "-31", "much"):
        with pytest.raises(GridError, match="is not in the audited domain"):
            grid.find({**row, "income": value})


def test_a_range_that_holds_no_value_or_too_large_ones_is_refused():
    """One line names the feature; neither is a fault of the program."""
    with pytest.raises(GridError, match=r"feature 'income': widen its range, or give more decimals: no whole number"):
        levels_of(SPEC, msgspec.structs.replace(SPEC.features[0], range=("0.2", "0.8")), None, 0)
    rows = [{"income": 10**9, "purpose": "car", "grade": "low", "group": "a", "age": "60"}]
    spec = checked(msgspec.structs.replace(SPEC, features=(msgspec.structs.replace(SPEC.features[0], range=None),
                                                           *SPEC.features[1:])))  # fmt: skip
    context = AuditContext(network=network(6), spec=spec, commitment="00", options=QUICK, rows=rows)
    with pytest.raises(NotApplicableError, match=r"feature 'income': 1e\+09 is"):
        DiscriminationClusters().run(replace(context, options=QUICK))
