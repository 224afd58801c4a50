"""What certificates give away: the kept figures reach the targets, and a table has a line for each model."""

import json

from equiproof.certify.leak.draft import MOST_GAIN
from research.catalogue import HERE
from research.suites import leak

RESULTS = json.loads((HERE / "results" / "leak.json").read_text(encoding="utf-8"))


def test_drafted_levels_reach_the_targets():
    """No copy at drafted levels is more than the target above labels alone, and no threshold is known exactly."""
    for name, part in RESULTS["parts"].items():
        (chosen,) = (one for one in part["proposals"] if one["chosen"])
        assert chosen["gain"] <= MOST_GAIN[part["family"]], name
        assert not chosen["known"], name


def test_every_model_has_a_line():
    """A line for each part that was measured."""
    lines = leak.table(RESULTS).splitlines()
    assert len(lines) == 2 + len(RESULTS["parts"])
    assert any(line.startswith("| German, a logistic regression | 100 |") for line in lines)
