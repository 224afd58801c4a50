"""What certificates give away: separate people, a line for each model, and the targets that the kept figures reach."""

import json

import numpy as np
import pytest

from equiproof.certify.data import load
from equiproof.certify.leak.proposals import MOST_GAIN
from research.catalogue import HERE
from research.suites import leak

RESULTS = json.loads((HERE / "results" / "leak.json").read_text(encoding="utf-8"))


def test_nobody_applies_whom_model_or_draft_has_seen():
    """Rows that apply, that levels are drafted from and that copies are compared on are other rows."""
    data = load("lending")
    parts = leak.separate(data, leak.Question())
    assert all(parts)
    assert len({row for part in parts for row in part}) == sum(map(len, parts))
    assert set(parts[0]) <= set(np.asarray(data.test).tolist())


@pytest.mark.parametrize("source", [leak.ROWS, leak.CHOSEN])
def test_drafted_levels_reach_the_targets(source):
    """No copy is more than the target above labels alone but those that the page names; no threshold is known."""
    page = (HERE / "pages" / "leak.md").read_text(encoding="utf-8")
    named = page.partition("**Above the target**")[2].partition("\n\n")[0]
    for part in RESULTS["parts"].values():
        above = round(leak.gain(part, source) - MOST_GAIN[part["family"]], 1)
        assert above <= 0 or f"by {above} points" in named, leak.name_of(part)
        labels, levels = (leak.after(part, source, shown)["known"] for shown in (leak.LABELS, leak.LEVELS))
        assert (levels or 0) <= (labels or 0), leak.name_of(part)


def test_tables_have_all_that_was_measured():
    """A line for each model, list of levels and curve; the worst model stands first."""
    parts = RESULTS["parts"]
    assert len(leak.table(RESULTS).splitlines()) == 2 + len(parts)
    assert len(leak.levels_table(RESULTS).splitlines()) == 2 + sum(len(part["levels"]) for part in parts.values())
    assert len(leak.curves_table(RESULTS).splitlines()) == 2 + 6 * len(parts)
    gains = [max(leak.gain(part, source) for source in (leak.ROWS, leak.CHOSEN)) for part in leak.harm(parts)]
    assert gains == sorted(gains, reverse=True)
    assert leak.name_of(leak.harm(parts)[0]) in leak.table(RESULTS).splitlines()[2]
