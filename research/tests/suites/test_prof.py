"""PROF's table: what it sums up, and what is measured of a part."""

import pytest

from bench.parts import Options
from equiproof.audits.prof.repair import Settings
from research.suites.prof import table, wider


def part(before, after, cpu=2.0):
    """Return a part of two seeds with these rates (CUR, IDI-D, IDI-S, accuracy)."""
    names = ("cur", "idi_d", "idi_s", "accuracy")
    sides = {"before": dict(zip(names, before, strict=True)), "after": dict(zip(names, after, strict=True))}
    sides["before"]["one_label"] = 0.5
    return {"network": "net", "repairs": [{**sides, "cpu_s": cpu}, {**sides, "cpu_s": 2 * cpu}]}


RESULTS = {
    "parts": {
        "Adult-sex": part((0.02, 0.10, 0.04, 0.8), (0.0, 0.01, 0.00, 0.79)),
        "Bank-age": part((0.00, 0.02, 0.04, 0.9), (0.0, 0.02, 0.02, 0.89)),
        "COMPAS-age": part((0.90, 0.88, 0.42, 0.7), (0.0, 0.07, 0.03, 0.66), cpu=5.0),
    }
}


def test_falls_are_ratios_of_means():
    """(0.10 + 0.02) to (0.01 + 0.02) is a fall by 75 %; COMPAS counts in the second line only."""
    lines = table.summary(RESULTS).splitlines()
    assert lines[2] == "| Adult + German + Bank | 0.00 % | 75.0 % | 75.0 % | 1.00 | 3.0 (4.0) |"
    assert lines[3] == "| all | 0.00 % | 90.0 % | 90.0 % | 2.00 | 4.5 (10.0) |"


def test_a_line_has_ours_beside_the_paper_s():
    """Percentages before and after, each followed by what the paper prints."""
    line = table.table(RESULTS).splitlines()[2]
    assert line.startswith("| Adult (net), sex | 2.00 → 0.00 | 3.00 → 0.00 | 10.00 → 1.00 | 2.74 → 0.79 |")


def test_a_network_that_was_not_repaired_is_told():
    """A repair that failed for one seed is no number."""
    failed = {"parts": {"Bank-age": {"network": "BM-1", "repairs": [{"before": {}, "after": None}]}}}
    assert "not repaired" in table.table(failed)
    assert (
        table.summary(failed).splitlines()[2] == "| Adult + German + Bank (1 of 1 not repaired) | - | - | - | - | - |"
    )
    one_of_two = {"parts": RESULTS["parts"] | {"Bank-age": failed["parts"]["Bank-age"] | {"repairs": [dict(
        RESULTS["parts"]["Bank-age"]["repairs"][0], after=None)]}}}  # fmt: skip
    line = table.summary(one_of_two).splitlines()[2]
    assert line == "| Adult + German + Bank (1 of 2 not repaired) | 0.00 % | 90.0 % | 100.0 % | 1.00 | 2.7 (4.0) |"


def test_the_paper_s_settings_are_the_parts():
    """Nine settings, each with its printed line."""
    assert set(table.plan(None, Options()).parts) == set(table.PRINTED)


def test_the_wider_settings_are_the_paper_s():
    """Thirteen settings of table IV, each with its printed line, measured with seeds that nothing was chosen by."""
    plan = wider.plan(None, Options())
    assert set(plan.parts) == set(wider.PRINTED)
    assert not set(plan.question["seeds"]) & set(table.Question().seeds)
    fresh = table.plan(None, Options(), table.FRESH).question
    chosen = table.plan(None, Options()).question
    assert {name for name in fresh if fresh[name] != chosen[name]} == {"seed", "seeds", "training"}


def test_wider_lines_stand_beside_the_paper_s():
    """Both kinds have a line each and fall as ratios of means."""
    kept = {
        "parts": {
            "Adult-sex-race": part((0.1, 0.10, 0.04, 0.8), (0.0, 0.02, 0.01, 0.8)) | {"similar": 10},
            "German-sex-month": part((0.1, 0.20, 0.04, 0.8), (0.0, 0.05, 0.00, 0.7)) | {"similar": 2},
        }
    }
    several, moved = wider.table(kept).splitlines()[2:]
    assert several.startswith("| Adult (net), sex and race |  | 10 | 10.00 → 0.00 | 7.00 → 0.00 | 10.00 → 2.00 | 7.59 ")
    assert moved.startswith("| German (net), sex | month | 2 boxes | 10.00 → 0.00 |")
    first, second = wider.summary(kept).splitlines()[2:]
    assert first.startswith("| several sensitive features | 0.00 % | 80.0 % | 75.0 % | 0.00 |")
    assert second.startswith("| another feature by 1 | 0.00 % | 75.0 % | 100.0 % | 10.00 |")


@pytest.mark.shared
def test_a_part_is_measured(public_data):
    """German by sex, few samples: no repair point is unfair afterwards, and the counts before are the network's own."""
    question = table.Question(points=20, samples=500, seeds=(1,))
    found = table.measured(table.Asking("German", ("sex",)), question, public_data)
    (one,) = found["repairs"]
    assert one["after"]["cur"] == 0.0
    assert one["before"]["idi_d"] == pytest.approx(0.026)
    assert found["similar"] == 2
    assert found["looked_at"] == [1000, 500]


@pytest.mark.shared
def test_a_relaxed_part_is_measured_on_a_sample(monkeypatch, public_data):
    """German by sex, the month by 1: nobody among the repair points is left, and both rates are over the fewest."""
    monkeypatch.setattr(table, "FEWEST", 40)
    question = table.Question(points=10, boxes=1, seeds=(5,), seed=3, settings=Settings(steps=40))
    found = table.measured(wider.RELAXED[4], question, public_data)
    assert found["looked_at"] == [40, 40]
    assert found["repairs"][0]["after"]["cur"] == 0.0
