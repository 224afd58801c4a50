"""The index of findings is complete: each script has a row with the release that the script pins."""

from __future__ import annotations

import re

import pytest

from tests.support import ROOT

FINDINGS = ROOT / "findings"
pytestmark = pytest.mark.skipif(not FINDINGS.is_dir(), reason="a source archive")
ROW = re.compile(
    r"^\| (?P<library>[^|]+) \| (?P<release>[^|]+) \| [^|]+ \| \[(?P<name>[^]]+)\]\((?P<script>[^)]+)\) \|$"
)


@pytest.fixture(scope="module")
def rows() -> list[re.Match[str]]:
    """The rows of the table, below its head."""
    lines = (FINDINGS / "README.md").read_text(encoding="utf-8").splitlines()
    table = [line for line in lines if line.startswith("| ")][1:]
    found = [ROW.match(line) for line in table]
    assert all(found), table
    return [row for row in found if row]


def test_every_script_has_a_row(rows: list[re.Match[str]]) -> None:
    """The table names each script once, in the order of libraries."""
    assert sorted(row["script"] for row in rows) == sorted(path.name for path in FINDINGS.glob("*.sh"))
    assert [row["library"].lower() for row in rows] == sorted(row["library"].lower() for row in rows)
    assert all(row["script"] == f"{row['name']}.sh" for row in rows)


def test_a_row_names_the_release_of_its_script(rows: list[re.Match[str]]) -> None:
    """The script pins the release that the table names, says when it exits 0, and leaves no folder behind."""
    for row in rows:
        text = (FINDINGS / row["script"]).read_text(encoding="utf-8")
        remarks, _, program = text.partition("\nset -eu")
        head = " ".join(re.findall(r"^# ?(.*)$", remarks, re.MULTILINE))
        assert row["release"] in program, row["script"]
        assert row["release"] in head, row["script"]
        assert "Exits 0 while this is so, 1 once it has changed" in head, row["script"]
        assert "rm -rf" in text, row["script"]
