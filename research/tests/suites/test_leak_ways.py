"""What ways and nones give away: a small measurement, the table, and the figures of the page for users."""

import json
from fractions import Fraction

import pytest

pytest.importorskip("sklearn")

from bench.parts import Options
from equiproof.certify.data import load
from equiproof.certify.digits import percent
from research.catalogue import HERE
from research.suites import leak_ways

RESULTS = json.loads((HERE / "results" / "leak-ways.json").read_text(encoding="utf-8"))
PAGE = (HERE.parent / "docs" / "recourse.md").read_text(encoding="utf-8")


def test_a_linear_model_is_copied_from_its_ways():
    """Two more ways than columns are enough; decisions alone are not. Who was refused has a way, and all are there."""
    found = leak_ways.measured("logistic", leak_ways.Question(points=120, draws=1, held_out=300, counts=(14,)))
    agreement = {shown: points[0]["agreement"] for shown, points in found["curves"].items()}
    assert agreement["ways"] > 0.98
    assert agreement["labels"] < agreement["ways"]
    assert found["ways"] >= 14
    assert found["thresholds"] is None
    assert found["applied"] == 120
    assert (
        leak_ways.table({"parts": {"logistic": found}}).splitlines()[-1].startswith("| a logistic regression | 14 | ")
    )


def test_coarse_steps_are_a_part_of_the_scale():
    """They are whole numbers, and a cap is a multiple of them; categories and fixed features are as they were."""
    before = leak_ways.ruled(load("lending")).spec
    after = leak_ways.with_steps(before)
    moved = 0
    for old, new in zip(before.features, after.features, strict=True):
        if old != new:
            step = int(new.changes.step)
            assert abs(step - Fraction(old.scale) / leak_ways.STEPS) <= Fraction(1, 2)
            assert not isinstance(new.changes.by, str) or int(new.changes.by) % step == 0
            moved += 1
    assert moved == 5


def test_every_model_is_measured():
    """The table has a line for each number of ways, of each model of the plan."""
    parts = RESULTS["parts"]
    assert list(parts) == list(leak_ways.plan(None, Options()).parts)
    lines = leak_ways.table(RESULTS).splitlines()
    assert len(lines) == 2 + sum(len(part["curves"]["ways"]) for part in parts.values())
    assert len(leak_ways.people(RESULTS).splitlines()) == 2 + len(parts)


def point(name, shown, count):
    """A point of a curve."""
    return next(one for one in RESULTS["parts"][name]["curves"][shown] if one["count"] == count)


def agreed(name, shown, count):
    """The agreement of a copy, as it is written."""
    return percent(point(name, shown, count)["agreement"])


def test_the_figures_of_the_page_are_measured():
    """What docs/recourse.md says is what the kept results have."""
    ways, radii = ([point("scorecard", shown, count)["known"] for count in (20, 150)] for shown in ("ways", "exact"))
    thresholds = RESULTS["parts"]["scorecard"]["thresholds"]
    copies, others = ([agreed(name, shown, 13) for name in ("100x3", "network")] for shown in ("ways", "exact"))
    said = [
        f"after 13 ways: {agreed('logistic', 'ways', 13)} agreement",
        f"where 13 decisions alone give {agreed('logistic', 'labels', 13)}.",
        f"eighth of a scale it is {agreed('logistic-steps', 'ways', 13)}.",
        f"20 ways name {ways[0]} of the {thresholds} thresholds of a scorecard, and 150 name {ways[1]};",
        f"as many exact radii name {radii[0] or 'none'} and {radii[1]}.",
        f"agree in {' and '.join(copies)}, from exact radii in {' and '.join(others)}.",
    ]
    text = " ".join(PAGE.split())
    assert not [words for words in said if words not in text]
    for name in ("logistic", "scorecard", "100x3", "network"):
        apart = point(name, "ways", 60)["agreement"] - point(name, "exact", 60)["agreement"]
        assert abs(apart) < 0.03, name
