"""Processes that make many calls do not grow: measured here with few, and kept in the benchmark with many."""

import os
from pathlib import Path

import pytest

from bench import kept, long_runs

pytestmark = pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="the system tells no descriptors")

MOST_MB = 16
MOST = {"mb": MOST_MB, "descriptors": 2, "threads": long_runs.THREADS}
"""By how much the second half of the calls may exceed the first.

The library starts a thread when all it has are in a call: on a busy machine as many as call at once, which may first
happen in either half. One that each call left behind would be 40.
"""


def flat(row):
    """Tell by how much each figure grew; raises where it is more than noise."""
    found = {name: long_runs.grown(row, name) for name in MOST}
    assert all(found[name] <= most for name, most in MOST.items()), (row["what"], row["way"], found)
    return found


@pytest.mark.slow
def test_many_calls_take_no_more_than_few():
    """Memory, descriptors and threads of the second half of the calls are those of the first, in each way."""
    found = long_runs.run(counts={"verification": 600, "proof": 80})
    assert [(row["what"], row["way"]) for row in found["results"]] == [
        (what, way) for what in ("verification", "proof") for way in long_runs.WAYS
    ]
    for row in found["results"]:
        flat(row)
    assert long_runs.table(found).count("\n") == 1 + len(found["results"])


def test_the_kept_runs_are_long_and_flat():
    """The published figures are of all calls, and did not grow."""
    for row in kept.load("long-runs")["results"]:
        assert row["count"] == long_runs.COUNTS[row["what"]]
        flat(row)


def test_growth_is_seen():
    """A descriptor left open by each call, or memory kept by it, is found."""
    opened, held = [], []

    def leak():
        opened.append(os.open("/dev/null", os.O_RDONLY))
        held.append(b"x" * (1 << 20))

    looks = []
    for _ in range(long_runs.LOOKS):
        long_runs.one_by_one(leak, 8)
        looks.append(long_runs.look())
    for handle in opened:
        os.close(handle)
    row = {"what": "leak", "way": "one by one", **{name: [one[name] for one in looks] for name in MOST}}
    assert long_runs.grown(row, "descriptors") == 40
    assert long_runs.grown(row, "mb") > MOST_MB
    with pytest.raises(AssertionError, match="leak"):
        flat(row)
