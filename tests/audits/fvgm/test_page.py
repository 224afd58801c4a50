"""The audit's page: its Python blocks run as they stand, one after the other."""

import re
from pathlib import Path

PAGE = Path(__file__).resolve().parents[3] / "docs" / "audit-fvgm.md"


def test_the_blocks_run(capsys):
    """A linear model of biased rows and a tree are verified, and both metrics say of either that it is unfair."""
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert len(blocks) == 2
    names = {}
    for block in blocks:
        exec(compile(block, str(PAGE), "exec"), names)  # noqa: S102 - the documentation's own code
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(" unfair ")[0] for line in lines] == [
        "disparate impact", "statistical parity difference", "tree: disparate impact",
        "tree: statistical parity difference",
    ]  # fmt: skip
    assert all(line.endswith(" unfair True") for line in lines[2:])
