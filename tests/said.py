"""Each row of the tables as programs read it, held against a list that is no table: tests/golden/tables.json.

Programs read the same tables, so that one cannot notice by another that a row changed. Each language has a test that
lists every row that differs; research/mutations/tables.py changes rows and counts those that the tests list.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
TABLES = ROOT / "go-gnark" / "verify" / "tables"
LIST = ROOT / "tests" / "golden" / "tables.json"

NAMES = ("messages", "written", "words", "answers", "reports", "reasons", "policies", "documents", "kinds", "systems")
"""The tables of the list. A script writes the other two, names.json and normal.json, and a test holds them to it."""

NAMED = ("en", "de", "shown", "relations", "facts", "answer", "refusal", "letter", "lot", "many", "values")
"""Parts of tables whose entries are rows of their own."""

DIFFER = "rows differ from tests/golden/tables.json"
"""How a test ends its list of rows."""

PLACE = re.compile(r"\{([a-z_]+)\}")


def places(text: str) -> dict[str, str]:
    """Return what fills in the places of a sentence so that it comes out as it is."""
    return {name: f"{{{name}}}" for name in PLACE.findall(text)}


def rows(table: Any, *within: str) -> dict[str, Any]:
    """Return the rows of a table by their names, which are its keys down to them."""
    if isinstance(table, dict) and (not within or any(isinstance(inner, dict) for inner in table.values())):
        return {name: row for key, inner in table.items() for name, row in rows(inner, *within, key).items()}
    if within[0] in NAMED and len(within) == 1:
        return {f"{within[0]} {key}": row for key, row in table.items()}
    return {" ".join(within): table}


def row_of(table: Any, name: str) -> Any:
    """Return a row of a table by its name, None where it is not there."""
    for key in name.split(" "):
        table = table.get(key) if isinstance(table, dict) else None
    return table


def listed() -> dict[str, dict[str, Any]]:
    """Return the list: by table and row."""
    found: dict[str, dict[str, Any]] = json.loads(LIST.read_text(encoding="utf-8"))
    return found


def refuse_differences(found: dict[str, dict[str, Any]], lists: dict[str, dict[str, Any]]) -> None:
    """Raise AssertionError with every row of the tables found that is another than the lists'."""
    wanted = {(name, row): text for name in found for row, text in lists[name].items()}
    given = {(name, row): text for name, table in found.items() for row, text in table.items()}
    lines = [
        f"{name}.json: {row}: {json.dumps(given.get((name, row)))}, want {json.dumps(wanted.get((name, row)))}"
        for name, row in sorted(wanted.keys() | given.keys())
        if given.get((name, row)) != wanted.get((name, row))
    ]
    if lines:
        raise AssertionError("\n".join(["", *lines, f"{len(lines)} {DIFFER}"]))
