"""Audits of a model with days that a spec counts from a date: people read dates, and distances in days."""

from __future__ import annotations

import numpy as np
import pytest

from equiproof.audits.context import AuditContext
from equiproof.audits.dated import shown
from equiproof.audits.hyfair.grid import grid_of
from equiproof.audits.hyfair.plugin import DiscriminationClusters
from equiproof.audits.hyfair.rules import Rule, conditions
from equiproof.audits.pba.plugin import PersistentBias
from equiproof.circuits.spec import Feature
from tests.support import changed, network, spec_of

OPENED = Feature("opened", "numeric", "scaled", False, mean="60", scale="30", unit="days", range=("0", "120"),
                 whole=True, start="2000-01-01")  # fmt: skip
INCOME = Feature("income", "numeric", "scaled", False, mean="50", scale="20", unit="EUR", range=("0", "99"), whole=True)
SEX = Feature("sex", "categorical", "rank", True, mean="0.5", scale="0.5", domain=("f", "m"))
SPEC = spec_of(OPENED, INCOME, SEX, bits=(4, 12), name="days")


def context(**fields):
    """Return a context of a network that flips for some applicants."""
    made = network(SPEC, (3,), 1, sensitivity=0.5)
    rows = [{"opened": day, "income": day % 99, "sex": "fm"[day % 2]} for day in range(1, 120, 3)]
    return AuditContext(network=made, spec=SPEC, commitment="ab" * 32, rows=rows, **fields)


def test_hyfair_names_dates():
    """In the domain, in the applicant of a counterexample and in rules; the guardrail's file keeps the days."""
    options = {"search_seconds": "0.2", "solver_seconds": "0", "branch_seconds": "0.2", "ceiling_seconds": "0.2"}
    report = DiscriminationClusters().run(context(options=options))
    assert "opened 2000-01-01 to 2000-04-30 in steps of 1 day; income 0 to 99 in steps of 1" in report.notes[0]
    shows = [one.counterexample.shows for one in report.findings if one.counterexample is not None]
    assert shows
    assert all("one applicant (opened 2000-" in line for line in shows)


@pytest.mark.parametrize(
    ("first", "last", "said"),
    [
        (0, 31, "opened <= 2000-02-01"),
        (59, 120, "opened >= 2000-02-29"),
        (59, 60, "2000-02-29 <= opened <= 2000-03-01"),
        (60, 60, "opened = 2000-03-01"),
    ],
)
def test_rules_are_about_dates(first, last, said):
    """What stops people is compared in days."""
    grid = grid_of(SPEC)
    allowed = np.zeros(grid.sizes[0], dtype=bool)
    allowed[first : last + 1] = True
    rule = Rule((allowed, None))
    assert rule.text(grid) == said
    (condition,) = conditions(rule, grid)
    assert condition.least in {None, str(first)}
    assert condition.most in {None, str(last)}


def test_pba_moves_by_days():
    """One unit of delta is a distance, not a date."""
    report = PersistentBias().run(context(options={"units": "opened=30,income=5"}))
    assert "one unit of delta: opened 30 days; income 5 EUR" in report.notes
    assert "2000-" not in "".join(report.notes)


def test_what_is_no_date_keeps_its_start():
    """Parts of a day, and days before the year 1; features without a start are as they are."""
    assert shown(OPENED, 59) == "2000-02-29"
    assert shown(OPENED, "2000-02-29") == "2000-02-29"
    assert shown(OPENED, "1.5") == "1.5 days since 2000-01-01"
    assert shown(OPENED, -800_000) == "-800000 days since 2000-01-01"
    assert shown(changed(INCOME, unit="days"), 59) == "59"
