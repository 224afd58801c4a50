"""What prevents the faults of others is there: every test that the page names exists."""

import re

from tests.support import ROOT

PAGE = ROOT / "docs" / "elsewhere.md"


def test_every_named_test_exists() -> None:
    """Each row of a fault names at least one test, and each test is defined in its file."""
    rows = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    faults = [row for row in rows if not row.startswith("| what happened")]
    assert len(faults) > 20
    for row in faults:
        named = re.findall(r"`([\w/.-]+\.(?:py|go))::(\w+)`", row.split(" | ")[-1])
        assert named, row
        for path, name in named:
            text = (ROOT / path).read_text(encoding="utf-8")
            assert re.search(rf"^(?:def|func) {name}\(", text, re.MULTILINE), f"{path}::{name}"
