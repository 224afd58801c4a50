"""PROF's table: what it sums up, and Fairify's rows as they are made from raw ones."""

import os
from pathlib import Path

import pytest

from bench.parts import Options
from bench.prof import nets, table


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


def test_the_paper_s_settings_are_the_parts():
    """Nine settings, each with its printed line."""
    assert set(table.plan(None, Options()).parts) == set(table.PRINTED)


def test_fairifys_codes_follow_from_raw_rows():
    """Ages become groups, sexes follow from the personal status, unknown values drop a bank row."""
    bank = dict.fromkeys(nets._BANK_PLAIN, "x") | {"age": 24, "emp.var.rate": "-1.8"}
    made = nets._bank(bank)
    assert (made["age"], made["emp.var.rate"]) == (0, -2)
    assert nets._bank(bank | {"age": 25, "emp.var.rate": "1.4"})["emp.var.rate"] == 1
    assert nets._bank(bank | {"job": "unknown"}) == {}
    assert nets._adult({"age": 30, "workclass": "?"}) == {}
    rows = nets._binned([{"capital-gain": gain, "capital-loss": 7} for gain in (0, 4999, 5000, 99999)])
    assert [row["capital-gain"] for row in rows] == [0, 0, 1, 19]


@pytest.mark.shared
def test_a_part_is_measured():
    """German by sex, few samples: no repair point is unfair afterwards, and the counts before are the network's own."""
    if not os.environ.get("EQUIPROOF_DATA"):
        pytest.skip("EQUIPROOF_DATA does not name the directory of the public data sets")
    question = table.Question(points=20, samples=500, seeds=(1,))
    found = table.measured("German", "sex", question, Path(os.environ["EQUIPROOF_DATA"]))
    (one,) = found["repairs"]
    assert one["after"]["cur"] == 0.0
    assert one["before"]["idi_d"] == pytest.approx(0.025)
    assert found["similar"] == 2
