"""The audit's page: its Python block runs as it stands."""

import re
from pathlib import Path

PAGE = Path(__file__).resolve().parents[3] / "docs" / "audit-fvgm.md"


def test_the_block_runs(capsys):
    """The block verifies a model of biased rows, and says of both metrics that it is unfair."""
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert len(blocks) == 1
    exec(compile(blocks[0], str(PAGE), "exec"), {})  # noqa: S102 - the documentation's own code
    told = capsys.readouterr().out.splitlines()
    assert [line.split(" unfair ")[0] for line in told] == ["disparate impact", "statistical parity"]
