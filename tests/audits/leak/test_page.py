"""The audit's page: its Python block runs as it stands."""

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parents[3] / "docs" / "audit-leak.md"


@pytest.mark.slow
def test_the_block_runs(capsys):
    """A small scorecard gets a draft: a line for each proposal, and the levels that are chosen."""
    (block,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    exec(compile(block, str(PAGE), "exec"), {})  # noqa: S102 - the documentation's own code
    *proposals, chosen = capsys.readouterr().out.splitlines()
    assert len(proposals) >= 3
    assert all("labels alone would give" in line for line in proposals)
    assert chosen.startswith("drafted levels: 0.")
